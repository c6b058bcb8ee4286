// SPDX-License-Identifier: MIT
// posix_spawn of a session; see session_process.h.
#include "session_process.h"

#include <cerrno>
#include <csignal>
#include <spawn.h>
#include <string_view>
#include <vector>

extern char **environ;

namespace remote {
namespace {

std::vector<std::string> session_environment() {
    std::vector<std::string> out;
    for (char **e = environ; e && *e; e++) {
        const std::string_view v = *e;
        bool ours = false;
        for (const char *name : {"MGPIPE_TOKEN=", "MGPIPE_TOKEN_FILE=", "MGPIPE_FORM=",
                                 "MGPIPE_SERVER_CHILD=", "LISTEN_", "NOTIFY_SOCKET="})
            ours |= v.starts_with(name);
        if (!ours)
            out.emplace_back(v);
    }
    out.emplace_back("MGPIPE_SERVER_CHILD=1");
    return out;
}

} // namespace

pid_t start_session(int socket, const std::string &driver) {
    constexpr int session_fd = 3;
    std::vector<std::string> text = session_environment();
    std::vector<char *> env;
    for (std::string &s : text)
        env.push_back(s.data());
    env.push_back(nullptr);
    std::string name = "mgpiped", fd = "--control-fd=" + std::to_string(session_fd),
                log = "--forward-log", choice = "--driver=" + driver;
    char *argv[] = {name.data(), fd.data(), log.data(), driver.empty() ? nullptr : choice.data(),
                    nullptr};

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    // dup2 onto itself clears close-on-exec too (posix_spawn's rule).
    posix_spawn_file_actions_adddup2(&actions, socket, session_fd);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    // The program that we are, whatever lies at its path by now.
    const int error = posix_spawn(&pid, "/proc/self/exe", &actions, &attr, argv, env.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attr);
    errno = error;
    return error ? -1 : pid;
}

} // namespace remote
