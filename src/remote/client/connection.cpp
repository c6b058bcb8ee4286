// SPDX-License-Identifier: MIT
// Handshake, requests, loss and fork of a client; see connection.h.
#include "connection.h"

#include "channel.h"
#include "counters.h"
#include "screen.h"

#include "util/env.h"
#include "util/futex.h"
#include "util/log.h"

#include <algorithm>
#include <condition_variable>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace remote {

// --- one process, its connections ----------------------------------------------------------------

// Leaked on purpose: threads of the program may still call when the process ends.
struct Registry {
    std::mutex mutex;
    std::vector<std::weak_ptr<Connection>> all;
    std::vector<std::shared_ptr<Connection>> locked; // across a fork
    // Being made without the mutex, at most one per address; told when one of them is through.
    std::vector<Connection *> starting;
    std::condition_variable *started = new std::condition_variable;
};

static Registry &registry() {
    static Registry *r = [] {
        pthread_atfork(
            Connection::fork_prepare, [] { Connection::fork_done(false); },
            [] { Connection::fork_done(true); });
        return new Registry;
    }();
    return *r;
}

void watch_forks() {
    registry();
}

// Where the network or a person at the terminal may take long. A server of our own is started with
// the mutex held: a child forked meanwhile would hold its end of the connection too.
static bool may_take_long(Form form) {
    return form == Form::unix_socket || form == Form::tcp || form == Form::ssh;
}

std::shared_ptr<Connection> Connection::get(const Options &options,
                                            const pipe_screen_config *config) {
    Registry &r = registry();
    auto c = std::make_shared<Connection>();
    c->form = options.form;
    c->address_ = options.address ? options.address : "";
    const auto same = [&](const Connection &o) {
        return o.form == c->form && o.address_ == c->address_;
    };
    std::unique_lock lock(r.mutex);
    for (;;) {
        std::erase_if(r.all, [](const auto &w) { return w.expired(); });
        for (const auto &w : r.all)
            if (auto known = w.lock(); known && !known->lost() && same(*known))
                return known;
        if (std::none_of(r.starting.begin(), r.starting.end(), [&](auto *s) { return same(*s); }))
            break;
        r.started->wait(lock);
    }
    // ssh is started like a server of our own, what it asks comes later.
    if (c->form == Form::ssh && !(c->link_ = c->dial(options)))
        return nullptr;
    r.starting.push_back(c.get());
    if (may_take_long(c->form))
        lock.unlock();
    const bool good = c->start(options, config);
    if (!lock)
        lock.lock();
    std::erase(r.starting, c.get());
    r.started->notify_all();
    if (!good)
        return nullptr;
    r.all.push_back(c);
    return c;
}

// The child of a fork has none of our threads and none of our mappings: its contexts are lost, the
// parent's server is left alone. Held across the fork, after the frontend's: the registry's lock,
// and of each connection those of its screens, mirrors, lanes, events, fences and maps, which
// abandon() and the calls on what is lost take. Those of sending, asking, the stage, frames,
// presents and root calls are not: what a thread of the parent held of them stays locked in the
// child.
void Connection::fork_prepare() {
    Registry &r = registry();
    r.mutex.lock();
    for (const auto &w : r.all)
        if (auto c = w.lock()) {
            c->screens_mutex_.lock();
            c->mirrors.lock();
            for (ClientScreen *s : c->screens_)
                s->fork_lock();
            r.locked.push_back(std::move(c));
        }
}

void Connection::fork_done(bool child) {
    Registry &r = registry();
    std::vector<std::shared_ptr<Connection>> locked;
    locked.swap(r.locked);
    if (child) {
        for (Connection *c : r.starting) // whose thread is the parent's: it ends nowhere
            c->abandon();
        r.starting.clear();
        r.started = new std::condition_variable; // the parent's threads wait in the other one
    }
    for (const auto &c : locked) {
        if (child)
            c->abandon();
        for (ClientScreen *s : c->screens_)
            s->fork_unlock();
        c->mirrors.unlock();
        c->screens_mutex_.unlock();
    }
    r.mutex.unlock();
}

