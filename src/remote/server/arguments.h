// SPDX-License-Identifier: MIT
// The command line of mgpiped.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace remote {

struct Arguments {
    enum class Mode {
        finished, // said what was asked for, or what is wrong: `status` is the program's
        listener,
        session, // over `control_fd`
        stdio,   // over standard input and output
    };
    Mode mode = Mode::finished;
    int status = 0;
    int control_fd = -1;
    // The log of a session goes to its client too: our standard error is not its own.
    bool forward_log = false;
    std::vector<std::string> listen; // unix:PATH, tcp:[HOST:]PORT
    std::string token_file, driver;
    unsigned max_sessions = 64;
    std::vector<uid_t> allowed; // besides our own
};

// `drivers`: names parted by spaces, for --driver and --help; null: any name passes.
Arguments parse_arguments(int argc, char **argv, const char *drivers);

} // namespace remote
