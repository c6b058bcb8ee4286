// SPDX-License-Identifier: MIT
// Border colours on a host without border clamp: the host clamps to the edge, and the shader mixes
// what it gives with the border by how much of the footprint lies outside. What the shader needs is
// a uniform, ivec4 mgp_border[2 * slots]: first {1 where the border counts, of each dimension; bit
// 0: linear, from bit 1 on: pipe_compare of shadow look-ups}, then the bits of the border.
#pragma once

#include "espryt_program.h"

namespace espryt {

bool emulates_borders(const context *ctx);
// Whether a sampler slot of the program reads through a sampler with a border that the shader
// makes.
bool reads_borders(context *ctx, const program *p);
void apply_borders(context *ctx, const program *p, host_program *v);

} // namespace espryt
