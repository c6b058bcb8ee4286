// SPDX-License-Identifier: MIT
// Control plane of a session, its segments and its latch; see session.h.
#include "session.h"

#include "server_lane.h"
#include "server_screen.h"

#include "util/env.h"
#include "util/log.h"
#include "util/options.h"
#include "util/stats.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <unistd.h>

namespace remote {

constexpr uint64_t max_segment = 4ull << 30;
constexpr unsigned max_segments = 256, max_screens = 256;
// Without a descriptor each.
constexpr unsigned max_stream_segments = 65536;
constexpr uint64_t max_display_name = 256; // bytes

void set_reply(Message &out, enum pipe_status status, const void *bytes, uint64_t size) {
    pipe_ctl_reply reply{};
    reply.status = status;
    reply.size = static_cast<uint32_t>(size);
    out.set(PIPE_CTL_REPLY, reply, bytes, size);
}

void set_refusal(Message &out, enum pipe_refusal code, uint64_t ours, uint64_t theirs,
                 const char *text) {
    pipe_ctl_refuse refuse{};
    refuse.code = code;
    refuse.text_size = static_cast<uint32_t>(strlen(text));
    refuse.ours = ours;
    refuse.theirs = theirs;
    out.set(PIPE_CTL_REFUSE, refuse, text, refuse.text_size);
}

Session::Session(CreateScreen create_screen, std::function<void(Message &)> send, Channel *channel)
    : create_screen_(create_screen), send_(std::move(send)), channel_(channel) {}

Session::~Session() {
    stop();
}

void Session::stop() {
    stopping_.store(true, std::memory_order_release);
    {
        std::lock_guard lock(progress_mutex_);
        progress_cv_.notify_all();
    }
    std::map<uint32_t, std::shared_ptr<ServerScreen>> screens;
    {
        std::lock_guard lock(screens_mutex_);
        screens.swap(screens_);
    }
    for (auto &[id, s] : screens)
        s->close();
}

void Session::freeze() {
    frozen_.store(true, std::memory_order_release);
    stopping_.store(true, std::memory_order_release);
    {
        std::lock_guard lock(progress_mutex_);
        progress_cv_.notify_all();
    }
    std::map<uint32_t, std::shared_ptr<ServerScreen>> screens;
    {
        std::lock_guard lock(screens_mutex_);
        screens = screens_;
    }
    for (auto &[id, s] : screens)
        s->freeze();
}

void Session::latch(enum pipe_fault fault, const char *text) {
    enum pipe_fault none = PIPE_FAULT_NONE;
    if (!fault_.compare_exchange_strong(none, fault))
        return;
    log_error("remote", "session latched: %s: %s", wire::fault_name(fault), text);
    if (read_)
        page().fault.store(fault, std::memory_order_release);
    {
        std::lock_guard lock(progress_mutex_);
        progress_cv_.notify_all();
    }
    pipe_ctl_fault ctl{};
    ctl.fault = fault;
    ctl.size = static_cast<uint32_t>(strlen(text));
    Message m;
    m.set(PIPE_CTL_FAULT, ctl, text, ctl.size);
    send_(m);
}

void Session::progress() {
    // Either we see who waits, or they see what was applied.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!waiters_.load(std::memory_order_relaxed))
        return;
    std::lock_guard lock(progress_mutex_);
    progress_cv_.notify_all();
}

bool Session::packs_frames() const {
    const std::string_view wish =
        util::option(options(), "MGPIPE_FRAMES").value_or(util::env_text(util::Env::FRAMES));
    return wish == "zstd" || (wish != "raw" && stream());
}

// --- memory --------------------------------------------------------------------------------------

static uint8_t *inside(const Segment &s, uint64_t offset, uint64_t size, uint64_t from = 0) {
    if (!s || offset < from || offset > s.size() || size > s.size() - offset)
        return nullptr;
    return s.data() + offset;
}

uint8_t *Session::dynamic(uint32_t seg, uint64_t offset, uint64_t size, Hold *hold) {
    if (seg < wire::seg_dynamic)
        return nullptr;
    std::shared_lock lock(segments_mutex_);
    auto it = segments_.find(seg);
    if (it == segments_.end())
        return nullptr;
    if (hold)
        hold->push_back(it->second);
    return inside(*it->second, offset, size);
}

const void *Session::readable(uint32_t seg, uint64_t offset, uint64_t size, Hold *hold) {
    return seg == PIPE_SEG_STAGE ? inside(stage_, offset, size) : dynamic(seg, offset, size, hold);
}

void *Session::writable(uint32_t seg, uint64_t offset, uint64_t size, Hold *hold) {
    return seg == PIPE_SEG_READ ? inside(read_, offset, size, read_base)
                                : dynamic(seg, offset, size, hold);
}

// --- requests ------------------------------------------------------------------------------------

void Session::handle(Message &in, Message &out) {
    out.close_fds();
    out.type = PIPE_CTL_NONE;
    if (!greeted_ && in.type == PIPE_CTL_AUTH)
        return; // whoever listens has looked at it
    if (!greeted_ && in.type != PIPE_CTL_HELLO) {
        set_refusal(out, PIPE_REFUSAL_MAGIC, control_magic, in.type,
                    "the first message must be hello");
        return;
    }
    if (latched() && in.type != PIPE_CTL_BYE)
        return set_reply(out, PIPE_DECLINED);
    switch (in.type) {
    case PIPE_CTL_HELLO: return hello(in, out);
    case PIPE_CTL_SEGMENT: return segment(in, out);
    case PIPE_CTL_SCREEN: return screen(in, out);
    case PIPE_CTL_LANE: return lane(in, out);
    case PIPE_CTL_SURFACE: return root_call(in, out);
    case PIPE_CTL_FRAME_MEMORY: return frame_memory(in, out);
    case PIPE_CTL_BYE: return set_reply(out, PIPE_OK);
    default:
        latch(PIPE_FAULT_PROTOCOL, "unknown control message");
        return set_reply(out, PIPE_ERROR);
    }
}

static uint64_t pow2_kb(uint32_t kb, uint64_t fallback, uint64_t least, uint64_t most) {
    uint64_t bytes = kb ? std::clamp<uint64_t>(uint64_t(kb) * 1024, least, most) : fallback;
    return std::bit_ceil(bytes);
}

static bool names_a_driver(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void Session::hello(const Message &in, Message &out) {
    pipe_ctl_hello h;
    if (greeted_ || !in.get(&h) || h.magic != control_magic)
        return set_refusal(out, PIPE_REFUSAL_MAGIC, control_magic, in.get(&h) ? h.magic : 0,
                           "no hello of ours");
    if (h.control_version != control_version)
        return set_refusal(out, PIPE_REFUSAL_VERSION, control_version, h.control_version,
                           "control version");
    if (h.fingerprint[0] != wire::fingerprint[0] || h.fingerprint[1] != wire::fingerprint[1])
        return set_refusal(out, PIPE_REFUSAL_FINGERPRINT, wire::fingerprint[0], h.fingerprint[0],
                           "the two sides were built from different definitions");
    const std::string_view driver(
        reinterpret_cast<const char *>(h.driver),
        strnlen(reinterpret_cast<const char *>(h.driver), sizeof h.driver));
    if (!std::all_of(driver.begin(), driver.end(), names_a_driver))
        return set_refusal(out, PIPE_REFUSAL_DRIVER, 0, 0, "no driver has such a name");
    if (!driver.empty())
        options_.append("MGPIPE_DRIVER=").append(driver).append("\n");
    // The client prepares a frame while the driver shows the last (drivers_common/pacing.h).
    options_.append("CLIENT_AHEAD=1\n");
    options_.append(reinterpret_cast<const char *>(in.tail<pipe_ctl_hello>()),
                    std::min<uint64_t>(h.options_size, in.tail_size<pipe_ctl_hello>()));
    // Sizes are the server's; the client's are requests.
    ring_size_ = pow2_kb(h.ring_kb, 1 << 20, 64 << 10, 64 << 20);
    event_size_ = pow2_kb(h.event_kb, 64 << 10, 16 << 10, 16 << 20);
    uint64_t stage_size = pow2_kb(h.stage_kb, 32 << 20, 256 << 10, 1 << 30);
    uint64_t read_size = 8 << 20;
    const enum pipe_data_plane data = choose_data(h.data);
    if (data == PIPE_DATA_PLANE_ANY)
        return set_refusal(out, PIPE_REFUSAL_MAGIC, PIPE_DATA_PLANE_STREAM, h.data,
                           "no shared memory over this connection");
    stream_ = data == PIPE_DATA_PLANE_STREAM ? channel_ : nullptr;
    if (!make_memory(stage_size, read_size))
        return set_refusal(out, PIPE_REFUSAL_BUSY, 0, 0, "no memory");
    pipe_ctl_welcome w{};
    w.magic = control_magic;
    w.fingerprint[0] = wire::fingerprint[0];
    w.fingerprint[1] = wire::fingerprint[1];
    w.stage_size = stage_size;
    w.read_size = read_size;
    w.event_size = event_size_;
    w.ring_size = static_cast<uint32_t>(ring_size_);
    w.pid = static_cast<uint32_t>(getpid());
    w.data = data;
    out.set(PIPE_CTL_WELCOME, w);
    if (!stream_ && (!attach_fd(out, stage_.fd()) || !attach_fd(out, read_.fd())))
        return set_refusal(out, PIPE_REFUSAL_BUSY, 0, 0, "no descriptor is free");
    greeted_ = true;
    if (own_process) {
        util::stats_open();
        util::stats_identify(util::StatsRole::server, "", h.pid);
    }
    stage_.close_fd();
    read_.close_fd();
}

enum pipe_data_plane Session::choose_data(uint8_t wanted) const {
    const bool can_share = !channel_ || channel_->passes_descriptors();
    if (wanted == PIPE_DATA_PLANE_STREAM)
        return channel_ ? PIPE_DATA_PLANE_STREAM : PIPE_DATA_PLANE_ANY;
    if (can_share && wanted <= PIPE_DATA_PLANE_STREAM)
        return PIPE_DATA_PLANE_SHARED;
    return wanted == PIPE_DATA_PLANE_ANY ? PIPE_DATA_PLANE_STREAM : PIPE_DATA_PLANE_ANY;
}

bool Session::make_memory(uint64_t stage_size, uint64_t read_size) {
    if (stream_)
        return stage_.create_private(stage_size) && read_.create_private(read_size);
    return stage_.create("mgpipe-stage", stage_size) && read_.create("mgpipe-read", read_size);
}

// On a stream there is no answer: whoever names the segment comes later anyway.
void Session::segment(Message &in, Message &out) {
    pipe_ctl_segment ctl;
    if (!in.get(&ctl) || ctl.seg < wire::seg_dynamic || ctl.size > max_segment) {
        latch(PIPE_FAULT_SEGMENT, "segment message");
        return stream_ ? void() : set_reply(out, PIPE_ERROR);
    }
    if (ctl.size)
        return new_segment(in, out, ctl);
    std::unique_lock lock(segments_mutex_);
    segments_.erase(ctl.seg);
    if (!stream_)
        set_reply(out, PIPE_OK);
}

void Session::new_segment(Message &in, Message &out, const pipe_ctl_segment &ctl) {
    auto s = std::make_shared<Segment>();
    if (stream_) {
        std::unique_lock lock(segments_mutex_);
        if (segments_.size() >= max_stream_segments || !s->create_private(ctl.size) ||
            !segments_.emplace(ctl.seg, std::move(s)).second)
            latch(PIPE_FAULT_SEGMENT, "a segment for which there is no memory, or no number");
        return;
    }
    int fd = in.take_fd(0);
    if (fd < 0) // not sent, or no descriptor was free here
        return set_reply(out, PIPE_DECLINED);
    if (!s->adopt(fd, ctl.size)) {
        latch(PIPE_FAULT_SEAL, "segment without its seals");
        return set_reply(out, PIPE_ERROR);
    }
    std::unique_lock lock(segments_mutex_);
    if (segments_.size() >= max_segments || !segments_.emplace(ctl.seg, std::move(s)).second)
        return set_reply(out, PIPE_DECLINED);
    set_reply(out, PIPE_OK);
}

std::shared_ptr<ServerScreen> Session::find(uint32_t id) {
    std::lock_guard lock(screens_mutex_);
    auto it = screens_.find(id);
    return it == screens_.end() ? nullptr : it->second;
}

void Session::screen(const Message &in, Message &out) {
    pipe_ctl_screen ctl;
    if (!in.get(&ctl)) {
        latch(PIPE_FAULT_PROTOCOL, "screen message");
        return set_reply(out, PIPE_ERROR);
    }
    if (!ctl.open) {
        std::shared_ptr<ServerScreen> s;
        {
            std::lock_guard lock(screens_mutex_);
            if (auto it = screens_.find(ctl.screen); it != screens_.end()) {
                s = it->second;
                screens_.erase(it);
            }
        }
        if (s)
            s->close();
        return set_reply(out, PIPE_OK);
    }
    const auto *name = reinterpret_cast<const char *>(in.tail<pipe_ctl_screen>());
    const uint64_t name_size = in.tail_size<pipe_ctl_screen>();
    const bool names_one = ctl.platform != PIPE_PLATFORM_NONE || name_size || ctl.native_display;
    if (ctl.platform > PIPE_PLATFORM_WAYLAND || name_size > max_display_name ||
        memchr(name, 0, name_size) || (stranger && names_one)) {
        latch(PIPE_FAULT_PROTOCOL, "screen message: its display");
        return set_reply(out, PIPE_ERROR);
    }
    auto s = std::make_shared<ServerScreen>(*this, ctl.screen);
    s->platform = static_cast<enum pipe_platform>(ctl.platform);
    s->display_name.assign(name, name_size);
    s->native_display = own_process ? 0 : ctl.native_display;
    if (!s->open())
        return set_reply(out, PIPE_DECLINED);
    struct {
        pipe_caps caps;
        uint64_t ring_size;
    } answer{s->driver->caps, event_size_};
    static_assert(sizeof answer == sizeof(pipe_caps) + 8);
    set_reply(out, PIPE_OK, &answer, sizeof answer);
    bool attached = stream_ || attach_fd(out, s->event.fd());
    s->event.close_fd();
    std::lock_guard lock(screens_mutex_);
    if (!attached || screens_.size() >= max_screens || !screens_.emplace(ctl.screen, s).second)
        set_reply(out, PIPE_DECLINED);
}

void Session::lane(const Message &in, Message &out) {
    pipe_ctl_lane ctl;
    std::shared_ptr<ServerScreen> s = in.get(&ctl) ? find(ctl.screen) : nullptr;
    if (!s)
        return set_reply(out, PIPE_DECLINED);
    if (!ctl.open) {
        s->close_lane(ctl.lane);
        return set_reply(out, PIPE_OK);
    }
    std::shared_ptr<ServerLane> l = s->open_lane(ctl);
    if (!l)
        return set_reply(out, PIPE_DECLINED);
    set_reply(out, PIPE_OK);
    bool attached = stream_ || attach_fd(out, l->segment.fd());
    l->segment.close_fd();
    if (attached)
        return;
    s->close_lane(ctl.lane);
    set_reply(out, PIPE_DECLINED);
}

void Session::root_call(const Message &in, Message &out) {
    pipe_ctl_surface ctl;
    std::shared_ptr<ServerScreen> s = in.get(&ctl) ? find(ctl.screen) : nullptr;
    if (!s)
        return set_reply(out, PIPE_DECLINED);
    s->root_call(in.tail<pipe_ctl_surface>(), in.tail_size<pipe_ctl_surface>(), in.fds, out);
}

void Session::frame_memory(Message &in, Message &out) {
    pipe_ctl_frame_memory ctl;
    std::shared_ptr<ServerScreen> s = in.get(&ctl) ? find(ctl.screen) : nullptr;
    const int fd = in.take_fd(0);
    if (s && !stream_ && (fd >= 0 || !ctl.count))
        return set_reply(out, s->frame_memory(ctl, fd));
    if (fd >= 0)
        close(fd);
    set_reply(out, PIPE_DECLINED);
}

// --- data of a stream ----------------------------------------------------------------------------

bool Session::handles_at_once(uint32_t type) const {
    return !greeted_ || (stream_ && type == PIPE_CTL_SEGMENT);
}

// The rest of the message is passed over, so that the client still hears why.
bool Session::broken(Channel &channel, uint64_t left, enum pipe_fault fault, const char *text) {
    latch(fault, text);
    return channel.skip(left);
}

bool Session::receive_data(const MessageHead &head, Channel &channel) {
    if (!stream_ || latched())
        return broken(channel, head.size, PIPE_FAULT_PROTOCOL, "data without a stream");
    if (head.type == PIPE_CTL_SEGMENT_DATA && head.size >= sizeof(pipe_ctl_segment_data))
        return segment_data(head.size - sizeof(pipe_ctl_segment_data), channel);
    if (head.type == PIPE_CTL_RING_DATA && head.size >= sizeof(pipe_ctl_ring_data))
        return ring_data(head.size - sizeof(pipe_ctl_ring_data), channel);
    if (head.type == PIPE_CTL_RING_TAKEN && head.size == sizeof(pipe_ctl_ring_taken))
        return ring_taken(channel);
    return broken(channel, head.size, PIPE_FAULT_PROTOCOL, "data message that is cut");
}

bool Session::segment_data(uint64_t size, Channel &channel) {
    pipe_ctl_segment_data fixed;
    if (!channel.read(&fixed, sizeof fixed))
        return false;
    Hold hold;
    uint8_t *to = fixed.seg == PIPE_SEG_STAGE ? inside(stage_, fixed.offset, size)
                                              : dynamic(fixed.seg, fixed.offset, size, &hold);
    if (!to)
        return broken(channel, size, PIPE_FAULT_SPAN, "data outside its segment");
    return channel.read(to, size);
}

bool Session::ring_data(uint64_t size, Channel &channel) {
    pipe_ctl_ring_data fixed;
    if (!channel.read(&fixed, sizeof fixed))
        return false;
    const std::shared_ptr<ServerLane> lane = find_lane(fixed.owner);
    if (!lane)
        return broken(channel, size, PIPE_FAULT_PROTOCOL, "data for a ring that does not exist");
    RingPage &page = lane->page();
    const uint64_t from = page.head.load(std::memory_order_relaxed);
    if (size % 8 || fixed.head - from != size ||
        fixed.head - page.tail.load(std::memory_order_acquire) > ring_size_)
        return broken(channel, size, PIPE_FAULT_CURSOR, "data that its ring has no room for");
    uint8_t *ring = lane->segment.data() + page_size;
    const uint64_t at = from & (ring_size_ - 1), first = std::min(size, ring_size_ - at);
    if (!channel.read(ring + at, first) || !channel.read(ring, size - first))
        return false;
    page.head.store(fixed.head, std::memory_order_release);
    ring_bell(page.consumer, nullptr);
    return true;
}

bool Session::ring_taken(Channel &channel) {
    pipe_ctl_ring_taken taken;
    if (!channel.read(&taken, sizeof taken))
        return false;
    const std::shared_ptr<ServerScreen> s = find(taken.owner);
    if (!s)
        return broken(channel, 0, PIPE_FAULT_PROTOCOL, "progress of a ring that does not exist");
    RingPage &page = s->events.page();
    const uint64_t head = page.head.load(std::memory_order_acquire);
    const uint64_t before = page.tail.load(std::memory_order_relaxed);
    if (taken.tail > head || taken.tail % 8)
        return broken(channel, 0, PIPE_FAULT_CURSOR, "events were taken that were not sent");
    if (taken.tail < before)
        return true; // word of two threads, the later one first
    page.tail.store(taken.tail, std::memory_order_release);
    ring_bell(page.producer, nullptr);
    return true;
}

std::shared_ptr<ServerLane> Session::find_lane(uint32_t id) {
    std::lock_guard lock(screens_mutex_);
    for (auto &[screen_id, s] : screens_)
        if (auto lane = s->lane_of(id))
            return lane;
    return nullptr;
}

std::shared_ptr<ServerLane> Session::find_lane(pipe_handle handle) {
    std::lock_guard lock(screens_mutex_);
    for (auto &[screen_id, s] : screens_)
        if (auto lane = s->find_lane(handle))
            return lane;
    return nullptr;
}

} // namespace remote
