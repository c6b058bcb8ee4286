// SPDX-License-Identifier: MIT
// The apply thread of a lane; see server_lane.h.
#include "server_lane.h"

#include "counters.h"
#include "map_offer.h"
#include "unasked.h"

#include "pipe_wrap/wrap.h"

#include "util/futex.h"
#include "util/log.h"
#include "util/seeded.h"
#include "util/thread.h"

#include <algorithm>

namespace remote {

constexpr uint64_t release_bytes = 16 * 1024;   // how far the tail may lag inside a batch
constexpr uint64_t fence_period_ns = 8'000'000; // a fence is looked at least so often
constexpr uint64_t fence_records = 4096;
// A look at a query submits what it waits for: not at once, or each query would end a pass.
constexpr uint64_t query_rest_ns = 1'000'000;
constexpr size_t max_pending_queries = 1024; // of a client that never reads its results

ServerLane::ServerLane(ServerScreen &screen, const pipe_ctl_lane &ctl)
    : screen_(screen), session_(screen.session), handle_(ctl.lane_handle), id_(ctl.lane),
      memory_(screen.session) {
    create_.lane = ctl.lane_handle;
    create_.robust = ctl.attributes[0];
    create_.no_error = ctl.attributes[1];
    create_.debug = ctl.attributes[2];
    create_.reset_isolation = ctl.attributes[3];
    memcpy(&create_.priority, ctl.attributes + 4, 4);
}

ServerLane::~ServerLane() {
    stop();
}

bool ServerLane::open() {
    const uint64_t size = page_size + session_.ring_size();
    if (handle_.slot >= (1u << 22) ||
        !(session_.stream() ? segment.create_private(size) : segment.create("mgpipe-ring", size)))
        return false;
    if (session_.stream())
        stream_ = std::make_unique<StreamWriter>(*session_.stream());
    consumer_.attach(&segment, session_.ring_size());
    if (!util::start_thread(&thread_, "mgpipe-apply", [this] { run(); }))
        return false;
    started_.wait(0);
    if (started_.load() == 1)
        return true;
    thread_.join();
    return false;
}

void ServerLane::stop() {
    // exit() may be called from a callback of the driver, on this very thread.
    if (!thread_.joinable() || thread_.get_id() == std::this_thread::get_id())
        return;
    stop_.store(true, std::memory_order_release);
    page().consumer.sequence.fetch_add(1, std::memory_order_release);
    util::futex_wake(page().consumer.sequence, 1, util::FutexScope::shared);
    session_.progress();
    thread_.join();
}

bool ServerLane::ending() const {
    return stop_.load(std::memory_order_acquire) || session_.stopping() || session_.latched();
}

bool ServerLane::make_driver_lane() {
    std::lock_guard lock(screen_.group);
    ctx_ = screen_.driver->lane_create ? screen_.driver->lane_create(screen_.driver, &create_)
                                       : nullptr;
    if (!ctx_)
        return false;
    applier_.screen = screen_.driver;
    applier_.ctx = ctx_;
    applier_.memory = &memory_;
    applier_.group_generations = &screen_.generations;
    applier_.lane_generations = &generations_;
    applier_.several_lanes = &screen_.several_lanes;
    return true;
}

void ServerLane::end_driver_lane() {
    if (!ctx_ || session_.frozen())
        return;
    std::lock_guard lock(screen_.group);
    pipe_lane_destroy p{};
    p.lane = handle_;
    if (ctx_->lane_destroy)
        ctx_->lane_destroy(ctx_, &p);
    ctx_ = nullptr;
    applier_.ctx = nullptr;
}

void ServerLane::run() {
    wrap::audit_apply_thread();
    bool made = make_driver_lane();
    started_.store(made ? 1 : 2);
    started_.notify_all();
    if (!made)
        return;
    util::seeded_race();
    while (!ending() && !ended_.load(std::memory_order_relaxed)) {
        uint64_t waiting = consumer_.available();
        if (consumer_.bad) {
            session_.latch(PIPE_FAULT_CURSOR, "command ring: a head that cannot be");
            break;
        }
        if (waiting)
            batch();
        else
            idle();
    }
    end_driver_lane();
    ended_.store(true, std::memory_order_release);
    page().ended.store(1, std::memory_order_release);
    send_progress();
    page().producer.sequence.fetch_add(1, std::memory_order_release);
    util::futex_wake(page().producer.sequence, 64, util::FutexScope::shared);
    session_.progress();
}

// --- batches -------------------------------------------------------------------------------------

void ServerLane::note_progress() {
    applied_.store(ordinal_, std::memory_order_release);
    consumer_.release(ordinal_);
    send_progress();
}

void ServerLane::release() {
    note_progress();
    ring_bell(page().producer, &count_apply_bells);
    session_.progress();
}

void ServerLane::send_progress() {
    if (!stream_)
        return;
    pipe_ctl_ring_taken now{};
    now.owner = id_;
    now.ended = page().ended.load(std::memory_order_relaxed);
    now.tail = consumer_.tail();
    now.applied = page().applied.load(std::memory_order_relaxed);
    now.reply_ordinal = page().reply_ordinal.load(std::memory_order_relaxed);
    now.reply_status = page().reply_status.load(std::memory_order_relaxed);
    if (!memcmp(&now, &told_, sizeof now))
        return;
    told_ = now;
    stream_->taken(now);
    stream_->send();
}

// The client looks at the bytes only after this.
void ServerLane::answer() {
    if (stream_ && applier_.status == PIPE_OK)
        memory_.send_written(*stream_);
    page().reply_status.store(applier_.status, std::memory_order_relaxed);
    page().reply_ordinal.store(ordinal_, std::memory_order_release);
    applier_.answered = false;
    release();
}

void *LaneMemory::writable(uint32_t seg, uint64_t offset, uint64_t size) {
    void *p = session_.writable(seg, offset, size, &held_);
    last_writable_ = p;
    if (p && session_.stream())
        written_.push_back({seg, offset, size, static_cast<const uint8_t *>(p)});
    return p;
}

void LaneMemory::send_written(StreamWriter &writer) const {
    for (const Written &w : written_)
        writer.segment(w.seg, w.offset, w.bytes, w.size);
}

// A client that is slow to take its events is waited for, however long: it is not lost before it
// hangs up. Its own waits take them.
bool ServerLane::wait_for_events() {
    if (screen_.events.catch_up())
        return false;
    release();
    while (!ending() && !screen_.events.catch_up())
        screen_.events.rest();
    return true;
}

void ServerLane::batch() {
    wait_for_events();
    std::unique_lock group(screen_.group);
    count_apply_batches.add();
    uint64_t released = consumer_.tail(), size;
    while (const uint8_t *record = consumer_.take(&size)) {
        ordinal_++;
        count_applied.add();
        applier_.missing = 0;
        memory_.next_record();
        enum pipe_fault fault = apply_one(record, size, group);
        count_missing_entries.add(applier_.missing);
        if (fault != PIPE_FAULT_NONE) {
            session_.latch(fault, applier_.detail);
            break;
        }
        if (applier_.answered) {
            if (screen_.events.behind()) { // what the call reported comes before its answer
                group.unlock();
                wait_for_events();
                group.lock();
            }
            answer();
            released = consumer_.tail();
        } else if (consumer_.producer_wants(ordinal_)) {
            release();
            released = consumer_.tail();
        } else if (consumer_.tail() - released >= release_bytes) {
            note_progress(); // who sleeps waits for more
            released = consumer_.tail();
        }
        if (ended_.load(std::memory_order_relaxed) || ending() || screen_.events.behind())
            break;
    }
    memory_.next_record(); // an idle lane keeps nothing
    if (consumer_.bad)
        session_.latch(PIPE_FAULT_RECORD_SIZE, "command ring: a record that cannot be");
    if (!fences_.empty() && ctx_ &&
        (ordinal_ - fence_polled_at_ >= fence_records ||
         util::now_ns() - fence_polled_ns_ >= fence_period_ns))
        poll_fences();
    if (may_poll_queries() && util::now_ns() - query_polled_ns_ >= fence_period_ns)
        poll_queries();
    release();
}

enum pipe_fault ServerLane::apply_one(const uint8_t *record, uint64_t size,
                                      std::unique_lock<std::mutex> &group) {
    const auto *h = reinterpret_cast<const wire::Header *>(record);
    if (h->flags & wire::flag_indirect)
        return apply_indirect(record, size, group);
    if (h->flags & flag_unasked)
        return read_unasked(record, size);
    return apply_special(record, size, group);
}

enum pipe_fault ServerLane::read_unasked(const uint8_t *record, uint64_t size) {
    UnaskedRead r;
    if (size != sizeof r ||
        reinterpret_cast<const wire::Header *>(record)->op != PIPE_OP_RESOURCE_READBACK) {
        snprintf(applier_.detail, sizeof applier_.detail,
                 "a read of another kind that nobody waits for");
        return PIPE_FAULT_PROTOCOL;
    }
    memcpy(&r, record, sizeof r);
    r.head.flags = 0;
    const enum pipe_fault fault =
        wire::apply(applier_, reinterpret_cast<const uint8_t *>(&r), sizeof r);
    if (fault != PIPE_FAULT_NONE)
        return fault;
    applier_.answered = false;
    const bool ok = applier_.status == PIPE_OK;
    if (stream_ && ok) { // before the word of it
        memory_.send_written(*stream_);
        stream_->send();
    }
    pipe_on_buffer_writeback e{};
    e.resource = r.call.resource;
    e.offset = r.call.offset;
    e.size = ok ? r.call.size : 0;
    wire::emitting_callbacks.on_buffer_writeback(static_cast<wire::Emitter *>(&screen_.events), &e);
    return PIPE_FAULT_NONE;
}

enum pipe_fault ServerLane::apply_indirect(const uint8_t *record, uint64_t size,
                                           std::unique_lock<std::mutex> &group) {
    const auto *h = reinterpret_cast<const wire::Header *>(record);
    constexpr uint64_t limit = 256ull << 20;
    if (size != sizeof *h + sizeof(wire::Span)) {
        snprintf(applier_.detail, sizeof applier_.detail, "indirect record of %llu bytes",
                 (unsigned long long)size);
        return PIPE_FAULT_RECORD_SIZE;
    }
    wire::Span s;
    memcpy(&s, h + 1, sizeof s);
    const void *bytes = s.size > limit || s.size < sizeof *h || s.size % 8
                            ? nullptr
                            : memory_.readable(s.seg, s.offset, s.size);
    if (!bytes) {
        snprintf(applier_.detail, sizeof applier_.detail, "indirect record outside its segment");
        return PIPE_FAULT_SPAN;
    }
    uint16_t op = h->op;
    large_.resize(s.size / 8);
    memcpy(large_.data(), bytes, s.size);
    h = reinterpret_cast<const wire::Header *>(large_.data());
    if (h->op != op || (h->flags & wire::flag_indirect)) {
        snprintf(applier_.detail, sizeof applier_.detail, "indirect record names another");
        return PIPE_FAULT_PROTOCOL;
    }
    enum pipe_fault fault =
        apply_special(reinterpret_cast<const uint8_t *>(large_.data()), s.size, group);
    if (large_.size() > (4u << 20) / 8)
        std::vector<uint64_t>().swap(large_);
    return fault;
}

// Calls in which the server itself has a part; everything else is the generated applier's alone.
enum pipe_fault ServerLane::apply_special(const uint8_t *record, uint64_t size,
                                          std::unique_lock<std::mutex> &group) {
    const auto *h = reinterpret_cast<const wire::Header *>(record);
    enum pipe_fault fault = PIPE_FAULT_NONE;
    switch (h->op) {
    case PIPE_OP_FLUSH:
        fault = wire::apply(applier_, record, size);
        if (fault == PIPE_FAULT_NONE)
            frame_ended(reinterpret_cast<const pipe_flush *>(h + 1)->flags);
        return fault;
    case PIPE_OP_PRESENT: present(record, group, &fault, size); return fault;
    case PIPE_OP_FENCE_WAIT: return fence_wait(record, size, group);
    case PIPE_OP_MAP_PERSISTENT:
        return session_.own_process ? map_persistent(record, size)
                                    : wire::apply(applier_, record, size);
    case PIPE_OP_FENCE_WAIT_SERVER: return fence_wait_server(record, size, group);
    case PIPE_OP_LANE_WAIT:
        fault = wire::apply(applier_, record, size);
        if (fault == PIPE_FAULT_NONE)
            lane_wait(record, group);
        return fault;
    case PIPE_OP_FENCE_CREATE:
    case PIPE_OP_FENCE_DESTROY:
        fault = wire::apply(applier_, record, size);
        if (fault == PIPE_FAULT_NONE) {
            pipe_handle fence = reinterpret_cast<const pipe_fence_create *>(h + 1)->fence;
            std::erase(fences_, fence);
            if (h->op == PIPE_OP_FENCE_CREATE)
                fences_.push_back(fence);
        }
        return fault;
    case PIPE_OP_LANE_CURRENT:
        fault = wire::apply(applier_, record, size);
        if (fault == PIPE_FAULT_NONE)
            current_ = !reinterpret_cast<const pipe_lane_current *>(h + 1)->release;
        return fault;
    case PIPE_OP_QUERY_BEGIN:
    case PIPE_OP_QUERY_END:
    case PIPE_OP_QUERY_COUNTER:
    case PIPE_OP_QUERY_DESTROY:
        fault = wire::apply(applier_, record, size);
        if (fault == PIPE_FAULT_NONE)
            note_query(h->op, reinterpret_cast<const pipe_query_end *>(h + 1)->query);
        return fault;
    case PIPE_OP_LANE_DESTROY:
        fault = wire::apply(applier_, record, size);
        if (fault == PIPE_FAULT_NONE) {
            if (!applier_.missing)
                ctx_ = applier_.ctx = nullptr;
            ended_.store(true, std::memory_order_release);
        }
        return fault;
    default: return wire::apply(applier_, record, size);
    }
}

// A surface that blocks stops no other lane.
void ServerLane::present(const uint8_t *record, std::unique_lock<std::mutex> &group,
                         enum pipe_fault *fault, uint64_t size) {
    // The record may be too short to name a surface: then the applier refuses it at once.
    pipe_handle surface{}, target{};
    const auto *p = reinterpret_cast<const pipe_present *>(record + sizeof(wire::Header));
    if (size >= sizeof(wire::Header) + sizeof *p) {
        surface = p->surface;
        target = p->target;
    }
    present_surface_.store(pipe_handle_key(surface), std::memory_order_relaxed);
    present_since_ns_.store(util::now_ns(), std::memory_order_release);
    const bool copies = !pipe_handle_is_null(target); // waits for no window
    if (!copies)
        group.unlock();
    *fault = wire::apply(applier_, record, size);
    if (!copies)
        group.lock();
    const auto send = [this](Message &m) { session_.send(m); };
    if (*fault == PIPE_FAULT_NONE)
        if (const std::shared_ptr<FrameSource> frames = screen_.frames.find(surface)) {
            if (copies)
                frames->copied(p->serial, send);
            else
                frames->take(ctx_, p->serial, group, session_.packs_frames(), send);
        }
    present_since_ns_.store(0, std::memory_order_relaxed);
    if (*fault != PIPE_FAULT_NONE)
        return;
    frame_ended(PIPE_FLUSH_END_OF_FRAME);
    release();
}

// A frame of a window ends with its presentation, any other with a flush. Our half of the counters
// counts frames where the client's half is in another process.
void ServerLane::frame_ended(uint32_t flush_flags) {
    if (session_.own_process && flush_flags & PIPE_FLUSH_END_OF_FRAME)
        util::stats_frame();
}

// Waited for in slices, so that the lanes that shall signal it get their turn.
enum pipe_fault ServerLane::fence_wait(const uint8_t *record, uint64_t size,
                                       std::unique_lock<std::mutex> &group) {
    constexpr uint64_t slice_ns = 2'000'000;
    constexpr uint64_t limit = sizeof(wire::Header) + sizeof(pipe_fence_wait) + sizeof(wire::Reply);
    alignas(8) uint8_t copy[limit];
    if (size != limit)
        return wire::apply(applier_, record, size); // finds what is wrong
    memcpy(copy, record, size);
    auto *p = reinterpret_cast<pipe_fence_wait *>(copy + sizeof(wire::Header));
    uint64_t left = p->timeout_ns;
    for (;;) {
        p->timeout_ns = std::min(left, slice_ns);
        memory_.next_record();
        enum pipe_fault fault = wire::apply(applier_, copy, size);
        if (fault != PIPE_FAULT_NONE || applier_.status != PIPE_OK)
            return fault;
        const auto *out = static_cast<const pipe_fence_wait_reply *>(memory_.last_writable());
        if (!out || out->signaled || left <= slice_ns || ending())
            return fault;
        if (left != UINT64_MAX)
            left -= slice_ns;
        group.unlock();
        std::this_thread::yield();
        group.lock();
    }
}

// Of the client's memory alone: no address of this process leaves it.
enum pipe_fault ServerLane::map_persistent(const uint8_t *record, uint64_t size) {
    pipe_map_persistent p;
    wire::Reply where;
    if (size != sizeof(wire::Header) + sizeof p + sizeof where) {
        snprintf(applier_.detail, sizeof applier_.detail, "map_persistent of %llu bytes",
                 (unsigned long long)size);
        return PIPE_FAULT_RECORD_SIZE;
    }
    memcpy(&p, record + sizeof(wire::Header), sizeof p);
    memcpy(&where, record + sizeof(wire::Header) + sizeof p, sizeof where);
    pipe_map_persistent_reply out{};
    void *answer = where.size == sizeof out && where.offset % 8 == 0
                       ? memory_.writable(where.seg, where.offset, sizeof out)
                       : nullptr;
    if (!answer) {
        snprintf(applier_.detail, sizeof applier_.detail, "map_persistent: its answer");
        return PIPE_FAULT_SPAN;
    }
    // Asked again for a map that it has, the client offers nothing.
    const bool offered = where.seg >= wire::seg_dynamic;
    uint64_t mark = 0, ours = 0;
    memcpy(&mark, answer, sizeof mark);
    if (offered && mark == map_mark(where.seg, p.resource))
        ours = reinterpret_cast<uint64_t>(memory_.readable(where.seg, 0, where.offset));
    out.address = ours;
    out.size = ours ? where.offset : 0;
    auto *entry = ours || !offered ? screen_.driver->map_persistent : nullptr;
    enum pipe_status status = entry ? entry(ctx_, &p, &out) : PIPE_DECLINED;
    if (status == PIPE_OK && offered && out.address != ours)
        status = PIPE_DECLINED;
    out.address = 0;
    memcpy(answer, &out, sizeof out);
    applier_.answered = true;
    applier_.status = status;
    return PIPE_FAULT_NONE;
}

// Another lane may be waiting for what this batch has done so far.
void ServerLane::publish_progress() {
    applied_.store(ordinal_ - 1, std::memory_order_release);
    session_.progress();
}

void ServerLane::lane_wait(const uint8_t *record, std::unique_lock<std::mutex> &group) {
    const auto *p = reinterpret_cast<const pipe_lane_wait *>(record + sizeof(wire::Header));
    std::shared_ptr<ServerLane> other = screen_.find_lane(p->lane);
    if (!other) // of another group, with which ours has an image in common
        other = session_.find_lane(p->lane);
    if (!other || other.get() == this || other->applied() >= p->ordinal)
        return;
    // What its client has not even published is not ordered by GL: a lane with nothing to do is not
    // waited for.
    uint64_t want = p->ordinal;
    publish_progress();
    group.unlock();
    session_.wait_progress([&] {
        return other->applied() >= want || other->drained() || other->ended() ||
               stop_.load(std::memory_order_acquire);
    });
    group.lock();
}

// The driver may wait until the lane that made the fence has handed it to the host.
enum pipe_fault ServerLane::fence_wait_server(const uint8_t *record, uint64_t size,
                                              std::unique_lock<std::mutex> &group) {
    publish_progress();
    group.unlock();
    const enum pipe_fault fault = wire::apply(applier_, record, size);
    group.lock();
    return fault;
}

// --- idle ----------------------------------------------------------------------------------------

void ServerLane::poll_fences() {
    fence_polled_ns_ = util::now_ns();
    fence_polled_at_ = ordinal_;
    if (!screen_.driver->fence_status)
        return;
    std::erase_if(fences_, [&](pipe_handle fence) {
        pipe_fence_status p{};
        p.fence = fence;
        pipe_fence_status_reply out{};
        enum pipe_status status = screen_.driver->fence_status(ctx_, &p, &out);
        if (status == PIPE_OK && !out.signaled)
            return false;
        pipe_on_fence_signaled e{};
        e.fence = fence;
        wire::emitting_callbacks.on_fence_signaled(static_cast<wire::Emitter *>(&screen_.events),
                                                   &e);
        return true;
    });
}

void ServerLane::note_query(uint16_t op, pipe_handle query) {
    std::erase(queries_, query);
    if (op == PIPE_OP_QUERY_BEGIN || op == PIPE_OP_QUERY_DESTROY)
        return;
    if (queries_.empty())
        query_polled_ns_ = util::now_ns();
    if (queries_.size() == max_pending_queries)
        queries_.erase(queries_.begin()); // its client still may ask
    queries_.push_back(query);
}

void ServerLane::poll_queries() {
    query_polled_ns_ = util::now_ns();
    if (!ctx_->query_available)
        return queries_.clear();
    std::erase_if(queries_, [&](pipe_handle query) {
        pipe_query_available p{query};
        pipe_query_available_reply out{};
        if (ctx_->query_available(ctx_, &p, &out) != PIPE_OK)
            return true; // asked for, it is declined likewise
        if (!out.available)
            return false;
        pipe_on_query_ready e{};
        e.query = query;
        e.lane = handle_;
        e.result = out.result;
        wire::emitting_callbacks.on_query_ready(static_cast<wire::Emitter *>(&screen_.events), &e);
        return true;
    });
}

void ServerLane::idle() {
    screen_.events.catch_up();
    if (!fences_.empty() && ctx_) {
        std::lock_guard lock(screen_.group);
        poll_fences();
    }
    if (may_poll_queries() && util::now_ns() - query_polled_ns_ >= query_rest_ns) {
        std::lock_guard lock(screen_.group);
        poll_queries();
    }
    const bool busy = !fences_.empty() || may_poll_queries() || screen_.events.behind();
    uint64_t nap_ns = busy ? 1'000'000 : 500'000'000;
    wait_bell(page().consumer, nap_ns, &count_apply_parks, [&] {
        return page().head.load(std::memory_order_acquire) != consumer_.tail() || ending();
    });
}

} // namespace remote
