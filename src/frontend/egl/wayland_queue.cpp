// SPDX-License-Identifier: MIT
// See wayland_queue.h. Reading follows libwayland's rules for several readers of one connection
// (wl_display_prepare_read_queue).
#include "wayland_queue.h"

#include <cerrno>
#include <poll.h>

namespace egl::wayland {

namespace {

// An error event may still be waiting to be read, so a closed pipe is not the end yet.
bool flush_some(wl_display *display, bool &more) {
    const int sent = wl_display_flush(display);
    more = sent < 0 && errno == EAGAIN;
    return sent >= 0 || errno == EAGAIN || errno == EPIPE;
}

void sync_done(void *data, wl_callback *, uint32_t) {
    *static_cast<bool *>(data) = true;
}
constexpr wl_callback_listener sync_listener = {sync_done};

} // namespace

Queue::Queue(wl_display *display) : display_(display), queue_(wl_display_create_queue(display)) {}

Queue::~Queue() {
    wl_event_queue_destroy(queue_);
}

void *Queue::wrap_proxy(void *object) const {
    void *wrapper = wl_proxy_create_wrapper(object);
    if (wrapper)
        wl_proxy_set_queue(static_cast<wl_proxy *>(wrapper), queue_);
    return wrapper;
}

bool Queue::flush() {
    bool more;
    return flush_some(display_, more) && !wl_display_get_error(display_);
}

// Between prepare_read and read_events or cancel_read.
bool Queue::wait_readable(milliseconds limit) {
    const Clock::time_point end = Clock::now() + limit;
    for (;;) {
        bool more;
        if (!flush_some(display_, more))
            return false;
        const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
        const short events = short(POLLIN | (more ? POLLOUT : 0));
        pollfd poll_fd = {wl_display_get_fd(display_), events, 0};
        const int ready = poll(&poll_fd, 1, left.count() > 0 ? int(left.count()) : 0);
        if (ready > 0 && poll_fd.revents & ~POLLOUT)
            return true;
        if (ready == 0 || (ready < 0 && errno != EINTR) || Clock::now() >= end)
            return false;
    }
}

bool Queue::dispatch(milliseconds limit) {
    if (wl_display_prepare_read_queue(display_, queue_))
        return wl_display_dispatch_queue_pending(display_, queue_) >= 0;
    if (!wait_readable(limit)) {
        wl_display_cancel_read(display_);
        return !wl_display_get_error(display_);
    }
    return wl_display_read_events(display_) == 0 &&
           wl_display_dispatch_queue_pending(display_, queue_) >= 0;
}

bool Queue::roundtrip(milliseconds limit) {
    const Clock::time_point end = Clock::now() + limit;
    wl_display *wrapper = wrap(display_);
    wl_callback *callback = wrapper ? wl_display_sync(wrapper) : nullptr;
    if (wrapper)
        wl_proxy_wrapper_destroy(wrapper);
    if (!callback)
        return false;
    bool done = false;
    wl_callback_add_listener(callback, &sync_listener, &done);
    while (!done && Clock::now() < end &&
           dispatch(std::chrono::duration_cast<milliseconds>(end - Clock::now())))
        ;
    wl_callback_destroy(callback);
    return done;
}

} // namespace egl::wayland
