// SPDX-License-Identifier: MIT
// Calls as bytes: a call with everything that it names, which may be carried out later; and a log
// of them. Not locked.
#pragma once

#include "pipe_wrap/wrap.h"

#include <deque>
#include <memory>
#include <vector>

namespace wrap {

// What no CallView tells before there is one.
struct CallShape {
    uint32_t tail_element[4]; // bytes
};
extern const CallShape call_shapes[]; // PIPE_OP_COUNT entries; generated

// A stored call that is looked at. Pointers lead into the stored bytes, 8-byte aligned (spans: 16).
struct Recalled {
    CallView view;
    pipe_host_span spans[4];
    const uint8_t *archive; // encoded
    uint64_t archive_size;
    uint32_t lane;
    uint64_t size; // of the stored call
};

uint64_t stored_size(const CallView &view, uint64_t archive_size);
// `to`: 16-byte aligned, stored_size() bytes.
void store_call(uint8_t *to, const CallView &view, uint32_t lane,
                const std::vector<uint8_t> &archive);
void recall(Recalled &r, const uint8_t *from);

// A stored call of its own.
class KeptCall {
  public:
    void keep(const Recalled &r, const uint8_t *from);
    void keep(const CallView &view);
    bool empty() const { return words_.empty(); }
    void recalled(Recalled &r) const { recall(r, bytes()); }
    template <typename P> P &payload() { return *const_cast<P *>(payload_of<P>()); }
    template <typename P> const P &payload() const { return *payload_of<P>(); }

  private:
    struct alignas(16) Word {
        uint8_t bytes[16];
    };
    const uint8_t *bytes() const { return reinterpret_cast<const uint8_t *>(words_.data()); }
    template <typename P> const P *payload_of() const {
        Recalled r;
        recalled(r);
        return static_cast<const P *>(r.view.payload);
    }
    std::vector<Word> words_;
};

class CallLog {
  public:
    // Allocates only while the log grows.
    void append(const CallView &view, uint32_t lane);
    // Position behind the last call, in bytes since the beginning of time.
    uint64_t end() const { return end_; }
    uint64_t begin() const { return begin_; }
    uint64_t bytes() const { return end_ - begin_; }
    uint64_t calls() const { return calls_; }
    // The oldest call; null when there is none.
    const uint8_t *oldest() const;
    void drop_oldest();
    template <typename F> void each(F f) const {
        for (const Chunk &c : chunks_)
            for (uint64_t at = c.first; at < c.used;) {
                const uint8_t *call = c.bytes.get() + at;
                at += size_of(call);
                f(call);
            }
    }

  private:
    struct Free {
        void operator()(uint8_t *p) const;
    };
    struct Chunk {
        std::unique_ptr<uint8_t, Free> bytes;
        uint64_t size, first, used;
    };
    static uint64_t size_of(const uint8_t *call);
    uint8_t *room(uint64_t size);

    std::deque<Chunk> chunks_;
    std::vector<Chunk> spare_;
    std::vector<uint8_t> archive_;
    uint64_t begin_ = 0, end_ = 0, calls_ = 0;
};

} // namespace wrap
