// SPDX-License-Identifier: MIT
// The drivers built into this binary, and which of them is used.
#pragma once

#include <span>
#include <string_view>

struct pipe_screen;
struct pipe_screen_config;

namespace targets {

struct Driver {
    const char *name; // MGPIPE_DRIVER
    // Null when the host lacks what the driver needs (said once in the log at level info).
    pipe_screen *(*create_screen)(const pipe_screen_config *config);
    // Lines "force-NAME: help" of its emulations; null when it has none.
    const char *(*emulation_help)();
    const char *(*hide_help)();
    // Window systems whose windows it shows; empty: none, null: its host is asked with each window.
    const char *(*windows)();
    // The host feature that a pipe cap asks for, and lines "WHAT: HOST FEATURE" of what is declined
    // without one; null: nothing is known.
    const char *(*cap_needs)(unsigned cap);
    const char *(*declines)();
};

// In order of preference; noop, which is never chosen by itself, last.
std::span<const Driver> drivers();
const Driver *find_driver(const char *name);

// Whether MGPIPE_DEBUG=force-NAME says something to the driver of MGPIPE_DRIVER, or without one to
// any of them. For util::env_check().
bool is_emulation(std::string_view name);

// A screen of the driver named by MGPIPE_DRIVER (of the config's options, else of the environment)
// or, without it, of the first driver that works. Null, with one line in the log, when there is none. Any thread. The one place where a driver is
// made, also in a server.
pipe_screen *create_driver_screen(const pipe_screen_config *config);
// The same for a server (a thread or a process), with the audit that MGPIPE_DEBUG may ask for.
pipe_screen *create_served_screen(const pipe_screen_config *config);

} // namespace targets
