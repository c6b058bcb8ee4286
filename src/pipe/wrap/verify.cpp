// SPDX-License-Identifier: MIT
// The codec under test inside the monolith: every call is encoded, decoded and applied on the
// calling thread, and the call that comes out is compared with the one that went in. Behind the
// codec the pushed state is held, for derivations to be compared with (pipe_wrap/derive.h).
#include "held.h"
#include "pipe_wrap/derive.h"
#include "pipe_wrap/wrap.h"

#include "pipe_wire/apply.h"
#include "pipe_wire/emitter.h"

#include "util/env.h"
#include "util/log.h"
#include "util/thread_slot.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

namespace wrap {
namespace {

std::atomic<uint64_t> differences{0};
std::atomic<bool> stops{false};

void differs(const std::string &text) {
    differences++;
    log_error("verify", "%s", text.c_str());
    if (stops.load(std::memory_order_relaxed))
        std::abort();
}

// What is between sender and receiver: the call in flight on this thread.
struct InFlight {
    const CallView *sent = nullptr;
    bool arrived = false;
};
util::ThreadSlot<InFlight> flights;

class Sender final : public Observer {
  public:
    void before(const CallView &c) override { flights.get() = {&c, false}; }
    void after(const CallView &c) override {
        if (!flights.get().arrived && !local(c.op))
            differs(std::string(wire_name(c.op)) + ": never arrived");
        flights.get() = {};
    }
    static bool local(uint16_t op) {
        const wire::CallInfo &i = wire::call_info[op];
        return i.root || i.local || op == PIPE_OP_GET_CAPS || op == PIPE_OP_LANE_CREATE;
    }
    static const char *wire_name(uint16_t op) { return wire::call_info[op].name; }
};

// Lanes behind a Receiver, by slot (lanes are named per process).
std::mutex lanes_mutex;
std::map<uint32_t, uint32_t> verified_lanes; // slot -> generation

// What derives on this thread.
struct Derivation {
    bool runs = false;
    bool forward = false; // the call in flight differs: carry it out
    const char *atom = "";
    std::vector<std::string> found;
};
util::ThreadSlot<Derivation> derivations;
std::atomic<uint64_t> verbs{0};

class Receiver final : public Observer {
  public:
    void before(const CallView &c) override {
        InFlight &flight = flights.get();
        const uint64_t number = ++number_;
        if (flight.sent && !Sender::local(c.op)) {
            flight.arrived = true;
            std::string d = difference(*flight.sent, c);
            if (!d.empty())
                differs(d + '@' + wire::call_info[c.op].name + " #" + std::to_string(number));
        }
        if (!c.ctx)
            return;
        std::lock_guard lock(mutex_);
        if (derivations.get().runs && group_use[c.op].fills && !compare(c))
            return;
        held_.take(c);
    }
    bool forwards(const CallView &) override {
        const Derivation &d = derivations.get();
        return !d.runs || d.forward;
    }
    void after(const CallView &c) override {
        std::lock_guard lock(lanes_mutex);
        if (c.op == PIPE_OP_LANE_CREATE) {
            const pipe_handle lane = static_cast<const pipe_lane_create *>(c.payload)->lane;
            verified_lanes[lane.slot] = lane.gen;
        } else if (c.op == PIPE_OP_LANE_DESTROY) {
            verified_lanes.erase(c.ctx->lane.slot);
        }
    }

  private:
    // True: it differs from what is held.
    bool compare(const CallView &c) {
        Derivation &derivation = derivations.get();
        std::string d = held_.difference(c);
        derivation.forward = !d.empty();
        if (!d.empty())
            derivation.found.push_back(d + " (" + derivation.atom + ')');
        return derivation.forward;
    }

