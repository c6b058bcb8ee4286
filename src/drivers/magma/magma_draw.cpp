// SPDX-License-Identifier: MIT
// draw_vbo: what has to be right before a draw, then the draw commands. Indices that the host
// cannot take as they are go through magma_draw_indices.cpp.
#include "magma_draw.h"

#include "drivers_common/viewports.h"
#include "magma_context.h"
#include "magma_draw_indices.h"
#include "magma_query.h"
#include "magma_surface.h"
#include "util/log.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace magma {

namespace {

void emit_push(context &c, const push_block &block) {
    if (c.push_recorded && !memcmp(&block, &c.last_push, sizeof block))
        return;
    c.dev.vk.CmdPushConstants(c.rec.main_raw(), c.st.draw_program->layout->pipeline,
                              VK_SHADER_STAGE_ALL_GRAPHICS, 0, sizeof block, &block);
    c.last_push = block;
    c.push_recorded = true;
}

push_block make_push(context &c) {
    push_block b = {};
    static const pipe_raster_state none = {};
    const pipe_raster_state &r = c.st.render ? c.st.render->s.raster : none;
    b.z_scale = r.clip_halfz ? 1.0f : 0.5f;
    b.w_scale = r.clip_halfz ? 0.0f : 0.5f;
    const pipe_line_point &lp = c.st.dynamic->line_point;
    const pipe_caps &caps = c.scr.caps;
    b.point_size = std::clamp(lp.point_size > 0 ? lp.point_size : 1.0f, caps.point_size_range[0],
                              caps.point_size_range[1]);
    if (c.last_key.expanded) {
        b.line_width = std::clamp(std::round(lp.line_width), 1.0f, caps.line_width_range[1]);
        const pipe_viewport &v = drivers_common::viewport_at(c.st.dynamic, 0);
        b.viewport_width = std::max(v.width, 1.0f / 16);
        b.viewport_height = std::max(v.height, 1.0f / 16);
    }
    if (r.program_point_size)
        b.flags |= push_program_point_size;
    if (bool(r.point_sprite_upper_left) != bool(r.clip_upper_left))
        b.flags |= push_point_coord_flip;
    if (r.clip_upper_left)
        b.flags |= push_rows_down;
    b.clip_mask = r.clip_enable;
    b.fb_height = float(c.pass.fb->height);
    std::copy_n(c.st.patch->outer, 4, b.outer);
    std::copy_n(c.st.patch->inner, 2, b.inner);
    return b;
}

// Storage of something bound was replaced: look at everything again.
void watch_epoch(context &c) {
    uint64_t epoch = c.scr.store_epoch.load(std::memory_order_acquire);
    if (epoch == c.seen_store_epoch)
        return;
    c.seen_store_epoch = epoch;
    const uint32_t again = dirty_uses | dirty_descriptors | dirty_vertex_buffers;
    c.dirty |= again | dirty_pipeline;
    c.dirty_compute |= again;
    if (c.pass.open && !ready_framebuffer(*c.pass.fb))
        c.end_pass();
}

bool feature_ok(context &c, const program &p) {
    if (p.has_stage(PIPE_SHADER_GEOMETRY) && !c.dev.has.core.geometryShader)
        return false;
    const bool eval = p.has_stage(PIPE_SHADER_TESS_EVAL);
    if (eval ? !c.dev.has.core.tessellationShader : p.has_stage(PIPE_SHADER_TESS_CTRL))
        return false;
    return p.has_stage(PIPE_SHADER_VERTEX);
}

// Vulkan must not be asked for indices beyond the buffer; what stands there is nothing that GL
// defines. `out` is filled only when a range leaves it.
const pipe_draw_range *within_indices(const pipe_draw_range *ranges, uint32_t count, uint64_t have,
                                      std::vector<pipe_draw_range> &out) {
    const auto fits = [have](const pipe_draw_range &r) {
        return uint64_t(r.start) + r.count <= have;
    };
    if (std::all_of(ranges, ranges + count, fits)) [[likely]]
        return ranges;
    out.assign(ranges, ranges + count);
    for (pipe_draw_range &r : out) {
        if (r.start >= have)
            r.start = r.count = 0;
        else
            r.count = uint32_t(std::min<uint64_t>(r.count, have - r.start));
    }
    return out.data();
}

struct draw_call {
    const pipe_draw_vbo &p;
    push_block push;
    bool uses_draw_id;
};

// One record's ranges as draw commands.
void emit_ranges(context &c, draw_call &d, const pipe_draw_range *ranges, uint32_t count,
                 bool indexed, uint32_t first_index) {
    VkCommandBuffer cmd = c.rec.main_raw();
    const vk_table &vk = c.dev.vk;
    const uint32_t instances = d.p.instance_count, base = d.p.start_instance;
    static_assert(sizeof(VkMultiDrawIndexedInfoEXT) == sizeof(pipe_draw_range));
    static_assert(sizeof(VkMultiDrawInfoEXT) <= sizeof(pipe_draw_range));
    if (count > 1 && c.dev.has.multi_draw && !first_index) {
        constexpr uint32_t chunk = 1024; // the least that maxMultiDrawCount may be
        for (uint32_t at = 0; at < count; at += chunk) {
            uint32_t n = std::min(chunk, count - at);
            if (d.uses_draw_id) {
                d.push.draw_id = int32_t(d.p.draw_id + at);
                emit_push(c, d.push);
            }
            if (indexed)
                vk.CmdDrawMultiIndexed(
                    cmd, n, reinterpret_cast<const VkMultiDrawIndexedInfoEXT *>(ranges + at),
                    instances, base, sizeof(pipe_draw_range), nullptr);
            else
                vk.CmdDrawMulti(cmd, n, reinterpret_cast<const VkMultiDrawInfoEXT *>(ranges + at),
                                instances, base, sizeof(pipe_draw_range));
        }
        return;
    }
    if (count > 1)
        emulated(emulation::multi_draw_loop);
    for (uint32_t i = 0; i < count; ++i) {
        if (!ranges[i].count)
            continue;
        if (d.uses_draw_id) {
            d.push.draw_id = int32_t(d.p.draw_id + i);
            emit_push(c, d.push);
        }
        if (indexed)
            vk.CmdDrawIndexed(cmd, ranges[i].count, instances, ranges[i].start + first_index,
                              ranges[i].bias, base);
        else
            vk.CmdDraw(cmd, ranges[i].count, instances, ranges[i].start, base);
    }
}

// The number of indices that are there; 0: the draw is skipped.
uint64_t bind_index_buffer(context &c, const pipe_draw_vbo &p, const pipe_host_span *indices) {
    VkBuffer buffer;
    VkDeviceSize offset = 0;
    uint64_t bytes;
    VkIndexType type = p.index_size == 4   ? VK_INDEX_TYPE_UINT32
                       : p.index_size == 2 ? VK_INDEX_TYPE_UINT16
                                           : VK_INDEX_TYPE_UINT8_EXT;
    if (p.flags & PIPE_DRAW_USER_INDICES) {
        if (!indices || !indices->ptr || !indices->size)
            return 0;
        upload_slice s = c.rec.upload(indices->size, 16);
        if (!s.map)
            return 0;
        memcpy(s.map, indices->ptr, indices->size);
        buffer = s.buffer;
        offset = s.offset;
        bytes = indices->size;
    } else {
        if (!c.st.index_buffer || !c.st.index_buffer->store)
            return 0;
        buffer = c.st.index_buffer->st()->buffer;
        bytes = c.st.index_buffer->st()->size;
    }
    record_index_buffer(c, buffer, offset, type);
    return bytes / p.index_size;
}

bool draw_indirect(context &c, const pipe_draw_vbo &p, const pipe_indirect &in) {
    resource_ref buffer = c.find(in.buffer), counts = c.find(in.parameter_buffer);
    if (!buffer || !buffer->store)
        return false;
    const bool counted = p.flags & PIPE_DRAW_INDIRECT_COUNT;
    if (counted && (!counts || !counts->store || !c.dev.has.draw_indirect_count))
        return false;
    // The pass has to be opened behind these barriers; prepare_draw ran before, so ask again.
    if (c.rec.uses.breaks_pass(*buffer->st(), access_indirect()) ||
        (counted && c.rec.uses.breaks_pass(*counts->st(), access_indirect())))
        c.end_pass();
    c.rec.use(*buffer->st(), access_indirect());
    if (counted)
        c.rec.use(*counts->st(), access_indirect());
    VkPrimitiveTopology topology = vk_topology(p.mode);
    if (!c.pass.open && !prepare_draw(c, topology, p.flags & PIPE_DRAW_RESTART))
        return false;
    const bool indexed = p.index_size != 0;
    const uint32_t packed =
        indexed ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
    const uint32_t stride = in.stride ? in.stride : packed;
    VkCommandBuffer cmd = c.rec.main_raw();
    const vk_table &vk = c.dev.vk;
    VkBuffer b = buffer->st()->buffer;
    if (in.offset >= buffer->st()->size)
        return false;
    if (counted) {
        VkBuffer n = counts->st()->buffer;
        if (indexed)
            vk.CmdDrawIndexedIndirectCount(cmd, b, in.offset, n, in.parameter_offset, in.max_draws,
                                           stride);
        else
            vk.CmdDrawIndirectCount(cmd, b, in.offset, n, in.parameter_offset, in.max_draws,
                                    stride);
        return true;
    }
    uint32_t fit = uint32_t(std::min<uint64_t>(
        in.max_draws, (buffer->st()->size - in.offset + stride - packed) / stride));
    const uint32_t step =
        c.dev.has.core.multiDrawIndirect ? c.dev.props.limits.maxDrawIndirectCount : 1;
    for (uint32_t i = 0; i < fit;) {
        const uint32_t n = std::min(step, fit - i);
        if (indexed)
            vk.CmdDrawIndexedIndirect(cmd, b, in.offset + uint64_t(i) * stride, n, stride);
        else
            vk.CmdDrawIndirect(cmd, b, in.offset + uint64_t(i) * stride, n, stride);
        i += n;
    }
    return true;
}

bool draw_captured(context &c, const pipe_draw_vbo &p) {
    std::shared_ptr<stream_output> so = c.stream_outputs.get(p.so);
    if (!so || !so->ended || p.stream >= so->ended_counts.size() ||
        !c.dev.vk.CmdDrawIndirectByteCount)
        return false;
    const stream_output::stream_count count = so->ended_counts[p.stream];
    if (!count.stride)
        return true; // no vertices
    access a = access_indirect();
    a.flags |= VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT;
    if (c.rec.uses.breaks_pass(*so->ended.get(), a))
        c.end_pass();
    c.rec.use(*so->ended.get(), a);
    if (!c.pass.open && !prepare_draw(c, vk_topology(p.mode), false))
        return false;
    c.dev.vk.CmdDrawIndirectByteCount(c.rec.main_raw(), p.instance_count, p.start_instance,
                                      so->ended->buffer, 4 * count.buffer, 0, count.stride);
    return true;
}

bool reads_draw_id(const program &p) {
    for (const pipe_archive_stage &s : p.archive.stages)
        if (s.uses_draw_id)
            return true;
    return false;
}

} // namespace

