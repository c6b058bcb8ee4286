// SPDX-License-Identifier: MIT
#include "x11_clock.h"

#include <xcb/randr.h>
#include <xcb/xcb.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace egl {

namespace {

constexpr int64_t us_per_s = 1000000;

struct Free {
    void operator()(void *p) const { std::free(p); }
};
template <class T> using Reply = std::unique_ptr<T, Free>;

struct Disconnect {
    void operator()(xcb_connection_t *c) const { xcb_disconnect(c); }
};

using Resources = Reply<xcb_randr_get_screen_resources_current_reply_t>;

// The mode of the first output that shows something; XCB_NONE if none does.
xcb_randr_mode_t active_mode(xcb_connection_t *c, const Resources &resources) {
    const xcb_randr_crtc_t *crtcs = xcb_randr_get_screen_resources_current_crtcs(resources.get());
    for (int i = 0; i < xcb_randr_get_screen_resources_current_crtcs_length(resources.get()); i++) {
        const Reply<xcb_randr_get_crtc_info_reply_t> info(xcb_randr_get_crtc_info_reply(
            c, xcb_randr_get_crtc_info(c, crtcs[i], XCB_CURRENT_TIME), nullptr));
        if (info && info->mode != XCB_NONE)
            return info->mode;
    }
    return XCB_NONE;
}

FrameRate rate_of(const xcb_randr_mode_info_t &mode) {
    const uint32_t pixels = uint32_t(mode.htotal) * mode.vtotal;
    return mode.dot_clock && pixels ? FrameRate{mode.dot_clock, pixels} : FrameRate{};
}

} // namespace

int64_t FrameClock::ust_of(int64_t msc) const {
    const __int128 us = __int128(msc) * us_per_s * rate_.denominator;
    return int64_t((us + rate_.numerator - 1) / rate_.numerator);
}

int64_t FrameClock::msc_at(int64_t ust) const {
    return int64_t(__int128(ust) * rate_.numerator / (__int128(us_per_s) * rate_.denominator));
}

int64_t FrameClock::goal(int64_t now, int64_t target, int64_t divisor, int64_t remainder) {
    if (now < target)
        return target;
    if (divisor == 0)
        return now;
    const int64_t frame = now - now % divisor + remainder;
    return frame > now ? frame : frame + divisor;
}

int64_t monotonic_us() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * us_per_s + now.tv_nsec / 1000;
}

void sleep_until_us(int64_t ust) {
    const timespec until{time_t(ust / us_per_s), long(ust % us_per_s * 1000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

FrameRate query_frame_rate(const std::string &display_name, int screen) {
    const std::unique_ptr<xcb_connection_t, Disconnect> connection(
        xcb_connect(display_name.c_str(), nullptr));
    xcb_connection_t *c = connection.get();
    if (xcb_connection_has_error(c))
        return {};
    const xcb_query_extension_reply_t *randr = xcb_get_extension_data(c, &xcb_randr_id);
    xcb_screen_iterator_t it = xcb_setup_roots_iterator(xcb_get_setup(c));
    for (; it.rem > 0 && screen > 0; screen--)
        xcb_screen_next(&it);
    if (!randr || !randr->present || it.rem == 0)
        return {};
    const Reply<xcb_randr_query_version_reply_t> version(
        xcb_randr_query_version_reply(c, xcb_randr_query_version(c, 1, 3), nullptr));
    const Resources resources(xcb_randr_get_screen_resources_current_reply(
        c, xcb_randr_get_screen_resources_current(c, it.data->root), nullptr));
    if (!version || !resources)
        return {};
    const xcb_randr_mode_t wanted = active_mode(c, resources);
    auto mode = xcb_randr_get_screen_resources_current_modes_iterator(resources.get());
    for (; mode.rem > 0; xcb_randr_mode_info_next(&mode))
        if (mode.data->id == wanted)
            return rate_of(*mode.data);
    return {};
}

} // namespace egl
