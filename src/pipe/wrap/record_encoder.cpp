// SPDX-License-Identifier: MIT
// Records from parts; see record_encoder.h.
#include "record_encoder.h"

namespace wrap {

std::span<const uint8_t> RecordEncoder::encode(const CallParts &parts) {
    content_.clear();
    content_size_ = size_ = 0;
    wire::Builder<4, 5> b(*this, parts.op, parts.payload, parts.payload_size);
    for (unsigned i = 0; i < parts.num_tails; i++) {
        const CallParts::Tail &t = parts.tails[i];
        b.tail(t.data, t.count, t.element, t.align);
    }
    for (unsigned i = 0; i < parts.num_spans; i++)
        b.span(&parts.spans[i]);
    if (parts.answers) {
        const pipe_out_span dst{nullptr, parts.dst_size};
        b.answer(parts.reply_size, parts.answers_bytes ? &dst : nullptr);
    }
    b.commit();
    return {reinterpret_cast<const uint8_t *>(record_.data()), size_};
}

wire::Span RecordEncoder::place(const pipe_host_span &span, uint16_t) {
    if (span.seg == PIPE_SEG_STAGE)
        return {PIPE_SEG_STAGE, 0, span.offset, span.size};
    content_.push_back(span);
    const uint64_t at = content_size_;
    content_size_ += span.size;
    return {PIPE_SEG_STAGE, 0, at, span.size};
}

uint8_t *RecordEncoder::begin_slow(uint64_t size) {
    record_.assign(size / 8, 0);
    cur_ = reinterpret_cast<uint8_t *>(record_.data());
    room_ = size;
    return cur_;
}

// Behind each record, as nothing is ever left to publish later.
void RecordEncoder::publish() {
    size_ = pending_;
    pending_ = 0;
    room_ = 0;
}

} // namespace wrap
