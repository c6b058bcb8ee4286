// SPDX-License-Identifier: MIT
// Client pixels <-> texels of a pipe format (GL 4.6 sections 8.4.4, 8.4.5, 18.2.8). Pure functions:
// no context, no allocation that a caller could see, any thread.
#pragma once

#include "objects/formats.h"
#include "pipe/pipe.h"

namespace gl {

// Texels in a pipe format: first texel, bytes between rows and between slices.
struct TexelBlock {
    void *data;
    pipe_format format;
    uint64_t row_stride, slice_stride;
};
// Client memory of a transfer: `base` is the program's pointer (or the start of the pixel buffer
// plus the offset); rows, skips, alignment and byte order come from `store`.
struct ClientPixels {
    void *base;
    GLenum format, type;
    const PixelStore *store;
    unsigned dims; // 1, 2, 3: which of the skips and heights apply
};

// Upload: w*h*d client texels become texels of `dst`, as the base format of `internal` asks
// (missing components 0, 0, 0, 1; components that the base format lacks are dropped; RGB in a
// four-component format gets alpha 1). Depth-stencil client data may go to one aspect only. False
// when the pair has no conversion.
bool pixels_unpack(const TexelBlock &dst, const FormatInfo &internal, const ClientPixels &src,
                   GLsizei w, GLsizei h, GLsizei d);

// Read-back: texels of `src` become client pixels. `clamp` limits the values to [0, 1] first
// (GL_CLAMP_READ_COLOR). `internal` says which components exist: others read 0, 0, 0, 1.
bool pixels_pack(const ClientPixels &dst, const TexelBlock &src, const FormatInfo &internal,
                 GLsizei w, GLsizei h, GLsizei d, bool clamp);

// Client memory shape of a transfer of blocks of `f` (GL 4.6 section 8.7): rows are rows of blocks.
// A mode counts only where the program told the size of the block that it needs; `dims` as in
// ClientPixels. Values saturate at UINT64_MAX.
PixelLayout compressed_layout(const PixelStore &s, const FormatInfo &f, unsigned dims, GLsizei w,
                              GLsizei h, GLsizei d);
// The skips that count are whole blocks.
bool compressed_skips_fit(const PixelStore &s, unsigned dims);

// The bytes of client memory already are the texels of `format` (byte order, components, no
// conversion): rows can be copied, also by the GPU.
bool pixels_match(pipe_format format, const FormatInfo &internal, GLenum client_format,
                  GLenum client_type, bool swap_bytes);

// The pipe format in which a read-back of `format` texels keeps every bit that (client_format) can
// show: what read_pixels and get_texture_image are asked for. For depth and stencil: Z32_FLOAT,
// S8_UINT or a packed format.
pipe_format pixels_readback_format(pipe_format format, GLenum client_format);

// One client depth/stencil texel.
void pixel_to_depth_stencil(GLenum format, GLenum type, const void *pixel, float &depth,
                            uint32_t &stencil);
} // namespace gl
