// SPDX-License-Identifier: MIT
// The pipe driver on OpenGL ES 3.1+. The only header of this driver that others may include.
#pragma once

struct pipe_screen;
struct pipe_screen_config;

// A share group, or null after one log line when there is no usable host. `config` is copied; its
// callbacks and data stay valid until destroy. Any thread; the native contexts of a process lie in
// one host share group.
struct pipe_screen *espryt_create_screen(const struct pipe_screen_config *config);

// The force-NAME flags of this driver as "force-NAME: help" lines, for `mgpipe info`.
const char *espryt_emulation_help();
// The host feature that a pipe cap asks for; null: no feature of hosts.
const char *espryt_cap_needs(unsigned cap);
// Lines "WHAT: HOST FEATURE" of what GL cannot ask for and hosts without the feature decline.
const char *espryt_declines();
// The words of MGPIPE_HOST_HIDE, one indented line.
const char *espryt_hide_help();
