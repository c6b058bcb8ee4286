// SPDX-License-Identifier: MIT
// An event queue of our own on a wl_display, so that nothing here ever runs a listener of the
// program's. One thread at a time uses a queue; several queues of one display are independent.
#pragma once

#include <wayland-client.h>

#include <chrono>

namespace egl::wayland {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class Queue {
  public:
    explicit Queue(wl_display *display);
    ~Queue(); // all proxies on it are gone
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;

    // Runs our listeners for what has arrived, after at most `limit` of waiting for something to
    // arrive. False: the connection is dead.
    bool dispatch(milliseconds limit);
    // Until the compositor has answered all requests so far. False: dead, or not within `limit`.
    bool roundtrip(milliseconds limit);
    // Sends off requests. False: the connection is dead.
    bool flush();

    // The same object with its events, and those of what it makes, on this queue. Freed by
    // wl_proxy_wrapper_destroy, before the queue.
    template <class T> T *wrap(T *object) const { return static_cast<T *>(wrap_proxy(object)); }

    wl_display *display() const { return display_; }

  private:
    void *wrap_proxy(void *object) const;
    bool wait_readable(milliseconds limit);

    wl_display *display_;
    wl_event_queue *queue_;
};

} // namespace egl::wayland
