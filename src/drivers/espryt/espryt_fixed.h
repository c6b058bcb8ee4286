// SPDX-License-Identifier: MIT
// Fixed function that shaders do for the host (espryt_lowered.h): which of it a draw needs, and the
// uniforms of depth clamping.
#pragma once

#include "espryt_framebuffer.h"
#include "espryt_program.h"

namespace espryt {

// Depth clamping is on and the shaders do it.
bool clamps_depth(const context *ctx);
// Alpha becomes one in the shader; alpha becomes a sample mask there first.
bool replaces_alpha(const context *ctx, const framebuffer *fb);
bool covers_by_alpha(const context *ctx, const framebuffer *fb);
// Of polygon offsets; 0: depends on the depth.
float smallest_depth_step(uint32_t format);
// The variant bits of these.
unsigned fixed_variant(context *ctx, const framebuffer *fb);
// `polygons`: what is rasterised, so that polygon offset counts. The program is in use.
void apply_depth_clamp(context *ctx, const framebuffer *fb, host_program *v, bool polygons);

} // namespace espryt
