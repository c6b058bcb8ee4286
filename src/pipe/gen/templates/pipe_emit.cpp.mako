## SPDX-License-Identifier: MIT
${c.BANNER}
// Encoders: one entry per call that turns it into a record of the lane's emitter.
#include "pipe/pipe_archive.h"
#include "pipe_wire/emitter.h"

#include <vector>

namespace wire {
namespace {

% for k in m.calls:
% if 'L' not in k.flags and 'C' not in k.flags and k.name != 'get_caps':
<%
    spans = len(k.spans) + (1 if k.archive else 0)
    out = 'out' if k.rep else 'nullptr'
    out_size = 'sizeof *out' if k.rep else '0'
    dst = 'dst' if k.reply_bytes else 'nullptr'
    dead = ' PIPE_DECLINED' if k.is_reply else ''
    me = 'screen' if k.root else 'ctx'
    size = f'{k.payload.size}'
    payload = 'p' if k.payload.fields else 'nullptr'
%>\
${c.signature(k.ret + 'emit_' + k.name, k.params, 0, ' {')}
    Emitter &e = Emitter::of(${me});
    if (e.lost()) [[unlikely]]
        return${dead};
% if k.root:
    e.lock();
% endif
% if k.wait == 'present':
    e.present_begin(p->surface, p->serial);
% endif
    Builder<${len(k.tails)}, ${spans}> b(e, PIPE_OP_${k.name.upper()}, ${payload}, ${size});
% for t in k.tails:
    b.tail(${t.name}, p->${t.count}, ${t.esize}, ${t.align});
% endfor
% for s in k.spans:
    b.span(${s});
% endfor
% if k.archive:
    std::vector<uint8_t> bytes;
    if (${k.archive})
        pipe_shader_archive_encode(*${k.archive}, bytes);
    pipe_host_span coded = pipe_span(bytes.data(), bytes.size());
    b.span(&coded);
% endif
% if k.is_reply:
    b.answer(${out_size}, ${dst});
    b.commit();
% if k.root:
    enum pipe_status status = b.wait(${out}, ${out_size}, ${dst});
    e.unlock();
    return status;
% else:
    return b.wait(${out}, ${out_size}, ${dst});
% endif
% else:
    b.commit();
% endif
% if k.wait == 'applied':
    e.applied_wait();
% endif
}

% endif
% endfor
% for k in m.callbacks:
${c.signature('void send_' + k.name, ['void *owner', 'const struct pipe_%s *p' % k.name] + ['const struct pipe_host_span *' + s for s in k.spans], 0, ' {')}
    Emitter &e = *static_cast<Emitter *>(owner);
    if (e.lost()) [[unlikely]]
        return;
    e.lock();
    Builder<0, ${len(k.spans)}> b(e, PIPE_EVENT_${k.name.upper()}, p, ${k.payload.size});
% for s in k.spans:
    b.span(${s});
% endfor
    b.commit();
    e.unlock();
}

% endfor
} // namespace

void fill_screen(pipe_screen *screen, const pipe_caps *caps) {
% for k in m.calls:
% if k.table == 'screen' and 'L' not in k.flags and 'C' not in k.flags and k.name != 'get_caps':
    screen->${k.name} = pipe_caps_has_call(caps, ${k.op}) ? emit_${k.name} : nullptr;
% endif
% endfor
}

void fill_context(pipe_context *ctx, const pipe_caps *caps) {
% for k in m.calls:
% if k.table == 'context' and 'L' not in k.flags:
    ctx->${k.name} = pipe_caps_has_call(caps, ${k.op}) ? emit_${k.name} : nullptr;
% endif
% endfor
}

const pipe_callbacks emitting_callbacks = {
% for k in m.callbacks:
    .${k.name} = send_${k.name},
% endfor
};

} // namespace wire