bool prepare_draw(context &c, VkPrimitiveTopology topology, bool restart) {
    if (c.st.draw_is_default)
        follow_surfaces(c);
    if (!c.st.draw_program || !c.st.draw_fb || !c.begin())
        return false;
    program &p = *c.st.draw_program.get();
    if (!ready_program(c, p) || !feature_ok(c, p))
        return false;
    watch_epoch(c);
    if (!c.dev.has.core.logicOp && !c.targets.begin(c))
        return false;
    if (!c.input.converted.empty()) // their buffers may have been written since
        c.dirty |= dirty_vertex_buffers;
    if (c.dirty & (dirty_vertex_buffers | dirty_program)) {
        build_vertex_input(c, c.input);
        if (!c.begin())
            return false;
    }
    if (c.dirty & dirty_uses) {
        if (!use_bound(c, p, false, !c.pass.open)) {
            c.end_pass();
            use_bound(c, p, false, true);
        }
        c.dirty &= ~dirty_uses;
    }
    c.targets.note_use(c);
    follow_program(c);
    const bool srgb = !c.st.render || c.st.render->s.raster.framebuffer_srgb;
    const bool was_open = c.pass.open;
    if (!open_pass(c, c.st.draw_fb, srgb, nullptr))
        return false;
    if (!was_open || c.dirty & dirty_uses) {
        // Another framebuffer: its pass ended the old one, whose attachments may be bound as
        // textures.
        c.dirty &= ~dirty_uses;
    }
    const bool borders_by_host = c.dev.has.custom_border_color && c.dev.has.border_swizzle;
    if (!borders_by_host && c.dirty & (dirty_descriptors | dirty_program))
        follow_borders(c, p);
    if (c.dirty & dirty_line && !(c.dev.has.core.wideLines && c.dev.has.core.largePoints))
        c.dirty |= dirty_pipeline; // sizes decide whether a geometry stage stands in
    if (c.dirty & dirty_pipeline || c.last_topology != int(topology) ||
        c.last_restart != int(restart) || !c.bound_pipeline) {
        if (!bind_pipeline(c, topology, restart))
            return false;
    }
    emit_dynamic_state(c, topology, restart);
    c.last_topology = int(topology);
    c.last_restart = int(restart);
    if (c.dirty & dirty_vertex_buffers && !emit_vertex_input(c))
        return false;
    if (c.dirty & dirty_descriptors && !emit_descriptors(c, p, VK_PIPELINE_BIND_POINT_GRAPHICS))
        return false;
    if (!c.targets.bind(c))
        return false;
    c.dirty &= dirty_push;
    return start_capture(c);
}

