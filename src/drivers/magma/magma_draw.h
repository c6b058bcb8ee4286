// SPDX-License-Identifier: MIT
// Draws and dispatches.
#pragma once

#include "pipe/pipe.h"

#include "magma_vk.h"

namespace magma {

struct context;

// Brings everything up to date for draws with this topology and leaves the pass open; false: skip
// the draw.
bool prepare_draw(context &c, VkPrimitiveTopology topology, bool restart);

void draw_vbo(pipe_context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
              const pipe_indirect *indirect, const pipe_host_span *indices);
void launch_grid(pipe_context *ctx, const pipe_launch_grid *p);
void memory_barrier(pipe_context *ctx, const pipe_memory_barrier *p);
void texture_barrier(pipe_context *ctx, const pipe_texture_barrier *p);

} // namespace magma
