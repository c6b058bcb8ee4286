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
    inline_limit_ = static_cast<uint32_t>(std::min(ring_size / 4, stream_record - 4096));
    if (session->stream())
        stream_ = std::make_unique<StreamWriter>(*session->stream());
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

// One record of the client makes few events; more than this is a driver gone wild.
constexpr uint64_t max_backlog = 64 << 20;

uint8_t *EventEmitter::begin_slow(uint64_t size) {
    uint64_t tail;
    if (backlog_.empty() && !lost())
        if (uint8_t *p = try_begin(size, &tail))
            return p;
    large_ = true; // ends in end_large()
    room_ = 0;
    if (lost())
        return scratch(size);
    backlog_bytes_ += size;
    if (backlog_bytes_ > max_backlog) {
        session_->latch(PIPE_FAULT_EVENT_OVERFLOW, "the client does not take its events");
        lose();
        return scratch(size);
    }
    behind_.store(true, std::memory_order_release);
    count_event_waits.add();
    return reinterpret_cast<uint8_t *>(backlog_.emplace_back(size / 8).data());
}

void EventEmitter::end_large(uint64_t size, uint16_t op) {
    RingEmitter::end_large(size, op);
    screen_->ring_clients();
}

bool EventEmitter::catch_up() {
    if (!behind())
        return true;
    std::lock_guard lock(mutex_);
    uint64_t tail;
    while (!backlog_.empty() && !lost()) {
        const std::vector<uint64_t> &record = backlog_.front();
        const uint64_t size = record.size() * 8;
        uint8_t *p = try_begin(size, &tail);
        if (!p)
            break;
        memcpy(p, record.data(), size);
        end(size, reinterpret_cast<const wire::Header *>(record.data())->op);
        backlog_bytes_ -= size;
        backlog_.pop_front();
    }
    if (!backlog_.empty() && !lost()) {
        publish(); // a filler may be all that fits
        room_ = 0; // whoever comes next queues up
        return false;
    }
    backlog_.clear();
    backlog_bytes_ = 0;
    behind_.store(false, std::memory_order_release);
    return true;
}

void EventEmitter::rest() {
    uint64_t tail = page_->tail.load(std::memory_order_acquire);
    screen_->ring_clients();
    wait_bell(page_->producer, 10'000'000, nullptr, [&] {
        return !behind() || page_->tail.load(std::memory_order_acquire) != tail ||
               session_->stopping() || session_->latched();
    });
}

void EventEmitter::after_publish() {
    if (stream_ && !lost()) {
        stream_->ring(screen_->id, ring_, ring_size_, sent_, published_);
        sent_ = published_;
        stream_->send();
    }
    screen_->ring_clients();
}

// --- screen --------------------------------------------------------------------------------------

ServerScreen::~ServerScreen() {
    close();
}

