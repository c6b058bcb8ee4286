// SPDX-License-Identifier: MIT
// Written pages: exactly those, whoever writes and however, and nothing is lost to a race.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "util/dirty_pages.h"

namespace {

const auto page = uint64_t(sysconf(_SC_PAGESIZE));

bool refused() {
    if (util::DirtyPages::work())
        return false;
    WARN("this system does not tell written pages: not run");
    return true;
}

// Numbers of the pages of [from, to) that are told.
std::set<uint64_t> told(util::DirtyPages &p, uint64_t from, uint64_t to, size_t max = 3) {
    std::vector<util::PageRun> runs(max);
    std::set<uint64_t> pages;
    while (from < to) {
        const size_t n = p.take(&from, to, runs.data(), max);
        for (size_t i = 0; i < n; i++)
            for (uint64_t o = 0; o < runs[i].size; o += page)
                pages.insert((runs[i].offset + o) / page);
    }
    return pages;
}

std::set<uint64_t> told(util::DirtyPages &p) {
    return told(p, 0, p.size());
}

using Pages = std::set<uint64_t>;

} // namespace

TEST_CASE("a trial that loses a page fails") {
    if (refused())
        return;
    CHECK(util::DirtyPages::trial(false));
    CHECK_FALSE(util::DirtyPages::trial(true));
}

TEST_CASE("memory that is not watched counts as written, always") {
    util::DirtyPages p;
    REQUIRE(p.allocate(3 * page));
    CHECK_FALSE(p.allocate(page));
    CHECK(told(p) == Pages{0, 1, 2});
    CHECK(told(p) == Pages{0, 1, 2});
}

TEST_CASE("exactly the written pages are told, once") {
    if (refused())
        return;
    const uint64_t n = GENERATE(1, 7, 64, 2048); // the last in huge pages, where there are some
    util::DirtyPages p;
    REQUIRE(p.allocate(n * page));
    REQUIRE(p.size() == n * page);
    if (GENERATE(false, true))
        memset(p.data(), 7, p.size());
    REQUIRE(p.watch());
    CHECK(told(p).empty());
    p.data()[0] = 1;
    p.data()[p.size() - 1] = 1;
    CHECK(told(p) == Pages{0, n - 1});
    CHECK(told(p).empty());
    p.data()[(n / 2) * page] = 1;
    CHECK(told(p) == Pages{n / 2});
    // every other page: more runs than one question tells
    Pages odd;
    for (uint64_t i = 1; i < n; i += 2) {
        p.data()[i * page + i % page] = 1;
        odd.insert(i);
    }
    CHECK(told(p) == odd);
    CHECK(told(p).empty());
}

TEST_CASE("ends that are not those of pages") {
    if (refused())
        return;
    util::DirtyPages p;
    REQUIRE(p.allocate(5 * page - 100));
    REQUIRE(p.size() == 5 * page);
    REQUIRE(p.watch());
    memset(p.data(), 1, 5 * page - 100);
    CHECK(told(p, page + 1, 3 * page + 1) == Pages{1, 2, 3});
    CHECK(told(p, page + 1, 3 * page + 1).empty());
    CHECK(told(p, 0, 5 * page - 100) == Pages{0, 4});
    CHECK(told(p, 4 * page, 4 * page).empty());
}

TEST_CASE("what the kernel writes is told") {
    if (refused())
        return;
    util::DirtyPages p;
    REQUIRE(p.allocate(8 * page));
    memset(p.data(), 1, p.size());
    REQUIRE(p.watch());
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    REQUIRE(write(ends[1], "abc", 3) == 3);
    CHECK(read(ends[0], p.data() + 3 * page - 1, 3) == 3);
    close(ends[0]);
    close(ends[1]);
    CHECK(told(p) == Pages{2, 3});
    CHECK(p.data()[3 * page] == 'b');
}

TEST_CASE("pages that were given back are told, for they read as zero") {
    if (refused())
        return;
    util::DirtyPages p;
    REQUIRE(p.allocate(8 * page));
    memset(p.data(), 1, p.size());
    REQUIRE(p.watch());
    REQUIRE(madvise(p.data() + 2 * page, page, MADV_DONTNEED) == 0);
    CHECK(told(p).count(2) == 1);
    CHECK(p.data()[2 * page] == 0);
}

TEST_CASE("a fork disturbs neither side") {
    if (refused())
        return;
    util::DirtyPages p;
    REQUIRE(p.allocate(8 * page));
    memset(p.data(), 1, p.size());
    REQUIRE(p.watch());
    p.data()[2 * page] = 2;
    const pid_t child = fork();
    if (child == 0) {
        // Its writes are nobody's business here, and it is never told less than there is.
        p.data()[5 * page] = 3;
        _exit(told(p).size() == 8 && p.data()[2 * page] == 2 ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    p.data()[4 * page] = 2;
    CHECK(told(p) == Pages{2, 4});
    CHECK(told(p).empty());
}

TEST_CASE("watching ends and begins again") {
    if (refused())
        return;
    util::DirtyPages p;
    REQUIRE(p.allocate(4 * page));
    REQUIRE(p.watch());
    p.unwatch();
    p.data()[page] = 1;
    CHECK(told(p).size() == 4);
    REQUIRE(p.watch());
    CHECK(told(p).empty());
    p.data()[page] = 2;
    CHECK(told(p) == Pages{1});
}

TEST_CASE("no write is lost to the question that comes meanwhile") {
    if (refused())
        return;
    constexpr uint64_t pages = 64, turns = 20000;
    util::DirtyPages p;
    REQUIRE(p.allocate(pages * page));
    memset(p.data(), 0, p.size());
    REQUIRE(p.watch());
    auto word = [&](uint64_t n) {
        return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t *>(p.data() + n * page));
    };
    std::vector<uint64_t> copy(pages);
    std::atomic<unsigned> running{3};
    std::vector<std::thread> writers;
    for (unsigned w = 0; w < 3; w++)
        writers.emplace_back([&, w] {
            for (uint64_t i = 1; i <= turns; i++)
                word(w + 3 * (i * 7 % 21)).fetch_add(1, std::memory_order_relaxed);
            running.fetch_sub(1);
        });
    auto follow = [&] {
        for (const uint64_t n : told(p, 0, p.size(), 32))
            copy[n] = word(n).load(std::memory_order_relaxed);
    };
    while (running.load())
        follow();
    for (std::thread &t : writers)
        t.join();
    follow();
    uint64_t sum = 0;
    for (uint64_t n = 0; n < pages; n++) {
        CHECK(copy[n] == word(n).load());
        sum += copy[n];
    }
    CHECK(sum == 3 * turns);
    CHECK(told(p).empty());
}
