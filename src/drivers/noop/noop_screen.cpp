// SPDX-License-Identifier: MIT
// The few entries of the noop driver that have an answer.
#include "noop_public.h"

#include <new>

#include "noop_private.h"

namespace noop {

enum pipe_status get_caps(pipe_screen *screen, const pipe_get_caps *, pipe_get_caps_reply *out) {
    out->caps = screen->caps;
    return PIPE_OK;
}

// No memory of our own: the client uses ordinary pointers.
enum pipe_status stage_alloc(pipe_screen *, const pipe_stage_alloc *, pipe_stage_alloc_reply *out) {
    *out = {};
    return PIPE_OK;
}

pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p) {
    auto *ctx = new (std::nothrow) pipe_context{};
    if (!ctx)
        return nullptr;
    ctx->screen = screen;
    ctx->lane = p->lane;
    fill_context(ctx);
    return ctx;
}

void lane_destroy(pipe_context *ctx, const pipe_lane_destroy *) {
    delete ctx;
}

enum pipe_status surface_create(pipe_screen *, const pipe_surface_create *p,
                                pipe_surface_create_reply *out) {
    out->width = p->width;
    out->height = p->height;
    return PIPE_OK;
}

enum pipe_status fence_status(pipe_context *, const pipe_fence_status *,
                              pipe_fence_status_reply *out) {
    *out = {};
    out->signaled = 1;
    return PIPE_OK;
}

enum pipe_status fence_wait(pipe_context *, const pipe_fence_wait *, pipe_fence_wait_reply *out) {
    *out = {};
    out->signaled = 1;
    return PIPE_OK;
}

enum pipe_status query_available(pipe_context *, const pipe_query_available *,
                                 pipe_query_available_reply *out) {
    *out = {};
    out->available = 1;
    return PIPE_OK;
}

static void destroy(pipe_screen *screen) {
    delete screen;
}

} // namespace noop

struct pipe_screen *noop_create_screen(const struct pipe_screen_config *) {
    auto *screen = new pipe_screen{};
    noop::fill_screen(screen);
    screen->destroy = noop::destroy;
    noop::fill_caps(&screen->caps);
    pipe_context ctx = {};
    noop::fill_context(&ctx);
    pipe_tables_call_mask(screen, &ctx, screen->caps.call_mask, sizeof screen->caps.call_mask / 8);
    return screen;
}
