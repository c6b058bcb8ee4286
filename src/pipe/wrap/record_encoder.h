// SPDX-License-Identifier: MIT
// Makes the wire record of one call from its parts, whatever the call. Bytes beside it ride in the
// record; large ones stay where they are, and the record names them as a part of one content.
#pragma once

#include "pipe_wire/emitter.h"

#include <span>
#include <vector>

namespace wrap {

struct CallParts {
    struct Tail {
        const void *data;
        uint64_t count;
        uint32_t element, align;
    };
    uint16_t op = 0;
    const void *payload = nullptr;
    uint32_t payload_size = 0;
    Tail tails[4] = {};
    unsigned num_tails = 0;
    pipe_host_span spans[5] = {}; // the archive's bytes behind the others
    unsigned num_spans = 0;
    bool answers = false;
    uint32_t reply_size = 0;
    bool answers_bytes = false;
    uint64_t dst_size = 0;
};

class RecordEncoder final : public wire::Emitter {
  public:
    // From here on bytes are content.
    static constexpr uint32_t inline_most = 64 << 10;

    RecordEncoder() { inline_limit_ = inline_most; }

    // Valid until the next call. A span with PIPE_SEG_STAGE names content already and stays as it
    // is.
    std::span<const uint8_t> encode(const CallParts &parts);
    // The pieces of the content of the last record, in order.
    const std::vector<pipe_host_span> &content() const { return content_; }

    wire::Span place(const pipe_host_span &span, uint16_t op) override;
    wire::Reply reply_place(uint64_t size) override { return {PIPE_SEG_READ, 0, 0, size}; }
    enum pipe_status reply_wait(const wire::Reply &, uint16_t, void *, uint32_t,
                                const pipe_out_span *) override {
        return PIPE_DECLINED;
    }
    void applied_wait() override {}
    void present_begin(pipe_handle, uint64_t) override {}
    void publish() override;

  protected:
    uint8_t *begin_slow(uint64_t size) override;
    void end_large(uint64_t, uint16_t) override {}

  private:
    std::vector<uint64_t> record_;
    std::vector<pipe_host_span> content_;
    uint64_t content_size_ = 0, size_ = 0;
};

} // namespace wrap
