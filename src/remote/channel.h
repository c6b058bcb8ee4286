// SPDX-License-Identifier: MIT
// A connection to the other half, whatever carries it: a byte stream with one framing, u32 type,
// u32 size, `size` bytes. On a unix socket descriptors travel beside the first byte of a message.
// What arrives is hostile: a size is checked before memory is taken, and the first thing that is no
// message of ours ends the connection.
#pragma once

#include "control.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <sys/uio.h>
#include <utility>
#include <vector>

namespace remote {

struct MessageHead {
    uint32_t type; // pipe_ctl
    uint32_t size; // bytes that follow, max_message at most
};
static_assert(sizeof(MessageHead) == 8);

// Messages of the stream data plane (stream.h): their bytes go to where they shall be.
constexpr bool is_data(uint32_t type) {
    return type == PIPE_CTL_SEGMENT_DATA || type == PIPE_CTL_RING_DATA ||
           type == PIPE_CTL_RING_TAKEN;
}

class Channel {
  public:
    // Owns both descriptors, which may be the same one; above 2.
    Channel(int in, int out);
    ~Channel();
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    // Descriptors can cross, as far as this end knows.
    bool passes_descriptors() const { return passes_descriptors_; }

    // Any thread; messages never mix. False when the peer is gone, errno tells.
    bool send(const Message &m);
    // Whole messages, heads included. The parts are used up.
    bool send(iovec *parts, size_t count);

    // One thread. False when the peer is gone (errno is 0 when it closed between two reads of ours)
    // or sent what is no message of ours (EPROTO).
    // Descriptors for which this process has no room are missing in the message received.
    bool receive(Message &m);
    // The same in pieces: the head, then all of its bytes by read(), or the rest by finish().
    bool next(MessageHead *head);
    bool read(void *to, size_t size);
    bool finish(const MessageHead &head, Message &m);
    bool skip(size_t size);
    // From that moment on nothing more is waited for: receiving fails with ETIMEDOUT. The thread
    // that receives.
    using Clock = std::chrono::steady_clock;
    void set_deadline(std::optional<Clock::time_point> deadline) { deadline_ = deadline; }

    // Both directions end: whoever receives or sends returns. Any thread, only for sockets.
    void hang_up();
    // In a forked child: lets go of its copies without a word to the peer.
    void abandon();

  private:
    bool fill(uint8_t *to, size_t size, size_t *got);
    bool in_time() const;
    void keep_descriptors(const void *control, size_t size);
    // Drops descriptors that came with bytes up to `position`, or hands them to `m`.
    void settle_descriptors(uint64_t position, Message *m);

    int in_, out_;
    bool in_socket_, out_socket_, passes_descriptors_ = false;
    std::mutex sending_;
    std::optional<Clock::time_point> deadline_;

    std::unique_ptr<uint8_t[]> buffer_;
    size_t begin_ = 0, end_ = 0; // of what was received and not read
    uint64_t received_ = 0;      // position behind it
    // Where the bytes ended that a descriptor came with: those never reach beyond its message.
    std::vector<std::pair<uint64_t, int>> descriptors_;
};

} // namespace remote
