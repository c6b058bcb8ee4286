// SPDX-License-Identifier: MIT
// Fences on native sync objects, which are share-group objects on the host too.
#include "espryt_map.h"

#include <atomic>

namespace espryt {

struct fence {
    GLsync sync = nullptr;
    std::atomic<bool> signaled{false}; // lanes that wait for each other both look
};

namespace {

void bury_fence(screen *s, fence *f) {
    if (f->sync)
        bury(s, {grave::sync, 0, f->sync});
    delete f;
}

void fence_create(pipe_context *pc, const pipe_fence_create *p) {
    context *ctx = to_context(pc);
    auto f = new fence;
    flush_mapped(ctx);
    f->sync = ctx->gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    f->signaled = !f->sync; // a fence that the host refused must not block anybody
    if (ctx->scr->num_lanes.load(std::memory_order_relaxed) > 1)
        ctx->gl->Flush(); // another lane may wait for it
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        if (fence *old = ctx->scr->fences.take_slot(p->fence))
            bury_fence(ctx->scr, old);
        if (!ctx->scr->fences.insert(p->fence, f))
            bury_fence(ctx->scr, f);
    }
    verb_done(ctx, "fence_create");
}

bool wait(context *ctx, fence *f, uint64_t timeout) {
    if (f->signaled)
        return true;
    GLenum r = ctx->gl->ClientWaitSync(f->sync, GL_SYNC_FLUSH_COMMANDS_BIT, timeout);
    f->signaled = r == GL_ALREADY_SIGNALED || r == GL_CONDITION_SATISFIED || r == GL_WAIT_FAILED;
    return f->signaled;
}

pipe_status fence_status(pipe_context *pc, const pipe_fence_status *p,
                         pipe_fence_status_reply *out) {
    context *ctx = to_context(pc);
    fence *f = ctx->scr->fences.find(p->fence);
    *out = {};
    if (!f) {
        out->signaled = 1;
        return PIPE_DECLINED;
    }
    out->signaled = wait(ctx, f, 0);
    verb_done(ctx, "fence_status");
    return PIPE_OK;
}

pipe_status fence_wait(pipe_context *pc, const pipe_fence_wait *p, pipe_fence_wait_reply *out) {
    context *ctx = to_context(pc);
    fence *f = ctx->scr->fences.find(p->fence);
    *out = {};
    if (!f) {
        out->signaled = 1;
        return PIPE_DECLINED;
    }
    out->signaled = wait(ctx, f, p->timeout_ns);
    verb_done(ctx, "fence_wait");
    return PIPE_OK;
}

void fence_wait_server(pipe_context *pc, const pipe_fence_wait_server *p) {
    context *ctx = to_context(pc);
    GLsync sync = nullptr;
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock); // another lane may destroy it
        const fence *f = ctx->scr->fences.find(p->fence);
        if (f && !f->signaled)
            sync = f->sync;
    }
    if (sync)
        ctx->gl->WaitSync(sync, 0, GL_TIMEOUT_IGNORED);
    verb_done(ctx, "fence_wait_server");
}

void fence_destroy(pipe_context *pc, const pipe_fence_destroy *p) {
    context *ctx = to_context(pc);
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        if (fence *f = ctx->scr->fences.take(p->fence))
            bury_fence(ctx->scr, f);
    }
    verb_done(ctx, "fence_destroy");
}

} // namespace

void end_fences(screen *s) {
    s->fences.each([&](fence *f) { bury_fence(s, f); });
}

void init_fence_functions(screen *s, context *) {
    if (!s)
        return;
    s->fence_create = fence_create;
    s->fence_status = fence_status;
    s->fence_wait = fence_wait;
    s->fence_wait_server = fence_wait_server;
    s->fence_destroy = fence_destroy;
}

} // namespace espryt
