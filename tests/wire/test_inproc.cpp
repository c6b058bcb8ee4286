// SPDX-License-Identifier: MIT
// Every call through emitter, ring and applier of the form inproc arrives with every byte it left
// with.
#include <catch2/catch.hpp>

#include "probe.h"
#include "remote/remote.h"
#include "util/options.h"

#include <cstring>
#include <thread>

namespace {

struct Client {
    explicit Client(const pipe_screen_config *config = nullptr) {
        remote::Options options;
        options.form = remote::Form::inproc;
        options.create_screen = probe::create_screen;
        screen = remote::create_screen(options, config);
        REQUIRE(screen);
        probe::forget_calls();
    }
    ~Client() { screen->destroy(screen); }
    pipe_context *lane(uint32_t slot) {
        pipe_lane_create p{};
        p.lane = {slot, 0};
        pipe_context *ctx = screen->lane_create(screen, &p);
        REQUIRE(ctx);
        return ctx;
    }
    static void end(pipe_context *ctx) {
        pipe_lane_destroy p{};
        p.lane = ctx->lane;
        ctx->lane_destroy(ctx, &p);
    }
    pipe_screen *screen;
};

void finish(pipe_context *ctx) {
    pipe_finish p{};
    ctx->finish(ctx, &p);
}

void compare(const std::vector<probe::Seen> &sent, size_t from = 0) {
    const auto seen = probe::calls_seen();
    REQUIRE(seen.size() >= sent.size() + from);
    unsigned different = 0;
    for (size_t i = 0, at = from; i < sent.size(); i++, at++) {
        auto same = [&] { return sent[i].op == seen[at].op && sent[i].digest == seen[at].digest; };
        // What nobody sent are reads behind writes to buffers that were read (writebacks).
        while (at + 1 < seen.size() && seen[at].op == PIPE_OP_RESOURCE_READBACK && !same())
            at++;
        different += at >= seen.size() || !same();
    }
    CHECK(different == 0);
}

} // namespace

TEST_CASE("inproc: every call arrives as it was sent") {
    Client client;
    pipe_context *ctx = client.lane(1);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        probe::forget_calls();
        probe::Random random{seed};
        unsigned wrong = 0;
        auto sent = probe::send_each(ctx, random, &wrong);
        finish(ctx);
        CHECK(wrong == 0);
        compare(sent);
    }
    Client::end(ctx);
}

TEST_CASE("inproc: many records wrap the ring") {
    Client client;
    pipe_context *ctx = client.lane(1);
    probe::Random random{12345};
    unsigned wrong = 0;
    auto sent = probe::send_random(ctx, random, 20000, &wrong);
    finish(ctx);
    CHECK(wrong == 0);
    compare(sent);
    Client::end(ctx);
}

TEST_CASE("inproc: content larger than stage and answer memory") {
    Client client;
    pipe_context *ctx = client.lane(1);
    std::vector<uint8_t> bytes(256u << 20);
    for (size_t i = 0; i < bytes.size(); i += 4096)
        bytes[i] = static_cast<uint8_t>(i >> 12);
    pipe_resource_subdata p{};
    p.resource = {5, 0};
    pipe_host_span data = pipe_span(bytes.data(), bytes.size());
    ctx->resource_subdata(ctx, &p, nullptr, &data);
    finish(ctx);
    uint64_t d = probe::digest_bytes(PIPE_OP_RESOURCE_SUBDATA, &p, sizeof p);
    d = probe::digest_bytes(d, nullptr, 0);
    d = probe::digest_bytes(d, bytes.data(), bytes.size());
    const auto seen = probe::calls_seen();
    REQUIRE(seen.size() >= 1);
    CHECK(seen[0].digest == d);
    // And back.
    pipe_read_pixels r{};
    r.width = r.height = 4096;
    pipe_out_span dst{bytes.data(), bytes.size()};
    pipe_status status = ctx->read_pixels(ctx, &r, &dst);
    uint64_t rd = probe::digest_bytes(PIPE_OP_READ_PIXELS, &r, sizeof r);
    CHECK(status == (rd % 7 == 0 ? PIPE_DECLINED : rd % 11 == 0 ? PIPE_ERROR : PIPE_OK));
    Client::end(ctx);
}

TEST_CASE("inproc: a record larger than the ring") {
    Client client;
    pipe_context *ctx = client.lane(1);
    std::vector<pipe_draw_range> ranges(200000);
    for (uint32_t i = 0; i < ranges.size(); i++)
        ranges[i] = {i, i * 3, -int32_t(i)};
    pipe_draw_vbo p{};
    p.num_ranges = static_cast<uint32_t>(ranges.size());
    ctx->draw_vbo(ctx, &p, ranges.data(), nullptr, nullptr);
    finish(ctx);
    uint64_t d = probe::digest_bytes(PIPE_OP_DRAW_VBO, &p, sizeof p);
    d = probe::digest_bytes(d, ranges.data(), ranges.size() * sizeof ranges[0]);
    d = probe::digest_bytes(d, nullptr, 0);
    d = probe::digest_bytes(d, "none", 4);
    const auto seen = probe::calls_seen();
    REQUIRE(seen.size() >= 1);
    CHECK(seen[0].digest == d);
    Client::end(ctx);
}

