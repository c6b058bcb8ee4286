// SPDX-License-Identifier: MIT
// Indexed buffer bindings (uniform, storage, atomic) and capture targets. A whole-buffer binding
// takes the buffer's size when it is used.
#include "tracker/atoms.h"

#include <algorithm>

namespace st {

static pipe_buffer_range describe(Tracker &t, const gl::BufferRange &r) {
    pipe_buffer_range o{};
    o.buffer = buffer_handle(t, r.buffer.get());
    if (pipe_handle_is_null(o.buffer))
        return o;
    o.offset = r.whole ? 0 : uint64_t(r.offset);
    o.size = r.whole ? PIPE_WHOLE_SIZE : uint64_t(r.size);
    return o;
}

// Dirty and used binding points of one class; the changed span is sent.
template <class Slots, unsigned N>
static void update_class(Tracker &t, unsigned cls, const Slots &slots, gl::SlotMask<N> &dirty) {
    const BoundProgram &b = t.verb == Verb::dispatch ? t.dispatch : t.draw;
    if (!b.linked || !b.used.buffers[cls].any())
        return;
    unsigned first = ~0u, last = 0;
    b.used.buffers[cls].for_each([&](unsigned i) {
        if (i >= N || !dirty.test(i))
            return;
        dirty.clear(i);
        const pipe_buffer_range r = describe(t, slots[i]);
        if (t.suppress && std::memcmp(&r, &t.sent.buffer[cls][i], sizeof(r)) == 0)
            return;
        t.sent.buffer[cls][i] = r;
        first = std::min(first, i);
        last = std::max(last, i);
    });
    if (first == ~0u) {
        stat_sets_suppressed.add();
        return;
    }
    pipe_set_shader_buffers p{};
    p.cls = uint8_t(cls);
    p.start = first;
    p.count = last - first + 1;
    t.lane.emit<&pipe_context::set_shader_buffers>(&p, t.sent.buffer[cls] + first);
    stat_sets_sent.add();
}

void uniform_buffers_atom::update(in view, Tracker &t) {
    update_class(t, PIPE_BUFFER_CLASS_UNIFORM, view.get<&gl::Context::ubo>().slot,
                 t.c.slots.uniform_buffers);
}

void storage_buffers_atom::update(in view, Tracker &t) {
    update_class(t, PIPE_BUFFER_CLASS_STORAGE, view.get<&gl::Context::ssbo>().slot,
                 t.c.slots.storage_buffers);
}

void atomic_buffers_atom::update(in view, Tracker &t) {
    update_class(t, PIPE_BUFFER_CLASS_ATOMIC, view.get<&gl::Context::atomic>().slot,
                 t.c.slots.atomic_buffers);
}

XfbData &xfb_data(Tracker &t, gl::TransformFeedback &x) {
    if (!x.tracker) {
        auto *d = new XfbData;
        d->handle = to_pipe(t.stream_outputs.mint());
        x.tracker = d;
    }
    return *static_cast<XfbData *>(x.tracker);
}

void stream_output_atom::update(in view, Tracker &t) {
    gl::TransformFeedback &x = *view.get<&gl::Context::xfb>().object;
    t.so_active = x.active && !x.paused;
    if (x.active)
        send_so_targets(t, x);
}

void send_so_targets(Tracker &t, gl::TransformFeedback &x) {
    XfbData &d = xfb_data(t, x);
    pipe_so_target now[PIPE_MAX_SO_BUFFERS]{};
    pipe_set_stream_output_targets p{};
    p.so = d.handle;
    for (unsigned i = 0; i < PIPE_MAX_SO_BUFFERS; i++) {
        const gl::BufferRange &r = x.slot[i];
        now[i].buffer = buffer_handle(t, r.buffer.get());
        if (pipe_handle_is_null(now[i].buffer))
            continue;
        now[i].offset = r.whole ? 0 : uint64_t(r.offset);
        now[i].size = r.whole ? uint64_t(r.buffer->size) : uint64_t(r.size);
        p.count = i + 1;
    }
    if (t.suppress && d.sent_once && std::memcmp(now, d.sent, sizeof(now)) == 0) {
        stat_sets_suppressed.add();
        return;
    }
    std::memcpy(d.sent, now, sizeof(now));
    d.sent_once = true;
    t.lane.emit<&pipe_context::set_stream_output_targets>(&p, now);
    stat_sets_sent.add();
}

} // namespace st
