// SPDX-License-Identifier: MIT
// The link of the form spawn: a child process at the other end of a socket pair. The hang-up of the
// socket, whose far end only the server holds, is the one witness of its death.
#include "connection.h"
#include "descriptor.h"
#include "socket_link.h"

#include "util/log.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace remote {
namespace {

constexpr const char *child_mark = "MGPIPE_SERVER_CHILD";

// --- finding and starting the server -------------------------------------------------------------

std::string own_folder() {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void *>(&make_spawn_link), &info) || !info.dli_fname)
        return {};
    std::string path = info.dli_fname;
    size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string find_server(const Options &options) {
    std::vector<std::string> tried;
    auto usable = [&](const std::string &path) {
        tried.push_back(path);
        return access(path.c_str(), X_OK) == 0;
    };
    const char *given = secure_getenv("MGPIPE_SERVER");
    if (given && *given && usable(given))
        return given;
    std::string dir = own_folder();
    if ((!dir.empty() && usable(dir + "/mgpiped")) ||
        (options.server_dir && *options.server_dir &&
         usable(std::string(options.server_dir) + "/mgpiped"))) {
        if (given && *given)
            log_warning("remote", "MGPIPE_SERVER=%s cannot be run; using %s", given,
                        tried.back().c_str());
        return tried.back();
    }
    std::string list;
    for (const std::string &t : tried)
        list += (list.empty() ? "" : ", ") + t;
    log_error("remote", "no server program; looked for %s (MGPIPE_SERVER names another)",
              list.c_str());
    return {};
}

// The child must not dial on: its form is the monolith whatever ours is.
// Its driver is the one that our hello names.
std::vector<std::string> child_environment() {
    std::vector<std::string> out;
    for (char **e = environ; e && *e; e++) {
        std::string_view v = *e;
        if (v.starts_with("MGPIPE_FORM=") || v.starts_with("MGPIPE_SERVER_CHILD=") ||
            v.starts_with("MGPIPE_DRIVER="))
            continue;
        out.emplace_back(v);
    }
    out.emplace_back(child_mark).append("=1");
    return out;
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
        posix_spawn(&server, start->path, &start->actions, &start->attr, start->argv, start->env);
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

bool start_server(const std::string &path, int child_socket) {
    std::vector<std::string> env_text = child_environment();
    std::vector<char *> env;
    for (std::string &s : env_text)
        env.push_back(s.data());
    env.push_back(nullptr);
    constexpr int child_fd = 3;
    std::string arg0 = path, arg1 = "--control-fd=" + std::to_string(child_fd);
    char *argv[] = {arg0.data(), arg1.data(), nullptr};

    Start start{path.c_str(), {}, {}, argv, env.data(), 0};
    posix_spawn_file_actions_init(&start.actions);
    posix_spawnattr_init(&start.attr);
    // dup2 onto itself clears close-on-exec too (posix_spawn's rule).
    posix_spawn_file_actions_adddup2(&start.actions, child_socket, child_fd);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&start.attr, &none);
    posix_spawnattr_setsigdefault(&start.attr, &all);
    posix_spawnattr_setflags(&start.attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    bool started = start_apart(&start);
    if (!started)
        log_error("remote", "cannot start %s: %s", path.c_str(), strerror(start.error));
    posix_spawn_file_actions_destroy(&start.actions);
    posix_spawnattr_destroy(&start.attr);
    return started;
}

} // namespace

std::unique_ptr<Link> make_spawn_link(const Options &options, Connection *connection) {
    if (getenv(child_mark)) {
        log_error("remote",
                  "this process is a server already (%s is set): no second one is started",
                  child_mark);
        return nullptr;
    }
    std::string path = find_server(options);
    if (path.empty())
        return nullptr;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        log_error("remote", "no socket: %s", strerror(errno));
        return nullptr;
    }
    for (int &end : pair)
        if ((end = above_standard(end)) < 0)
            log_error("remote", "no socket: %s", strerror(errno));
    auto channel = std::make_unique<Channel>(pair[0], pair[0]);
    bool started = pair[0] >= 0 && pair[1] >= 0 && start_server(path, pair[1]);
    close(pair[1]);
    return started ? SocketLink::start(std::move(channel), connection) : nullptr;
}

} // namespace remote