TEST_CASE("inproc: two lanes, and one waits for the other") {
    Client client;
    pipe_context *a = client.lane(1), *b = client.lane(2);
    pipe_flush flush{};
    for (int i = 0; i < 100; i++)
        a->flush(a, &flush);
    pipe_lane_wait w{};
    w.lane = a->lane;
    w.ordinal = a->ordinal;
    b->lane_wait(b, &w);
    pipe_bind_render_state mark{};
    mark.cso = {777, 0};
    b->bind_render_state(b, &mark);
    finish(b);
    {
        std::lock_guard lock(probe::log().mutex);
        unsigned flushes = 0;
        bool marked = false;
        for (auto &s : probe::log().calls) {
            flushes += s.op == PIPE_OP_FLUSH && !marked;
            marked |= s.op == PIPE_OP_BIND_RENDER_STATE;
        }
        CHECK(marked);
        CHECK(flushes == 100);
    }
    Client::end(a);
    Client::end(b);
}

TEST_CASE("inproc: stage memory is reused and never overwritten early") {
    Client client;
    pipe_context *ctx = client.lane(1);
    std::vector<probe::Seen> sent;
    std::vector<uint8_t> bytes(100000);
    for (unsigned i = 0; i < 2000; i++) { // 200 MB through 32 MB
        memset(bytes.data(), static_cast<int>(i), bytes.size());
        pipe_resource_subdata p{};
        p.resource = {1 + i, 0};
        pipe_stage_alloc sa{};
        sa.size = bytes.size();
        sa.alignment = 16;
        sa.lane = 1;
        pipe_stage_alloc_reply mem{};
        client.screen->stage_alloc(client.screen, &sa, &mem);
        pipe_host_span data = pipe_span(bytes.data(), bytes.size());
        if (mem.size && i % 2) {
            memcpy(reinterpret_cast<void *>(mem.address), bytes.data(), bytes.size());
            data = {reinterpret_cast<void *>(mem.address), mem.offset, bytes.size(), mem.seg, 0};
        } else if (mem.size) {
            // Held memory must be named once.
            pipe_host_span other = {reinterpret_cast<void *>(mem.address), mem.offset, 8, mem.seg,
                                    0};
            pipe_debug_marker m{};
            memset(reinterpret_cast<void *>(mem.address), 'x', 8);
            ctx->debug_marker(ctx, &m, &other);
        }
        ctx->resource_subdata(ctx, &p, nullptr, &data);
        uint64_t d = probe::digest_bytes(PIPE_OP_RESOURCE_SUBDATA, &p, sizeof p);
        d = probe::digest_bytes(d, nullptr, 0);
        sent.push_back(
            {PIPE_OP_RESOURCE_SUBDATA, probe::digest_bytes(d, bytes.data(), bytes.size())});
    }
    finish(ctx);
    std::vector<probe::Seen> got;
    {
        std::lock_guard lock(probe::log().mutex);
        for (auto &s : probe::log().calls)
            if (s.op == PIPE_OP_RESOURCE_SUBDATA)
                got.push_back(s);
    }
    REQUIRE(got.size() == sent.size());
    unsigned different = 0;
    for (size_t i = 0; i < got.size(); i++)
        different += got[i].digest != sent[i].digest;
    CHECK(different == 0);
    Client::end(ctx);
}

TEST_CASE("inproc: events arrive when they are drained") {
    static constexpr uint32_t more_than_a_ring = 40000;
    struct State {
        std::string text;
        uint32_t results = 0;
        int errors = 0;
    } state;
    pipe_callbacks callbacks{};
    callbacks.on_gl_error = [](void *data, const pipe_on_gl_error *, const pipe_host_span *m) {
        auto *s = static_cast<State *>(data);
        s->errors++;
        s->text.assign(static_cast<const char *>(m->ptr), m->size);
    };
    callbacks.on_query_ready = [](void *data, const pipe_on_query_ready *p) {
        auto *s = static_cast<State *>(data);
        if (p->result == s->results)
            s->results++;
    };
    pipe_screen_config config{};
    config.callbacks = &callbacks;
    config.data = &state;
    Client client(&config);
    pipe_context *ctx = client.lane(1);
    // As a driver would, from another thread, while the client waits in a call.
    std::thread driver([] {
        pipe_on_gl_error e{};
        e.error = 0x505;
        pipe_host_span m = pipe_span("out of memory", 13);
        auto &l = probe::log();
        l.callbacks.on_gl_error(l.config.data, &e, &m);
        for (uint32_t i = 0; i < more_than_a_ring; i++) {
            pipe_on_query_ready ready{};
            ready.result = i;
            l.callbacks.on_query_ready(l.config.data, &ready);
        }
    });
    for (int i = 0; i < 2000 && state.results < more_than_a_ring; i++) {
        client.screen->drain_events(client.screen);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    driver.join();
    CHECK(state.errors == 1);
    CHECK(state.text == "out of memory");
    CHECK(state.results == more_than_a_ring);
    Client::end(ctx);
}

TEST_CASE("inproc: the client's driver and options reach the server") {
    remote::Options options;
    options.form = remote::Form::inproc;
    options.create_screen = probe::create_screen;
    options.driver = "probe";
    pipe_screen_config config{};
    config.options = "MGPIPE_DEBUG=sync";
    pipe_screen *screen = remote::create_screen(options, &config);
    REQUIRE(screen);
    const char *text = probe::log().config.options;
    CHECK(util::option(text, "MGPIPE_DRIVER") == "probe");
    CHECK(util::option(text, "MGPIPE_DEBUG") == "sync");
    CHECK(!util::option(text, "MGPIPE_HOST"));
    screen->destroy(screen);
}

TEST_CASE("record sizes stay small") {
    CHECK(8 + sizeof(pipe_draw_vbo) + sizeof(pipe_draw_range) <= 64);
    CHECK(sizeof(pipe_draw_range) == 12);
    CHECK(8 + sizeof(pipe_bind_render_state) <= 24);
}
