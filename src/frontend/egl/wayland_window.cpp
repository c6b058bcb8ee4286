// SPDX-License-Identifier: MIT
// See wayland_window.h.
#include "wayland_window.h"

#include "util/log.h"
#include "util/native.h"

#include <wayland-egl-backend.h>

#include <algorithm>
#include <cstring>

namespace egl::wayland {

namespace {

// A compositor owes no frame callback for a window that it does not show.
Clock::time_point patience(bool stalled) {
    return Clock::now() + milliseconds(stalled ? 100 : 1000);
}

milliseconds until(Clock::time_point end) {
    return std::chrono::duration_cast<milliseconds>(end - Clock::now());
}

uint64_t pack(int width, int height) {
    return uint64_t(uint32_t(std::max(height, 1))) << 32 | uint32_t(std::max(width, 1));
}

void copy_rows(std::byte *to, const void *from, EGLint width, EGLint height, EGLint stride) {
    const size_t row = size_t(width) * 4;
    const auto *source = static_cast<const std::byte *>(from);
    if (stride == EGLint(row)) {
        std::memcpy(to, source, row * size_t(height));
        return;
    }
    for (EGLint y = 0; y < height; y++, source += stride)
        std::memcpy(to + size_t(y) * row, source, row);
}

uint32_t version_of(wl_surface *surface) {
    return wl_proxy_get_version(reinterpret_cast<wl_proxy *>(surface));
}

void damage_surface(wl_surface *surface, EGLint width, EGLint height, const Rect *damage,
                    EGLint num_rects) {
    // Without damage_buffer the boxes would have to be in the surface's own units, which only the
    // program knows.
    if (version_of(surface) < WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION) {
        wl_surface_damage(surface, 0, 0, INT32_MAX, INT32_MAX);
        return;
    }
    if (!damage || num_rects <= 0)
        wl_surface_damage_buffer(surface, 0, 0, width, height);
    for (EGLint i = 0; damage && i < num_rects; i++)
        wl_surface_damage_buffer(surface, damage[i].x, damage[i].y, damage[i].width,
                                 damage[i].height);
}

void attach(wl_surface *surface, wl_buffer *buffer, int dx, int dy) {
    const bool has_offset = version_of(surface) >= WL_SURFACE_OFFSET_SINCE_VERSION;
    if (has_offset && (dx || dy))
        wl_surface_offset(surface, dx, dy);
    wl_surface_attach(surface, buffer, has_offset ? 0 : dx, has_offset ? 0 : dy);
}

} // namespace

const wl_callback_listener Window::frame_listener = {on_frame};

Window::Window(std::shared_ptr<Connection> connection, wl_egl_window *window, WindowFormats formats)
    : connection_(std::move(connection)), formats_(formats),
      token_(util::native_mint(window->surface)), queue_(connection_->display),
      surface_(queue_->wrap(window->surface)), extent_(pack(window->width, window->height)),
      window_(window) {
    buffers_.emplace(connection_->shm, *queue_);
    dma_buffers_.emplace(connection_->dmabuf, *queue_);
    connection_->windows.push_back(this);
    window->driver_private = this;
    window->resize_callback = on_resize;
    window->destroy_window_callback = on_destroy;
}

Window::~Window() {
    detach();
}

void Window::detach() {
    {
        const std::lock_guard lock(connection_->mutex);
        std::erase(connection_->windows, this);
    }
    util::native_forget(token_);
    {
        std::lock_guard lock(lock_); // frames that come later fail
        if (window_) {
            window_->driver_private = nullptr;
            window_->resize_callback = nullptr;
            window_->destroy_window_callback = nullptr;
        }
        window_ = nullptr;
    }
    std::lock_guard posting(posting_);
    if (frame_)
        wl_callback_destroy(frame_);
    frame_ = nullptr;
    buffers_.reset();
    dma_buffers_.reset();
    if (surface_)
        wl_proxy_wrapper_destroy(surface_);
    surface_ = nullptr;
    queue_.reset();
}

void Window::on_resize(wl_egl_window *window, void *data) {
    auto *self = static_cast<Window *>(data);
    void (*changed)(void *);
    void *changed_data;
    {
        std::lock_guard lock(self->lock_);
        self->extent_ = pack(window->width, window->height);
        self->dx_ = window->dx;
        self->dy_ = window->dy;
        changed = self->changed_;
        changed_data = self->changed_data_;
    }
    if (changed)
        changed(changed_data);
}

void Window::on_destroy(void *data) {
    auto *self = static_cast<Window *>(data);
    util::native_forget(self->token_); // the surface goes next
    std::lock_guard lock(self->lock_);
    self->window_ = nullptr;
}

void Window::on_frame(void *data, wl_callback *callback, uint32_t) {
    auto *self = static_cast<Window *>(data);
    wl_callback_destroy(callback);
    self->frame_ = nullptr;
}

void Window::watch(void (*changed)(void *data), void *data) {
    std::lock_guard lock(lock_);
    changed_ = changed;
    changed_data_ = data;
}

bool Window::extent(EGLint *width, EGLint *height) {
    const uint64_t extent = extent_;
    *width = EGLint(uint32_t(extent));
    *height = EGLint(extent >> 32);
    std::lock_guard lock(lock_);
    return window_ && !wl_display_get_error(connection_->display);
}

// The host would show alpha where the config has some, and may have no swapchain of ten bits.
uint64_t Window::native() const {
    const bool ten_bits = formats_.alpha == WL_SHM_FORMAT_ARGB2101010;
    return ten_bits || (opaque_ && formats_.alpha != formats_.opaque) ? 0 : token_;
}

bool Window::wait_callback() {
    const Clock::time_point end = patience(frames_stall_);
    while (frame_) {
        const milliseconds left = until(end);
        if (left.count() <= 0)
            break;
        if (!queue_->dispatch(left))
            return false;
    }
    frames_stall_ = frame_ != nullptr;
    return true;
}

void Window::ask_callback() {
    frame_ = wl_surface_frame(surface_);
    if (frame_)
        wl_callback_add_listener(frame_, &frame_listener, this);
}

// A callback comes with the refresh that shows a commit, one that changes nothing included.
bool Window::wait_frame(EGLint interval) {
    for (EGLint left = std::abs(interval); wait_callback();) {
        if (--left <= 0 || frame_ || !shown_)
            return true;
        std::lock_guard lock(lock_);
        if (!window_)
            return false;
        ask_callback();
        wl_surface_commit(surface_);
    }
    return false;
}

ShmBuffers::Buffer *Window::wait_buffer(bool &dead) {
    const Clock::time_point end = patience(buffers_stall_);
    milliseconds left{0}; // what has arrived is enough, mostly
    do {
        dead = !queue_->dispatch(left);
        if (dead)
            return nullptr;
        if (ShmBuffers::Buffer *free = buffers_->take()) {
            buffers_stall_ = false;
            return free;
        }
        left = until(end);
    } while (left.count() > 0);
    if (!buffers_stall_)
        log_info("egl", "the compositor gives no buffer back: frames are dropped");
    buffers_stall_ = true;
    return nullptr;
}

void Window::frame_state(EGLint width, EGLint height, bool paced) {
    dx_ = dy_ = 0;
    // The program may read them meanwhile (wl_egl_window_get_attached_size).
    std::atomic_ref(window_->attached_width).store(width, std::memory_order_relaxed);
    std::atomic_ref(window_->attached_height).store(height, std::memory_order_relaxed);
    shown_ = true;
    if (paced && !frame_)
        ask_callback();
}

bool Window::commit(wl_buffer *buffer, EGLint width, EGLint height, bool paced,
                    const Rect *damage, EGLint num_rects) {
    std::lock_guard lock(lock_);
    if (!window_)
        return false;
    attach(surface_, buffer, dx_, dy_);
    damage_surface(surface_, width, height, damage, num_rects);
    frame_state(width, height, paced);
    wl_surface_commit(surface_);
    return true;
}

// The host's own pace is not used: it would wait for a window that is not shown for good.
EGLint Window::pace(EGLint interval) {
    std::lock_guard posting(posting_);
    if (!surface_ || (interval && !wait_frame(interval)))
        return 0;
    std::lock_guard lock(lock_);
    if (!window_)
        return 0;
    const bool has_offset = version_of(surface_) >= WL_SURFACE_OFFSET_SINCE_VERSION;
    // Older surfaces take it with the buffer, which is the host's to attach.
    if (has_offset && (dx_ || dy_))
        wl_surface_offset(surface_, dx_, dy_);
    const uint64_t extent = extent_;
    frame_state(EGLint(uint32_t(extent)), EGLint(extent >> 32), interval != 0);
    return 0;
}

bool Window::post(const void *pixels, EGLint width, EGLint height, EGLint stride, EGLint interval,
                  const Rect *damage, EGLint num_rects) {
    std::lock_guard posting(posting_);
    const bool paced = interval != 0;
    if (!surface_ || (paced && !wait_frame(interval)))
        return false;
    // A frame of an extent that the window had, and whose buffers a server has by now.
    if (shared_ && !buffers_->has_extent(width, height))
        return true;
    if (!buffers_->shape(width, height, format()))
        return true; // said already; the window itself is well
    bool dead;
    ShmBuffers::Buffer *buffer = wait_buffer(dead);
    if (!buffer)
        return !dead;
    copy_rows(buffer->pixels, pixels, width, height, stride);
    return commit(buffer->buffer, width, height, paced, damage, num_rects) && queue_->flush();
}

// Whoever does not wait for frames waits for buffers.
template <class Free> bool Window::wait_free(Free any_free) {
    const Clock::time_point end = patience(buffers_stall_);
    while (!any_free()) {
        const milliseconds left = until(end);
        buffers_stall_ = left.count() <= 0;
        if (buffers_stall_)
            return true;
        if (!queue_->dispatch(left))
            return false;
    }
    buffers_stall_ = false;
    return true;
}

uint64_t Window::share_buffers(EGLint width, EGLint height, const ShareBuffers &share) {
    std::lock_guard posting(posting_);
    shared_ = 0;
    if (surface_ && buffers_->shape(width, height, format()) && share(buffers_->describe()))
        shared_ = buffers_->number();
    return shared_;
}

bool Window::post_buffer(uint64_t buffers, uint32_t index, EGLint interval, const Rect *damage,
                         EGLint num_rects) {
    std::lock_guard posting(posting_);
    const bool paced = interval != 0;
    if (!surface_ || !queue_->dispatch(milliseconds(0)) || (paced && !wait_frame(interval)))
        return false;
    if (dma_buffers_->find(buffers, index))
        return post_dma_buffer(index, paced, damage, num_rects);
    if (!shared_ || buffers != shared_)
        return true;
    const FrameBuffers shape = buffers_->describe();
    if (!buffers_->shape(shape.width, shape.height, format()))
        return true;
    ShmBuffers::Buffer *buffer = buffers_->taken_by_server(index);
    if (!buffer)
        return true;
    return commit(buffer->buffer, shape.width, shape.height, paced, damage, num_rects) &&
           queue_->flush() && (paced || wait_free([this] { return buffers_->any_free(); }));
}

uint64_t Window::take_buffers(EGLint width, EGLint height, const ExportBuffer &make) {
    std::lock_guard posting(posting_);
    shared_ = 0;
    const uint32_t fourcc = opaque_ ? formats_.dma_opaque : formats_.dma_alpha;
    return surface_ && dma_buffers_->make(width, height, fourcc, make) ? dma_buffers_->number() : 0;
}

// Whoever shows a frame just then has the window, and gives buffers back meanwhile.
int Window::claim_buffer(uint64_t buffers) {
    std::lock_guard posting(posting_);
    int index = -1;
    const auto claimed = [&] { return (index = dma_buffers_->claim()) >= 0; };
    if (!surface_ || dma_buffers_->number() != buffers || !queue_->dispatch(milliseconds(0)))
        return -1;
    if (!wait_free(claimed))
        return -1;
    return index;
}

bool Window::post_dma_buffer(uint32_t index, bool paced, const Rect *damage, EGLint num_rects) {
    wl_buffer *buffer = dma_buffers_->find(dma_buffers_->number(), index);
    const bool good = commit(buffer, dma_buffers_->width(), dma_buffers_->height(), paced, damage,
                             num_rects);
    dma_buffers_->shown();
    return good && queue_->flush();
}

bool Window::post_again(EGLint interval) {
    std::lock_guard posting(posting_);
    const bool paced = interval != 0;
    if (!surface_ || !queue_->dispatch(milliseconds(0)) || (paced && !wait_frame(interval)))
        return false;
    std::lock_guard lock(lock_);
    if (!window_)
        return false;
    const uint64_t extent = extent_;
    frame_state(EGLint(uint32_t(extent)), EGLint(extent >> 32), paced);
    wl_surface_commit(surface_);
    return queue_->flush();
}

void Window::drop_buffer(uint64_t buffers, uint32_t index) {
    std::lock_guard posting(posting_);
    if (surface_ && dma_buffers_->find(buffers, index))
        dma_buffers_->give_back(index);
    if (surface_ && shared_ && buffers == shared_)
        if (ShmBuffers::Buffer *buffer = buffers_->taken_by_server(index))
            buffer->give_back();
}

} // namespace egl::wayland
