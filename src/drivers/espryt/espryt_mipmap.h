// SPDX-License-Identifier: MIT
// Levels that the host generates none of.
#pragma once

#include "espryt_resource.h"

namespace espryt {

// Draws the levels of a depth texture, each from the one before it. False: the host cannot.
bool draw_depth_levels(context *ctx, resource *r, const pipe_generate_mipmap *p);

// Whether a texture is filtered as it is stored, because its own sampler skips the decode.
bool skips_decode(context *ctx, const resource *r);

// The levels of a colour texture on the CPU: read, averaged, uploaded. False: not this format.
bool convert_levels(context *ctx, resource *r, const pipe_generate_mipmap *p);

} // namespace espryt
