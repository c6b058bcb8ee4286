// SPDX-License-Identifier: MIT
// How far the client runs ahead, and what happens when one side is slow: presents and their credit,
// events that find no room, results that come by themselves.
#include <catch2/catch.hpp>

#include "own_server.h"
#include "pacing.h"
#include "remote/remote.h"

#include "util/env.h"
#include "util/stats.h"

#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace std::chrono_literals;

// What arrived. Errors of a flood count from 1 up.
struct Events {
    uint32_t errors = 0, out_of_order = 0;
    uint32_t ready = 0;
    uint64_t result = 0;
};

struct Client {
    explicit Client(remote::Form form) {
        serve_by_this_program();
        setenv("WIRE_TEST_PACING", "1", 1);
        callbacks.on_gl_error = [](void *data, const pipe_on_gl_error *e, const pipe_host_span *) {
            auto *seen = static_cast<Events *>(data);
            seen->out_of_order += e->error != ++seen->errors;
        };
        callbacks.on_query_ready = [](void *data, const pipe_on_query_ready *e) {
            auto *seen = static_cast<Events *>(data);
            seen->ready++;
            seen->result = e->result;
        };
        pipe_screen_config config{};
        config.callbacks = &callbacks;
        config.data = &events;
        remote::Options options;
        options.form = form;
        options.create_screen = pacing::create_screen;
        screen = remote::create_screen(options, &config);
        REQUIRE(screen);
        pipe_lane_create p{};
        p.lane = {1, 0};
        ctx = screen->lane_create(screen, &p);
        REQUIRE(ctx);
    }
    ~Client() {
        pipe_lane_destroy p{};
        p.lane = ctx->lane;
        ctx->lane_destroy(ctx, &p);
        screen->destroy(screen);
        unsetenv("WIRE_TEST_PACING");
    }
    void drain() { screen->drain_events(screen); }
    void surface(uint32_t slot, uint32_t gen = 0) {
        pipe_surface_create p{};
        p.surface = {slot, gen};
        pipe_surface_create_reply reply{};
        CHECK(screen->surface_create(screen, &p, &reply) == PIPE_OK);
    }
    void present(uint64_t serial, pipe_handle surface = {1, 0}) {
        pipe_present p{};
        p.surface = surface;
        p.serial = serial;
        ctx->present(ctx, &p, nullptr);
    }
    enum pipe_status finish() {
        pipe_finish p{};
        return ctx->finish(ctx, &p);
    }

    Events events;
    pipe_callbacks callbacks{};
    pipe_screen *screen;
    pipe_context *ctx;
};

// `value` reaches `want` within five seconds.
bool becomes(const std::atomic<uint64_t> &value, uint64_t want) {
    for (int i = 0; i < 5000 && value.load() != want; i++)
        std::this_thread::sleep_for(1ms);
    return value.load() == want;
}

constexpr uint32_t many = 5000; // events; about a megabyte, the ring holds 64 KiB at most

} // namespace

// The thread sanitizer does not survive the way in which a server starts.
static std::vector<remote::Form> both_forms() {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return {remote::Form::inproc};
#endif
#endif
    return {remote::Form::inproc, remote::Form::spawn};
}

TEST_CASE("pacing: a stalled present stops the client at its credit", "[credit]") {
    util::stats_start(true);
    const uint64_t credit = static_cast<uint64_t>(util::env_int(util::Env::CREDIT));
    REQUIRE(credit >= 1);
    pacing::gate().open(0);
    Client client(remote::Form::inproc);
    client.surface(1);
    const uint64_t waits = util::stats_total("wire.credit_waits");
    std::atomic<uint64_t> sent{0};
    std::thread program([&] {
        for (uint64_t serial = 1; serial <= credit + 10; serial++) {
            client.present(serial);
            sent = serial;
        }
    });
    CHECK(becomes(sent, credit));
    std::this_thread::sleep_for(100ms);
    CHECK(sent == credit);
    for (uint64_t done = 1; done <= 5; done++) {
        pacing::gate().open(done);
        CHECK(becomes(sent, credit + done));
    }
    std::this_thread::sleep_for(20ms);
    CHECK(sent == credit + 5);
    CHECK(util::stats_total("wire.credit_waits") - waits >= 5);
    pacing::gate().open(1000);
    program.join();
    CHECK(sent == credit + 10);
}

