// SPDX-License-Identifier: MIT
// Making, taking over and removing listening sockets; see listening.h.
#include "listening.h"

#include "descriptor.h"

#include "util/log.h"

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace remote {
namespace {

constexpr int backlog = 1024;

bool fail(const std::string &name, const char *why) {
    log_error("server", "cannot listen on %s: %s", name.c_str(), why);
    return false;
}

int new_socket(int family) {
    return above_standard(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// --- unix ----------------------------------------------------------------------------------------

// Two servers that start at the same moment must not remove each other's file: they take turns by
// the folder's lock, which leaves nothing behind.
class FolderTurn {
  public:
    explicit FolderTurn(const std::string &path) {
        const size_t slash = path.rfind('/');
        const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
        fd_ = above_standard(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (fd_ >= 0 && !take_turn())
            log_warning("server", "%s is locked by another process: going on", folder.c_str());
    }
    ~FolderTurn() {
        if (fd_ >= 0)
            close(fd_);
    }

  private:
    // A second at most: whoever may read the folder can lock it.
    bool take_turn() const {
        constexpr int most_tries = 50;
        constexpr useconds_t rest_us = 20'000;
        for (int i = 0; i < most_tries; i++) {
            if (flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
                return true;
            usleep(rest_us);
        }
        return false;
    }

    int fd_;
};

// Null when nothing stands in the way at `path` any more, else what does.
const char *clear_way(const sockaddr_un &at) {
    struct stat st;
    if (lstat(at.sun_path, &st) != 0)
        return errno == ENOENT ? nullptr : strerror(errno);
    if (!S_ISSOCK(st.st_mode))
        return "a file that is no socket is there";
    const int probe = new_socket(AF_UNIX);
    const bool answered =
        probe >= 0 && (connect(probe, reinterpret_cast<const sockaddr *>(&at), sizeof at) == 0 ||
                       errno == EAGAIN);
    const bool nobody = !answered && errno == ECONNREFUSED;
    const char *error = strerror(errno);
    if (probe >= 0)
        close(probe);
    if (answered)
        return "a server is there already";
    if (!nobody)
        return error;
    return unlink(at.sun_path) == 0 ? nullptr : strerror(errno);
}

// "@NAME": no file, so there is nothing to replace or remove, and no mode.
bool listen_abstract(const std::string &path, std::vector<ListeningSocket> *out) {
    ListeningSocket s;
    s.name = "unix:" + path;
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    if (path.size() < 2 || path.size() > sizeof at.sun_path)
        return fail(s.name, "no name, or one of more than 107 bytes");
    memcpy(at.sun_path + 1, path.data() + 1, path.size() - 1);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    s.fd = new_socket(AF_UNIX);
    if (s.fd < 0 || bind(s.fd, reinterpret_cast<const sockaddr *>(&at), length) != 0 ||
        listen(s.fd, backlog) != 0) {
        fail(s.name, errno == EADDRINUSE ? "a server is there already" : strerror(errno));
        if (s.fd >= 0)
            close(s.fd);
        return false;
    }
    out->push_back(std::move(s));
    return true;
}

bool listen_unix(const std::string &path, bool others, std::vector<ListeningSocket> *out) {
    ListeningSocket s;
    s.name = "unix:" + path;
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof at.sun_path)
        return fail(s.name, "no path, or one of more than 107 bytes");
    memcpy(at.sun_path, path.c_str(), path.size());
    FolderTurn turn(path);
    if (const char *way = clear_way(at))
        return fail(s.name, way);
    s.fd = new_socket(AF_UNIX);
    const mode_t mask = umask(others ? 0111 : 0177);
    const bool bound =
        s.fd >= 0 && bind(s.fd, reinterpret_cast<const sockaddr *>(&at), sizeof at) == 0;
    umask(mask);
    struct stat st;
    if (!bound || lstat(at.sun_path, &st) != 0 || listen(s.fd, backlog) != 0) {
        fail(s.name, strerror(errno));
        if (bound)
            unlink(at.sun_path);
        if (s.fd >= 0)
            close(s.fd);
        return false;
    }
    char *whole = realpath(path.c_str(), nullptr); // we may change our folder
    s.path = whole ? whole : path;
    free(whole);
    s.device = st.st_dev;
    s.inode = st.st_ino;
    out->push_back(std::move(s));
    return true;
}

// --- tcp -----------------------------------------------------------------------------------------

std::string tcp_name(int fd) {
    sockaddr_storage at{};
    socklen_t length = sizeof at;
    getsockname(fd, reinterpret_cast<sockaddr *>(&at), &length);
    const TcpName name = tcp_name_of(at);
    const bool v6 = at.ss_family == AF_INET6;
    return "tcp:" + (v6 ? "[" + name.host + "]:" : name.host + ":") + name.port;
}

bool listen_address(const addrinfo &at, std::vector<ListeningSocket> *out) {
    ListeningSocket s;
    s.tcp = true;
    s.fd = new_socket(at.ai_family);
    const int on = 1;
    if (s.fd < 0)
        return false;
    setsockopt(s.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (at.ai_family == AF_INET6)
        setsockopt(s.fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(s.fd, at.ai_addr, at.ai_addrlen) != 0 || listen(s.fd, backlog) != 0) {
        const int error = errno;
        close(s.fd);
        errno = error;
        return false;
    }
    s.name = tcp_name(s.fd);
    out->push_back(std::move(s));
    return true;
}

// HOST:PORT, [HOST]:PORT, PORT.
void split(const std::string &text, std::string *host, std::string *port) {
    const size_t colon = text.rfind(':');
    *port = colon == text.npos ? text : text.substr(colon + 1);
    *host = colon == text.npos ? "" : text.substr(0, colon);
    if (host->size() > 2 && host->front() == '[' && host->back() == ']')
        *host = host->substr(1, host->size() - 2);
}

bool listen_tcp(const std::string &text, std::vector<ListeningSocket> *out) {
    std::string host, port;
    split(text, &host, &port);
    // getaddrinfo() would take it modulo 65536.
    const bool digits = port.find_first_not_of("0123456789") == port.npos;
    if (digits && (port.size() > 5 || (port.size() == 5 && port > "65535")))
        return fail("tcp:" + text, "a port of 0 to 65535 is wanted");
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = host.empty() ? 0 : AI_PASSIVE; // without a host: loopback
    const int error =
        getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found);
    if (error || port.empty())
        return fail("tcp:" + text, error ? gai_strerror(error) : "no port");
    unsigned listening = 0;
    int reason = 0;
    // With port 0 the system chooses one, a different one for each address: the first is enough.
    for (const addrinfo *at = found; at && !(listening && port == "0"); at = at->ai_next) {
        if (listen_address(*at, out))
            listening++;
        else
            reason = errno;
    }
    freeaddrinfo(found);
    // A machine without IPv6 has no such loopback address; a port that is taken is taken.
    if (!listening || reason == EADDRINUSE)
        return fail("tcp:" + text, strerror(reason));
    return true;
}

bool take_one(int fd, std::vector<ListeningSocket> *out) {
    ListeningSocket s;
    s.name = "activated socket " + std::to_string(fd);
    int listening = 0, type = 0;
    socklen_t length = sizeof listening;
    sockaddr_un at{};
    socklen_t at_length = sizeof at;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || !listening ||
        type != SOCK_STREAM || getsockname(fd, reinterpret_cast<sockaddr *>(&at), &at_length) != 0)
        return fail(s.name, "it is no listening stream socket");
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0)
        return fail(s.name, strerror(errno));
    s.tcp = at.sun_family != AF_UNIX;
    // An abstract name begins with a zero byte.
    const size_t begin = !s.tcp && !at.sun_path[0] ? 1 : 0;
    s.name = s.tcp ? tcp_name(fd)
                   : (begin ? "unix:@" : "unix:") +
                         std::string(at.sun_path + begin,
                                     strnlen(at.sun_path + begin, sizeof at.sun_path - begin));
    s.fd = fd;
    out->push_back(std::move(s));
    return true;
}

} // namespace

TcpName tcp_name_of(const sockaddr_storage &at) {
    char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
    getnameinfo(reinterpret_cast<const sockaddr *>(&at), sizeof at, host, sizeof host, port,
                sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    return {host, port};
}

bool listen_on(const std::string &address, bool others, std::vector<ListeningSocket> *out) {
    if (address.starts_with("unix:@"))
        return listen_abstract(address.substr(5), out);
    if (address.starts_with("unix:"))
        return listen_unix(address.substr(5), others, out);
    return listen_tcp(address.substr(4), out);
}

bool take_activated(std::vector<ListeningSocket> *out) {
    constexpr int first = 3, most = 64;
    const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
    const bool ours = pid && atol(pid) == getpid();
    const int count = ours && fds ? atoi(fds) : 0;
    for (const char *name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"})
        unsetenv(name);
    if (count < 0 || count > most)
        return fail("activated sockets", "LISTEN_FDS is no number of sockets");
    for (int fd = first; fd < first + count; fd++)
        if (!take_one(fd, out))
            return false;
    return true;
}

void stop_listening(ListeningSocket &s) {
    struct stat st;
    if (!s.path.empty() && lstat(s.path.c_str(), &st) == 0 && st.st_dev == s.device &&
        st.st_ino == s.inode)
        unlink(s.path.c_str());
    if (s.fd >= 0)
        close(s.fd);
    s.fd = -1;
}

} // namespace remote
