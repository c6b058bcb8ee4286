// SPDX-License-Identifier: MIT
// Messages of the stream data plane; see stream.h.
#include "stream.h"

#include "counters.h"

#include <algorithm>

namespace remote {

// Large contents go in pieces that the receiver takes without much ado.
constexpr uint64_t piece_size = 128 * 1024;
// What lies between two contents of a run of stage memory.
constexpr uint64_t alignment_gap = 64;

void StreamWriter::segment(uint32_t seg, uint64_t offset, const uint8_t *bytes, uint64_t size) {
    content_ += size;
    if (!pieces_.empty()) {
        Piece &last = pieces_.back();
        if (last.type == PIPE_CTL_SEGMENT_DATA && last.seg == seg && offset >= last.segment_end &&
            offset - last.segment_end < alignment_gap) {
            last.size += offset - last.segment_end + size;
            last.segment_end = offset + size;
            return;
        }
    }
    Piece &p = pieces_.emplace_back();
    p.type = PIPE_CTL_SEGMENT_DATA;
    p.seg = seg;
    p.segment_end = offset + size;
    p.bytes = bytes;
    p.size = size;
    p.fixed.segment = {seg, 0, offset};
}

void StreamWriter::ring(uint32_t owner, const uint8_t *ring, uint64_t ring_size, uint64_t from,
                        uint64_t to) {
    if (from == to)
        return;
    Piece &p = pieces_.emplace_back();
    const uint64_t at = from & (ring_size - 1);
    p.type = PIPE_CTL_RING_DATA;
    p.bytes = ring + at;
    p.size = std::min(to - from, ring_size - at);
    p.more = ring;
    p.more_size = to - from - p.size;
    p.fixed.ring = {owner, 0, to};
}

void StreamWriter::taken(const pipe_ctl_ring_taken &progress) {
    Piece &p = pieces_.emplace_back();
    p.type = PIPE_CTL_RING_TAKEN;
    p.fixed.taken = progress;
}

template <typename T> void StreamWriter::add_head(uint32_t type, const T &fixed, uint64_t tail) {
    const MessageHead head{type, static_cast<uint32_t>(sizeof fixed + tail)};
    const uint64_t at = heads_.size();
    heads_.resize(at + sizeof head + sizeof fixed);
    memcpy(heads_.data() + at, &head, sizeof head);
    memcpy(heads_.data() + at + sizeof head, &fixed, sizeof fixed);
    parts_.push_back({nullptr, at, sizeof head + sizeof fixed});
}

void StreamWriter::add_part(const uint8_t *bytes, uint64_t size) {
    if (size)
        parts_.push_back({bytes, 0, size});
}

void StreamWriter::add_message(const Piece &p) {
    switch (p.type) {
    case PIPE_CTL_SEGMENT_DATA:
        for (uint64_t at = 0; at < p.size; at += piece_size) {
            const uint64_t size = std::min(piece_size, p.size - at);
            pipe_ctl_segment_data fixed = p.fixed.segment;
            fixed.offset += at;
            add_head(p.type, fixed, size);
            add_part(p.bytes + at, size);
        }
        return;
    case PIPE_CTL_RING_DATA:
        add_head(p.type, p.fixed.ring, p.size + p.more_size);
        add_part(p.bytes, p.size);
        add_part(p.more, p.more_size);
        return;
    default: add_head(p.type, p.fixed.taken, 0); return;
    }
}

void StreamWriter::send() {
    if (pieces_.empty())
        return;
    heads_.clear();
    parts_.clear();
    iov_.clear();
    for (const Piece &p : pieces_)
        add_message(p);
    uint64_t bytes = 0;
    for (const Part &p : parts_) {
        const uint8_t *from = p.bytes ? p.bytes : heads_.data() + p.at;
        iov_.push_back({const_cast<uint8_t *>(from), p.size});
        bytes += p.size;
    }
    pieces_.clear();
    content_ = 0;
    count_stream_bytes.add(bytes);
    count_stream_sends.add();
    channel_.send(iov_.data(), iov_.size());
}

} // namespace remote
