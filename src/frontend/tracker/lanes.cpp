// SPDX-License-Identifier: MIT
// Order between the lanes of a share group, and objects that die while no context can tell the
// driver.
#include "tracker/tracker_private.h"

#include <algorithm>

namespace st {

// Emitted when a lane meets an object that another lane wrote later than this one has waited for. A
// group of several lanes publishes object and data records at once, so the wait names a published
// record.
void wait_for(Tracker &t, const LastWrite &w) {
    if (w.shared) [[unlikely]]
        wait_for_sharers(t);
    if (w.ordinal == 0 || w.lane == t.c.lane_index || t.waited[w.lane] >= w.ordinal)
        return;
    const pipe_handle lane = t.group.lane_handle[w.lane].load();
    const uint64_t first = t.group.first_ordinal[w.lane].load(std::memory_order_acquire);
    if (pipe_handle_is_null(lane) || w.ordinal <= first) // of a context that is gone
        return;
    pipe_lane_wait p{};
    p.lane = lane;
    // What was flushed is with the host before what comes now.
    p.ordinal =
        std::max(w.ordinal - first, t.group.flushed[w.lane].load(std::memory_order_acquire));
    t.waited[w.lane] = first + p.ordinal;
    t.lane.emit<&pipe_context::lane_wait>(&p);
}

// A host has one queue: what a thread flushed by one context it finds done, read and written,
// before what it does by the next. Nothing tells which objects that concerns.
void wait_for_flushed(Tracker &t) {
    if (t.group.lanes.load(std::memory_order_relaxed) < 2)
        return;
    for (uint32_t lane = 0; lane < t.group.lane_handle.size(); lane++)
        if (const uint64_t flushed = t.group.flushed[lane].load(std::memory_order_acquire))
            wait_for(t, {lane, flushed + t.group.first_ordinal[lane]});
}

void note_write(Tracker &t, LastWrite &w) {
    w.lane = t.c.lane_index;
    w.ordinal = last_ordinal(t);
}

uint64_t last_ordinal(const Tracker &t) {
    return t.first_ordinal + t.lane.ctx->ordinal;
}

static void emit_kill(Tracker &t, const DeadHandle &d) {
    Group &g = t.group;
    switch (d.kind) {
    case PIPE_HANDLE_RESOURCE: {
        pipe_resource_destroy p{d.handle};
        t.lane.emit<&pipe_screen::resource_destroy>(&p);
        g.resources.release(to_slot(d.handle));
        break;
    }
    case PIPE_HANDLE_SHADER: {
        pipe_delete_shader_state p{d.handle};
        t.lane.emit<&pipe_screen::delete_shader_state>(&p);
        (d.handle.slot >= PIPE_COMPOSITE_SLOT_BASE ? g.composites : g.shaders)
            .release(to_slot(d.handle));
        break;
    }
    case PIPE_HANDLE_SAMPLER: {
        pipe_delete_sampler_state p{d.handle};
        t.lane.emit<&pipe_screen::delete_sampler_state>(&p);
        g.samplers.release(to_slot(d.handle));
        break;
    }
    case PIPE_HANDLE_SAMPLER_VIEW: {
        pipe_delete_sampler_view p{d.handle};
        t.lane.emit<&pipe_screen::delete_sampler_view>(&p);
        g.views.release(to_slot(d.handle));
        break;
    }
    case PIPE_HANDLE_IMAGE: {
        pipe_image_destroy p{d.handle};
        t.lane.emit<&pipe_screen::image_destroy>(&p);
        image_slots().release(to_slot(d.handle));
        break;
    }
    case PIPE_HANDLE_FENCE: {
        pipe_fence_destroy p{d.handle};
        t.lane.emit<&pipe_screen::fence_destroy>(&p);
        g.fences.release(to_slot(d.handle));
        break;
    }
    }
}

void kill_handle(Group &group, uint32_t kind, pipe_handle handle) {
    if (pipe_handle_is_null(handle))
        return;
    gl::Context *c = gl::current();
    if (c && c->tracker && &c->tracker->group == &group && c->tracker->lane_current) {
        emit_kill(*c->tracker, DeadHandle{kind, handle});
        return;
    }
    std::lock_guard lock(group.dead_mutex);
    group.dead.push_back(DeadHandle{kind, handle});
    group.has_dead.store(true, std::memory_order_release);
}

void bury_dead(Tracker &t) {
    if (!t.group.has_dead.load(std::memory_order_acquire))
        return;
    std::vector<DeadHandle> dead;
    {
        std::lock_guard lock(t.group.dead_mutex);
        dead.swap(t.group.dead);
        t.group.has_dead.store(false);
    }
    for (const DeadHandle &d : dead)
        emit_kill(t, d);
}

} // namespace st
