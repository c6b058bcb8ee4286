// SPDX-License-Identifier: MIT
// Exit handlers that come first; see util/first_at_exit.h.
#include "util/first_at_exit.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <unistd.h>

#include "util/thread_slot.h"

// exit() runs what the calling thread registered here before any exit handler. From the C++ ABI's
// proposal for thread_local; glibc has it since 2.18. No thread_local: that would be static TLS.
extern "C" int __cxa_thread_atexit_impl(void (*call)(void *), void *object, void *library)
    __attribute__((weak));
extern "C" void *__dso_handle __attribute__((visibility("hidden")));

namespace util {
namespace {

using Handler = void (*)();

// Filled from the front.
std::array<std::atomic<Handler>, 8> handlers;
ThreadSlot<bool> hooked;

// In one exit handler: what a library registers meanwhile runs after the last of them.
void run_all() {
    for (size_t i = handlers.size(); i-- > 0;)
        if (const Handler handler = handlers[i].load(std::memory_order_acquire))
            handler();
}

// The thread ends or calls exit(). Which of them cannot be told, so the handlers only move to the
// front. Ends of many threads need not fill the list of exit handlers.
void move_to_front(void *) {
    constexpr uint32_t most = 256;
    static std::atomic<uint32_t> ends{0};
    if (getpid() != gettid() && ends.fetch_add(1, std::memory_order_relaxed) >= most)
        return;
    std::atexit(run_all);
}

// False: known, or one too many.
bool add(Handler handler) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    for (std::atomic<Handler> &h : handlers) {
        if (h.load(std::memory_order_relaxed) == handler)
            return false;
        if (!h.load(std::memory_order_relaxed)) {
            h.store(handler, std::memory_order_release);
            return true;
        }
    }
    return false;
}

} // namespace

void first_at_exit(void (*handler)()) {
    if (add(handler))
        std::atexit(run_all);
    first_at_exit_here();
}

void first_at_exit_here() {
    if (hooked.get() || !__cxa_thread_atexit_impl)
        return;
    hooked.get() = true;
    __cxa_thread_atexit_impl(move_to_front, nullptr, &__dso_handle);
}

} // namespace util
