// SPDX-License-Identifier: MIT
// Emitting, waiting and answers of one lane; see lane.h. lane_table.cpp fills its table.
#include "lane.h"

#include "counters.h"

#include "util/env.h"
#include "util/log.h"

#include <algorithm>
#include <utility>

namespace remote {

// How long one sleep in the kernel may last: nothing depends on it but the notice of a peer that
// forgot to ring.
constexpr uint64_t nap_ns = 50'000'000;

constexpr uint64_t never = UINT64_MAX;

// Contents in segments of their own that may be on their way at once.
constexpr uint64_t kept_limit = 64ull << 20;
constexpr size_t kept_count = 64;

template <typename Ready> bool Lane::wait_for(uint64_t applied, uint64_t tail, Ready ready) {
    waiting_ = true;
    page_->want_applied.store(applied, std::memory_order_relaxed);
    page_->want_tail.store(tail, std::memory_order_relaxed);
    bool ok = ready();
    const int waits = !ok;
    count_waiting.level(waits);
    while (!ok && !lost() && !page_->ended.load(std::memory_order_acquire)) {
        wait_bell(page_->producer, nap_ns, &count_parks, [&] {
            return ready() || lost() || page_->ended.load(std::memory_order_acquire) ||
                   screen_.events_arrived();
        });
        screen_.collect_events();
        ok = ready();
    }
    count_waiting.level(-waits);
    waiting_ = false;
    return ok || ready();
}

pipe_context *Lane::create(ClientScreen &screen, const pipe_lane_create *p) {
    auto *lane = new (std::nothrow) Lane(screen);
    if (!lane || !lane->open(p)) {
        delete lane;
        return nullptr;
    }
    screen.add(lane);
    return &lane->table;
}

bool Lane::open(const pipe_lane_create *p) {
    Connection &c = screen_.connection();
    id_ = c.new_id();
    pipe_ctl_lane ctl{};
    ctl.screen = screen_.id();
    ctl.lane = id_;
    ctl.open = 1;
    ctl.ring_size = c.ring_size;
    ctl.lane_handle = p->lane;
    ctl.attributes[0] = p->robust;
    ctl.attributes[1] = p->no_error;
    ctl.attributes[2] = p->debug;
    ctl.attributes[3] = p->reset_isolation;
    memcpy(ctl.attributes + 4, &p->priority, 4);
    // On a stream, before the server can send to it.
    if (c.stream && !make_ring())
        return false;
    Message in, out;
    in.set(PIPE_CTL_LANE, ctl);
    pipe_ctl_reply reply{};
    if (c.ask(in, out, &reply) != PIPE_OK) {
        c.mirrors.remove(id_);
        page_ = nullptr;
        return false;
    }
    if (!c.stream) {
        if (!segment_.adopt(out.take_fd(0), page_size + c.ring_size)) {
            close();
            return false;
        }
        attach(&segment_, c.ring_size);
    }
    progress_->applied = &page_->applied;
    bells_ = &count_bells;
    ordinal_ = &table.ordinal;
    if (util::debug(util::Debug::inline_bytes))
        inline_limit_ = static_cast<uint32_t>(c.ring_size / 8);
    if (util::debug(util::Debug::sync) || util::debug(util::Debug::norunahead))
        publish_at_ = 0;
    table.screen = &screen_;
    table.owner = static_cast<wire::Emitter *>(this);
    table.lane = p->lane;
    fill_table();
    return true;
}

// There is no consumer here to be found idle: records are sent in batches.
bool Lane::make_ring() {
    static constexpr std::atomic<uint64_t> never_idle{UINT64_MAX};
    Connection &c = screen_.connection();
    if (!segment_.create_private(page_size + c.ring_size))
        return false;
    attach(&segment_, c.ring_size);
    stream_ = std::make_unique<StreamWriter>(*c.stream);
    publish_at_ = stream_batch;
    max_record_ = std::min(max_record_, stream_record);
    max_room_ = max_record_;
    room_ = 0;
    consumer_tail_ = &never_idle;
    c.mirrors.add_commands(id_, page_);
    return true;
}

Lane::~Lane() {
    if (!page_)
        return;
    screen_.remove(this);
    if (!lost())
        close();
    screen_.connection().mirrors.remove(id_);
    progress_->end();
}

void Lane::close() {
    pipe_ctl_lane ctl{};
    ctl.screen = screen_.id();
    ctl.lane = id_;
    Message in, out;
    in.set(PIPE_CTL_LANE, ctl);
    pipe_ctl_reply reply;
    screen_.connection().ask(in, out, &reply);
}

void Lane::abandon() {
    lost_.store(true);
    progress_ = std::make_shared<Presents::Progress>(); // a thread of the parent may hold its lock
    stage_.abandon();
    segment_.abandon();
    for (Kept &k : kept_)
        k.segment->abandon();
    if (answer_)
        answer_->abandon();
}

// --- ring ----------------------------------------------------------------------------------------

bool Lane::wait_tail(uint64_t tail) {
    // For a quarter of the ring, which more than half fills: to wake for each record would cost two
    // changes of threads for it.
    const uint64_t enough = tail + ring_size_ / 4;
    return wait_for(never, enough, [&] {
        return static_cast<int64_t>(page_->tail.load(std::memory_order_acquire) - enough) >= 0;
    });
}

void Lane::send() {
    stream_->ring(id_, ring_, ring_size_, sent_, published_);
    sent_ = published_;
    stream_->send();
}

void Lane::after_publish() {
    if (stream_ && !lost())
        send();
    if (publish_at_ == 0 && !waiting_)
        applied_wait();
}

void Lane::applied_wait() {
    if (pending_)
        publish();
    uint64_t want = *ordinal_;
    wait_for(want, never, [&] { return applied() >= want; });
}

bool Lane::read_promised(const pipe_resource_readback *p, const pipe_out_span *dst) {
    Writebacks &all = screen_.writebacks();
    if (!all.promised(*p))
        return false;
    screen_.collect_events();
    auto ready = [&] { return !all.pending(*p, slot()); };
    if (!ready()) {
        if (pending_)
            publish();
        count_writeback_waits.add();
        wait_for(never, never, ready);
    }
    return all.copy(*p, *dst);
}

void Lane::present_begin(pipe_handle surface, uint64_t) {
    const uint64_t credit = screen_.connection().present_credit();
    Presents &presents = screen_.connection().presents;
    uint64_t oldest = 0;
    auto ready = [&] { return presents.room(surface, credit, progress_, &oldest); };
    if (!ready()) {
        count_present_waits.add();
        if (pending_)
            publish();
        // A present releases by itself.
        wait_for(oldest ? oldest : never, never, ready);
    }
    presents.add(surface, progress_, next_ordinal());
}

// --- content -------------------------------------------------------------------------------------

bool Lane::alloc(uint64_t size, uint64_t alignment, bool hold, uint64_t *offset) {
    if (size > screen_.connection().stage.max_content())
        return false;
    bool waited = false;
    while (!(hold ? stage_.hold(size, alignment, applied(), offset)
                  : stage_.alloc(size, alignment, next_ordinal(), applied(), offset))) {
        // Waiting helps only as long as the server has records of ours to finish.
        uint64_t seen = applied();
        if (lost() || !stage_.waits_for_server() || seen >= *ordinal_)
            return false;
        if (!waited)
            count_stage_waits.add();
        waited = true;
        if (pending_)
            publish();
        if (!wait_for(seen + 1, never, [&] { return applied() != seen; }))
            return false;
    }
    count_stage_bytes.add(size);
    return true;
}

bool Lane::stage_alloc(uint64_t size, uint64_t alignment, uint64_t *offset) {
    return !lost() && alloc(size, std::max<uint64_t>(alignment, 64), true, offset);
}

void Lane::retire_segments() {
    uint64_t done = applied();
    while (!kept_.empty() && kept_.front().ordinal <= done) {
        kept_bytes_ -= kept_.front().size;
        kept_.pop_front();
    }
}

// Waits until the contents on their way leave room for one more; a single one may be of any size.
void Lane::make_room(uint64_t size) {
    retire_segments();
    // What the record being built names itself stays.
    while (!kept_.empty() && kept_.front().ordinal <= *ordinal_ &&
           (kept_bytes_ + size > kept_limit || kept_.size() >= kept_count)) {
        uint64_t want = kept_.front().ordinal;
        count_stage_waits.add();
        if (pending_)
            publish();
        if (!wait_for(want, never, [&] { return applied() >= want; }))
            return;
        retire_segments();
    }
}

uint8_t *Lane::one_shot(uint64_t size, wire::Span *where) {
    make_room(size);
    auto s = std::make_unique<OneShot>(screen_.connection(), size);
    if (!s->id())
        return nullptr;
    *where = {s->id(), 0, 0, size};
    uint8_t *p = s->data();
    kept_.push_back({std::move(s), size, next_ordinal()});
    kept_bytes_ += size;
    return p;
}

void Lane::drop() {
    dropped_ = true;
    room_ = 0; // so that begin() asks
}

void Lane::wrote(const wire::Span &where, const uint8_t *bytes) {
    if (!stream_ || lost())
        return;
    stream_->segment(where.seg, where.offset, bytes, where.size);
    if (stream_->content() >= stream_content)
        send();
}

wire::Span Lane::place(const pipe_host_span &span, uint16_t op) {
    if (span.seg == PIPE_SEG_STAGE) {
        const wire::Span held{PIPE_SEG_STAGE, 0, span.offset, span.size};
        stage_.use(span.offset, next_ordinal());
        wrote(held, screen_.connection().stage.data() + span.offset);
        return held;
    }
    wire::Span where{PIPE_SEG_STAGE, 0, 0, span.size};
    uint8_t *to;
    if (alloc(span.size, 64, false, &where.offset))
        to = screen_.connection().stage.data() + where.offset;
    else
        to = lost() ? nullptr : one_shot(span.size, &where);
    if (to) {
        memcpy(to, span.ptr, span.size);
        count_copied_bytes.add(span.size);
        wrote(where, to);
    } else {
        drop();
    }
    return where;
}

uint8_t *Lane::begin_slow(uint64_t size) {
    if (!dropped_)
        return RingEmitter::begin_slow(size);
    large_ = true;
    return scratch(size);
}

uint8_t *Lane::begin_large(uint64_t size) {
    large_at_ = {PIPE_SEG_STAGE, 0, 0, size};
    uint8_t *p;
    if (alloc(size, 64, false, &large_at_.offset))
        p = screen_.connection().stage.data() + large_at_.offset;
    else
        p = one_shot(size, &large_at_);
    if (!p)
        drop();
    large_bytes_ = p;
    return p;
}

void Lane::end_large(uint64_t size, uint16_t op) {
    RingEmitter::end_large(size, op);
    if (dropped_) {
        dropped_ = false;
        unanswered_ = wire::wait_class(op) == PIPE_WAIT_REPLY;
        // Who asks says itself what it could not send, but knows of no memory for the answer.
        const bool nowhere = answer_ && !answer_->id();
        if (!lost() && (!unanswered_ || nowhere))
            screen_.raise_out_of_memory(table.lane, wire::call_info[op].name);
        return;
    }
    wrote(large_at_, large_bytes_);
    constexpr uint64_t bytes = sizeof(wire::Header) + sizeof(wire::Span);
    uint8_t *r = begin(bytes);
    wire::Header h{op, wire::flag_indirect, static_cast<uint32_t>(bytes)};
    memcpy(r, &h, sizeof h);
    memcpy(r + sizeof h, &large_at_, sizeof large_at_);
    end(bytes, op);
}

// --- answers -------------------------------------------------------------------------------------

wire::Reply Lane::reply_place(uint64_t size) {
    if (size == 0)
        return {PIPE_SEG_READ, 0, 0, 0};
    if (answer_into_)
        return {answer_into_->id(), 0, answer_offset_, size};
    uint64_t offset;
    if (screen_.connection().read_area.take(size, &offset))
        return {PIPE_SEG_READ, 0, offset, size};
    answer_ = std::make_unique<OneShot>(screen_.connection(), size);
    if (!answer_->id())
        drop();
    return {answer_->id(), 0, 0, size};
}

enum pipe_status Lane::reply_wait(const wire::Reply &where, uint16_t op, void *out,
                                  uint32_t out_size, const pipe_out_span *dst) {
    count_replies.add();
    count_reply_of(op);
    if (pending_)
        publish();
    uint64_t want = *ordinal_;
    enum pipe_status status = PIPE_DECLINED;
    bool ok = std::exchange(unanswered_, false);
    if (!ok && wait_for(never, never, [&] {
            return page_->reply_ordinal.load(std::memory_order_acquire) >= want;
        })) {
        status = static_cast<enum pipe_status>(page_->reply_status.load(std::memory_order_relaxed));
        ok = true;
    }
    if (status == PIPE_OK && where.size) {
        const uint8_t *from = answer_        ? answer_->data()
                              : answer_into_ ? answer_into_->data() + where.offset
                                             : screen_.connection().read_area.data() + where.offset;
        if (out_size)
            memcpy(out, from, out_size);
        if (dst && dst->size)
            memcpy(dst->ptr, from + wire::align_up(out_size, wire::reply_alignment), dst->size);
        count_reply_bytes.add(where.size);
    }
    // An answer still on its way (lost peer) must not land in memory somebody else got: then it is
    // leaked.
    if (!answer_ && !answer_into_ && where.size && ok)
        screen_.connection().read_area.give(where.offset, where.size);
    answer_.reset();
    return status;
}

} // namespace remote
