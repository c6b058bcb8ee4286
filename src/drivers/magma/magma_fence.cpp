// SPDX-License-Identifier: MIT
// Fences by submit serial. Polling a fence of this lane's open batch submits that batch, so polling
// loops end.
#include "magma_fence.h"

#include "magma_context.h"

#include <chrono>
#include <thread>

namespace magma {

namespace {

std::shared_ptr<fence> find(context &c, pipe_handle h) {
    std::lock_guard lock(c.scr.mutex);
    return c.scr.fences.get(h);
}

void submit_if_ours(context &c, const fence &f) {
    if (f.token && !f.token->submitted() && f.lane == &c)
        c.flush();
}

} // namespace

void fence_create(pipe_context *ctx, const pipe_fence_create *p) {
    context &c = ctx_of(ctx);
    auto f = std::make_shared<fence>();
    f->token = c.rec.token();
    f->lane = &c;
    std::lock_guard lock(c.scr.mutex);
    c.scr.fences.put(p->fence, std::move(f));
}

pipe_status fence_status(pipe_context *ctx, const pipe_fence_status *p,
                         pipe_fence_status_reply *out) {
    context &c = ctx_of(ctx);
    auto f = find(c, p->fence);
    out->signaled = 1;
    if (!f)
        return PIPE_DECLINED;
    if (!f->token)
        return PIPE_OK;
    submit_if_ours(c, *f);
    c.report();
    out->signaled = f->token->poll();
    return PIPE_OK;
}

pipe_status fence_wait(pipe_context *ctx, const pipe_fence_wait *p, pipe_fence_wait_reply *out) {
    context &c = ctx_of(ctx);
    auto f = find(c, p->fence);
    out->signaled = 1;
    if (!f)
        return PIPE_DECLINED;
    if (!f->token)
        return PIPE_OK;
    submit_if_ours(c, *f);
    c.report();
    using clock = std::chrono::steady_clock;
    const bool forever = p->timeout_ns > 1ull << 62;
    const auto end = clock::now() + std::chrono::nanoseconds(forever ? 0 : p->timeout_ns);
    // Another lane has to submit first; it may do so at any time.
    while (!f->token->submitted() && !f->token->poll()) {
        if (!forever && clock::now() >= end) {
            out->signaled = 0;
            return PIPE_OK;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    uint64_t left = UINT64_MAX;
    if (!forever) {
        auto now = clock::now();
        left =
            now < end
                ? uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(end - now).count())
                : 0;
    }
    out->signaled = f->token->wait(left);
    return PIPE_OK;
}

void fence_wait_server(pipe_context *ctx, const pipe_fence_wait_server *p) {
    // One queue: work that was submitted runs before what this lane submits later. A fence of this
    // lane's own batch is before its later work by itself.
    context &c = ctx_of(ctx);
    auto f = find(c, p->fence);
    if (f && f->token && f->lane != &c)
        while (!f->token->submitted() && !f->token->poll())
            std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void fence_destroy(pipe_context *ctx, const pipe_fence_destroy *p) {
    context &c = ctx_of(ctx);
    std::lock_guard lock(c.scr.mutex);
    c.scr.fences.take(p->fence);
}

} // namespace magma
