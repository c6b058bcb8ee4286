## SPDX-License-Identifier: MIT
${c.BANNER}
// What each call means to the journal of a respawn, and how stored calls are carried out.
#include "respawn_journal.h"

#include "pipe_wire/wire.h"

namespace wrap {

<%
    # Calls of a lane that neither fill state nor make or end an object: what becomes of them.
    # contents, progress: Journal::fold_*; order: nothing to keep, but a frame that is replayed has it.
    contents = ('resource_invalidate', 'resource_subdata', 'resource_copy_region', 'copy_buffer_to_texture', 'clear_buffer',
                'clear_texture', 'blit', 'clear', 'generate_mipmap', 'read_pixels_to_buffer',
                'get_texture_image_to_buffer', 'copy_framebuffer_to_texture', 'draw_vbo', 'launch_grid',
                'query_result_to_buffer')
    progress = ('lane_current', 'query_begin', 'query_end', 'begin_stream_output', 'end_stream_output',
                'pause_stream_output', 'resume_stream_output', 'set_swap_interval')
    order = ('query_counter', 'fence_wait_server', 'flush_resource', 'debug_marker', 'bind_shader_state',
             'invalidate_framebuffer', 'memory_barrier', 'texture_barrier', 'present')
    # Not for a log: they end the lane, only wait, or mean memory of this process.
    passing = ('lane_wait', 'lane_destroy', 'flush', 'unmap_persistent', 'buffer_subdata_resident', 'resource_flush_range')

    def member(k, path):
        parts = path.split('.')
        f = k.payload.member(parts[0])
        for part in parts[1:]:
            f = f.elem.member(part)
        return f

    def made(k):
        """(member, kind) that the call introduces."""
        return (k.makes, member(k, k.makes).elem) if k.makes else None

    def ended(k):
        """(member, kind) that the call ends."""
        if k.name == 'lane_destroy' or not (k.name.startswith('delete_') or k.name.endswith('_destroy')):
            return None
        f = k.payload.fields[0]
        return (f.name, f.elem)

    lane_calls = [k for k in m.calls if not k.root]
    for k in lane_calls:
        known = (k.name in contents) + (k.name in progress) + (k.name in order) + (k.name in passing)
        known += bool(k.fills or made(k) or ended(k) or k.name == 'destroy_object')
        if k.is_reply:
            known = 1
        if known != 1:
            raise Exception('wrap_journal: what becomes of %s?' % k.name)

    def windowed(k):
        return bool(k.tails) and (k.payload.member('start') is not None or
            (k.tails[0].elem.kind == 'struct' and k.tails[0].elem.elem.member('index') is not None))

    def per_object(k):
        return k.per and member(k, k.per).kind == 'handle'

    plain = [k for k in lane_calls if k.fills and not k.tails and not k.spans and not k.per]
    windows = []
    for k in lane_calls:
        if k.fills and windowed(k):
            per = len(member(k, k.per).elem.items) if k.per else 1
            windows.append((k, sum(w[2] for w in windows), per))

    def up(k):
        return 'PIPE_OP_' + k.name.upper()

