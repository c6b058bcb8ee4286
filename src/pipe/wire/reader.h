// SPDX-License-Identifier: MIT
// Reader: bounds-checked walk over one private record. The first thing that does not fit sets
// `fault`, and from then on every accessor yields nothing.
#pragma once

#include "pipe_wire/apply.h"

#include <cstdio>

namespace wire {

class Reader {
  public:
    Reader(const uint8_t *record, uint64_t size, Memory *memory, unsigned spans)
        : record_(record), size_(size), memory_(memory),
          flags_(reinterpret_cast<const Header *>(record)->flags) {
        if (flags_ & ~((1u << spans) - 1))
            fail(PIPE_FAULT_PROTOCOL, "unknown record flags");
    }

    enum pipe_fault fault = PIPE_FAULT_NONE;
    const char *what = "";

    template <typename T> const T *payload() {
        at_ = sizeof(Header);
        return take<T>(1, PIPE_FAULT_RECORD_SIZE, "payload is cut");
    }

    template <typename T> const T *tail(uint64_t count) {
        at_ = align_up(at_, alignof(T));
        return take<T>(count, PIPE_FAULT_COUNT, "tail is longer than its record");
    }

    void begin_spans() { at_ = align_up(at_, 8); }

    pipe_host_span span() {
        pipe_host_span out{};
        unsigned bit = next_span_++;
        if (fault || !(flags_ & (1u << bit)))
            return out;
        const Span *s = take<Span>(1, PIPE_FAULT_RECORD_SIZE, "span is cut");
        if (!s)
            return out;
        if (s->size == 0)
            return fail(PIPE_FAULT_SPAN, "empty span"), out;
        if (s->seg == PIPE_SEG_INLINE) {
            // The inline bytes lie behind all fixed parts; end() checks that they do.
            if (s->offset > size_ || s->size > size_ - s->offset || s->offset < at_)
                return fail(PIPE_FAULT_SPAN, "inline bytes outside the record"), out;
            out.ptr = record_ + s->offset;
        } else {
            if (s->seg == PIPE_SEG_NONE || s->seg == PIPE_SEG_DRIVER)
                return fail(PIPE_FAULT_SEGMENT, "span without a segment"), out;
            out.ptr = memory_ ? memory_->readable(s->seg, s->offset, s->size) : nullptr;
            if (!out.ptr)
                return fail(PIPE_FAULT_SPAN, "span outside its segment"), out;
        }
        out.size = s->size;
        return out;
    }

    // Room for an answer: the struct first, then `bytes`.
    void answer(uint32_t struct_size, void **out_struct, pipe_out_span *bytes) {
        const Reply *r = take<Reply>(1, PIPE_FAULT_RECORD_SIZE, "reply is cut");
        if (!r)
            return;
        uint64_t head = align_up(struct_size, reply_alignment);
        if (r->size < head || (!bytes && r->size != head)) {
            fail(PIPE_FAULT_REPLY, "room for the answer has another size");
            return;
        }
        *out_struct = nullptr;
        if (bytes)
            *bytes = {nullptr, 0};
        if (!r->size)
            return;
        if (r->offset % reply_alignment) {
            fail(PIPE_FAULT_REPLY, "answer is not aligned");
            return;
        }
        auto *p = memory_ ? static_cast<uint8_t *>(memory_->writable(r->seg, r->offset, r->size))
                          : nullptr;
        if (!p) {
            fail(PIPE_FAULT_REPLY, "answer outside its segment");
            return;
        }
        *out_struct = p;
        if (bytes)
            *bytes = {p + head, r->size - head};
    }

    void fail(enum pipe_fault f, const char *text) {
        if (!fault) {
            fault = f;
            what = text;
        }
    }

  private:
    template <typename T> const T *take(uint64_t count, enum pipe_fault f, const char *text) {
        if (fault)
            return nullptr;
        if (at_ > size_ || count > (size_ - at_) / sizeof(T)) {
            fail(f, text);
            return nullptr;
        }
        const T *p = reinterpret_cast<const T *>(record_ + at_);
        at_ += count * sizeof(T);
        return p;
    }

    const uint8_t *record_;
    uint64_t size_, at_ = sizeof(Header);
    Memory *memory_;
    uint16_t flags_;
    unsigned next_span_ = 0;
};

} // namespace wire
