// SPDX-License-Identifier: MIT
// What the page needs of the counters' registry.
#pragma once

namespace util {

// Has the fork handlers; the first call counts. Before those of whoever calls with locks held.
void stats_watch_forks();
void stats_lock();
void stats_unlock();
// Writes the names into a page that is all zero. Locked.
void stats_fill_slots();
// After the page was replaced: levels that other threads changed meanwhile.
void stats_show_levels();

} // namespace util
