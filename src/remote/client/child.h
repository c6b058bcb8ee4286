// SPDX-License-Identifier: MIT
// Processes that serve us and that the program never meets.
#pragma once

#include "channel.h"

#include <memory>
#include <string>
#include <vector>

namespace remote {

// Starts a program (looked for in PATH unless its name has a slash) with the far end of a new
// socket pair as its descriptors `in` and `out`, which may be the same; standard error stays ours.
// It is no child of this process: nothing here waits for it, nor can the program's own waits meet
// it. Null, logged, when it cannot be started, or inside a server. Any thread.
std::unique_ptr<Channel> start_child(const std::vector<std::string> &command, int in, int out);

} // namespace remote
