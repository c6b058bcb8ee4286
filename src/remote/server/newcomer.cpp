// SPDX-License-Identifier: MIT
// Authentication of one connection; see newcomer.h.
#include "newcomer.h"

#include "channel.h"
#include "listening.h"
#include "session.h"
#include "token.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace remote {
namespace {

constexpr uint64_t patience_ns = 5'000'000'000; // from accept() to hello
constexpr uint64_t rest_ns = 20'000'000;
constexpr uint64_t linger_ns = 1'000'000'000; // for a refusal to be read

constexpr size_t most_auth = sizeof(pipe_ctl_auth) + most_token;

std::string describe_tcp(int fd) {
    sockaddr_storage at{};
    socklen_t length = sizeof at;
    getpeername(fd, reinterpret_cast<sockaddr *>(&at), &length);
    const TcpName name = tcp_name_of(at);
    return name.host + " port " + name.port;
}

} // namespace

Newcomer::Newcomer(int fd, bool tcp, uint64_t now_ns)
    : fd_(fd), tcp_(tcp), deadline_ns_(now_ns + patience_ns) {
    if (tcp) {
        name_ = describe_tcp(fd);
        return;
    }
    ucred peer{};
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0)
        user_ = peer.uid;
    name_ = "process " + std::to_string(peer.pid) + " of user " + std::to_string(peer.uid);
}

Newcomer::Newcomer(Newcomer &&o) noexcept
    : fd_(std::exchange(o.fd_, -1)), tcp_(o.tcp_), allowed_(o.allowed_),
      authenticated_(o.authenticated_), state_(o.state_), deadline_ns_(o.deadline_ns_),
      rest_until_ns_(o.rest_until_ns_), user_(o.user_), name_(std::move(o.name_)),
      auth_(std::move(o.auth_)), refusal_(std::move(o.refusal_)) {}

Newcomer::~Newcomer() {
    if (fd_ >= 0)
        close(fd_);
}

int Newcomer::take_fd() {
    return std::exchange(fd_, -1);
}

