// SPDX-License-Identifier: MIT
// The data plane without shared memory: hostile halves, and a peer that goes or stands still.
#include <catch2/catch.hpp>

#include "channel.h"
#include "client/mirrors.h"
#include "client/presents.h"
#include "own_server.h"
#include "probe.h"
#include "remote/remote.h"
#include "ring.h"
#include "server/session.h"
#include "stream.h"

#include "util/log.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

constexpr uint32_t screen_id = 20, lane_id = 21;

struct Ends {
    Ends() {
        int fd[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
        ours = std::make_unique<remote::Channel>(fd[0], fd[0]);
        theirs = std::make_unique<remote::Channel>(fd[1], fd[1]);
    }
    std::unique_ptr<remote::Channel> ours, theirs;
};

// A client that speaks the protocol by hand to a session on a stream.
struct RawClient {
    RawClient()
        : session(
              probe::create_screen,
              [this](remote::Message &m) {
                  pipe_ctl_fault f;
                  if (m.type == PIPE_CTL_FAULT && m.get(&f))
                      fault.store(static_cast<enum pipe_fault>(f.fault));
              },
              ends.theirs.get()) {
        pipe_ctl_hello h{};
        h.magic = remote::control_magic;
        h.control_version = remote::control_version;
        memcpy(h.fingerprint, wire::fingerprint, sizeof h.fingerprint);
        h.ring_kb = 64;
        h.data = PIPE_DATA_PLANE_STREAM;
        ask(PIPE_CTL_HELLO, h);
        pipe_ctl_welcome w;
        REQUIRE(answer.type == PIPE_CTL_WELCOME);
        REQUIRE(answer.get(&w));
        CHECK(w.data == PIPE_DATA_PLANE_STREAM);
        CHECK(answer.fds.empty());
        pipe_ctl_screen s{};
        s.screen = screen_id;
        s.open = 1;
        ask(PIPE_CTL_SCREEN, s);
        pipe_ctl_lane l{};
        l.screen = screen_id;
        l.lane = lane_id;
        l.open = 1;
        l.lane_handle = {1, 0};
        ask(PIPE_CTL_LANE, l);
        pipe_ctl_reply r;
        REQUIRE(answer.get(&r));
        REQUIRE(r.status == PIPE_OK);
    }
    template <typename T> void ask(uint32_t type, const T &fixed) {
        remote::Message in;
        in.set(type, fixed);
        session.handle(in, answer);
    }
    // As it would arrive; false: the session gave the connection up.
    template <typename T> bool data(uint32_t type, const T &fixed, uint64_t bytes = 0) {
        std::vector<uint8_t> tail(bytes, 0x5a);
        remote::Message m;
        m.set(type, fixed, tail.data(), tail.size());
        ends.ours->send(m);
        remote::MessageHead head;
        return ends.theirs->next(&head) && session.receive_data(head, *ends.theirs);
    }
    // The driver tells something; the head of the ring that the session has sent then.
    uint64_t event() {
        const pipe_on_query_ready e{};
        probe::log().callbacks.on_query_ready(probe::log().config.data, &e);
        remote::Message m;
        pipe_ctl_ring_data d{};
        REQUIRE(ends.ours->receive(m));
        REQUIRE(m.type == PIPE_CTL_RING_DATA);
        REQUIRE(m.get(&d));
        CHECK(d.owner == screen_id);
        return d.head;
    }
    enum pipe_fault wait_fault() {
        for (int i = 0; i < 2000 && fault.load() == PIPE_FAULT_NONE; i++)
            std::this_thread::sleep_for(1ms);
        return fault.load();
    }

    Ends ends;
    std::atomic<enum pipe_fault> fault{PIPE_FAULT_NONE};
    remote::Session session;
    remote::Message answer;
};

pipe_screen *spawn_stream(const pipe_screen_config *config = nullptr) {
    serve_by_this_program();
    remote::Options options;
    options.form = remote::Form::spawn;
    return remote::create_screen(options, config);
}

} // namespace

