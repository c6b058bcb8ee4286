// SPDX-License-Identifier: MIT
// mgpiped: the driver half in a process of its own. It links drivers and the server side of remote,
// never the frontend.
#include "driver_registry.h"
#include "remote/remote.h"
#include "util/stats.h"

#include <string>

int main(int argc, char **argv) {
    util::stats_elsewhere("wire."); // the client's half
    std::string drivers;
    for (const targets::Driver &driver : targets::drivers())
        drivers.append(drivers.empty() ? "" : " ").append(driver.name);
    return remote::server_main(argc, argv, targets::create_served_screen, drivers.c_str());
}
