// SPDX-License-Identifier: MIT
// Client pixel layouts (GL 4.6 tables 8.2, 8.3, 8.6 to 8.9) and the conversions of section 2.3.5.
#include "objects/pixel_codec.h"

#include "objects/formats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gl {

using pipe_texel::texel;
using pipe_texel::texel_class;

namespace {

struct Packed {
    GLenum type;
    uint8_t bits[4]; // of components 0.., from the most significant bit down; reversed types from
                     // the least
    bool reversed;
};
constexpr Packed kPacked[] = {
    {GL_UNSIGNED_BYTE_3_3_2, {3, 3, 2, 0}, false},
    {GL_UNSIGNED_BYTE_2_3_3_REV, {3, 3, 2, 0}, true},
    {GL_UNSIGNED_SHORT_5_6_5, {5, 6, 5, 0}, false},
    {GL_UNSIGNED_SHORT_5_6_5_REV, {5, 6, 5, 0}, true},
    {GL_UNSIGNED_SHORT_4_4_4_4, {4, 4, 4, 4}, false},
    {GL_UNSIGNED_SHORT_4_4_4_4_REV, {4, 4, 4, 4}, true},
    {GL_UNSIGNED_SHORT_5_5_5_1, {5, 5, 5, 1}, false},
    {GL_UNSIGNED_SHORT_1_5_5_5_REV, {5, 5, 5, 1}, true},
    {GL_UNSIGNED_INT_8_8_8_8, {8, 8, 8, 8}, false},
    {GL_UNSIGNED_INT_8_8_8_8_REV, {8, 8, 8, 8}, true},
    {GL_UNSIGNED_INT_10_10_10_2, {10, 10, 10, 2}, false},
    {GL_UNSIGNED_INT_2_10_10_10_REV, {10, 10, 10, 2}, true},
};

void set_order(PixelCodec &c, GLenum format) {
    const auto order = [&c](unsigned n, uint8_t a, uint8_t b = 0, uint8_t d = 0, uint8_t e = 0) {
        c.components = n;
        c.order[0] = a;
        c.order[1] = b;
        c.order[2] = d;
        c.order[3] = e;
    };
    switch (format) {
    case GL_GREEN:
    case GL_GREEN_INTEGER: return order(1, 1);
    case GL_BLUE:
    case GL_BLUE_INTEGER: return order(1, 2);
    case GL_RG:
    case GL_RG_INTEGER: return order(2, 0, 1);
    case GL_RGB:
    case GL_RGB_INTEGER: return order(3, 0, 1, 2);
    case GL_BGR:
    case GL_BGR_INTEGER: return order(3, 2, 1, 0);
    case GL_RGBA:
    case GL_RGBA_INTEGER: return order(4, 0, 1, 2, 3);
    case GL_BGRA:
    case GL_BGRA_INTEGER: return order(4, 2, 1, 0, 3);
    case GL_ABGR_EXT: return order(4, 3, 2, 1, 0);
    default: return order(1, 0);
    }
}

template <class T> T load(const uint8_t *p, bool swap) {
    uint8_t b[sizeof(T)];
    memcpy(b, p, sizeof b);
    if (swap)
        std::reverse(b, b + sizeof b);
    T v;
    memcpy(&v, b, sizeof v);
    return v;
}

template <class T> void store(uint8_t *p, T v, bool swap) {
    uint8_t b[sizeof(T)];
    memcpy(b, &v, sizeof b);
    if (swap)
        std::reverse(b, b + sizeof b);
    memcpy(p, b, sizeof b);
}

uint32_t load_word(const uint8_t *p, unsigned bytes, bool swap) {
    return bytes == 1 ? *p : bytes == 2 ? load<uint16_t>(p, swap) : load<uint32_t>(p, swap);
}

void store_word(uint8_t *p, unsigned bytes, uint32_t v, bool swap) {
    if (bytes == 1)
        *p = uint8_t(v);
    else if (bytes == 2)
        store(p, uint16_t(v), swap);
    else
        store(p, v, swap);
}

float half_to_float(uint16_t h) {
    texel t;
    pipe_texel::unpack_texels(PIPE_FORMAT_R16_FLOAT, &h, &t, 1);
    return t.f[0];
}

uint16_t float_to_half(float f) {
    texel t{};
    t.f[0] = f;
    uint16_t h;
    pipe_texel::pack_texels(PIPE_FORMAT_R16_FLOAT, &t, &h, 1);
    return h;
}

// Signed view of an element of 1, 2 or 4 bytes.
int64_t load_signed(const uint8_t *p, unsigned bytes, bool swap) {
    return bytes == 1   ? int64_t(int8_t(*p))
           : bytes == 2 ? int64_t(load<int16_t>(p, swap))
                        : int64_t(load<int32_t>(p, swap));
}

double load_real(const PixelCodec &c, const uint8_t *p, bool swap) {
    if (c.type == GL_FLOAT)
        return load<float>(p, swap);
    if (c.type == GL_HALF_FLOAT)
        return half_to_float(load<uint16_t>(p, swap));
    const double max = double((uint64_t(1) << (c.element * 8 - (c.is_signed ? 1 : 0))) - 1);
    if (c.is_signed)
        return std::max(-1.0, double(load_signed(p, c.element, swap)) / max);
    return double(load_word(p, c.element, swap)) / max;
}

void store_real(const PixelCodec &c, uint8_t *p, double v, bool swap) {
    if (c.type == GL_FLOAT)
        return store(p, float(v), swap);
    if (c.type == GL_HALF_FLOAT)
        return store(p, float_to_half(float(v)), swap);
    const double max = double((uint64_t(1) << (c.element * 8 - (c.is_signed ? 1 : 0))) - 1);
    const double low = c.is_signed ? -1.0 : 0.0;
    v = std::isnan(v) ? 0.0 : std::clamp(v, low, 1.0);
    store_word(p, c.element, uint32_t(int64_t(std::nearbyint(v * max))), swap);
}

// Stencil values keep their low bits; what is no number is 0.
uint8_t stencil_of(double v) {
    return std::isfinite(v) ? uint8_t(int64_t(std::clamp(v, -2147483648.0, 4294967295.0))) : 0;
}

void decode_special(const PixelCodec &c, uint32_t word, texel &t) {
    const uint32_t format = c.type == GL_UNSIGNED_INT_5_9_9_9_REV ? PIPE_FORMAT_R9G9B9E5_FLOAT
                                                                  : PIPE_FORMAT_R11G11B10_FLOAT;
    pipe_texel::unpack_texels(format, &word, &t, 1);
}

uint32_t encode_special(const PixelCodec &c, const texel &t) {
    const uint32_t format = c.type == GL_UNSIGNED_INT_5_9_9_9_REV ? PIPE_FORMAT_R9G9B9E5_FLOAT
                                                                  : PIPE_FORMAT_R11G11B10_FLOAT;
    uint32_t word = 0;
    pipe_texel::pack_texels(format, &t, &word, 1);
    return word;
}

bool special(const PixelCodec &c) {
    return c.type == GL_UNSIGNED_INT_5_9_9_9_REV || c.type == GL_UNSIGNED_INT_10F_11F_11F_REV;
}

void decode_packed(const PixelCodec &c, const uint8_t *p, texel &t, bool swap) {
    const uint32_t word = load_word(p, c.element, swap);
    if (special(c))
        return decode_special(c, word, t);
    for (unsigned j = 0; j < c.components; j++) {
        const uint32_t max = (1u << c.bits[j]) - 1, v = word >> c.shift[j] & max;
        if (c.integer)
            t.u[c.order[j]] = v;
        else
            t.f[c.order[j]] = float(double(v) / double(max));
    }
}

// Clamps an integer word of class `cls` to [low, high].
int64_t clamp_int(const texel &t, unsigned channel, texel_class cls, int64_t low, int64_t high) {
    const int64_t v = cls == texel_class::sint ? int64_t(t.i[channel]) : int64_t(t.u[channel]);
    return std::clamp(v, low, high);
}

void encode_packed(const PixelCodec &c, const texel &t, texel_class cls, uint8_t *p, bool swap) {
    if (special(c))
        return store_word(p, c.element, encode_special(c, t), swap);
    uint32_t word = 0;
    for (unsigned j = 0; j < c.components; j++) {
        const uint32_t max = (1u << c.bits[j]) - 1;
        uint32_t v;
        if (c.integer)
            v = uint32_t(clamp_int(t, c.order[j], cls, 0, max));
        else
            v = uint32_t(std::nearbyint(
                std::clamp(double(std::isnan(t.f[c.order[j]]) ? 0.0f : t.f[c.order[j]]), 0.0, 1.0) *
                max));
        word |= v << c.shift[j];
    }
    store_word(p, c.element, word, swap);
}

void encode_int(const PixelCodec &c, const texel &t, unsigned channel, texel_class cls, uint8_t *p,
                bool swap) {
    const unsigned n = c.element * 8;
    const int64_t low = c.is_signed ? -(int64_t(1) << (n - 1)) : 0;
    const int64_t high = c.is_signed ? (int64_t(1) << (n - 1)) - 1 : (int64_t(1) << n) - 1;
    store_word(p, c.element, uint32_t(clamp_int(t, channel, cls, low, high)), swap);
}

} // namespace