    def table(k):
        return 'ctx->screen->' + k.name if k.table == 'screen' else 'ctx->' + k.name
%>\
const CallShape call_shapes[] = {
    {{}},
% for k in m.calls:
    {{${', '.join(str(t.esize) for t in k.tails)}}}, // ${k.name}
% endfor
};

bool is_replayed(uint16_t op) {
    switch (op) {
% for k in lane_calls:
% if not k.is_reply and k.name not in passing:
    case ${up(k)}:
% endif
% endfor
        return true;
    default:
        return false;
    }
}

void carry_out(pipe_context *ctx, const Recalled &r) {
    const CallView &v = r.view;
    switch (v.op) {
% for k in lane_calls:
% if not k.is_reply and k.name not in passing:
    case ${up(k)}: {
<%
    args = ['ctx', 'static_cast<const pipe_%s *>(v.payload)' % k.name]
    args += ['static_cast<const %s *>(v.tails[%d].data)' % (t.ctype, i) for i, t in enumerate(k.tails)]
    args += ['v.spans[%d]' % i for i in range(len(k.spans))]
    if k.archive: args.append('&archive')
%>\
        if (!${table(k)})
            return;
% if k.archive:
        pipe_shader_archive archive;
        if (!pipe_shader_archive_decode(archive, r.archive, r.archive_size))
            return;
% endif
        return ${table(k)}(${', '.join(args)});
    }
% endif
% endfor
    }
}

// --- pushed state --------------------------------------------------------------------------------

const size_t Journal::num_plain = ${len(plain)};
const size_t Journal::num_windows = ${sum(w[2] for w in windows)};

size_t Journal::plain_of(uint16_t op) {
    switch (op) {
% for i, k in enumerate(plain):
    case ${up(k)}:
        return ${i};
% endfor
    }
    return 0;
}

size_t Journal::window_of(uint16_t op, uint32_t per) {
    switch (op) {
% for k, first, n in windows:
    case ${up(k)}:
        return ${first}${' + (per < %d ? per : 0)' % n if n > 1 else ''};
% endfor
    }
    return 0;
}

bool Journal::fold_state(Lane &lane, const Recalled &r, const uint8_t *stored) {
    switch (r.view.op) {
% for k in lane_calls:
% if k.fills:
    case ${up(k)}: {
% if k.spans == ['chunks']:
        const auto &p = *static_cast<const pipe_${k.name} *>(r.view.payload);
        if (pipe_dynamic_state_unpack(&lane.dynamic, p.chunk_mask, r.spans[0].ptr, r.spans[0].size))
            lane.dynamic_mask |= p.chunk_mask;
% elif k.spans:
        keep_constants(*static_cast<const pipe_${k.name} *>(r.view.payload), r);
% elif windowed(k):
        const auto &p = *static_cast<const pipe_${k.name} *>(r.view.payload);
        Window &w = lane.windows[window_of(${up(k)}, ${'p.' + k.per if k.per else '0'})];
% if k.payload.member('start'):
        w.put(p.start, p.${k.tails[0].count}, r.view.tails[0].data, ${k.tails[0].esize});
% else:
        const auto *v = static_cast<const ${k.tails[0].ctype} *>(r.view.tails[0].data);
        for (uint32_t i = 0; i < p.${k.tails[0].count}; i++)
            w.put(v[i].index, 1, &v[i], ${k.tails[0].esize});
% endif
% elif per_object(k) and made(k):
        break; // the object's own call
% elif per_object(k):
        const auto &p = *static_cast<const pipe_${k.name} *>(r.view.payload);
        keep_for(lane, PIPE_HANDLE_${member(k, k.per).elem.upper()}, p.${k.per}, r, stored);
% else:
        lane.plain[plain_of(${up(k)})].keep(r, stored);
% endif
        return true;
    }
% endif
% endfor
    }
    return false;
}

bool Journal::fold_object(Lane &lane, const Recalled &r, const uint8_t *stored) {
    switch (r.view.op) {
% for k in lane_calls:
% if made(k) and not k.is_reply:
    case ${up(k)}:
        made(lane, PIPE_HANDLE_${made(k)[1].upper()}, static_cast<const pipe_${k.name} *>(r.view.payload)->${made(k)[0]}, r, stored);
        return true;
% elif ended(k):
    case ${up(k)}:
        ended(lane, PIPE_HANDLE_${ended(k)[1].upper()}, static_cast<const pipe_${k.name} *>(r.view.payload)->${ended(k)[0]});
        return true;
% elif k.name == 'destroy_object':
    case ${up(k)}: {
        const auto &p = *static_cast<const pipe_${k.name} *>(r.view.payload);
        ended(lane, p.kind, p.object);
        return true;
    }
% endif
% endfor
    }
    return false;
}

void Journal::restore_state(const Lane &lane, pipe_context *ctx) {
% for k, first, n in windows:
    for (uint32_t per = 0; per < ${n} && ctx->${k.name}; per++) {
        const Window &w = lane.windows[${first} + per];
        for (size_t i = 0, end; i < w.set.size(); i = end) {
            for (end = i; end < w.set.size() && w.set[end] == w.set[i];)
                end++;
            if (!w.set[i])
                continue;
            pipe_${k.name} p{};
% if k.payload.member('start'):
            p.start = uint32_t(i);
% endif
            p.${k.tails[0].count} = uint32_t(end - i);
% if k.per:
            p.${k.per} = static_cast<decltype(p.${k.per})>(per);
% endif
            ctx->${k.name}(ctx, &p, reinterpret_cast<const ${k.tails[0].ctype} *>(w.bytes.data() + i * ${k.tails[0].esize}));
        }
    }
% endfor
    uint8_t chunks[sizeof(pipe_dynamic_state)];
    const pipe_host_span span =
        pipe_span(chunks, pipe_dynamic_state_pack(&lane.dynamic, lane.dynamic_mask, chunks));
    pipe_set_dynamic_state dynamic{};
    dynamic.chunk_mask = lane.dynamic_mask;
    if (dynamic.chunk_mask)
        ctx->set_dynamic_state(ctx, &dynamic, &span);
    for (const KeptCall &call : lane.plain) {
        if (call.empty())
            continue;
        Recalled r;
        call.recalled(r);
        // Its query's result died with the server: as if it had passed.
        if (r.view.op == PIPE_OP_SET_RENDER_CONDITION &&
            !pipe_handle_is_null(static_cast<const pipe_set_render_condition *>(r.view.payload)->query))
            continue;
        carry_out(ctx, r);
    }
}

} // namespace wrap
