// SPDX-License-Identifier: MIT
// Captures whose layout the host lacks (gaps, or several varyings in several buffers): the host
// captures all varyings into one scratch buffer, and a compute shader puts them where they belong
// when the capture pauses or ends. Of vertex stages alone: only then the driver knows how many
// vertices were captured.
#pragma once

#include "espryt_program.h"

namespace espryt {

// One capture in progress.
struct scatter_capture {
    scatter_plan plan; // stride 0: nothing to scatter
    host_name scratch;
    pipe_so_target targets[4] = {};
    uint64_t capacity = 0; // vertices
    uint64_t done = 0;     // vertices that lie where they belong
};

// False: the layout is not for this.
bool plan_scatter(context *ctx, const program *p, scatter_plan *out);
// Makes the scratch buffer and binds it for the capture. False: no memory.
bool scatter_begin(context *ctx, scatter_capture *c, const scatter_plan &plan,
                   const pipe_so_target *targets, uint32_t num_targets, unsigned primitive);
// While the host captures nothing: puts vertices up to `captured` where they belong.
void scatter_flush(context *ctx, scatter_capture *c, uint64_t captured);
void scatter_end(context *ctx, scatter_capture *c);

} // namespace espryt
