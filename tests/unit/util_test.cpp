// SPDX-License-Identifier: MIT
// The bottom layer: slots, bits, vectors, arena, hash, switches, queue, disk cache, counters, log.
#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "util/arena.h"
#include "util/bits.h"
#include "util/disk_cache.h"
#include "util/env.h"
#include "util/first_at_exit.h"
#include "util/futex.h"
#include "util/handles.h"
#include "util/hash.h"
#include "util/job_queue.h"
#include "util/log.h"
#include "util/log_descriptor.h"
#include "util/native.h"
#include "util/small_vector.h"
#include "util/stats.h"

TEST_CASE("slots are dense and generations move only on reuse") {
    util::SlotAllocator slots;
    const auto a = slots.mint(), b = slots.mint();
    CHECK(a.slot == 1);
    CHECK(b.slot == 2);
    CHECK(a.gen == b.gen);
    slots.release(a);
    const auto c = slots.mint();
    CHECK(c.slot == a.slot);
    CHECK(c.gen == a.gen + 1);
    CHECK(slots.mint().slot == 3);
    CHECK(slots.alive() == 3);
    slots.release({});
    CHECK(slots.alive() == 3);
}

TEST_CASE("slots end at the limit and are unique between threads") {
    util::SlotAllocator slots(1001);
    std::vector<std::vector<uint32_t>> found(4);
    std::vector<std::thread> threads;
    for (auto &list : found)
        threads.emplace_back([&] {
            for (int i = 0; i < 250; ++i)
                list.push_back(slots.mint().slot);
        });
    for (auto &t : threads)
        t.join();
    std::set<uint32_t> all;
    for (auto &list : found)
        all.insert(list.begin(), list.end());
    CHECK(all.size() == 1000);
    CHECK(*all.begin() == 1);
    CHECK(*all.rbegin() == 1000);
    CHECK(!slots.mint());
}

TEST_CASE("bit loops") {
    std::vector<unsigned> seen;
    for (unsigned i : util::bits(1ull << 63 | 0b1010))
        seen.push_back(i);
    CHECK(seen == std::vector<unsigned>{1, 3, 63});
    util::BitSet<130> set;
    for (unsigned i = 60; i < 70; ++i)
        set.set(i);
    set.set(129);
    CHECK(set.count() == 11);
    unsigned last = 0;
    set.for_each([&](unsigned i) { last = i; });
    CHECK(last == 129);
    set.clear(129);
    CHECK(!set.test(129));
    CHECK(util::align_up(13u, 8u) == 16);
}

TEST_CASE("small vector moves to the heap and keeps its values") {
    util::SmallVector<uint32_t, 4> v;
    for (uint32_t i = 0; i < 100; ++i)
        v.push_back(i);
    auto copy = v;
    v.clear();
    CHECK(copy.size() == 100);
    CHECK(copy[3] == 3);
    CHECK(copy.back() == 99);
    copy.resize(102);
    CHECK(copy[101] == 0);
}

TEST_CASE("arena aligns and starts again") {
    util::Arena arena(256);
    for (size_t align : {1, 2, 16, 64})
        CHECK(reinterpret_cast<uintptr_t>(arena.alloc(3, align)) % align == 0);
    CHECK(arena.alloc(10000) != nullptr);
    const size_t reserved = arena.reserved();
    arena.reset();
    arena.alloc(10000);
    CHECK(arena.reserved() == reserved);
}

TEST_CASE("hash of pieces equals hash of the whole") {
    const char text[] = "one two three";
    util::Hasher hasher;
    hasher.add(text, 4).add(text + 4, sizeof text - 4);
    CHECK(hasher.finish128() == util::hash128(text, sizeof text));
    char digits[33];
    util::hash_to_text({1, 2}, digits);
    CHECK(std::string(digits) == "00000000000000020000000000000001");
}

TEST_CASE("debug flags parse from the one table") {
    CHECK(util::debug_parse("") == 0);
    CHECK(util::debug_parse("verify-corrupt, sync") ==
          (1ull << unsigned(util::Debug::verify_corrupt) | 1ull << unsigned(util::Debug::sync)));
    CHECK(util::debug_parse("force-polygon_mode,inline") ==
          1ull << unsigned(util::Debug::inline_bytes));
    std::set<std::string> names;
    for (const auto &info : util::debug_infos()) {
        CHECK(*info.help);
        CHECK(names.insert(info.name).second);
    }
    CHECK(names.size() == size_t(util::Debug::count));
    CHECK(util::env_infos().size() == size_t(util::Env::count));
}

