// SPDX-License-Identifier: MIT
// The row of lanes. Drivers make a lane and never look one up: the server does, for a lane that
// waits for another. So this row runs in the form inproc, over the same driver.
#include "recycling.h"

#include "remote/remote.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace recycling {

namespace {

// Holds one lane's apply thread where the server lets the others go on.
struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool armed = false, entered = false, open = false;

    void arm() {
        std::lock_guard lock(mutex);
        armed = true, entered = open = false;
    }
    void pass() {
        std::unique_lock lock(mutex);
        if (!armed)
            return;
        entered = true;
        changed.notify_all();
        changed.wait(lock, [this] { return open; });
        armed = false;
    }
    void wait_entered() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return entered; });
    }
    void let_go() {
        std::lock_guard lock(mutex);
        open = true;
        changed.notify_all();
    }
} gate;

CreateScreen create_driver;

pipe_screen *create_held(const pipe_screen_config *config) {
    pipe_screen *s = create_driver(config);
    if (s)
        s->fence_wait_server = [](pipe_context *, const pipe_fence_wait_server *) { gate.pass(); };
    return s;
}

struct LaneRow : Row {
    explicit LaneRow(Scene &s) : scene(s) {
        create_driver = s.create;
        remote::Options options;
        options.create_screen = create_held;
        screen = remote::create_screen(options, &s.config);
        waiter = lane(s.mint(PIPE_HANDLE_LANE));
    }
    ~LaneRow() override {
        for (pipe_context *c : {last, waiter})
            if (c)
                end(c);
        if (screen)
            screen->destroy(screen);
    }

    pipe_context *lane(pipe_handle h) {
        pipe_lane_create p{};
        p.lane = h;
        pipe_context *c = screen ? screen->lane_create(screen, &p) : nullptr;
        if (c) {
            pipe_lane_current current{};
            c->lane_current(c, &current);
        }
        return c;
    }
    static void end(pipe_context *c) {
        pipe_lane_destroy p{c->lane};
        c->lane_destroy(c, &p);
    }

    void make(pipe_handle h, bool) override { last = lane(h); }
    void drop(pipe_handle) override {
        if (last)
            end(last);
        last = nullptr;
    }
    // The second lane is held up; does who waits by this handle wait for it?
    bool reaches(pipe_handle h) override {
        if (!waiter || !last)
            return false;
        gate.arm();
        pipe_fence_wait_server hold{};
        screen->fence_wait_server(last, &hold);
        pipe_flush flush{};
        last->flush(last, &flush);
        gate.wait_entered();
        std::thread later([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            gate.let_go();
        });
        pipe_lane_wait wait{h, 1ull << 40};
        waiter->lane_wait(waiter, &wait);
        pipe_finish finish{};
        waiter->finish(waiter, &finish);
        const bool waited = [] {
            std::lock_guard lock(gate.mutex);
            return gate.open;
        }();
        later.join();
        last->finish(last, &finish);
        return waited;
    }
    bool by_handle() const override { return false; }

    Scene &scene;
    pipe_screen *screen = nullptr;
    pipe_context *waiter = nullptr, *last = nullptr;
};

} // namespace

std::unique_ptr<Row> row_of_lane(Scene &s) {
    return std::make_unique<LaneRow>(s);
}

} // namespace recycling
