// SPDX-License-Identifier: MIT
// Texels from blocks, for compressed formats that the driver lacks (GL 4.6 appendix D; Khronos Data
// Format Specification 1.3, chapters 18 to 23).
#pragma once

#include "objects/formats.h"
#include "pipe/pipe.h"

namespace st {

// What the texels of a format become: a client (format, type) pair, `bytes` each.
struct DecodedPair {
    GLenum format, type;
    unsigned bytes;
};
DecodedPair decoded_pair(const gl::FormatInfo &f);
pipe_format decoded_format(const gl::FormatInfo &f); // the same texels as a pipe format

// Decodes the blocks of a width x height image, rows of blocks `block_row` bytes apart, into
// texels of decoded_pair(f), rows `row` bytes apart. Every block decodes: wrong ones give the
// colour that their specification names.
void decompress_blocks(const gl::FormatInfo &f, const uint8_t *blocks, uint64_t block_row,
                       uint32_t width, uint32_t height, uint8_t *texels, uint64_t row);

// One block of a family, texels row by row without gaps. At most 12 x 12 texels of 6 bytes.
void decode_s3tc(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out);
void decode_rgtc(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out);
void decode_etc2(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out);
void decode_bptc_unorm(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out);
void decode_bptc_float(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out);
void decode_astc(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out);

} // namespace st
