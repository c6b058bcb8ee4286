// SPDX-License-Identifier: MIT
// What a server on a stream sends into: the client's copies of event rings, answers and progress.
// Everything is checked; the link's thread writes and rings the local bells, it never sends.
#pragma once

#include "channel.h"
#include "ring.h"

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace remote {

class ClientScreen;

class Mirrors {
  public:
    // Before the server hears of them. A ring that this side fills:
    void add_commands(uint32_t lane, RingPage *page);
    // One that it takes from.
    void add_events(uint32_t screen, RingPage *page, uint64_t ring_size, ClientScreen *owner);
    // A segment of its own for an answer, or (id PIPE_SEG_READ, which stays) for all of them.
    void add_segment(uint32_t seg, uint8_t *data, uint64_t size);
    // When this returns nothing writes there any more.
    void remove(uint32_t id);

    // Takes the rest of such a message; false: the connection is broken, or it says what cannot be.
    // The link's thread.
    bool receive(const MessageHead &head, Channel &channel);

    // Fork handlers.
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

  private:
    bool segment_data(uint64_t size, Channel &channel);
    bool ring_data(uint64_t size, Channel &channel);
    bool ring_taken(const pipe_ctl_ring_taken &taken);
    bool take_bytes(uint64_t size, Channel &channel);

    struct Mirror {
        RingPage *page = nullptr;       // of a ring
        ClientScreen *screen = nullptr; // of an event ring
        uint8_t *data = nullptr;        // of a segment, or behind the page
        uint64_t size = 0;
    };
    std::mutex mutex_;
    std::unordered_map<uint32_t, Mirror> all_;
    uint8_t *read_ = nullptr; // the segment of answers
    uint64_t read_size_ = 0;
    std::vector<uint8_t> bytes_; // of the message being taken
};

} // namespace remote
