// SPDX-License-Identifier: MIT
// The buffers of one window in memory shared with the compositor: up to four of one size and
// format, cut from one memory file. Used by the thread that swaps.
#pragma once

#include "wayland_queue.h"

#include <array>
#include <cstddef>

namespace egl::wayland {

class ShmBuffers {
  public:
    static constexpr int max_buffers = 4;

    // `shm` outlives this; events come on `queue`.
    ShmBuffers(wl_shm *shm, Queue &queue);
    ~ShmBuffers();
    ShmBuffers(const ShmBuffers &) = delete;
    ShmBuffers &operator=(const ShmBuffers &) = delete;

    struct Buffer {
        wl_buffer *buffer = nullptr;
        bool busy = false; // the compositor has it
        std::byte *pixels = nullptr;
    };

    // Makes room for buffers of this kind and lets go of all others, also of those that the
    // compositor still reads: their memory is not written again. 4 bytes a pixel, `width` of them a
    // row. False: no memory.
    bool shape(int width, int height, uint32_t format);
    // One that the compositor does not read, or null.
    Buffer *take();

  private:
    bool make_pool(size_t size);
    void drop();

    wl_shm *shm_; // wrapper on the window's queue
    int width_ = 0, height_ = 0;
    uint32_t format_ = 0;
    int count_ = 0; // that fit into the pool
    size_t size_ = 0;
    std::byte *map_ = nullptr;
    wl_shm_pool *pool_ = nullptr;
    std::array<Buffer, max_buffers> buffers_;
};

} // namespace egl::wayland
