// SPDX-License-Identifier: MIT
// Framing over a byte stream; see channel.h.
#include "channel.h"

#include "descriptor.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace remote {

constexpr size_t max_fds = 4;
constexpr size_t buffer_size = 64 * 1024;
// Reads of so much go where the bytes shall be, without the buffer.
constexpr size_t direct_size = 16 * 1024;

static bool is_socket(int fd) {
    int type = 0;
    socklen_t length = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0;
}

static int domain_of(int fd) {
    int domain = -1;
    socklen_t length = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 ? domain : -1;
}

// What is sent is a batch already. A machine that is gone without a word is noticed by its silence;
// a process that is only stopped still has a kernel that answers.
static void set_tcp_options(int fd) {
    const int on = 1, idle = 5, interval = 2, probes = 5;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

Channel::Channel(int in, int out)
    : in_(in), out_(out), in_socket_(is_socket(in)), out_socket_(is_socket(out)),
      passes_descriptors_(domain_of(in) == AF_UNIX && domain_of(out) == AF_UNIX),
      buffer_(std::make_unique<uint8_t[]>(buffer_size)) {
    if (const int domain = domain_of(out); domain == AF_INET || domain == AF_INET6)
        set_tcp_options(out);
}

Channel::~Channel() {
    settle_descriptors(UINT64_MAX, nullptr);
    abandon();
}

void Channel::abandon() {
    if (in_ >= 0)
        close(in_);
    if (out_ >= 0 && out_ != in_)
        close(out_);
    in_ = out_ = -1;
}

void Channel::hang_up() {
    shutdown(in_, SHUT_RDWR);
    shutdown(out_, SHUT_RDWR);
}

// --- sending -------------------------------------------------------------------------------------

static bool wait_until_ready(int fd, short events) {
    pollfd p{fd, events, 0};
    return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

static bool try_again() {
    return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

// What is left of the parts after so many bytes.
static msghdr rest_of(msghdr msg, size_t sent) {
    while (msg.msg_iovlen && sent >= msg.msg_iov->iov_len) {
        sent -= msg.msg_iov->iov_len;
        msg.msg_iov++;
        msg.msg_iovlen--;
    }
    if (sent) {
        msg.msg_iov->iov_base = static_cast<uint8_t *>(msg.msg_iov->iov_base) + sent;
        msg.msg_iov->iov_len -= sent;
    }
    return msg;
}

static bool send_all(int fd, bool socket, msghdr msg) {
    while (msg.msg_iovlen) {
        msghdr part = msg;
        part.msg_iovlen = std::min<size_t>(part.msg_iovlen, IOV_MAX);
        ssize_t n = socket ? sendmsg(fd, &part, MSG_NOSIGNAL)
                           : writev(fd, part.msg_iov, static_cast<int>(part.msg_iovlen));
        if (n < 0) {
            if (!try_again())
                return false;
            if (errno != EINTR && !wait_until_ready(fd, POLLOUT))
                return false;
            continue;
        }
        msg = rest_of(msg, static_cast<size_t>(n));
        msg.msg_control = nullptr; // it went with the first byte
        msg.msg_controllen = 0;
    }
    return true;
}

bool Channel::send(const Message &m) {
    MessageHead head{m.type, static_cast<uint32_t>(m.bytes.size())};
    iovec parts[2] = {{&head, sizeof head},
                      {const_cast<uint8_t *>(m.bytes.data()), m.bytes.size()}};
    alignas(cmsghdr) char space[CMSG_SPACE(max_fds * sizeof(int))] = {};
    msghdr msg{};
    msg.msg_iov = parts;
    msg.msg_iovlen = m.bytes.empty() ? 1 : 2;
    if (!m.fds.empty() && passes_descriptors_) {
        const size_t n = std::min(m.fds.size(), max_fds);
        msg.msg_control = space;
        msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
        cmsghdr *c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n * sizeof(int));
        memcpy(CMSG_DATA(c), m.fds.data(), n * sizeof(int));
    }
    std::lock_guard lock(sending_);
    return send_all(out_, out_socket_, msg);
}

bool Channel::send(iovec *parts, size_t count) {
    msghdr msg{};
    msg.msg_iov = parts;
    msg.msg_iovlen = count;
    std::lock_guard lock(sending_);
    return send_all(out_, out_socket_, msg);
}

// --- receiving -----------------------------------------------------------------------------------

void Channel::keep_descriptors(const void *control, size_t size) {
    msghdr msg{};
    msg.msg_control = const_cast<void *>(control);
    msg.msg_controllen = size;
    for (cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
            if (descriptors_.size() < 2 * max_fds) // of a message and the next one
                descriptors_.emplace_back(received_, above_standard(fd));
            else
                close(fd);
        }
    }
}

void Channel::settle_descriptors(uint64_t position, Message *m) {
    std::erase_if(descriptors_, [&](const auto &d) {
        if (d.first > position)
            return false;
        if (m && m->fds.size() < max_fds)
            m->fds.push_back(d.second);
        else if (d.second >= 0)
            close(d.second);
        return true;
    });
}

// There is something to receive before the deadline, if one is set.
bool Channel::in_time() const {
    if (!deadline_)
        return true;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now()).count();
        pollfd p{in_, POLLIN, 0};
        const int ready = poll(&p, 1, static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX)));
        if (ready > 0)
            return true;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            errno = ETIMEDOUT;
        return false;
    }
}

