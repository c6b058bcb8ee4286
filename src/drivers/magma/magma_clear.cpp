// SPDX-License-Identifier: MIT
// Clears: a full clear at the start of a pass becomes its load operation, others are
// vkCmdClearAttachments inside it, and what a mask restricts to some components or stencil bits is
// drawn.
#include "magma_clear.h"

#include "magma_context.h"
#include "magma_meta.h"
#include "magma_query.h"
#include "magma_transfer.h"

#include <algorithm>
#include <cstring>

namespace magma {

namespace {

struct clear_plan {
    uint32_t whole = 0;  // buffers that a plain clear can do
    uint32_t masked = 0; // buffers that have to be drawn
    VkRect2D rect = {};
    bool full = false; // rect is the whole framebuffer
};

uint8_t color_mask(const context &c, uint32_t i) {
    if (!c.st.render)
        return 15;
    const pipe_blend_state &b = c.st.render->s.blend;
    return b.rt[b.independent ? i : 0].colormask & 15;
}

// The components that the format has; a mask that covers these is no restriction.
uint8_t present(const framebuffer &fb, uint32_t i) {
    int n = fb.desc->draw_buffer[i];
    const pipe_format_desc &d = *pipe_format_describe(
        fb.color[n].desc.format ? fb.color[n].desc.format : fb.color[n].texture->desc.format);
    uint8_t mask = 0;
    for (int k = 0; k < 4; ++k)
        if (d.channel_of[k] >= 0)
            mask |= uint8_t(1u << k);
    return mask;
}

clear_plan plan(context &c, const framebuffer &fb, uint32_t mask) {
    clear_plan out;
    pass_formats f = formats_of(fb, true);
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i) {
        uint32_t bit = PIPE_BUFFER_COLOR0 << i;
        if (!(mask & bit) || !f.color[i])
            continue;
        uint8_t have = present(fb, i), on = color_mask(c, i);
        if ((on & have) == have)
            out.whole |= bit;
        else if (on & have)
            out.masked |= bit;
    }
    const pipe_depth_stencil_state none = {};
    const pipe_depth_stencil_state &d = c.st.render ? c.st.render->s.depth_stencil : none;
    if (mask & PIPE_BUFFER_DEPTH && f.depth && (!c.st.render || d.depth_write))
        out.whole |= PIPE_BUFFER_DEPTH;
    if (mask & PIPE_BUFFER_STENCIL && f.stencil) {
        uint8_t write = c.st.render ? d.front.writemask : 0xff;
        if (write == 0xff)
            out.whole |= PIPE_BUFFER_STENCIL;
        else if (write)
            out.masked |= PIPE_BUFFER_STENCIL;
    }
    int64_t x0 = 0, y0 = 0, x1 = fb.width, y1 = fb.height;
    const pipe_scissor_state &s = c.st.dynamic->scissor;
    if (s.enable_mask & 1) {
        x0 = std::clamp<int64_t>(s.scissor.x, 0, x1);
        y0 = std::clamp<int64_t>(s.scissor.y, 0, y1);
        x1 = std::clamp<int64_t>(int64_t(s.scissor.x) + s.scissor.width, x0, x1);
        y1 = std::clamp<int64_t>(int64_t(s.scissor.y) + s.scissor.height, y0, y1);
    }
    out.rect = {{int32_t(x0), int32_t(y0)}, {uint32_t(x1 - x0), uint32_t(y1 - y0)}};
    out.full = !x0 && !y0 && x1 == fb.width && y1 == fb.height;
    return out;
}

void fill_values(const framebuffer &fb, const pipe_clear &p, pass_clears &out) {
    pass_formats f = formats_of(fb, true);
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i) {
        memcpy(&out.color[i], p.color.word, 16);
        if (f.no_alpha & 1u << i)
            out.color[i].color.uint32[3] = p.cls == PIPE_VALUE_FLOAT ? 0x3f800000u : 1u;
    }
    out.depth_stencil.depthStencil = {std::clamp(p.depth, 0.0f, 1.0f), p.stencil};
}

