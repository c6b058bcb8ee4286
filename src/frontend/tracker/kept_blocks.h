// SPDX-License-Identifier: MIT
// Compressed levels whose format the driver lacks: their texels are stored decoded, their blocks
// are kept here, for glGetCompressedTexImage and for copies.
#pragma once

#include "tracker/decompress.h"
#include "tracker/texture_storage.h"

namespace st {

// Blocks in memory: bytes between rows and between slices.
struct BlockSource {
    const uint8_t *bytes;
    uint64_t row, slice;
};

// Keeps the blocks of a box of whole blocks. What was never given is zero.
void keep_blocks(gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                 const BlockSource &src);

// The blocks of a box, without gaps.
std::vector<uint8_t> kept_blocks(gl::Texture &tex, unsigned face, unsigned level, const Box &box);

// Keeps the blocks and sends their texels (transfer_texture.cpp).
void upload_decoded(gl::Context &c, gl::Texture &tex, unsigned face, unsigned level, const Box &box,
                    const BlockSource &src);

// The level's format is one that the tracker decodes.
bool stored_decoded(const gl::Texture &tex, unsigned face, unsigned level, const Location &at);

// glCopyImageSubData where a side is stored decoded; sizes in texels of `src`. False: the driver
// cannot read the plain side.
bool copy_decoded(gl::Context &c, const ImageRef &src, const ImageRef &dst, GLsizei w, GLsizei h,
                  GLsizei d);

} // namespace st
