// SPDX-License-Identifier: MIT
// Framebuffer twins: attachments and their image views.
#include "magma_framebuffer.h"

#include "magma_context.h"
#include "magma_surface.h"
#include "magma_trash.h"

#include <algorithm>
#include <cstring>

namespace magma {

namespace {

void drop(host_device &dev, attachment &a) {
    dev.trash->throw_away(VK_OBJECT_TYPE_IMAGE_VIEW, a.view);
    dev.trash->throw_away(VK_OBJECT_TYPE_IMAGE_VIEW, a.view_linear);
    a.view = a.view_linear = VK_NULL_HANDLE;
    a.store = {};
}

bool same_desc(const attachment &a, const pipe_surface_view &d) {
    return !memcmp(&a.desc, &d, sizeof d);
}

void resolve(context &c, attachment &a, const pipe_surface_view &d) {
    resource_ref texture;
    if (d.kind == PIPE_ATTACHMENT_TEXTURE || d.kind == PIPE_ATTACHMENT_RENDERBUFFER)
        texture = c.find(d.resource);
    if (same_desc(a, d) && a.texture == texture)
        return;
    drop(c.dev, a);
    a = {};
    a.desc = d;
    if (!texture || texture->bad)
        return;
    a.texture = std::move(texture);
    const format_info &f = format_of(c.dev, d.format ? d.format : a.texture->desc.format);
    a.format = f.vk;
    a.format_linear = f.vk_linear;
    a.no_alpha = f.no_alpha;
    a.no_blend = !(f.features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT);
    a.level = a.texture->min_level + d.level;
    a.layer = a.texture->min_layer + d.layer;
    a.layers = std::max(d.num_layers, 1u);
}

bool ready_attachment(host_device &dev, attachment &a, bool color) {
    if (!a)
        return true;
    storage *s = a.texture->st();
    if (!s || a.texture->bad)
        return false;
    if (a.store.get() != s)
        drop(dev, a);
    if (a.view)
        return true;
    // Slices of a 3D texture are layers of a 2D array view.
    uint32_t limit =
        s->type == VK_IMAGE_TYPE_3D ? std::max(s->extent.depth >> a.level, 1u) : s->layers;
    if (a.layer >= limit)
        return false;
    uint32_t layers = std::min(a.layers, limit - a.layer);
    VkImageViewType type =
        s->type == VK_IMAGE_TYPE_1D ? VK_IMAGE_VIEW_TYPE_1D : VK_IMAGE_VIEW_TYPE_2D;
    if (layers > 1)
        type =
            s->type == VK_IMAGE_TYPE_1D ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    VkImageUsageFlags usage =
        color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    VkFormat format = color ? a.format : s->format;
    if (!color)
        a.format = a.format_linear = s->format;
    a.view =
        make_image_view(dev, *s, type, format, s->aspects, a.level, 1, a.layer, layers, {}, usage);
    if (color && a.format_linear != a.format)
        a.view_linear = make_image_view(dev, *s, type, a.format_linear, s->aspects, a.level, 1,
                                        a.layer, layers, {}, usage);
    a.store = a.texture->store;
    return a.view != VK_NULL_HANDLE;
}

// Size, layers and samples of the area that can be rendered.
void measure(framebuffer &fb) {
    uint32_t w = UINT32_MAX, h = UINT32_MAX, layers = UINT32_MAX, samples = 0;
    auto count = [&](const attachment &a) {
        if (!a || !a.texture->st())
            return;
        VkExtent3D e = a.texture->level_extent(a.desc.level);
        w = std::min(w, e.width);
        h = std::min(h, e.height);
        layers = std::min(layers, a.layers);
        samples = std::max<uint32_t>(samples, a.texture->st()->samples);
    };
    for (const attachment &a : fb.color)
        count(a);
    count(fb.depth);
    count(fb.stencil);
    if (w == UINT32_MAX) {
        fb.width = fb.desc->width;
        fb.height = fb.desc->height;
        fb.layers = std::max(fb.desc->layers, 1u);
        fb.samples = std::max<uint32_t>(fb.desc->samples, 1);
        return;
    }
    fb.width = w;
    fb.height = h;
    fb.layers = std::max(layers, 1u);
    fb.samples = std::max(samples, 1u);
}

} // namespace

bool pass_formats::operator==(const pass_formats &o) const {
    return !memcmp(this, &o, sizeof o);
}

framebuffer::~framebuffer() {
    drop_views();
}

void framebuffer::drop_views() {
    if (!dev)
        return;
    for (attachment &a : color)
        drop(*dev, a);
    drop(*dev, depth);
    drop(*dev, stencil);
}

void resolve_attachments(context &c, framebuffer &fb) {
    static std::atomic<uint64_t> serials{0};
    fb.dev = &c.dev;
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
        resolve(c, fb.color[i], fb.desc->color[i]);
    resolve(c, fb.depth, fb.desc->depth);
    resolve(c, fb.stencil, fb.desc->stencil);
    fb.serial = ++serials;
    measure(fb);
}

bool ready_framebuffer(framebuffer &fb) {
    bool ok = true;
    for (attachment &a : fb.color)
        ok &= ready_attachment(*fb.dev, a, true);
    ok &= ready_attachment(*fb.dev, fb.depth, false);
    ok &= ready_attachment(*fb.dev, fb.stencil, false);
    measure(fb);
    return ok && fb.width && fb.height;
}

pass_formats formats_of(const framebuffer &fb, bool srgb) {
    pass_formats f;
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i) {
        int n = fb.desc->draw_buffer[i];
        if (n < 0 || n >= int(PIPE_MAX_COLOR_BUFS) || !fb.color[n])
            continue;
        f.color[i] = srgb ? fb.color[n].format : fb.color[n].format_linear;
        f.color_count = uint8_t(i + 1);
        if (fb.color[n].no_alpha)
            f.no_alpha |= uint8_t(1u << i);
        if (fb.color[n].no_blend)
            f.no_blend |= uint8_t(1u << i);
    }
    if (fb.depth)
        f.depth = fb.depth.texture->st() ? fb.depth.texture->st()->format : VK_FORMAT_UNDEFINED;
    // Vulkan has one image for both aspects; a second one is left out.
    if (fb.stencil && fb.stencil.texture->st() &&
        (!fb.depth || fb.depth.texture->st() == fb.stencil.texture->st()))
        f.stencil = fb.stencil.texture->st()->format;
    f.samples = uint8_t(fb.samples);
    return f;
}

