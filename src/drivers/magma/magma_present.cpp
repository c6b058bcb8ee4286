// SPDX-License-Identifier: MIT
// Showing a surface: one blit from the back buffer, whose row 0 is at the bottom, into an image of
// the window's swapchain, whose row 0 is at the top. A multisampled back buffer is resolved first.
// Nothing is scaled: where the two differ in size, the upper left part that both have is shown.
#include "magma_context.h"
#include "magma_surface.h"
#include "magma_swapchain.h"

#include "util/native.h"
#include "util/stats.h"

#include <algorithm>

namespace magma {

namespace {

util::Counter count_blits("magma.present_blits", "blits that brought a back buffer to its window");
util::Counter count_copies("magma.present_copies", "frames that were copied to a dma-buf");
util::Counter count_resolves("magma.present_resolves",
                             "multisampled back buffers resolved for their window");

constexpr VkImageSubresourceLayers whole_layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
constexpr VkImageSubresourceRange whole_image = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

struct frame_source {
    storage_ref store;
    VkExtent2D extent;
};

void image_barrier(context &c, VkCommandBuffer cmd, VkImage image, VkAccessFlags src,
                   VkAccessFlags dst, VkImageLayout from, VkImageLayout to,
                   VkPipelineStageFlags dst_stage) {
    VkImageMemoryBarrier b = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    b.srcAccessMask = src;
    b.dstAccessMask = dst;
    b.oldLayout = from;
    b.newLayout = to;
    b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    b.image = image;
    b.subresourceRange = whole_image;
    c.dev.vk.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, dst_stage, 0, 0, nullptr, 0,
                                nullptr, 1, &b);
}

// The back buffer with one sample; null when the host refuses.
storage_ref resolve(context &c, storage_ref &to, const frame_source &from) {
    storage &s = *from.store.get();
    if (!to || to->extent.width != s.extent.width || to->extent.height != s.extent.height) {
        VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = s.format;
        info.extent = s.extent;
        info.mipLevels = info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
        VkResult result;
        to = create_image_storage(c.dev, info, s.aspects, result);
        if (!to)
            return {};
    }
    c.rec.use(s, access_transfer_read());
    c.rec.use(*to.get(), access_transfer_write());
    VkImageResolve region = {};
    region.srcSubresource = region.dstSubresource = whole_layer;
    region.extent = s.extent;
    c.dev.vk.CmdResolveImage(c.rec.main(), s.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->image,
                             VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    count_resolves.add();
    return to;
}

VkImageBlit flipping_blit(VkExtent2D back, VkExtent2D image) {
    const int32_t width = int32_t(std::min(back.width, image.width));
    const int32_t height = int32_t(std::min(back.height, image.height));
    VkImageBlit b = {};
    b.srcSubresource = b.dstSubresource = whole_layer;
    b.srcOffsets[0] = {0, int32_t(back.height) - height, 0};
    b.srcOffsets[1] = {width, int32_t(back.height), 1};
    b.dstOffsets[0] = {0, height, 0};
    b.dstOffsets[1] = {width, 0, 1};
    return b;
}

// Records the frame into the open batch.
bool record_frame(context &c, window &w, const frame_source &back, VkImage image) {
    if (!c.begin())
        return false;
    c.end_pass();
    frame_source from = back;
    if (from.store->samples != VK_SAMPLE_COUNT_1_BIT)
        from.store = resolve(c, w.resolved, back);
    if (!from.store)
        return false;
    c.rec.use(*from.store.get(), access_transfer_read());
    VkCommandBuffer cmd = c.rec.main();
    constexpr VkImageLayout target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    image_barrier(c, cmd, image, 0, VK_ACCESS_TRANSFER_WRITE_BIT, VK_IMAGE_LAYOUT_UNDEFINED, target,
                  VK_PIPELINE_STAGE_TRANSFER_BIT);
    const VkExtent2D extent = w.current().extent;
    if (extent.width > back.extent.width || extent.height > back.extent.height) {
        const VkClearColorValue black = {{0, 0, 0, 1}};
        c.dev.vk.CmdClearColorImage(cmd, image, target, &black, 1, &whole_image);
        image_barrier(c, cmd, image, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                      target, target, VK_PIPELINE_STAGE_TRANSFER_BIT);
    }
    const VkImageBlit region = flipping_blit(back.extent, extent);
    c.dev.vk.CmdBlitImage(cmd, from.store->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
                          target, 1, &region, VK_FILTER_NEAREST);
    image_barrier(c, cmd, image, VK_ACCESS_TRANSFER_WRITE_BIT, 0, target,
                  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
    count_blits.add();
    c.dirty |= dirty_uses;
    return true;
}

// One attempt; again: the swapchain turned out to be no longer the window's.
window::answer show_once(context &c, window &w, const frame_source &back, const pipe_present &p,
                         const pipe_scissor *damage) {
    const int32_t interval = drivers_common::legal_interval(p.interval);
    if (!w.prepare(back.extent, interval))
        return window::answer::nothing;
    uint32_t image = 0;
    window::answer got = w.acquire(false, &image);
    if (got == window::answer::later) {
        c.flush(); // the GPU has the frame while the window has no room for it
        got = w.acquire(true, &image);
    }
    if (got != window::answer::ready)
        return got;
    token_ref token;
    if (record_frame(c, w, back, w.current().images[image].image)) {
        token = c.rec.token();
        if (!c.flush(w.semaphores(image)))
            token = nullptr;
    }
    w.submitted(token);
    return token ? w.show(image, interval, back.extent, damage, p.num_rects)
                 : window::answer::nothing;
}

void show(context &c, surface &s, const std::shared_ptr<window> &w, const pipe_present &p,
          const pipe_scissor *damage) {
    const int32_t interval = drivers_common::legal_interval(p.interval);
    std::lock_guard lock(w->mutex);
    const frame_source back = [&] {
        std::lock_guard buffers(s.mutex);
        return frame_source{s.color->store, {s.desc.width, s.desc.height}};
    }();
    // The program may end its surface meanwhile; prepare() finds out.
    util::NativeUse use(w->token());
    if (interval < -1 || interval > 1) {
        c.flush();
        w->pace(interval);
    }
    // A window that changes all the time is shown with the next frame.
    for (int attempt = 0; attempt < 3; ++attempt)
        if (show_once(c, *w, back, p, damage) != window::answer::again)
            break;
    c.flush(); // of a frame that nobody sees
    w->wait_frames();
}

// Copies the frame to an image of others, the top row first.
bool record_copy(context &c, surface &s, resource &to) {
    storage *target = to.st();
    if (!target || !c.begin())
        return false;
    c.end_pass();
    std::lock_guard buffers(s.mutex);
    const VkExtent2D extent = {s.desc.width, s.desc.height};
    frame_source from = {s.color->store, extent};
    if (from.store->samples != VK_SAMPLE_COUNT_1_BIT)
        from.store = resolve(c, s.resolved, from);
    if (!from.store)
        return false;
    c.rec.use(*from.store.get(), access_transfer_read());
    c.rec.use(*target, access_transfer_write());
    const VkImageBlit region = flipping_blit(extent, {target->extent.width, target->extent.height});
    c.dev.vk.CmdBlitImage(c.rec.main(), from.store->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                          target->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region,
                          VK_FILTER_NEAREST);
    count_copies.add();
    c.dirty |= dirty_uses;
    return true;
}

} // namespace

void present(pipe_context *ctx, const pipe_present *p, const pipe_scissor *damage) {
    context &c = ctx_of(ctx);
    auto s = find_surface(p->surface);
    if (!pipe_handle_is_null(p->target)) {
        const resource_ref to = c.scr.find_resource(p->target);
        if (s && to)
            record_copy(c, *s, *to);
        c.finish_all(); // who shows it waits for nobody
        return;
    }
    std::shared_ptr<window> w;
    if (s) {
        std::lock_guard lock(s->mutex);
        w = s->shown;
    }
    if (w)
        show(c, *s, w, *p, damage);
    else
        c.flush(); // nothing shows a pbuffer
}

void set_swap_interval(pipe_context *, const pipe_set_swap_interval *) {
    // Each present brings its own.
}

} // namespace magma
