// SPDX-License-Identifier: MIT
// The mgpipe command: `mgpipe run`, `mgpipe info` and `mgpipe gears`.
#include <cstdio>
#include <cstring>

#include "commands.h"

static int usage(FILE *to, int status) {
    fputs("usage: mgpipe run [--driver=NAME] [--form=NAME] [--host=NAME] [--] PROGRAM [ARGS...]\n"
          "       mgpipe info [--missing | --probe]     what is built in, what this machine has, "
          "every switch\n"
          "       mgpipe gears [--frames N] [--size WxH] [--png FILE]     render the demo\n"
          "       mgpipe --version\n",
          to);
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
    if (!strcmp(argv[1], "--version")) {
        puts("mgpipe " MGPIPE_VERSION);
        return 0;
    }
    if (!strcmp(argv[1], "--help"))
        return usage(stdout, 0);
    fprintf(stderr, "mgpipe: unknown command: %s\n", argv[1]);
    return usage(stderr, 2);
}
