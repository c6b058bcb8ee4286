// SPDX-License-Identifier: MIT
// Packets of the control socket; see control.h.
#include "control.h"

#include "descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace remote {

constexpr unsigned max_fds = 4;

void Message::close_fds() {
    for (int fd : fds)
        if (fd >= 0)
            close(fd);
    fds.clear();
}

int Message::take_fd(unsigned i) {
    if (i >= fds.size())
        return -1;
    int fd = fds[i];
    fds[i] = -1;
    return fd;
}

bool attach_fd(Message &m, int fd) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0)
        return false;
    m.fds.push_back(copy);
    return true;
}

bool send_message(int socket, const Message &m) {
    uint32_t head[2] = {m.type, static_cast<uint32_t>(m.bytes.size())};
    iovec iov[2] = {{head, sizeof head}, {const_cast<uint8_t *>(m.bytes.data()), m.bytes.size()}};
    alignas(cmsghdr) char space[CMSG_SPACE(max_fds * sizeof(int))] = {};
    msghdr msg{};
    msg.msg_iov = iov;
    msg.msg_iovlen = 2;
    if (!m.fds.empty()) {
        size_t n = m.fds.size() < max_fds ? m.fds.size() : max_fds;
        msg.msg_control = space;
        msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
        cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n * sizeof(int));
        memcpy(CMSG_DATA(c), m.fds.data(), n * sizeof(int));
    }
    ssize_t n;
    do
        n = sendmsg(socket, &msg, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == static_cast<ssize_t>(sizeof head + m.bytes.size());
}

bool receive_message(int socket, Message &m) {
    m.close_fds();
    uint32_t head[2];
    m.bytes.resize(max_message);
    iovec iov[2] = {{head, sizeof head}, {m.bytes.data(), m.bytes.size()}};
    alignas(cmsghdr) char space[CMSG_SPACE(max_fds * sizeof(int))];
    msghdr msg{};
    msg.msg_iov = iov;
    msg.msg_iovlen = 2;
    msg.msg_control = space;
    msg.msg_controllen = sizeof space;
    ssize_t n;
    do
        n = recvmsg(socket, &msg, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return false;
    for (cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
            m.fds.push_back(above_standard(fd));
        }
    }
    if (static_cast<size_t>(n) < sizeof head || (msg.msg_flags & MSG_TRUNC) ||
        head[1] != static_cast<size_t>(n) - sizeof head) {
        errno = EPROTO;
        return false;
    }
    m.type = head[0];
    m.bytes.resize(head[1]);
    return true;
}

} // namespace remote
