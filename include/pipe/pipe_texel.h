// SPDX-License-Identifier: MIT
// Conversion of texels on the CPU, for storage that differs from what was asked for and for
// read-back. Colours go through four 32-bit words per texel, in the class of the format (float for
// normalised and float formats, int and uint for integer ones); missing components read 0, 0, 0, 1.
// sRGB components are not decoded: conversions keep the encoded value, as copies in GL do. No
// function allocates.
#pragma once

#include "pipe/pipe_format.h"

#include <cstddef>
#include <cstdint>

namespace pipe_texel {

union texel {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
};

enum class texel_class : uint8_t { real, sint, uint };

texel_class class_of(uint32_t format);

// `count` texels; false (nothing written) for compressed and depth-stencil formats.
bool unpack_texels(uint32_t format, const void *src, texel *dst, size_t count);
bool pack_texels(uint32_t format, const texel *src, void *dst, size_t count);

// Depth (as [0,1] or the float itself) and stencil of a depth-stencil format. Packing leaves the
// bits of the other aspect as they are.
bool unpack_depth(uint32_t format, const void *src, double *dst, size_t count);
bool pack_depth(uint32_t format, const double *src, void *dst, size_t count);
bool unpack_stencil(uint32_t format, const void *src, uint8_t *dst, size_t count);
bool pack_stencil(uint32_t format, const uint8_t *src, void *dst, size_t count);

struct texel_rect {
    void *data; // first texel of the first row
    uint32_t format;
    uint64_t row_stride;   // bytes
    uint64_t slice_stride; // bytes
};

// Converts width x height x depth texels. Equal formats are copied byte for byte (blocks included).
// Depth-stencil to depth-stencil converts the aspects both have. False when the pair has no
// conversion.
bool convert_texels(const texel_rect &dst, const texel_rect &src, uint32_t width, uint32_t height,
                    uint32_t depth);

} // namespace pipe_texel
