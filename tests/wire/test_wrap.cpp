// SPDX-License-Identifier: MIT
// Wrappers change nothing: every call arrives through trace, statistics and verify as it was sent;
// and verify finds a spoiled record.
#include <catch2/catch.hpp>

#include "pipe/pipe_input.h"
#include "pipe_wrap/derive.h"
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

// One lane behind a verify screen.
struct Lane {
    Lane() {
        screen = wrap::verify_screen(probe::create_screen(nullptr));
        pipe_lane_create p{};
        p.lane = {31, 1};
        ctx = screen->lane_create(screen, &p);
    }
    ~Lane() {
        pipe_lane_destroy d{};
        ctx->lane_destroy(ctx, &d);
        screen->destroy(screen);
    }
    void sample_mask(uint32_t mask) {
        pipe_set_sample_state p{};
        p.mask[0] = mask;
        ctx->set_sample_state(ctx, &p);
    }
    void sampler(uint32_t unit, uint32_t slot) {
        pipe_bind_sampler_states p{unit, 1};
        const pipe_handle h{slot, 1};
        ctx->bind_sampler_states(ctx, &p, &h);
    }
    pipe_screen *screen;
    pipe_context *ctx;
};

TEST_CASE("derive: what is held is compared, not carried out") {
    Lane lane;
    lane.sample_mask(5);
    lane.sampler(7, 3);
    auto &seen = probe::log().calls;
    seen.clear();
    const uint64_t before = wrap::verify_count();
    REQUIRE(wrap::derive_begin({31, 1}));
    wrap::derive_atom("test");
    lane.sample_mask(5);
    lane.sampler(7, 3);
    lane.sampler(8, 0); // nothing was bound there, and {0,1} is not null
    CHECK(wrap::derive_differences() == 1);
    CHECK(seen.size() == 1); // the one that differs goes on
    wrap::derive_end("draw_vbo", true);
    CHECK(wrap::verify_count() == before + 1);

    REQUIRE(wrap::derive_begin({31, 1}));
    lane.sampler(8, 0);
    CHECK(wrap::derive_differences() == 0);
    lane.sample_mask(6);
    CHECK(wrap::derive_differences() == 1);
    wrap::derive_end("draw_vbo", false); // another thread was at it
    CHECK(wrap::verify_count() == before + 1);
}

TEST_CASE("derive: an unknown lane, and a lane after its end") {
    { Lane lane; }
    CHECK(!wrap::derive_begin({31, 1}));
    Lane lane;
    CHECK(!wrap::derive_begin({31, 2}));
    // A new lane of an old slot holds nothing.
    REQUIRE(wrap::derive_begin({31, 1}));
    lane.sample_mask(5);
    CHECK(wrap::derive_differences() == 1);
    wrap::derive_end("draw_vbo", false);
}

TEST_CASE("inputs: a verb may read what its row has and what was pushed") {
    uint64_t fills[64] = {};
    pipe_input_scope scope{"draw_vbo",
                           1ull << PIPE_INPUT_RENDER_STATE | 1ull << PIPE_INPUT_SAMPLERS, fills, 4};
    CHECK(!pipe_input_wrong(&scope, PIPE_INPUT_SAMPLERS)); // empty is a value
    CHECK(std::string(pipe_input_wrong(&scope, PIPE_INPUT_RENDER_STATE)) ==
          "read before it was pushed");
    fills[PIPE_INPUT_RENDER_STATE] = 2;
    CHECK(!pipe_input_wrong(&scope, PIPE_INPUT_RENDER_STATE)); // sticky
    CHECK(std::string(pipe_input_wrong(&scope, PIPE_INPUT_PATCH_STATE)) ==
          "read, but not in the verb's row");
}
