// SPDX-License-Identifier: MIT
// Counters of MGPIPE_STATS: totals, and per frame (median and mean) with the load window apart. A
// counter is a global object that registers itself by name; adding is one relaxed atomic add when
// MGPIPE_STATS is set and one load else.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace util {

extern std::atomic<bool> stats_on;

class Counter {
  public:
    // `name` and `help` must live for ever. Define counters at namespace scope.
    Counter(const char *name, const char *help);

    void add(uint64_t n = 1) {
        if (stats_on.load(std::memory_order_relaxed))
            value_.fetch_add(n, std::memory_order_relaxed);
    }
    // For largest-so-far values; reported without a per-frame figure.
    void raise_to(uint64_t v);
    // For how many there are now (objects alive); likewise.
    void level(int64_t change);
    uint64_t total() const { return value_.load(std::memory_order_relaxed); }

    const char *const name;
    const char *const help;

  private:
    friend struct StatsRegistry;
    std::atomic<uint64_t> value_{0};
    std::atomic<bool> is_maximum_{false};
    uint64_t at_last_frame_ = 0;
    Counter *next_ = nullptr;
};

// Value by name, UINT64_MAX when this half has no such counter (printed as n/a).
uint64_t stats_total(const char *name);

// Counters whose name begins so belong to another process (the other half of a form with a server)
// and are reported as n/a. `prefix` must live for ever.
void stats_elsewhere(const char *prefix);

// Called at the end of each frame of a surface, in the program and in a server: closes one frame.
// Cheap when statistics are off.
void stats_frame();
// All counters as text, one line each.
std::string stats_report();
// Starts counting as MGPIPE_STATS says (or when forced) and prints the report at exit. Idempotent.
void stats_start(bool force = false);
// Prints now, to where MGPIPE_STATS says; for servers, which leave by _exit.
void stats_print();

} // namespace util
