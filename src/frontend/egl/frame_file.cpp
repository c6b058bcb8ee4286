// SPDX-License-Identifier: MIT
// See frame_file.h.
#include "frame_file.h"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace egl {

namespace {

// Before the pixels; whole pages, so that they begin with one.
constexpr uint64_t words = 4096;

// A memory file that cannot shrink, so that nobody who maps it need fear a fault. -1: none.
int make_file(uint64_t size) {
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

bool FrameFile::make(EGLint width, EGLint height, uint32_t most, uint64_t limit) {
    drop();
    const uint64_t one = uint64_t(width) * uint64_t(height) * 4;
    if (width <= 0 || height <= 0 || limit < words || one > limit - words)
        return false;
    const auto count = uint32_t(std::min<uint64_t>(most, (limit - words) / one));
    const uint64_t size = words + one * count;
    if ((fd_ = make_file(size)) < 0)
        return false;
    void *map = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (map == MAP_FAILED) {
        drop();
        return false;
    }
    map_ = static_cast<std::byte *>(map);
    size_ = size;
    count_ = count;
    width_ = width;
    height_ = height;
    return true;
}

void FrameFile::drop() {
    if (map_)
        munmap(map_, size_);
    if (fd_ >= 0)
        close(fd_);
    map_ = nullptr;
    fd_ = -1;
    count_ = 0;
}

uint64_t FrameFile::offset(uint32_t index) const {
    return words + uint64_t(index) * uint64_t(width_) * uint64_t(height_) * 4;
}

FrameBuffers FrameFile::describe() const {
    FrameBuffers out;
    out.fd = fd_;
    out.count = count_;
    out.size = size_;
    out.offset = words;
    out.buffer_size = offset(1) - offset(0);
    out.width = width_;
    out.height = height_;
    return out;
}

bool FrameFile::take(uint32_t index) {
    uint32_t free = 0;
    return std::atomic_ref(*word(index)).compare_exchange_strong(free, 1, std::memory_order_acquire);
}

bool FrameFile::is_free(uint32_t index) const {
    return !std::atomic_ref(*word(index)).load(std::memory_order_relaxed);
}

void FrameFile::give_back(uint32_t index) {
    std::atomic_ref(*word(index)).store(0, std::memory_order_release);
}

} // namespace egl
