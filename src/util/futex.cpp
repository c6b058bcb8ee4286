// SPDX-License-Identifier: MIT
// futex(2), clock and core count; see util/futex.h.
#include "util/futex.h"

#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace util {

bool futex_wait(const std::atomic<uint32_t> &word, uint32_t expected, uint64_t timeout_ns,
                FutexScope scope) {
    timespec limit = {};
    if (timeout_ns != UINT64_MAX) {
        limit.tv_sec = static_cast<time_t>(timeout_ns / 1000000000u);
        limit.tv_nsec = static_cast<long>(timeout_ns % 1000000000u);
    }
    const int op = scope == FutexScope::shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE;
    const long result = syscall(SYS_futex, reinterpret_cast<const uint32_t *>(&word), op, expected,
                                timeout_ns == UINT64_MAX ? nullptr : &limit, nullptr, 0);
    return !(result < 0 && errno == ETIMEDOUT);
}

void futex_wake(std::atomic<uint32_t> &word, uint32_t count, FutexScope scope) {
    const int op = scope == FutexScope::shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE;
    const int limit = count > INT32_MAX ? INT32_MAX : static_cast<int>(count);
    syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word), op, limit, nullptr, nullptr, 0);
}

uint64_t now_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

unsigned usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        const int n = CPU_COUNT(&set);
        if (n > 0)
            return static_cast<unsigned>(n);
    }
    return 1;
}

} // namespace util
