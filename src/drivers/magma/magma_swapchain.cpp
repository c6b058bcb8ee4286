// SPDX-License-Identifier: MIT
// Swapchains: choice of format, mode and extent, acquire and present, retirement.
#include "magma_swapchain.h"

#include "magma_format.h"
#include "magma_instance.h"
#include "util/futex.h"
#include "util/log.h"
#include "util/stats.h"

#include <algorithm>
#include <thread>

namespace magma {

using drivers_common::present_mode;

namespace {

// Waits are cut so that a surface that is destroyed meanwhile ends them.
constexpr uint64_t slice_ns = 50'000'000;
// A window that takes no frame for so long (it is hidden) loses this one, so that its thread and
// whoever waits for that go on.
constexpr uint64_t patience_ns = 1'000'000'000;
// How long the end of a window waits for the GPU.
constexpr uint64_t drain_ns = 2'000'000'000;

util::Counter count_swapchains("magma.swapchains", "swapchains alive, retired ones included");
util::Counter count_made("magma.swapchains_made", "swapchains made");
util::Counter count_dropped("magma.presents_dropped", "frames of windows that could not be shown");
util::Counter count_damaged("magma.presents_damaged", "frames whose damage was handed to the host");
util::Counter count_paced("magma.presents_paced", "frames of intervals above one");
util::Counter count_modes[] = {
    {"magma.present_immediate", "frames handed to the host in immediate mode"},
    {"magma.present_mailbox", "frames handed to the host in mailbox mode"},
    {"magma.present_fifo", "frames handed to the host in FIFO mode"},
    {"magma.present_fifo_relaxed", "frames handed to the host in relaxed FIFO mode"},
};

VkPresentModeKHR host_mode(present_mode mode) {
    switch (mode) {
    case present_mode::immediate: return VK_PRESENT_MODE_IMMEDIATE_KHR;
    case present_mode::mailbox: return VK_PRESENT_MODE_MAILBOX_KHR;
    case present_mode::fifo_relaxed: return VK_PRESENT_MODE_FIFO_RELAXED_KHR;
    default: return VK_PRESENT_MODE_FIFO_KHR;
    }
}

bool is_srgb(const format_info &f) {
    return f.vk != f.vk_linear;
}

// Formats of an image that shows a back buffer of `f` by a plain blit, best first.
std::vector<VkFormat> wanted_formats(const format_info &f) {
    if (is_srgb(f))
        return {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_A8B8G8R8_SRGB_PACK32};
    std::vector<VkFormat> out;
    if (f.vk == VK_FORMAT_A2B10G10R10_UNORM_PACK32 || f.vk == VK_FORMAT_A2R10G10B10_UNORM_PACK32)
        out = {VK_FORMAT_A2R10G10B10_UNORM_PACK32, VK_FORMAT_A2B10G10R10_UNORM_PACK32};
    if (f.vk == VK_FORMAT_R5G6B5_UNORM_PACK16 || f.vk == VK_FORMAT_B5G6R5_UNORM_PACK16)
        out = {VK_FORMAT_R5G6B5_UNORM_PACK16, VK_FORMAT_B5G6R5_UNORM_PACK16};
    for (VkFormat byte :
         {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_A8B8G8R8_UNORM_PACK32})
        out.push_back(byte);
    return out;
}

bool same(VkExtent2D a, VkExtent2D b) {
    return a.width == b.width && a.height == b.height;
}

} // namespace

window::window(host_device &dev, std::unique_ptr<native_window> native, uint32_t color_format,
               uint32_t frames)
    : dev_(dev), native_(std::move(native)), color_format_(color_format),
      frames_in_flight_(frames) {}

window::~window() {
    if (!drain())
        return; // the GPU may still use all of it: left to the device
    retire();
    sweep(true);
    for (frame &f : frames_)
        dev_.vk.DestroySemaphore(dev_.device, f.acquired, nullptr);
}

// Presents wait for semaphores, and nothing tells when they have: a fence behind them does.
bool window::drain() {
    if (!serial_ || dev_.lost)
        return true;
    VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    if (dev_.vk.CreateFence(dev_.device, &info, nullptr, &fence) != VK_SUCCESS)
        return false;
    VkResult result;
    {
        std::lock_guard lock(dev_.queue_mutex);
        result = dev_.vk.QueueSubmit(dev_.queue, 0, nullptr, fence);
    }
    if (result == VK_SUCCESS)
        result = dev_.vk.WaitForFences(dev_.device, 1, &fence, VK_TRUE, drain_ns);
    if (result != VK_SUCCESS)
        log_warning("magma", "the end of a window waited in vain: %s", result_name(result));
    if (result == VK_TIMEOUT)
        return false;
    dev_.vk.DestroyFence(dev_.device, fence, nullptr);
    return true;
}

void window::destroy(swapchain &s) {
    for (swap_image &i : s.images)
        dev_.vk.DestroySemaphore(dev_.device, i.rendered, nullptr);
    if (s.chain) {
        dev_.vk.DestroySwapchainKHR(dev_.device, s.chain, nullptr);
        count_swapchains.level(-1);
    }
    s = {};
}

void window::retire() {
    if (current_.used)
        retired_.push_back({std::move(current_), VK_NULL_HANDLE, nullptr});
    else
        destroy(current_);
    current_ = {};
    stale_ = look_ = false;
}

void window::sweep(bool all) {
    std::erase_if(retired_, [&](retired &r) {
        if (!all && !(r.after && r.after->poll()))
            return false;
        destroy(r.what);
        if (r.acquired)
            dev_.vk.DestroySemaphore(dev_.device, r.acquired, nullptr);
        return true;
    });
}

bool window::drop(const char *why, VkResult result) {
    count_dropped.add();
    current_.shown = {};
    if (!dropping_)
        log_warning("magma", "frames of a window are not shown: %s%s%s", why,
                    result == VK_SUCCESS ? "" : ": ",
                    result == VK_SUCCESS ? "" : result_name(result));
    dropping_ = true;
    return false;
}

// --- making --------------------------------------------------------------------------------------

bool window::choose_format() {
    if (format_.format != VK_FORMAT_UNDEFINED)
        return true;
    const vk_table &vk = dev_.vk;
    VkBool32 supported = VK_FALSE;
    VkResult result =
        VK_ASK(&dev_, GetPhysicalDeviceSurfaceSupportKHR(dev_.physical, dev_.queue_family,
                                                         native_->surface(), &supported));
    if (result == VK_SUCCESS && !supported)
        return drop("the device cannot present to it", result);
    uint32_t count = 0;
    std::vector<VkSurfaceFormatKHR> offered;
    if (result == VK_SUCCESS)
        result = vk.GetPhysicalDeviceSurfaceFormatsKHR(dev_.physical, native_->surface(), &count,
                                                       nullptr);
    if (result == VK_SUCCESS) {
        offered.resize(count);
        result = vk.GetPhysicalDeviceSurfaceFormatsKHR(dev_.physical, native_->surface(), &count,
                                                       offered.data());
        offered.resize(count);
    }
    if (result < 0)
        return drop("its formats", result);
    for (VkFormat wanted : wanted_formats(format_of(dev_, color_format_))) {
        VkFormatProperties props;
        vk.GetPhysicalDeviceFormatProperties(dev_.physical, wanted, &props);
        if (!(props.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT))
            continue;
        for (const VkSurfaceFormatKHR &f : offered) {
            if (f.format != wanted || f.colorSpace != VK_COLOR_SPACE_SRGB_NONLINEAR_KHR)
                continue;
            format_ = f;
            return true;
        }
    }
    return drop("no swapchain format for its back buffer", VK_SUCCESS);
}

void window::ask_modes() {
    VkPresentModeKHR list[16];
    uint32_t count = 16;
    modes_ = drivers_common::mode_bit(present_mode::fifo);
    const VkResult result = dev_.vk.GetPhysicalDeviceSurfacePresentModesKHR(
        dev_.physical, native_->surface(), &count, list);
    for (uint32_t i = 0; result >= 0 && i < count; ++i)
        for (present_mode mode : {present_mode::immediate, present_mode::mailbox,
                                  present_mode::fifo, present_mode::fifo_relaxed})
            if (list[i] == host_mode(mode))
                modes_ |= drivers_common::mode_bit(mode);
}

VkCompositeAlphaFlagBitsKHR window::choose_alpha(VkCompositeAlphaFlagsKHR offered) const {
    const format_info &f = format_of(dev_, color_format_);
    const bool alpha = !f.no_alpha && pipe_format_describe(color_format_)->channel_of[3] >= 0;
    const VkCompositeAlphaFlagBitsKHR blended[] = {VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR,
                                                   VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
                                                   VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR};
    const VkCompositeAlphaFlagBitsKHR opaque[] = {VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                                  VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
                                                  VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR};
    for (VkCompositeAlphaFlagBitsKHR bit : alpha ? blended : opaque)
        if (offered & bit)
            return bit;
    return VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
}

bool window::make_frames() {
    frames_.resize(frames_in_flight_ + 1);
    for (frame &f : frames_) {
        VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        const VkResult result =
            f.acquired ? VK_SUCCESS
                       : VK_ASK(&dev_, CreateSemaphore(dev_.device, &info, nullptr, &f.acquired));
        if (result != VK_SUCCESS)
            return drop("no semaphore", result);
    }
    return true;
}

bool window::fill_images(swapchain &s) {
    uint32_t count = 0;
    VkResult result = VK_ASK(&dev_, GetSwapchainImagesKHR(dev_.device, s.chain, &count, nullptr));
    std::vector<VkImage> images(count);
    if (result == VK_SUCCESS)
        result = dev_.vk.GetSwapchainImagesKHR(dev_.device, s.chain, &count, images.data());
    for (VkImage image : images) {
        VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
        s.images.push_back({image, VK_NULL_HANDLE});
        if (result == VK_SUCCESS)
            result = VK_ASK(
                &dev_, CreateSemaphore(dev_.device, &info, nullptr, &s.images.back().rendered));
    }
    return result == VK_SUCCESS || drop("its images", result);
}

bool window::make(VkExtent2D back, present_mode mode) {
    VkSurfaceCapabilitiesKHR caps;
    VkResult result = VK_ASK(
        &dev_, GetPhysicalDeviceSurfaceCapabilitiesKHR(dev_.physical, native_->surface(), &caps));
    if (result == VK_ERROR_SURFACE_LOST_KHR)
        gone_ = true;
    if (result != VK_SUCCESS)
        return drop("its extent", result);
    asked_back_ = back;
    VkExtent2D extent = caps.currentExtent;
    if (extent.width == UINT32_MAX) // the window is as large as its images
        extent = {std::clamp(back.width, caps.minImageExtent.width, caps.maxImageExtent.width),
                  std::clamp(back.height, caps.minImageExtent.height, caps.maxImageExtent.height)};
    if (!extent.width || !extent.height)
        return drop("it has no area", VK_SUCCESS);
    if (!(caps.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT))
        return drop("nothing can be copied to it", VK_SUCCESS);
    look_ = false;
    if (current_.chain && !stale_ && same(extent, current_.extent) && mode == current_.mode)
        return true;
    VkSwapchainCreateInfoKHR info = {VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
    info.surface = native_->surface();
    info.minImageCount = std::max(caps.minImageCount, 3u);
    if (caps.maxImageCount)
        info.minImageCount = std::min(info.minImageCount, caps.maxImageCount);
    info.imageFormat = format_.format;
    info.imageColorSpace = format_.colorSpace;
    info.imageExtent = extent;
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.preTransform = caps.currentTransform;
    info.compositeAlpha = choose_alpha(caps.supportedCompositeAlpha);
    info.presentMode = host_mode(mode);
    info.clipped = VK_TRUE;
    info.oldSwapchain = current_.chain;
    swapchain fresh;
    fresh.extent = extent;
    fresh.mode = mode;
    result = VK_ASK(&dev_, CreateSwapchainKHR(dev_.device, &info, nullptr, &fresh.chain));
    retire(); // whether the new one came or not
    if (result == VK_ERROR_SURFACE_LOST_KHR)
        gone_ = true;
    if (result != VK_SUCCESS)
        return drop("no swapchain", result);
    count_swapchains.level(1);
    count_made.add();
    if (!fill_images(fresh)) {
        destroy(fresh);
        return false;
    }
    log_info("magma", "swapchain of %ux%u, %zu images, present mode %s", extent.width,
             extent.height, fresh.images.size(), drivers_common::present_mode_name(mode));
    current_ = std::move(fresh);
    return true;
}

bool window::prepare(VkExtent2D back, int32_t interval) {
    sweep(false);
    if (gone_ || dev_.lost || closing()) {
        count_dropped.add();
        return false;
    }
    VkExtent2D seen = current_.extent;
    if (!native_->alive(seen)) {
        gone_ = true;
        return drop("it is gone", VK_SUCCESS);
    }
    if (!choose_format() || !make_frames())
        return false;
    if (!modes_)
        ask_modes();
    const present_mode mode = drivers_common::choose_present_mode(interval, modes_);
    // The window is asked when something has changed, not with every frame.
    const bool ask = !current_.chain || stale_ || look_ || mode != current_.mode ||
                     !same(seen, current_.extent) ||
                     (!same(back, current_.extent) && !same(back, asked_back_));
    if (ask && !make(back, mode))
        return false;
    if (dropping_)
        log_info("magma", "frames of a window are shown again");
    dropping_ = false;
    return true;
}

// --- frames --------------------------------------------------------------------------------------

window::answer window::judge(VkResult result, const char *call) {
    switch (result) {
    case VK_SUCCESS: return answer::ready;
    case VK_SUBOPTIMAL_KHR: // shown; whether there is better is asked before the next
        look_ = true;
        return answer::ready;
    case VK_ERROR_OUT_OF_DATE_KHR:
        log_debug("magma", "%s: out of date", call);
        stale_ = true;
        return answer::again;
    case VK_ERROR_DEVICE_LOST: dev_.lost = true; break;
    case VK_ERROR_SURFACE_LOST_KHR: gone_ = true; break;
    default: stale_ = true; break;
    }
    drop(call, result);
    return answer::nothing;
}

window::answer window::acquire(bool wait, uint32_t *image) {
    frame &f = frames_[serial_ % frames_.size()];
    const uint64_t start = util::now_ns();
    for (;;) {
        const VkResult result =
            VK_ASK(&dev_, AcquireNextImageKHR(dev_.device, current_.chain, wait ? slice_ns : 0,
                                              f.acquired, VK_NULL_HANDLE, image));
        if (result != VK_TIMEOUT && result != VK_NOT_READY) {
            current_.used |= result >= 0;
            return judge(result, "vkAcquireNextImageKHR");
        }
        if (!wait)
            return answer::later;
        waited_ = true;
        VkExtent2D extent;
        if (closing() || dev_.lost || !native_->alive(extent))
            return answer::nothing;
        if (util::now_ns() - start > patience_ns) {
            log_debug("magma", "a window takes no frames");
            current_.shown = {};
            count_dropped.add();
            return answer::nothing;
        }
    }
}

void window::pace(int32_t interval) {
    count_paced.add();
    for (;;) {
        const uint64_t now = util::now_ns(), due = pacer_.due(interval, now);
        if (due <= now || closing())
            return;
        std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(due - now, slice_ns)));
    }
}

