// SPDX-License-Identifier: MIT
// Subcommands of the mgpipe command. Each gets its own name as argv[0] and returns an exit status.
#pragma once

// Renders the built-in demo through EGL like any other program: [--frames N] [--size WxH] [--png
// FILE].
int gears_main(int argc, char **argv);
