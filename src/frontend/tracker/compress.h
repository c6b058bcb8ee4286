// SPDX-License-Identifier: MIT
// Texel blocks from plain texels, for glTexImage with a compressed internal format (GL 4.6
// section 8.5.2 asks for it).
#pragma once

#include "pipe/pipe.h"

namespace st {

// Plain format whose texels compress_blocks() takes for `format` (eight, four, two or one byte
// each), or PIPE_FORMAT_NONE: no encoder.
uint32_t compress_source(uint32_t format);

// Encodes width x height texels in the plain format, `row` bytes apart, into blocks of `format`,
// rows of blocks `out_row` bytes apart. Texels past the edge repeat the last one.
void compress_blocks(uint32_t format, const uint8_t *texels, uint64_t row, uint32_t width,
                     uint32_t height, uint8_t *out, uint64_t out_row);

// One BPTC float block of 16 texels of halves; the fourth component is not looked at.
void compress_float_block(const uint16_t texels[16][4], bool is_signed, uint8_t *out);

} // namespace st
