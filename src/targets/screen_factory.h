// SPDX-License-Identifier: MIT
// Makes the screen that the frontend talks to: the driver's own (monolith), or an emitter whose
// applier runs on a second thread (inproc), in a process of its own (spawn) or where a server
// listens or is started (unix:PATH, tcp:HOST:PORT, ssh:HOST), as MGPIPE_FORM says. The frontend
// gets this as a function pointer.
#pragma once

#include <span>

struct pipe_screen;
struct pipe_screen_config;

namespace targets {

// Null, with a line in the log, when the driver or the form cannot start. Any thread.
pipe_screen *create_screen(const pipe_screen_config *config);

// The forms of this build, monolith first; "unix:PATH" and the like stand for every address.
std::span<const char *const> forms();

// The form create_screen uses, as MGPIPE_FORM writes it; null for a name that is not built in.
const char *form_name();

} // namespace targets
