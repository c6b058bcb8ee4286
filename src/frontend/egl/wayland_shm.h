// SPDX-License-Identifier: MIT
// The buffers of one window in memory shared with the compositor, and with a server that writes
// frames: up to four of one size and format, cut from one memory file. Used under the window's
// lock.
#pragma once

#include "platform.h"
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
        uint32_t *taken = nullptr; // in the memory: the compositor has it, or a server
        std::byte *pixels = nullptr;
        // Whether it is ours now.
        bool take();
        void give_back();
    };

    // Makes room for buffers of this kind and lets go of all others, also of those that the
    // compositor still reads: their memory is not written again. 4 bytes a pixel, `width` of them a
    // row. False: no memory.
    bool shape(int width, int height, uint32_t format);
    // One that nobody has, and that is ours now, or null.
    Buffer *take();
    // Whether there is one.
    bool any_free();
    // One that a server took; null: there is no such.
    Buffer *taken_by_server(uint32_t index);
    bool has_extent(int width, int height) const {
        return pool_ && width == width_ && height == height_;
    }
    // Counts the memory files.
    uint64_t number() const { return number_; }
    FrameBuffers describe() const;

  private:
    bool make_pool(size_t size);
    bool make_buffer(int index);
    void drop_buffers();
    void drop();

    wl_shm *shm_; // wrapper on the window's queue
    int width_ = 0, height_ = 0;
    uint32_t format_ = 0;
    int count_ = 0; // that fit into the pool
    size_t size_ = 0;
    uint64_t number_ = 0;
    int file_ = -1;
    std::byte *map_ = nullptr;
    wl_shm_pool *pool_ = nullptr;
    std::array<Buffer, max_buffers> buffers_;
};

} // namespace egl::wayland
