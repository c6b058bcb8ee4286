// SPDX-License-Identifier: MIT
// The buffers of one window in memory of a driver, by zwp_linux_dmabuf_v1: four of one size and
// format. Used under the window's lock.
#pragma once

#include "platform.h"
#include "wayland_queue.h"

#include <array>
#include <memory>
#include <vector>

struct zwp_linux_buffer_params_v1;
struct zwp_linux_buffer_params_v1_listener;
struct zwp_linux_dmabuf_v1;

namespace egl::wayland {

// What a compositor takes of dma-bufs.
struct DmabufOffer {
    struct Format {
        uint32_t fourcc;
        uint64_t modifier;
    };
    zwp_linux_dmabuf_v1 *global = nullptr; // null: nothing
    std::vector<Format> formats;

    // Listens to the announcements of `global`, which may come until its end.
    void listen();
    std::vector<uint64_t> modifiers(uint32_t fourcc) const;
};

class DmaBuffers {
  public:
    static constexpr int count = 4;

    // `offer` outlives this; events come on `queue`.
    DmaBuffers(const DmabufOffer &offer, Queue &queue);
    ~DmaBuffers();
    DmaBuffers(const DmaBuffers &) = delete;
    DmaBuffers &operator=(const DmaBuffers &) = delete;

    // Buffers that make() gives, in place of those of before, which go once another one is shown.
    // Waits for the compositor's answer. False: there are none; a compositor that refuses one, or
    // says nothing, is not asked again.
    bool make(int width, int height, uint32_t fourcc, const ExportBuffer &make);
    // The index of one that nobody has and that is the caller's now; -1: none.
    int claim();
    void give_back(uint32_t index);
    // To be attached; null: there is no such.
    wl_buffer *find(uint64_t number, uint32_t index) const;
    // The window shows one of find()'s.
    void shown() { before_.reset(); }
    // Counts what make() made, apart from the numbers of ShmBuffers.
    uint64_t number() const { return now_ ? number_ : 0; }
    int width() const { return width_; }
    int height() const { return height_; }

  private:
    struct Buffer {
        wl_buffer *buffer = nullptr;
        bool taken = false;    // by the compositor, a server or a frame on its way
        bool answered = false; // by the compositor
    };
    struct Set {
        std::array<Buffer, count> buffers;
        ~Set();
    };
    static const zwp_linux_buffer_params_v1_listener params_listener;
    static const wl_buffer_listener buffer_listener;

    struct Shape {
        int width, height;
        uint32_t fourcc;
        std::vector<uint64_t> modifiers;
    };
    // Null: the driver has none.
    zwp_linux_buffer_params_v1 *offer(Buffer &buffer, const Shape &shape,
                                             const ExportBuffer &make);
    bool offer_all(Set &set, const Shape &shape, const ExportBuffer &make);

    const DmabufOffer &offer_;
    Queue &queue_;
    zwp_linux_dmabuf_v1 *dmabuf_; // wrapper on the window's queue
    bool refused_ = false;
    std::unique_ptr<Set> now_, before_;
    uint64_t number_ = uint64_t(1) << 63;
    int width_ = 0, height_ = 0;
};

} // namespace egl::wayland
