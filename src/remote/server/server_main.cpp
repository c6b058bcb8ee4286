// SPDX-License-Identifier: MIT
// The life of a server process for one client (form spawn).
#include "arguments.h"
#include "listener.h"
#include "session.h"

#include "channel.h"
#include "descriptor.h"

#include "util/env.h"
#include "util/log.h"
#include "util/stats.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
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
    // What the program had open is not ours; the log stays on standard error.
    const unsigned low = static_cast<unsigned>(std::min(keep, also)),
                   high = static_cast<unsigned>(std::max(keep, also));
    if (low > 3)
        close_range(3, low - 1, 0);
    if (high > low + 1)
        close_range(low + 1, high - 1, 0);
    close_range(high + 1, ~0u, 0);
}

} // namespace

int serve(int in, int out, CreateScreen create_screen) {
    // Never destroyed, like the session: this process leaves by _exit.
    auto *channel = new Channel(in, out);
    auto *session = new Session(create_screen, [channel](Message &m) { channel->send(m); });
    session->own_process = true;
    enum pipe_refusal refusal = own_refusal();
    if (refusal != PIPE_REFUSAL_NONE)
        log_error("server", "MGPIPE_FORM=%s: a server runs the monolith only",
                  getenv("MGPIPE_FORM"));
    for (;;) {
        Message request, answer;
        if (!channel->receive(request))
            break;
        if (refusal != PIPE_REFUSAL_NONE)
            set_refusal(answer, refusal, 0, 1, "a server runs the monolith only");
        else
            session->handle(request, answer);
        channel->send(answer);
        if (request.type == PIPE_CTL_BYE || answer.type == PIPE_CTL_REFUSE)
            break;
    }
    // The client is gone: nothing of ours outlives it. No exit handlers: host drivers have threads
    // in flight.
    if (*util::env_text(util::Env::STATS))
        util::stats_print();
    log_info("server", "client gone, leaving");
    _exit(0);
}

namespace {

// Neither the terminal's signals nor a log that nobody reads any more end us: the hang-up does.
void leave_terminal() {
    setsid();
    signal(SIGPIPE, SIG_IGN);
    util::stats_start();
}

// One session over a socket that whoever started us left open.
int serve_socket(int fd, CreateScreen create_screen) {
    int type = 0;
    socklen_t length = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) {
        log_error("server", "--control-fd=N must name the socket of a client");
        return 2;
    }
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    leave_terminal();
    quiet_descriptors(fd, fd);
    return serve(fd, fd, create_screen);
}

int serve_stdio(const std::string &driver, CreateScreen create_screen) {
    const int in = fcntl(0, F_DUPFD_CLOEXEC, 3), out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (in < 0 || out < 0 || isatty(in)) {
        log_error("server", "--stdio is for programs that run with MGPIPE_FORM=ssh:HOST");
        return 2;
    }
    if (!driver.empty())
        setenv("MGPIPE_DRIVER", driver.c_str(), 1);
    leave_terminal();
    quiet_descriptors(in, out);
    return serve(in, out, create_screen);
}

} // namespace

int server_main(int argc, char **argv, CreateScreen create_screen, const char *drivers) {
    const Arguments arguments = parse_arguments(argc, argv, drivers);
    prctl(PR_SET_NAME, "mgpiped");
    switch (arguments.mode) {
    case Arguments::Mode::listener: return run_listener(arguments);
    case Arguments::Mode::session: return serve_socket(arguments.control_fd, create_screen);
    case Arguments::Mode::stdio: return serve_stdio(arguments.driver, create_screen);
    case Arguments::Mode::finished: break;
    }
    return arguments.status;
}

} // namespace remote