PixelCodec pixel_codec(GLenum format, GLenum type) {
    PixelCodec c{};
    c.format = format;
    c.type = type;
    set_order(c, format);
    c.integer = transfer_class(format) == FormatClass::color_integer;
    c.is_signed = type == GL_BYTE || type == GL_SHORT || type == GL_INT;
    c.packed = type_is_packed(type);
    c.element = type_bytes(type);
    c.texel = texel_bytes(format, type);
    for (const Packed &p : kPacked) {
        if (p.type != type)
            continue;
        unsigned at = p.reversed ? 0 : c.element * 8;
        for (unsigned j = 0; j < c.components; j++) {
            c.bits[j] = p.bits[j];
            if (!p.reversed)
                at -= p.bits[j];
            c.shift[j] = uint8_t(at);
            if (p.reversed)
                at += p.bits[j];
        }
    }
    return c;
}

texel_class codec_class(const PixelCodec &c) {
    return !c.integer ? texel_class::real : c.is_signed ? texel_class::sint : texel_class::uint;
}

void decode_row(const PixelCodec &c, const uint8_t *src, texel *dst, size_t count, bool swap) {
    for (size_t n = 0; n < count; n++, src += c.texel) {
        texel &t = dst[n];
        t.u[0] = t.u[1] = t.u[2] = 0;
        if (c.integer)
            t.u[3] = 1;
        else
            t.f[3] = 1;
        if (c.packed) {
            decode_packed(c, src, t, swap);
            continue;
        }
        for (unsigned j = 0; j < c.components; j++) {
            const uint8_t *p = src + j * c.element;
            if (!c.integer)
                t.f[c.order[j]] = float(load_real(c, p, swap));
            else
                t.u[c.order[j]] = c.is_signed ? uint32_t(load_signed(p, c.element, swap))
                                              : load_word(p, c.element, swap);
        }
    }
}

