// SPDX-License-Identifier: MIT
// The loop of the service; see listener.h.
#include "listener.h"

#include "descriptor.h"
#include "listening.h"
#include "newcomer.h"
#include "session_process.h"
#include "token.h"

#include "pipe_wire/wire.h"

#include "util/futex.h"
#include "util/log.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <list>
#include <map>
#include <new>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace remote {
namespace {

constexpr size_t max_newcomers = 64;
constexpr uint64_t accept_rest_ns = 100'000'000; // after accept() failed for want of something
constexpr uint64_t say_again_ns = 10'000'000'000;

// One line per cause, and what was left out with the next one.
class Complaints {
  public:
    void say(int cause, uint64_t now_ns, const std::string &line) {
        Cause &c = causes_[cause];
        if (c.last_ns && now_ns - c.last_ns < say_again_ns) {
            c.silent++;
            return;
        }
        std::string more;
        if (c.silent)
            more = "; " + std::to_string(c.silent) + " more since the last such line";
        log_warning("server", "%s%s", line.c_str(), more.c_str());
        c = {now_ns, 0};
    }
    void refused(const Newcomer &who, uint64_t now_ns) {
        const Refusal &why = who.refusal();
        say(why.code, now_ns,
            "refused " + who.name() + " (" + wire::refusal_name(why.code) + "): " + why.text);
    }

  private:
    struct Cause {
        uint64_t last_ns = 0;
        unsigned silent = 0;
    };
    std::map<int, Cause> causes_; // pipe_refusal; -1: accept()
};

bool done(const Newcomer &n) {
    return n.fd() < 0 || n.state() == Newcomer::State::gone;
}

class Listener {
  public:
    explicit Listener(const Arguments &arguments) : arguments_(arguments) {}
    ~Listener() {
        for (ListeningSocket &s : sockets_)
            stop_listening(s);
        if (signals_ >= 0)
            close(signals_);
    }
    bool open();
    void run();

  private:
    bool open_door();
    bool open_signals();
    bool take_signals(); // false: the service ends
    void reap();
    void accept_all(const ListeningSocket &socket, uint64_t now);
    bool take_in(int fd, bool tcp, uint64_t now); // false: let the others wait
    void make_room(uint64_t now);
    void look(Newcomer &newcomer, uint64_t now);
    void start(Newcomer &newcomer, uint64_t now);
    int wait(std::vector<pollfd> *fds, uint64_t now);
    void look_at_all(const std::vector<pollfd> &fds, uint64_t now);
    bool accepting(uint64_t now) const { return now >= accept_after_ns_; }

    const Arguments &arguments_;
    Door door_;
    std::vector<ListeningSocket> sockets_;
    std::list<Newcomer> newcomers_; // the oldest first
    std::vector<pid_t> sessions_;
    Complaints complaints_;
    uint64_t accept_after_ns_ = 0;
    int signals_ = -1;
};

bool Listener::open() {
    if (!take_activated(&sockets_))
        return false;
    for (const std::string &address : arguments_.listen)
        if (!listen_on(address, !arguments_.allowed.empty(), &sockets_))
            return false;
    if (sockets_.empty()) {
        log_error("server", "nothing to listen on: --listen=unix:PATH or tcp:[HOST:]PORT (--help)");
        return false;
    }
    if (!open_door() || !open_signals())
        return false;
    for (const ListeningSocket &s : sockets_)
        printf("listening on %s\n", s.name.c_str());
    fflush(stdout);
    return true;
}

bool Listener::open_door() {
    door_.users = arguments_.allowed;
    door_.users.insert(door_.users.begin(), geteuid());
    door_.max_sessions = arguments_.max_sessions;
    const auto tcp = std::find_if(sockets_.begin(), sockets_.end(),
                                  [](const ListeningSocket &s) { return s.tcp; });
    const bool usable = load_token(arguments_.token_file.c_str(), &door_.token);
    forget_token_variable();
    if (!usable)
        return false;
    if (tcp == sockets_.end() || !door_.token.empty())
        return true;
    log_error("server", "%s wants a token: --token-file=FILE, MGPIPE_TOKEN_FILE or MGPIPE_TOKEN",
              tcp->name.c_str());
    return false;
}

bool Listener::open_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (int s : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
        sigaddset(&set, s);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); // inherited as ignored, it would leave us nothing to wait for
    signals_ = above_standard(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (signals_ < 0)
        log_error("server", "no signals: %s", strerror(errno));
    return signals_ >= 0;
}

bool Listener::take_signals() {
    signalfd_siginfo info;
    bool stay = true;
    while (read(signals_, &info, sizeof info) == sizeof info)
        stay &= info.ssi_signo == SIGCHLD;
    reap();
    return stay;
}

void Listener::reap() {
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        std::erase(sessions_, pid);
        if (WIFSIGNALED(status))
            log_warning("server", "session process %d was ended by signal %d", pid,
                        WTERMSIG(status));
        else
            log_info("server", "session process %d ended, %zu are left", pid, sessions_.size());
    }
}

// --- connections ---------------------------------------------------------------------------------

void Listener::accept_all(const ListeningSocket &socket, uint64_t now) {
    constexpr int most_at_once = 64;
    for (int i = 0; i < most_at_once; i++) {
        const int fd = above_standard(accept4(socket.fd, nullptr, nullptr, SOCK_CLOEXEC));
        if (fd >= 0) {
            if (!take_in(fd, socket.tcp, now))
                return;
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno == EAGAIN)
            return;
        complaints_.say(-1, now,
                        socket.name + ": a connection cannot be accepted: " + strerror(errno));
        if (!newcomers_.empty()) // the table of descriptors is full: those who stall make room
            newcomers_.pop_front();
        accept_after_ns_ = now + accept_rest_ns;
        return;
    }
}

