// SPDX-License-Identifier: MIT
// `mgpipe info`: what the library holds, which the library prints itself, and what a program gets.
#include <cstdio>
#include <cstring>

#include "commands.h"
#include "entry.h"
#include "places.h"
#include "program_environment.h"

int info_main(int argc, char **argv) {
    if (wants_help(argc, argv)) {
        printf("usage: mgpipe %s\n", info_usage);
        return 0;
    }
    if (argc == 2 && !strcmp(argv[1], "--probe"))
        return mgpipe_entry()->probe() ? 0 : 1;
    const bool missing = argc > 1 && !strcmp(argv[1], "--missing");
    if (argc > 1 + missing)
        return refuse("info", argv[1 + missing], info_usage, 2);
    const int status = mgpipe_entry()->info(argc, argv);
    if (status || missing)
        return status;
    printf("`mgpipe run` sets:\n");
    Places places;
    if (!find_places(places))
        return 1;
    for (const auto &[name, value] : program_environment(places, {}))
        printf("  %s=%s\n", name.c_str(), value.c_str());
    print_surroundings();
    return 0;
}
