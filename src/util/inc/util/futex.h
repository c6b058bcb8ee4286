// SPDX-License-Identifier: MIT
// Sleeping on a 32-bit word, within a process or across processes that share the memory. Spurious
// returns happen; callers loop on their own condition.
#pragma once

#include <atomic>
#include <cstdint>

namespace util {

enum class FutexScope { process, shared };

// Sleeps while *word == expected, at most timeout_ns (UINT64_MAX: no limit). False only after a
// time-out.
bool futex_wait(const std::atomic<uint32_t> &word, uint32_t expected, uint64_t timeout_ns,
                FutexScope scope = FutexScope::process);
// Wakes at most `count` sleepers.
void futex_wake(std::atomic<uint32_t> &word, uint32_t count,
                FutexScope scope = FutexScope::process);

// Monotonic time in nanoseconds.
uint64_t now_ns();
// CPUs this process may run on (affinity mask), at least 1.
unsigned usable_cores();
// A pause instruction, for spin loops.
inline void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

} // namespace util