void draw_vbo(pipe_context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
              const pipe_indirect *indirect, const pipe_host_span *indices) {
    context &c = ctx_of(ctx);
    if (!p->instance_count && !(p->flags & PIPE_DRAW_INDIRECT))
        return;
    c.relieve();
    if (!condition_allows(c))
        return;
    const bool restart = p->index_size && (p->flags & PIPE_DRAW_RESTART);
    if (const uint32_t why = needs_rewriting(c, *p)) {
        emulated_all(why);
        draw_rewritten(c, *p, ranges, indirect, indices);
        return;
    }
    if (!prepare_draw(c, vk_topology(p->mode), restart))
        return;
    draw_call d = {*p, make_push(c), reads_draw_id(*c.st.draw_program)};
    d.push.base_instance = int32_t(p->start_instance);
    d.push.draw_id = int32_t(p->draw_id);
    if (p->index_size)
        d.push.flags |= push_indexed;
    emit_push(c, d.push);
    c.rec.count(p->num_ranges ? p->num_ranges : 1);
    c.dirty &= ~uint32_t(dirty_push);
    const uint64_t num_indices = p->index_size ? bind_index_buffer(c, *p, indices) : 0;
    if (p->index_size && !num_indices)
        return;
    if (p->flags & PIPE_DRAW_INDIRECT) {
        if (indirect && draw_indirect(c, *p, *indirect))
            return;
    } else if (p->flags & PIPE_DRAW_SO_COUNT) {
        draw_captured(c, *p);
    } else {
        std::vector<pipe_draw_range> cut;
        if (p->index_size)
            ranges = within_indices(ranges, p->num_ranges, num_indices, cut);
        emit_ranges(c, d, ranges, p->num_ranges, p->index_size != 0, 0);
    }
}

