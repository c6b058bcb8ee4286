// SPDX-License-Identifier: MIT
// Emitter: the client end of a lane. The generated entries of the emitting tables build each record
// in place with a Builder; subclasses decide what the memory is (a ring, a control message, a
// buffer that is applied at once). One thread at a time, like the pipe_context it serves.
#pragma once

#include "pipe/pipe_tables.h"
#include "pipe_wire/wire.h"

#include <atomic>
#include <cstring>

namespace wire {

class Emitter {
  public:
    virtual ~Emitter() = default;
    Emitter() = default;
    Emitter(const Emitter &) = delete;
    Emitter &operator=(const Emitter &) = delete;

    static Emitter &of(pipe_context *ctx) { return *static_cast<Emitter *>(ctx->owner); }
    static Emitter &of(pipe_screen *screen) { return *static_cast<Emitter *>(screen->owner); }

    // Nothing reaches the peer any more: calls do nothing, answers are PIPE_DECLINED.
    bool lost() const { return lost_.load(std::memory_order_relaxed); }

    // Room for one record; never null. Every begin() is followed by one end() of the same size.
    uint8_t *begin(uint64_t size) { return size <= room_ ? cur_ : begin_slow(size); }

    void end(uint64_t size, uint16_t op) {
        if (large_) {
            end_large(size, op);
            return;
        }
        cur_ += size;
        room_ -= size;
        pending_ += size;
        largest_ = size > largest_ ? size : largest_;
        ++*ordinal_;
        const CallInfo &info = call_info[op];
        if (pending_ >= publish_at_ || info.flush_point ||
            (info.shared && publish_shared_.load(std::memory_order_relaxed)) ||
            consumer_tail_->load(std::memory_order_relaxed) == published_)
            publish();
    }

    // Content no larger than this rides in the record itself.
    uint32_t inline_limit() const { return inline_limit_; }
    // Puts the bytes of a span where the peer finds them. Called before begin() of its record.
    virtual Span place(const pipe_host_span &span, uint16_t op) = 0;

    // Space for an answer of `size` bytes; before begin() of the record.
    virtual Reply reply_place(uint64_t size) = 0;
    // Publishes, waits for the answer and copies it out (only when PIPE_OK).
    virtual enum pipe_status reply_wait(const Reply &where, uint16_t op, void *out,
                                        uint32_t out_size, const pipe_out_span *dst) = 0;
    // Waits until the last record was applied (wait class `applied`).
    virtual void applied_wait() = 0;
    // Before a record of wait class `present` (blocks for the credit of its surface) and after it.
    virtual void present_begin(pipe_handle surface, uint64_t serial) = 0;
    // Makes everything emitted so far visible to the peer.
    virtual void publish() = 0;
    // Around one record where several threads share an emitter (events).
    virtual void lock() {}
    virtual void unlock() {}

  protected:
    // Makes room (waiting for the consumer); sizes above half the ring set large_ and return other
    // memory.
    virtual uint8_t *begin_slow(uint64_t size) = 0;
    virtual void end_large(uint64_t size, uint16_t op) = 0;

    uint8_t *cur_ = nullptr;
    uint64_t room_ = 0;
    uint64_t pending_ = 0; // bytes not yet published
    uint64_t publish_at_ = 0;
    uint64_t largest_ = 0;       // record so far
    uint64_t published_ = ~0ull; // cursor, comparable with *consumer_tail_
    uint64_t *ordinal_ = &own_ordinal_;
    const std::atomic<uint64_t> *consumer_tail_ = &no_tail_;
    uint32_t inline_limit_ = 256;
    std::atomic<bool> publish_shared_{false}; // the group has several lanes
    bool large_ = false;
    std::atomic<bool> lost_{false};

