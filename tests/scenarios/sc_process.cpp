// SPDX-License-Identifier: MIT
// Processes: a killed server, a killed program, forks. Where there is no server, nothing may happen
// at all.
#include "scenario.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace scenario;

#if defined(__SANITIZE_ADDRESS__)
#define LEAKS_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAKS_CHECKED 1
#endif
#endif

namespace {

// Ends a forked child through its exit handlers. A leak checker would report what the stacks of the
// parent's other threads hold, which the child does not have.
[[noreturn]] void leave_child(int status) {
#ifdef LEAKS_CHECKED
    _exit(status);
#else
    exit(status);
#endif
}

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

namespace {

constexpr GLuint kUntouched = 0xabcdef01;

void kill_servers() {
    for (const pid_t p : server_processes(getpid()))
        kill(p, SIGKILL);
}

// Loops that wait for the GPU end although there is none any more. Each polls something that was
// sent before the loss, and is the first to find out.
void poll_to_the_end(GLsync fence, GLuint query, bool lost) {
    while (glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0) == GL_TIMEOUT_EXPIRED) {
    }
    GLuint available = 0;
    while (!available)
        glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &available);
    EXPECT(available == GL_TRUE);
    GLint status = 0;
    glGetSynciv(fence, GL_SYNC_STATUS, 1, nullptr, &status);
    EXPECT_EQ(status, GL_SIGNALED);
    GLuint result = kUntouched;
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &result);
    EXPECT((result == kUntouched) == lost);
}

// Every command is refused, touches nothing and says why, once per command.
void expect_refused() {
    while (glGetError()) {
    }
    GLuint name = kUntouched;
    glGenTextures(1, &name);
    EXPECT(name == kUntouched);
    EXPECT_ERROR(GL_CONTEXT_LOST);
    EXPECT(glGetString(GL_VERSION) == nullptr);
    EXPECT_ERROR(GL_CONTEXT_LOST);
    EXPECT(glMapBufferRange(GL_ARRAY_BUFFER, 0, 4, GL_MAP_READ_BIT) == nullptr);
    EXPECT_ERROR(GL_CONTEXT_LOST);
    glEnable(GL_BLEND);
    EXPECT_ERROR(GL_CONTEXT_LOST);
    EXPECT(glIsEnabled(GL_BLEND) == GL_FALSE);
    EXPECT_ERROR(GL_CONTEXT_LOST);
    EXPECT_ERROR(GL_NO_ERROR);
}

} // namespace

SCENARIO(process_server_killed) {
    const Context c = make_context(EGL_NO_CONTEXT, {EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE,
                                                    EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                                                    EGL_LOSE_CONTEXT_ON_RESET});
    make_current(c);
    glUseProgram(fill_program("vec4(1, 0, 0, 1)"));
    GLuint query;
    glGenQueries(1, &query);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
    draw_fill();
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    const GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    const bool lost = !server_processes(getpid()).empty();
    EXPECT_EQ(lost, apart());
    kill_servers();
    for (int i = 0; i < 1000; i++) { // none of it may crash or hang
        draw_fill();
        const uint8_t bytes[64] = {};
        glBufferData(GL_ARRAY_BUFFER, 64, bytes, GL_STATIC_DRAW);
    }
    glFinish();
    uint8_t untouched[4] = {1, 2, 3, 4};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, untouched);
    EXPECT(untouched[0] == (lost ? 1 : 255));
    EXPECT((untouched[3] == 4) == lost);
    poll_to_the_end(fence, query, lost);
    EXPECT_EQ(glGetGraphicsResetStatus(), GLenum(lost ? GL_UNKNOWN_CONTEXT_RESET : GL_NO_ERROR));
    EXPECT_EQ(glGetGraphicsResetStatus(), GLenum(GL_NO_ERROR)); // the reset is over
    if (lost) {
        EXPECT_ERROR(GL_CONTEXT_LOST);
        expect_refused();
        EXPECT(eglSwapBuffers(display(), c.surface) == EGL_FALSE);
        EXPECT_EQ(eglGetError(), EGL_CONTEXT_LOST);
        // The context of the harness had the same server.
        const Context &other = current();
        EXPECT(!eglMakeCurrent(display(), other.surface, other.surface, other.context));
        EXPECT_EQ(eglGetError(), EGL_CONTEXT_LOST);
    } else {
        make_current(current());
    }
    destroy(c);
    while (glGetError()) {
    }
}

