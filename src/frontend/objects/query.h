// SPDX-License-Identifier: MIT
// Query objects (GL 4.6 section 4.2). Polled locally; results come back as events or by one wait.
#pragma once

#include "objects/ref.h"
#include "pipe/pipe.h"

namespace gl {

struct Query : Object {
    ~Query() override; // st::query_destroy
    GLenum target = 0; // 0 until first begin
    GLuint stream = 0; // index of glBeginQueryIndexed
    bool active = false, ever_bound = false;
    bool ended = false; // has (or will have) a result
    bool ready = false; // `result` is final
    uint64_t result = 0;
    pipe_handle handle{};
    void *tracker = nullptr;
};
Query *lookup_query(Context &ctx, GLuint name);
// Number of a pipeline statistic in the pipe's order, -1 for another target.
int statistic_index(GLenum target);
} // namespace gl