bool Connection::share_frames(const FrameShare &share) {
    std::vector<std::shared_ptr<Connection>> all;
    {
        std::lock_guard lock(registry().mutex);
        for (const auto &w : registry().all)
            if (auto c = w.lock())
                all.push_back(std::move(c));
    }
    for (const auto &c : all) {
        pipe_ctl_frame_memory ctl{};
        {
            std::lock_guard lock(c->screens_mutex_);
            for (ClientScreen *s : c->screens_)
                if (s->sends_frames(share.surface))
                    ctl.screen = s->id();
        }
        if (!ctl.screen)
            continue;
        ctl.surface = share.surface;
        ctl.count = share.count;
        ctl.size = share.size;
        ctl.offset = share.offset;
        ctl.buffer_size = share.buffer_size;
        ctl.width = share.width;
        ctl.height = share.height;
        ctl.swap_red_blue = share.swap_red_blue;
        Message in, out;
        in.set(PIPE_CTL_FRAME_MEMORY, ctl);
        pipe_ctl_reply reply;
        return !c->stream && attach_fd(in, share.fd) && c->ask(in, out, &reply) == PIPE_OK;
    }
    return false;
}

void Connection::abandon() {
    losing_.store(true);
    lost_.store(true);
    if (link_)
        link_->abandon();
    (void)link_.release();
    for (ClientScreen *s : screens_)
        s->abandon();
    stage_segment.abandon();
    read.abandon();
}

// --- life ----------------------------------------------------------------------------------------

std::unique_ptr<Link> Connection::dial(const Options &options) {
    switch (form) {
#ifdef MGPIPE_HAVE_INPROC
    case Form::inproc: return make_inproc_link(options, this);
#endif
#ifdef MGPIPE_HAVE_SPAWN
    case Form::spawn: return make_spawn_link(options, this);
    case Form::unix_socket: return make_unix_link(address_, this);
    case Form::tcp: return make_tcp_link(address_, this);
    case Form::ssh: return make_ssh_link(address_, this);
#endif
    default: return nullptr;
    }
}

// What MGPIPE_DATA asks for, as far as the form has a choice.
static enum pipe_data_plane wanted_data(Form form) {
    if (form == Form::inproc)
        return PIPE_DATA_PLANE_SHARED;
    if (form == Form::tcp || form == Form::ssh)
        return PIPE_DATA_PLANE_STREAM;
    const std::string_view wanted = util::env_text(util::Env::DATA);
    if (wanted == "stream")
        return PIPE_DATA_PLANE_STREAM;
    if (wanted == "shared")
        return PIPE_DATA_PLANE_SHARED;
    if (!wanted.empty() && wanted != "any")
        log_warning_once("remote", "MGPIPE_DATA=%s: shared, stream or any are known; taken for any",
                         wanted.data());
    return PIPE_DATA_PLANE_ANY;
}

bool Connection::start(const Options &options, const pipe_screen_config *config) {
    const enum pipe_data_plane data = wanted_data(form);
    if (!link_ && !(link_ = dial(options)))
        return false;
    Greeting greeting = handshake(options, config, data);
    if (greeting != Greeting::no_memory || data != PIPE_DATA_PLANE_ANY || form == Form::inproc)
        return greeting == Greeting::welcome;
    // A socket that was forwarded from elsewhere, say: only the two ends look like one.
    log_info("remote", "descriptors do not arrive: bytes travel over the connection");
    link_.reset();
    link_ = dial(options);
    return link_ && handshake(options, config, PIPE_DATA_PLANE_STREAM) == Greeting::welcome;
}

Connection::~Connection() {
    if (link_ && !lost()) {
        Message bye, answer;
        bye.set(PIPE_CTL_BYE, pipe_ctl_bye{});
        leaving_.store(true);
        request(bye, answer);
    }
    leaving_.store(true);
    // Its thread calls us: it ends before our members do.
    link_.reset();
}

