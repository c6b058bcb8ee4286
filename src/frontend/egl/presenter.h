// SPDX-License-Identifier: MIT
// A window or pixmap whose frames come from a server in parts, and the thread that shows them: in
// the order of their presents, at the window system's pace. A program that swaps waits while too
// many frames are on their way, for the window system and not for an answer of the server's.
#pragma once

#include "platform.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace egl {

class Presenter {
  public:
    // Null when there is no thread to be had. `target` lives longer. Pixels come as R G B A bytes
    // or, with `ten_bits`, words of 10, 10, 10, 2 bits, red in the lowest.
    static std::shared_ptr<Presenter> start(NativeDrawable &target, bool ten_bits);
    // Shows what has arrived completely; waits for the window system at most as post() does.
    ~Presenter();
    Presenter(const Presenter &) = delete;
    Presenter &operator=(const Presenter &) = delete;

    // How long a question to a server and its answer take; from the next frame on.
    void set_link(uint64_t round_trip_ns);

    // Asked now and then while a thread waits; true ends the wait.
    using Lost = std::function<bool()>;

    // A frame will be asked for; `source` is the surface that it comes from and `serial` counts
    // its frames. Waits until few enough are on their way. *slot: n: it is to be copied to buffer
    // n - 1 of the driver's; 0: it comes in parts. The thread that swaps, without EGL's lock. False:
    // the drawable is gone.
    bool expect(uint64_t source, uint64_t serial, EGLint width, EGLint height, EGLint interval,
                const Lost &lost, uint32_t *slot);
    // Before expect(): where frames of `source` go, asked anew for each extent: into buffers of the
    // driver's if `make` gives some that the window takes, into the window's own if share(buffers)
    // says so. Null: not asked. Whether they are the driver's. Likewise.
    bool fit(uint64_t source, EGLint width, EGLint height, const ExportBuffer &make,
             const ShareBuffers &share, const Lost &lost);
    // Until everything that is expected has been shown. Likewise.
    void drain(const Lost &lost);

    struct Part {
        Rect box;
        EGLint width, height; // of the frame
        bool last;            // the frame is complete
        uint32_t slot = 0;    // n: the pixels are in buffer n - 1 of the window's
    };
    // `pixels`: rows of part.box without gaps, the top one first. Parts that nobody expects are
    // dropped. Any thread; waits for nobody.
    void part(uint64_t source, uint64_t serial, const Part &part, const void *pixels);

  private:
    // A picture with the parts that are to be put into it, in order.
    struct Frame {
        uint64_t source = 0, serial = 0;
        EGLint width = 0, height = 0, interval = 0;
        bool arrived = false;
        uint32_t slot = 0;    // as Part
        uint64_t buffers = 0; // of the slot
        std::vector<Rect> boxes;
        std::vector<uint8_t> pixels; // of the boxes, one behind the other
    };
    // What the window shows of a source.
    struct Picture {
        EGLint width = 0, height = 0;
        std::vector<uint32_t> pixels; // as NativeDrawable::post() takes them
    };

    // Where frames of a source go.
    struct Sharing {
        EGLint width = 0, height = 0;
        uint64_t buffers = 0; // 0: not shared
        bool exported = false;
    };

    Presenter(NativeDrawable &target, bool ten_bits) : target_(target), ten_bits_(ten_bits) {}
    void run();
    bool show(const Frame &frame);
    void put(Picture &picture, const Rect &box, const uint8_t *pixels) const;
    template <class Ready>
    void wait(std::unique_lock<std::mutex> &lock, const Lost &lost, Ready ready);
    std::deque<Frame>::iterator next_arrived();
    size_t most_ahead(EGLint interval) const;
    uint32_t claim(std::unique_lock<std::mutex> &lock, const Sharing &sharing);

    NativeDrawable &target_;
    const bool ten_bits_;
    std::thread thread_;

    // Of the thread.
    std::unordered_map<uint64_t, Picture> pictures_;
    uint64_t shown_source_ = 0;
    bool shown_buffer_ = false; // what it shows came in a buffer

    std::mutex mutex_; // guards what follows
    std::condition_variable arrived_, shown_;
    std::deque<Frame> frames_; // expected and not shown, in the order of their presents
    std::vector<Frame> spare_; // their memory
    std::unordered_map<uint64_t, Sharing> sharing_; // by source
    uint64_t buffers_ = 0;                          // the window's last ones
    struct Unwanted {
        uint64_t buffers;
        uint32_t slot;
    };
    std::vector<Unwanted> unwanted_; // buffers of frames that nobody expects
    bool ending_ = false, gone_ = false;
    uint64_t link_ns_ = 0;
};

} // namespace egl
