// SPDX-License-Identifier: MIT
// The links to a server that listens: unix:PATH and tcp:HOST:PORT. What fails is said in one line.
#include "connection.h"
#include "descriptor.h"
#include "socket_link.h"
#include "token.h"

#include "util/log.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace remote {
namespace {

// A host that drops what it does not want answers nothing at all.
constexpr int connect_patience_ms = 10'000;

int finish_connect(int fd) {
    pollfd p{fd, POLLOUT, 0};
    int n;
    do
        n = poll(&p, 1, connect_patience_ms);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return n < 0 ? errno : ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

// A connected socket, or -1 with the reason.
int dial(int family, const sockaddr *address, socklen_t length, int *error) {
    const int fd = above_standard(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    *error = fd < 0 ? errno : 0;
    if (fd < 0)
        return -1;
    if (connect(fd, address, length) != 0)
        *error = errno == EINPROGRESS || errno == EINTR ? finish_connect(fd) : errno;
    if (*error == 0) {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        return fd;
    }
    close(fd);
    return -1;
}

const char *why(int error) {
    switch (error) {
    case ENOENT: return "no such socket";
    case ECONNREFUSED: return "nobody listens there";
    case EAGAIN: return "its queue is full";
    default: return strerror(error);
    }
}

// A server that wants the token wants it first; it answers by a refusal only.
std::unique_ptr<Link> link_over(int fd, const std::string &token, Connection *connection) {
    auto channel = std::make_unique<Channel>(fd, fd);
    if (!token.empty()) {
        pipe_ctl_auth auth{};
        auth.magic = control_magic;
        auth.control_version = control_version;
        auth.token_size = static_cast<uint32_t>(token.size());
        Message m;
        m.set(PIPE_CTL_AUTH, auth, token.data(), token.size());
        channel->send(m);
    }
    return SocketLink::start(std::move(channel), connection);
}

// Nobody else shall see the token, what the program draws, or answer for a service of ours. A
// socket that ssh forwards is our own ssh's.
bool trusted_owner(int fd, const std::string &path) {
    ucred peer{};
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
        log_error("remote", "unix:%s: whose socket it is cannot be told: %s", path.c_str(),
                  strerror(errno));
        return false;
    }
    if (peer.uid == geteuid() || peer.uid == 0)
        return true;
    log_error("remote", "unix:%s: user %u listens there, neither root nor this user (%u)",
              path.c_str(), peer.uid, geteuid());
    return false;
}

// "HOST:PORT" or "[ADDRESS]:PORT".
bool split_address(const std::string &text, std::string *host, std::string *port) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon + 1 == text.size())
        return false;
    *host = text.substr(0, colon);
    *port = text.substr(colon + 1);
    if (host->size() > 2 && host->front() == '[' && host->back() == ']')
        *host = host->substr(1, host->size() - 2);
    else if (host->find(':') != std::string::npos)
        return false; // an IPv6 address wants its brackets
    // getaddrinfo() would take a port modulo 65536.
    return !host->empty() && port->size() <= 5 &&
           port->find_first_not_of("0123456789") == std::string::npos && stoul(*port) - 1 < 65535;
}

} // namespace

std::unique_ptr<Link> make_unix_link(const std::string &path, Connection *connection) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        log_error("remote", "unix:%s: a path of 1 to %zu bytes is wanted", path.c_str(),
                  sizeof address.sun_path - 1);
        return nullptr;
    }
    std::string token;
    if (!load_token(nullptr, &token))
        return nullptr;
    memcpy(address.sun_path, path.data(), path.size());
    socklen_t length = sizeof address;
    if (path[0] == '@') { // an abstract name, as ss(8) writes it
        address.sun_path[0] = 0;
        length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    }
    int error;
    const int fd = dial(AF_UNIX, reinterpret_cast<const sockaddr *>(&address), length, &error);
    if (fd < 0) {
        log_error("remote", "unix:%s: %s", path.c_str(), why(error));
        return nullptr;
    }
    if (trusted_owner(fd, path))
        return link_over(fd, token, connection);
    close(fd);
    return nullptr;
}

std::unique_ptr<Link> make_tcp_link(const std::string &where, Connection *connection) {
    std::string host, port;
    if (!split_address(where, &host, &port)) {
        log_error("remote", "tcp:%s: HOST:PORT is wanted, an IPv6 address in brackets",
                  where.c_str());
        return nullptr;
    }
    std::string token;
    if (!load_token(nullptr, &token))
        return nullptr;
    if (token.empty()) {
        log_error("remote", "tcp:%s: no token: MGPIPE_TOKEN_FILE or MGPIPE_TOKEN has it",
                  where.c_str());
        return nullptr;
    }
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (const int bad = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); bad != 0) {
        log_error("remote", "tcp:%s: %s", where.c_str(),
                  bad == EAI_NONAME || bad == EAI_NODATA ? "no such host" : gai_strerror(bad));
        return nullptr;
    }
    int error = 0, fd = -1;
    for (const addrinfo *a = found; a && fd < 0; a = a->ai_next)
        fd = dial(a->ai_family, a->ai_addr, a->ai_addrlen, &error);
    freeaddrinfo(found);
    if (fd < 0) {
        log_error("remote", "tcp:%s: %s", where.c_str(), why(error));
        return nullptr;
    }
    return link_over(fd, token, connection);
}

} // namespace remote