void Connection::hung_up() {
    if (!leaving_.load())
        lose("the server hung up");
}

void Connection::still_unanswered() {
    if (form != Form::ssh) // which may be asking for a password
        log_warning("remote", "%s has not answered for 3 s: stopped, or no server of ours; waiting",
                    address_.empty() ? "the server" : address_.c_str());
}

static pipe_ctl_hello make_hello(const Options &options, enum pipe_data_plane data) {
    pipe_ctl_hello hello{};
    hello.magic = control_magic;
    hello.control_version = control_version;
    hello.pid = static_cast<uint32_t>(getpid());
    hello.fingerprint[0] = wire::fingerprint[0];
    hello.fingerprint[1] = wire::fingerprint[1];
    hello.ring_kb = static_cast<uint32_t>(util::env_int(util::Env::RING_KB));
    hello.stage_kb = static_cast<uint32_t>(util::env_int(util::Env::STAGE_KB));
    hello.event_kb = static_cast<uint32_t>(util::env_int(util::Env::EVENT_KB));
    hello.data = data;
    if (options.driver)
        strncpy(reinterpret_cast<char *>(hello.driver), options.driver, sizeof hello.driver - 1);
    return hello;
}

// The sizes of a server of ours, whatever `hello` wishes, end here; another one's would cost us
// memory without bound.
static bool sensible(const pipe_ctl_welcome &w) {
    constexpr uint64_t most_ring = 64 << 20, most_events = 16 << 20, most_stage = 1 << 30,
                       most_read = 64 << 20;
    return w.ring_size >= 4096 && w.ring_size <= most_ring && !(w.ring_size & (w.ring_size - 1)) &&
           w.event_size >= 4096 && w.event_size <= most_events &&
           !(w.event_size & (w.event_size - 1)) && w.stage_size && w.stage_size <= most_stage &&
           w.read_size >= 2 * read_base && w.read_size <= most_read;
}

Connection::Greeting Connection::handshake(const Options &options, const pipe_screen_config *config,
                                           enum pipe_data_plane data) {
    std::string text = config && config->options ? config->options : "";
    const std::string_view frames = util::env_text(util::Env::FRAMES);
    if (frames == "raw" || frames == "zstd")
        text.append("\nMGPIPE_FRAMES=").append(frames).append("\n");
    else if (!frames.empty() && frames != "any")
        log_warning_once("remote", "MGPIPE_FRAMES=%s: raw, zstd or any are known; taken for any",
                         frames.data());
    pipe_ctl_hello hello = make_hello(options, data);
    hello.options_size = static_cast<uint32_t>(text.size());
    Message in, out;
    in.set(PIPE_CTL_HELLO, hello, text.data(), text.size());
    if (!request(in, out)) {
        log_error("remote", "the server hung up, or sent no message of ours, during the handshake");
        return Greeting::refused;
    }
    if (out.type == PIPE_CTL_REFUSE) {
        log_error("remote", "the server refuses %s", refusal_text(out).c_str());
        return Greeting::refused;
    }
    pipe_ctl_welcome welcome;
    if (out.type != PIPE_CTL_WELCOME || !out.get(&welcome) || welcome.magic != control_magic) {
        log_error("remote", "the server does not speak this protocol");
        return Greeting::refused;
    }
    if (welcome.fingerprint[0] != wire::fingerprint[0] ||
        welcome.fingerprint[1] != wire::fingerprint[1]) {
        log_error("remote", "client and server were built from different definitions");
        return Greeting::refused;
    }
    const bool streams = welcome.data == PIPE_DATA_PLANE_STREAM;
    if (!sensible(welcome) ||
        (streams ? !link_->channel() : welcome.data != PIPE_DATA_PLANE_SHARED)) {
        log_error("remote", "the server's sizes make no sense");
        return Greeting::refused;
    }
    stream = streams ? link_->channel() : nullptr;
    // Without a descriptor there is another way, unless this one was asked for.
    const bool came = out.fds.size() >= 2 && out.fds[0] >= 0 && out.fds[1] >= 0;
    if (!stream && data == PIPE_DATA_PLANE_ANY && !came)
        return Greeting::no_memory;
    if (!take_memory(out, welcome))
        return Greeting::no_memory;
    ring_size = welcome.ring_size;
    event_size = welcome.event_size;
    server_pid = welcome.pid;
    stage.attach(&stage_segment);
    read_area.attach(&read);
    leaving_.store(false);
    return Greeting::welcome;
}

