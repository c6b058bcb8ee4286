// SPDX-License-Identifier: MIT
// Entries of the pacing driver; see pacing.h.
#include "pacing.h"

#include <atomic>
#include <string>

namespace pacing {

Gate &gate() {
    static auto *the = new Gate;
    return *the;
}

void Gate::open(uint64_t serial) {
    std::lock_guard lock(mutex);
    allowed = serial;
    opened.notify_all();
}

void Gate::pass(uint64_t serial) {
    std::unique_lock lock(mutex);
    opened.wait(lock, [&] { return allowed >= serial; });
}

void flood(pipe_context *ctx, uint32_t events) {
    pipe_debug_marker m{};
    m.kind = flood_kind + events;
    ctx->debug_marker(ctx, &m, nullptr);
}

namespace {

pipe_context *(*make_lane)(pipe_screen *, const pipe_lane_create *);

void present(pipe_context *, const pipe_present *p, const pipe_scissor *) {
    gate().pass(p->serial);
}

void debug_marker(pipe_context *ctx, const pipe_debug_marker *p, const pipe_host_span *) {
    if (p->kind < flood_kind)
        return;
    const probe::Log &log = probe::log();
    const std::string text(200, 'x');
    for (uint32_t i = 1; i <= p->kind - flood_kind; i++) {
        pipe_on_gl_error e{};
        e.lane = ctx->lane;
        e.error = i;
        pipe_host_span message = pipe_span(text.data(), text.size());
        log.callbacks.on_gl_error(log.config.data, &e, &message);
    }
}

enum pipe_status query_available(pipe_context *, const pipe_query_available *p,
                                 pipe_query_available_reply *out) {
    static std::atomic<unsigned> looks{0};
    *out = {};
    out->available = ++looks > late_looks;
    out->result = out->available ? p->query.slot * 10 : 0;
    return PIPE_OK;
}

pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p) {
    pipe_context *ctx = make_lane(screen, p);
    ctx->present = present;
    ctx->debug_marker = debug_marker;
    ctx->query_available = query_available;
    ctx->finish = [](pipe_context *, const pipe_finish *) { return PIPE_OK; };
    return ctx;
}

} // namespace

pipe_screen *create_screen(const pipe_screen_config *config) {
    pipe_screen *screen = probe::create_screen(config);
    make_lane = screen->lane_create;
    screen->lane_create = lane_create;
    screen->surface_create = [](pipe_screen *, const pipe_surface_create *,
                                pipe_surface_create_reply *) { return PIPE_OK; };
    return screen;
}

} // namespace pacing
