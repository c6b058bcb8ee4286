// SPDX-License-Identifier: MIT
// The link ssh:HOST: the system's ssh starts a server there and carries its standard input and
// output. It is the login and the encryption; it asks on the terminal by itself and complains on
// standard error.
#include "child.h"
#include "connection.h"
#include "socket_link.h"

#include "util/env.h"
#include "util/log.h"

#include <cstdlib>
#include <sstream>

namespace remote {

std::unique_ptr<Link> make_ssh_link(const std::string &host, Connection *connection) {
    // An argument that begins with a dash is an option of ssh's.
    if (host.empty() || host[0] == '-') {
        log_error("remote", "ssh:%s: a host, or user@host, is wanted", host.c_str());
        return nullptr;
    }
    std::vector<std::string> command;
    std::istringstream words(util::env_text(util::Env::SSH));
    for (std::string word; words >> word;)
        command.push_back(word);
    if (command.empty()) {
        log_error("remote", "MGPIPE_SSH names no command");
        return nullptr;
    }
    const char *server = secure_getenv("MGPIPE_SERVER");
    command.insert(command.end(), {host, server && *server ? server : "mgpiped", "--stdio"});
    std::unique_ptr<Channel> channel = start_child(command, 0, 1);
    return channel ? SocketLink::start(std::move(channel), connection) : nullptr;
}

} // namespace remote
