// SPDX-License-Identifier: MIT
// The observers: trace, statistics, poison; and which of them the environment asks for.
#include "pipe_wrap/wrap.h"

#include "pipe_wire/wire.h"

#include "util/env.h"
#include "util/log.h"
#include "util/stats.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace wrap {
namespace {

// --- trace ---------------------------------------------------------------------------------------

class Trace final : public Observer {
  public:
    explicit Trace(FILE *file) : file_(file) {}
    ~Trace() override {
        if (file_)
            fclose(file_);
    }

    void after(const CallView &c) override {
        std::string line;
        if (c.ctx && c.op != PIPE_OP_LANE_DESTROY)
            line = "lane " + std::to_string(c.ctx->lane.slot) + " #" +
                   std::to_string(number_.load()) + " ";
        number_++;
        print_call(line, c);
        std::lock_guard lock(mutex_);
        if (file_) {
            line += '\n';
            fwrite(line.data(), 1, line.size(), file_);
            fflush(file_);
        } else {
            // The flag was asked for, whatever the log level is.
            for (size_t at = 0; at < line.size(); at += 900)
                util::log_write(util::LogLevel::info, "trace", "%s", line.substr(at, 900).c_str());
        }
    }

  private:
    FILE *file_;
    std::mutex mutex_;
    std::atomic<uint64_t> number_{0};
};

// --- statistics ----------------------------------------------------------------------------------

struct Counters {
    explicit Counters(const char *op)
        : name(std::string("pipe.") + op), name_of_bytes(name + ".bytes"),
          calls(name.c_str(), "calls"), bytes(name_of_bytes.c_str(), "payload, tails and spans") {}
    std::string name, name_of_bytes;
    util::Counter calls, bytes;
};

// Made at the first call of each kind, so that the report lists what was used. Leaked: counters
// register for ever.
Counters &counters_of(uint16_t op) {
    static std::atomic<Counters *> all[PIPE_OP_COUNT];
    if (Counters *known = all[op].load(std::memory_order_acquire))
        return *known;
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    if (!all[op].load(std::memory_order_relaxed))
        all[op].store(new Counters(wire::call_info[op].name), std::memory_order_release);
    return *all[op].load(std::memory_order_relaxed);
}

// By the bytes of the draw's payload and tails: one range, a few, a multi-draw, ...
util::Counter draw_sizes[] = {
    {"draw-size.up-to-64", "draw records of at most 64 bytes"},
    {"draw-size.up-to-256", "draw records of 65 to 256 bytes"},
    {"draw-size.up-to-4096", "draw records of 257 to 4096 bytes"},
    {"draw-size.more", "draw records above 4096 bytes"},
};

util::Counter &draw_size(uint64_t bytes) {
    return draw_sizes[bytes <= 64 ? 0 : bytes <= 256 ? 1 : bytes <= 4096 ? 2 : 3];
}

class Statistics final : public Observer {
  public:
    void before(const CallView &c) override {
        uint64_t bytes = wire::call_info[c.op].payload_size;
        for (unsigned i = 0; i < c.num_tails; i++)
            bytes += c.tails[i].count * c.tails[i].element;
        for (unsigned i = 0; i < c.num_spans; i++)
            if (c.spans[i] && c.spans[i]->ptr)
                bytes += c.spans[i]->size;
        if (c.op == PIPE_OP_DRAW_VBO)
            draw_size(bytes).add();
        Counters &n = counters_of(c.op);
        n.calls.add();
        n.bytes.add(bytes);
    }
};

// --- poison --------------------------------------------------------------------------------------

std::atomic<uint64_t> poisoned{0};

constexpr uint64_t bit(unsigned g) {
    return 1ull << g;
}

class Poison final : public Observer {
  public:
    Poison() : omit_(util::debug(util::Debug::poison_omit)) {}

    void before(const CallView &c) override {
        if (!c.ctx)
            return;
        std::lock_guard lock(mutex_);
        uint64_t &filled = filled_[c.ctx];
        GroupUse use = group_use[c.op];
        if (use.reads) {
            // Groups that only some verbs need may never have been set; what a verb cannot do
            // without must have.
            uint64_t missing = use.reads & required & ~filled;
            for (unsigned g = 0; missing; g++, missing >>= 1)
                if (missing & 1) {
                    poisoned++;
                    log_error("verify", "%s@%s: read before it was pushed", group_names[g],
                              wire::call_info[c.op].name);
                    filled |= 1ull << g; // once
                }
        }
        if (!(omit_ && c.op == PIPE_OP_BIND_RENDER_STATE))
            filled |= use.fills;
        if (c.op == PIPE_OP_LANE_DESTROY)
            filled_.erase(c.ctx);
    }

  private:
    // Draw and dispatch both name programs; the rest is there in every frame.
    static constexpr uint64_t required =
        bit(PIPE_INPUT_RENDER_STATE) | bit(PIPE_INPUT_DYNAMIC_STATE) |
        bit(PIPE_INPUT_VERTEX_ELEMENTS) | bit(PIPE_INPUT_DRAW_PROGRAM) |
        bit(PIPE_INPUT_DISPATCH_PROGRAM);
    std::mutex mutex_;
    std::map<pipe_context *, uint64_t> filled_;
    bool omit_;
};

} // namespace

std::unique_ptr<Observer> make_trace(const char *file) {
    FILE *f = file && *file ? fopen(file, "we") : nullptr;
    if (file && *file && !f)
        log_error("trace", "cannot write %s", file);
    return std::make_unique<Trace>(f);
}

std::unique_ptr<Observer> make_statistics() {
    return std::make_unique<Statistics>();
}

std::unique_ptr<Observer> make_poison() {
    return std::make_unique<Poison>();
}

uint64_t poison_count() {
    return poisoned.load();
}

pipe_screen *wrap_by_environment(pipe_screen *inner) {
    if (!inner)
        return nullptr;
#ifdef MGPIPE_VERIFY
    inner = wrap_screen(inner, make_poison());
    inner = verify_screen(inner);
#endif
    if (*util::env_text(util::Env::STATS))
        inner = wrap_screen(inner, make_statistics());
    if (util::debug(util::Debug::trace) || *util::env_text(util::Env::VERIFY_TRACE))
        inner = wrap_screen(inner, make_trace(util::env_text(util::Env::VERIFY_TRACE)));
    return inner;
}

} // namespace wrap