bool ServerScreen::open() {
    const uint64_t size = page_size + session.event_size();
    if (!(session.stream() ? event.create_private(size) : event.create("mgpipe-event", size)))
        return false;
    events.open(&session, this, &event, session.event_size());
    callbacks_ = wire::emitting_callbacks;
    pipe_screen_config config{};
    config.callbacks = &callbacks_;
    config.data = static_cast<wire::Emitter *>(&events);
    config.options = session.options();
    config.platform = platform;
    config.display_name = display_name.c_str();
    config.native_display = native_display;
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

std::shared_ptr<ServerLane> ServerScreen::find_lane(pipe_handle lane) {
    std::lock_guard lock(lanes_mutex_);
    for (auto &[id, l] : lanes_)
        if (pipe_handle_equal(l->handle(), lane))
            return l;
    return nullptr;
}

std::shared_ptr<ServerLane> ServerScreen::lane_of(uint32_t id) {
    std::lock_guard lock(lanes_mutex_);
    auto it = lanes_.find(id);
    return it == lanes_.end() ? nullptr : it->second;
}

void ServerScreen::ring_clients() {
    std::lock_guard lock(lanes_mutex_);
    for (auto &[id, l] : lanes_)
        ring_bell(l->page().producer, &count_apply_bells);
}

// Root calls act after everything that was published before them, but a present that its window
// holds up (it is hidden, its frames are paced) holds up no call on another surface: what a lane
// has published behind it no program in order can have drawn to that one.
constexpr uint64_t present_patience_ns = 250'000'000;

void ServerScreen::drain(pipe_handle surface) {
    std::vector<std::pair<std::shared_ptr<ServerLane>, uint64_t>> wanted;
    {
        std::lock_guard lock(lanes_mutex_);
        for (auto &[id, l] : lanes_)
            wanted.emplace_back(l, l->published());
    }
    for (auto &[l, head] : wanted)
        while (!l->ended() && !session.stopping() && !session.latched() && l->tail() < head &&
               !l->presenting_other(surface, present_patience_ns)) {
            if (session.while_waiting)
                session.while_waiting();
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
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

// A window, or a pixmap, of a display.
static bool makes_window(const wire::Header *h, uint64_t size) {
    if (h->op != PIPE_OP_SURFACE_CREATE || size < sizeof *h + sizeof(pipe_surface_create))
        return false;
    const auto kind = reinterpret_cast<const pipe_surface_create *>(h + 1)->kind;
    return kind != PIPE_SURFACE_KIND_PBUFFER && kind != PIPE_SURFACE_KIND_FRAMES;
}

// The caller's numbers are not ours: those that came beside the record are.
static void place_descriptors(wire::Header *h, uint64_t size, const std::vector<int> &fds) {
    if (h->op != PIPE_OP_RESOURCE_IMPORT || size < sizeof *h + sizeof(pipe_resource_import))
        return;
    auto *p = reinterpret_cast<pipe_resource_import *>(h + 1);
    for (size_t i = 0; i < std::size(p->fd); i++)
        p->fd[i] = i < fds.size() ? fds[i] : -1;
}

// The driver's descriptor goes beside the answer, which has no number of ours in it.
static void move_descriptor(const uint8_t *record, RootMemory &memory, Message &out) {
    auto *answer = reinterpret_cast<pipe_resource_export_reply *>(memory.bytes.data());
    if (reinterpret_cast<const wire::Header *>(record)->op != PIPE_OP_RESOURCE_EXPORT ||
        memory.bytes.size() * 8 < sizeof *answer)
        return;
    out.fds.push_back(answer->fd);
    answer->fd = -1;
}

// Nothing published yet names what is only made now.
static bool waits_for_lanes(const wire::Header *h) {
    return h->op != PIPE_OP_SURFACE_CREATE && h->op != PIPE_OP_RESOURCE_IMPORT &&
           h->op != PIPE_OP_RESOURCE_EXPORT && h->op != PIPE_OP_DMABUF_FORMATS;
}

void ServerScreen::root_call(const uint8_t *record, uint64_t size, const std::vector<int> &fds,
                             Message &out) {
    // The message is private already; only its alignment is missing.
    std::vector<uint64_t> copy((size + 7) / 8);
    memcpy(copy.data(), record, size);
    auto *h = reinterpret_cast<wire::Header *>(copy.data());
    // Calls on surfaces begin with theirs.
    pipe_handle surface{};
    if (size >= sizeof *h + sizeof surface)
        memcpy(&surface, h + 1, sizeof surface);
    if (size < sizeof *h || waits_for_lanes(h))
        drain(surface);
    if (size >= sizeof *h)
        place_descriptors(h, size, fds);
    if (session.stranger && size >= sizeof *h && makes_window(h, size)) {
        session.latch(PIPE_FAULT_PROTOCOL, "a window of a display that is not here");
        return set_reply(out, PIPE_ERROR);
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
    if (a.status == PIPE_OK) {
        frames.root_call(id, reinterpret_cast<const uint8_t *>(copy.data()));
        move_descriptor(reinterpret_cast<const uint8_t *>(copy.data()), memory, out);
    }
    set_reply(out, a.status, memory.bytes.data(), memory.bytes.size() * 8);
}

enum pipe_status ServerScreen::frame_memory(const pipe_ctl_frame_memory &shape, int fd) {
    std::unique_ptr<FrameMemory> memory;
    if (fd >= 0) {
        memory = std::make_unique<FrameMemory>();
        if (!memory->open(shape, fd))
            return PIPE_ERROR;
    }
    std::shared_ptr<FrameSource> source;
    {
        std::lock_guard lock(group);
        source = frames.find(shape.surface);
    }
    if (!source)
        return PIPE_DECLINED;
    source->set_memory(std::move(memory));
    return PIPE_OK;
}

} // namespace remote
