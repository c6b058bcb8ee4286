// SPDX-License-Identifier: MIT
// The mgpipe command and its subcommands.
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "commands.h"

static int usage(FILE *to, int status) {
    fputs("usage:", to);
    for (const char *command :
         {run_usage, info_usage, gears_usage, top_usage, record_usage, replay_usage})
        fprintf(to, " mgpipe %s\n      ", command);
    fputs(" mgpipe --version\n", to);
    return status;
}

bool wants_help(int argc, char **argv) {
    return argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
}

int refuse(const char *command, const char *argument, const char *usage, int status) {
    if (argument)
        fprintf(stderr, "mgpipe %s: %s: no such option, or not with this value\n", command,
                argument);
    fprintf(stderr, "usage: mgpipe %s\n", usage);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return usage(stderr, 2);
    if (!strcmp(argv[1], "info"))
        return info_main(argc - 1, argv + 1);
    if (!strcmp(argv[1], "run"))
        return run_main(argc - 1, argv + 1);
    if (!strcmp(argv[1], "gears"))
        return gears_main(argc - 1, argv + 1);
    if (!strcmp(argv[1], "record"))
        return record_main(argc - 1, argv + 1);
    if (!strcmp(argv[1], "replay"))
        return replay_main(argc - 1, argv + 1);
    if (!strcmp(argv[1], "top"))
        return top_main(argc - 1, argv + 1);
    if (!strcmp(argv[1], "--version")) {
        puts("mgpipe " MGPIPE_VERSION);
        return 0;
    }
    if (wants_help(argc, argv) || !strcmp(argv[1], "help"))
        return usage(stdout, 0);
    fprintf(stderr, "mgpipe: unknown command: %s (see mgpipe --help)\n", argv[1]);
    return 2;
}
