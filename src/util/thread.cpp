// SPDX-License-Identifier: MIT
// Threads; see util/thread.h.
#include "util/thread.h"

#include <csignal>
#include <pthread.h>
#include <system_error>

#include "util/log.h"

namespace util {

bool start_thread(std::thread *out, const char *name, std::function<void()> body) {
    // A thread inherits the mask: set before, so that there is no moment without it.
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = true;
    try {
        *out = std::thread(std::move(body));
        pthread_setname_np(out->native_handle(), name);
    } catch (const std::system_error &e) {
        started = false;
        log_error_once("thread", "no thread for %s: %s", name, e.what());
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return started;
}

} // namespace util
