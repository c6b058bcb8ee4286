// SPDX-License-Identifier: MIT
// Fence sync objects (GL 4.6 section 4.1). The GLsync of the program is the name cast to a pointer,
// so a stale one is harmless.
#pragma once

#include "objects/ref.h"
#include "pipe/pipe.h"

namespace gl {

struct Sync : Object {
    ~Sync() override; // st::fence_destroy
    GLenum condition = GL_SYNC_GPU_COMMANDS_COMPLETE;
    std::atomic<bool> signaled{false};
    pipe_handle handle{};
    void *tracker = nullptr;
};
Sync *lookup_sync(Context &ctx, GLsync sync);
} // namespace gl