submit_semaphores window::semaphores(uint32_t image) const {
    return {frames_[serial_ % frames_.size()].acquired, current_.images[image].rendered};
}

void window::submitted(token_ref token) {
    frame &f = frames_[serial_ % frames_.size()];
    if (!token) {
        // The semaphore of the acquire will be signalled and waited for by nobody.
        retire();
        retired_.back().acquired = f.acquired;
        f.acquired = VK_NULL_HANDLE;
        return;
    }
    f.done = std::move(token);
    for (retired &r : retired_)
        if (!r.after)
            r.after = f.done;
    ++serial_;
}

// Boxes of a peer: whatever lies outside is nothing. False: everything is shown.
bool window::fill_damage(VkExtent2D back, const pipe_scissor *rects, uint32_t num_rects) {
    damage_.clear();
    if (!dev_.has.incremental_present || !num_rects || !same(back, current_.shown))
        return false;
    const uint32_t width = std::min(back.width, current_.extent.width);
    const uint32_t height = std::min(back.height, current_.extent.height);
    const auto within = [](int64_t at, uint32_t most) {
        return int32_t(std::clamp<int64_t>(at, 0, most));
    };
    for (const pipe_scissor *r = rects; r < rects + num_rects; ++r) {
        const int64_t lowest = int64_t(back.height) - r->y; // from the top
        const int32_t left = within(r->x, width), top = within(lowest - r->height, height);
        const int32_t right = within(int64_t(r->x) + r->width, width);
        const int32_t bottom = within(lowest, height);
        if (left < right && top < bottom)
            damage_.push_back({{left, top}, {uint32_t(right - left), uint32_t(bottom - top)}, 0});
    }
    if (damage_.empty()) // no boxes would be everything
        damage_.push_back({{0, 0}, {1, 1}, 0});
    count_damaged.add();
    return true;
}

