// SPDX-License-Identifier: MIT
// Pbuffer surfaces. Windows are refused for now: the client then offers no window configs on this
// driver.
#include "magma_surface.h"

#include "magma_context.h"
#include "util/log.h"

#include <algorithm>
#include <cstring>

namespace magma {

namespace {

std::mutex table_mutex;

handle_table<surface> &table() {
    static auto *t = new handle_table<surface>;
    return *t;
}

resource_ref make_buffer(host_device &dev, const surface &s, uint32_t format) {
    const format_info &f = format_of(dev, format);
    if (f.stored == PIPE_FORMAT_NONE)
        return nullptr;
    auto r = std::make_shared<resource>();
    r->dev = &dev;
    r->format = &f;
    r->desc.format = uint16_t(format);
    r->desc.target = PIPE_TEXTURE_2D;
    r->desc.width = s.desc.width;
    r->desc.height = s.desc.height;
    r->desc.depth = r->desc.layers = 1;
    r->desc.levels = 1;
    r->desc.samples = s.desc.samples;
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = f.vk;
    info.extent = {std::max(s.desc.width, 1u), std::max(s.desc.height, 1u), 1};
    info.mipLevels = info.arrayLayers = 1;
    uint32_t samples = 1, have = sample_counts(dev, f);
    while (samples < s.desc.samples)
        samples *= 2;
    info.samples = samples & have ? VkSampleCountFlagBits(samples) : VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_SAMPLED_BIT;
    info.usage |= f.aspects & VK_IMAGE_ASPECT_COLOR_BIT
                      ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                      : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (f.aspects & VK_IMAGE_ASPECT_COLOR_BIT)
        info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    VkResult result;
    attempt storage; // the answer tells of a failure
    r->store = create_image_storage(dev, info, f.aspects, result);
    storage.got_by();
    if (!r->store)
        return nullptr;
    return r;
}

bool make_buffers(host_device &dev, surface &s) {
    s.color = make_buffer(dev, s, s.desc.color_format);
    s.depth = s.desc.depth_format ? make_buffer(dev, s, s.desc.depth_format) : nullptr;
    ++s.serial;
    return s.color && (!s.desc.depth_format || s.depth);
}

void attach(attachment &a, const resource_ref &r, host_device &dev) {
    a.texture = r;
    a.desc = {};
    a.desc.kind = PIPE_ATTACHMENT_SURFACE;
    a.desc.num_layers = 1;
    const format_info &f = format_of(dev, r->desc.format);
    a.format = f.vk;
    a.format_linear = f.vk_linear;
    a.no_alpha = f.no_alpha;
}

} // namespace

std::shared_ptr<surface> find_surface(pipe_handle h) {
    std::lock_guard lock(table_mutex);
    return table().get(h);
}

std::shared_ptr<framebuffer> surface_framebuffer(context &c, const std::shared_ptr<surface> &s) {
    static std::atomic<uint64_t> serials{1ull << 62};
    auto fb = std::make_shared<framebuffer>();
    fb->dev = &c.dev;
    for (int8_t &b : fb->desc.fill().draw_buffer)
        b = -1;
    fb->desc.fill().read_buffer = -1;
    if (s && s->color) {
        attach(fb->color[0], s->color, c.dev);
        if (s->depth) {
            if (s->depth->format->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
                attach(fb->depth, s->depth, c.dev);
            const pipe_format_desc &d = *pipe_format_describe(s->desc.depth_format);
            if (d.is_stencil)
                attach(fb->stencil, s->depth, c.dev);
        }
        fb->desc.fill().draw_buffer[0] = 0;
        fb->desc.fill().num_draw_buffers = 1;
        fb->desc.fill().read_buffer = 0;
        fb->desc.fill().complete = 1;
    }
    fb->serial = ++serials;
    ready_framebuffer(*fb);
    return fb;
}

pipe_status surface_create(pipe_screen *ps, const pipe_surface_create *p,
                           pipe_surface_create_reply *out) {
    share_group &scr = screen_of(ps);
    if (p->kind != PIPE_SURFACE_KIND_PBUFFER) {
        log_warning_once("magma", "only pbuffer surfaces are there");
        return PIPE_DECLINED;
    }
    auto s = std::make_shared<surface>();
    s->dev = scr.dev;
    s->desc = *p;
    const uint32_t limit = scr.dev->props.limits.maxImageDimension2D;
    s->desc.width = std::min(p->width, limit);
    s->desc.height = std::min(p->height, limit);
    if (!make_buffers(*scr.dev, *s))
        return PIPE_ERROR;
    out->width = s->desc.width;
    out->height = s->desc.height;
    std::lock_guard lock(table_mutex);
    table().put(p->surface, std::move(s));
    return PIPE_OK;
}

pipe_status surface_resize(pipe_screen *ps, const pipe_surface_resize *p) {
    std::lock_guard lock(table_mutex);
    auto s = table().get(p->surface);
    if (!s)
        return PIPE_ERROR;
    s->desc.width = p->width;
    s->desc.height = p->height;
    return make_buffers(*screen_of(ps).dev, *s) ? PIPE_OK : PIPE_ERROR;
}

pipe_status surface_destroy(pipe_screen *, const pipe_surface_destroy *p) {
    std::shared_ptr<surface> gone;
    std::lock_guard lock(table_mutex);
    gone = table().take(p->surface);
    return PIPE_OK;
}

void present(pipe_context *ctx, const pipe_present *, const pipe_scissor *) {
    // Nothing shows a pbuffer: a swap is a flush.
    ctx_of(ctx).flush();
}

void set_swap_interval(pipe_context *, const pipe_set_swap_interval *) {}

} // namespace magma
