// SPDX-License-Identifier: MIT
// What the page needs of the counters' registry.
#pragma once

namespace util {

void stats_lock();
void stats_unlock();
// Writes the names into a page that is all zero. Locked.
void stats_fill_slots();

} // namespace util
