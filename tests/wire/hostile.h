// SPDX-License-Identifier: MIT
// Hostile records made from valid ones; shared by the test and the fuzzer.
#pragma once

#include "capture.h"
#include "probe.h"

#include "pipe_wire/apply.h"

#include <cstring>

namespace hostile {

// Segments with real bytes behind them, so that a wrong bound is a wrong read and not luck.
class Memory final : public wire::Memory {
  public:
    Memory() : stage(1 << 16), read(1 << 16) {}
    const void *readable(uint32_t seg, uint64_t offset, uint64_t size) override {
        if (seg != PIPE_SEG_STAGE || offset > stage.size() || size > stage.size() - offset)
            return nullptr;
        return stage.data() + offset;
    }
    void *writable(uint32_t seg, uint64_t offset, uint64_t size) override {
        if (seg != PIPE_SEG_READ || offset > read.size() || size > read.size() - offset)
            return nullptr;
        return read.data() + offset;
    }
    std::vector<uint8_t> stage, read;
};

// Valid records of every call, their contents inside or (`staged`) in stage memory.
inline std::vector<std::vector<uint64_t>> corpus(uint64_t seed, bool staged = false) {
    capture::Emitter emitter(staged ? 0 : 1u << 30);
    pipe_screen screen{};
    pipe_context ctx{};
    pipe_caps caps{};
    memset(caps.call_mask, 0xff, sizeof caps.call_mask);
    ctx.screen = &screen;
    ctx.owner = static_cast<wire::Emitter *>(&emitter);
    wire::fill_screen(&screen, &caps);
    wire::fill_context(&ctx, &caps);
    probe::Random random{seed};
    unsigned wrong = 0;
    probe::send_each(&ctx, random, &wrong);
    return std::move(emitter.records);
}

// Damages a record in place; the result's header may lie about anything.
inline void damage(std::vector<uint64_t> &record, probe::Random &r) {
    auto *bytes = reinterpret_cast<uint8_t *>(record.data());
    uint64_t size = record.size() * 8;
    switch (r.below(7)) {
    case 0: // cut
        record.resize(1 + r.below(static_cast<uint32_t>(record.size())));
        reinterpret_cast<wire::Header *>(record.data())->size =
            static_cast<uint32_t>(record.size() * 8);
        break;
    case 1: // longer
        record.resize(record.size() + 1 + r.below(64), r.next());
        reinterpret_cast<wire::Header *>(record.data())->size =
            static_cast<uint32_t>(record.size() * 8);
        break;
    case 2: // another opcode over the same bytes
        reinterpret_cast<wire::Header *>(record.data())->op =
            static_cast<uint16_t>(r.below(PIPE_OP_COUNT + 8));
        break;
    case 3: // flags
        reinterpret_cast<wire::Header *>(record.data())->flags = static_cast<uint16_t>(r.next());
        break;
    case 4: // a member becomes huge
        if (size > 12) {
            uint32_t at = 8 + 4 * r.below(static_cast<uint32_t>((size - 8) / 4));
            uint32_t v = r.below(2) ? 0xffffffffu : 0x80000000u >> r.below(31);
            memcpy(bytes + at, &v, 4);
        }
        break;
    default: // bits
        for (uint32_t n = 1 + r.below(8); n; n--)
            bytes[8 * (size > 8) + r.below(static_cast<uint32_t>(size - 8 * (size > 8)))] ^=
                static_cast<uint8_t>(1u << r.below(8));
    }
}

// Applies `count` damaged records; returns how many were refused. Never crashes; that is the test.
inline uint64_t run(uint64_t seed, uint64_t count) {
    probe::Random random{seed | 1};
    Memory memory;
    pipe_screen *screen = probe::create_screen(nullptr);
    pipe_context ctx{};
    ctx.screen = screen;
    probe::fill_context(&ctx);
    wire::Applier a;
    a.screen = screen;
    a.ctx = &ctx;
    a.memory = &memory;
    uint64_t refused = 0;
    auto valid = corpus(random.next() | 1);
    for (uint64_t i = 0; i < count; i++) {
        if (i % 5000 == 4999)
            valid = corpus(random.next() | 1, i / 5000 % 2);
        auto record = valid[random.below(static_cast<uint32_t>(valid.size()))];
        for (uint32_t n = 1 + random.below(3); n; n--)
            damage(record, random);
        // A heap block of exactly that size: one byte too far is seen by the sanitizer.
        std::vector<uint64_t> exact(record);
        exact.shrink_to_fit();
        enum pipe_fault f =
            wire::apply(a, reinterpret_cast<const uint8_t *>(exact.data()), exact.size() * 8);
        refused += f != PIPE_FAULT_NONE;
        if (probe::log().calls.size() > 100000)
            probe::log().calls.clear();
    }
    screen->destroy(screen);
    return refused;
}

} // namespace hostile
