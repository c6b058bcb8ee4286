// SPDX-License-Identifier: MIT
// A connection before it is a session: what it must show, in how many bytes and how long. Nothing
// is read of it but the message `auth`, so that its session finds `hello` in the socket. No call
// here ever waits.
#pragma once

#include "control.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace remote {

// Whom the listener serves.
struct Door {
    std::string token; // of tcp; empty only where no tcp socket listens
    std::vector<uid_t> users;
    unsigned max_sessions = 0;
};

struct Refusal {
    enum pipe_refusal code = PIPE_REFUSAL_NONE;
    uint64_t ours = 0, theirs = 0;
    std::string text; // names both values
};

class Newcomer {
  public:
    enum class State {
        waiting, // for more bytes
        resting, // some bytes of a message are there: look again at rest_until_ns()
        arrived, // the next bytes are those of hello
        refused, // was told so; to be closed when it has read that
        gone,    // to be closed
    };

    // Takes over `fd`.
    Newcomer(int fd, bool tcp, uint64_t now_ns);
    Newcomer(Newcomer &&o) noexcept;
    Newcomer &operator=(Newcomer &&) = delete;
    ~Newcomer();

    // Bytes, or a hang-up, are there (or its rest is over).
    State look(const Door &door, uint64_t now_ns);
    // Sends the refusal, if that needs no waiting; it stays until it has read it.
    void refuse(const Refusal &why, uint64_t now_ns);

    State state() const { return state_; }
    int fd() const { return fd_; }
    bool tcp() const { return tcp_; }
    // For the log: its address and number, or process and user.
    const std::string &name() const { return name_; }
    uint64_t deadline_ns() const { return deadline_ns_; }
    uint64_t rest_until_ns() const { return rest_until_ns_; }
    const Refusal &refusal() const { return refusal_; }
    // To its session.
    int take_fd();

  private:
    State read_auth(const Door &door, uint64_t now_ns);
    State rest(uint64_t now_ns);
    State turn_away(enum pipe_refusal code, uint64_t ours, uint64_t theirs, std::string text,
                    uint64_t now_ns);
    State check_user(const Door &door, uint64_t now_ns);
    State check_auth(const Door &door, uint64_t now_ns);
    State discard();

    int fd_;
    bool tcp_;
    bool allowed_ = false;       // by its token or its user
    bool authenticated_ = false; // has sent its auth
    State state_ = State::waiting;
    uint64_t deadline_ns_, rest_until_ns_ = 0;
    uid_t user_ = uid_t(-1);
    std::string name_;
    std::vector<uint8_t> auth_; // what came of it so far
    Refusal refusal_;
};

} // namespace remote
