// SPDX-License-Identifier: MIT
// mgpiped: the driver half in a process of its own. It links drivers and the server side of remote,
// never the frontend.
#include "driver_registry.h"
#include "remote/remote.h"
#include "util/stats.h"

int main(int argc, char **argv) {
    util::stats_start();
    util::stats_elsewhere("wire."); // the client's half
    return remote::server_main(argc, argv, targets::create_served_screen);
}
