// SPDX-License-Identifier: MIT
// The link of the form spawn: a child process at the other end of a socket pair. The hang-up of the
// socket, whose far end only the server holds, is the one witness of its death.
#include "child.h"
#include "connection.h"
#include "socket_link.h"

#include "util/log.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace remote {
namespace {

std::string own_folder() {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void *>(&make_spawn_link), &info) || !info.dli_fname)
        return {};
    std::string path = info.dli_fname;
    size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string find_server(const Options &options) {
    std::vector<std::string> tried;
    auto usable = [&](const std::string &path) {
        tried.push_back(path);
        return access(path.c_str(), X_OK) == 0;
    };
    const char *given = secure_getenv("MGPIPE_SERVER");
    if (given && *given && usable(given))
        return given;
    std::string dir = own_folder();
    if ((!dir.empty() && usable(dir + "/mgpiped")) ||
        (options.server_dir && *options.server_dir &&
         usable(std::string(options.server_dir) + "/mgpiped"))) {
        if (given && *given)
            log_warning("remote", "MGPIPE_SERVER=%s cannot be run; using %s", given,
                        tried.back().c_str());
        return tried.back();
    }
    std::string list;
    for (const std::string &t : tried)
        list += (list.empty() ? "" : ", ") + t;
    log_error("remote", "no server program; looked for %s (MGPIPE_SERVER names another)",
              list.c_str());
    return {};
}

} // namespace

std::unique_ptr<Link> make_spawn_link(const Options &options, Connection *connection) {
    const std::string path = find_server(options);
    if (path.empty())
        return nullptr;
    const std::vector<std::string> command{path, "--control-fd=3"};
    std::unique_ptr<Channel> channel = start_child(command, 3, 3);
    return channel ? SocketLink::start(std::move(channel), connection) : nullptr;
}

} // namespace remote