TEST_CASE("pacing: each surface has a credit of its own", "[credit]") {
    const uint64_t credit = static_cast<uint64_t>(util::env_int(util::Env::CREDIT));
    // Far apart, and the next owner of a slot.
    for (pipe_handle second : {pipe_handle{257, 0}, pipe_handle{513, 7}, pipe_handle{1, 1}}) {
        pacing::gate().open(1000);
        Client client(remote::Form::inproc);
        client.surface(1);
        std::atomic<uint64_t> sent{0};
        std::thread first([&] {
            for (uint64_t serial = 1; serial <= 20; serial++) {
                if (serial == 10) {
                    CHECK(client.finish() == PIPE_OK);
                    client.surface(second.slot, second.gen);
                }
                client.present(serial);
                sent = serial;
            }
            CHECK(client.finish() == PIPE_OK);
        });
        const bool free = becomes(sent, 20);
        first.join();
        CHECK(free); // the second surface took nothing from the first
        pacing::gate().open(0);
        sent = 0;
        std::thread program([&] {
            for (uint64_t serial = 1; serial <= credit + 10; serial++) {
                client.present(serial, second);
                sent = serial;
            }
        });
        CHECK(becomes(sent, credit));
        std::this_thread::sleep_for(50ms);
        CHECK(sent == credit); // nor does it live on the first one's frames
        pacing::gate().open(1000);
        program.join();
    }
}

TEST_CASE("pacing: a surface moves to another lane with its frames on their way", "[credit]") {
    const uint64_t credit = static_cast<uint64_t>(util::env_int(util::Env::CREDIT));
    pacing::gate().open(0);
    Client client(remote::Form::inproc);
    client.surface(1);
    for (uint64_t serial = 1; serial <= credit; serial++)
        client.present(serial);
    pipe_lane_create p{};
    p.lane = {2, 0};
    pipe_context *other = client.screen->lane_create(client.screen, &p);
    REQUIRE(other);
    std::atomic<uint64_t> sent{0};
    std::thread program([&] {
        pipe_present next{};
        next.surface = {1, 0};
        next.serial = credit + 1;
        other->present(other, &next, nullptr);
        sent = next.serial;
    });
    std::this_thread::sleep_for(50ms);
    CHECK(sent == 0);
    pacing::gate().open(1);
    CHECK(becomes(sent, credit + 1));
    pacing::gate().open(1000);
    program.join();
    pipe_lane_destroy end{p.lane};
    other->lane_destroy(other, &end);
}

TEST_CASE("pacing: a stalled present stops no other lane and no call on surfaces") {
    pacing::gate().open(0);
    Client client(remote::Form::inproc);
    client.surface(1);
    client.surface(2);
    client.present(1);
    pipe_flush flush{};
    client.ctx->flush(client.ctx, &flush);
    std::atomic<uint64_t> done{0};
    std::thread program([&] {
        pipe_lane_create p{};
        p.lane = {2, 0};
        pipe_context *other = client.screen->lane_create(client.screen, &p);
        pipe_finish finish{};
        CHECK(other->finish(other, &finish) == PIPE_OK);
        done = 1;
        client.surface(3);
        done = 2;
        pipe_surface_destroy gone{{2, 0}};
        client.screen->surface_destroy(client.screen, &gone);
        done = 3;
        pipe_lane_destroy end{p.lane};
        other->lane_destroy(other, &end);
        done = 4;
    });
    CHECK(becomes(done, 4));
    pacing::gate().open(1000);
    program.join();
    CHECK(client.finish() == PIPE_OK);
}

TEST_CASE("pacing: a client that waits for ring space takes its events") {
    util::stats_start(true);
    for (remote::Form form : both_forms()) {
        Client client(form);
        const uint64_t waits = util::stats_total("wire.ring_waits");
        pacing::flood(client.ctx, many);
        pipe_flush flush{};
        for (int i = 0; i < 200000; i++)
            client.ctx->flush(client.ctx, &flush);
        CHECK(util::stats_total("wire.ring_waits") > waits);
        CHECK(client.finish() == PIPE_OK);
        client.drain();
        CHECK(client.events.errors == many);
        CHECK(client.events.out_of_order == 0);
    }
}

