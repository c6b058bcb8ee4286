// SPDX-License-Identifier: MIT
// Unpacks the control message `frame`, which a hostile server may have made.
#pragma once

#include "control.h"

#include "pipe/pipe_tables.h"

#include <mutex>
#include <vector>

struct ZSTD_DCtx_s;

namespace remote {

class ClientScreen;

// One per connection; any thread.
class FrameReader {
  public:
    ~FrameReader();
    // Checks the message and calls `deliver(event, pixels)`, which may not keep them. False: no
    // message of ours.
    template <typename Deliver> bool read(const Message &m, Deliver deliver) {
        std::lock_guard lock(mutex_);
        pipe_ctl_frame frame;
        const uint8_t *pixels = unpack(m, &frame);
        if (!pixels)
            return false;
        pipe_on_frame event{};
        event.surface = frame.surface;
        event.serial = frame.serial;
        event.x = frame.x;
        event.y = frame.y;
        event.width = frame.width;
        event.height = frame.height;
        event.frame_width = frame.frame_width;
        event.frame_height = frame.frame_height;
        event.last = frame.last;
        event.slot = frame.slot;
        const pipe_host_span span =
            pipe_span(pixels, frame.slot ? 0 : uint64_t(frame.width) * frame.height * pixel_bytes);
        deliver(frame.screen, event, span);
        return true;
    }

  private:
    static constexpr uint64_t pixel_bytes = 4;
    // Null: no message of ours.
    const uint8_t *unpack(const Message &m, pipe_ctl_frame *frame);

    std::mutex mutex_;
    ZSTD_DCtx_s *unpacker_ = nullptr;
    std::vector<uint8_t> unpacked_;
};

} // namespace remote
