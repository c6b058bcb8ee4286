// SPDX-License-Identifier: MIT
// The control plane: small messages with descriptors. A Link carries a client's requests to its
// server (by a Channel, or by a call when the server is a thread of this process).
#pragma once

#include "pipe/pipe_control.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace remote {

constexpr uint64_t control_magic = 0x4d47506970650001ull;
constexpr uint32_t control_version = 2;
constexpr uint32_t max_message = 160 * 1024;

// One message: its number, the fixed struct, the bytes that follow and the descriptors beside it.
struct Message {
    uint32_t type = 0; // pipe_ctl
    std::vector<uint8_t> bytes;
    std::vector<int> fds; // owned: whoever takes one sets it to -1

    Message() = default;
    Message(Message &&) = default;
    Message &operator=(Message &&other) noexcept; // what it had is closed
    ~Message() { close_fds(); }
    void close_fds();

    template <typename T>
    void set(uint32_t t, const T &fixed, const void *tail = nullptr, uint64_t tail_size = 0) {
        type = t;
        bytes.resize(sizeof fixed + tail_size);
        memcpy(bytes.data(), &fixed, sizeof fixed);
        if (tail_size)
            memcpy(bytes.data() + sizeof fixed, tail, tail_size);
    }
    // False when the message is too short to hold a T.
    template <typename T> bool get(T *fixed) const {
        if (bytes.size() < sizeof *fixed)
            return false;
        memcpy(fixed, bytes.data(), sizeof *fixed);
        return true;
    }
    template <typename T> const uint8_t *tail() const { return bytes.data() + sizeof(T); }
    template <typename T> uint64_t tail_size() const { return bytes.size() - sizeof(T); }
    int take_fd(unsigned i);
};

// Puts a duplicate of `fd` into the message (sending does not consume the caller's); false when
// no descriptor is free.
bool attach_fd(Message &m, int fd);

// What a message `refuse` says, for a log line: the cause, its text and, of different builds, the
// value of each half. Empty: it is none.
std::string refusal_text(const Message &m);

class Channel;

class Link {
  public:
    virtual ~Link() = default;
    // Sends a request and waits for its answer; false when the server is gone. Any thread.
    virtual bool request(Message &in, Message &out) = 0;
    // What the stream data plane sends on; null: there is none.
    virtual Channel *channel() { return nullptr; }
    // True once the server is known to be gone.
    virtual bool dead() const = 0;
    // In a forked child: lets go without touching the parent's server. The link is not destroyed
    // there: threads of the parent may have been waiting in it.
    virtual void abandon() = 0;
};

} // namespace remote
