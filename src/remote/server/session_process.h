// SPDX-License-Identifier: MIT
// The process that serves one client: this program once more, with the client's socket.
#pragma once

#include <string>
#include <sys/types.h>

namespace remote {

// Starts it; `socket` stays the caller's. The environment is ours without what belongs to the
// listener: token, form, activation; `driver` names the driver of clients that name none, empty:
// the environment's. The process, or -1 with errno set.
pid_t start_session(int socket, const std::string &driver);

} // namespace remote