    std::mutex mutex_; // lanes of a group run on several threads
    Held held_;
    std::atomic<uint64_t> number_{0};
};

// The memory that a loop-back record may name: the sender's own.
class Private final : public wire::Memory {
  public:
    const void *readable(uint32_t seg, uint64_t offset, uint64_t size) override {
        if (seg != PIPE_SEG_STAGE || offset > content.size() || size > content.size() - offset)
            return nullptr;
        return content.data() + offset;
    }
    void *writable(uint32_t seg, uint64_t offset, uint64_t size) override {
        if (seg != PIPE_SEG_READ || offset > answer.size() || size > answer.size() - offset)
            return nullptr;
        return reinterpret_cast<uint8_t *>(answer_words.data()) + offset;
    }
    void room_for_answer(uint64_t size) {
        answer_words.assign((size + 15) / 8, 0);
        answer = {reinterpret_cast<uint8_t *>(answer_words.data()), size};
    }
    std::vector<uint8_t> content;
    std::vector<uint64_t> answer_words;
    std::basic_string_view<uint8_t> answer;
};

class Loopback final : public wire::Emitter {
  public:
    Loopback(pipe_screen *screen, pipe_context *ctx) {
        applier_.screen = screen;
        applier_.ctx = ctx;
        applier_.memory = &memory_;
        corrupt_ = util::debug(util::Debug::codec_corrupt);
        publish_at_ = 0;
    }
    // The outer table counts what the inner one carried.
    void count_for(pipe_context *outer) { outer_ = outer; }

    // Content lies in a private copy until its record was applied.
    wire::Span place(const pipe_host_span &span, uint16_t) override {
        uint64_t at = memory_.content.size();
        const auto *p = static_cast<const uint8_t *>(span.ptr);
        memory_.content.insert(memory_.content.end(), p, p + span.size);
        return {PIPE_SEG_STAGE, 0, at, span.size};
    }
    wire::Reply reply_place(uint64_t size) override {
        memory_.room_for_answer(size);
        return {PIPE_SEG_READ, 0, 0, size};
    }
    enum pipe_status reply_wait(const wire::Reply &where, uint16_t, void *out, uint32_t out_size,
                                const pipe_out_span *dst) override {
        if (!applier_.answered)
            return PIPE_ERROR;
        const auto *p = reinterpret_cast<const uint8_t *>(memory_.answer_words.data());
        if (applier_.status == PIPE_OK && where.size) {
            if (out_size)
                memcpy(out, p, out_size);
            if (dst && dst->size)
                memcpy(dst->ptr, p + wire::align_up(out_size, wire::reply_alignment), dst->size);
        }
        return applier_.status;
    }
    void applied_wait() override {}
    void present_begin(pipe_handle, uint64_t) override {}
    void publish() override {
        const auto *h = reinterpret_cast<const wire::Header *>(record_.data());
        if (pending_ && h->size == pending_) {
            if (corrupt_ && h->op == PIPE_OP_SET_SAMPLE_STATE) { // negative control, once
                corrupt_ = false;
                reinterpret_cast<uint8_t *>(record_.data())[sizeof *h] ^= 1;
            }
            enum pipe_fault f =
                wire::apply(applier_, reinterpret_cast<const uint8_t *>(h), h->size);
            if (f != PIPE_FAULT_NONE)
                differs(std::string(wire::fault_name(f)) + ": " + applier_.detail);
            if (outer_ && h->op != PIPE_OP_LANE_DESTROY)
                outer_->ordinal = applier_.ctx->ordinal;
        }
        pending_ = 0;
        room_ = 0;
        memory_.content.clear();
    }

  protected:
    uint8_t *begin_slow(uint64_t size) override {
        record_.assign(size / 8, 0);
        cur_ = reinterpret_cast<uint8_t *>(record_.data());
        room_ = size;
        return cur_;
    }
    void end_large(uint64_t, uint16_t) override {}

