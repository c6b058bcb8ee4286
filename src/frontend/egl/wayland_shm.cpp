// SPDX-License-Identifier: MIT
// See wayland_shm.h.
#include "wayland_shm.h"

#include "util/log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace egl::wayland {

namespace {

// Before the pixels; whole pages, so that they begin with one.
constexpr size_t words = 4096;

void released(void *data, wl_buffer *) {
    static_cast<ShmBuffers::Buffer *>(data)->give_back();
}
constexpr wl_buffer_listener buffer_listener = {released};

// A memory file that cannot shrink, so that the compositor need not fear a fault. -1: none.
int make_file(size_t size) {
    const int fd = memfd_create("mgpipe-frames", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, off_t(size)) < 0) {
        close(fd);
        return -1;
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
    return fd;
}

} // namespace

bool ShmBuffers::Buffer::take() {
    uint32_t free = 0;
    return std::atomic_ref(*taken).compare_exchange_strong(free, 1, std::memory_order_acquire);
}

void ShmBuffers::Buffer::give_back() {
    std::atomic_ref(*taken).store(0, std::memory_order_release);
}

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
    if (file_ >= 0)
        close(file_);
    file_ = -1;
    if (pool_)
        wl_shm_pool_destroy(pool_);
    if (map_)
        munmap(map_, size_);
    pool_ = nullptr;
    map_ = nullptr;
    count_ = 0;
}

bool ShmBuffers::make_pool(size_t size) {
    const int fd = make_file(size);
    if (fd < 0)
        return false;
    void *map = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) {
        map_ = static_cast<std::byte *>(map);
        size_ = size;
        pool_ = wl_shm_create_pool(shm_, fd, int32_t(size));
    }
    file_ = fd;
    number_++;
    return pool_ != nullptr;
}

bool ShmBuffers::shape(int width, int height, uint32_t format) {
    if (pool_ && width == width_ && height == height_) {
        if (format != format_)
            drop_buffers(); // the memory stays
        format_ = format;
        return true;
    }
    drop();
    const uint64_t one = uint64_t(width) * uint64_t(height) * 4;
    const uint64_t limit = INT32_MAX - words; // of the protocol
    if (!shm_ || width <= 0 || height <= 0 || one > limit)
        return false;
    const int count = int(std::min<uint64_t>(max_buffers, limit / one));
    if (!make_pool(words + size_t(one) * size_t(count))) {
        log_warning("egl", "no memory shared with the compositor for windows of %dx%d: %s", width,
                    height, std::strerror(errno));
        drop();
        return false;
    }
    width_ = width;
    height_ = height;
    format_ = format;
    count_ = count;
    for (int i = 0; i < count_; i++) {
        buffers_[size_t(i)].taken = reinterpret_cast<uint32_t *>(map_) + i;
        buffers_[size_t(i)].pixels = map_ + words + size_t(i) * size_t(one);
    }
    return true;
}

bool ShmBuffers::make_buffer(int index) {
    Buffer &buffer = buffers_[size_t(index)];
    if (buffer.buffer)
        return true;
    buffer.buffer = wl_shm_pool_create_buffer(pool_, int32_t(buffer.pixels - map_), width_, height_,
                                              width_ * 4, format_);
    if (buffer.buffer)
        wl_buffer_add_listener(buffer.buffer, &buffer_listener, &buffer);
    return buffer.buffer != nullptr;
}

ShmBuffers::Buffer *ShmBuffers::take() {
    for (int i = 0; i < count_; i++) {
        Buffer &buffer = buffers_[size_t(i)];
        if (!buffer.take())
            continue;
        if (make_buffer(i))
            return &buffer;
        buffer.give_back();
        return nullptr;
    }
    return nullptr;
}

bool ShmBuffers::any_free() {
    for (int i = 0; i < count_; i++)
        if (!std::atomic_ref(*buffers_[size_t(i)].taken).load(std::memory_order_relaxed))
            return true;
    return false;
}

ShmBuffers::Buffer *ShmBuffers::taken_by_server(uint32_t index) {
    if (index >= uint32_t(count_) || !make_buffer(int(index)))
        return nullptr;
    return &buffers_[index];
}

FrameBuffers ShmBuffers::describe() const {
    FrameBuffers out;
    out.fd = file_;
    out.count = uint32_t(count_);
    out.size = size_;
    out.offset = words;
    out.buffer_size = uint64_t(width_) * uint64_t(height_) * 4;
    out.width = width_;
    out.height = height_;
    return out;
}

} // namespace egl::wayland
