// SPDX-License-Identifier: MIT
// Subcommands of the mgpipe command. Each gets its own name as argv[0] and returns an exit status.
#pragma once

// The only argument asks for help.
bool wants_help(int argc, char **argv);
// Prints the usage of a subcommand, behind a line that names `argument`, which is not understood
// (null: something is missing). Returns `status`.
int refuse(const char *command, const char *argument, const char *usage, int status);

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

// Shows what this user's programs on MGPipe and their servers do, live in a terminal (q ends it),
// or once. 0; 1 when the program named by --pid is not there.
int top_main(int argc, char **argv);
inline constexpr const char *top_usage = "top [--once] [--json] [--pid=PID] [--interval=SECONDS]";

// Becomes a program that runs on MGPipe: [--driver=NAME] [--form=NAME] [--host=NAME] [--] PROGRAM
// ARGS. Returns only when that fails: 125, or 126 and 127 where the program cannot be executed or
// found.
int run_main(int argc, char **argv);
inline constexpr const char *run_usage =
    "run [--driver=NAME] [--form=NAME] [--host=NAME] [--] PROGRAM [ARGS...]";

// Runs a program like run_main and writes its calls to a file: [-o FILE] [--portable] and run's
// options. FILE is replaced; without -o it is PROGRAM.mgrec.zst.
int record_main(int argc, char **argv);
inline constexpr const char *record_usage =
    "record [-o FILE] [--portable] [--driver=NAME] [--form=NAME] [--host=NAME] [--] PROGRAM "
    "[ARGS...]";

// Makes the calls of a recording again. 1 when the recording is damaged, does not fit the driver,
// or with --check when an answer differs.
int replay_main(int argc, char **argv);
inline constexpr const char *replay_usage =
    "replay [--driver=NAME] [--form=NAME] [-o DIR] [--fbo] [--frames=A-B] [--every=N]\n"
    "           [--loop[=N]] [--check] [--caps] [--stats] FILE";