  private:
    wire::Applier applier_;
    pipe_context *outer_ = nullptr;
    Private memory_;
    std::vector<uint64_t> record_;
    bool corrupt_;
};

// --- tables --------------------------------------------------------------------------------------

struct LoopScreen : pipe_screen {
    pipe_screen *inner;
};

struct LoopContext : pipe_context {
    pipe_context *inner;
    std::unique_ptr<Loopback> loop;
    void (*emit_destroy)(pipe_context *, const pipe_lane_destroy *);
};

void lane_destroy(pipe_context *ctx, const pipe_lane_destroy *p) {
    auto *c = static_cast<LoopContext *>(ctx);
    if (c->emit_destroy)
        c->emit_destroy(ctx, p);
    delete c;
}

pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p) {
    auto *s = static_cast<LoopScreen *>(screen);
    pipe_context *inner = s->inner->lane_create(s->inner, p);
    if (!inner)
        return nullptr;
    auto *c = new LoopContext{};
    c->inner = inner;
    c->screen = s;
    c->lane = inner->lane;
    c->loop = std::make_unique<Loopback>(s->inner, inner);
    c->owner = static_cast<wire::Emitter *>(c->loop.get());
    c->loop->count_for(c);
    wire::fill_context(c, &s->caps);
    c->emit_destroy = c->lane_destroy;
    c->lane_destroy = lane_destroy;
    return c;
}

// Root calls and what needs the caller's own memory go straight on.
template <auto Member, typename... A> auto forward(pipe_screen *screen, A... a) {
    pipe_screen *inner = static_cast<LoopScreen *>(screen)->inner;
    return (inner->*Member)(inner, a...);
}

template <auto Member> auto forward_root(pipe_screen *inner) {
    auto entry = inner->*Member;
    return [&]<typename R, typename... A>(R (*)(pipe_screen *, A...)) -> R (*)(pipe_screen *,
                                                                               A...) {
        if (!entry)
            return nullptr;
        return [](pipe_screen *screen, A... a) -> R { return forward<Member, A...>(screen, a...); };
    }(entry);
}

} // namespace

pipe_screen *verify_screen(pipe_screen *driver) {
    pipe_screen *inner = wrap_screen(driver, std::make_unique<Receiver>());
    auto *s = new LoopScreen{};
    s->inner = inner;
    s->caps = inner->caps;
    // Mapped memory and descriptors of the caller do not survive a record.
    for (uint32_t op :
         {PIPE_OP_RESOURCE_IMPORT, PIPE_OP_DMABUF_FORMATS, PIPE_OP_RESOURCE_EXPORT,
          PIPE_OP_FENCE_IMPORT_FD, PIPE_OP_FENCE_EXPORT_FD, PIPE_OP_MAP_PERSISTENT,
          PIPE_OP_UNMAP_PERSISTENT, PIPE_OP_BUFFER_SUBDATA_RESIDENT, PIPE_OP_RESOURCE_FLUSH_RANGE})
        s->caps.call_mask[(op - 1) / 64] &= ~(1ull << ((op - 1) % 64));
    wire::fill_screen(s, &s->caps);
    s->get_caps = forward_root<&pipe_screen::get_caps>(inner);
    s->surface_create = forward_root<&pipe_screen::surface_create>(inner);
    s->surface_resize = forward_root<&pipe_screen::surface_resize>(inner);
    s->surface_destroy = forward_root<&pipe_screen::surface_destroy>(inner);
    s->memory_info = forward_root<&pipe_screen::memory_info>(inner);
    // No stage memory of the driver: contents go through the record's own copy.
    s->stage_alloc = [](pipe_screen *, const pipe_stage_alloc *, pipe_stage_alloc_reply *out) {
        *out = {};
        return PIPE_OK;
    };
    s->lane_create = lane_create;
    s->destroy = [](pipe_screen *screen) {
        auto *l = static_cast<LoopScreen *>(screen);
        l->inner->destroy(l->inner);
        delete l;
    };
    if (inner->drain_events)
        s->drain_events = [](pipe_screen *screen) {
            auto *l = static_cast<LoopScreen *>(screen);
            l->inner->drain_events(l->inner);
        };
    return wrap_screen(s, std::make_unique<Sender>());
}

uint64_t verify_count() {
    return differences.load();
}

void verify_stops() {
    stops.store(true);
}

bool derive_begin(pipe_handle lane) {
    std::lock_guard lock(lanes_mutex);
    auto known = verified_lanes.find(lane.slot);
    if (known == verified_lanes.end() || known->second != lane.gen)
        return false;
    derivations.get() = {};
    derivations.get().runs = true;
    return true;
}

void derive_atom(const char *name) {
    derivations.get().atom = name;
}

size_t derive_differences() {
    return derivations.get().found.size();
}

void derive_end(const char *verb, bool report) {
    std::vector<std::string> found;
    found.swap(derivations.get().found);
    derivations.get() = {};
    const std::string at = std::string("@") + verb + " #" + std::to_string(++verbs);
    for (std::string &d : found)
        if (report)
            differs(d.insert(d.rfind(" ("), at));
}

void derive_report(const std::string &difference) {
    differs(difference);
}

} // namespace wrap
