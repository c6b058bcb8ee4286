// SPDX-License-Identifier: MIT
// Threads inside somebody else's program.
#pragma once

#include <functional>
#include <thread>

namespace util {

// Runs `body` on a new thread that takes none of the program's signals. `name` (up to 15 bytes) is
// what ps shows. False, logged, and *out untouched when the system has no thread left.
bool start_thread(std::thread *out, const char *name, std::function<void()> body);

} // namespace util
