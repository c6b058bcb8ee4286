// SPDX-License-Identifier: MIT
// Share groups of a session, root calls and events; see server_screen.h.
#include "server_screen.h"

#include "counters.h"
#include "server_lane.h"

#include "util/futex.h"
#include "util/log.h"

#include <algorithm>
#include <thread>

namespace remote {

// --- events --------------------------------------------------------------------------------------

bool EventEmitter::open(Session *session, ServerScreen *screen, Segment *segment,
                        uint64_t ring_size) {
    session_ = session;
    screen_ = screen;
    attach(segment, ring_size);
    publish_at_ = 0;
    inline_limit_ = static_cast<uint32_t>(ring_size / 4);
    ordinal_ = &ordinal_store_;
    bells_ = nullptr;
    return true;
}

// Content that no event can carry: said once; the client keeps what it has.
wire::Span EventEmitter::place(const pipe_host_span &span, uint16_t op) {
    log_error_once("remote", "%s: %llu bytes do not fit an event", wire::event_names[op],
                   (unsigned long long)span.size);
    count_events_dropped.add();
    return {PIPE_SEG_NONE, 0, 0, 0};
}

// The apply thread parks here, between two of its driver's statements, until the client has
// drained; every wait of the client drains.
bool EventEmitter::wait_tail(uint64_t tail) {
    constexpr uint64_t patience_ns = 2'000'000'000;
    uint64_t start = util::now_ns();
    while (!session_->stopping() && !session_->latched()) {
        screen_->ring_clients();
        bool moved = wait_bell(page_->producer, 10'000'000, nullptr,
                               [&] { return page_->tail.load(std::memory_order_acquire) != tail; });
        if (moved)
            return true;
        if (util::now_ns() - start > patience_ns) {
            session_->latch(PIPE_FAULT_EVENT_OVERFLOW, "the client does not take its events");
            break;
        }
    }
    lose();
    return false;
}

void EventEmitter::after_publish() {
    screen_->ring_clients();
}

// A write-back longer than an event is cut; the pieces arrive in order.
static void send_buffer_writeback(void *owner, const pipe_on_buffer_writeback *p,
                                  const pipe_host_span *data) {
    auto *events = static_cast<EventEmitter *>(static_cast<wire::Emitter *>(owner));
    uint64_t piece = events->max_content();
    for (uint64_t at = 0; at < data->size; at += piece) {
        pipe_on_buffer_writeback part = *p;
        part.offset += at;
        part.size = std::min(piece, data->size - at);
        pipe_host_span bytes = pipe_span(static_cast<const uint8_t *>(data->ptr) + at, part.size);
        wire::emitting_callbacks.on_buffer_writeback(owner, &part, &bytes);
    }
}

// --- screen --------------------------------------------------------------------------------------

ServerScreen::~ServerScreen() {
    close();
}

bool ServerScreen::open() {
    if (!event.create("mgpipe-event", page_size + session.event_size()))
        return false;
    events.open(&session, this, &event, session.event_size());
    callbacks_ = wire::emitting_callbacks;
    callbacks_.on_buffer_writeback = send_buffer_writeback;
    pipe_screen_config config{};
    config.callbacks = &callbacks_;
    config.data = static_cast<wire::Emitter *>(&events);
    config.options = session.options();
    driver = session.driver() ? session.driver()(&config) : nullptr;
    return driver != nullptr;
}

void ServerScreen::close() {
    std::map<uint32_t, std::shared_ptr<ServerLane>> lanes;
    {
        std::lock_guard lock(lanes_mutex_);
        lanes.swap(lanes_);
    }
    for (auto &[id, l] : lanes)
        l->stop();
    events.lose();
    if (driver && driver->destroy && !session.frozen())
        driver->destroy(driver);
    driver = nullptr;
}

void ServerScreen::freeze() {
    std::map<uint32_t, std::shared_ptr<ServerLane>> lanes;
    {
        std::lock_guard lock(lanes_mutex_);
        lanes = lanes_;
    }
    for (auto &[id, l] : lanes)
        l->stop();
}

constexpr unsigned max_lanes = 256;

std::shared_ptr<ServerLane> ServerScreen::open_lane(const pipe_ctl_lane &ctl) {
    auto l = std::make_shared<ServerLane>(*this, ctl);
    if (!l->open())
        return nullptr;
    std::lock_guard lock(lanes_mutex_);
    if (lanes_.size() >= max_lanes || !lanes_.emplace(ctl.lane, l).second)
        return nullptr;
    if (lanes_.size() > 1)
        several_lanes.store(true, std::memory_order_relaxed);
    return l;
}

void ServerScreen::close_lane(uint32_t id) {
    std::shared_ptr<ServerLane> l;
    {
        std::lock_guard lock(lanes_mutex_);
        auto it = lanes_.find(id);
        if (it == lanes_.end())
            return;
        l = it->second;
        lanes_.erase(it);
    }
    l->stop();
    session.progress();
}

std::shared_ptr<ServerLane> ServerScreen::lane_by_slot(uint32_t slot) {
    std::lock_guard lock(lanes_mutex_);
    for (auto &[id, l] : lanes_)
        if (l->slot() == slot)
            return l;
    return nullptr;
}

void ServerScreen::ring_clients() {
    std::lock_guard lock(lanes_mutex_);
    for (auto &[id, l] : lanes_)
        ring_bell(l->page().producer, &count_apply_bells);
}

// Root calls act after everything that was published before them.
void ServerScreen::drain() {
    std::vector<std::pair<std::shared_ptr<ServerLane>, uint64_t>> wanted;
    {
        std::lock_guard lock(lanes_mutex_);
        for (auto &[id, l] : lanes_)
            wanted.emplace_back(l, l->published());
    }
    for (auto &[l, head] : wanted)
        while (!l->ended() && !session.stopping() && !session.latched() && l->tail() < head)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
}

namespace {

// A root call answers into the message.
class RootMemory final : public wire::Memory {
  public:
    const void *readable(uint32_t, uint64_t, uint64_t) override { return nullptr; }
    void *writable(uint32_t, uint64_t offset, uint64_t size) override {
        if (offset || size > 4096)
            return nullptr;
        bytes.resize((size + 7) / 8);
        return bytes.data();
    }
    std::vector<uint64_t> bytes;
};

} // namespace

void ServerScreen::root_call(const uint8_t *record, uint64_t size, Message &out) {
    // The message is private already; only its alignment is missing.
    std::vector<uint64_t> copy((size + 7) / 8);
    memcpy(copy.data(), record, size);
    const auto *h = reinterpret_cast<const wire::Header *>(copy.data());
    drain();
    if (size >= sizeof *h && h->op == PIPE_OP_SURFACE_CREATE &&
        size >= sizeof *h + sizeof(pipe_surface_create)) {
        const auto *p = reinterpret_cast<const pipe_surface_create *>(h + 1);
        session.page().present_done[present_index(p->surface.slot)].store(
            0, std::memory_order_relaxed);
    }
    RootMemory memory;
    wire::Applier a;
    a.screen = driver;
    a.memory = &memory;
    a.root = true;
    std::lock_guard lock(group);
    enum pipe_fault fault = wire::apply(a, reinterpret_cast<const uint8_t *>(copy.data()), size);
    if (fault != PIPE_FAULT_NONE) {
        session.latch(fault, a.detail);
        return set_reply(out, PIPE_ERROR);
    }
    set_reply(out, a.status, memory.bytes.data(), memory.bytes.size() * 8);
}

} // namespace remote