void clear_inside(context &c, const framebuffer &fb, const pass_clears &values, uint32_t mask,
                  const VkRect2D &rect) {
    VkClearAttachment list[PIPE_MAX_COLOR_BUFS + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
        if (mask & PIPE_BUFFER_COLOR0 << i)
            list[count++] = {VK_IMAGE_ASPECT_COLOR_BIT, i, values.color[i]};
    VkImageAspectFlags ds = 0;
    if (mask & PIPE_BUFFER_DEPTH)
        ds |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if (mask & PIPE_BUFFER_STENCIL)
        ds |= VK_IMAGE_ASPECT_STENCIL_BIT;
    if (ds)
        list[count++] = {ds, 0, values.depth_stencil};
    VkClearRect area = {rect, 0, fb.layers};
    if (count)
        c.dev.vk.CmdClearAttachments(c.rec.main_raw(), count, list, 1, &area);
}

// A pass has as many layers as its shallowest attachment; the deeper ones are cleared whole. Only
// for clears of the whole framebuffer: others cannot reach these layers.
void clear_deeper_layers(context &c, const framebuffer &fb, const pass_clears &values,
                         uint32_t mask) {
    auto clear_one = [&](const attachment &a, const VkClearValue &value) {
        if (!a || a.layers <= fb.layers || !condition_allows_now(c))
            return;
        const VkExtent3D e = a.texture->level_extent(a.desc.level);
        if (e.width != fb.width || e.height != fb.height)
            return;
        storage &s = *a.texture->st();
        VkCommandBuffer cmd = begin_transfer(c, {{&s, access_transfer_write()}});
        if (!cmd)
            return;
        VkImageSubresourceRange range = {s.aspects, a.level, 1, 0, 1};
        if (!a.texture->is_3d())
            range.baseArrayLayer = a.layer, range.layerCount = a.layers;
        const VkImageLayout layout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
        if (s.aspects & VK_IMAGE_ASPECT_COLOR_BIT)
            c.dev.vk.CmdClearColorImage(cmd, s.image, layout, &value.color, 1, &range);
        else
            c.dev.vk.CmdClearDepthStencilImage(cmd, s.image, layout, &value.depthStencil, 1,
                                               &range);
    };
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
        if (mask & PIPE_BUFFER_COLOR0 << i)
            clear_one(fb.color[fb.desc->draw_buffer[i]], values.color[i]);
    const uint32_t both = PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL;
    if ((mask & both) == both || (mask & PIPE_BUFFER_DEPTH && !fb.stencil))
        clear_one(fb.depth, values.depth_stencil);
}

} // namespace

void clear(pipe_context *ctx, const pipe_clear *p) {
    context &c = ctx_of(ctx);
    c.relieve();
    auto fb = c.find_framebuffer(p->framebuffer, false);
    if (!fb || !condition_allows(c) || !c.begin() || !ready_framebuffer(*fb))
        return;
    if (c.st.render && c.st.render->s.raster.discard)
        return;
    clear_plan todo = plan(c, *fb, p->mask);
    if (!(todo.whole | todo.masked) || !todo.rect.extent.width || !todo.rect.extent.height)
        return;
    const bool srgb = !c.st.render || c.st.render->s.raster.framebuffer_srgb;
    pass_clears values = {};
    fill_values(*fb, *p, values);
    if (todo.full)
        clear_deeper_layers(c, *fb, values, todo.whole);
    const bool open =
        c.pass.open && c.pass.fb == fb && c.pass.fb_serial == fb->serial && c.pass.srgb == srgb;
    // A load operation knows no condition.
    const bool conditional = c.condition.state == render_condition::on_gpu;
    c.rec.count(1);
    if (!open && todo.full && todo.whole && !conditional) {
        values.mask = todo.whole;
        if (!open_pass(c, fb, srgb, &values))
            return;
        todo.whole = 0;
    }
    if (!open_pass(c, fb, srgb, nullptr))
        return;
    if (todo.whole)
        clear_inside(c, *fb, values, todo.whole, todo.rect);
    if (!todo.masked)
        return;
    const uncounted own(c);
    if (open_pass(c, fb, srgb, nullptr))
        draw_masked_clear(c, values, *p, todo.masked, todo.rect);
}

} // namespace magma
