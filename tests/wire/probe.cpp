// SPDX-License-Identifier: MIT
// Life of the probing driver; see probe.h.
#include "probe.h"

#include "util/hash.h"

namespace probe {

Log &log() {
    static Log *l = new Log;
    return *l;
}

std::vector<Seen> calls_seen() {
    std::lock_guard lock(log().mutex);
    return log().calls;
}

void forget_calls() {
    std::lock_guard lock(log().mutex);
    log().calls.clear();
}

uint64_t digest_bytes(uint64_t seed, const void *p, uint64_t size) {
    return util::hash64(p, size, seed);
}

static void note(const char *what, pipe_handle lane) {
    std::lock_guard lock(log().mutex);
    log().lanes.push_back(std::string(what) + " " + std::to_string(lane.slot));
}

static void lane_destroy(pipe_context *ctx, const pipe_lane_destroy *) {
    note("destroy", ctx->lane);
    delete ctx;
}

static pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p) {
    note("create", p->lane);
    auto *ctx = new pipe_context{};
    ctx->screen = screen;
    ctx->lane = p->lane;
    fill_context(ctx);
    ctx->lane_destroy = lane_destroy;
    return ctx;
}

static enum pipe_status get_caps(pipe_screen *screen, const pipe_get_caps *,
                                 pipe_get_caps_reply *out) {
    out->caps = screen->caps;
    return PIPE_OK;
}

static enum pipe_status stage_alloc(pipe_screen *, const pipe_stage_alloc *,
                                    pipe_stage_alloc_reply *out) {
    *out = {};
    return PIPE_OK;
}

pipe_screen *create_screen(const pipe_screen_config *config) {
    if (config) {
        log().config = *config;
        if (config->callbacks)
            log().callbacks = *config->callbacks;
    }
    auto *screen = new pipe_screen{};
    fill_screen(screen);
    screen->get_caps = get_caps;
    screen->stage_alloc = stage_alloc;
    screen->lane_create = lane_create;
    screen->destroy = [](pipe_screen *s) { delete s; };
    pipe_context ctx{};
    fill_context(&ctx);
    ctx.lane_destroy = lane_destroy;
    pipe_tables_call_mask(screen, &ctx, screen->caps.call_mask, sizeof screen->caps.call_mask / 8);
    return screen;
}

} // namespace probe
