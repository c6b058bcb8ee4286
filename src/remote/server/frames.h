// SPDX-License-Identifier: MIT
// Windows that the client shows (surfaces of kind FRAMES). After a present the lane reads the frame
// back, compares it with the last one that it sent, and sends what changed in control messages
// `frame`: bytes as the surface stores them, the top row first.
#pragma once

#include "control.h"
#include "segment.h"

#include "pipe/pipe_tables.h"

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

struct ZSTD_CCtx_s;

namespace remote {

// From the top left of a frame, in pixels.
struct FrameBox {
    uint32_t x, y, width, height;
};

// The boxes in which two pictures of 4 bytes a pixel differ, found by tiles of 32x32 and as small
// as they can be; rows are in GL's order (the bottom one first), boxes are not. `out` is empty.
void changed_boxes(const uint8_t *a, const uint8_t *b, uint32_t width, uint32_t height,
                   std::vector<FrameBox> &out);

// Buffers of the client for whole frames (control message `frame_memory`).
class FrameMemory {
  public:
    // Maps the memory, whose descriptor is used up. False: it does not hold what it should.
    bool open(const pipe_ctl_frame_memory &shape, int fd);
    bool fits(uint32_t width, uint32_t height) const {
        return memory_ && shape_.width == width && shape_.height == height;
    }
    // A buffer that nobody has, which is ours until the client gives it back; -1: none.
    int take();
    uint8_t *buffer(int index) const {
        return memory_.data() + shape_.offset + uint64_t(index) * shape_.buffer_size;
    }
    bool swaps_red_blue() const { return shape_.swap_red_blue != 0; }

  private:
    static constexpr uint32_t max_buffers = 8;
    Segment memory_;
    pipe_ctl_frame_memory shape_{};
};

// One surface. Frames of it are taken by one thread at a time.
class FrameSource {
  public:
    FrameSource(uint32_t screen, const pipe_surface_create &desc);
    ~FrameSource();
    FrameSource(const FrameSource &) = delete;
    FrameSource &operator=(const FrameSource &) = delete;

    // Under the lock of the surface's table: from the next frame on.
    void resize(uint32_t width, uint32_t height);

    // Where whole frames go from the next one on, while they fit. Null: into messages.
    void set_memory(std::unique_ptr<FrameMemory> memory);

    // A frame that `ctx` has presented: its draw and its read surface are this one. `group` is held
    // while the driver reads, not while the frame is sent. `packed`: zstd where that is smaller.
    void take(pipe_context *ctx, uint64_t serial, std::unique_lock<std::mutex> &group, bool packed,
              const std::function<void(Message &)> &send);
    // A frame that the driver has copied to where the client wanted it.
    void copied(uint64_t serial, const std::function<void(Message &)> &send);

  private:
    void begin(uint64_t serial);
    bool read(pipe_context *ctx);
    void put(Message &m, const FrameBox &box, bool packed);
    void copy_rows(const FrameBox &box, uint8_t *to) const;
    void send_box(const FrameBox &box, bool packed, bool last,
                  const std::function<void(Message &)> &send);
    // The last frame read, by the client's memory. False: no room there.
    bool send_shared(const std::function<void(Message &)> &send);
    void send_words(const std::function<void(Message &)> &send); // frame_ alone
    FrameBox whole() const { return {0, 0, sent_width_, sent_height_}; }

    const uint32_t screen_;
    const pipe_handle surface_;
    const uint32_t format_; // pipe_format: bytes come as they are stored
    uint32_t width_, height_;

    std::mutex taking_; // guards what follows
    ZSTD_CCtx_s *packer_ = nullptr;
    pipe_ctl_frame frame_{}; // being sent
    Message message_;
    std::vector<uint8_t> now_, sent_, rows_;
    uint32_t sent_width_ = 0, sent_height_ = 0; // of sent_; 0: nothing was sent
    std::vector<FrameBox> boxes_;
    std::unique_ptr<FrameMemory> memory_;
    bool behind_ = false; // what the client has of messages is older than what it shows
};

// The sources of a screen, by what its root calls did. Used under ServerScreen::group.
class FrameSources {
  public:
    // `record` of a call that the driver has answered with PIPE_OK.
    void root_call(uint32_t screen, const uint8_t *record);
    std::shared_ptr<FrameSource> find(pipe_handle surface) const;

  private:
    std::unordered_map<uint64_t, std::shared_ptr<FrameSource>> all_; // by pipe_handle_key()
};

} // namespace remote
