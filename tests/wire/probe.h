// SPDX-License-Identifier: MIT
// A driver for tests: it digests everything that each call brings, and answers what follows from
// the digest. Made from the definition, so that no call is forgotten.
#pragma once

#include "pipe/pipe.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace probe {

struct Random {
    uint64_t state;
    uint64_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(next() % n); }
};

// Calls that arrived, in order: opcode and digest of all that came with it.
struct Seen {
    uint16_t op;
    uint64_t digest;
};

struct Log {
    std::mutex mutex;
    std::vector<Seen> calls;
    std::vector<std::string> lanes; // "create N", "destroy N"
    pipe_screen_config config{};
    pipe_callbacks callbacks{};
};
Log &log();
// Copies, or empties, `calls` under its mutex. Any thread.
std::vector<Seen> calls_seen();
void forget_calls();

// The screen, made new each time; all entries are there.
pipe_screen *create_screen(const pipe_screen_config *config);

// Digest that a call with these bytes must produce.
uint64_t digest_bytes(uint64_t seed, const void *p, uint64_t size);

// Sends `count` random valid calls to the tables, chosen by `random`; returns what they must digest
// to. Answers of reply calls are checked on the spot; the number of wrong ones is added to *wrong.
// Root and lane-lifetime calls are left out.
std::vector<Seen> send_random(pipe_context *ctx, Random &random, unsigned count, unsigned *wrong);
// Every call once.
std::vector<Seen> send_each(pipe_context *ctx, Random &random, unsigned *wrong);
// Random archive and its digest.
void fill_archive(pipe_shader_archive &a, Random &random);
uint64_t digest_archive(const pipe_shader_archive &a);

// Fills tables with probing entries (generated).
void fill_screen(pipe_screen *screen);
void fill_context(pipe_context *ctx);

} // namespace probe