Newcomer::State Newcomer::look(const Door &door, uint64_t now_ns) {
    if (state_ == State::refused)
        return state_ = discard();
    if (!tcp_ && !allowed_ && check_user(door, now_ns) == State::refused)
        return state_;
    if (!auth_.empty())
        return state_ = read_auth(door, now_ns);
    MessageHead head;
    const ssize_t n = recv(fd_, &head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return state_ = State::waiting;
    if (n <= 0)
        return state_ = State::gone;
    if (static_cast<size_t>(n) < sizeof head)
        return state_ = rest(now_ns);
    if (head.type == PIPE_CTL_AUTH && !authenticated_ && head.size >= sizeof(pipe_ctl_auth) &&
        head.size <= most_auth)
        return state_ = read_auth(door, now_ns);
    if (head.type != PIPE_CTL_HELLO || head.size < sizeof(pipe_ctl_hello) ||
        head.size > max_message)
        return turn_away(PIPE_REFUSAL_MAGIC, control_magic, head.type,
                         "its first message is none of ours", now_ns);
    if (!allowed_)
        return turn_away(PIPE_REFUSAL_TOKEN, 0, 0, "it shows no token, this server wants one",
                         now_ns);
    return state_ = State::arrived;
}

// Part of a message is no news for poll(): it would tell of it again and again.
Newcomer::State Newcomer::rest(uint64_t now_ns) {
    pollfd hang_up{fd_, POLLRDHUP, 0};
    if (poll(&hang_up, 1, 0) != 0)
        return State::gone;
    rest_until_ns_ = now_ns + rest_ns;
    return State::resting;
}

Newcomer::State Newcomer::read_auth(const Door &door, uint64_t now_ns) {
    for (;;) {
        MessageHead head{};
        if (auth_.size() >= sizeof head)
            memcpy(&head, auth_.data(), sizeof head);
        const size_t whole = sizeof head + head.size, have = auth_.size();
        if (have >= sizeof head && have == whole)
            return check_auth(door, now_ns);
        auth_.resize(whole);
        const ssize_t n = recv(fd_, auth_.data() + have, whole - have, MSG_DONTWAIT);
        auth_.resize(have + (n > 0 ? static_cast<size_t>(n) : 0));
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return State::waiting;
        if (n <= 0)
            return State::gone;
    }
}

Newcomer::State Newcomer::check_user(const Door &door, uint64_t now_ns) {
    allowed_ = std::find(door.users.begin(), door.users.end(), user_) != door.users.end();
    if (allowed_)
        return state_;
    return turn_away(PIPE_REFUSAL_USER, door.users.front(), user_,
                     "this server serves user " + std::to_string(door.users.front()) +
                         ", the client is user " + std::to_string(user_),
                     now_ns);
}

Newcomer::State Newcomer::check_auth(const Door &door, uint64_t now_ns) {
    pipe_ctl_auth auth;
    memcpy(&auth, auth_.data() + sizeof(MessageHead), sizeof auth);
    const std::string_view token(
        reinterpret_cast<const char *>(auth_.data() + sizeof(MessageHead) + sizeof auth),
        auth_.size() - sizeof(MessageHead) - sizeof auth);
    char text[160];
    if (auth.magic != control_magic) {
        snprintf(text, sizeof text,
                 "the server's protocol is %016" PRIx64 ", the client's %016" PRIx64,
                 static_cast<uint64_t>(control_magic), static_cast<uint64_t>(auth.magic));
        return turn_away(PIPE_REFUSAL_MAGIC, control_magic, auth.magic, text, now_ns);
    }
    if (auth.control_version != control_version) {
        snprintf(text, sizeof text, "the server's control version is %u, the client's %u",
                 control_version, auth.control_version);
        return turn_away(PIPE_REFUSAL_VERSION, control_version, auth.control_version, text, now_ns);
    }
    if (tcp_ &&
        (auth.token_size != token.size() || door.token.empty() || !same_token(door.token, token)))
        return turn_away(PIPE_REFUSAL_TOKEN, 0, 0,
                         token.empty() ? "it shows no token, this server wants one"
                                       : "its token is not the one of this server",
                         now_ns);
    allowed_ = authenticated_ = true;
    explicit_bzero(auth_.data(), auth_.size());
    auth_.clear();
    return look(door, now_ns); // hello may be there already
}

Newcomer::State Newcomer::turn_away(enum pipe_refusal code, uint64_t ours, uint64_t theirs,
                                    std::string text, uint64_t now_ns) {
    refuse({code, ours, theirs, std::move(text)}, now_ns);
    return state_;
}

void Newcomer::refuse(const Refusal &why, uint64_t now_ns) {
    refusal_ = why;
    Message m;
    set_refusal(m, why.code, why.ours, why.theirs, why.text.c_str());
    const MessageHead head{m.type, static_cast<uint32_t>(m.bytes.size())};
    std::vector<uint8_t> bytes(sizeof head + m.bytes.size());
    memcpy(bytes.data(), &head, sizeof head);
    memcpy(bytes.data() + sizeof head, m.bytes.data(), m.bytes.size());
    // A socket that has sent nothing yet has room for it.
    const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    // Closed with bytes unread, tcp would reset the connection and the refusal be lost.
    const bool told = n == static_cast<ssize_t>(bytes.size()) && shutdown(fd_, SHUT_WR) == 0;
    deadline_ns_ = now_ns + linger_ns;
    state_ = told ? State::refused : State::gone;
}

Newcomer::State Newcomer::discard() {
    char bytes[4096];
    constexpr int most_at_once = 64;
    for (int i = 0; i < most_at_once; i++) {
        const ssize_t n = recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return State::gone;
        if (n < 0)
            return State::refused;
    }
    return State::refused;
}

} // namespace remote
