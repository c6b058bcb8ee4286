// SPDX-License-Identifier: MIT
// When a window's frame is shown: the host's present mode for a swap interval, how many frames may
// be queued, and the wait of intervals above one. No clock and no sleep in here: callers bring the
// time (nanoseconds of one steady clock).
#pragma once

#include <cstdint>

namespace drivers_common {

enum class present_mode : uint8_t { immediate, mailbox, fifo, fifo_relaxed };

const char *present_mode_name(present_mode mode);

constexpr uint32_t mode_bit(present_mode mode) {
    return 1u << unsigned(mode);
}

// `offered`: mode_bit() of each mode that the host has; FIFO is always taken to be there.
// 0 shows at once (tearing rather than waiting), above 0 waits for the refresh, below 0 waits
// unless it is late (GLX_EXT_swap_control_tear).
present_mode choose_present_mode(int32_t interval, uint32_t offered);

// The largest interval either way; a client's own limit is no larger.
constexpr int32_t max_interval = 8;
// What a peer asks for, within the limits: an interval is a wait.
constexpr int32_t legal_interval(int32_t interval) {
    return interval > max_interval    ? max_interval
           : interval < -max_interval ? -max_interval
                                      : interval;
}

// Frames that the GPU may have unfinished when present() returns. Two frames at most are queued end
// to end: where a server presents, its client is one frame ahead, and one is left. `options` is
// pipe_screen_config::options, in which a server says so by CLIENT_AHEAD=1.
uint32_t frames_in_flight(const char *options);

// Intervals above one. The host's own pace lets one frame pass per refresh; the rest is waited for
// here, before the frame is handed over. One per window.
class pacer {
  public:
    // When the next frame may be handed to the host; not after `now`: at once.
    uint64_t due(int32_t interval, uint64_t now) const;
    // The host took a frame at `now`. `waited`: it made us wait for its refresh.
    void handed(int32_t interval, uint64_t now, bool waited);
    // Length of a refresh, as the host's waits have shown it; 1/60 s before that.
    uint64_t refresh_ns() const { return refresh_; }

  private:
    uint64_t slot_ = 0; // when the last frame was due, or came if that was later; 0: none yet
    uint64_t last_handed_ = 0;
    uint64_t refresh_ = 1'000'000'000 / 60;
    bool host_waits_ = false;
};

} // namespace drivers_common
