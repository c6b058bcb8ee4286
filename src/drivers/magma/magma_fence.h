// SPDX-License-Identifier: MIT
// Fences: a point in a lane, known by the token of the batch that holds it.
#pragma once

#include "magma_batch.h"

#include "pipe/pipe.h"

namespace magma {

struct context;

struct fence {
    token_ref token;         // null: signaled from the start
    context *lane = nullptr; // whose batch it is; only compared
};

void fence_create(pipe_context *ctx, const pipe_fence_create *p);
pipe_status fence_status(pipe_context *ctx, const pipe_fence_status *p,
                         pipe_fence_status_reply *out);
pipe_status fence_wait(pipe_context *ctx, const pipe_fence_wait *p, pipe_fence_wait_reply *out);
void fence_wait_server(pipe_context *ctx, const pipe_fence_wait_server *p);
void fence_destroy(pipe_context *ctx, const pipe_fence_destroy *p);

} // namespace magma
