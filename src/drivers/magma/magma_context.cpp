// SPDX-License-Identifier: MIT
// Lanes: creation, make-current, flush and finish.
#include "magma_context.h"

#include "magma_blit.h"
#include "magma_clear.h"
#include "magma_draw.h"
#include "magma_fence.h"
#include "magma_query.h"
#include "magma_surface.h"
#include "magma_transfer.h"
#include "magma_trash.h"
#include "util/log.h"

#include <cstring>

namespace magma {

namespace {

// Memory of destroyed objects that batches may still use.
constexpr uint64_t max_waiting_bytes = 256ull << 20;

void lane_current(pipe_context *ctx, const pipe_lane_current *p) {
    context &c = ctx_of(ctx);
    if (p->release) {
        c.flush();
        return;
    }
    auto draw = find_surface(p->draw), read = find_surface(p->read);
    if (!c.default_draw || c.draw_surface != draw) {
        c.draw_surface = draw;
        c.seen_draw_surface = draw ? draw->serial.load() : 0;
        c.default_draw = surface_framebuffer(c, draw);
        if (c.st.draw_is_default || !c.st.draw_fb) {
            c.st.draw_fb = c.default_draw;
            c.st.draw_is_default = true;
        }
    }
    if (!c.default_read || c.read_surface != read) {
        c.read_surface = read;
        c.seen_read_surface = read ? read->serial.load() : 0;
        c.default_read = read == draw ? c.default_draw : surface_framebuffer(c, read);
        if (c.st.read_is_default || !c.st.read_fb) {
            c.st.read_fb = c.default_read;
            c.st.read_is_default = true;
        }
    }
    follow_surfaces(c);
    c.dirty = dirty_all;
}

void lane_wait(pipe_context *, const pipe_lane_wait *) {
    // In one process records of other lanes were applied when their calls returned.
}

void lane_destroy(pipe_context *ctx, const pipe_lane_destroy *) {
    context *c = &ctx_of(ctx);
    c->end_pass();
    delete c;
}

pipe_status get_reset_status(pipe_context *ctx, const pipe_get_reset_status *,
                             pipe_get_reset_status_reply *out) {
    // At exit the other threads of the program have no reason to clean up in a hurry.
    const host_device &dev = ctx_of(ctx).dev;
    out->status = dev.lost && !dev.left ? PIPE_RESET_UNKNOWN : PIPE_RESET_NO_RESET;
    return PIPE_OK;
}

void flush_call(pipe_context *ctx, const pipe_flush *) {
    ctx_of(ctx).flush();
}

pipe_status finish_call(pipe_context *ctx, const pipe_finish *) {
    return ctx_of(ctx).finish_all() ? PIPE_OK : PIPE_ERROR;
}

void flush_resource(pipe_context *ctx, const pipe_flush_resource *) {
    ctx_of(ctx).flush();
}

void debug_marker(pipe_context *ctx, const pipe_debug_marker *p, const pipe_host_span *text) {
    context &c = ctx_of(ctx);
    if (!c.dev.has.debug_utils || !c.begin())
        return;
    VkDebugUtilsLabelEXT label = {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    std::string name(text && text->ptr ? static_cast<const char *>(text->ptr) : "",
                     text && text->ptr ? size_t(text->size) : 0);
    label.pLabelName = name.c_str();
    // Groups may span batches, which Vulkan does not allow: only single marks are passed on.
    if (p->kind == 0)
        c.dev.vk.CmdInsertDebugUtilsLabel(c.rec.main_raw(), &label);
}

} // namespace

context::context(share_group &s) : scr(s), dev(*s.dev), rec(*s.dev) {
    static_cast<pipe_context &>(*this) = {};
    fill_context_table(*this);
    this->screen = &s;
    for (uint32_t i = 0; i < PIPE_MAX_ATTRIBS; ++i) {
        st.attribs.fill()[i] = {};
        st.attribs.fill()[i].index = i;
        st.attribs.fill()[i].value[3] = 0x3f800000u;
    }
    st.sample.fill().mask[0] = st.sample.fill().mask[1] = 0xffffffffu;
    st.sample.fill().coverage_value = 1.0f;
    st.dynamic.fill().line_point.line_width = 1.0f;
    st.dynamic.fill().line_point.point_size = 1.0f;
    st.patch.fill().vertices = 3;
}

context::~context() {
    end_pass();
    capture.reset();
}

bool context::begin() {
    if (rec.recording() && seen_batch == rec.serial()) [[likely]]
        return true;
    if (!rec.begin())
        return false;
    if (seen_batch != rec.serial()) {
        seen_batch = rec.serial();
        dirty = dirty_all;
        dirty_compute = dirty_all;
        bound_pipeline = VK_NULL_HANDLE;
        last_topology = last_restart = -1;
        recorded.forget();
        push_recorded = input_recorded = false;
        resume_queries(*this);
    }
    return true;
}

VkCommandBuffer context::outside() {
    end_pass();
    return rec.main();
}

bool context::flush(const submit_semaphores &semaphores) {
    if (!rec.recording())
        return !dev.lost;
    end_pass();
    suspend_queries(*this);
    const bool ok = rec.submit(semaphores);
    report();
    return ok;
}

void context::relieve() {
    report();
    if (!rec.recording())
        return;
    const bool littered = dev.trash->waiting_bytes() > max_waiting_bytes;
    if (!littered && !rec.full()) [[likely]]
        return;
    flush();
    if (littered && dev.trash->waiting_bytes() > max_waiting_bytes)
        rec.retire(true);
}

bool context::finish_all() {
    bool ok = flush();
    rec.retire(true);
    return ok;
}

void context::error(uint32_t gl, const char *what) {
    ++errors;
    scr.gl_error(lane, gl, "%s", what);
}

pipe_context *lane_create(pipe_screen *ps, const pipe_lane_create *p) {
    struct share_group &s = screen_of(ps);
    context *c = new context(s);
    c->lane = p->lane;
    c->default_draw = c->default_read = surface_framebuffer(*c, nullptr);
    c->st.draw_fb = c->st.read_fb = c->default_draw;
    c->st.draw_is_default = c->st.read_is_default = true;
    return c;
}

void fill_context_table(pipe_context &t) {
    t.lane_current = lane_current;
    t.lane_wait = lane_wait;
    t.lane_destroy = lane_destroy;
    t.get_reset_status = get_reset_status;
    t.flush = flush_call;
    t.finish = finish_call;
    t.flush_resource = flush_resource;
    t.debug_marker = debug_marker;

    t.query_create = query_create;
    t.query_begin = query_begin;
    t.query_end = query_end;
    t.query_available = query_available;
    t.query_result = query_result;
    t.query_destroy = query_destroy;
    t.query_counter = query_counter;
    t.query_timestamp = query_timestamp;
    t.query_result_to_buffer = query_result_to_buffer;
    t.set_render_condition = set_render_condition;

    fill_state_entries(t);
    t.bind_shader_state = bind_shader_state;
    t.set_framebuffer_state = set_framebuffer_state;
    t.bind_framebuffers = bind_framebuffers;
    t.invalidate_framebuffer = invalidate_framebuffer;
    t.set_global_constants = set_global_constants;
    t.set_program_bindings = set_program_bindings;
    t.set_draw_program = set_draw_program;
    t.set_dispatch_program = set_dispatch_program;
    t.set_stream_output_targets = set_stream_output_targets;

    t.resource_subdata = resource_subdata;
    t.resource_readback = resource_readback;
    t.resource_copy_region = resource_copy_region;
    t.copy_buffer_to_texture = copy_buffer_to_texture;
    t.clear_buffer = clear_buffer;
    t.clear_texture = clear_texture;
    t.blit = blit;
    t.clear = clear;
    t.generate_mipmap = generate_mipmap;
    t.read_pixels = read_pixels;
    t.read_pixels_to_buffer = read_pixels_to_buffer;
    t.get_texture_image = get_texture_image;
    t.get_texture_image_to_buffer = get_texture_image_to_buffer;
    t.copy_framebuffer_to_texture = copy_framebuffer_to_texture;

    t.draw_vbo = draw_vbo;
    t.launch_grid = launch_grid;
    t.memory_barrier = memory_barrier;
    t.texture_barrier = texture_barrier;
    t.begin_stream_output = begin_stream_output;
    t.end_stream_output = end_stream_output;
    t.pause_stream_output = pause_stream_output;
    t.resume_stream_output = resume_stream_output;
    t.present = present;
    t.set_swap_interval = set_swap_interval;
}

} // namespace magma
