// SPDX-License-Identifier: MIT
// The life of a server process for one client (form spawn).
#include "session.h"

#include "channel.h"
#include "descriptor.h"

#include "util/env.h"
#include "util/log.h"
#include "util/stats.h"

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

void quiet_descriptors(int keep) {
    int null = above_standard(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (null >= 0) {
        dup2(null, 0);
        dup2(null, 1);
        if (fcntl(2, F_GETFD) < 0)
            dup2(null, 2);
    }
    // What the program had open is not ours; the log stays on standard error.
    if (keep > 3)
        close_range(3, static_cast<unsigned>(keep) - 1, 0);
    close_range(static_cast<unsigned>(keep) + 1, ~0u, 0);
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

int server_main(int argc, char **argv, CreateScreen create_screen) {
    int fd = -1;
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--control-fd=", 13))
            fd = atoi(argv[i] + 13);
    int type = 0;
    socklen_t length = sizeof type;
    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) {
        log_error("server", "--control-fd=N must name the socket of a client");
        return 2;
    }
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    // Neither the terminal's signals nor a log that nobody reads any more end us: the hang-up does.
    setsid();
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_NAME, "mgpiped");
    quiet_descriptors(fd);
    util::stats_start();
    return serve(fd, fd, create_screen);
}

} // namespace remote
