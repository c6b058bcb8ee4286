// SPDX-License-Identifier: MIT
// Catch2's main, and the server half of the spawn tests: with --control-fd=N this program is the
// server.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "pacing.h"
#include "probe.h"
#include "remote/remote.h"

#include <cstdlib>
#include <cstring>

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--control-fd=", 13))
            return remote::server_main(argc, argv,
                                       getenv("WIRE_TEST_PACING") ? pacing::create_screen
                                                                  : probe::create_screen);
    return Catch::Session().run(argc, argv);
}
