// SPDX-License-Identifier: MIT
// Draws of the driver itself: masked clears and shader blits, with small built-in shaders.
#pragma once

#include "magma_framebuffer.h"

#include "pipe/pipe.h"

namespace magma {

struct context;

// In the open pass: clears with the colour masks and the stencil mask of the bound render state.
void draw_masked_clear(context &c, const pass_clears &values, const pipe_clear &p, uint32_t mask,
                       const VkRect2D &rect);

// A scaled, mirrored, clipped copy of one texture layer into the draw buffers of a framebuffer.
struct meta_blit {
    VkImageView source; // 2D array or 2D multisampled view in SHADER_READ_ONLY (or GENERAL) layout
    VkImageLayout layout;
    uint8_t value_class;                    // pipe_value_class of the source
    uint32_t samples;                       // of the source
    float x0, y0, x1, y1;                   // source box in texels, may be mirrored
    int32_t dst_x0, dst_y0, dst_x1, dst_y1; // ascending
    VkRect2D clip;                          // in the destination
    bool linear;
    float width, height; // of the source level
    uint32_t mask;       // draw buffers (pipe_buffer_mask COLORn), or DEPTH, or STENCIL
};
// In the open pass. False: the host refuses.
bool draw_blit(context &c, const meta_blit &b);

} // namespace magma
