// SPDX-License-Identifier: MIT
// See wayland_shm.h.
#include "wayland_shm.h"

#include "util/log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace egl::wayland {

namespace {

void released(void *data, wl_buffer *) {
    static_cast<ShmBuffers::Buffer *>(data)->busy = false;
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

ShmBuffers::ShmBuffers(wl_shm *shm, Queue &queue) : shm_(queue.wrap(shm)) {}

ShmBuffers::~ShmBuffers() {
    drop();
    if (shm_)
        wl_proxy_wrapper_destroy(shm_);
}

void ShmBuffers::drop() {
    for (Buffer &buffer : buffers_) {
        if (buffer.buffer)
            wl_buffer_destroy(buffer.buffer);
        buffer = {};
    }
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
    close(fd);
    return pool_ != nullptr;
}

bool ShmBuffers::shape(int width, int height, uint32_t format) {
    if (pool_ && width == width_ && height == height_ && format == format_)
        return true;
    drop();
    const uint64_t one = uint64_t(width) * uint64_t(height) * 4;
    const uint64_t limit = INT32_MAX; // of the protocol
    if (!shm_ || width <= 0 || height <= 0 || one > limit)
        return false;
    const int count = int(std::min<uint64_t>(max_buffers, limit / one));
    if (!make_pool(size_t(one) * size_t(count))) {
        log_warning("egl", "no memory shared with the compositor for windows of %dx%d: %s", width,
                    height, std::strerror(errno));
        drop();
        return false;
    }
    width_ = width;
    height_ = height;
    format_ = format;
    count_ = count;
    return true;
}

ShmBuffers::Buffer *ShmBuffers::take() {
    for (int i = 0; i < count_; i++) {
        Buffer &buffer = buffers_[size_t(i)];
        if (buffer.busy)
            continue;
        if (buffer.buffer)
            return &buffer;
        const size_t offset = size_t(i) * size_t(width_) * size_t(height_) * 4;
        buffer.buffer =
            wl_shm_pool_create_buffer(pool_, int32_t(offset), width_, height_, width_ * 4, format_);
        if (!buffer.buffer)
            return nullptr;
        buffer.pixels = map_ + offset;
        wl_buffer_add_listener(buffer.buffer, &buffer_listener, &buffer);
        return &buffer;
    }
    return nullptr;
}

} // namespace egl::wayland