void set_framebuffer_state(pipe_context *ctx, const pipe_set_framebuffer_state *p) {
    context &c = ctx_of(ctx);
    if (pipe_handle_is_default_framebuffer(p->framebuffer)) {
        // Attachments are the surfaces of lane_current; only the buffer choice comes from here.
        for (auto *fb : {c.default_draw.get(), c.default_read.get()}) {
            if (!fb)
                continue;
            memcpy(fb->desc.fill().draw_buffer, p->draw_buffer, sizeof p->draw_buffer);
            fb->desc.fill().num_draw_buffers = p->num_draw_buffers;
            fb->desc.fill().read_buffer = p->read_buffer;
            if (c.pass.open && c.pass.fb.get() == fb)
                c.end_pass();
        }
        c.dirty |= dirty_pipeline | dirty_uses | dirty_viewport | dirty_scissor;
        return;
    }
    std::shared_ptr<framebuffer> fb = c.framebuffers.get(p->framebuffer);
    if (!fb) {
        fb = std::make_shared<framebuffer>();
        if (!c.framebuffers.put(p->framebuffer, fb))
            return;
    }
    // The views of an open pass stay alive in the trash can, the pass itself has to end.
    if (c.pass.open && c.pass.fb == fb)
        c.end_pass();
    fb->desc = *p;
    resolve_attachments(c, *fb);
    c.dirty |= dirty_pipeline | dirty_uses | dirty_viewport | dirty_scissor | dirty_push;
}

void bind_framebuffers(pipe_context *ctx, const pipe_bind_framebuffers *p) {
    context &c = ctx_of(ctx);
    c.st.draw_is_default = pipe_handle_is_default_framebuffer(p->draw);
    c.st.read_is_default = pipe_handle_is_default_framebuffer(p->read);
    auto draw = c.find_framebuffer(p->draw, false), read = c.find_framebuffer(p->read, true);
    if (draw != c.st.draw_fb.peek()) {
        c.st.draw_fb = std::move(draw);
        c.dirty |= dirty_pipeline | dirty_uses | dirty_viewport | dirty_scissor | dirty_push;
    }
    c.st.read_fb = std::move(read);
}

void invalidate_framebuffer(pipe_context *, const pipe_invalidate_framebuffer *) {
    // A hint: contents may stay as they are.
}

std::shared_ptr<framebuffer> context::find_framebuffer(pipe_handle h, bool for_read) {
    if (pipe_handle_is_default_framebuffer(h)) {
        follow_surfaces(*this);
        return for_read ? default_read : default_draw;
    }
    return framebuffers.get(h);
}

} // namespace magma
