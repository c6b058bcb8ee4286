// SPDX-License-Identifier: MIT
// Internal draws: fetching texels that the host cannot read, and blits that the host's blit
// refuses.
#pragma once

#include "espryt_transfer.h"

namespace espryt {

// Draws texels of one slice into an internal 32-bit framebuffer, bound for reading afterwards;
// `layout` says what it holds. False when the host cannot. shader_fetch_done() restores what was
// disturbed.
bool shader_fetch(context *ctx, resource *r, unsigned level, unsigned slice, unsigned aspects,
                  int x, int y, unsigned w, unsigned h, uint32_t *layout);
void shader_fetch_done(context *ctx);
// Programs, samplers and textures of internal draws; made again when needed.
void blit_tools_destroy(context *ctx);

} // namespace espryt
