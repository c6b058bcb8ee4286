// SPDX-License-Identifier: MIT
// The environment of a program that runs on MGPipe: `mgpipe run` sets it, `mgpipe info` prints it.
#pragma once

#include <string>
#include <utility>
#include <vector>

struct Places;

// Null: the program keeps what its surroundings say.
struct RunOptions {
    const char *driver = nullptr;
    const char *form = nullptr;
    const char *host = nullptr;
};

// NAME and value of what differs from our own environment, in the order of printing.
std::vector<std::pair<std::string, std::string>> program_environment(const Places &places,
                                                                     const RunOptions &options);

// What is wrong with the displays the environment names, as far as one can know without being a
// client: a line, or empty. Tries to connect to a local X server or a compositor.
std::string display_problem();

// Prints all variables and files that this driver and its hosts read and that are there.
void print_surroundings();
