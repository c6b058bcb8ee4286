// SPDX-License-Identifier: MIT
// Levels of blocks as the target of a copy or of mipmap generation: no host draws to blocks, so the
// texels come to the client and go back as blocks (GL 4.6 sections 8.6, 8.14.4). They wait for the
// driver.
#pragma once

#include "tracker/texture_storage.h"

namespace st {

// glCopyTex*Image: `box` of a level (z, d: a layer) takes what the framebuffer has from (x, y) on.
void copy_as_blocks(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                    gl::Framebuffer &fb, GLint x, GLint y);

// Levels base + 1 to last from level base, by averages of two texels a side.
void mipmap_as_blocks(gl::Context &c, gl::Texture &tex, unsigned base, unsigned last);

} // namespace st