TEST_CASE("stream: a client that lies is told why, and its connection stays in step") {
    RawClient c;
    SECTION("data outside the stage") {
        pipe_ctl_segment_data d{};
        d.seg = PIPE_SEG_STAGE;
        d.offset = UINT64_MAX - 8;
        CHECK(c.data(PIPE_CTL_SEGMENT_DATA, d, 64));
        CHECK(c.wait_fault() == PIPE_FAULT_SPAN);
    }
    SECTION("data for answers, for a segment that does not exist, beyond one") {
        for (uint32_t seg : {uint32_t(PIPE_SEG_READ), 77u, 78u}) {
            RawClient one;
            pipe_ctl_segment s{};
            s.seg = 78;
            s.size = 4096;
            one.ask(PIPE_CTL_SEGMENT, s);
            CHECK(one.answer.type == PIPE_CTL_NONE);
            pipe_ctl_segment_data d{};
            d.seg = seg;
            d.offset = 4096 - 8;
            CHECK(one.data(PIPE_CTL_SEGMENT_DATA, d, 64));
            CHECK(one.wait_fault() == PIPE_FAULT_SPAN);
        }
        c.session.latch(PIPE_FAULT_PROTOCOL, "test");
    }
    SECTION("a ring that does not exist") {
        pipe_ctl_ring_data d{};
        d.owner = 99;
        d.head = 64;
        CHECK(c.data(PIPE_CTL_RING_DATA, d, 64));
        CHECK(c.wait_fault() == PIPE_FAULT_PROTOCOL);
    }
    SECTION("a head that jumps") {
        pipe_ctl_ring_data d{};
        d.owner = lane_id;
        d.head = 4096;
        CHECK(c.data(PIPE_CTL_RING_DATA, d, 64));
        CHECK(c.wait_fault() == PIPE_FAULT_CURSOR);
    }
    SECTION("a head inside a word") {
        pipe_ctl_ring_data d{};
        d.owner = lane_id;
        d.head = 12;
        CHECK(c.data(PIPE_CTL_RING_DATA, d, 12));
        CHECK(c.wait_fault() == PIPE_FAULT_CURSOR);
    }
    SECTION("more than the ring holds") {
        pipe_ctl_ring_data d{};
        d.owner = lane_id;
        d.head = 128 * 1024;
        CHECK(c.data(PIPE_CTL_RING_DATA, d, 128 * 1024));
        CHECK(c.wait_fault() == PIPE_FAULT_CURSOR);
    }
    SECTION("events taken that were never sent, of no screen") {
        pipe_ctl_ring_taken t{};
        t.owner = screen_id;
        t.tail = 1 << 20;
        CHECK(c.data(PIPE_CTL_RING_TAKEN, t));
        CHECK(c.wait_fault() == PIPE_FAULT_CURSOR);
        RawClient other;
        t.owner = 98;
        CHECK(other.data(PIPE_CTL_RING_TAKEN, t));
        CHECK(other.wait_fault() == PIPE_FAULT_PROTOCOL);
    }
    SECTION("events taken by a word that was overtaken") {
        pipe_ctl_ring_taken t{};
        t.owner = screen_id;
        const uint64_t sent = c.event();
        for (uint64_t tail : {sent, sent - 8, uint64_t(0), sent}) {
            t.tail = tail;
            CHECK(c.data(PIPE_CTL_RING_TAKEN, t));
        }
        CHECK(c.fault.load() == PIPE_FAULT_NONE);
        t.tail = sent + (1 << 20);
        CHECK(c.data(PIPE_CTL_RING_TAKEN, t));
        CHECK(c.wait_fault() == PIPE_FAULT_CURSOR);
    }
    SECTION("messages that are cut") {
        for (uint32_t type : {PIPE_CTL_SEGMENT_DATA, PIPE_CTL_RING_DATA, PIPE_CTL_RING_TAKEN}) {
            RawClient one;
            CHECK(one.data(type, uint32_t(0)));
            CHECK(one.wait_fault() == PIPE_FAULT_PROTOCOL);
        }
        c.session.latch(PIPE_FAULT_PROTOCOL, "test");
    }
    SECTION("more memory than there is") {
        pipe_ctl_segment s{};
        s.seg = 78;
        s.size = 1ull << 62;
        c.ask(PIPE_CTL_SEGMENT, s);
        CHECK(c.wait_fault() == PIPE_FAULT_SEGMENT);
    }
    // What follows is still read message by message.
    pipe_ctl_segment_data d{};
    d.seg = PIPE_SEG_STAGE;
    CHECK(c.data(PIPE_CTL_SEGMENT_DATA, d, 64));
    pipe_ctl_screen s{};
    s.screen = 30;
    s.open = 1;
    c.ask(PIPE_CTL_SCREEN, s);
    pipe_ctl_reply r{};
    REQUIRE(c.answer.get(&r));
    CHECK(r.status == PIPE_DECLINED);
}

