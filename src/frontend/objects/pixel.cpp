// SPDX-License-Identifier: MIT
// Whole transfers between client memory and texels: rows by way of texel words, or copied where
// nothing changes.
#include "objects/pixel.h"

#include "objects/pixel_codec.h"
#include "objects/state.h"

#include <algorithm>
#include <cstring>

namespace gl {

using pipe_texel::texel;
using pipe_texel::texel_class;

namespace {

constexpr size_t kChunk = 256;

bool depth_stencil(pipe_format f) {
    return pipe_format_describe(f)->layout == PIPE_FORMAT_LAYOUT_ZS;
}

// Components that the base format of an internal format has, as a mask of r, g, b, a.
unsigned base_components(GLenum base) {
    switch (base) {
    case GL_RED: return 1;
    case GL_RG: return 3;
    case GL_RGB: return 7;
    default: return 15;
    }
}

void limit_to_base(texel *t, size_t n, unsigned mask, bool integer) {
    if (mask == 15)
        return;
    for (size_t k = 0; k < n; k++)
        for (unsigned c = 0; c < 4; c++)
            if (!(mask >> c & 1)) {
                if (c < 3)
                    t[k].u[c] = 0;
                else if (integer)
                    t[k].u[3] = 1;
                else
                    t[k].f[3] = 1;
            }
}

void convert_int_class(texel *t, size_t n, texel_class from, texel_class to) {
    if (from == to)
        return;
    for (size_t k = 0; k < n; k++)
        for (unsigned c = 0; c < 4; c++) {
            if (from == texel_class::sint)
                t[k].i[c] = std::max(t[k].i[c], 0);
            else
                t[k].u[c] = std::min(t[k].u[c], 0x7fffffffu);
        }
}

void unpack_color_row(const TexelBlock &dst, uint8_t *out, unsigned mask, const PixelCodec &codec,
                      const uint8_t *in, size_t count, bool swap) {
    texel buffer[kChunk];
    const texel_class to = pipe_texel::class_of(dst.format);
    const size_t block = pipe_format_describe(dst.format)->block_bytes;
    while (count) {
        const size_t n = std::min(count, kChunk);
        decode_row(codec, in, buffer, n, swap);
        convert_int_class(buffer, n, codec_class(codec), to);
        limit_to_base(buffer, n, mask, codec.integer);
        pipe_texel::pack_texels(dst.format, buffer, out, n);
        in += n * codec.texel;
        out += n * block;
        count -= n;
    }
}

void unpack_zs_row(const TexelBlock &dst, uint8_t *out, const PixelCodec &codec, const uint8_t *in,
                   size_t count, bool swap) {
    double depth[kChunk];
    uint8_t stencil[kChunk];
    const FormatClass cls = transfer_class(codec.format);
    const size_t block = pipe_format_describe(dst.format)->block_bytes;
    while (count) {
        const size_t n = std::min(count, kChunk);
        decode_depth_stencil(codec, in, depth, stencil, n, swap);
        for (size_t k = 0; k < n; k++)
            depth[k] = dst.format == PIPE_FORMAT_Z32_FLOAT ||
                               dst.format == PIPE_FORMAT_Z32_FLOAT_S8X24_UINT
                           ? depth[k]
                           : std::clamp(depth[k], 0.0, 1.0);
        if (cls != FormatClass::stencil)
            pipe_texel::pack_depth(dst.format, depth, out, n);
        if (cls != FormatClass::depth)
            pipe_texel::pack_stencil(dst.format, stencil, out, n);
        in += n * codec.texel;
        out += n * block;
        count -= n;
    }
}

void pack_color_row(const PixelCodec &codec, uint8_t *out, const TexelBlock &src, const uint8_t *in,
                    unsigned mask, size_t count, bool swap, bool clamp) {
    texel buffer[kChunk];
    const texel_class cls = pipe_texel::class_of(src.format);
    const size_t block = pipe_format_describe(src.format)->block_bytes;
    while (count) {
        const size_t n = std::min(count, kChunk);
        pipe_texel::unpack_texels(src.format, in, buffer, n);
        limit_to_base(buffer, n, mask, cls != texel_class::real);
        if (clamp && cls == texel_class::real)
            for (size_t k = 0; k < n; k++)
                for (float &f : buffer[k].f)
                    f = std::clamp(f, 0.0f, 1.0f);
        encode_row(codec, buffer, cls, out, n, swap);
        in += n * block;
        out += n * codec.texel;
        count -= n;
    }
}

void pack_zs_row(const PixelCodec &codec, uint8_t *out, const TexelBlock &src, const uint8_t *in,
                 size_t count, bool swap) {
    double depth[kChunk] = {};
    uint8_t stencil[kChunk] = {};
    const size_t block = pipe_format_describe(src.format)->block_bytes;
    while (count) {
        const size_t n = std::min(count, kChunk);
        pipe_texel::unpack_depth(src.format, in, depth, n);
        pipe_texel::unpack_stencil(src.format, in, stencil, n);
        encode_depth_stencil(codec, depth, stencil, out, n, swap);
        in += n * block;
        out += n * codec.texel;
        count -= n;
    }
}

// Calls row(client row, texel row) for every row of every slice.
template <class Row>
void each_row(const ClientPixels &client, const TexelBlock &block, GLsizei w, GLsizei h, GLsizei d,
              Row row) {
    const PixelLayout l =
        pixel_layout(*client.store, client.dims, w, h, d, client.format, client.type);
    for (GLsizei z = 0; z < d; z++)
        for (GLsizei y = 0; y < h; y++)
            row(static_cast<uint8_t *>(client.base) + l.first + uint64_t(z) * l.image_stride +
                    uint64_t(y) * l.row_stride,
                static_cast<uint8_t *>(block.data) + uint64_t(z) * block.slice_stride +
                    uint64_t(y) * block.row_stride);
}

} // namespace

bool pixels_match(pipe_format format, const FormatInfo &internal, GLenum client_format,
                  GLenum client_type, bool swap_bytes) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    const PixelCodec c = pixel_codec(client_format, client_type);
    if (swap_bytes && c.element > 1)
        return false;
    if (d.layout == PIPE_FORMAT_LAYOUT_ZS)
        return (format == PIPE_FORMAT_Z32_FLOAT && client_format == GL_DEPTH_COMPONENT &&
                client_type == GL_FLOAT) ||
               (format == PIPE_FORMAT_Z16_UNORM && client_format == GL_DEPTH_COMPONENT &&
                client_type == GL_UNSIGNED_SHORT) ||
               (format == PIPE_FORMAT_S8_UINT && client_format == GL_STENCIL_INDEX &&
                client_type == GL_UNSIGNED_BYTE);
    if (format == PIPE_FORMAT_R9G9B9E5_FLOAT) // equal colours have several spellings
        return client_format == GL_RGB && client_type == GL_UNSIGNED_INT_5_9_9_9_REV;
    if (d.is_compressed || c.texel != d.block_bytes || c.integer != bool(d.is_integer) ||
        c.components != d.num_channels)
        return false;
    // A dropped component must be dropped in memory too.
    if (base_components(internal.base) != 15 &&
        components_of(client_format) !=
            components_of(internal.base == GL_RG ? GL_RG : internal.base))
        return false;
    if (c.packed) {
        if (d.format == PIPE_FORMAT_R11G11B10_FLOAT)
            return client_type == GL_UNSIGNED_INT_10F_11F_11F_REV;
        if (d.is_float || d.is_signed)
            return false;
        for (unsigned j = 0; j < c.components; j++) {
            const int k = d.channel_of[c.order[j]];
            if (k < 0 || d.channel[k].bits != c.bits[j] || d.channel[k].shift != c.shift[j])
                return false;
        }
        return true;
    }
    const bool real_float = client_type == GL_FLOAT || client_type == GL_HALF_FLOAT;
    if (real_float != bool(d.is_float) || (!real_float && c.is_signed != bool(d.is_signed)))
        return false;
    for (unsigned j = 0; j < c.components; j++) {
        const int k = d.channel_of[c.order[j]];
        if (k < 0 || d.channel[k].bits != c.element * 8 || d.channel[k].shift != j * c.element * 8)
            return false;
    }
    return true;
}

