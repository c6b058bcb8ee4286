// SPDX-License-Identifier: MIT
// Bytes in and out of resources.
#pragma once

#include "espryt_framebuffer.h"

namespace espryt {

// Writes one region of a level; `bytes` is the start of the span that region.offset counts from.
// With a bound unpack buffer (see transfer.cpp) the address is an offset.
bool upload_region(context *ctx, resource *r, unsigned level, const pipe_region &region,
                   const void *bytes, uint64_t size);

// Copies texels or blocks between textures, by the cheapest way that works.
void copy_texture(context *ctx, resource *src, resource *dst, const pipe_resource_copy_region *p);

struct pixel_dest {
    uint8_t *ptr;
    uint64_t size;
    uint32_t format;
    uint32_t row_stride;
};

// The format of the same bits without the sRGB encoding, for texels that stay encoded.
uint32_t linear_name(uint32_t format);

// Reads from the framebuffer bound for reading, whose read attachment has `format`. False when the
// host cannot.
bool read_color(context *ctx, uint32_t format, int x, int y, unsigned w, unsigned h,
                const pixel_dest &d);
bool read_depth_stencil(context *ctx, uint32_t format, unsigned aspects, int x, int y, unsigned w,
                        unsigned h, const pixel_dest &d);
// Reads one slice of a level, by the cheapest way that works.
bool read_slice(context *ctx, resource *r, unsigned level, unsigned slice, unsigned aspects, int x,
                int y, unsigned w, unsigned h, const pixel_dest &d);

} // namespace espryt