TEST_CASE("stream: presents run ahead as far as answers take long") {
    CHECK(remote::credit_over(1, 100'000) == 1);
    CHECK(remote::credit_over(1, 2'000'000) == 2);
    CHECK(remote::credit_over(1, 40'000'000) == 6);
    CHECK(remote::credit_over(1, 200'000'000) == 8);
    CHECK(remote::credit_over(3, 200'000'000) == 8);
    CHECK(remote::credit_over(8, 200'000'000) == 8);
    CHECK(remote::credit_over(1, UINT64_MAX / 2) == 8);
}

TEST_CASE("stream: a half message ends the connection, nothing else") {
    RawClient c;
    pipe_ctl_ring_data d{};
    d.owner = lane_id;
    d.head = 4096;
    remote::Message m;
    std::vector<uint8_t> tail(1000);
    m.set(PIPE_CTL_RING_DATA, d, tail.data(), tail.size());
    const remote::MessageHead lie{PIPE_CTL_RING_DATA, sizeof d + 4096};
    iovec parts[2] = {{const_cast<remote::MessageHead *>(&lie), sizeof lie},
                      {m.bytes.data(), m.bytes.size()}};
    c.ends.ours->send(parts, 2);
    c.ends.ours.reset();
    remote::MessageHead head;
    REQUIRE(c.ends.theirs->next(&head));
    CHECK_FALSE(c.session.receive_data(head, *c.ends.theirs));
    CHECK(c.fault.load() == PIPE_FAULT_NONE);
    RawClient next;
    CHECK(next.fault.load() == PIPE_FAULT_NONE);
}

TEST_CASE("stream: a server that lies is left") {
    Ends ends;
    remote::Mirrors mirrors;
    remote::Segment ring, read, answer;
    REQUIRE(ring.create_private(remote::page_size + 4096));
    REQUIRE(read.create_private(64 * 1024));
    REQUIRE(answer.create_private(4096));
    auto *page = reinterpret_cast<remote::RingPage *>(ring.data());
    mirrors.add_commands(lane_id, page);
    mirrors.add_segment(PIPE_SEG_READ, read.data(), read.size());
    mirrors.add_segment(40, answer.data(), answer.size());
    page->head.store(256);
    auto receive = [&](uint32_t type, const auto &fixed, uint64_t bytes) {
        std::vector<uint8_t> tail(bytes, 0x5a);
        remote::Message m;
        m.set(type, fixed, tail.data(), tail.size());
        ends.theirs->send(m);
        remote::MessageHead head;
        const bool ok = ends.ours->next(&head) && mirrors.receive(head, *ends.ours);
        if (!ok) // such a connection is over
            ends = Ends();
        return ok;
    };
    auto taken = [&](uint32_t owner, uint64_t tail, uint64_t applied) {
        pipe_ctl_ring_taken t{};
        t.owner = owner;
        t.tail = tail;
        t.applied = applied;
        return receive(PIPE_CTL_RING_TAKEN, t, 0);
    };
    auto bytes = [&](uint32_t seg, uint64_t offset, uint64_t size) {
        pipe_ctl_segment_data d{};
        d.seg = seg;
        d.offset = offset;
        return receive(PIPE_CTL_SEGMENT_DATA, d, size);
    };
    CHECK(taken(lane_id, 128, 3));
    CHECK(page->tail.load() == 128);
    CHECK_FALSE(taken(lane_id, 64, 3));  // backwards
    CHECK_FALSE(taken(lane_id, 512, 3)); // never sent
    CHECK_FALSE(taken(lane_id, 200, 2)); // forgets what it has done
    CHECK_FALSE(taken(40, 128, 3));      // no ring
    CHECK(taken(99, 128, 3));            // a lane that ended meanwhile
    CHECK(bytes(PIPE_SEG_READ, remote::page_size, 64));
    CHECK_FALSE(bytes(PIPE_SEG_READ, 0, 64)); // the session's page is not for answers
    CHECK_FALSE(bytes(PIPE_SEG_READ, 64 * 1024 - 8, 64));
    CHECK(bytes(40, 4032, 64));
    CHECK_FALSE(bytes(40, 4040, 64));
    CHECK_FALSE(bytes(40, UINT64_MAX - 8, 64));
    CHECK_FALSE(bytes(lane_id, 0, 64)); // a ring is no segment
    pipe_ctl_ring_data d{};
    d.owner = lane_id;
    d.head = 64;
    CHECK_FALSE(receive(PIPE_CTL_RING_DATA, d, 64)); // ours to fill
    CHECK_FALSE(receive(PIPE_CTL_RING_TAKEN, uint32_t(0), 0));
}

namespace {

// A socket that listens at an abstract name of its own; nobody takes what comes.
struct Listener {
    Listener() {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        memcpy(address.sun_path + 1, name.data() + 1, name.size() - 1);
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        good = bind(fd, reinterpret_cast<const sockaddr *>(&address), length) == 0 &&
               listen(fd, 4) == 0;
    }
    pipe_screen *dial() const {
        remote::Options options;
        options.form = remote::Form::unix_socket;
        options.address = name.c_str();
        return remote::create_screen(options, nullptr);
    }
    static inline unsigned count = 0;
    std::string name = "@mgpipe-test-" + std::to_string(getpid()) + "-" + std::to_string(count++);
    int fd = -1;
    bool good = false;
};

} // namespace

TEST_CASE("spawn: while a server lets one screen wait, others start and the program forks") {
    Listener silent;
    REQUIRE(silent.good);
    std::atomic<bool> done{false};
    std::atomic<int> refused{0};
    std::vector<std::thread> waiting;
    for (int i = 0; i < 2; i++) // the second one for the first
        waiting.emplace_back([&] { refused += !silent.dial(); });
    std::thread end([&] {
        for (int i = 0; i < 500 && !done; i++)
            std::this_thread::sleep_for(10ms);
        shutdown(silent.fd, SHUT_RDWR);
        close(silent.fd);
    });
    std::this_thread::sleep_for(100ms);
    const auto start = std::chrono::steady_clock::now();
    pipe_screen *screen = spawn_stream();
    CHECK(screen);
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(refused == 0);
    CHECK(std::chrono::steady_clock::now() - start < 4s);
    done = true;
    end.join();
    for (std::thread &t : waiting)
        t.join();
    CHECK(refused == 2);
    if (screen)
        screen->destroy(screen);
}

TEST_CASE("unix: nothing is sent to another user's socket") {
    if (geteuid() != 0)
        return; // nobody else to be
    REQUIRE(seteuid(65534) == 0);
    const Listener listener; // whose it stays
    REQUIRE(seteuid(0) == 0);
    REQUIRE(listener.good);
    CHECK_FALSE(listener.dial());
    const int fd = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
    REQUIRE(fd >= 0);
    char byte;
    CHECK(read(fd, &byte, 1) == 0);
    close(fd);
    close(listener.fd);
}

TEST_CASE("unix: a welcome with sizes that no hello yields is refused") {
    static std::atomic<unsigned> lines;
    util::log_set_sink(
        [](void *, util::LogLevel, const char *, const char *text) {
            lines += strstr(text, "sizes make no sense") != nullptr;
        },
        nullptr);
    for (unsigned i = 0; i < 5; i++) {
        lines = 0;
        Listener listener;
        REQUIRE(listener.good);
        std::thread server([&] {
            const int fd = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
            remote::Channel channel(fd, fd);
            remote::Message m;
            channel.receive(m);
            pipe_ctl_welcome w{};
            w.magic = remote::control_magic;
            memcpy(w.fingerprint, wire::fingerprint, sizeof w.fingerprint);
            w.data = PIPE_DATA_PLANE_STREAM;
            w.ring_size = i == 1 ? 128 << 20 : 64 << 10;
            w.event_size = i == 2 ? 32 << 20 : 64 << 10;
            w.stage_size = i == 3 ? 2ull << 30 : 1 << 20;
            w.read_size = i == 4 ? 128 << 20 : 1 << 20;
            m.set(PIPE_CTL_WELCOME, w);
            channel.send(m);
            channel.receive(m);
        });
        CHECK_FALSE(listener.dial());
        CHECK(lines == (i ? 1 : 0)); // the first one's are sensible
        server.join();
        close(listener.fd);
    }
    util::log_set_sink(nullptr, nullptr);
}

TEST_CASE("spawn: answers follow from what was sent on a stream") {
    setenv("MGPIPE_DATA", "stream", 1);
    pipe_screen *screen = spawn_stream();
    REQUIRE(screen);
    pipe_lane_create p{};
    p.lane = {1, 0};
    pipe_context *ctx = screen->lane_create(screen, &p);
    REQUIRE(ctx);
    probe::Random random{4711};
    unsigned wrong = 0;
    for (int i = 0; i < 5; i++)
        probe::send_each(ctx, random, &wrong);
    probe::send_random(ctx, random, 5000, &wrong);
    CHECK(wrong == 0);
    pipe_lane_destroy end{};
    end.lane = ctx->lane;
    ctx->lane_destroy(ctx, &end);
    screen->destroy(screen);
    unsetenv("MGPIPE_DATA");
}

TEST_CASE("spawn: on a stream, a server that stands still is waited for, one that dies is lost") {
    setenv("MGPIPE_DATA", "stream", 1);
    pipe_screen *screen = spawn_stream();
    unsetenv("MGPIPE_DATA");
    REQUIRE(screen);
    pipe_lane_create p{};
    p.lane = {1, 0};
    pipe_context *ctx = screen->lane_create(screen, &p);
    REQUIRE(ctx);
    const auto server = static_cast<pid_t>(remote::server_pid(screen));
    kill(server, SIGSTOP);
    std::atomic<bool> finished{false};
    std::thread waiting([&] {
        // More than the ring and the socket hold.
        probe::Random random{5};
        unsigned wrong = 0;
        probe::send_random(ctx, random, 20000, &wrong);
        pipe_finish f{};
        ctx->finish(ctx, &f);
        finished = true;
    });
    std::this_thread::sleep_for(500ms);
    CHECK(!finished);
    CHECK(!remote::lost(screen));
    kill(server, SIGCONT);
    waiting.join();
    CHECK(!remote::lost(screen));
    kill(server, SIGKILL);
    const auto start = std::chrono::steady_clock::now();
    while (!remote::lost(screen) && std::chrono::steady_clock::now() - start < 5s)
        std::this_thread::sleep_for(1ms);
    CHECK(remote::lost(screen));
    pipe_lane_destroy end{};
    end.lane = ctx->lane;
    ctx->lane_destroy(ctx, &end);
    screen->destroy(screen);
}
