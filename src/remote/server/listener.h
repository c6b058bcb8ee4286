// SPDX-License-Identifier: MIT
// mgpiped as a service: one thread that accepts, asks who is there, and starts a process per
// session. It loads no driver, so no host library and no client can take it down.
#pragma once

#include "arguments.h"

namespace remote {

// Serves until SIGTERM, SIGINT or SIGHUP; the program's status.
int run_listener(const Arguments &arguments);

} // namespace remote