bool Connection::take_memory(Message &welcome, const pipe_ctl_welcome &sizes) {
    if (!stream)
        return stage_segment.adopt(welcome.take_fd(0), sizes.stage_size) &&
               read.adopt(welcome.take_fd(1), sizes.read_size);
    if (!stage_segment.create_private(sizes.stage_size) || !read.create_private(sizes.read_size))
        return false;
    mirrors.add_segment(PIPE_SEG_READ, read.data(), read.size());
    return true;
}

bool Connection::request(Message &in, Message &out) {
    if (lost())
        return false;
    const uint64_t asked_ns = util::now_ns();
    if (link_->request(in, out)) {
        const uint64_t took_ns = util::now_ns() - asked_ns;
        if (took_ns < fastest_answer_ns_.load(std::memory_order_relaxed))
            fastest_answer_ns_.store(took_ns, std::memory_order_relaxed);
        return true;
    }
    hung_up();
    return false;
}

uint64_t Connection::present_credit() const {
    const auto credit = static_cast<uint64_t>(util::env_int(util::Env::CREDIT));
    if (!stream || util::env_is_set(util::Env::CREDIT))
        return credit;
    return credit_over(credit, fastest_answer_ns_.load(std::memory_order_relaxed));
}

enum pipe_status Connection::ask(Message &in, Message &out, pipe_ctl_reply *reply) {
    if (!request(in, out) || out.type != PIPE_CTL_REPLY || !out.get(reply))
        return PIPE_DECLINED;
    return static_cast<enum pipe_status>(reply->status);
}

void Connection::lose(const char *reason) {
    if (losing_.exchange(true)) {
        // Another thread tells: whoever saw a request fail sees the loss too.
        while (!lost())
            std::this_thread::yield();
        return;
    }
    {
        std::lock_guard lock(screens_mutex_);
        // Told first: a program must not see calls that do nothing before it can hear why.
        for (ClientScreen *s : screens_)
            s->tell_loss(reason);
        lost_.store(true, std::memory_order_release);
        for (ClientScreen *s : screens_)
            s->lose();
    }
    // Where a new server is started, that is the line; a log that nobody reads holds up no waiter.
    const bool respawns = form != Form::inproc && util::env_int(util::Env::RESPAWN) != 0;
    if (util::log_enabled(respawns ? util::LogLevel::info : util::LogLevel::error))
        util::log_write(respawns ? util::LogLevel::info : util::LogLevel::error, "remote",
                        "the server is lost: %s", reason);
    util::stats_lost();
}

