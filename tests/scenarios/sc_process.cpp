// SPDX-License-Identifier: MIT
// Processes: a killed server, a killed program, forks. Where there is no server, nothing may happen
// at all.
#include "scenario.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace scenario;

namespace {

// Waits up to ten seconds until the program `owner` has `count` servers.
bool servers_become(pid_t owner, size_t count) {
    for (int i = 0; i < 1000; i++) {
        if (server_processes(owner).size() == count)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

// Exit status of `child` within ten seconds, -1 when it hangs (it is killed then) or died by a
// signal.
int status_of(pid_t child) {
    int status = 0;
    for (int i = 0; i < 1000; i++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

} // namespace

SCENARIO(process_server_killed) {
    const Context c = make_context(EGL_NO_CONTEXT, {EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE,
                                                    EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                                                    EGL_LOSE_CONTEXT_ON_RESET});
    make_current(c);
    glUseProgram(fill_program("vec4(1, 0, 0, 1)"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    const std::vector<pid_t> servers = server_processes(getpid());
    for (const pid_t p : servers)
        kill(p, SIGKILL);
    const GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    for (int i = 0; i < 1000; i++) { // none of it may crash or hang
        draw_fill();
        const uint8_t bytes[64] = {};
        glBufferData(GL_ARRAY_BUFFER, 64, bytes, GL_STATIC_DRAW);
    }
    glFinish();
    uint8_t untouched[4] = {1, 2, 3, 4};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, untouched);
    if (fence) // a fence of a lost context reads signaled
        EXPECT(glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000) !=
               GL_TIMEOUT_EXPIRED);
    if (servers.empty()) {
        EXPECT(untouched[0] == 255);
    } else {
        EXPECT(untouched[0] == 1 && untouched[3] == 4);
        bool lost = false;
        for (int i = 0; i < 4; i++)
            lost = lost || glGetError() == GL_CONTEXT_LOST;
        EXPECT(lost);
        EXPECT(glGetGraphicsResetStatus() != GL_NO_ERROR);
    }
    make_current(current());
    destroy(c);
    while (glGetError()) {
    }
}

SCENARIO(process_program_killed) {
    // Another program of ours is killed while it renders: its server goes with it.
    int pipe_ends[2];
    EXPECT(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], 1);
        execl("/proc/self/exe", "scenarios", "--hold", static_cast<char *>(nullptr));
        _exit(127);
    }
    close(pipe_ends[1]);
    char byte = 0;
    EXPECT(read(pipe_ends[0], &byte, 1) == 1); // it draws now
    close(pipe_ends[0]);
    EXPECT(servers_become(child, form() == "spawn" ? 1 : 0));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT(servers_become(child, 0));
}

SCENARIO(process_forks_after_context) {
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    draw_fill();
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        glClear(GL_COLOR_BUFFER_BIT); // the child sees its contexts lost
        draw_fill();
        glFinish();
        _exit(0);
    }
    EXPECT(status_of(child) == 0);
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1); // and leaves the parent's server alone
    draw_fill();
    EXPECT_PIXEL(40, 40, 0, 1, 0, 1);
    EXPECT(server_processes(getpid()).size() == (form() == "spawn" ? 1u : 0u));
}

SCENARIO(process_exits_with_current_context) {
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "scenarios", "--exit-current", static_cast<char *>(nullptr));
        _exit(127);
    }
    EXPECT(status_of(child) == 0);
    EXPECT(servers_become(child, 0));
}
