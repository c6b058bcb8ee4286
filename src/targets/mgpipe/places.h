// SPDX-License-Identifier: MIT
// Where the libraries, the server and glvnd's manifest lie, found from the libmgpipe that the
// command itself uses: in a build folder or in a prefix.
#pragma once

#include <string>

struct Places {
    bool uninstalled;        // in a build folder
    bool in_system;          // the loader finds the libraries by name
    std::string library_dir; // of libmgpipe.so.0, links resolved
    std::string manifest;    // of libEGL_mgpipe.so.0, for __EGL_VENDOR_LIBRARY_FILENAMES
    std::string server;      // mgpiped; empty where the form spawn finds it by itself
};

// False, with a line on standard error, when libmgpipe or the manifest cannot be found.
bool find_places(Places &places);