bool Connection::receive(Message &m) {
    pipe_ctl_fault fault;
    pipe_ctl_log log;
    if (m.type == PIPE_CTL_FAULT && m.get(&fault)) {
        std::string text =
            std::string(wire::fault_name(static_cast<enum pipe_fault>(fault.fault))) + ": " +
            std::string(reinterpret_cast<const char *>(m.tail<pipe_ctl_fault>()),
                        m.tail_size<pipe_ctl_fault>());
        lose(text.c_str());
        return true;
    }
    if (m.type == PIPE_CTL_FRAME)
        return frames.read(
            m, [this](uint32_t screen, const pipe_on_frame &event, const pipe_host_span &pixels) {
                std::lock_guard lock(screens_mutex_); // it lives until the call returns
                for (ClientScreen *s : screens_)
                    if (s->id() == screen)
                        s->deliver_frame(event, pixels);
            });
    if (m.type == PIPE_CTL_LOG && m.get(&log)) {
        util::LogLevel level = log.level == PIPE_LOG_ERROR  ? util::LogLevel::error
                               : log.level == PIPE_LOG_WARN ? util::LogLevel::warning
                                                            : util::LogLevel::info;
        if (util::log_enabled(level))
            util::log_write(level, "server", "%.*s", static_cast<int>(m.tail_size<pipe_ctl_log>()),
                            reinterpret_cast<const char *>(m.tail<pipe_ctl_log>()));
        return true;
    }
    return false;
}

void Connection::collect_events() {
    std::vector<std::shared_ptr<ClientScreen::Taken>> told;
    {
        std::lock_guard lock(screens_mutex_);
        for (ClientScreen *s : screens_)
            if (auto taken = s->take_arrived())
                told.push_back(std::move(taken));
    }
    for (const auto &taken : told)
        taken->tell(*stream);
}

void Connection::add(ClientScreen *screen) {
    std::lock_guard lock(screens_mutex_);
    screens_.push_back(screen);
    if (lost()) {
        screen->tell_loss("the server was lost before");
        screen->lose();
    }
}

void Connection::remove(ClientScreen *screen) {
    std::lock_guard lock(screens_mutex_);
    std::erase(screens_, screen);
}

// --- memory --------------------------------------------------------------------------------------

OneShot::OneShot(Connection &connection, uint64_t size) : connection_(connection) {
    if (!(connection.stream ? segment_.create_private(size)
                            : segment_.create("mgpipe-content", size)))
        return;
    pipe_ctl_segment ctl{};
    ctl.seg = connection.new_id();
    ctl.size = segment_.size();
    Message in, out;
    in.set(PIPE_CTL_SEGMENT, ctl);
    if (connection.stream) { // in order with what is sent there: nothing to wait for
        connection.mirrors.add_segment(ctl.seg, segment_.data(), segment_.size());
        connection.stream->send(in);
    } else {
        pipe_ctl_reply reply;
        if (!attach_fd(in, segment_.fd()) || connection.ask(in, out, &reply) != PIPE_OK)
            return;
        segment_.close_fd();
    }
    id_ = ctl.seg;
    count_segment_bytes.add(size);
}

OneShot::~OneShot() {
    if (!id_)
        return;
    if (connection_.stream)
        connection_.mirrors.remove(id_);
    if (connection_.lost())
        return;
    pipe_ctl_segment ctl{};
    ctl.seg = id_;
    Message in, out;
    in.set(PIPE_CTL_SEGMENT, ctl);
    if (connection_.stream) {
        connection_.stream->send(in);
        return;
    }
    pipe_ctl_reply reply;
    connection_.ask(in, out, &reply);
}

void ReadArea::attach(Segment *segment) {
    data_ = segment->data();
    used_.assign(segment->size() / unit, false);
    used_[0] = true; // SessionPage
}

bool ReadArea::take(uint64_t size, uint64_t *offset) {
    uint64_t n = (size + unit - 1) / unit;
    std::lock_guard lock(mutex_);
    if (n > used_.size() / 2)
        return false;
    uint64_t run = 0;
    for (uint64_t i = 0; i < used_.size(); i++) {
        run = used_[i] ? 0 : run + 1;
        if (run < n)
            continue;
        *offset = (i + 1 - n) * unit;
        std::fill_n(used_.begin() + static_cast<long>(i + 1 - n), n, true);
        return true;
    }
    return false;
}

void ReadArea::give(uint64_t offset, uint64_t size) {
    std::lock_guard lock(mutex_);
    std::fill_n(used_.begin() + static_cast<long>(offset / unit), (size + unit - 1) / unit, false);
}

} // namespace remote
