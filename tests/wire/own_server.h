// SPDX-License-Identifier: MIT
// The test program is its own server (main.cpp): spawn starts it again.
#pragma once

#include <cstdlib>
#include <string>
#include <unistd.h>

inline void serve_by_this_program() {
    static const std::string self = [] {
        char path[4096];
        ssize_t n = readlink("/proc/self/exe", path, sizeof path);
        return std::string(path, n > 0 ? static_cast<size_t>(n) : 0);
    }();
    setenv("MGPIPE_SERVER", self.c_str(), 1);
}
