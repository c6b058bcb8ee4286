// SPDX-License-Identifier: MIT
// Fences: created without an answer; a poll is local, flushes what it waits for, and crosses once
// in a while.
#include "tracker/tracker_private.h"

#include <algorithm>

namespace st {

static SyncData &data_of(gl::Sync &s) {
    if (!s.tracker)
        s.tracker = new SyncData;
    return *static_cast<SyncData *>(s.tracker);
}

bool fence_create(gl::Context &c, gl::Sync &s) {
    Tracker &t = of(c);
    SyncData &d = data_of(s);
    d.group = &t.group;
    d.finishes = t.group.finishes.load(std::memory_order_acquire);
    if (!t.lane.has<&pipe_screen::fence_create>()) {
        finish(c);
        s.signaled.store(true);
        return true;
    }
    const pipe_handle h = to_pipe(t.group.fences.mint());
    s.handle = h;
    {
        std::lock_guard lock(t.group.event_mutex);
        if (t.group.sync_of.size() <= h.slot)
            t.group.sync_of.resize(h.slot + 1);
        t.group.sync_of[h.slot] = &s;
    }
    pipe_fence_create p{h};
    t.lane.emit<&pipe_screen::fence_create>(&p);
    d.write.lane = c.lane_index;
    d.write.ordinal = last_ordinal(t);
    return true;
}

static bool known(Tracker &t, gl::Sync &s) {
    drain_events(t.c);
    if (s.signaled.load(std::memory_order_acquire) || pipe_handle_is_null(s.handle) ||
        t.c.lost.load(std::memory_order_relaxed)) {
        s.signaled.store(true);
        return true;
    }
    return false;
}

// Persistent maps show what the GPU wrote before a fence that the program saw signaled.
static bool answer(Tracker &t, const gl::Sync &s) {
    const bool signaled = s.signaled.load(std::memory_order_acquire);
    if (signaled)
        pull_persistent(t);
    return signaled;
}

bool fence_signaled(gl::Context &c, gl::Sync &s) {
    Tracker &t = of(c);
    if (known(t, s))
        return answer(t, s);
    static const uint32_t escalate = uint32_t(util::env_int(util::Env::POLL_ESCALATE));
    SyncData &d = data_of(s);
    // What a finish waited for is signaled, whether or not the event of it is here yet.
    const uint32_t finishes = t.group.finishes.load(std::memory_order_acquire);
    const bool finished = d.finishes != finishes;
    d.finishes = finishes;
    if (!t.poll_always && !finished && ++d.polls % escalate != 0) {
        flush_for_poll(t);
        return answer(t, s);
    }
    wait_for(t, d.write);
    pipe_fence_status p{s.handle};
    pipe_fence_status_reply r{};
    stat_round_trips.add();
    if (t.lane.emit<&pipe_screen::fence_status>(&p, &r) != PIPE_OK || r.signaled)
        s.signaled.store(true);
    return answer(t, s);
}

bool fence_wait(gl::Context &c, gl::Sync &s, uint64_t timeout_ns, bool flush_first) {
    Tracker &t = of(c);
    if (known(t, s))
        return answer(t, s);
    if (timeout_ns == 0) {
        if (flush_first)
            t.poll_always ? flush(c) : flush_for_poll(t);
        return fence_signaled(c, s);
    }
    wait_for(t, data_of(s).write);
    pipe_fence_wait p{s.handle, timeout_ns};
    pipe_fence_wait_reply r{};
    stat_round_trips.add();
    if (t.lane.emit<&pipe_screen::fence_wait>(&p, &r) != PIPE_OK || r.signaled)
        s.signaled.store(true);
    return answer(t, s);
}

void fence_wait_server(gl::Context &c, gl::Sync &s) {
    Tracker &t = of(c);
    if (known(t, s))
        return;
    wait_for(t, data_of(s).write);
    pipe_fence_wait_server p{s.handle};
    t.lane.emit<&pipe_screen::fence_wait_server>(&p);
}

void fence_destroy(gl::Sync &s) {
    auto *d = static_cast<SyncData *>(s.tracker);
    if (d && d->group) {
        {
            std::lock_guard lock(d->group->event_mutex);
            if (s.handle.slot < d->group->sync_of.size())
                d->group->sync_of[s.handle.slot] = nullptr;
        }
        kill_handle(*d->group, PIPE_HANDLE_FENCE, s.handle);
    }
    delete d;
    s.tracker = nullptr;
}

void on_fence_signaled(gl::ShareGroup &g, const pipe_on_fence_signaled &e) {
    Group *group = g.tracker;
    if (!group)
        return;
    std::lock_guard lock(group->event_mutex);
    gl::Sync *s = e.fence.slot < group->sync_of.size() ? group->sync_of[e.fence.slot] : nullptr;
    if (s && s->handle == e.fence)
        s->signaled.store(true, std::memory_order_release);
}

// A safe point: no lock of ours is held.
void drain_events(gl::Context &c) {
    if (!c.screen->drain_events)
        return;
    c.screen->drain_events(c.screen);
    gl::notice_loss(c); // also what another thread was told
}

void flush(gl::Context &c, uint32_t flags) {
    Tracker &t = of(c);
    push_persistent(t);
    pipe_flush p{};
    p.flags = flags;
    t.lane.emit<&pipe_context::flush>(&p);
    t.group.flushed[c.lane_index].store(t.lane.ctx->ordinal, std::memory_order_release);
    drain_events(c);
}

void flush_for_poll(Tracker &t) {
    // What a poll waits for is on its way since the last flush, unless more was emitted.
    t.lane.out();
    if (t.lane.ctx->ordinal != t.flushed_ordinal) {
        flush(t.c);
        t.flushed_ordinal = t.lane.ctx->ordinal;
    } else {
        drain_events(t.c);
    }
}

void finish(gl::Context &c) {
    Tracker &t = of(c);
    push_persistent(t);
    pipe_finish p{};
    stat_round_trips.add();
    t.lane.emit<&pipe_context::finish>(&p);
    t.group.finishes.fetch_add(1, std::memory_order_release);
    drain_events(c);
    pull_persistent(t);
}

GLenum reset_status(gl::Context &c) {
    Tracker &t = of(c);
    pipe_get_reset_status p{};
    pipe_get_reset_status_reply r{};
    if (!pipe_caps_has(&t.group.screen->caps, PIPE_CAP_RESET_STATUS) ||
        t.lane.emit<&pipe_context::get_reset_status>(&p, &r) != PIPE_OK)
        return GL_NO_ERROR;
    switch (r.status) {
    case PIPE_RESET_GUILTY: return GL_GUILTY_CONTEXT_RESET;
    case PIPE_RESET_INNOCENT: return GL_INNOCENT_CONTEXT_RESET;
    case PIPE_RESET_UNKNOWN: return GL_UNKNOWN_CONTEXT_RESET;
    }
    return GL_NO_ERROR;
}

void debug_marker(gl::Context &c, GLenum kind, const char *text, size_t length) {
    Tracker &t = of(c);
    if (!t.lane.has<&pipe_context::debug_marker>())
        return;
    pipe_debug_marker p{};
    p.kind = kind == GL_DEBUG_TYPE_PUSH_GROUP ? 1 : kind == GL_DEBUG_TYPE_POP_GROUP ? 2 : 0;
    const pipe_host_span span =
        pipe_span(text, text ? std::min<size_t>(length, PIPE_MAX_LABEL - 1) : 0);
    t.lane.emit<&pipe_context::debug_marker>(&p, &span);
}

} // namespace st
