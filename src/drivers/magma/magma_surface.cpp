// SPDX-License-Identifier: MIT
// Surfaces: their buffers, and the windows of those that have one.
#include "magma_surface.h"

#include "magma_context.h"
#include "magma_swapchain.h"
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
    resource_ref color = make_buffer(dev, s, s.desc.color_format);
    resource_ref depth = s.desc.depth_format ? make_buffer(dev, s, s.desc.depth_format) : nullptr;
    if (!color || (s.desc.depth_format && !depth))
        return false;
    s.color = std::move(color);
    s.depth = std::move(depth);
    s.serial.fetch_add(1, std::memory_order_release);
    return true;
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
    std::unique_lock<std::mutex> lock;
    if (s)
        lock = std::unique_lock(s->mutex);
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

void follow_surfaces(context &c) {
    auto follow = [&](const std::shared_ptr<surface> &s, uint64_t &seen,
                      std::shared_ptr<framebuffer> &fb) {
        const uint64_t serial = s ? s->serial.load(std::memory_order_acquire) : 0;
        if (serial == seen)
            return;
        seen = serial;
        auto fresh = surface_framebuffer(c, s);
        const auto &from = fb->desc.peek();
        auto &to = fresh->desc.fill();
        memcpy(to.draw_buffer, from.draw_buffer, sizeof to.draw_buffer);
        to.num_draw_buffers = from.num_draw_buffers;
        to.read_buffer = from.read_buffer;
        if (c.pass.open && c.pass.fb == fb)
            c.end_pass();
        fb = std::move(fresh);
        c.dirty = dirty_all;
    };
    const auto moved = [](const surface *s, uint64_t seen) {
        return s && s->serial.load(std::memory_order_acquire) != seen;
    };
    if (!moved(c.draw_surface.get(), c.seen_draw_surface) &&
        !moved(c.read_surface.get(), c.seen_read_surface)) [[likely]]
        return;
    const bool one = c.default_read == c.default_draw;
    follow(c.draw_surface, c.seen_draw_surface, c.default_draw);
    if (one) {
        c.default_read = c.default_draw;
        c.seen_read_surface = c.seen_draw_surface;
    } else {
        follow(c.read_surface, c.seen_read_surface, c.default_read);
    }
    if (c.st.draw_is_default)
        c.st.draw_fb = c.default_draw;
    if (c.st.read_is_default)
        c.st.read_fb = c.default_read;
}

namespace {

// What the surface shows, in `out`; null for a pbuffer. False: the host cannot show it.
bool make_window(share_group &scr, const pipe_surface_create &p, std::shared_ptr<window> &out) {
    // Frames are read by whoever sends them.
    if (p.kind == PIPE_SURFACE_KIND_PBUFFER || p.kind == PIPE_SURFACE_KIND_FRAMES)
        return true;
    if (p.kind != PIPE_SURFACE_KIND_WINDOW) {
        log_warning_once("magma", "pixmaps are pbuffers to this driver");
        return false;
    }
    auto native = open_window(*scr.dev, scr.windows, p.native);
    if (native)
        out = std::make_shared<window>(*scr.dev, std::move(native), p.color_format,
                                       scr.frames_in_flight);
    return native || out;
}

} // namespace

pipe_status surface_create(pipe_screen *ps, const pipe_surface_create *p,
                           pipe_surface_create_reply *out) {
    share_group &scr = screen_of(ps);
    auto s = std::make_shared<surface>();
    if (!make_window(scr, *p, s->shown))
        return PIPE_DECLINED;
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
    auto s = find_surface(p->surface);
    if (!s)
        return PIPE_ERROR;
    std::lock_guard lock(s->mutex);
    const uint32_t limit = s->dev->props.limits.maxImageDimension2D;
    const pipe_surface_create old = s->desc;
    s->desc.width = std::min(p->width, limit);
    s->desc.height = std::min(p->height, limit);
    if (make_buffers(*screen_of(ps).dev, *s))
        return PIPE_OK;
    s->desc = old;
    return PIPE_ERROR;
}

pipe_status surface_destroy(pipe_screen *, const pipe_surface_destroy *p) {
    std::shared_ptr<surface> gone;
    std::shared_ptr<window> shown;
    {
        std::lock_guard lock(table_mutex);
        gone = table().take(p->surface);
    }
    if (!gone)
        return PIPE_OK;
    // Lanes may keep the surface until they are made current elsewhere; the window goes now, or
    // when the present that holds it ends.
    std::lock_guard lock(gone->mutex);
    shown = std::move(gone->shown);
    if (shown)
        shown->close();
    return PIPE_OK;
}

} // namespace magma
