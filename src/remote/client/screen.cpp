// SPDX-License-Identifier: MIT
// Share group of a client: opening, events, fences, loss; see screen.h. screen_table.cpp fills its
// table.
#include "screen.h"

#include "channel.h"
#include "counters.h"
#include "lane.h"

#include "pipe_wire/apply.h"

#include "util/log.h"

#include <algorithm>

namespace remote {

ClientScreen::ClientScreen(std::shared_ptr<Connection> connection, const pipe_screen_config *config)
    : pipe_screen{}, connection_(std::move(connection)), writebacks_(*connection_),
      id_(connection_->new_id()) {
    if (config && config->callbacks)
        callbacks_ = *config->callbacks;
    data_ = config ? config->data : nullptr;
    if (config) {
        platform_ = static_cast<enum pipe_platform>(config->platform);
        display_name_ = config->display_name ? config->display_name : "";
        native_display_ = config->native_display;
    }
    root_.attach(connection_.get(), id_);
    owner = static_cast<wire::Emitter *>(&root_);
}

// On a stream, before the server can send to it.
bool ClientScreen::make_event_ring() {
    const uint64_t size = connection_->event_size;
    if (!event_segment_.create_private(page_size + size))
        return false;
    event_ring_.attach(&event_segment_, size);
    taken_->owner = id_;
    connection_->mirrors.add_events(id_, &event_ring_.page(), size, this);
    return true;
}

bool ClientScreen::take_event_ring(Message &answer, uint64_t size) {
    if (!event_segment_.adopt(answer.take_fd(0), page_size + size))
        return false;
    event_ring_.attach(&event_segment_, size);
    return true;
}

bool ClientScreen::open() {
    if (connection_->stream && !make_event_ring())
        return false;
    pipe_ctl_screen ctl{};
    ctl.screen = id_;
    ctl.open = 1;
    ctl.platform = shares_display() ? platform_ : PIPE_PLATFORM_NONE;
    ctl.native_display = connection_->form == Form::inproc ? native_display_ : 0;
    Message in, out;
    in.set(PIPE_CTL_SCREEN, ctl, display_name_.data(), shares_display() ? display_name_.size() : 0);
    pipe_ctl_reply reply{};
    if (connection_->ask(in, out, &reply) != PIPE_OK) {
        log_info("remote", "the server opens no screen"); // it has said why
        return false;
    }
    uint64_t ring_size = 0;
    if (out.tail_size<pipe_ctl_reply>() == sizeof caps + sizeof ring_size) {
        memcpy(&caps, out.tail<pipe_ctl_reply>(), sizeof caps);
        memcpy(&ring_size, out.tail<pipe_ctl_reply>() + sizeof caps, sizeof ring_size);
    }
    if (connection_->stream ? ring_size != connection_->event_size
                            : ring_size < 4096 || (ring_size & (ring_size - 1))) {
        log_error("remote", "the server's screen makes no sense");
        return false;
    }
    if (!connection_->stream && !take_event_ring(out, ring_size))
        return false;
    connection_->add(this);
    return true;
}

ClientScreen::~ClientScreen() {
    connection_->remove(this);
    connection_->mirrors.remove(id_);
    if (connection_->lost())
        return;
    {
        std::lock_guard lock(taken_->telling); // to the server there will be no such ring
        taken_->ended = true;
    }
    pipe_ctl_screen ctl{};
    ctl.screen = id_;
    Message in, out;
    in.set(PIPE_CTL_SCREEN, ctl);
    pipe_ctl_reply reply;
    connection_->ask(in, out, &reply);
}

// --- lanes ---------------------------------------------------------------------------------------

void ClientScreen::add(Lane *lane) {
    std::lock_guard lock(lanes_mutex_);
    lanes_.push_back(lane);
    for (Lane *l : lanes_)
        l->set_shared(lanes_.size() > 1);
    if (connection_->lost())
        lane->lose();
}

void ClientScreen::remove(Lane *lane) {
    std::lock_guard lock(lanes_mutex_);
    std::erase(lanes_, lane);
    for (Lane *l : lanes_)
        l->set_shared(lanes_.size() > 1);
}

Lane *ClientScreen::find_lane(uint32_t slot) {
    std::lock_guard lock(lanes_mutex_);
    for (Lane *l : lanes_)
        if (l->slot() == slot)
            return l;
    return nullptr;
}

// --- events --------------------------------------------------------------------------------------

constexpr uint64_t inbox_limit = 1u << 20; // 8-byte words

void ClientScreen::Taken::tell(Channel &channel) {
    std::lock_guard lock(telling);
    const uint64_t now = tail.load(std::memory_order_relaxed);
    if (ended || now == told.load(std::memory_order_relaxed))
        return;
    told.store(now, std::memory_order_relaxed);
    pipe_ctl_ring_taken taken{};
    taken.owner = owner;
    taken.tail = now;
    Message m;
    m.set(PIPE_CTL_RING_TAKEN, taken);
    channel.send(m);
}

void ClientScreen::collect_events() {
    if (const std::shared_ptr<Taken> taken = take_arrived())
        taken->tell(*connection_->stream);
}

std::shared_ptr<ClientScreen::Taken> ClientScreen::take_arrived() {
    if (connection_->lost() || !events_arrived())
        return nullptr;
    std::unique_lock lock(events_mutex_, std::try_to_lock);
    if (!lock || !event_ring_.available())
        return nullptr;
    const bool others = take_events();
    lock.unlock();
    if (others)
        ring_lanes();
    if (!connection_->stream) {
        ring_bell(event_ring_.page().producer, &count_bells);
        return nullptr;
    }
    // Without a word of ours the server still has most of the ring.
    const uint64_t tail = event_tail_.load(std::memory_order_relaxed);
    taken_->tail.store(tail, std::memory_order_relaxed);
    const uint64_t told = taken_->told.load(std::memory_order_relaxed);
    return tail - told < connection_->event_size / 4 ? nullptr : taken_;
}

bool ClientScreen::take_events() {
    bool others = false;
    uint64_t size;
    while (const uint8_t *r = event_ring_.take(&size)) {
        event_ordinal_++;
        count_events.add();
        count_event_bytes.add(size);
        const auto *h = reinterpret_cast<const wire::Header *>(r);
        if (h->op == PIPE_EVENT_ON_FENCE_SIGNALED &&
            size >= sizeof *h + sizeof(pipe_on_fence_signaled)) {
            pipe_on_fence_signaled e;
            memcpy(&e, r + sizeof *h, sizeof e);
            fence_signal(e.fence);
            count_fence_reported.add();
        }
        if (h->op == PIPE_EVENT_ON_QUERY_READY)
            count_query_reported.add();
        if (h->op == PIPE_EVENT_ON_BUFFER_WRITEBACK &&
            size >= sizeof *h + sizeof(pipe_on_buffer_writeback)) {
            pipe_on_buffer_writeback e;
            memcpy(&e, r + sizeof *h, sizeof e);
            if (writebacks_.arrived(e)) {
                others = true;
                continue;
            }
        }
        if (inbox_.size() + size / 8 > inbox_limit) {
            // Nobody delivers: the log line is the only thing that may be lost; keep what is
            // correctness.
            if (h->op == PIPE_EVENT_ON_LOG) {
                count_events_dropped.add();
                continue;
            }
        }
        const auto *words = reinterpret_cast<const uint64_t *>(r);
        inbox_.insert(inbox_.end(), words, words + size / 8);
        inbox_full_.store(true, std::memory_order_release);
    }
    event_tail_.store(event_ring_.tail(), std::memory_order_relaxed);
    event_ring_.release(event_ordinal_);
    return others;
}

void ClientScreen::ring_lanes() {
    std::lock_guard lock(lanes_mutex_);
    for (Lane *l : lanes_)
        ring_bell(l->page().producer, nullptr);
}

void ClientScreen::deliver_events() {
    collect_events();
    if (!inbox_full_.load(std::memory_order_acquire) ||
        delivering_.test_and_set(std::memory_order_acquire))
        return;
    std::vector<uint64_t> batch;
    {
        std::lock_guard lock(events_mutex_);
        batch.swap(inbox_);
        inbox_full_.store(false, std::memory_order_relaxed);
    }
    for (size_t at = 0; at < batch.size();) {
        const auto *h = reinterpret_cast<const wire::Header *>(&batch[at]);
        enum pipe_fault f =
            wire::apply_event(&callbacks_, data_, reinterpret_cast<const uint8_t *>(h), h->size);
        if (f != PIPE_FAULT_NONE)
            log_error_once("remote", "an event of the server is broken: %s", wire::fault_name(f));
        at += h->size / 8;
    }
    delivering_.clear(std::memory_order_release);
}

// --- programs ------------------------------------------------------------------------------------

void ClientScreen::note_writer(pipe_handle shader, bool relinked) {
    std::unique_lock lock(fences_mutex_);
    const bool news = writers_.insert(pipe_handle_key(shader)).second;
    any_writers_.store(true, std::memory_order_relaxed);
    lock.unlock();
    // Lanes may draw with it already, and none says so again.
    if (news && relinked)
        writebacks_.give_up();
}

void ClientScreen::forget_program(pipe_handle shader) {
    if (!any_writers_.load(std::memory_order_relaxed))
        return;
    std::lock_guard lock(fences_mutex_);
    writers_.erase(pipe_handle_key(shader));
    any_writers_.store(!writers_.empty(), std::memory_order_relaxed);
}

bool ClientScreen::writes_memory(pipe_handle shader) {
    if (!any_writers_.load(std::memory_order_relaxed))
        return false;
    std::lock_guard lock(fences_mutex_);
    return writers_.contains(pipe_handle_key(shader));
}

// --- fences --------------------------------------------------------------------------------------

bool ClientScreen::fence_known(pipe_handle fence) {
    std::lock_guard lock(fences_mutex_);
    auto it = fences_.find(pipe_handle_key(fence));
    return it != fences_.end() && it->second;
}

void ClientScreen::fence_add(pipe_handle fence) {
    std::lock_guard lock(fences_mutex_);
    fences_[pipe_handle_key(fence)] = false;
}

void ClientScreen::fence_signal(pipe_handle fence) {
    std::lock_guard lock(fences_mutex_);
    auto it = fences_.find(pipe_handle_key(fence));
    if (it != fences_.end())
        it->second = true;
}

void ClientScreen::fence_forget(pipe_handle fence) {
    std::lock_guard lock(fences_mutex_);
    fences_.erase(pipe_handle_key(fence));
}

// --- frames --------------------------------------------------------------------------------------

void ClientScreen::note_frames(pipe_handle surface, bool alive) {
    std::lock_guard lock(fences_mutex_);
    std::erase_if(frame_surfaces_,
                  [&](pipe_handle known) { return pipe_handle_equal(known, surface); });
    if (alive)
        frame_surfaces_.push_back(surface);
}

bool ClientScreen::sends_frames(pipe_handle surface) {
    std::lock_guard lock(fences_mutex_);
    return std::any_of(frame_surfaces_.begin(), frame_surfaces_.end(),
                       [&](pipe_handle known) { return pipe_handle_equal(known, surface); });
}

// --- loss ----------------------------------------------------------------------------------------

// An event record like the server's own, with one span of text.
void ClientScreen::push_event(uint16_t op, const void *payload, uint64_t payload_size,
                              const char *text) {
    uint64_t length = strlen(text);
    uint64_t fixed = sizeof(wire::Header) + payload_size;
    uint64_t at = wire::align_up(fixed, 8) + sizeof(wire::Span);
    uint64_t size = at + wire::align_up(length, 8);
    std::vector<uint64_t> record(size / 8, 0);
    auto *r = reinterpret_cast<uint8_t *>(record.data());
    wire::Header h{op, uint16_t(length ? 1 : 0), static_cast<uint32_t>(size)};
    wire::Span s{PIPE_SEG_INLINE, 0, at, length};
    memcpy(r, &h, sizeof h);
    memcpy(r + sizeof h, payload, payload_size);
    memcpy(r + wire::align_up(fixed, 8), &s, sizeof s);
    memcpy(r + at, text, length);
    std::lock_guard lock(events_mutex_);
    inbox_.insert(inbox_.end(), record.begin(), record.end());
    inbox_full_.store(true, std::memory_order_release);
}

void ClientScreen::raise_out_of_memory(pipe_handle lane, const char *call) {
    log_error("remote", "%s: no memory for what it sends, or for its answer", call);
    pipe_on_gl_error e{};
    e.lane = lane;
    e.error = 0x0505; // GL_OUT_OF_MEMORY
    push_event(PIPE_EVENT_ON_GL_ERROR, &e, sizeof e, call);
}

void ClientScreen::tell_loss(const char *reason) {
    pipe_on_device_lost e{};
    e.status = PIPE_RESET_UNKNOWN;
    push_event(PIPE_EVENT_ON_DEVICE_LOST, &e, sizeof e, reason);
}

void ClientScreen::lose() {
    root_.lose();
    std::lock_guard lock(lanes_mutex_);
    for (Lane *l : lanes_)
        l->lose();
}

void ClientScreen::abandon() {
    root_.lose();
    for (Lane *l : lanes_)
        l->abandon();
    event_segment_.abandon();
    maps.abandon();
    writebacks_.abandon();
}

void ClientScreen::fork_lock() {
    lanes_mutex_.lock();
    events_mutex_.lock();
    fences_mutex_.lock();
    writebacks_.lock();
    maps.lock();
}

void ClientScreen::fork_unlock() {
    maps.unlock();
    writebacks_.unlock();
    fences_mutex_.unlock();
    events_mutex_.unlock();
    lanes_mutex_.unlock();
}

} // namespace remote
