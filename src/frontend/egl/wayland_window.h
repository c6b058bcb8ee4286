// SPDX-License-Identifier: MIT
// A wl_egl_window as a drawable. The program resizes and destroys it by calls of libwayland-egl on
// any thread, which come here as callbacks; a lock orders them with the thread that swaps. What is
// posted goes through memory shared with the compositor, or through dma-bufs of a driver.
#pragma once

#include "platform.h"
#include "wayland_dmabuf.h"
#include "wayland_queue.h"
#include "wayland_shm.h"

#include <atomic>
#include <mutex>
#include <optional>

struct wl_egl_window;

namespace egl::wayland {

// Formats of wl_shm with and without alpha, by the colour of a config, and of dma-bufs.
struct WindowFormats {
    uint32_t alpha, opaque;
    uint32_t dma_alpha, dma_opaque;
};

class Window;

// What a platform and its windows share.
struct Connection {
    wl_display *display = nullptr;
    wl_shm *shm = nullptr;
    DmabufOffer dmabuf;
    std::mutex mutex; // guards what follows, and whose window a wl_egl_window is
    std::vector<Window *> windows;
};

class Window final : public NativeDrawable {
  public:
    // With the connection's mutex.
    Window(std::shared_ptr<Connection> connection, wl_egl_window *window, WindowFormats formats);
    ~Window() override;
    // The platform ends, and with it the program's connection: the window is gone. Waits for a
    // frame that is being posted.
    void detach();

    bool extent(EGLint *width, EGLint *height) override;
    uint64_t native() const override;
    bool is_window() const override { return true; }
    void watch(void (*changed)(void *data), void *data) override;
    void set_opaque(bool opaque) override { opaque_ = opaque; }
    EGLint pace(EGLint interval) override;
    bool post(const void *pixels, EGLint width, EGLint height, EGLint stride, EGLint interval,
              const Rect *damage, EGLint num_rects) override;
    uint64_t share_buffers(EGLint width, EGLint height, const ShareBuffers &share) override;
    uint64_t take_buffers(EGLint width, EGLint height, const ExportBuffer &make) override;
    int claim_buffer(uint64_t buffers) override;
    bool post_buffer(uint64_t buffers, uint32_t index, EGLint interval, const Rect *damage,
                     EGLint num_rects) override;
    bool post_again(EGLint interval) override;
    void drop_buffer(uint64_t buffers, uint32_t index) override;
    bool fetch(std::vector<uint8_t> &, EGLint *, EGLint *) override { return false; }

  private:
    static void on_resize(wl_egl_window *window, void *data);
    static void on_destroy(void *data);
    static void on_frame(void *data, wl_callback *callback, uint32_t time);
    static const wl_callback_listener frame_listener;

    // Waits until the compositor has shown the last frame for `interval` refreshes, or for so long
    // that it seems not to show the window. False: the connection is dead.
    bool wait_frame(EGLint interval);
    bool wait_callback();
    void ask_callback();
    // Null: the compositor holds them all (`dead` false), or its connection is dead.
    ShmBuffers::Buffer *wait_buffer(bool &dead);
    // False: the connection is dead.
    template <class Free> bool wait_free(Free any_free);
    bool post_dma_buffer(uint32_t index, bool paced, const Rect *damage, EGLint num_rects);
    uint32_t format() const { return opaque_ ? formats_.opaque : formats_.alpha; }
    // Under the lock, for the commit that follows.
    void frame_state(EGLint width, EGLint height, bool paced);
    bool commit(wl_buffer *buffer, EGLint width, EGLint height, bool paced,
                const Rect *damage, EGLint num_rects);

    std::shared_ptr<Connection> connection_;
    WindowFormats formats_;
    uint64_t token_; // of the program's wl_surface
    std::atomic<bool> opaque_ = false;

    std::mutex posting_; // held by post() and its like; guards what follows
    std::optional<Queue> queue_;
    wl_surface *surface_ = nullptr; // wrapper on our queue
    std::optional<ShmBuffers> buffers_;
    std::optional<DmaBuffers> dma_buffers_;
    uint64_t shared_ = 0;          // number of the buffers that a server has; 0: none
    wl_callback *frame_ = nullptr; // of the last paced frame; null: it has been shown
    bool shown_ = false;           // a frame was committed
    bool frames_stall_ = false;    // the compositor let us wait in vain: for a frame,
    bool buffers_stall_ = false;   // for a buffer

    std::atomic<uint64_t> extent_; // height << 32 | width
    std::mutex lock_;              // guards what follows; taken after posting_
    wl_egl_window *window_;        // null: the program destroyed it, or detached
    int dx_ = 0, dy_ = 0;          // of the next frame, from wl_egl_window_resize
    void (*changed_)(void *) = nullptr;
    void *changed_data_ = nullptr;
};

} // namespace egl::wayland
