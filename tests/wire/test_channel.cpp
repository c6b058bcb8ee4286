// SPDX-License-Identifier: MIT
// Framing over byte streams: cut, glued and hostile messages, descriptors beside them.
#include <catch2/catch.hpp>

#include "channel.h"

#include <cerrno>
#include <fcntl.h>
#include <numeric>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace {

struct Pair {
    explicit Pair(bool pipes = false) {
        int fd[4];
        if (pipes) {
            REQUIRE(pipe2(fd, O_CLOEXEC) == 0);
            REQUIRE(pipe2(fd + 2, O_CLOEXEC) == 0);
            near = std::make_unique<remote::Channel>(fd[0], fd[3]);
            far = std::make_unique<remote::Channel>(fd[2], fd[1]);
            return;
        }
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
        near = std::make_unique<remote::Channel>(fd[0], fd[0]);
        far = std::make_unique<remote::Channel>(fd[1], fd[1]);
    }
    std::unique_ptr<remote::Channel> near, far;
};

remote::Message numbered(uint32_t type, uint32_t bytes) {
    remote::Message m;
    m.type = type;
    m.bytes.resize(bytes);
    std::iota(m.bytes.begin(), m.bytes.end(), static_cast<uint8_t>(type));
    return m;
}

bool same(const remote::Message &a, const remote::Message &b) {
    return a.type == b.type && a.bytes == b.bytes;
}

ino_t file_of(int fd) {
    struct stat st {};
    return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

} // namespace

TEST_CASE("channel: messages of all sizes arrive whole and in order") {
    for (bool pipes : {false, true}) {
        Pair p(pipes);
        constexpr uint32_t sizes[] = {0, 1, 8, 4096, 16 * 1024, 65536, remote::max_message};
        std::thread sender([&] {
            for (int round = 0; round < 20; round++)
                for (uint32_t size : sizes)
                    p.near->send(numbered(size % 97 + 1, size));
        });
        unsigned good = 0;
        for (int round = 0; round < 20; round++)
            for (uint32_t size : sizes) {
                remote::Message m;
                good += p.far->receive(m) && same(m, numbered(size % 97 + 1, size));
            }
        sender.join();
        CHECK(good == 20 * std::size(sizes));
    }
}

TEST_CASE("channel: a message may arrive in pieces of any size") {
    int fd[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
    remote::Channel far(fd[1], fd[1]);
    const remote::Message m = numbered(7, 100);
    uint8_t bytes[108];
    const remote::MessageHead head{7, 100};
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, m.bytes.data(), 100);
    std::thread sender([&] {
        for (size_t at = 0; at < sizeof bytes; at += 5)
            if (write(fd[0], bytes + at, std::min<size_t>(5, sizeof bytes - at)) < 0)
                return;
    });
    remote::Message got;
    CHECK(far.receive(got));
    CHECK(same(m, got));
    sender.join();
    // Half a message, then the end.
    REQUIRE(write(fd[0], bytes, 50) == 50);
    close(fd[0]);
    CHECK_FALSE(far.receive(got));
}

TEST_CASE("channel: behind its deadline nothing is waited for") {
    for (bool pipes : {false, true}) {
        Pair p(pipes);
        p.far->set_deadline(remote::Channel::Clock::now());
        remote::Message got;
        CHECK_FALSE(p.far->receive(got));
        CHECK(errno == ETIMEDOUT);
        REQUIRE(p.near->send(numbered(3, 8)));
        CHECK(p.far->receive(got)); // it is there
        p.far->set_deadline({});
        std::thread sender([&] { p.near->send(numbered(4, 8)); });
        CHECK(p.far->receive(got));
        sender.join();
        p.near.reset();
        CHECK_FALSE(p.far->receive(got));
        CHECK(errno == 0);
    }
}

