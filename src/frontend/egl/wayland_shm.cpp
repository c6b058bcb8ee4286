// SPDX-License-Identifier: MIT
// See wayland_shm.h.
#include "wayland_shm.h"

#include "util/log.h"

#include <cerrno>
#include <cstring>

namespace egl::wayland {

namespace {

void released(void *data, wl_buffer *) {
    static_cast<ShmBuffers::Buffer *>(data)->give_back();
}
constexpr wl_buffer_listener buffer_listener = {released};

} // namespace

ShmBuffers::ShmBuffers(wl_shm *shm, Queue &queue) : shm_(queue.wrap(shm)) {}

ShmBuffers::~ShmBuffers() {
    drop();
    if (shm_)
        wl_proxy_wrapper_destroy(shm_);
}

void ShmBuffers::drop_buffers() {
    for (Buffer &buffer : buffers_) {
        if (buffer.buffer)
            wl_buffer_destroy(buffer.buffer);
        buffer.buffer = nullptr;
    }
}

void ShmBuffers::drop() {
    drop_buffers();
    buffers_ = {};
    if (pool_)
        wl_shm_pool_destroy(pool_);
    pool_ = nullptr;
    file_.drop();
}

bool ShmBuffers::make_pool(int width, int height) {
    if (!file_.make(width, height, max_buffers, INT32_MAX)) // of the protocol
        return false;
    pool_ = wl_shm_create_pool(shm_, file_.fd(), int32_t(file_.size()));
    number_++;
    return pool_ != nullptr;
}

bool ShmBuffers::shape(int width, int height, uint32_t format) {
    if (has_extent(width, height)) {
        if (format != format_)
            drop_buffers(); // the memory stays
        format_ = format;
        return true;
    }
    drop();
    if (!shm_ || width <= 0 || height <= 0)
        return false;
    if (!make_pool(width, height)) {
        log_warning("egl", "no memory shared with the compositor for windows of %dx%d: %s", width,
                    height, std::strerror(errno));
        drop();
        return false;
    }
    width_ = width;
    height_ = height;
    format_ = format;
    for (uint32_t i = 0; i < file_.count(); i++)
        buffers_[i] = {nullptr, file_.pixels(i), &file_, i};
    return true;
}

bool ShmBuffers::make_buffer(uint32_t index) {
    Buffer &buffer = buffers_[index];
    if (buffer.buffer)
        return true;
    buffer.buffer = wl_shm_pool_create_buffer(pool_, int32_t(file_.offset(index)), width_, height_,
                                              width_ * 4, format_);
    if (buffer.buffer)
        wl_buffer_add_listener(buffer.buffer, &buffer_listener, &buffer);
    return buffer.buffer != nullptr;
}

ShmBuffers::Buffer *ShmBuffers::take() {
    for (uint32_t i = 0; i < file_.count(); i++) {
        if (!file_.take(i))
            continue;
        if (make_buffer(i))
            return &buffers_[i];
        file_.give_back(i);
        return nullptr;
    }
    return nullptr;
}

bool ShmBuffers::any_free() {
    for (uint32_t i = 0; i < file_.count(); i++)
        if (file_.is_free(i))
            return true;
    return false;
}

ShmBuffers::Buffer *ShmBuffers::taken_by_server(uint32_t index) {
    if (index >= file_.count() || !make_buffer(index))
        return nullptr;
    return &buffers_[index];
}

} // namespace egl::wayland
