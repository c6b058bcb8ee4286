// SPDX-License-Identifier: MIT
// The form spawn: answers across processes, and the death of either side.
#include <catch2/catch.hpp>

#include "channel.h"
#include "own_server.h"
#include "pipe_wire/wire.h"
#include "probe.h"
#include "remote/remote.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

pipe_screen *spawn(const pipe_screen_config *config = nullptr) {
    serve_by_this_program();
    remote::Options options;
    options.form = remote::Form::spawn;
    return remote::create_screen(options, config);
}

pipe_context *lane(pipe_screen *screen, uint32_t slot) {
    pipe_lane_create p{};
    p.lane = {slot, 0};
    return screen->lane_create(screen, &p);
}

void end(pipe_context *ctx) {
    pipe_lane_destroy p{};
    p.lane = ctx->lane;
    ctx->lane_destroy(ctx, &p);
}

enum pipe_status finish(pipe_context *ctx) {
    pipe_finish p{};
    return ctx->finish(ctx, &p);
}

bool gone_within(uint32_t pid, int ms) {
    for (int i = 0; i < ms; i++) {
        if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
            return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

} // namespace

TEST_CASE("spawn: answers follow from what was sent") {
    pipe_screen *screen = spawn();
    REQUIRE(screen);
    uint32_t server = remote::server_pid(screen);
    CHECK(server != static_cast<uint32_t>(getpid()));
    pipe_context *ctx = lane(screen, 1);
    REQUIRE(ctx);
    probe::Random random{99};
    unsigned wrong = 0;
    for (int i = 0; i < 10; i++)
        probe::send_each(ctx, random, &wrong);
    probe::send_random(ctx, random, 5000, &wrong);
    CHECK(wrong == 0);
    pipe_surface_create sc{};
    sc.surface = {1, 0};
    sc.width = 64;
    pipe_surface_create_reply size{};
    CHECK(screen->surface_create(screen, &sc, &size) == PIPE_OK);
    end(ctx);
    screen->destroy(screen);
    CHECK(gone_within(server, 3000));
}

TEST_CASE("spawn: the server dies, nothing blocks") {
    struct State {
        int lost = 0;
    } state;
    pipe_callbacks callbacks{};
    callbacks.on_device_lost = [](void *data, const pipe_on_device_lost *, const pipe_host_span *) {
        static_cast<State *>(data)->lost++;
    };
    pipe_screen_config config{};
    config.callbacks = &callbacks;
    config.data = &state;
    pipe_screen *screen = spawn(&config);
    REQUIRE(screen);
    pipe_context *ctx = lane(screen, 1);
    REQUIRE(ctx);
    finish(ctx);
    kill(static_cast<pid_t>(remote::server_pid(screen)), SIGKILL);
    auto start = std::chrono::steady_clock::now();
    // Far more than the ring holds.
    probe::Random random{5};
    unsigned wrong = 0;
    probe::send_random(ctx, random, 20000, &wrong);
    finish(ctx);
    CHECK(std::chrono::steady_clock::now() - start < 5s);
    CHECK(remote::lost(screen));
    pipe_fence_status fs{};
    fs.fence = {3, 0};
    pipe_fence_status_reply fr{};
    CHECK(screen->fence_status(ctx, &fs, &fr) == PIPE_OK);
    CHECK(fr.signaled == 1);
    pipe_get_reset_status rs{};
    pipe_get_reset_status_reply rr{};
    CHECK(ctx->get_reset_status(ctx, &rs, &rr) == PIPE_OK);
    CHECK(rr.status == PIPE_RESET_UNKNOWN);
    CHECK(finish(ctx) == PIPE_DECLINED);
    screen->drain_events(screen);
    screen->drain_events(screen);
    CHECK(state.lost == 1);
    end(ctx);
    screen->destroy(screen);
    // A new screen gets a new server.
    screen = spawn();
    REQUIRE(screen);
    ctx = lane(screen, 1);
    REQUIRE(ctx);
    CHECK(finish(ctx) == PIPE_OK);
    CHECK(!remote::lost(screen));
    end(ctx);
    screen->destroy(screen);
}

TEST_CASE("spawn: a killed client leaves no server") {
    int fds[2];
    REQUIRE(pipe(fds) == 0);
    pid_t child = fork();
    if (child == 0) {
        pipe_screen *screen = spawn();
        uint32_t pid = 0;
        if (screen) {
            pipe_context *ctx = lane(screen, 1);
            finish(ctx);
            pid = remote::server_pid(screen);
        }
        if (write(fds[1], &pid, sizeof pid) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    uint32_t server = 0;
    REQUIRE(read(fds[0], &server, sizeof server) == sizeof server);
    REQUIRE(server != 0);
    CHECK(kill(static_cast<pid_t>(server), 0) == 0);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(gone_within(server, 3000));
    close(fds[0]);
    close(fds[1]);
}

TEST_CASE("spawn: a forked child sees its contexts lost, the parent goes on") {
    pipe_screen *screen = spawn();
    REQUIRE(screen);
    pipe_context *ctx = lane(screen, 1);
    REQUIRE(ctx);
    finish(ctx);
    pid_t child = fork();
    if (child == 0) {
        bool ok = remote::lost(screen) && finish(ctx) == PIPE_DECLINED;
        probe::Random random{5};
        unsigned wrong = 0;
        probe::send_random(ctx, random, 3000, &wrong);
        end(ctx);
        screen->destroy(screen);
        _exit(ok ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(!remote::lost(screen));
    CHECK(finish(ctx) == PIPE_OK);
    probe::Random random{7};
    unsigned wrong = 0;
    probe::send_each(ctx, random, &wrong);
    CHECK(wrong == 0);
    end(ctx);
    uint32_t server = remote::server_pid(screen);
    screen->destroy(screen);
    CHECK(gone_within(server, 3000));
}

TEST_CASE("spawn: no server inside a server: the client stops at the mark") {
    // The process must have no connection to reuse.
    setenv("MGPIPE_SERVER_CHILD", "1", 1);
    CHECK(spawn() == nullptr);
    unsetenv("MGPIPE_SERVER_CHILD");
}

TEST_CASE("spawn: no server inside a server: the server refuses any form but monolith") {
    // Started by hand, without the mark and with a form that a client would have scrubbed.
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pair[1], 3);
        setenv("MGPIPE_FORM", "spawn", 1);
        unsetenv("MGPIPE_SERVER_CHILD");
        execl("/proc/self/exe", "wire_tests", "--control-fd=3", static_cast<char *>(nullptr));
        _exit(127);
    }
    close(pair[1]);
    pipe_ctl_hello hello{};
    hello.magic = remote::control_magic;
    hello.control_version = remote::control_version;
    memcpy(hello.fingerprint, wire::fingerprint, sizeof hello.fingerprint);
    remote::Message in, out;
    in.set(PIPE_CTL_HELLO, hello);
    remote::Channel channel(pair[0], pair[0]);
    REQUIRE(channel.send(in));
    REQUIRE(channel.receive(out));
    CHECK(out.type == PIPE_CTL_REFUSE);
    pipe_ctl_refuse refuse{};
    REQUIRE(out.get(&refuse));
    CHECK(refuse.code == PIPE_REFUSAL_FORM);
    int status = 0;
    waitpid(child, &status, 0);
}

TEST_CASE("spawn: a server's own environment has neither form nor a way back") {
    // What the client starts would be refused if its environment were not scrubbed.
    setenv("MGPIPE_FORM", "spawn", 1);
    pipe_screen *screen = spawn();
    unsetenv("MGPIPE_FORM");
    REQUIRE(screen);
    CHECK(!remote::lost(screen));
    screen->destroy(screen);
}

TEST_CASE("spawn: a missing server program is named, not fatal") {
    pipe_screen *ok = spawn();
    REQUIRE(ok);
    ok->destroy(ok);
    setenv("MGPIPE_SERVER", "/nonexistent/mgpiped", 1);
    remote::Options options;
    options.form = remote::Form::spawn;
    CHECK(remote::create_screen(options, nullptr) == nullptr);
}
