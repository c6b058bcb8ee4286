// SPDX-License-Identifier: MIT
// The buffers of one window in memory shared with the compositor, and with a server that writes
// frames: up to four of one size and format, cut from one memory file. Used under the window's
// lock.
#pragma once

#include "frame_file.h"
#include "wayland_queue.h"

#include <array>
#include <cstddef>

namespace egl::wayland {

class ShmBuffers {
  public:
    static constexpr uint32_t max_buffers = 4;

    // `shm` outlives this; events come on `queue`.
    ShmBuffers(wl_shm *shm, Queue &queue);
    ~ShmBuffers();
    ShmBuffers(const ShmBuffers &) = delete;
    ShmBuffers &operator=(const ShmBuffers &) = delete;

    // Taken in the file while the compositor has it, or a server.
    struct Buffer {
        wl_buffer *buffer = nullptr;
        std::byte *pixels = nullptr;
        FrameFile *file = nullptr;
        uint32_t index = 0;
        void give_back() { file->give_back(index); }
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
        return pool_ && file_.has_extent(width, height);
    }
    // Counts the memory files.
    uint64_t number() const { return number_; }
    FrameBuffers describe() const { return file_.describe(); }

  private:
    bool make_pool(int width, int height);
    bool make_buffer(uint32_t index);
    void drop_buffers();
    void drop();

    wl_shm *shm_; // wrapper on the window's queue
    int width_ = 0, height_ = 0;
    uint32_t format_ = 0;
    uint64_t number_ = 0;
    FrameFile file_;
    wl_shm_pool *pool_ = nullptr;
    std::array<Buffer, max_buffers> buffers_;
};

} // namespace egl::wayland
