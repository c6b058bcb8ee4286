// SPDX-License-Identifier: MIT
// Draws. Consecutive draws that differ in their range only become one record: the open draw, which
// any other record closes.
#include "tracker/atoms.h"

#include <algorithm>

namespace st {

static void send(Tracker &t, pipe_draw_vbo &p, const pipe_draw_range *ranges,
                 const pipe_indirect *indirect, const pipe_host_span *indices) {
    static const pipe_host_span none{};
    t.lane.raw<&pipe_context::draw_vbo>(&p, ranges, indirect, indices ? indices : &none);
    stat_draw_records.add();
    stat_ranges.add(p.num_ranges);
}

static void close_draw(Tracker &t) {
    OpenDraw &o = t.open_draw;
    o.head.num_ranges = o.count;
    o.count = 0;
    t.c.open_draw_key = 0;
    send(t, o.head, o.ranges, nullptr, nullptr);
}

void close_open(Tracker &t) {
    if (!t.lane.open)
        return;
    t.lane.open = false;
    if (t.open_draw.count)
        close_draw(t);
    else
        close_upload(t);
}

// Everything of a record but its ranges.
static pipe_draw_vbo head_of(Tracker &t, const DrawInfo &d) {
    pipe_draw_vbo p{};
    p.mode = uint8_t(d.mode);
    p.index_size = d.index_size;
    p.instance_count = d.instances;
    p.start_instance = d.base_instance;
    p.draw_id = d.draw_id;
    if (d.index_size && t.restart) {
        p.flags |= PIPE_DRAW_RESTART;
        p.restart_index =
            t.restart_fixed ? uint32_t(0xffffffffu >> (32 - 8 * d.index_size)) : t.restart_index;
    }
    if (d.has_range) {
        p.flags |= PIPE_DRAW_INDEX_RANGE;
        p.min_index = d.min_index;
        p.max_index = d.max_index;
    }
    if (t.draw.linked && t.draw.linked->uses_draw_id)
        p.flags |= PIPE_DRAW_DRAW_ID;
    return p;
}

// What a program may do to buffers that the client keeps something of.
static void mark_program_writes(Tracker &t, const UsedSlots &used) {
    gl::Context &c = t.c;
    used.buffers[PIPE_BUFFER_CLASS_STORAGE].for_each(
        [&](unsigned i) { buffer_gpu_written(t, c.ssbo->slot[i]); });
    used.buffers[PIPE_BUFFER_CLASS_ATOMIC].for_each([&](unsigned i) {
        if (i < gl::kMaxAtomicBuffers)
            buffer_gpu_written(t, c.atomic->slot[i]);
    });
    used.images.for_each([&](unsigned i) {
        gl::Texture *tex = c.images->unit[i].texture.get();
        if (tex && tex->buffer)
            buffer_gpu_written(
                t, *tex->buffer, uint64_t(tex->buffer_offset),
                uint64_t(tex->buffer_size < 0 ? tex->buffer->size : tex->buffer_size));
    });
}

static void mark_gpu_writes(Tracker &t) {
    if (t.draw.writes_memory)
        mark_program_writes(t, t.draw.used);
    if (t.so_active)
        for (const gl::BufferRange &r : t.c.xfb->object->slot)
            buffer_gpu_written(t, r);
}

// State, persistent maps and the reasons to draw nothing. False: skip the draw.
static bool ready(gl::Context &c, Tracker &t) {
    validate(c);
    if (t.skip_draws || t.condition_skips || c.lost.load(std::memory_order_relaxed))
        return false;
    verify_state(t, Verb::draw);
    push_persistent(t);
    if (t.draw.writes_memory || t.so_active)
        mark_gpu_writes(t);
    if (t.draws_front)
        c.default_draw_fb->front_drawn = true;
    stat_draws.add();
    return true;
}

// Draws with the same key go into one record.
static uint64_t key_of(const DrawInfo &d) {
    return uint64_t(d.instances) << 32 | uint64_t(d.index_size) << 8 | uint64_t(d.mode) | 0x10000u;
}

static bool may_merge(const Tracker &t, const DrawInfo &d) {
    return t.merge_draws && !d.user_indices && d.base_instance == 0 &&
           !(t.draw.linked && t.draw.linked->uses_draw_id);
}

static pipe_draw_range range_of(const DrawInfo &d) {
    return pipe_draw_range{d.first, d.count, d.index_size ? d.base_vertex : 0};
}

void draw(gl::Context &c, const DrawInfo &d) {
    Tracker &t = of(c);
    if (!ready(c, t))
        return;
    OpenDraw &o = t.open_draw;
    if (may_merge(t, d)) {
        const uint64_t key = key_of(d);
        if (c.open_draw_key == key && o.count < kMaxOpenRanges) {
            o.ranges[o.count++] = range_of(d);
            return;
        }
        t.out();
        o.head = head_of(t, d);
        // The range of indices belongs to one draw, not to those that may follow.
        o.head.flags &= uint8_t(~PIPE_DRAW_INDEX_RANGE);
        o.head.min_index = o.head.max_index = 0;
        o.ranges[0] = range_of(d);
        o.count = 1;
        t.lane.open = true;
        c.open_draw_key = key;
        return;
    }
    t.out();
    pipe_draw_vbo p = head_of(t, d);
    p.num_ranges = 1;
    pipe_draw_range r = range_of(d);
    if (d.user_indices) {
        p.flags |= PIPE_DRAW_USER_INDICES;
        r.start = 0;
        const pipe_host_span span = pipe_span(d.user_indices, uint64_t(d.count) * d.index_size);
        send(t, p, &r, nullptr, &span);
        return;
    }
    send(t, p, &r, nullptr, nullptr);
}

void multi_draw(gl::Context &c, const DrawInfo &common, const DrawRange *ranges, uint32_t n) {
    Tracker &t = of(c);
    if (n == 0 || !ready(c, t))
        return;
    t.out();
    pipe_draw_vbo p = head_of(t, common);
    p.flags &= uint8_t(~PIPE_DRAW_INDEX_RANGE);
    // A record holds what fits into a quarter of a ring; gl_DrawID goes on over several of them.
    const uint32_t most = t.max_ranges;
    static_assert(sizeof(DrawRange) == sizeof(pipe_draw_range));
    for (uint32_t at = 0; at < n; at += most) {
        p.draw_id = at;
        p.num_ranges = std::min(most, n - at);
        t.ranges.resize(p.num_ranges);
        for (uint32_t i = 0; i < p.num_ranges; i++)
            t.ranges[i] = pipe_draw_range{ranges[at + i].first, ranges[at + i].count,
                                          common.index_size ? ranges[at + i].base_vertex : 0};
        send(t, p, t.ranges.data(), nullptr, nullptr);
    }
}

static pipe_indirect indirect_of(Tracker &t, const IndirectDraw &d) {
    pipe_indirect i{};
    i.buffer = buffer_handle(t, d.buffer);
    i.parameter_buffer = buffer_handle(t, d.count_buffer);
    i.offset = d.offset;
    i.parameter_offset = d.count_offset;
    i.stride = d.stride;
    i.max_draws = d.draw_count;
    return i;
}

static void send_indirect_buffers(Tracker &t, pipe_handle draw, pipe_handle dispatch,
                                  pipe_handle parameter) {
    pipe_set_indirect_buffers p{draw, dispatch, parameter};
    if (changed(t, t.sent.indirect, p))
        t.lane.emit<&pipe_context::set_indirect_buffers>(&p);
}

bool draw_indirect(gl::Context &c, const IndirectDraw &d) {
    Tracker &t = of(c);
    if (!ready(c, t))
        return true;
    const pipe_indirect indirect = indirect_of(t, d);
    if (pipe_handle_is_null(indirect.buffer))
        return true;
    send_indirect_buffers(t, indirect.buffer, t.sent.indirect.dispatch_indirect,
                          indirect.parameter_buffer);
    DrawInfo info{};
    info.mode = d.mode;
    info.index_size = d.index_size;
    t.out();
    pipe_draw_vbo p = head_of(t, info);
    p.flags |= PIPE_DRAW_INDIRECT | (d.count_buffer ? PIPE_DRAW_INDIRECT_COUNT : 0);
    p.num_indirect = 1;
    send(t, p, nullptr, &indirect, nullptr);
    return true;
}

bool draw_transform_feedback(gl::Context &c, GLenum mode, gl::TransformFeedback &x, unsigned stream,
                             uint32_t instances) {
    Tracker &t = of(c);
    if (!pipe_caps_has(&t.group.screen->caps, PIPE_CAP_STREAM_OUTPUT_PAUSE))
        return false;
    if (!ready(c, t))
        return true;
    DrawInfo info{};
    info.mode = mode;
    info.instances = instances;
    t.out();
    pipe_draw_vbo p = head_of(t, info);
    p.flags |= PIPE_DRAW_SO_COUNT;
    p.stream = uint8_t(stream);
    p.so = xfb_data(t, x).handle;
    send(t, p, nullptr, nullptr, nullptr);
    return true;
}

// --- dispatches and barriers ---------------------------------------------------------------------

static bool dispatch_ready(Tracker &t) {
    validate_verb(t, Verb::dispatch);
    if (pipe_handle_is_null(t.dispatch.handle) || t.c.condition->skip ||
        t.c.lost.load(std::memory_order_relaxed))
        return false;
    verify_state(t, Verb::dispatch);
    push_persistent(t);
    mark_program_writes(t, t.dispatch.used);
    return true;
}

bool dispatch(gl::Context &c, uint32_t x, uint32_t y, uint32_t z) {
    Tracker &t = of(c);
    if (!t.lane.has<&pipe_context::launch_grid>())
        return false;
    if (!dispatch_ready(t))
        return true;
    pipe_launch_grid p{};
    p.grid[0] = x;
    p.grid[1] = y;
    p.grid[2] = z;
    t.lane.emit<&pipe_context::launch_grid>(&p);
    return true;
}

bool dispatch_indirect(gl::Context &c, gl::Buffer &b, uint64_t offset) {
    Tracker &t = of(c);
    if (!t.lane.has<&pipe_context::launch_grid>())
        return false;
    if (!dispatch_ready(t))
        return true;
    pipe_launch_grid p{};
    p.indirect = buffer_handle(t, &b);
    p.indirect_offset = offset;
    if (pipe_handle_is_null(p.indirect))
        return true;
    send_indirect_buffers(t, t.sent.indirect.draw_indirect, p.indirect, t.sent.indirect.parameter);
    t.lane.emit<&pipe_context::launch_grid>(&p);
    return true;
}

void memory_barrier(gl::Context &c, GLbitfield barriers, bool by_region) {
    static constexpr struct {
        GLbitfield gl;
        uint32_t pipe;
    } table[] = {
        {GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT, PIPE_BARRIER_VERTEX_ATTRIB_ARRAY},
        {GL_ELEMENT_ARRAY_BARRIER_BIT, PIPE_BARRIER_ELEMENT_ARRAY},
        {GL_UNIFORM_BARRIER_BIT, PIPE_BARRIER_UNIFORM},
        {GL_TEXTURE_FETCH_BARRIER_BIT, PIPE_BARRIER_TEXTURE_FETCH},
        {GL_SHADER_IMAGE_ACCESS_BARRIER_BIT, PIPE_BARRIER_SHADER_IMAGE_ACCESS},
        {GL_COMMAND_BARRIER_BIT, PIPE_BARRIER_COMMAND},
        {GL_PIXEL_BUFFER_BARRIER_BIT, PIPE_BARRIER_PIXEL_BUFFER},
        {GL_TEXTURE_UPDATE_BARRIER_BIT, PIPE_BARRIER_TEXTURE_UPDATE},
        {GL_BUFFER_UPDATE_BARRIER_BIT, PIPE_BARRIER_BUFFER_UPDATE},
        {GL_FRAMEBUFFER_BARRIER_BIT, PIPE_BARRIER_FRAMEBUFFER},
        {GL_TRANSFORM_FEEDBACK_BARRIER_BIT, PIPE_BARRIER_TRANSFORM_FEEDBACK},
        {GL_ATOMIC_COUNTER_BARRIER_BIT, PIPE_BARRIER_ATOMIC_COUNTER},
        {GL_SHADER_STORAGE_BARRIER_BIT, PIPE_BARRIER_SHADER_STORAGE},
        {GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT, PIPE_BARRIER_CLIENT_MAPPED_BUFFER},
        {GL_QUERY_BUFFER_BARRIER_BIT, PIPE_BARRIER_QUERY_BUFFER},
    };
    Tracker &t = of(c);
    pipe_memory_barrier p{};
    for (const auto &row : table)
        if (barriers & row.gl)
            p.barriers |= row.pipe;
    p.by_region = by_region;
    t.lane.emit<&pipe_context::memory_barrier>(&p);
}

void texture_barrier(gl::Context &c) {
    pipe_texture_barrier p{};
    of(c).lane.emit<&pipe_context::texture_barrier>(&p);
}

} // namespace st
