// SPDX-License-Identifier: MIT
// Negative controls of the sanitizer builds: faults that must be reported, suppressions in force.
// Without their debug flags they do nothing.
#pragma once

namespace util {

// seed-race: a plain write. Both threads of a lane call it with nothing between them that orders.
void seeded_race();
// seed-leak: memory that nothing points to. Called below an entry point of glvnd.
void seeded_leak();

} // namespace util
