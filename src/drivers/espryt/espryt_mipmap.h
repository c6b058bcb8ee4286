// SPDX-License-Identifier: MIT
// Levels that the host generates none of.
#pragma once

#include "espryt_resource.h"

namespace espryt {

// Draws the levels of a depth texture, each from the one before it. False: the host cannot.
bool draw_depth_levels(context *ctx, resource *r, const pipe_generate_mipmap *p);

} // namespace espryt
