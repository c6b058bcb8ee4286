// SPDX-License-Identifier: MIT
// Statistics pages of other processes (util/stats_page.h), copied and proved: whoever wrote one may
// be broken or hostile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

#include "util/stats_page.h"

struct CounterValue {
    uint64_t value = 0, at_last_frame = 0;
    util::StatsKind kind = util::StatsKind::sum;
};

// What one page said at one moment. Texts are printable.
struct Snapshot {
    pid_t pid = 0;                      // as we see it
    uint32_t own_pid = 0, peer_pid = 0; // as the process and its peer see theirs
    util::StatsRole role = util::StatsRole::none;
    bool lost = false;
    char process_state = '?'; // letter of /proc/PID/stat
    std::string program, driver, form;
    uint64_t taken_ns = 0; // CLOCK_MONOTONIC
    uint64_t frames = 0, frames_counted = 0;
    std::map<std::string, CounterValue> counters;
};

// The letter of a process's state, 0 when there is none of that number.
char process_state(pid_t pid);
uint64_t monotonic_ns();

// Copies the pages of all processes whose descriptors we may read. Damaged ones, and those that a
// child inherited, are left out. Each page is asked to count for `watch_ns` from now on; 0: nobody
// is asked.
std::vector<Snapshot> read_pages(uint64_t watch_ns);
// Nobody need count for us any more, unless another reader asked after us.
void stop_watching();