void draw_index_list(context &c, const pipe_draw_vbo &p, uint8_t mode,
                     std::span<const uint32_t> list, int32_t bias, bool restarts) {
    if (const uint32_t step = restarts ? 0 : logic_cut(c, p, mode); step && list.size() > step) {
        for (; list.size() >= step; list = list.subspan(step))
            draw_index_list(c, p, mode, list.first(step), bias, false);
        return;
    }
    if (list.empty() || !prepare_draw(c, vk_topology(mode), restarts))
        return;
    draw_call d = {p, make_push(c), false};
    d.push.base_instance = int32_t(p.start_instance);
    d.push.draw_id = int32_t(p.draw_id);
    if (p.index_size)
        d.push.flags |= push_indexed;
    emit_push(c, d.push);
    c.rec.count(1);
    upload_slice s = c.rec.upload(list.size() * 4, 16);
    if (!s.map)
        return;
    memcpy(s.map, list.data(), list.size() * 4);
    record_index_buffer(c, s.buffer, s.offset, VK_INDEX_TYPE_UINT32);
    c.dev.vk.CmdDrawIndexed(c.rec.main_raw(), uint32_t(list.size()), p.instance_count, 0, bias,
                            p.start_instance);
}

void launch_grid(pipe_context *ctx, const pipe_launch_grid *p) {
    context &c = ctx_of(ctx);
    c.relieve();
    if (!c.st.dispatch_program || !condition_allows(c) || !c.begin())
        return;
    program &prog = *c.st.dispatch_program.get();
    if (!prog.has_stage(PIPE_SHADER_COMPUTE) || !ready_program(c, prog))
        return;
    watch_epoch(c);
    c.end_pass();
    resource_ref indirect = c.find(p->indirect);
    use_bound(c, prog, true, true);
    if (indirect && indirect->store)
        c.rec.use(*indirect->st(), access_indirect());
    use_condition(c);
    c.rec.main(); // barriers
    c.rec.count(1);
    if (!bind_compute_pipeline(c) || !emit_descriptors(c, prog, VK_PIPELINE_BIND_POINT_COMPUTE))
        return;
    VkCommandBuffer cmd = c.rec.main_raw();
    begin_condition(c);
    if (indirect && indirect->store) {
        if (p->indirect_offset + 12 <= indirect->st()->size)
            c.dev.vk.CmdDispatchIndirect(cmd, indirect->st()->buffer, p->indirect_offset);
    } else {
        c.dev.vk.CmdDispatch(cmd, p->grid[0], p->grid[1], p->grid[2]);
    }
    end_condition(c);
    c.dirty |= dirty_uses;
}

void memory_barrier(pipe_context *ctx, const pipe_memory_barrier *) {
    context &c = ctx_of(ctx);
    if (!c.rec.recording())
        return;
    c.end_pass();
    c.rec.uses.full_barrier(c.rec.main_barriers);
}

void texture_barrier(pipe_context *ctx, const pipe_texture_barrier *) {
    memory_barrier(ctx, nullptr);
}

} // namespace magma