TEST_CASE("jobs run, finish and drain") {
    std::atomic<int> sum{0};
    {
        util::JobQueue queue("test", 2);
        std::vector<std::shared_ptr<util::Job>> jobs;
        for (int i = 1; i <= 100; ++i)
            jobs.push_back(queue.submit([&sum, i] { sum += i; }));
        queue.finish(jobs[99]);
        CHECK(jobs[99]->done());
        queue.drain();
        CHECK(sum == 5050);
        for (auto &job : jobs)
            CHECK(job->done());
    }
    util::JobQueue idle("idle");
    CHECK(idle.pending() == 0);
}

TEST_CASE("a futex wakes and times out") {
    std::atomic<uint32_t> word{0};
    CHECK(!util::futex_wait(word, 0, 1000000));
    CHECK(util::futex_wait(word, 1, UINT64_MAX));
    std::thread waker([&] {
        word = 1;
        util::futex_wake(word, 1);
    });
    while (word.load() == 0)
        util::futex_wait(word, 0, 100000000);
    waker.join();
    CHECK(util::usable_cores() >= 1);
}

TEST_CASE("disk cache returns what was put and nothing damaged") {
    util::DiskCache cache("unit-test");
    REQUIRE(cache.enabled());
    const util::Hash128 key = util::hash128("key", 3, util::now_ns());
    CHECK(!cache.get(key));
    const std::vector<uint8_t> value = {1, 2, 3, 4};
    cache.put(key, value);
    CHECK(cache.get(key) == value);

    char name[33];
    util::hash_to_text(key, name);
    const std::string path = cache.folder() + "/" + name;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put(9);
    file.close();
    CHECK(!cache.get(key));
    CHECK(access(path.c_str(), F_OK) != 0);
    cache.put(key, value);
    CHECK(truncate(path.c_str(), 20) == 0);
    CHECK(!cache.get(key));
}

static util::Counter test_counter("test.counter", "for this test");

TEST_CASE("counters count only when asked") {
    test_counter.add(5);
    CHECK(util::stats_total("test.counter") == 0);
    util::stats_start(true);
    test_counter.add(5);
    for (int i = 0; i < 40; ++i) {
        test_counter.add(2);
        util::stats_frame();
    }
    CHECK(util::stats_total("test.counter") == 85);
    CHECK(util::stats_total("test.nothing") == UINT64_MAX);
    CHECK(util::stats_report().find("median 2") != std::string::npos);
}

// The number of a descriptor that is a page for others to read, -1 without one.
static int page_descriptor() {
    for (int fd = 3; fd < 256; fd++) {
        char target[64] = {};
        const std::string path = "/proc/self/fd/" + std::to_string(fd);
        if (readlink(path.c_str(), target, sizeof target - 1) > 0 &&
            !strcmp(target, "/memfd:mgpipe-stats (deleted)"))
            return fd;
    }
    return -1;
}

static util::Counter test_level("test.level", "for this test");

