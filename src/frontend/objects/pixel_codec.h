// SPDX-License-Identifier: MIT
// One row of client pixels <-> texel words. Used by pixel.cpp only.
#pragma once

#include "objects/gltypes.h"
#include "pipe/pipe_texel.h"

namespace gl {

// How a legal (format, type) pair lies in client memory.
struct PixelCodec {
    GLenum format, type;
    unsigned components;       // 1 to 4
    uint8_t order[4];          // component j is channel order[j] of r, g, b, a
    bool integer;              // *_INTEGER
    bool is_signed;            // of an integer or normalised type
    bool packed;               // one word per texel
    uint8_t bits[4], shift[4]; // packed: of component j
    unsigned element;          // bytes of one component or of the packed word
    unsigned texel;            // bytes of one texel
};
PixelCodec pixel_codec(GLenum format, GLenum type);

// Class of the decoded words: real, sint or uint.
pipe_texel::texel_class codec_class(const PixelCodec &c);
void decode_row(const PixelCodec &c, const uint8_t *src, pipe_texel::texel *dst, size_t count,
                bool swap);
// `cls` is the class of the words.
void encode_row(const PixelCodec &c, const pipe_texel::texel *src, pipe_texel::texel_class cls,
                uint8_t *dst, size_t count, bool swap);

// Depth and stencil of client texels; either destination may be null.
void decode_depth_stencil(const PixelCodec &c, const uint8_t *src, double *depth, uint8_t *stencil,
                          size_t count, bool swap);
// Either source may be null (then the aspect is written as 0).
void encode_depth_stencil(const PixelCodec &c, const double *depth, const uint8_t *stencil,
                          uint8_t *dst, size_t count, bool swap);
} // namespace gl
