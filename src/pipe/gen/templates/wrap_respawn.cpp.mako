## SPDX-License-Identifier: MIT
${c.BANNER}
// The tables of a respawning screen and its lanes: each call is noted, goes on, and is looked at again
// when the server died meanwhile.
#include "respawn_screen.h"

namespace wrap {
namespace {

<%
    own = ('lane_destroy', 'lane_wait')
    # What means memory or descriptors of this process cannot be made again.
    hidden = ('resource_export', 'map_persistent', 'unmap_persistent', 'fence_import_fd', 'fence_export_fd',
              'buffer_subdata_resident', 'resource_flush_range',
              # Share groups come back one by one: what they had in common would not.
              'image_create', 'image_import', 'image_destroy')
    entries = [k for k in m.calls if not k.root and k.name not in own and k.name not in hidden]
%>\
% for k in entries:
<%
    args = ['inner'] + k.args[1:]
    call = ('inner->screen->' if k.table == 'screen' else 'inner->') + k.name + '(' + ', '.join(args) + ')'
%>\
${c.signature(k.ret + 'respawn_' + k.name, k.params, 0, ' {')}
    CallView v{};
    v.op = ${k.op};
    v.payload = p;
% for i, t in enumerate(k.tails):
    v.tails[${i}] = {${t.name}, p->${t.count}, sizeof *${t.name}};
% endfor
    v.num_tails = ${len(k.tails)};
% for i, s in enumerate(k.spans):
    v.spans[${i}] = ${s};
% endfor
    v.num_spans = ${len(k.spans)};
% if k.archive:
    v.archive = ${k.archive};
% endif
% if k.rep:
    v.out = out;
% endif
% if k.reply_bytes:
    v.dst = dst;
% endif
% if k.is_reply:
    return RespawnLane::of(ctx).answer(v, [&](pipe_context *inner) { return ${call}; });
% else:
    RespawnLane::of(ctx).call(v, [&](pipe_context *inner) { ${call}; });
% endif
}

% endfor
% for k in m.callbacks:
% if k.name != 'on_device_lost':
${c.signature('void tell_' + k.name, ['void *tag_data', 'const struct pipe_%s *p' % k.name] + ['const struct pipe_host_span *' + s for s in k.spans], 0, ' {')}
    auto &tag = *static_cast<InnerTag *>(tag_data);
    RespawnScreen &outer = tag.outer;
% if k.name == 'on_gl_error':
    if (tag.silent.load(std::memory_order_relaxed) || outer.server_lost(tag))
        return; // of calls that have happened before, or will happen again
% elif k.name not in ('on_log', 'on_frame'):
    if (tag.silent.load(std::memory_order_relaxed))
        return; // of calls that have happened before
% endif
    outer.callbacks().${k.name}(${', '.join(['outer.data()', 'p'] + list(k.spans))});
}

% endif
% endfor
} // namespace

void RespawnScreen::fill_callbacks() {
% for k in m.callbacks:
% if k.name != 'on_device_lost':
    inner_callbacks_.${k.name} = callbacks_.${k.name} ? tell_${k.name} : nullptr;
% endif
% endfor
    inner_callbacks_.on_device_lost = tell_device_lost;
}

void RespawnScreen::fill_table() {
    for (uint32_t op : {${', '.join('PIPE_OP_' + n.upper() for n in hidden)}})
        caps.call_mask[(op - 1) / 64] &= ~(1ull << ((op - 1) % 64));
% for k in entries:
% if k.table == 'screen':
    ${k.name} = inner_->${k.name} ? respawn_${k.name} : nullptr;
% endif
% endfor
}

void RespawnLane::fill_table() {
% for k in entries:
% if k.table == 'context':
    ${k.name} = inner_->${k.name} ? respawn_${k.name} : nullptr;
% endif
% endfor
}

} // namespace wrap
