// SPDX-License-Identifier: MIT
// Life of the tracker: share groups, lanes, make-current, and the counters of this folder.
#include "tracker/tracker_private.h"

#include "util/log.h"

#include <algorithm>
#include <cstring>

namespace st {

util::Counter stat_cso_creates("cso-creates", "state objects made");
util::Counter stat_cso_binds("cso-binds", "state objects bound");
util::Counter stat_cso_over_capacity("cso-over-capacity",
                                     "state objects made beyond the cache's capacity");
util::Counter stat_sets_sent("sets-sent", "state sets sent");
util::Counter stat_sets_suppressed("sets-suppressed",
                                   "state sets not sent because nothing changed");
util::Counter stat_draws("draws", "draws of the program");
util::Counter stat_draw_records("draw-records", "draw records sent");
util::Counter stat_ranges("draw-ranges", "ranges in draw records");
util::Counter stat_uploads("uploads", "upload records");
util::Counter stat_upload_regions("upload-regions", "regions in texture upload records");
util::Counter stat_upload_bytes("upload-bytes", "bytes in upload records");
util::Counter stat_gpu_write_syncs("gpu-write-syncs", "read-backs of buffers that the GPU wrote");
util::Counter stat_round_trips("round-trips", "calls that waited for an answer");
util::Counter stat_composites("composites", "program pipelines composed");

// Lanes are named per process: one server may serve several groups.
static util::SlotAllocator &lane_slots() {
    static auto *slots = new util::SlotAllocator(1u << 16);
    return *slots;
}

bool group_create(gl::ShareGroup &g) {
    if (!g.screen || !g.screen->lane_create || !g.screen->resource_create)
        return false;
    g.tracker = new Group(g);
    return true;
}

void group_destroy(gl::ShareGroup &g) {
    // No lane is left to carry deletes; the screen takes its objects along.
    forget_sharer(*g.tracker);
    delete g.tracker;
    g.tracker = nullptr;
}

const pipe_caps &caps(const gl::ShareGroup &g) {
    return g.screen->caps;
}

// What no frontend can do without. Anything else may be missing.
static const char *missing_entry(const pipe_context &p, const pipe_screen &s) {
#define NEED(table, entry)                                                                         \
    if (!table.entry)                                                                              \
        return #entry;
    NEED(p, lane_current)
    NEED(p, create_render_state)
    NEED(p, bind_render_state)
    NEED(p, set_dynamic_state)
    NEED(p, set_framebuffer_state)
    NEED(p, bind_framebuffers)
    NEED(p, create_vertex_elements)
    NEED(p, bind_vertex_elements)
    NEED(p, set_vertex_buffers)
    NEED(p, set_draw_program)
    NEED(p, resource_subdata)
    NEED(p, clear)
    NEED(p, draw_vbo)
    NEED(s, resource_destroy)
    NEED(s, create_shader_state)
#undef NEED
    return nullptr;
}

static void read_switches(Tracker &t) {
    t.merge_draws = !util::debug(util::Debug::nomerge);
    t.suppress = !util::debug(util::Debug::nosuppress);
    t.find_cso = !util::debug(util::Debug::nocso);
    const pipe_screen &screen = *t.group.screen;
    t.poll_always = screen.ring_size == 0;
    if (!t.poll_always) {
        // A record takes at most a quarter of the ring, with room for its head.
        t.max_ranges = uint32_t(
            std::clamp<int64_t>((int64_t(screen.ring_size) / 4 - 256) / int64_t(sizeof(pipe_draw_range)),
                                64, 1 << 16));
        t.chunk_bytes = std::max<uint64_t>(screen.stage_size / 4, 4096);
    }
}

bool context_create(gl::Context &c) {
    Group &group = *c.group->tracker;
    pipe_lane_create p{};
    p.lane = to_pipe(lane_slots().mint());
    p.robust = c.attribs.robust;
    p.no_error = c.attribs.no_error;
    p.debug = c.attribs.debug;
    pipe_context *pipe = c.screen->lane_create(c.screen, &p);
    if (!pipe) {
        log_error("tracker", "the driver made no lane");
        lane_slots().release(to_slot(p.lane));
        return false;
    }
    if (const char *name = missing_entry(*pipe, *c.screen)) {
        log_error("tracker", "the driver cannot carry a context: it has no %s", name);
        pipe_lane_destroy d{p.lane};
        if (pipe->lane_destroy)
            pipe->lane_destroy(pipe, &d);
        lane_slots().release(to_slot(p.lane));
        return false;
    }
    auto *t = new Tracker(c, group);
    t->lane.ctx = pipe;
    t->lane.tracker = t;
    t->lane_handle = p.lane;
    t->first_ordinal = group.first_ordinal[c.lane_index].load(std::memory_order_relaxed);
    read_switches(*t);
    t->max_units = std::min<unsigned>(unsigned(c.textures->unit.size()), PIPE_MAX_TEXTURE_UNITS);
    {
        std::lock_guard lock(c.group->contexts_mutex); // events of other threads look here
        c.pipe = pipe;
        c.tracker = t;
    }
    {
        std::lock_guard lock(group.mutex);
        set_lane_handle(group, c.lane_index, p.lane);
        group.lanes.fetch_add(1);
    }
    invalidate_all(*t);
    return true;
}

void context_destroy(gl::Context &c) {
    Tracker *t = c.tracker;
    Group &group = t->group;
    close_open(*t);
    group.first_ordinal[c.lane_index].store(last_ordinal(*t), std::memory_order_release);
    {
        std::lock_guard lock(group.mutex);
        for (unsigned i = 0; i < PIPE_MAX_TEXTURE_UNITS; i++) {
            if (t->sent.view[i])
                group.view_cache.unref(t->sent.view[i]);
            if (t->sent.sampler_ref[i])
                group.sampler_cache.unref(t->sent.sampler_ref[i]);
        }
        set_lane_handle(group, c.lane_index, {});
        group.lanes.fetch_sub(1);
    }
    // Objects of lane scope end with their lane; nothing is sent for each.
    pipe_lane_destroy p{t->lane_handle};
    if (c.pipe->lane_destroy)
        c.pipe->lane_destroy(c.pipe, &p);
    lane_slots().release(to_slot(t->lane_handle));
    delete t;
    c.tracker = nullptr;
    c.pipe = nullptr;
}

void make_current(gl::Context &c) {
    Tracker &t = of(c);
    pipe_lane_current p{};
    p.draw = c.draw_surface.handle;
    p.read = c.read_surface.handle;
    t.lane.emit<&pipe_context::lane_current>(&p);
    t.lane_current = true;
    wait_for_flushed(t);
    if (t.group.shares_images.load(std::memory_order_relaxed))
        wait_for_sharers(t);
    bury_dead(t);
}

void release_current(gl::Context &c, bool flush) {
    Tracker &t = of(c);
    if (flush && !c.lost.load(std::memory_order_relaxed)) {
        pipe_flush f{};
        f.flags = PIPE_FLUSH_RELEASE;
        t.lane.emit<&pipe_context::flush>(&f);
        t.group.flushed[c.lane_index].store(t.lane.ctx->ordinal, std::memory_order_release);
    }
    pipe_lane_current p{};
    p.release = 1;
    t.lane.emit<&pipe_context::lane_current>(&p);
    t.lane_current = false;
}

} // namespace st
