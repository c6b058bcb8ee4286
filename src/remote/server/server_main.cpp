// SPDX-License-Identifier: MIT
// What mgpiped is started for: a service, or the life of a process that serves one client.
#include "arguments.h"
#include "listener.h"
#include "log_forward.h"
#include "requests.h"
#include "session.h"

#include "channel.h"
#include "descriptor.h"

#include "util/env.h"
#include "util/log.h"
#include "util/log_descriptor.h"
#include "util/stats.h"
#include "util/thread.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iterator>
#include <new>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace remote {
namespace {

// Why this process may not serve, PIPE_REFUSAL_NONE when it may.
enum pipe_refusal own_refusal() {
    // A server whose own tables would be remote ones could dial for ever.
    const char *form = getenv("MGPIPE_FORM");
    if (form && *form && strcmp(form, "monolith") != 0)
        return PIPE_REFUSAL_FORM;
    return PIPE_REFUSAL_NONE;
}

// `keep` and `also` may be the same.
void quiet_descriptors(int keep, int also) {
    int null = above_standard(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (null >= 0) {
        dup2(null, 0);
        dup2(null, 1);
        if (fcntl(2, F_GETFD) < 0)
            dup2(null, 2);
    }
    // What the program had open is not ours; the log stays where it is.
    int kept[] = {keep, also, util::log_descriptor()};
    std::sort(std::begin(kept), std::end(kept));
    unsigned next = 3;
    for (const int fd : kept) {
        const auto spared = static_cast<unsigned>(fd);
        if (spared > next)
            close_range(next, spared - 1, 0);
        next = std::max(next, spared + 1);
    }
    close_range(next, ~0u, 0);
}

// The log goes to the client too, for the life of the process.
LogForward *forward_log(Channel *channel, bool stdio) {
    auto *forward = new LogForward([channel](Message &m) { return channel->send(m); });
    if (!forward->start())
        return nullptr;
    util::log_set_sink(LogForward::sink, forward);
    // Over ssh standard error is the client's as well: each line once.
    if (stdio && !util::env_is_set(util::Env::LOG))
        util::log_open("/dev/null");
    return forward;
}

// Who may connect from elsewhere and begins a message, but never ends it, keeps no session's place.
constexpr auto hello_patience = std::chrono::seconds(5);

// The connection ended before its client said who it is; `error` is the channel's.
void say_no_hello(int error) {
    if (error == ETIMEDOUT)
        log_warning("server", "a client that was let in sent no whole hello within five seconds");
    else if (error == EPROTO)
        log_warning("server", "what arrived is no message of a client");
    else
        log_warning("server", "the connection ended before a client said hello");
}

void say_refusal(const Message &answer) {
    util::log_set_sink(nullptr, nullptr); // the client says it itself
    log_warning("server", "refused the client %s", refusal_text(answer).c_str());
}

// A client that names no driver gets ours.
void choose_driver(Message &hello, const std::string &driver) {
    pipe_ctl_hello h;
    if (hello.type != PIPE_CTL_HELLO || !hello.get(&h) || h.driver[0] || driver.empty())
        return;
    memcpy(h.driver, driver.data(), std::min(driver.size(), sizeof h.driver - 1));
    memcpy(hello.bytes.data(), &h, sizeof h);
}

// What came of the requests of one client.
class Service {
  public:
    Service(Channel *channel, Session *session, const Arguments &arguments)
        : channel_(channel), session_(session), arguments_(arguments) {}
    // The reader has a client's first message, before it is answered.
    void greet();
    void answer(Message &request);
    // The client is gone: nothing of ours outlives it. No exit handlers: host drivers have threads
    // in flight. Any thread; whoever comes second waits for the end.
    [[noreturn]] void leave() const {
        static std::atomic_flag leaving;
        while (leaving.test_and_set())
            pause();
        if (*util::env_text(util::Env::STATS))
            util::stats_print();
        log_info("server", "client gone, leaving");
        _exit(0);
    }

  private:
    Channel *channel_;
    Session *session_;
    LogForward *log_ = nullptr;
    const Arguments &arguments_;
    const enum pipe_refusal refusal_ = own_refusal();
};

void Service::greet() {
    if (arguments_.forward_log)
        log_ = forward_log(channel_, arguments_.mode == Arguments::Mode::stdio);
    if (refusal_ != PIPE_REFUSAL_NONE)
        log_error("server", "MGPIPE_FORM=%s: a server runs the monolith only",
                  getenv("MGPIPE_FORM"));
}

void Service::answer(Message &request) {
    Message answer;
    choose_driver(request, arguments_.driver);
    if (refusal_ != PIPE_REFUSAL_NONE)
        set_refusal(answer, refusal_, 0, 1, "a server runs the monolith only");
    else
        session_->handle(request, answer);
    const bool last = request.type == PIPE_CTL_BYE || answer.type == PIPE_CTL_REFUSE;
    if (last && log_)
        log_->flush(500'000'000);
    if (answer.type == PIPE_CTL_REFUSE)
        say_refusal(answer);
    if (answer.type != PIPE_CTL_NONE)
        channel_->send(answer);
    if (last)
        leave();
}

// A fault, of which a session has one. The thread that reads never writes: two halves that both
// wait for the other to read would stand still.
void send_apart(Channel *channel, Message &fault) {
    auto *kept = new Message(std::move(fault));
    if (!util::start_thread(new std::thread, "mgpipe-fault", [=] { channel->send(*kept); }))
        delete kept; // the latch tells by what it declines
}

// Serves the one client that sends to `in` and reads from `out` (above 2; pipes, or one socket)
// until it hangs up, then leaves by _exit.
[[noreturn]] void serve(int in, int out, const Arguments &arguments, CreateScreen create_screen) {
    // Nothing of this is ever destroyed.
    auto *channel = new Channel(in, out);
    const std::thread::id reader = std::this_thread::get_id();
    auto *session = new Session(
        create_screen,
        [channel, reader](Message &m) {
            if (std::this_thread::get_id() == reader)
                send_apart(channel, m);
            else
                channel->send(m);
        },
        channel);
    session->own_process = true;
    session->stranger = arguments.forward_log;
    auto *service = new Service(channel, session, arguments);
    auto *requests = new Requests([service](Message &request) { service->answer(request); });
    bool greeted = false;
    if (arguments.forward_log)
        channel->set_deadline(Channel::Clock::now() + hello_patience);
    MessageHead head;
    while (channel->next(&head)) {
        Message request;
        if (is_data(head.type)) {
            if (!session->receive_data(head, *channel))
                break;
            continue;
        }
        if (!channel->finish(head, request))
            break;
        if (!greeted && head.type != PIPE_CTL_AUTH) {
            greeted = true;
            channel->set_deadline({});
            service->greet();
        }
        if (session->handles_at_once(head.type))
            service->answer(request);
        else if (!requests->add(std::move(request)))
            break;
    }
    if (!greeted)
        say_no_hello(errno);
    service->leave();
}

// What nobody catches (there is no memory, say) ends this session, in one line; without a dump of
// what belongs to a program elsewhere.
[[noreturn]] void end_by_exception() {
    const char *what = "an exception";
    try {
        if (std::current_exception())
            std::rethrow_exception(std::current_exception());
    } catch (const std::bad_alloc &) {
        what = "no memory is left";
    } catch (const std::exception &e) {
        what = e.what();
    } catch (...) {
    }
    util::log_set_sink(nullptr, nullptr); // its thread may be the one
    log_error("server", "%s: the session ends", what);
    _exit(1);
}

// Neither the terminal's signals nor a log that nobody reads any more end us: the hang-up does.
void leave_terminal() {
    setsid();
    signal(SIGPIPE, SIG_IGN);
    std::set_terminate(end_by_exception);
    util::stats_start();
}

// One session over a socket that whoever started us left open.
int serve_socket(const Arguments &arguments, CreateScreen create_screen) {
    const int fd = arguments.control_fd;
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) {
        log_error("server", "--control-fd=N must name the socket of a client");
        return 2;
    }
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    leave_terminal();
    quiet_descriptors(fd, fd);
    serve(fd, fd, arguments, create_screen);
}

int serve_stdio(const Arguments &arguments, CreateScreen create_screen) {
    const int in = fcntl(0, F_DUPFD_CLOEXEC, 3), out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (in < 0 || out < 0 || isatty(in)) {
        log_error("server", "--stdio is for programs that run with MGPIPE_FORM=ssh:HOST");
        return 2;
    }
    leave_terminal();
    quiet_descriptors(in, out);
    serve(in, out, arguments, create_screen);
}

} // namespace

int server_main(int argc, char **argv, CreateScreen create_screen, const char *drivers) {
    const Arguments arguments = parse_arguments(argc, argv, drivers);
    prctl(PR_SET_NAME, "mgpiped");
    switch (arguments.mode) {
    case Arguments::Mode::listener: return run_listener(arguments);
    case Arguments::Mode::session: return serve_socket(arguments, create_screen);
    case Arguments::Mode::stdio: return serve_stdio(arguments, create_screen);
    case Arguments::Mode::finished: break;
    }
    return arguments.status;
}

} // namespace remote
