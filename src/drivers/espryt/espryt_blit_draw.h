// SPDX-License-Identifier: MIT
// Blits drawn by a shader, where the host's blit refuses or would convert.
#pragma once

#include <cstdlib>

#include "espryt_blit_tools.h"
#include "espryt_framebuffer.h"

namespace espryt {

struct blit_rect {
    int x0, y0, x1, y1; // a side that runs backwards mirrors
    int w() const { return std::abs(x1 - x0); }
    int h() const { return std::abs(y1 - y0); }
};

// Draws one kind of value of `src`, which is bound for reading, over the rectangle of `dst`; obeys
// the pushed scissor. Sample by sample between multisample framebuffers whose source is a texture.
// False: the host cannot.
bool draw_blit(context *ctx, framebuffer *src, framebuffer *dst, const blit_rect &s,
               const blit_rect &d, blit_value v, bool linear);

} // namespace espryt
