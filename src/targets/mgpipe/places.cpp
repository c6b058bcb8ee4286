// SPDX-License-Identifier: MIT
// Finds the parts of the driver; see places.h.
#include "places.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#include "entry.h"

static bool readable(const std::string &path) {
    return !access(path.c_str(), R_OK);
}

static std::string folder_of(const std::string &path) {
    return path.substr(0, path.find_last_of('/'));
}

static std::string library_folder() {
    Dl_info info;
    char resolved[PATH_MAX];
    if (!dladdr(reinterpret_cast<void *>(&mgpipe_entry), &info) || !info.dli_fname ||
        !realpath(info.dli_fname, resolved))
        return {};
    return folder_of(resolved);
}

// A prefix may be a copy elsewhere (a staging folder, an image): its own manifest comes first.
static std::string installed_manifest(const std::string &library_dir) {
    const char *name = "/share/glvnd/egl_vendor.d/10_mgpipe.json";
    for (std::string folder = library_dir; !folder.empty(); folder = folder_of(folder))
        if (readable(folder + name))
            return folder + name;
    return readable(MGPIPE_MANIFEST) ? MGPIPE_MANIFEST : "";
}

bool find_places(Places &places) {
    places.library_dir = library_folder();
    if (places.library_dir.empty()) {
        fputs("mgpipe: libmgpipe.so.0 is not to be found on disk\n", stderr);
        return false;
    }
    places.manifest = places.library_dir + "/uninstalled.json";
    places.uninstalled = readable(places.manifest);
    if (!places.uninstalled)
        places.manifest = installed_manifest(places.library_dir);
    if (places.manifest.empty()) {
        fprintf(stderr, "mgpipe: no manifest for glvnd (10_mgpipe.json) above %s\n",
                places.library_dir.c_str());
        return false;
    }
    char system_dir[PATH_MAX];
    places.in_system =
        realpath(MGPIPE_SYSTEM_LIBDIR, system_dir) && places.library_dir == system_dir;
    const std::string server = places.library_dir + "/mgpiped";
    places.server = places.uninstalled && readable(server) ? server : "";
    return true;
}