// Without memory this connection ends, and no other.
bool Listener::take_in(int fd, bool tcp, uint64_t now) {
    try {
        make_room(now);
        newcomers_.emplace_back(fd, tcp, now);
    } catch (const std::bad_alloc &) {
        log_error("server", "no memory for a connection");
        close(fd);
        accept_after_ns_ = now + accept_rest_ns;
        return false;
    }
    look(newcomers_.back(), now);
    return true;
}

// Whoever has something to say says it at once: the one that has been silent longest goes.
void Listener::make_room(uint64_t now) {
    std::erase_if(newcomers_, done);
    if (newcomers_.size() < max_newcomers)
        return;
    Newcomer &oldest = newcomers_.front();
    if (oldest.state() != Newcomer::State::refused) {
        oldest.refuse({PIPE_REFUSAL_BUSY, max_newcomers, newcomers_.size() + 1,
                       "more than " + std::to_string(max_newcomers) +
                           " connections have not said who they are; this one is the oldest"},
                      now);
        complaints_.refused(oldest, now);
    }
    newcomers_.pop_front();
}

void Listener::look(Newcomer &newcomer, uint64_t now) {
    const bool before = newcomer.state() == Newcomer::State::refused;
    try {
        const Newcomer::State state = newcomer.look(door_, now);
        if (state == Newcomer::State::arrived)
            start(newcomer, now);
        if (!before && newcomer.refusal().code != PIPE_REFUSAL_NONE)
            complaints_.refused(newcomer, now);
    } catch (const std::bad_alloc &) {
        log_error("server", "no memory for a connection");
        if (newcomer.fd() >= 0)
            close(newcomer.take_fd());
    }
}

void Listener::start(Newcomer &newcomer, uint64_t now) {
    if (sessions_.size() >= door_.max_sessions)
        reap(); // one may have ended just now
    if (sessions_.size() >= door_.max_sessions)
        return newcomer.refuse({PIPE_REFUSAL_BUSY, door_.max_sessions, sessions_.size() + 1,
                                "this server serves " + std::to_string(door_.max_sessions) +
                                    " programs at a time (--max-sessions), this is number " +
                                    std::to_string(sessions_.size() + 1)},
                               now);
    sessions_.reserve(sessions_.size() + 1); // before there is a process to keep
    const pid_t pid = start_session(newcomer.fd(), arguments_.driver);
    if (pid < 0)
        return newcomer.refuse(
            {PIPE_REFUSAL_BUSY, 0, 1, std::string("no process can be started: ") + strerror(errno)},
            now);
    sessions_.push_back(pid);
    log_info("server", "process %d serves %s, %zu are served", pid, newcomer.name().c_str(),
             sessions_.size());
    close(newcomer.take_fd());
}

// --- the loop ------------------------------------------------------------------------------------

// Fills `fds`: signals, listening sockets, newcomers in their order.
int Listener::wait(std::vector<pollfd> *fds, uint64_t now) {
    uint64_t until = UINT64_MAX;
    fds->clear();
    fds->push_back({signals_, POLLIN, 0});
    for (const ListeningSocket &s : sockets_)
        fds->push_back({accepting(now) ? s.fd : -1, POLLIN, 0});
    if (!accepting(now))
        until = accept_after_ns_;
    for (const Newcomer &n : newcomers_) {
        const bool resting = n.state() == Newcomer::State::resting;
        fds->push_back({resting ? -1 : n.fd(), POLLIN, 0});
        until = std::min({until, n.deadline_ns(), resting ? n.rest_until_ns() : UINT64_MAX});
    }
    if (until == UINT64_MAX)
        return poll(fds->data(), fds->size(), -1);
    const uint64_t left = until > now ? until - now : 0;
    return poll(fds->data(), fds->size(), static_cast<int>(left / 1'000'000 + 1));
}

void Listener::look_at_all(const std::vector<pollfd> &fds, uint64_t now) {
    const pollfd *of = fds.data() + 1 + sockets_.size();
    for (Newcomer &n : newcomers_) {
        const bool rested = n.state() == Newcomer::State::resting && now >= n.rest_until_ns();
        if ((of++)->revents || rested)
            look(n, now);
    }
    std::erase_if(newcomers_, [&](const Newcomer &n) { return done(n) || now >= n.deadline_ns(); });
}

void Listener::run() {
    std::vector<pollfd> fds;
    fds.reserve(1 + sockets_.size() + max_newcomers);
    for (;;) {
        if (wait(&fds, util::now_ns()) < 0 && errno != EINTR) {
            log_error("server", "poll: %s", strerror(errno));
            return;
        }
        const uint64_t now = util::now_ns();
        if (fds[0].revents && !take_signals())
            return;
        look_at_all(fds, now);
        for (size_t i = 0; i < sockets_.size(); i++)
            if (fds[1 + i].revents)
                accept_all(sockets_[i], now);
        std::erase_if(newcomers_, done);
    }
}

// What is opened later must not land where somebody prints.
void fill_standard() {
    int fd;
    do
        fd = ::open("/dev/null", O_RDWR);
    while (fd >= 0 && fd < 2);
    if (fd > 2)
        close(fd);
}

} // namespace

int run_listener(const Arguments &arguments) {
    fill_standard();
    Listener listener(arguments);
    if (!listener.open())
        return 1;
    listener.run();
    log_info("server", "leaving; programs that are being served go on");
    return 0;
}

} // namespace remote
