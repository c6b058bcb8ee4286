// SPDX-License-Identifier: MIT
// Memory of this process for the frames of one window, which a server and the window system may
// share: buffers of one extent in one memory file, four bytes a pixel, rows without gaps.
#pragma once

#include "platform.h"

#include <cstddef>

namespace egl {

class FrameFile {
  public:
    FrameFile() = default;
    ~FrameFile() { drop(); }
    FrameFile(const FrameFile &) = delete;
    FrameFile &operator=(const FrameFile &) = delete;

    // `most` buffers, or as many as `limit` bytes hold; all are free. False: there is no memory.
    bool make(EGLint width, EGLint height, uint32_t most, uint64_t limit);
    void drop(); // others keep theirs

    explicit operator bool() const { return map_ != nullptr; }
    bool has_extent(EGLint width, EGLint height) const {
        return map_ && width == width_ && height == height_;
    }
    int fd() const { return fd_; }
    size_t size() const { return size_; }
    uint32_t count() const { return count_; }
    uint64_t offset(uint32_t index) const; // of the pixels, in the file
    std::byte *pixels(uint32_t index) const { return map_ + offset(index); }
    FrameBuffers describe() const;

    // Who has a buffer: somebody who took it, in this process or another.
    bool take(uint32_t index);
    bool is_free(uint32_t index) const;
    void give_back(uint32_t index);

  private:
    uint32_t *word(uint32_t index) const { return reinterpret_cast<uint32_t *>(map_) + index; }

    int fd_ = -1;
    std::byte *map_ = nullptr;
    size_t size_ = 0;
    uint32_t count_ = 0;
    EGLint width_ = 0, height_ = 0;
};

} // namespace egl
