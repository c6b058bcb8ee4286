// SPDX-License-Identifier: MIT
// The sockets on which mgpiped waits for programs.
#pragma once

#include <string>
#include <sys/socket.h>
#include <sys/types.h>
#include <vector>

namespace remote {

struct ListeningSocket {
    int fd = -1; // owned
    bool tcp = false;
    std::string name; // unix:PATH, tcp:HOST:PORT
    // Of a socket file that we made: it goes with us, if it still is ours.
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
};

// Listens on `address`, unix:PATH or tcp:[HOST:]PORT; a host may have several addresses. A file
// that a dead server left at PATH is replaced; @NAME is an abstract socket. It is open to our own
// user only, or (`others`) to all, who then are asked for their number. False: logged.
bool listen_on(const std::string &address, bool others, std::vector<ListeningSocket> *out);

// What systemd passed (LISTEN_PID, LISTEN_FDS: sd_listen_fds(3)); nothing is no failure. The
// variables are removed. False: logged.
bool take_activated(std::vector<ListeningSocket> *out);

// Closes it and removes its file.
void stop_listening(ListeningSocket &socket);

// An address of tcp in numbers; "?" of one that is none.
struct TcpName {
    std::string host, port;
};
TcpName tcp_name_of(const sockaddr_storage &at);

} // namespace remote
