// SPDX-License-Identifier: MIT
// The data plane without shared memory: each half has the segments and rings for itself, at the
// same offsets, and sends what it wrote before it sends what names it. Emitter, ring and applier
// know nothing of it; this is the sending side, client/mirrors.h and server/session.h receive.
#pragma once

#include "channel.h"

#include <cstdint>
#include <vector>

namespace remote {

// A record of a ring is never larger than this on a stream; what is larger travels as content.
constexpr uint64_t stream_record = 64 * 1024;
// Records wait to be sent until there are so many bytes, or somebody waits for them.
constexpr uint64_t stream_batch = 16 * 1024;
// Contents do not wait for their records beyond this.
constexpr uint64_t stream_content = 256 * 1024;
// A batch, a filler and a record fit one message.
static_assert(stream_batch + 2 * stream_record + sizeof(pipe_ctl_ring_data) <= max_message);

// Messages that point into memory of ours until they are sent, all in one system call where the
// socket takes them. One thread at a time.
class StreamWriter {
  public:
    explicit StreamWriter(Channel &channel) : channel_(channel) {}

    // Bytes of a segment at `offset`; what directly follows the last ones joins them.
    void segment(uint32_t seg, uint64_t offset, const uint8_t *bytes, uint64_t size);
    // The records of a ring from cursor `from` to `to`.
    void ring(uint32_t owner, const uint8_t *ring, uint64_t ring_size, uint64_t from, uint64_t to);
    void taken(const pipe_ctl_ring_taken &progress);
    // Waits while the peer takes nothing. What fails needs no care: whoever reads the connection
    // sees its end.
    void send();

    bool empty() const { return pieces_.empty(); }
    uint64_t content() const { return content_; } // bytes of segments not yet sent

  private:
    struct Piece {
        uint64_t segment_end = 0; // of a piece of a segment: the offset behind it
        uint32_t seg = 0;
        const uint8_t *bytes = nullptr;
        uint64_t size = 0;
        const uint8_t *more = nullptr; // of a ring that wraps
        uint64_t more_size = 0;
        pipe_ctl type = PIPE_CTL_NONE;
        union {
            pipe_ctl_segment_data segment;
            pipe_ctl_ring_data ring;
            pipe_ctl_ring_taken taken;
        } fixed{};
    };
    void add_message(const Piece &piece);
    template <typename T> void add_head(uint32_t type, const T &fixed, uint64_t tail);
    void add_part(const uint8_t *bytes, uint64_t size);

    Channel &channel_;
    std::vector<Piece> pieces_;
    uint64_t content_ = 0;
    // While sending.
    std::vector<uint8_t> heads_;
    struct Part {
        const uint8_t *bytes; // null: `at` in heads_
        uint64_t at, size;
    };
    std::vector<Part> parts_;
    std::vector<iovec> iov_;
};

} // namespace remote
