// SPDX-License-Identifier: MIT
// The frames of an X screen, for windows whose pixels are put and for GLX_OML_sync_control and
// GLX_SGI_video_sync: a count that goes up at the refresh rate of the first active output (RandR),
// in step with CLOCK_MONOTONIC. It is a clock of its own: drivers present by their hosts, which
// tell no frame counts. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace egl {

// Frames per second as a fraction; 60/1 where the server tells none.
struct FrameRate {
    uint32_t numerator = 60, denominator = 1;
};

class FrameClock {
  public:
    explicit FrameClock(FrameRate rate) : rate_(rate) {}

    const FrameRate &rate() const { return rate_; }
    // Microseconds of CLOCK_MONOTONIC at which frame `msc` began, and the frame of a time.
    int64_t ust_of(int64_t msc) const;
    int64_t msc_at(int64_t ust) const;

    // The frame to wait for (GLX_OML_sync_control): `target` while that is to come, else the next
    // one whose number is `remainder` by `divisor`; the present frame where divisor is 0.
    static int64_t goal(int64_t now, int64_t target, int64_t divisor, int64_t remainder);

  private:
    FrameRate rate_;
};

int64_t monotonic_us();
void sleep_until_us(int64_t ust);

// Asks the server by a connection that is closed again.
FrameRate query_frame_rate(const std::string &display_name, int screen);

} // namespace egl
