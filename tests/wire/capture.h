// SPDX-License-Identifier: MIT
// An emitter that keeps its records: raw material for hostile input.
#pragma once

#include "pipe_wire/emitter.h"

#include <vector>

namespace capture {

class Emitter final : public wire::Emitter {
  public:
    // Contents above the limit stand in stage memory.
    explicit Emitter(uint32_t inline_limit = 1u << 30) {
        inline_limit_ = inline_limit;
        publish_at_ = 0;
    }
    wire::Span place(const pipe_host_span &s, uint16_t) override {
        return {PIPE_SEG_STAGE, 0, 0, s.size};
    }
    wire::Reply reply_place(uint64_t size) override { return {PIPE_SEG_READ, 0, 4096, size}; }
    enum pipe_status reply_wait(const wire::Reply &, uint16_t, void *, uint32_t,
                                const pipe_out_span *) override {
        return PIPE_DECLINED;
    }
    void applied_wait() override {}
    void present_begin(pipe_handle, uint64_t) override {}
    void publish() override {
        if (pending_)
            records.push_back(record_);
        pending_ = 0;
        room_ = 0;
    }
    std::vector<std::vector<uint64_t>> records;

  protected:
    uint8_t *begin_slow(uint64_t size) override {
        record_.assign(size / 8, 0);
        cur_ = reinterpret_cast<uint8_t *>(record_.data());
        room_ = size;
        return cur_;
    }
    void end_large(uint64_t, uint16_t) override {}

  private:
    std::vector<uint64_t> record_;
};

} // namespace capture
