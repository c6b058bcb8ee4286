// SPDX-License-Identifier: MIT
// Subcommands of the mgpipe command. Each gets its own name as argv[0] and returns an exit status.
#pragma once

// Renders the built-in demo through EGL like any other program: [--frames N] [--size WxH] [--png
// FILE].
int gears_main(int argc, char **argv);
inline constexpr const char *gears_usage =
    "gears [--frames N] [--size WxH] [--png FILE]     render the demo";

// Prints what the library holds, what this machine has and what a program gets. --missing: GL
// commands that are not written; --probe: whether driver and form can start here, by the exit
// status.
int info_main(int argc, char **argv);
inline constexpr const char *info_usage =
    "info [--missing | --probe]     what is built in, what this machine has, every switch";

// Becomes a program that runs on MGPipe: [--driver=NAME] [--form=NAME] [--host=NAME] [--] PROGRAM
// ARGS. Returns only when that fails: 125, or 126 and 127 where the program cannot be executed or
// found.
int run_main(int argc, char **argv);
inline constexpr const char *run_usage =
    "run [--driver=NAME] [--form=NAME] [--host=NAME] [--] PROGRAM [ARGS...]";