TEST_CASE("channel: a size beyond the limit takes no memory") {
    int fd[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
    remote::Channel far(fd[1], fd[1]);
    const remote::MessageHead head{1, remote::max_message + 1};
    REQUIRE(write(fd[0], &head, sizeof head) == sizeof head);
    remote::Message got;
    CHECK_FALSE(far.receive(got));
    CHECK(errno == EPROTO);
    CHECK(got.bytes.capacity() == 0);
    close(fd[0]);
}

TEST_CASE("channel: a message that takes another's place closes its descriptors") {
    int fd[2];
    REQUIRE(pipe2(fd, O_CLOEXEC) == 0);
    remote::Message m = numbered(1, 8), next = numbered(2, 8);
    m.fds.push_back(fd[0]);
    next.fds.push_back(fd[1]);
    m = std::move(next);
    CHECK(m.type == 2);
    CHECK(fcntl(fd[0], F_GETFD) < 0);
    CHECK(fcntl(fd[1], F_GETFD) >= 0);
}

TEST_CASE("channel: descriptors arrive with their own message") {
    Pair p;
    int files[3];
    for (int &fd : files)
        fd = fcntl(open("/dev/null", O_RDWR | O_CLOEXEC), F_DUPFD_CLOEXEC, 3);
    int pipe_ends[2];
    REQUIRE(pipe2(pipe_ends, O_CLOEXEC) == 0);
    // All on their way before the first is read.
    p.near->send(numbered(1, 10));
    remote::Message with = numbered(2, 100);
    REQUIRE(remote::attach_fd(with, pipe_ends[0]));
    p.near->send(with);
    p.near->send(numbered(3, 0));
    remote::Message two = numbered(4, 70000);
    REQUIRE(remote::attach_fd(two, pipe_ends[1]));
    REQUIRE(remote::attach_fd(two, files[0]));
    p.near->send(two);
    p.near->send(numbered(5, 20));
    remote::Message m;
    REQUIRE(p.far->receive(m));
    CHECK((m.type == 1 && m.fds.empty()));
    REQUIRE(p.far->receive(m));
    REQUIRE((m.type == 2 && m.fds.size() == 1));
    CHECK(file_of(m.fds[0]) == file_of(pipe_ends[0]));
    REQUIRE(p.far->receive(m));
    CHECK((m.type == 3 && m.fds.empty()));
    REQUIRE(p.far->receive(m));
    REQUIRE((m.type == 4 && m.fds.size() == 2));
    CHECK(file_of(m.fds[0]) == file_of(pipe_ends[1]));
    CHECK(file_of(m.fds[1]) == file_of(files[0]));
    CHECK(same(m, two));
    REQUIRE(p.far->receive(m));
    CHECK((m.type == 5 && m.fds.empty()));
    for (int fd : files)
        close(fd);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

TEST_CASE("channel: descriptors that nobody asked for are closed") {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    Pair p;
    remote::Message with = numbered(2, 4);
    REQUIRE(remote::attach_fd(with, ends[1]));
    p.near->send(with);
    close(ends[1]);
    with.close_fds();
    // The message is read in pieces, and its descriptor not taken.
    remote::MessageHead head;
    uint8_t bytes[4];
    REQUIRE(p.far->next(&head));
    REQUIRE(p.far->read(bytes, sizeof bytes));
    p.near->send(numbered(3, 4));
    REQUIRE(p.far->next(&head));
    char c;
    CHECK(read(ends[0], &c, 1) == 0); // the last writer is gone
    close(ends[0]);
}

TEST_CASE("channel: threads that send never mix their messages") {
    Pair p;
    std::thread senders[3];
    for (uint32_t i = 0; i < 3; i++)
        senders[i] = std::thread([&p, i] {
            for (int n = 0; n < 200; n++)
                p.near->send(numbered(i + 1, 20000 + i * 7777));
        });
    unsigned good = 0;
    for (int n = 0; n < 600; n++) {
        remote::Message m;
        good += p.far->receive(m) && m.type >= 1 && m.type <= 3 &&
                same(m, numbered(m.type, 20000 + (m.type - 1) * 7777));
    }
    for (std::thread &t : senders)
        t.join();
    CHECK(good == 600);
}

TEST_CASE("channel: a refusal names its values where builds differ") {
    remote::Message m;
    pipe_ctl_refuse refuse{};
    refuse.code = PIPE_REFUSAL_TOKEN;
    m.set(PIPE_CTL_REFUSE, refuse, "wrong", 5);
    CHECK(remote::refusal_text(m) == "(token): wrong");
    refuse.code = PIPE_REFUSAL_VERSION;
    refuse.ours = 1;
    refuse.theirs = 0x20;
    m.set(PIPE_CTL_REFUSE, refuse, "older", 5);
    CHECK(remote::refusal_text(m) ==
          "(version): older; server 0000000000000001, client 0000000000000020");
    refuse.code = PIPE_REFUSAL_BUSY;
    m.set(PIPE_CTL_REFUSE, refuse, "full", 4);
    CHECK(remote::refusal_text(m) == "(busy): full");
    m.bytes.resize(3);
    CHECK(remote::refusal_text(m).empty());
    CHECK(remote::refusal_text(numbered(PIPE_CTL_BYE, 64)).empty());
}
