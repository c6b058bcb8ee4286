// SPDX-License-Identifier: MIT
// The observers: trace, statistics, poison; and which of them the environment asks for.
#include "pipe_wrap/wrap.h"

#include "pipe_wire/wire.h"

#include "pipe/pipe_input.h"

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

class Poison final : public Observer {
  public:
    Poison() : omit_(util::debug(util::Debug::poison_omit)) {}

    void before(const CallView &c) override {
        if (!c.ctx)
            return;
        Lane &lane = lane_of(c.ctx);
        const GroupUse use = group_use[c.op];
        lane.serial++;
        for (unsigned g = 0; use.fills >> g; g++)
            if (use.fills >> g & 1)
                lane.fills[g] = lane.serial;
        const uint8_t cls = wire::call_info[c.op].cls;
        if (cls != wire::XFER && cls != wire::VERB)
            return;
        lane.scope = {wire::call_info[c.op].name, use.reads, lane.fills, lane.last_verb};
        // Negative control: the row of one verb lacks a group that it reads.
        if (omit_ && c.op == PIPE_OP_GENERATE_MIPMAP)
            lane.scope.reads &= ~(1ull << PIPE_INPUT_TEXTURE_PARAMS);
        lane.last_verb = lane.serial;
        pipe_input_enter(&lane.scope);
    }
    void after(const CallView &c) override {
        pipe_input_enter(nullptr);
        if (c.op != PIPE_OP_LANE_DESTROY)
            return;
        std::lock_guard lock(mutex_);
        lanes_.erase(c.ctx);
    }

  private:
    struct Lane {
        uint64_t serial = 0, last_verb = 0;
        uint64_t fills[64] = {};
        pipe_input_scope scope{};
    };
    Lane &lane_of(pipe_context *ctx) {
        std::lock_guard lock(mutex_);
        return lanes_[ctx];
    }

    std::mutex mutex_; // of the map; a lane has one thread at a time
    std::map<pipe_context *, Lane> lanes_;
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

pipe_screen *wrap_by_environment(pipe_screen *inner) {
    if (!inner)
        return nullptr;
#ifdef MGPIPE_VERIFY
    inner = verify_screen(inner);
    verify_stops();
#endif
    if (*util::env_text(util::Env::STATS))
        inner = wrap_screen(inner, make_statistics());
    if (util::debug(util::Debug::trace) || *util::env_text(util::Env::VERIFY_TRACE))
        inner = wrap_screen(inner, make_trace(util::env_text(util::Env::VERIFY_TRACE)));
    return inner;
}

} // namespace wrap
