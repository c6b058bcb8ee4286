// SPDX-License-Identifier: MIT
// What shows a window's frames: a swapchain, made when the first frame comes and made anew when the
// window's extent, the present mode or the host demand it, and the objects each image and each
// frame needs. A window has no frame of its own: present() (magma_present.cpp) copies the back
// buffer into an image. Held by whoever presents; its end waits for the GPU.
#pragma once

#include "magma_batch.h"
#include "magma_window.h"

#include "drivers_common/pacing.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace magma {

struct swap_image {
    VkImage image = VK_NULL_HANDLE;
    VkSemaphore rendered = VK_NULL_HANDLE; // the present waits for it
};

struct swapchain {
    VkSwapchainKHR chain = VK_NULL_HANDLE;
    VkExtent2D extent = {};
    drivers_common::present_mode mode = {};
    std::vector<swap_image> images;
    bool used = false; // an image of it was acquired
    VkExtent2D shown =
        {}; // of the back buffer of the last frame; 0: none, or one was dropped since
};

class window {
  public:
    // `color_format`: of the back buffer; `frames`: those that the GPU may have unfinished.
    window(host_device &dev, std::unique_ptr<native_window> native, uint32_t color_format,
           uint32_t frames);
    ~window();
    window(const window &) = delete;

    // Held while a frame is presented; nobody else waits for it.
    std::mutex mutex;
    // The surface is destroyed: waits of a present end soon. Any thread.
    void close() { closing_.store(true, std::memory_order_release); }

    // --- under `mutex`
    // later: it would wait. again: the swapchain is no longer the window's; prepare() makes
    // another.
    enum class answer { ready, later, again, nothing };
    // A swapchain for a back buffer of this extent and this interval. Not ready: the frame is
    // dropped, which is logged when it starts and when it ends.
    bool prepare(VkExtent2D back, int32_t interval);
    answer acquire(bool wait, uint32_t *image);
    // Waits until the frame may be shown (intervals above one).
    void pace(int32_t interval);
    // What the submission that draws into the acquired image waits for and signals.
    submit_semaphores semaphores(uint32_t image) const;
    // That submission was made, or failed (null): then the image is given up with its swapchain.
    void submitted(token_ref token);
    // Shows the image with a back buffer of this extent; again: nothing was shown. The boxes, in
    // GL's rows, hold all that differs from the frame before; none: everything may.
    answer show(uint32_t image, int32_t interval, VkExtent2D back, const pipe_scissor *damage,
                uint32_t num_rects);
    // Waits until no more frames than allowed are unfinished.
    void wait_frames();

    const swapchain &current() const { return current_; }
    uint64_t token() const { return native_->token(); } // native_window's
    bool closing() const { return closing_.load(std::memory_order_acquire); }
    // Of the window's multisampled back buffer; made when needed.
    storage_ref resolved;

  private:
    struct frame {
        VkSemaphore acquired = VK_NULL_HANDLE;
        token_ref done;
    };
    // Goes when a frame that was submitted after it left has been done.
    struct retired {
        swapchain what;
        VkSemaphore acquired = VK_NULL_HANDLE;
        token_ref after;
    };

    bool choose_format();
    void ask_modes();
    bool make(VkExtent2D back, drivers_common::present_mode mode);
    bool fill_images(swapchain &s);
    bool make_frames();
    VkCompositeAlphaFlagBitsKHR choose_alpha(VkCompositeAlphaFlagsKHR offered) const;
    void retire();
    void sweep(bool all);
    void destroy(swapchain &s);
    // False: the GPU may still use what the window has.
    bool drain();
    bool drop(const char *why, VkResult result);
    bool fill_damage(VkExtent2D back, const pipe_scissor *rects, uint32_t num_rects);
    answer judge(VkResult result, const char *call);

    host_device &dev_;
    const std::unique_ptr<native_window> native_;
    const uint32_t color_format_;
    const uint32_t frames_in_flight_;
    std::atomic<bool> closing_{false};
    VkSurfaceFormatKHR format_ = {VK_FORMAT_UNDEFINED, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR};
    swapchain current_;
    bool stale_ = false; // the host refuses it
    bool look_ = false;  // the host says that another would fit better
    bool gone_ = false;  // for good
    bool dropping_ = false;
    VkExtent2D asked_back_ = {}; // extent of the back buffer when the window's was asked last
    std::vector<frame> frames_;
    uint64_t serial_ = 0; // frames submitted
    std::vector<retired> retired_;
    uint32_t modes_ = 0; // offered; 0: not asked yet
    drivers_common::pacer pacer_;
    bool waited_ = false;                // the last acquire had to
    std::vector<VkRectLayerKHR> damage_; // of the frame that is shown, in the image's rows
};

} // namespace magma