TEST_CASE("pacing: a client that waits for its credit takes its events") {
    pacing::gate().open(0);
    Client client(remote::Form::inproc);
    client.surface(1);
    // The driver makes more events than the ring holds before it comes to the presents.
    pacing::flood(client.ctx, many);
    std::thread opener([] {
        std::this_thread::sleep_for(50ms);
        pacing::gate().open(1000);
    });
    for (uint64_t serial = 1; serial <= 20; serial++)
        client.present(serial);
    CHECK(client.finish() == PIPE_OK);
    opener.join();
    client.drain();
    CHECK(client.events.errors == many);
    CHECK(client.events.out_of_order == 0);
}

TEST_CASE("pacing: what a call reported is there when it is answered") {
    for (remote::Form form : both_forms()) {
        Client client(form);
        for (int i = 1; i <= 3; i++) {
            pacing::flood(client.ctx, many);
            CHECK(client.finish() == PIPE_OK);
            client.drain();
            CHECK(client.events.errors == many);
            CHECK(client.events.out_of_order == 0);
            client.events = {};
        }
    }
}

TEST_CASE("pacing: a client that waits for stage memory takes its events") {
    util::stats_start(true);
    for (remote::Form form : both_forms()) {
        Client client(form);
        const uint64_t waits = util::stats_total("wire.stage_waits");
        // More events than the ring holds: the server rests before it comes to what follows.
        pacing::flood(client.ctx, many);
        // More contents than stage memory holds, none of them too large for it.
        std::vector<uint8_t> bytes(4 << 20);
        for (uint32_t i = 1; i <= 32; i++) {
            pipe_resource_subdata p{};
            p.resource = {i, 0};
            pipe_host_span data = pipe_span(bytes.data(), bytes.size());
            client.ctx->resource_subdata(client.ctx, &p, nullptr, &data);
        }
        CHECK(util::stats_total("wire.stage_waits") > waits);
        CHECK(client.finish() == PIPE_OK);
        client.drain();
        CHECK(client.events.errors == many);
        CHECK(client.events.out_of_order == 0);
    }
}

TEST_CASE("pacing: a client that does nothing is slow, not lost") {
    util::stats_start(true);
    Client client(remote::Form::inproc);
    const uint64_t waited = util::stats_total("server.event_waits");
    pacing::flood(client.ctx, many);
    pipe_flush flush{};
    client.ctx->flush(client.ctx, &flush);
    probe::log().calls.clear();
    client.ctx->flush(client.ctx, &flush); // behind the flood: not applied before events are taken
    std::this_thread::sleep_for(2500ms);
    {
        std::lock_guard lock(probe::log().mutex);
        CHECK(probe::log().calls.empty());
    }
    CHECK(!remote::lost(client.screen));
    CHECK(util::stats_total("server.event_waits") > waited);
    for (int i = 0; i < 5000 && client.events.errors < many; i++) {
        client.drain();
        std::this_thread::sleep_for(1ms);
    }
    CHECK(client.events.errors == many);
    CHECK(client.finish() == PIPE_OK);
    std::lock_guard lock(probe::log().mutex);
    CHECK(probe::log().calls.size() >= 1);
}

TEST_CASE("pacing: a request of a client with waiting events is answered") {
    for (remote::Form form : both_forms()) {
        Client client(form);
        client.surface(2);
        pacing::flood(client.ctx, many);
        pipe_flush flush{};
        for (int i = 0; i < 100; i++)
            client.ctx->flush(client.ctx, &flush);
        pipe_surface_destroy gone{{2, 0}}; // waits for everything published before it
        client.screen->surface_destroy(client.screen, &gone);
        CHECK(!remote::lost(client.screen));
        client.drain();
        CHECK(client.events.errors == many);
    }
}

TEST_CASE("pacing: results of queries come by themselves") {
    util::stats_start(true);
    Client client(remote::Form::inproc);
    client.finish();
    const uint64_t replies = util::stats_total("wire.replies");
    pipe_lane_current current{}; // no other lane looks at its queries
    client.ctx->lane_current(client.ctx, &current);
    pipe_query_create create{};
    create.query = {7, 0};
    client.ctx->query_create(client.ctx, &create);
    pipe_query_begin begin{create.query};
    client.ctx->query_begin(client.ctx, &begin);
    pipe_query_end end{create.query};
    client.ctx->query_end(client.ctx, &end);
    pipe_flush flush{};
    client.ctx->flush(client.ctx, &flush);
    for (int i = 0; i < 5000 && !client.events.ready; i++) {
        client.drain();
        std::this_thread::sleep_for(1ms);
    }
    CHECK(client.events.ready == 1);
    CHECK(client.events.result == 70);
    CHECK(util::stats_total("wire.replies") == replies);
}
