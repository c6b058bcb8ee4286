// SPDX-License-Identifier: MIT
// See the header.
#include "drivers_common/pacing.h"

#include "util/options.h"

#include <algorithm>

namespace drivers_common {

namespace {

// What can be a refresh: 24 to 500 Hz. Longer gaps are frames that came late.
constexpr uint64_t shortest_refresh = 2'000'000, longest_refresh = 42'000'000;

uint64_t magnitude(int32_t interval) {
    return interval < 0 ? uint64_t(-int64_t(interval)) : uint64_t(interval);
}

} // namespace

const char *present_mode_name(present_mode mode) {
    switch (mode) {
    case present_mode::immediate: return "immediate";
    case present_mode::mailbox: return "mailbox";
    case present_mode::fifo: return "fifo";
    case present_mode::fifo_relaxed: return "fifo-relaxed";
    }
    return "?";
}

present_mode choose_present_mode(int32_t interval, uint32_t offered) {
    if (interval < 0)
        return offered & mode_bit(present_mode::fifo_relaxed) ? present_mode::fifo_relaxed
                                                              : present_mode::fifo;
    if (interval > 0)
        return present_mode::fifo;
    for (present_mode mode : {present_mode::immediate, present_mode::mailbox})
        if (offered & mode_bit(mode))
            return mode;
    return present_mode::fifo;
}

uint32_t frames_in_flight(const char *options) {
    return util::option(options, "CLIENT_AHEAD") ? 1 : 2;
}

uint64_t pacer::due(int32_t interval, uint64_t now) const {
    const uint64_t n = magnitude(interval);
    if (n < 2 || !slot_)
        return now;
    const uint64_t at = slot_ + n * refresh_;
    // Where the host waits too, the frame is handed over in the middle of the refresh before its
    // own, so that neither is missed by a little.
    return host_waits_ ? at - refresh_ / 2 : at;
}

void pacer::handed(int32_t interval, uint64_t now, bool waited) {
    const uint64_t gap = now - last_handed_;
    if (waited && host_waits_ && magnitude(interval) < 2 && gap >= shortest_refresh &&
        gap <= longest_refresh)
        refresh_ = gap < refresh_ ? gap : refresh_ + (gap - refresh_) / 16;
    host_waits_ = waited || (host_waits_ && magnitude(interval) > 1);
    last_handed_ = now;
    const uint64_t due_slot = slot_ + magnitude(interval) * refresh_;
    // A frame that is late starts the count anew; a host that waits tells where its refresh is.
    const bool on_time = magnitude(interval) > 1 && slot_ && now < due_slot + refresh_;
    slot_ = on_time && !waited ? due_slot : now;
}

} // namespace drivers_common
