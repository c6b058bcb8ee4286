// SPDX-License-Identifier: MIT
// What internal draws share: programs, samplers and a target, made when first needed, one set per
// lane; and the host state around such a draw.
#pragma once

#include <string>

#include "espryt_context.h"

namespace espryt {

// What a drawn blit moves.
enum class blit_value : unsigned { color, icolor, ucolor, depth, stencil, count };

struct blitter {
    host_name fetch[3][3]; // dimension (2D, 2D array, 3D) x class (float, int, uint)
    host_name draw[static_cast<unsigned>(blit_value::count)][2]; // x source of several samples
    host_name scatter;                                           // of captures
    host_name depth_level[2];                                    // x layers
    host_name nearest, linear;                                   // samplers
    host_name target;                                            // of fetches
    unsigned width = 0, height = 0;
    GLenum format = 0;
};

// Of GLSL's vectors and samplers, by class.
constexpr const char *blit_class_prefix[3] = {"", "i", "u"};

blitter *blit_tools(context *ctx);
// Sources without their version and precision. Null name, reported: refused.
host_name internal_program(context *ctx, const std::string &vs, const std::string &fs);
host_name internal_compute(context *ctx, const std::string &source);
// Host state that an internal draw needs: tests off, all colours written, the viewport. What is
// disturbed is applied again by the next verb.
void begin_internal(context *ctx, int x, int y, int w, int h);
void end_internal(context *ctx);

} // namespace espryt
