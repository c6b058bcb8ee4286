// SPDX-License-Identifier: MIT
// The pace of windows on a clock of our own: modes by interval, waits of intervals above one, what
// the pacer learns of the host's refresh.
#include <catch2/catch.hpp>

#include "drivers_common/pacing.h"

using namespace drivers_common;

namespace {

constexpr uint64_t ms = 1'000'000;
constexpr uint32_t all = mode_bit(present_mode::immediate) | mode_bit(present_mode::mailbox) |
                         mode_bit(present_mode::fifo) | mode_bit(present_mode::fifo_relaxed);

// A host and a program: the host shows at multiples of `refresh` (0: at once), the program needs
// `work` for a frame.
struct Run {
    pacer p;
    uint64_t now = 1000 * ms, refresh, work;
    Run(uint64_t refresh, uint64_t work) : refresh(refresh), work(work) {}
    // Shows one frame; when it was shown.
    uint64_t frame(int32_t interval) {
        now += work;
        now = std::max(now, p.due(interval, now));
        const uint64_t before = now;
        if (refresh)
            now = (now / refresh + 1) * refresh;
        p.handed(interval, now, now - before > ms / 2);
        return now;
    }
};

} // namespace

TEST_CASE("pacing: a present mode for each interval") {
    CHECK(choose_present_mode(1, all) == present_mode::fifo);
    CHECK(choose_present_mode(4, all) == present_mode::fifo);
    CHECK(choose_present_mode(0, all) == present_mode::immediate);
    CHECK(choose_present_mode(-1, all) == present_mode::fifo_relaxed);
    const uint32_t least = mode_bit(present_mode::fifo);
    for (int32_t interval : {-1, 0, 1, 2})
        CHECK(choose_present_mode(interval, least) == present_mode::fifo);
    CHECK(choose_present_mode(0, least | mode_bit(present_mode::mailbox)) == present_mode::mailbox);
    // Whatever a host says: an interval above 0 never tears.
    CHECK(choose_present_mode(1, 0) == present_mode::fifo);
}

TEST_CASE("pacing: two frames are queued, one of them by a client that is ahead") {
    CHECK(frames_in_flight(nullptr) == 2);
    CHECK(frames_in_flight("MGPIPE_DRIVER=magma\n") == 2);
    CHECK(frames_in_flight("MGPIPE_DRIVER=magma\nCLIENT_AHEAD=1\n") == 1);
}

TEST_CASE("pacing: what a peer asks for is kept within the limits") {
    CHECK(legal_interval(INT32_MAX) == max_interval);
    CHECK(legal_interval(INT32_MIN) == -max_interval);
    for (const int32_t interval : {-8, -1, 0, 1, 8})
        CHECK(legal_interval(interval) == interval);
}

TEST_CASE("pacing: intervals 0 and 1 are the host's business") {
    for (int32_t interval : {-1, 0, 1}) {
        pacer p;
        for (uint64_t now = ms; now < 100 * ms; now += ms) {
            CHECK(p.due(interval, now) <= now);
            p.handed(interval, now, interval == 1);
        }
    }
}

TEST_CASE("pacing: interval n on a host that does not wait") {
    for (int32_t n : {2, 3, 5}) {
        Run run(0, 3 * ms);
        const uint64_t start = run.frame(n);
        uint64_t last = start;
        for (int i = 1; i <= 60; i++) {
            const uint64_t at = run.frame(n);
            CHECK(at - last >= uint64_t(n) * run.p.refresh_ns() - ms);
            last = at;
        }
        // No drift: 60 frames of n refreshes each.
        CHECK(last - start == 60ull * n * run.p.refresh_ns());
    }
}

TEST_CASE("pacing: interval n on a host that waits lands on each n-th refresh") {
    for (uint64_t refresh : {16'666'667ull, 6'944'444ull, 33'333'333ull}) {
        Run run(refresh, 2 * ms);
        for (int i = 0; i < 100; i++)
            run.frame(1);
        CHECK(run.p.refresh_ns() > refresh - refresh / 20);
        CHECK(run.p.refresh_ns() < refresh + refresh / 20);
        for (int32_t n : {2, 3}) {
            run.frame(n);
            uint64_t last = run.frame(n);
            for (int i = 0; i < 30; i++) {
                const uint64_t at = run.frame(n);
                CHECK(at - last == uint64_t(n) * refresh);
                last = at;
            }
        }
    }
}

TEST_CASE("pacing: a late frame is shown at once and starts the count anew") {
    Run run(0, 3 * ms);
    run.frame(2);
    run.frame(2);
    run.work = 200 * ms;
    const uint64_t before = run.now;
    const uint64_t late = run.frame(2);
    CHECK(late == before + 200 * ms);
    run.work = 3 * ms;
    CHECK(run.frame(2) == late + 2 * run.p.refresh_ns());
}
