// SPDX-License-Identifier: MIT
// Wrappers change nothing: every call arrives through trace, statistics and verify as it was sent;
// and verify finds a spoiled record.
#include <catch2/catch.hpp>

#include "pipe_wrap/wrap.h"
#include "probe.h"

namespace {

void run(pipe_screen *screen) {
    probe::forget_calls();
    pipe_lane_create p{};
    p.lane = {1, 0};
    pipe_context *ctx = screen->lane_create(screen, &p);
    REQUIRE(ctx);
    probe::Random random{11};
    unsigned wrong = 0;
    auto sent = probe::send_each(ctx, random, &wrong);
    CHECK(wrong == 0);
    auto &seen = probe::log().calls;
    REQUIRE(seen.size() == sent.size());
    for (size_t i = 0; i < sent.size(); i++)
        CHECK(sent[i].digest == seen[i].digest);
    pipe_lane_destroy d{};
    ctx->lane_destroy(ctx, &d);
    screen->destroy(screen);
}

} // namespace

TEST_CASE("wrap: observers change nothing") {
    run(wrap::wrap_screen(probe::create_screen(nullptr), wrap::make_statistics()));
    run(wrap::wrap_screen(probe::create_screen(nullptr), wrap::make_trace("/dev/null")));
}

TEST_CASE("wrap: every call survives encoder and applier on one thread") {
    uint64_t before = wrap::verify_count();
    run(wrap::verify_screen(probe::create_screen(nullptr)));
    CHECK(wrap::verify_count() == before);
}

TEST_CASE("wrap: null entries stay null") {
    pipe_screen *inner = probe::create_screen(nullptr);
    inner->memory_info = nullptr;
    inner->fence_import_fd = nullptr;
    pipe_screen *s = wrap::wrap_screen(inner, wrap::make_statistics());
    CHECK(!s->memory_info);
    CHECK(!s->fence_import_fd);
    CHECK(s->resource_create);
    s->destroy(s);
}

TEST_CASE("wrap: a difference is named") {
    pipe_draw_vbo p{};
    p.num_ranges = 2;
    pipe_draw_range a[2] = {{1, 2, 3}, {4, 5, 6}}, b[2] = {{1, 2, 3}, {4, 7, 6}};
    wrap::CallView x{}, y{};
    x.op = y.op = PIPE_OP_DRAW_VBO;
    x.payload = y.payload = &p;
    x.tails[0] = {a, 2, sizeof a[0]};
    y.tails[0] = {b, 2, sizeof b[0]};
    CHECK(wrap::difference(x, y) == "draw_vbo.ranges[1].count");
    y.tails[0].data = a;
    CHECK(wrap::difference(x, y).empty());
}

TEST_CASE("wrap: a verb that reads what was never pushed is named") {
    uint64_t before = wrap::poison_count();
    pipe_screen *s = wrap::wrap_screen(probe::create_screen(nullptr), wrap::make_poison());
    pipe_lane_create p{};
    p.lane = {1, 0};
    pipe_context *ctx = s->lane_create(s, &p);
    pipe_draw_vbo draw{};
    ctx->draw_vbo(ctx, &draw, nullptr, nullptr, nullptr);
    CHECK(wrap::poison_count() > before);
    pipe_lane_destroy d{};
    ctx->lane_destroy(ctx, &d);
    s->destroy(s);
}