SCENARIO(process_server_killed_while_polling) {
    // A program that asked for no notification and calls nothing but polls.
    glUseProgram(fill_program("vec4(1, 0, 0, 1)"));
    GLuint query;
    glGenQueries(1, &query);
    glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
    for (int i = 0; i < 100; i++)
        draw_fill();
    glEndQuery(GL_ANY_SAMPLES_PASSED);
    const GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    kill_servers();
    while (glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0) == GL_TIMEOUT_EXPIRED) {
    }
    GLuint available = 0;
    while (!available)
        glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &available);
    EXPECT_EQ(glGetGraphicsResetStatus(), GLenum(GL_NO_ERROR));
    if (apart())
        EXPECT_ERROR(GL_CONTEXT_LOST);
    while (glGetError()) {
    }
}

SCENARIO(process_new_context_after_loss) {
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    if (server_processes(getpid()).empty())
        return;
    kill_servers();
    while (eglSwapBuffers(display(), current().surface)) {
    }
    EXPECT_EQ(eglGetError(), EGL_CONTEXT_LOST);
    make_current({});
    const Context c = make_context(); // starts a new server
    make_current(c);
    EXPECT(servers_become(getpid(), 1));
    glUseProgram(fill_program("vec4(0, 0, 1, 1)"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 0, 1, 1);
    EXPECT_ERROR(GL_NO_ERROR);
    make_current({});
    destroy(c);
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
    EXPECT(servers_become(child, apart() ? 1 : 0));
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
        draw_fill(); // the child sees its contexts lost
        glFinish();
        bool ok = glGetError() == GL_CONTEXT_LOST;
        glClear(GL_COLOR_BUFFER_BIT);
        ok = ok && glGetError() == GL_CONTEXT_LOST && glGetError() == GL_NO_ERROR;
        ok = ok && !eglSwapBuffers(display(), current().surface);
        _exit(ok && eglGetError() == EGL_CONTEXT_LOST ? 0 : 1);
    }
    EXPECT(status_of(child) == 0);
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1); // and leaves the parent's server alone
    draw_fill();
    EXPECT_PIXEL(40, 40, 0, 1, 0, 1);
    EXPECT(server_processes(getpid()).size() == (apart() ? 1u : 0u));
}

SCENARIO(process_forks_before_context) {
    // The child of a program that renders makes a context of its own, with a server of its own. A
    // host in the same process has lost its threads, so this is for servers.
    if (!apart())
        return;
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    draw_fill();
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        make_current({});
        const Context c = make_context();
        make_current(c);
        glClearColor(0, 0, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        const bool ok = near(pixel(1, 1), {0, 0, 1, 1}, 0.01f) && glGetError() == GL_NO_ERROR;
        make_current({});
        destroy(c);
        leave_child(ok && failures() == 0 ? 0 : 1);
    }
    EXPECT(status_of(child) == 0);
    EXPECT(servers_become(getpid(), 1));
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
}

SCENARIO(process_server_uses_the_clients_driver) {
    // The handshake names the driver; the server's own environment does not. That the right one
    // draws is what the harness asserts of every scenario.
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    for (const pid_t p : server_processes(getpid())) {
        std::ifstream file("/proc/" + std::to_string(p) + "/environ");
        const std::string all{std::istreambuf_iterator<char>(file), {}};
        EXPECT(!all.empty());
        EXPECT(all.find("MGPIPE_DRIVER=") == std::string::npos);
    }
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