// At least one byte.
bool Channel::fill(uint8_t *to, size_t size, size_t *got) {
    for (;;) {
        if (!in_time())
            return false;
        alignas(cmsghdr) char space[CMSG_SPACE(max_fds * sizeof(int))];
        iovec part{to, size};
        msghdr msg{};
        msg.msg_iov = &part;
        msg.msg_iovlen = 1;
        if (passes_descriptors_) {
            msg.msg_control = space;
            msg.msg_controllen = sizeof space;
        }
        ssize_t n = in_socket_ ? recvmsg(in_, &msg, MSG_CMSG_CLOEXEC) : ::read(in_, to, size);
        if (n > 0) {
            *got = static_cast<size_t>(n);
            received_ += *got;
            if (msg.msg_controllen)
                keep_descriptors(msg.msg_control, msg.msg_controllen);
            return true;
        }
        if (n == 0)
            errno = 0;
        if (n == 0 || !try_again())
            return false;
        if (errno != EINTR && !wait_until_ready(in_, POLLIN))
            return false;
    }
}

bool Channel::read(void *to, size_t size) {
    auto *p = static_cast<uint8_t *>(to);
    while (size) {
        if (begin_ == end_ && size >= direct_size) {
            size_t got;
            if (!fill(p, size, &got))
                return false;
            p += got;
            size -= got;
            continue;
        }
        if (begin_ == end_) {
            begin_ = 0;
            if (!fill(buffer_.get(), buffer_size, &end_)) {
                end_ = 0;
                return false;
            }
        }
        const size_t n = std::min(size, end_ - begin_);
        memcpy(p, buffer_.get() + begin_, n);
        begin_ += n;
        p += n;
        size -= n;
    }
    return true;
}

bool Channel::next(MessageHead *head) {
    // What came with a message that took none.
    if (!descriptors_.empty())
        settle_descriptors(received_ - (end_ - begin_), nullptr);
    if (!read(head, sizeof *head))
        return false;
    if (head->size <= max_message)
        return true;
    errno = EPROTO;
    return false;
}

bool Channel::finish(const MessageHead &head, Message &m) {
    m.close_fds();
    m.type = head.type;
    m.bytes.resize(head.size);
    if (!read(m.bytes.data(), head.size))
        return false;
    settle_descriptors(received_ - (end_ - begin_), &m);
    return true;
}

bool Channel::skip(size_t size) {
    uint8_t bytes[4096];
    for (size_t n; size; size -= n) {
        n = std::min(size, sizeof bytes);
        if (!read(bytes, n))
            return false;
    }
    return true;
}

bool Channel::receive(Message &m) {
    MessageHead head;
    return next(&head) && finish(head, m);
}

} // namespace remote
