// SPDX-License-Identifier: MIT
// Handshake, requests, loss and fork of a client; see connection.h.
#include "connection.h"

#include "counters.h"
#include "screen.h"

#include "util/env.h"
#include "util/log.h"

#include <algorithm>
#include <pthread.h>
#include <string>
#include <unistd.h>

namespace remote {

// --- one process, its connections ----------------------------------------------------------------

// Leaked on purpose: threads of the program may still call when the process ends.
struct Registry {
    std::mutex mutex;
    std::vector<std::weak_ptr<Connection>> all;
    std::vector<std::shared_ptr<Connection>> locked; // across a fork
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

std::shared_ptr<Connection> Connection::get(const Options &options,
                                            const pipe_screen_config *config) {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    std::erase_if(r.all, [](const auto &w) { return w.expired(); });
    for (const auto &w : r.all)
        if (auto c = w.lock(); c && !c->lost() && c->form == options.form)
            return c;
    auto c = std::make_shared<Connection>();
    if (!c->start(options, config))
        return nullptr;
    r.all.push_back(c);
    return c;
}

// The child of a fork has none of our threads and none of our mappings: its contexts are lost, the
// parent's server is left alone. All locks of this library are held across the fork.
void Connection::fork_prepare() {
    Registry &r = registry();
    r.mutex.lock();
    for (const auto &w : r.all)
        if (auto c = w.lock()) {
            c->screens_mutex_.lock();
            for (ClientScreen *s : c->screens_)
                s->fork_lock();
            r.locked.push_back(std::move(c));
        }
}

void Connection::fork_done(bool child) {
    Registry &r = registry();
    std::vector<std::shared_ptr<Connection>> locked;
    locked.swap(r.locked);
    for (const auto &c : locked) {
        if (child)
            c->abandon();
        for (ClientScreen *s : c->screens_)
            s->fork_unlock();
        c->screens_mutex_.unlock();
    }
    r.mutex.unlock();
}

void Connection::abandon() {
    losing_.store(true);
    lost_.store(true);
    link_->abandon();
    (void)link_.release();
    for (ClientScreen *s : screens_)
        s->abandon();
    stage_segment.abandon();
    read.abandon();
}

// --- life ----------------------------------------------------------------------------------------

bool Connection::start(const Options &options, const pipe_screen_config *config) {
    form = options.form;
#ifdef MGPIPE_HAVE_INPROC
    if (form == Form::inproc)
        link_ = make_inproc_link(options, this);
#endif
#ifdef MGPIPE_HAVE_SPAWN
    if (form == Form::spawn)
        link_ = make_spawn_link(options, this);
#endif
    if (!link_)
        return false;
    return handshake(options, config);
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

bool Connection::handshake(const Options &options, const pipe_screen_config *config) {
    std::string text = config && config->options ? config->options : "";
    if (const char *frames = util::env_text(util::Env::FRAMES); strcmp(frames, "any"))
        text.append("\nMGPIPE_FRAMES=").append(frames).append("\n");
    pipe_ctl_hello hello{};
    hello.magic = control_magic;
    hello.control_version = control_version;
    hello.pid = static_cast<uint32_t>(getpid());
    hello.fingerprint[0] = wire::fingerprint[0];
    hello.fingerprint[1] = wire::fingerprint[1];
    hello.ring_kb = static_cast<uint32_t>(util::env_int(util::Env::RING_KB));
    hello.stage_kb = static_cast<uint32_t>(util::env_int(util::Env::STAGE_KB));
    hello.event_kb = static_cast<uint32_t>(util::env_int(util::Env::EVENT_KB));
    hello.options_size = static_cast<uint32_t>(text.size());
    if (options.driver)
        strncpy(reinterpret_cast<char *>(hello.driver), options.driver, sizeof hello.driver - 1);
    Message in, out;
    in.set(PIPE_CTL_HELLO, hello, text.data(), text.size());
    if (!request(in, out)) {
        log_error("remote", "the server hung up, or sent no message of ours, during the handshake");
        return false;
    }
    pipe_ctl_refuse refuse;
    if (out.type == PIPE_CTL_REFUSE && out.get(&refuse)) {
        std::string why(reinterpret_cast<const char *>(out.tail<pipe_ctl_refuse>()),
                        out.tail_size<pipe_ctl_refuse>());
        log_error("remote", "the server refuses (%s): %s; server %016llx, client %016llx",
                  wire::refusal_name(static_cast<enum pipe_refusal>(refuse.code)), why.c_str(),
                  (unsigned long long)refuse.ours, (unsigned long long)refuse.theirs);
        return false;
    }
    pipe_ctl_welcome welcome;
    if (out.type != PIPE_CTL_WELCOME || !out.get(&welcome) || welcome.magic != control_magic) {
        log_error("remote", "the server does not speak this protocol");
        return false;
    }
    if (welcome.fingerprint[0] != wire::fingerprint[0] ||
        welcome.fingerprint[1] != wire::fingerprint[1]) {
        log_error("remote", "client and server were built from different definitions");
        return false;
    }
    if (!stage_segment.adopt(out.take_fd(0), welcome.stage_size) ||
        !read.adopt(out.take_fd(1), welcome.read_size))
        return false;
    ring_size = welcome.ring_size;
    server_pid = welcome.pid;
    if (ring_size < 4096 || (ring_size & (ring_size - 1)) || read.size() < 2 * read_base) {
        log_error("remote", "the server's sizes make no sense");
        return false;
    }
    stage.attach(&stage_segment);
    read_area.attach(&read);
    leaving_.store(false);
    return true;
}

bool Connection::request(Message &in, Message &out) {
    if (lost())
        return false;
    if (link_->request(in, out))
        return true;
    hung_up();
    return false;
}

enum pipe_status Connection::ask(Message &in, Message &out, pipe_ctl_reply *reply) {
    if (!request(in, out) || out.type != PIPE_CTL_REPLY || !out.get(reply))
        return PIPE_DECLINED;
    return static_cast<enum pipe_status>(reply->status);
}

void Connection::lose(const char *reason) {
    if (losing_.exchange(true))
        return;
    log_error("remote", "the server is lost: %s", reason);
    util::stats_lost();
    std::lock_guard lock(screens_mutex_);
    // Told first: a program must not see calls that do nothing before it can hear why.
    for (ClientScreen *s : screens_)
        s->tell_loss(reason);
    lost_.store(true, std::memory_order_release);
    for (ClientScreen *s : screens_)
        s->lose();
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
    std::lock_guard lock(screens_mutex_);
    for (ClientScreen *s : screens_)
        s->collect_events();
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
    if (!segment_.create("mgpipe-content", size))
        return;
    pipe_ctl_segment ctl{};
    ctl.seg = connection.new_id();
    ctl.size = segment_.size();
    Message in, out;
    in.set(PIPE_CTL_SEGMENT, ctl);
    pipe_ctl_reply reply;
    if (!attach_fd(in, segment_.fd()) || connection.ask(in, out, &reply) != PIPE_OK)
        return;
    segment_.close_fd();
    id_ = ctl.seg;
    count_segment_bytes.add(size);
}

OneShot::~OneShot() {
    if (!id_ || connection_.lost())
        return;
    pipe_ctl_segment ctl{};
    ctl.seg = id_;
    Message in, out;
    in.set(PIPE_CTL_SEGMENT, ctl);
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