  private:
    uint64_t own_ordinal_ = 0;
    std::atomic<uint64_t> no_tail_{0};
};

// Builds one record. Order of use: tails, spans, archive, answer, commit.
template <unsigned Tails, unsigned Spans> class Builder {
  public:
    Builder(Emitter &e, uint16_t op, const void *payload, uint32_t payload_size)
        : e_(e), payload_(payload), payload_size_(payload_size),
          size_(sizeof(Header) + payload_size), op_(op) {}

    void tail(const void *data, uint64_t count, uint32_t element, uint32_t alignment) {
        size_ = align_up(size_, alignment);
        tails_[num_tails_++] = {data, size_, count * element};
        size_ += count * element;
    }

    void span(const pipe_host_span *s) {
        unsigned bit = num_spans_++;
        if (!s || !s->ptr || !s->size)
            return;
        flags_ |= uint16_t(1u << bit);
        Piece &piece = spans_[present_];
        if (s->seg == PIPE_SEG_NONE && s->size <= e_.inline_limit()) {
            piece = {s->ptr, 0, s->size};
            where_[present_] = Span{PIPE_SEG_INLINE, 0, 0, s->size};
        } else {
            piece = {nullptr, 0, 0};
            where_[present_] = e_.place(*s, op_);
        }
        present_++;
    }

    void answer(uint64_t struct_size, const pipe_out_span *dst) {
        answers_ = true;
        uint64_t bytes = align_up(struct_size, reply_alignment) + (dst ? dst->size : 0);
        reply_ = e_.reply_place(bytes);
    }

    void commit() {
        layout();
        uint8_t *r = e_.begin(size_);
        Header h{op_, flags_, uint32_t(size_)};
        memcpy(r, &h, sizeof h);
        memcpy(r + sizeof h, payload_, payload_size_);
        uint64_t at = sizeof h + payload_size_;
        for (unsigned i = 0; i < num_tails_; i++) {
            at = pad(r, at, tails_[i].at);
            if (tails_[i].size)
                memcpy(r + at, tails_[i].ptr, tails_[i].size);
            at += tails_[i].size;
        }
        at = pad(r, at, align_up(at, 8));
        for (unsigned i = 0; i < present_; i++, at += sizeof(Span))
            memcpy(r + at, &where_[i], sizeof(Span));
        if (answers_) {
            memcpy(r + at, &reply_, sizeof reply_);
            at += sizeof reply_;
        }
        for (unsigned i = 0; i < present_; i++) {
            if (!spans_[i].ptr)
                continue;
            memcpy(r + at, spans_[i].ptr, spans_[i].size);
            at = pad(r, at + spans_[i].size, align_up(at + spans_[i].size, 8));
        }
        e_.end(size_, op_);
    }

    enum pipe_status wait(void *out, uint32_t out_size, const pipe_out_span *dst) {
        return e_.reply_wait(reply_, op_, out, out_size, dst);
    }

  private:
    struct Piece {
        const void *ptr;
        uint64_t at, size;
    };

    void layout() {
        size_ = align_up(size_, 8) + present_ * sizeof(Span) + (answers_ ? sizeof(Reply) : 0);
        for (unsigned i = 0; i < present_; i++) {
            if (!spans_[i].ptr)
                continue;
            where_[i].offset = size_;
            size_ += align_up(spans_[i].size, 8);
        }
    }

    static uint64_t pad(uint8_t *r, uint64_t from, uint64_t to) {
        for (; from < to; from++)
            r[from] = 0;
        return to;
    }

    Emitter &e_;
    const void *payload_;
    uint32_t payload_size_;
    uint64_t size_;
    uint16_t op_, flags_ = 0;
    unsigned num_tails_ = 0, num_spans_ = 0, present_ = 0;
    bool answers_ = false;
    Piece tails_[Tails ? Tails : 1];
    Piece spans_[Spans ? Spans : 1];
    Span where_[Spans ? Spans : 1];
    Reply reply_{};
};

// Fills the entries with emitting ones for the calls that caps.call_mask names (the others become
// null). Local calls and lane_create are the owner's to fill.
void fill_screen(pipe_screen *screen, const pipe_caps *caps);
void fill_context(pipe_context *ctx, const pipe_caps *caps);

// Reverse: callbacks that emit. `data` of every call is an Emitter. Content is always inline.
extern const pipe_callbacks emitting_callbacks;

} // namespace wire
