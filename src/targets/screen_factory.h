// SPDX-License-Identifier: MIT
// Makes the screen that the frontend talks to: the driver's own (monolith), or an emitter whose
// applier runs on a second thread (inproc) or in a child process (spawn), as MGPIPE_FORM says. The
// frontend gets this as a function pointer.
#pragma once

#include <span>

struct pipe_screen;
struct pipe_screen_config;

namespace targets {

// Null, with a line in the log, when the driver or the form cannot start. Any thread.
pipe_screen *create_screen(const pipe_screen_config *config);

// The forms of this build, monolith first.
std::span<const char *const> forms();

// "monolith", "inproc" or "spawn": the form create_screen uses; null for a name that is not built
// in.
const char *form_name();

} // namespace targets
