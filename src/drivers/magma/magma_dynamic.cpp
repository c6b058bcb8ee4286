// SPDX-License-Identifier: MIT
// From bound state to dynamic state commands.
#include "magma_dynamic.h"

#include "magma_context.h"

#include "drivers_common/viewports.h"

#include <algorithm>

namespace magma {

namespace {

using rs = recorded_state;

uint32_t used_viewports(const context &c) {
    return c.last_key.viewports ? c.last_key.viewports : 1;
}

void emit_viewports(context &c) {
    const bool upper = c.st.render && c.st.render->s.raster.clip_upper_left;
    const VkPhysicalDeviceLimits &limits = c.dev.props.limits;
    const uint32_t count = used_viewports(c);
    VkViewport out[PIPE_MAX_VIEWPORTS];
    for (uint32_t i = 0; i < count; ++i) {
        const pipe_viewport &in = drivers_common::viewport_at(c.st.dynamic, i);
        VkViewport &o = out[i];
        o.x = in.x;
        o.y = upper ? in.y + in.height : in.y;
        o.width = std::clamp(in.width, 1.0f / 16, float(limits.maxViewportDimensions[0]));
        o.height = std::clamp(in.height, 1.0f / 16, float(limits.maxViewportDimensions[1]));
        if (upper)
            o.height = -o.height;
        o.minDepth = std::clamp(in.near_depth, 0.0f, 1.0f);
        o.maxDepth = std::clamp(in.far_depth, 0.0f, 1.0f);
    }
    static_assert(sizeof out <= rs::max_bytes);
    if (c.recorded.differs(rs::viewports, out, uint32_t(sizeof out[0]) * count))
        c.dev.vk.CmdSetViewport(c.rec.main_raw(), 0, count, out);
}

void emit_scissors(context &c) {
    const pipe_scissor_state &s = c.st.dynamic->scissor;
    const uint32_t count = used_viewports(c);
    const int32_t w = int32_t(c.pass.fb->width), h = int32_t(c.pass.fb->height);
    VkRect2D out[PIPE_MAX_VIEWPORTS];
    for (uint32_t i = 0; i < count; ++i) {
        int64_t x0 = 0, y0 = 0, x1 = w, y1 = h;
        if (s.enable_mask & 1u << i) {
            const pipe_scissor &b = drivers_common::scissor_at(c.st.dynamic, i);
            x0 = std::clamp<int64_t>(b.x, 0, w);
            y0 = std::clamp<int64_t>(b.y, 0, h);
            x1 = std::clamp<int64_t>(int64_t(b.x) + b.width, x0, w);
            y1 = std::clamp<int64_t>(int64_t(b.y) + b.height, y0, h);
        }
        // A viewport of no size draws nothing.
        const pipe_viewport &v = drivers_common::viewport_at(c.st.dynamic, i);
        if (v.width <= 0 || v.height <= 0)
            x1 = x0, y1 = y0;
        out[i] = {{int32_t(x0), int32_t(y0)}, {uint32_t(x1 - x0), uint32_t(y1 - y0)}};
    }
    if (c.recorded.differs(rs::scissors, out, uint32_t(sizeof out[0]) * count))
        c.dev.vk.CmdSetScissor(c.rec.main_raw(), 0, count, out);
}

void emit_depth_stencil(context &c, const pipe_depth_stencil_state &d) {
    VkCommandBuffer cmd = c.rec.main_raw();
    const vk_table &vk = c.dev.vk;
    const VkBool32 depth = d.depth_enable && c.pass.formats.depth, write = depth && d.depth_write;
    if (c.recorded.differs(rs::depth_test, depth))
        vk.CmdSetDepthTestEnable(cmd, depth);
    if (c.recorded.differs(rs::depth_write, write))
        vk.CmdSetDepthWriteEnable(cmd, write);
    const VkCompareOp compare = vk_compare(d.depth_func);
    if (c.recorded.differs(rs::depth_compare, compare))
        vk.CmdSetDepthCompareOp(cmd, compare);
    const VkBool32 stencil = d.stencil_enable && c.pass.formats.stencil;
    if (c.recorded.differs(rs::stencil_test, stencil))
        vk.CmdSetStencilTestEnable(cmd, stencil);
    const VkStencilOpState f = vk_stencil(d.front), b = vk_stencil(d.back);
    if (c.recorded.differs(rs::stencil_front, f))
        vk.CmdSetStencilOp(cmd, VK_STENCIL_FACE_FRONT_BIT, f.failOp, f.passOp, f.depthFailOp,
                           f.compareOp);
    if (c.recorded.differs(rs::stencil_back, b))
        vk.CmdSetStencilOp(cmd, VK_STENCIL_FACE_BACK_BIT, b.failOp, b.passOp, b.depthFailOp,
                           b.compareOp);
}

void emit_blend(context &c, const pipe_render_state &s) {
    // One at least: the pipeline of a pass without colors names these states as dynamic too.
    const uint32_t n = std::max<uint32_t>(c.pass.formats.color_count, 1);
    VkBool32 enable[PIPE_MAX_COLOR_BUFS];
    VkColorBlendEquationEXT equation[PIPE_MAX_COLOR_BUFS];
    VkColorComponentFlags mask[PIPE_MAX_COLOR_BUFS];
    for (uint32_t i = 0; i < n; ++i) {
        const VkPipelineColorBlendAttachmentState a =
            blend_of(s.blend, s.blend.rt[s.blend.independent ? i : 0], c.pass.formats, i);
        enable[i] = a.blendEnable;
        equation[i] = {a.srcColorBlendFactor, a.dstColorBlendFactor, a.colorBlendOp,
                       a.srcAlphaBlendFactor, a.dstAlphaBlendFactor, a.alphaBlendOp};
        mask[i] = a.colorWriteMask;
    }
    VkCommandBuffer cmd = c.rec.main_raw();
    const vk_table &vk = c.dev.vk;
    if (c.recorded.differs(rs::blend_enable, enable, uint32_t(sizeof enable[0]) * n))
        vk.CmdSetColorBlendEnable(cmd, 0, n, enable);
    if (c.recorded.differs(rs::blend_equation, equation, uint32_t(sizeof equation[0]) * n))
        vk.CmdSetColorBlendEquation(cmd, 0, n, equation);
    if (c.recorded.differs(rs::color_mask, mask, uint32_t(sizeof mask[0]) * n))
        vk.CmdSetColorWriteMask(cmd, 0, n, mask);
}

// What only some devices set dynamically.
void emit_render_state(context &c, const pipe_render_state &s) {
    VkCommandBuffer cmd = c.rec.main_raw();
    const vk_table &vk = c.dev.vk;
    const host_features &has = c.dev.has;
    const pipe_raster_state raster = expanded_raster(s.raster, c.last_key.expanded);
    if (has.eds1) {
        const VkCullModeFlags cull = cull_mode(raster);
        if (c.recorded.differs(rs::cull_mode, cull))
            vk.CmdSetCullMode(cmd, cull);
        const VkFrontFace front = front_face(raster);
        if (c.recorded.differs(rs::front_face, front))
            vk.CmdSetFrontFace(cmd, front);
        emit_depth_stencil(c, s.depth_stencil);
    }
    if (has.eds2) {
        const VkBool32 discard = raster.discard, bias = bias_enabled(raster);
        if (c.recorded.differs(rs::discard, discard))
            vk.CmdSetRasterizerDiscardEnable(cmd, discard);
        if (c.recorded.differs(rs::depth_bias_enable, bias))
            vk.CmdSetDepthBiasEnable(cmd, bias);
    }
    if (has.eds3_blend)
        emit_blend(c, s);
}

struct both_faces {
    uint32_t front, back;
};

void emit_stencil_values(context &c, const pipe_depth_stencil_state &d) {
    VkCommandBuffer cmd = c.rec.main_raw();
    const vk_table &vk = c.dev.vk;
    auto set = [&](rs::kind kind, auto command, const both_faces &v) {
        if (!c.recorded.differs(kind, v))
            return;
        if (v.front == v.back) {
            command(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, v.front);
            return;
        }
        command(cmd, VK_STENCIL_FACE_FRONT_BIT, v.front);
        command(cmd, VK_STENCIL_FACE_BACK_BIT, v.back);
    };
    const pipe_stencil_ref &ref = c.st.dynamic->stencil_ref;
    set(rs::stencil_compare, vk.CmdSetStencilCompareMask, {d.front.valuemask, d.back.valuemask});
    set(rs::stencil_write, vk.CmdSetStencilWriteMask, {d.front.writemask, d.back.writemask});
    set(rs::stencil_reference, vk.CmdSetStencilReference, {ref.front, ref.back});
}

void emit_line_width(context &c) {
    float width = 1.0f;
    if (c.dev.has.core.wideLines) {
        const float *range = c.dev.props.limits.lineWidthRange;
        width = std::clamp(std::max(c.st.dynamic->line_point.line_width, 1.0f / 16), range[0],
                           range[1]);
    }
    if (c.recorded.differs(rs::line_width, width))
        c.dev.vk.CmdSetLineWidth(c.rec.main_raw(), width);
}

void emit_depth_bias(context &c) {
    const pipe_polygon_offset &o = c.st.dynamic->polygon_offset;
    const float clamp = c.dev.has.core.depthBiasClamp ? o.clamp : 0.0f;
    const float values[3] = {o.units, clamp, o.scale};
    if (c.recorded.differs(rs::depth_bias, values))
        c.dev.vk.CmdSetDepthBias(c.rec.main_raw(), o.units, clamp, o.scale);
}

} // namespace

void emit_dynamic_state(context &c, VkPrimitiveTopology topology, bool restart) {
    VkCommandBuffer cmd = c.rec.main_raw();
    const vk_table &vk = c.dev.vk;
    const host_features &has = c.dev.has;
    static const pipe_render_state no_state = {};
    const pipe_render_state &s = c.st.render ? c.st.render->s : no_state;
    if (has.eds1 && c.recorded.differs(rs::topology, topology))
        vk.CmdSetPrimitiveTopology(cmd, topology);
    const VkBool32 restarts = restart;
    if (has.eds2 && c.recorded.differs(rs::restart, restarts))
        vk.CmdSetPrimitiveRestartEnable(cmd, restarts);
    if (c.dirty & (dirty_raster | dirty_pipeline))
        emit_render_state(c, s);
    if (c.dirty & dirty_stencil)
        emit_stencil_values(c, s.depth_stencil);
    if (c.dirty & dirty_blend_color &&
        c.recorded.differs(rs::blend_color, c.st.dynamic->blend_color.color))
        vk.CmdSetBlendConstants(cmd, c.st.dynamic->blend_color.color);
    if (c.dirty & dirty_line)
        emit_line_width(c);
    if (c.dirty & dirty_depth_bias)
        emit_depth_bias(c);
    if (c.dirty & (dirty_viewport | dirty_pipeline))
        emit_viewports(c);
    if (c.dirty & (dirty_scissor | dirty_viewport | dirty_pipeline))
        emit_scissors(c);
}

void record_index_buffer(context &c, VkBuffer buffer, VkDeviceSize offset, VkIndexType type) {
    struct {
        VkBuffer buffer;
        VkDeviceSize offset;
        uint64_t type;
    } bound = {buffer, offset, uint64_t(type)};
    if (c.recorded.differs(rs::index_buffer, bound))
        c.dev.vk.CmdBindIndexBuffer(c.rec.main_raw(), buffer, offset, type);
}

} // namespace magma
