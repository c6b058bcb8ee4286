// SPDX-License-Identifier: MIT
// The functions of the Vulkan driver that others see.
#pragma once

struct pipe_screen;
struct pipe_screen_config;

// A screen (share group) on the process-wide Vulkan device; null when there is no usable host (one
// log line says why). Options: "name=value" separated by ';', names as the environment variables
// MGPIPE_HOST, MGPIPE_HOST_HIDE and MGPIPE_DEBUG; what is not given there is
// read from the environment.
struct pipe_screen *magma_create_screen(const struct pipe_screen_config *config);

// The force-NAME flags of this driver as "force-NAME: help" lines, for `mgpipe info`.
const char *magma_emulation_help();
// The host feature that a pipe cap asks for; null: no feature of hosts.
const char *magma_cap_needs(unsigned cap);
// Lines "WHAT: HOST FEATURE" of what GL cannot ask for and hosts without the feature decline.
const char *magma_declines();
// The words of MGPIPE_HOST_HIDE, one indented line.
const char *magma_hide_help();
// Window systems whose windows the host shows, for `mgpipe info`; a screen has been made.
const char *magma_windows();