void encode_row(const PixelCodec &c, const texel *src, texel_class cls, uint8_t *dst, size_t count,
                bool swap) {
    for (size_t n = 0; n < count; n++, dst += c.texel) {
        if (c.packed) {
            encode_packed(c, src[n], cls, dst, swap);
            continue;
        }
        for (unsigned j = 0; j < c.components; j++) {
            uint8_t *p = dst + j * c.element;
            if (c.integer)
                encode_int(c, src[n], c.order[j], cls, p, swap);
            else
                store_real(c, p, double(src[n].f[c.order[j]]), swap);
        }
    }
}

void decode_depth_stencil(const PixelCodec &c, const uint8_t *src, double *depth, uint8_t *stencil,
                          size_t count, bool swap) {
    for (size_t n = 0; n < count; n++, src += c.texel) {
        double z = 0;
        uint8_t s = 0;
        if (c.type == GL_UNSIGNED_INT_24_8) {
            const uint32_t w = load<uint32_t>(src, swap);
            z = double(w >> 8) / 16777215.0;
            s = uint8_t(w);
        } else if (c.type == GL_FLOAT_32_UNSIGNED_INT_24_8_REV) {
            z = double(load<float>(src, swap));
            s = uint8_t(load<uint32_t>(src + 4, swap));
        } else if (c.format == GL_STENCIL_INDEX) {
            if (c.type == GL_FLOAT || c.type == GL_HALF_FLOAT)
                s = stencil_of(load_real(c, src, swap));
            else
                s = uint8_t(load_word(src, c.element, swap));
        } else {
            z = load_real(c, src, swap);
        }
        if (depth)
            depth[n] = z;
        if (stencil)
            stencil[n] = s;
    }
}

void encode_depth_stencil(const PixelCodec &c, const double *depth, const uint8_t *stencil,
                          uint8_t *dst, size_t count, bool swap) {
    for (size_t n = 0; n < count; n++, dst += c.texel) {
        const double z = depth ? depth[n] : 0;
        const uint8_t s = stencil ? stencil[n] : 0;
        if (c.type == GL_UNSIGNED_INT_24_8) {
            store(dst, uint32_t(std::nearbyint(std::clamp(z, 0.0, 1.0) * 16777215.0)) << 8 | s,
                  swap);
        } else if (c.type == GL_FLOAT_32_UNSIGNED_INT_24_8_REV) {
            store(dst, float(z), swap);
            store(dst + 4, uint32_t(s), swap);
        } else if (c.format == GL_STENCIL_INDEX) {
            if (c.type == GL_FLOAT || c.type == GL_HALF_FLOAT)
                store_real(c, dst, s, swap);
            else
                store_word(dst, c.element, c.is_signed && c.element == 1 ? uint32_t(s & 0x7f) : s,
                           swap);
        } else {
            store_real(c, dst, z, swap);
        }
    }
}
} // namespace gl