bool pixels_unpack(const TexelBlock &dst, const FormatInfo &internal, const ClientPixels &src,
                   GLsizei w, GLsizei h, GLsizei d) {
    const PixelCodec codec = pixel_codec(src.format, src.type);
    const bool swap = src.store->swap_bytes, zs = depth_stencil(dst.format);
    const FormatClass cls = transfer_class(src.format);
    if (zs != (cls == FormatClass::depth || cls == FormatClass::stencil ||
               cls == FormatClass::depth_stencil))
        return false;
    if (pixels_match(dst.format, internal, src.format, src.type, swap)) {
        each_row(src, dst, w, h, d, [&](uint8_t *client, uint8_t *row) {
            memcpy(row, client, size_t(w) * codec.texel);
        });
        return true;
    }
    const unsigned mask = base_components(internal.base);
    each_row(src, dst, w, h, d, [&](const uint8_t *client, uint8_t *row) {
        if (zs)
            unpack_zs_row(dst, row, codec, client, size_t(w), swap);
        else
            unpack_color_row(dst, row, mask, codec, client, size_t(w), swap);
    });
    return true;
}

bool pixels_pack(const ClientPixels &dst, const TexelBlock &src, const FormatInfo &internal,
                 GLsizei w, GLsizei h, GLsizei d, bool clamp) {
    const PixelCodec codec = pixel_codec(dst.format, dst.type);
    const bool swap = dst.store->swap_bytes, zs = depth_stencil(src.format);
    const FormatClass cls = transfer_class(dst.format);
    if (zs != (cls == FormatClass::depth || cls == FormatClass::stencil ||
               cls == FormatClass::depth_stencil))
        return false;
    if (!clamp && pixels_match(src.format, internal, dst.format, dst.type, swap)) {
        each_row(dst, src, w, h, d, [&](uint8_t *client, const uint8_t *row) {
            memcpy(client, row, size_t(w) * codec.texel);
        });
        return true;
    }
    const unsigned mask = base_components(internal.base);
    each_row(dst, src, w, h, d, [&](uint8_t *client, const uint8_t *row) {
        if (zs)
            pack_zs_row(codec, client, src, row, size_t(w), swap);
        else
            pack_color_row(codec, client, src, row, mask, size_t(w), swap, clamp);
    });
    return true;
}

