// SPDX-License-Identifier: MIT
// Starting a process beside the program; see child.h.
#include "child.h"

#include "descriptor.h"

#include "util/log.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace remote {
namespace {

constexpr const char *child_mark = "MGPIPE_SERVER_CHILD";

// The child must not dial on: its form is the monolith whatever ours is. Its driver is the one that
// our hello names. A token is no server's business.
std::vector<std::string> child_environment() {
    std::vector<std::string> out;
    for (char **e = environ; e && *e; e++) {
        std::string_view v = *e;
        if (v.starts_with("MGPIPE_FORM=") || v.starts_with("MGPIPE_SERVER_CHILD=") ||
            v.starts_with("MGPIPE_DRIVER=") || v.starts_with("MGPIPE_TOKEN="))
            continue;
        out.emplace_back(v);
    }
    out.emplace_back(child_mark).append("=1");
    return out;
}

std::vector<char *> pointers(std::vector<std::string> &text) {
    std::vector<char *> all;
    for (std::string &s : text)
        all.push_back(s.data());
    all.push_back(nullptr);
    return all;
}

// What a start needs, and what came of it.
struct Start {
    const char *path;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    char **argv, **env;
    int error;
};

// On a process of its own, in our memory, while we stand still.
int start_and_end(void *data) {
    auto *start = static_cast<Start *>(data);
    pid_t server;
    start->error =
        posix_spawnp(&server, start->path, &start->actions, &start->attr, start->argv, start->env);
    return 0;
}

// The program that we live in must never meet a child that is not its own: the server's parent is a
// process that ends at once, and which, having no exit signal, neither raises SIGCHLD nor shows in
// the program's own waits.
bool start_apart(Start *start) {
    constexpr size_t stack_size = 64 * 1024;
    std::vector<std::max_align_t> stack(stack_size / sizeof(std::max_align_t));
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); // the program's handlers must not run there
    pid_t pid = clone(start_and_end, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK, start);
    if (pid < 0)
        start->error = errno;
    while (pid > 0 && waitpid(pid, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return start->error == 0;
}

bool start_with(std::vector<std::string> command, int socket, int in, int out) {
    std::vector<std::string> environment = child_environment();
    std::vector<char *> argv = pointers(command), env = pointers(environment);
    Start start{argv[0], {}, {}, argv.data(), env.data(), 0};
    posix_spawn_file_actions_init(&start.actions);
    posix_spawnattr_init(&start.attr);
    // dup2 onto itself clears close-on-exec too (posix_spawn's rule).
    posix_spawn_file_actions_adddup2(&start.actions, socket, in);
    if (out != in)
        posix_spawn_file_actions_adddup2(&start.actions, in, out);
    // What the program has open is its own; standard error stays.
    posix_spawn_file_actions_addclosefrom_np(&start.actions, std::max({in, out, 2}) + 1);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&start.attr, &none);
    posix_spawnattr_setsigdefault(&start.attr, &all);
    posix_spawnattr_setflags(&start.attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    bool started = start_apart(&start);
    if (!started)
        log_error("remote", "cannot start %s: %s", argv[0], strerror(start.error));
    posix_spawn_file_actions_destroy(&start.actions);
    posix_spawnattr_destroy(&start.attr);
    return started;
}

} // namespace

std::unique_ptr<Channel> start_child(const std::vector<std::string> &command, int in, int out) {
    if (getenv(child_mark)) {
        log_error("remote",
                  "this process is a server already (%s is set): no second one is started",
                  child_mark);
        return nullptr;
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        log_error("remote", "no socket: %s", strerror(errno));
        return nullptr;
    }
    for (int &end : pair)
        if ((end = above_standard(end)) < 0)
            log_error("remote", "no socket: %s", strerror(errno));
    auto channel = std::make_unique<Channel>(pair[0], pair[0]);
    const bool started = pair[0] >= 0 && pair[1] >= 0 && start_with(command, pair[1], in, out);
    close(pair[1]);
    return started ? std::move(channel) : nullptr;
}

} // namespace remote
