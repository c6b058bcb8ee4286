// SPDX-License-Identifier: MIT
// Pixel transfer formats and types: legal pairs (GL 4.6 tables 8.2, 8.3, 8.5), sizes and client
// memory layout (8.4.4.1).
#include "objects/formats.h"
#include "objects/pixel.h"
#include "objects/state.h"

namespace gl {

FormatClass transfer_class(GLenum format) {
    switch (format) {
    case GL_RED:
    case GL_GREEN:
    case GL_BLUE:
    case GL_RG:
    case GL_RGB:
    case GL_BGR:
    case GL_RGBA:
    case GL_BGRA:
    case GL_ABGR_EXT: return FormatClass::color;
    case GL_RED_INTEGER:
    case GL_GREEN_INTEGER:
    case GL_BLUE_INTEGER:
    case GL_RG_INTEGER:
    case GL_RGB_INTEGER:
    case GL_BGR_INTEGER:
    case GL_RGBA_INTEGER:
    case GL_BGRA_INTEGER: return FormatClass::color_integer;
    case GL_DEPTH_COMPONENT: return FormatClass::depth;
    case GL_STENCIL_INDEX: return FormatClass::stencil;
    case GL_DEPTH_STENCIL: return FormatClass::depth_stencil;
    default: return FormatClass::none;
    }
}

unsigned components_of(GLenum format) {
    switch (format) {
    case GL_RG:
    case GL_RG_INTEGER:
    case GL_DEPTH_STENCIL: return 2;
    case GL_RGB:
    case GL_BGR:
    case GL_RGB_INTEGER:
    case GL_BGR_INTEGER: return 3;
    case GL_RGBA:
    case GL_BGRA:
    case GL_ABGR_EXT:
    case GL_RGBA_INTEGER:
    case GL_BGRA_INTEGER: return 4;
    default: return transfer_class(format) == FormatClass::none ? 0 : 1;
    }
}

unsigned type_bytes(GLenum type) {
    switch (type) {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE:
    case GL_UNSIGNED_BYTE_3_3_2:
    case GL_UNSIGNED_BYTE_2_3_3_REV: return 1;
    case GL_SHORT:
    case GL_UNSIGNED_SHORT:
    case GL_HALF_FLOAT:
    case GL_UNSIGNED_SHORT_5_6_5:
    case GL_UNSIGNED_SHORT_5_6_5_REV:
    case GL_UNSIGNED_SHORT_4_4_4_4:
    case GL_UNSIGNED_SHORT_4_4_4_4_REV:
    case GL_UNSIGNED_SHORT_5_5_5_1:
    case GL_UNSIGNED_SHORT_1_5_5_5_REV: return 2;
    case GL_INT:
    case GL_UNSIGNED_INT:
    case GL_FLOAT:
    case GL_UNSIGNED_INT_8_8_8_8:
    case GL_UNSIGNED_INT_8_8_8_8_REV:
    case GL_UNSIGNED_INT_10_10_10_2:
    case GL_UNSIGNED_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_24_8:
    case GL_UNSIGNED_INT_10F_11F_11F_REV:
    case GL_UNSIGNED_INT_5_9_9_9_REV: return 4;
    case GL_FLOAT_32_UNSIGNED_INT_24_8_REV: return 8;
    default: return 0;
    }
}

bool type_is_packed(GLenum type) {
    switch (type) {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE:
    case GL_SHORT:
    case GL_UNSIGNED_SHORT:
    case GL_HALF_FLOAT:
    case GL_INT:
    case GL_UNSIGNED_INT:
    case GL_FLOAT: return false;
    default: return true;
    }
}

unsigned texel_bytes(GLenum format, GLenum type) {
    return type_is_packed(type) ? type_bytes(type) : type_bytes(type) * components_of(format);
}

GLenum check_format_type(GLenum format, GLenum type) {
    FormatClass cls = transfer_class(format);
    if (cls == FormatClass::none || type_bytes(type) == 0)
        return GL_INVALID_ENUM;
    bool rgb = format == GL_RGB || format == GL_RGB_INTEGER;
    bool rgba = format == GL_RGBA || format == GL_BGRA || format == GL_ABGR_EXT ||
                format == GL_RGBA_INTEGER || format == GL_BGRA_INTEGER;
    bool ok = true;
    switch (type) {
    case GL_UNSIGNED_BYTE_3_3_2:
    case GL_UNSIGNED_BYTE_2_3_3_REV:
    case GL_UNSIGNED_SHORT_5_6_5:
    case GL_UNSIGNED_SHORT_5_6_5_REV: ok = rgb; break;
    case GL_UNSIGNED_SHORT_4_4_4_4:
    case GL_UNSIGNED_SHORT_4_4_4_4_REV:
    case GL_UNSIGNED_SHORT_5_5_5_1:
    case GL_UNSIGNED_SHORT_1_5_5_5_REV:
    case GL_UNSIGNED_INT_8_8_8_8:
    case GL_UNSIGNED_INT_8_8_8_8_REV:
    case GL_UNSIGNED_INT_10_10_10_2:
    case GL_UNSIGNED_INT_2_10_10_10_REV: ok = rgba; break;
    case GL_UNSIGNED_INT_10F_11F_11F_REV:
    case GL_UNSIGNED_INT_5_9_9_9_REV: ok = format == GL_RGB; break;
    case GL_UNSIGNED_INT_24_8:
    case GL_FLOAT_32_UNSIGNED_INT_24_8_REV: ok = cls == FormatClass::depth_stencil; break;
    case GL_FLOAT:
    case GL_HALF_FLOAT:
        if (cls == FormatClass::color_integer)
            return GL_INVALID_ENUM;
        [[fallthrough]];
    default: ok = cls != FormatClass::depth_stencil; break;
    }
    // The packed depth-stencil format with another type is an enum error (GL 4.6 section 8.4.4).
    if (!ok)
        return cls == FormatClass::depth_stencil ? GL_INVALID_ENUM : GL_INVALID_OPERATION;
    return GL_NO_ERROR;
}

GLenum check_transfer_to(const FormatInfo &f, GLenum format) {
    bool ok = false;
    switch (transfer_class(format)) {
    case FormatClass::color: ok = f.color() && !f.integer(); break;
    case FormatClass::color_integer: ok = f.color() && f.integer(); break;
    case FormatClass::depth: ok = f.depth(); break;
    case FormatClass::stencil: ok = f.stencil(); break;
    case FormatClass::depth_stencil: ok = f.depth(); break;
    case FormatClass::none: break;
    }
    return ok ? GL_NO_ERROR : GL_INVALID_OPERATION;
}

namespace {
// Saturating: a layout that no memory holds must not look small.
uint64_t mul(uint64_t a, uint64_t b) {
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}
uint64_t add(uint64_t a, uint64_t b) {
    uint64_t r;
    return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}
} // namespace

PixelLayout pixel_layout(const PixelStore &s, unsigned dims, GLsizei w, GLsizei h, GLsizei d,
                         GLenum format, GLenum type) {
    uint64_t texel = texel_bytes(format, type), element = type_bytes(type),
             align = uint64_t(s.alignment);
    uint64_t row = texel * uint64_t(s.row_length > 0 ? s.row_length : w);
    if (element < align)
        row = (row + align - 1) / align * align;
    uint64_t rows = uint64_t(dims == 3 && s.image_height > 0 ? s.image_height : h);
    PixelLayout l{row, mul(row, rows), 0, 0};
    l.first = add(texel * uint64_t(s.skip_pixels),
                  add(dims > 1 ? mul(row, uint64_t(s.skip_rows)) : 0,
                      dims == 3 ? mul(l.image_stride, uint64_t(s.skip_images)) : 0));
    if (w > 0 && h > 0 && d > 0)
        l.total = add(l.first, add(mul(l.image_stride, uint64_t(d - 1)),
                                   add(mul(row, uint64_t(h - 1)), texel * uint64_t(w))));
    return l;
}

PixelLayout compressed_layout(const PixelStore &s, const FormatInfo &f, unsigned dims, GLsizei w,
                              GLsizei h, GLsizei d) {
    const bool by_x = s.block_size && s.block_width, by_y = dims > 1 && by_x && s.block_height,
               by_z = dims == 3 && by_y && s.block_depth;
    const auto blocks = [](GLsizei n, GLsizei of) {
        return (uint64_t(n) + uint64_t(of) - 1) / uint64_t(of);
    };
    const uint64_t bytes = uint64_t(s.block_size), tight = blocks(w, f.block_w) * f.block_bytes,
                   rows = blocks(h, f.block_h);
    PixelLayout l{};
    l.row_stride = by_x && s.row_length ? blocks(s.row_length, s.block_width) * bytes : tight;
    l.image_stride =
        mul(l.row_stride,
            by_y && dims == 3 && s.image_height ? blocks(s.image_height, s.block_height) : rows);
    if (by_x)
        l.first = uint64_t(s.skip_pixels / s.block_width) * bytes;
    if (by_y)
        l.first = add(l.first, mul(l.row_stride, uint64_t(s.skip_rows / s.block_height)));
    if (by_z)
        l.first = add(l.first, mul(l.image_stride, uint64_t(s.skip_images / s.block_depth)));
    if (w > 0 && h > 0 && d > 0)
        l.total = add(l.first, add(mul(l.image_stride, uint64_t(d - 1)),
                                   add(mul(l.row_stride, rows - 1), tight)));
    return l;
}

bool compressed_skips_fit(const PixelStore &s, unsigned dims) {
    if (!s.block_size || !s.block_width)
        return true;
    if (s.skip_pixels % s.block_width)
        return false;
    if (dims == 1 || !s.block_height)
        return true;
    return s.skip_rows % s.block_height == 0 &&
           (dims == 2 || !s.block_depth || s.skip_images % s.block_depth == 0);
}
} // namespace gl
