// SPDX-License-Identifier: MIT
// Counters: totals, and per frame (median and mean) with the load window apart. They count where
// MGPIPE_STATS is set and while `mgpipe top` watches. A counter is a global object that registers
// itself by name; adding is one relaxed atomic add when it counts and one load else. Its value lies
// in the process's statistics page (util/stats_page.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "util/stats_page.h"

namespace util {

extern StatsPage stats_page;

inline bool stats_on() {
    return std::atomic_ref(reinterpret_cast<uint32_t &>(stats_page.header.on))
        .load(std::memory_order_relaxed);
}

class Counter {
  public:
    // `name` and `help` must live for ever. Define counters at namespace scope.
    Counter(const char *name, const char *help);

    void add(uint64_t n = 1) {
        if (stats_on())
            std::atomic_ref(slot_->value).fetch_add(n, std::memory_order_relaxed);
    }
    // For largest-so-far values; reported without a per-frame figure.
    void raise_to(uint64_t v);
    // For how many there are now (objects alive); likewise. Always counted, so that one who begins
    // to watch sees what there is.
    void level(int64_t change);
    uint64_t total() const { return std::atomic_ref(slot_->value).load(std::memory_order_relaxed); }

    const char *const name;
    const char *const help;

  private:
    void show_level();

    friend struct StatsRegistry;
    StatsSlot *slot_ = nullptr;
    std::atomic<StatsKind> kind_{StatsKind::sum};
    std::atomic<uint64_t> level_{0}; // what the slot shows, also while the page is replaced
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

// --- the page, for others to read ----------------------------------------------------------------

// From now on the page can be found. Before objects of a driver are counted; idempotent; where it
// cannot be (no descriptor left, pages larger than ours) nobody can watch, and nothing else
// changes. The child of a fork has no page until it calls this itself. Any thread.
void stats_open();
// Who we are; a peer that was lost is so no more. Texts are copied, and cut where they are too
// long.
void stats_identify(StatsRole role, const char *form, uint32_t peer_pid);
void stats_driver(const char *name);
// The other half is gone.
void stats_lost();

} // namespace util