window::answer window::show(uint32_t image, int32_t interval, VkExtent2D back,
                            const pipe_scissor *damage, uint32_t num_rects) {
    // Hosts that copy with the CPU wait for the frame inside; then better not with the queue's
    // lock.
    if (dev_.props.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
        frames_[(serial_ - 1) % frames_.size()].done->wait(UINT64_MAX);
    VkPresentInfoKHR info = {VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &current_.images[image].rendered;
    info.swapchainCount = 1;
    info.pSwapchains = &current_.chain;
    info.pImageIndices = &image;
    VkPresentRegionKHR region = {};
    VkPresentRegionsKHR regions = {VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR};
    if (fill_damage(back, damage, num_rects)) {
        region.rectangleCount = uint32_t(damage_.size());
        region.pRectangles = damage_.data();
        regions.swapchainCount = 1;
        regions.pRegions = &region;
        info.pNext = &regions;
    }
    current_.shown = back;
    count_modes[unsigned(current_.mode)].add();
    VkResult result;
    {
        std::lock_guard lock(dev_.queue_mutex);
        result = VK_ASK(&dev_, QueuePresentKHR(dev_.queue, &info));
    }
    pacer_.handed(interval, util::now_ns(), waited_);
    waited_ = false;
    return judge(result, "vkQueuePresentKHR");
}

void window::wait_frames() {
    if (serial_ <= frames_in_flight_)
        return;
    const token_ref &old = frames_[(serial_ - 1 - frames_in_flight_) % frames_.size()].done;
    while (old && !old->wait(slice_ns) && !closing()) {
    }
}

} // namespace magma