TEST_CASE("the page of the counters is a file that others find, and a child's is its own") {
    test_level.level(3);
    util::stats_open();
    util::stats_identify(util::StatsRole::client, "spawn", 77);
    const int fd = page_descriptor();
    if (fd < 0)
        return; // pages larger than ours
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(ftruncate(fd, 4096) != 0); // whoever holds it cannot take it away
    test_level.level(1);
    const auto page = std::make_unique<util::StatsPage>();
    REQUIRE(pread(fd, page.get(), sizeof *page, 0) == static_cast<ssize_t>(sizeof *page));
    CHECK(page->header.pid == static_cast<uint32_t>(getpid()));
    CHECK(page->header.peer_pid == 77);
    uint64_t level = 0;
    for (const util::StatsSlot &slot : page->slots)
        level += strcmp(slot.name, "test.level") ? 0 : slot.value;
    CHECK(level == 4); // with what was counted before there was a page

    const pid_t child = fork();
    if (child == 0) {
        test_level.level(100);
        const bool none = page_descriptor() < 0 && util::stats_total("test.level") == 100;
        util::stats_open();
        const bool own = page_descriptor() >= 0 &&
                         util::stats_page.header.pid == static_cast<uint32_t>(getpid());
        _exit(none && own ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(util::stats_total("test.level") == 4);
    CHECK(page_descriptor() == fd);
}

TEST_CASE("no change of a level is lost while the page is made") {
    const pid_t child = fork();
    if (child == 0) { // it has no page yet
        std::atomic<bool> begun{false}, over{false};
        uint64_t changes = 0;
        std::thread changing([&] {
            for (; !over; changes++, begun = true)
                test_level.level(1);
        });
        while (!begun) {
        }
        util::stats_open();
        over = true;
        changing.join();
        _exit(util::stats_total("test.level") == changes ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("a forked child leaves alone what has the number of a closed page") {
    util::stats_open();
    const int fd = page_descriptor();
    if (fd < 0)
        return;
    const int saved = fcntl(fd, F_DUPFD_CLOEXEC, 3), null = open("/dev/null", O_RDWR);
    dup2(null, fd);
    const pid_t child = fork();
    if (child == 0)
        _exit(fcntl(fd, F_GETFD) >= 0 ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    dup3(saved, fd, O_CLOEXEC);
    close(saved);
    close(null);
}

TEST_CASE("the log of a program that closed 0 to 2 lies above them") {
    const pid_t child = fork();
    if (child == 0) {
        close(0);
        _exit(util::log_open("/dev/null") && util::log_descriptor() > 2 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("a log message is one line") {
    std::string got;
    util::log_set_sink(
        [](void *data, util::LogLevel, const char *tag, const char *text) {
            *static_cast<std::string *>(data) += std::string(tag) + ":" + text + ";";
        },
        &got);
    for (int i = 0; i < 3; ++i)
        log_error_once("unit", "two\nlines %d", i);
    log_debug("unit", "not at this level");
    log_error("unit", "\x1b[31mred\x7f\tna\xc3\xafve");
    util::log_set_sink(nullptr, nullptr);
    CHECK(got == "unit:two lines 0;unit:?[31mred??na\xc3\xafve;");
}

TEST_CASE("a native object is found until it is forgotten, which waits for its uses") {
    int object = 0;
    const uint64_t token = util::native_mint(&object), other = util::native_mint(&object);
    CHECK(token != 0);
    CHECK(token != other);
    CHECK(util::native_find(token) == &object);
    CHECK(util::native_find(0) == nullptr);
    std::atomic<bool> forgotten = false;
    std::thread owner;
    {
        util::NativeUse use(token);
        CHECK(use.object() == &object);
        owner = std::thread([&] {
            util::native_forget(token);
            forgotten = true;
        });
        while (util::native_find(token))
            std::this_thread::yield();
        CHECK(util::NativeUse(token).object() == nullptr);
        CHECK_FALSE(forgotten);
    }
    owner.join();
    CHECK(forgotten);
    CHECK(util::native_find(other) == &object);
    util::native_forget(other);
    util::native_forget(other);
    CHECK(util::NativeUse(other).object() == nullptr);
}

namespace {

int exit_pipe[2];

// The letters that a child's exit handlers wrote, in their order.
std::string letters_at_exit(void (*prepare)()) {
    REQUIRE(pipe(exit_pipe) == 0);
    fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        std::atexit([] { _exit(0); }); // the end of the child's handlers
        prepare();
        exit(1);
    }
    close(exit_pipe[1]);
    std::string letters;
    for (char c; read(exit_pipe[0], &c, 1) == 1;)
        letters += c;
    close(exit_pipe[0]);
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    return letters;
}

template <char c> void say() {
    const char letter = c;
    if (write(exit_pipe[1], &letter, 1) != 1)
        _exit(2);
}

} // namespace

TEST_CASE("first exit handlers come before those that were registered later") {
    CHECK(letters_at_exit([] {
              std::atexit(say<'a'>);
              std::atexit(say<'b'>);
          }) == "ba"); // the control
    CHECK(letters_at_exit([] {
              util::first_at_exit(say<'a'>);
              util::first_at_exit(say<'b'>);
              util::first_at_exit(say<'a'>); // known
              std::atexit(say<'c'>);
          }).substr(0, 3) == "bac");
    CHECK(letters_at_exit([] { // an ordinary one where a thread ends, to which none hurries
              std::thread([] { util::first_at_exit(say<'a'>); }).join();
              std::atexit(say<'b'>);
          })
              .substr(0, 2) == "ba");
}