pipe_format pixels_readback_format(pipe_format format, GLenum client_format) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    switch (transfer_class(client_format)) {
    case FormatClass::depth: return PIPE_FORMAT_Z32_FLOAT;
    case FormatClass::stencil: return PIPE_FORMAT_S8_UINT;
    case FormatClass::depth_stencil:
        return format == PIPE_FORMAT_Z24_UNORM_S8_UINT ? format : PIPE_FORMAT_Z32_FLOAT_S8X24_UINT;
    default: break;
    }
    if (format == PIPE_FORMAT_R9G9B9E5_FLOAT)
        return format;
    if (d.is_integer)
        return d.is_signed ? PIPE_FORMAT_R32G32B32A32_SINT : PIPE_FORMAT_R32G32B32A32_UINT;
    const bool bytes =
        !d.is_compressed && !d.is_signed && !d.is_float && d.num_channels && d.channel[0].bits == 8;
    if (bytes)
        return d.is_srgb ? PIPE_FORMAT_R8G8B8A8_SRGB : PIPE_FORMAT_R8G8B8A8_UNORM;
    return PIPE_FORMAT_R32G32B32A32_FLOAT;
}

void pixel_to_depth_stencil(GLenum format, GLenum type, const void *pixel, float &depth,
                            uint32_t &stencil) {
    double z = 0;
    uint8_t s = 0;
    decode_depth_stencil(pixel_codec(format, type), static_cast<const uint8_t *>(pixel), &z, &s, 1,
                         false);
    depth = float(z);
    stencil = s;
}
} // namespace gl
