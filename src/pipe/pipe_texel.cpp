// SPDX-License-Identifier: MIT
// Texel conversion driven by the format table of the pipe.
#include "pipe/pipe_texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace pipe_texel {

namespace {

float half_to_float(uint32_t h) {
    uint32_t sign = (h & 0x8000u) << 16, exp = h >> 10 & 31, man = h & 1023;
    if (exp == 31)
        return std::bit_cast<float>(sign | 0x7f800000u | man << 13);
    if (exp)
        return std::bit_cast<float>(sign | (exp + 112) << 23 | man << 13);
    float value = std::ldexp(float(man), -24);
    return sign ? -value : value;
}

// Rounds to nearest even; used for 16-bit halves and for the unsigned 11- and 10-bit floats.
uint32_t float_to_small(float f, uint32_t man_bits, bool has_sign) {
    uint32_t bits = std::bit_cast<uint32_t>(f), sign = bits >> 31;
    uint32_t exp_max = 31u << man_bits;
    uint32_t out_sign = has_sign ? sign << (5 + man_bits) : 0;
    if (std::isnan(f))
        return out_sign | exp_max | 1;
    if (!has_sign && sign)
        return 0;
    if (std::isinf(f))
        return out_sign | exp_max;
    float a = std::fabs(f);
    int e = 0;
    if (a != 0)
        std::frexp(a, &e);
    int exponent = std::max(e - 1, -14);
    float scaled = std::ldexp(a, int(man_bits) - exponent); // mantissa with its hidden bit
    uint32_t man = uint32_t(std::nearbyint(scaled));
    uint32_t value;
    if (man < (1u << man_bits))
        value = man; // subnormal
    else
        value = man + (uint32_t(exponent + 14) << man_bits); // a carry moves on into the exponent
    if (value >= exp_max)
        value = has_sign ? exp_max : exp_max - 1;
    return out_sign | value;
}

float small_to_float(uint32_t v, uint32_t man_bits) {
    uint32_t exp = v >> man_bits, man = v & ((1u << man_bits) - 1);
    if (exp == 31)
        return man ? NAN : INFINITY;
    if (exp)
        return std::ldexp(float(man | 1u << man_bits), int(exp) - 15 - int(man_bits));
    return std::ldexp(float(man), -14 - int(man_bits));
}

uint32_t load_bits(const uint8_t *p, uint32_t shift, uint32_t bits) {
    uint64_t word = 0;
    std::memcpy(&word, p + shift / 8, (shift % 8 + bits + 7) / 8);
    return uint32_t(word >> shift % 8 & (bits == 32 ? 0xffffffffull : (1ull << bits) - 1));
}

void store_bits(uint8_t *p, uint32_t shift, uint32_t bits, uint32_t value) {
    uint64_t word = 0;
    uint32_t bytes = (shift % 8 + bits + 7) / 8;
    std::memcpy(&word, p + shift / 8, bytes);
    uint64_t mask = (bits == 32 ? 0xffffffffull : (1ull << bits) - 1) << shift % 8;
    word = (word & ~mask) | (uint64_t(value) << shift % 8 & mask);
    std::memcpy(p + shift / 8, &word, bytes);
}

int32_t sign_extend(uint32_t v, uint32_t bits) {
    return bits == 32 ? int32_t(v) : int32_t(v << (32 - bits)) >> (32 - bits);
}

float channel_to_float(const pipe_format_channel &c, uint32_t v) {
    switch (c.type) {
    case PIPE_CHANNEL_UNORM: return float(double(v) / double((1ull << c.bits) - 1));
    case PIPE_CHANNEL_SNORM:
        return std::max(-1.0f,
                        float(double(sign_extend(v, c.bits)) / double((1ull << (c.bits - 1)) - 1)));
    case PIPE_CHANNEL_FLOAT:
        if (c.bits == 32)
            return std::bit_cast<float>(v);
        return c.bits == 16 ? half_to_float(v) : small_to_float(v, c.bits - 5);
    default: return 0;
    }
}

uint32_t float_to_channel(const pipe_format_channel &c, float f) {
    switch (c.type) {
    case PIPE_CHANNEL_UNORM:
        f = f > 0 ? std::min(f, 1.0f) : 0.0f;
        return uint32_t(std::nearbyint(double(f) * double((1ull << c.bits) - 1)));
    case PIPE_CHANNEL_SNORM:
        f = std::isnan(f) ? 0.0f : std::clamp(f, -1.0f, 1.0f);
        return uint32_t(int32_t(std::nearbyint(double(f) * double((1ull << (c.bits - 1)) - 1))));
    case PIPE_CHANNEL_FLOAT:
        if (c.bits == 32)
            return std::bit_cast<uint32_t>(f);
        return float_to_small(f, c.bits == 16 ? 10 : c.bits - 5, c.bits == 16);
    default: return 0;
    }
}

bool shared_exponent(const pipe_format_desc &d) {
    return d.format == PIPE_FORMAT_R9G9B9E5_FLOAT;
}

void unpack_rgb9e5(uint32_t v, texel &t) {
    float scale = std::ldexp(1.0f, int(v >> 27) - 24);
    t.f[0] = float(v & 511) * scale;
    t.f[1] = float(v >> 9 & 511) * scale;
    t.f[2] = float(v >> 18 & 511) * scale;
    t.f[3] = 1;
}

uint32_t pack_rgb9e5(const texel &t) {
    const float limit = 65408.0f;
    float c[3], top = 0;
    for (int i = 0; i < 3; ++i) {
        c[i] = t.f[i] > 0 ? std::min(t.f[i], limit) : 0.0f;
        top = std::max(top, c[i]);
    }
    int e = top > 0 ? std::max(-16, int(std::floor(std::log2(top)))) + 16 : 0;
    float scale = std::ldexp(1.0f, 24 - e);
    if (std::floor(top * scale + 0.5f) == 512)
        scale = std::ldexp(1.0f, 24 - ++e);
    uint32_t v = uint32_t(e) << 27;
    for (int i = 0; i < 3; ++i)
        v |= uint32_t(std::floor(c[i] * scale + 0.5f)) << 9 * i;
    return v;
}

bool is_color(const pipe_format_desc &d) {
    return d.format && !d.is_compressed && !d.is_depth && !d.is_stencil;
}

const pipe_format_channel *find_channel(const pipe_format_desc &d, char name) {
    for (uint32_t i = 0; i < d.num_channels; ++i)
        if (d.channel[i].name == name)
            return &d.channel[i];
    return nullptr;
}

} // namespace

texel_class class_of(uint32_t format) {
    const pipe_format_desc *d = pipe_format_describe(format);
    if (!d->is_integer)
        return texel_class::real;
    return d->is_signed ? texel_class::sint : texel_class::uint;
}

bool unpack_texels(uint32_t format, const void *src, texel *dst, size_t count) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    if (!is_color(d))
        return false;
    const uint8_t *p = static_cast<const uint8_t *>(src);
    for (size_t n = 0; n < count; ++n, p += d.block_bytes) {
        if (shared_exponent(d)) {
            unpack_rgb9e5(load_bits(p, 0, 32), dst[n]);
            continue;
        }
        for (int c = 0; c < 4; ++c) {
            if (d.channel_of[c] < 0) {
                dst[n].u[c] = c < 3 ? 0 : d.is_integer ? 1 : 0x3f800000u;
                continue;
            }
            const pipe_format_channel &ch = d.channel[d.channel_of[c]];
            uint32_t v = load_bits(p, ch.shift, ch.bits);
            if (!d.is_integer)
                dst[n].f[c] = channel_to_float(ch, v);
            else
                dst[n].u[c] = d.is_signed ? uint32_t(sign_extend(v, ch.bits)) : v;
        }
    }
    return true;
}

bool pack_texels(uint32_t format, const texel *src, void *dst, size_t count) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    if (!is_color(d))
        return false;
    uint8_t *p = static_cast<uint8_t *>(dst);
    for (size_t n = 0; n < count; ++n, p += d.block_bytes) {
        if (shared_exponent(d)) {
            store_bits(p, 0, 32, pack_rgb9e5(src[n]));
            continue;
        }
        for (uint32_t k = 0; k < d.num_channels; ++k) {
            const pipe_format_channel &ch = d.channel[k];
            int c = 0;
            while (c < 4 && d.channel_of[c] != int(k))
                ++c;
            if (c == 4) {
                store_bits(p, ch.shift, ch.bits, 0);
                continue;
            }
            uint32_t v = src[n].u[c];
            if (!d.is_integer) {
                v = float_to_channel(ch, src[n].f[c]);
            } else if (d.is_signed && ch.bits < 32) {
                int32_t limit = 1 << (ch.bits - 1);
                v = uint32_t(std::clamp(src[n].i[c], -limit, limit - 1));
            } else if (ch.bits < 32) {
                v = std::min(v, (1u << ch.bits) - 1);
            }
            store_bits(p, ch.shift, ch.bits, v);
        }
    }
    return true;
}

bool unpack_depth(uint32_t format, const void *src, double *dst, size_t count) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    const pipe_format_channel *z = find_channel(d, 'z');
    if (!d.is_depth || !z)
        return false;
    const uint8_t *p = static_cast<const uint8_t *>(src);
    for (size_t n = 0; n < count; ++n, p += d.block_bytes) {
        uint32_t v = load_bits(p, z->shift, z->bits);
        dst[n] = z->type == PIPE_CHANNEL_FLOAT ? double(std::bit_cast<float>(v))
                                               : double(v) / double((1ull << z->bits) - 1);
    }
    return true;
}

bool pack_depth(uint32_t format, const double *src, void *dst, size_t count) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    const pipe_format_channel *z = find_channel(d, 'z');
    if (!d.is_depth || !z)
        return false;
    uint8_t *p = static_cast<uint8_t *>(dst);
    for (size_t n = 0; n < count; ++n, p += d.block_bytes) {
        double value = src[n];
        uint32_t v;
        if (z->type == PIPE_CHANNEL_FLOAT)
            v = std::bit_cast<uint32_t>(float(value));
        else
            v = uint32_t(std::nearbyint((value > 0 ? std::min(value, 1.0) : 0.0) *
                                        double((1ull << z->bits) - 1)));
        store_bits(p, z->shift, z->bits, v);
    }
    return true;
}

bool unpack_stencil(uint32_t format, const void *src, uint8_t *dst, size_t count) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    const pipe_format_channel *s = find_channel(d, 's');
    if (!d.is_stencil || !s)
        return false;
    const uint8_t *p = static_cast<const uint8_t *>(src);
    for (size_t n = 0; n < count; ++n, p += d.block_bytes)
        dst[n] = uint8_t(load_bits(p, s->shift, s->bits));
    return true;
}

bool pack_stencil(uint32_t format, const uint8_t *src, void *dst, size_t count) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    const pipe_format_channel *s = find_channel(d, 's');
    if (!d.is_stencil || !s)
        return false;
    uint8_t *p = static_cast<uint8_t *>(dst);
    for (size_t n = 0; n < count; ++n, p += d.block_bytes)
        store_bits(p, s->shift, s->bits, src[n]);
    return true;
}

namespace {

constexpr size_t chunk_texels = 256;

bool is_unorm_bytes(const pipe_format_desc &d) {
    if (d.is_integer || d.block_bytes != d.num_channels)
        return false;
    for (uint32_t k = 0; k < d.num_channels; ++k)
        if (d.channel[k].bits != 8 || d.channel[k].shift % 8 ||
            (d.channel[k].type != PIPE_CHANNEL_UNORM && d.channel[k].type != PIPE_CHANNEL_VOID))
            return false;
    return true;
}

// UNORM bytes only change places (RGBA to BGRA, as windows and pixmaps want them).
void move_bytes(const pipe_format_desc &to, uint8_t *dst, const pipe_format_desc &from,
                const uint8_t *src, size_t count) {
    uint32_t at[4] = {}, source[4] = {}; // source 4: 0, 5: 255
    for (uint32_t k = 0; k < to.num_channels; ++k) {
        int c = 0;
        while (c < 4 && to.channel_of[c] != int(k))
            ++c;
        at[k] = to.channel[k].shift / 8;
        source[k] = c == 4                    ? 4
                    : from.channel_of[c] >= 0 ? from.channel[from.channel_of[c]].shift / 8
                                              : (c < 3 ? 4 : 5);
    }
    uint8_t texel[6] = {0, 0, 0, 0, 0, 255};
    for (; count; --count, src += from.block_bytes, dst += to.block_bytes) {
        std::memcpy(texel, src, from.block_bytes);
        for (uint32_t k = 0; k < to.num_channels; ++k)
            dst[at[k]] = texel[source[k]];
    }
}

bool convert_color_row(const pipe_format_desc &to, uint8_t *dst, const pipe_format_desc &from,
                       const uint8_t *src, size_t count) {
    texel buffer[chunk_texels];
    const texel_class a = class_of(from.format), b = class_of(to.format);
    if ((a == texel_class::real) != (b == texel_class::real))
        return false;
    if (is_unorm_bytes(from) && is_unorm_bytes(to)) {
        move_bytes(to, dst, from, src, count);
        return true;
    }
    while (count) {
        size_t n = std::min(count, chunk_texels);
        unpack_texels(from.format, src, buffer, n);
        if (a == texel_class::sint && b == texel_class::uint)
            for (size_t k = 0; k < n; ++k)
                for (int c = 0; c < 4; ++c)
                    buffer[k].i[c] = std::max(buffer[k].i[c], 0);
        else if (a == texel_class::uint && b == texel_class::sint)
            for (size_t k = 0; k < n; ++k)
                for (int c = 0; c < 4; ++c)
                    buffer[k].u[c] = std::min(buffer[k].u[c], 0x7fffffffu);
        pack_texels(to.format, buffer, dst, n);
        src += n * from.block_bytes;
        dst += n * to.block_bytes;
        count -= n;
    }
    return true;
}

bool convert_zs_row(const pipe_format_desc &to, uint8_t *dst, const pipe_format_desc &from,
                    const uint8_t *src, size_t count) {
    double z[chunk_texels];
    uint8_t s[chunk_texels];
    bool any = false;
    while (count) {
        size_t n = std::min(count, chunk_texels);
        if (from.is_depth && to.is_depth)
            any |= unpack_depth(from.format, src, z, n) && pack_depth(to.format, z, dst, n);
        if (from.is_stencil && to.is_stencil)
            any |= unpack_stencil(from.format, src, s, n) && pack_stencil(to.format, s, dst, n);
        src += n * from.block_bytes;
        dst += n * to.block_bytes;
        count -= n;
    }
    return any;
}

// What is kept of a texel of 4 bytes when `from` is `to` with an alpha that `to` does not have; 0:
// it is something else.
uint32_t all_but_alpha(const pipe_format_desc &to, const pipe_format_desc &from) {
    if (to.layout != from.layout || to.block_bytes != 4 || from.block_bytes != 4 ||
        to.num_channels != from.num_channels || to.is_srgb != from.is_srgb || to.is_signed ||
        to.channel_of[3] >= 0 || from.channel_of[3] < 0)
        return 0;
    uint32_t mask = 0;
    for (int i = 0; i < 3; i++) {
        const int channel = to.channel_of[i];
        if (channel < 0 || channel != from.channel_of[i] ||
            std::memcmp(&to.channel[channel], &from.channel[channel], sizeof to.channel[0]) != 0)
            return 0;
        mask |= ((1u << to.channel[channel].bits) - 1) << to.channel[channel].shift;
    }
    return mask;
}

void mask_row(uint8_t *dst, const uint8_t *src, size_t count, uint32_t mask) {
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        std::memcpy(&word, src + i * 4, 4);
        word &= mask;
        std::memcpy(dst + i * 4, &word, 4);
    }
}

} // namespace

bool convert_texels(const texel_rect &dst, const texel_rect &src, uint32_t width, uint32_t height,
                    uint32_t depth) {
    const pipe_format_desc &to = *pipe_format_describe(dst.format);
    const pipe_format_desc &from = *pipe_format_describe(src.format);
    if (!to.format || !from.format)
        return false;
    const bool same = dst.format == src.format;
    const uint32_t mask = all_but_alpha(to, from);
    uint32_t rows = (height + from.block_height - 1) / from.block_height;
    uint64_t row_bytes =
        uint64_t((width + from.block_width - 1) / from.block_width) * from.block_bytes;
    bool color = is_color(to) && is_color(from);
    bool zs = to.layout == PIPE_FORMAT_LAYOUT_ZS && from.layout == PIPE_FORMAT_LAYOUT_ZS;
    if (!same && !color && !zs)
        return false;
    for (uint32_t z = 0; z < depth; ++z) {
        for (uint32_t y = 0; y < rows; ++y) {
            uint8_t *d =
                static_cast<uint8_t *>(dst.data) + z * dst.slice_stride + y * dst.row_stride;
            const uint8_t *s =
                static_cast<const uint8_t *>(src.data) + z * src.slice_stride + y * src.row_stride;
            if (same)
                std::memcpy(d, s, row_bytes);
            else if (mask)
                mask_row(d, s, width, mask);
            else if (color ? !convert_color_row(to, d, from, s, width)
                           : !convert_zs_row(to, d, from, s, width))
                return false;
        }
    }
    return true;
}

} // namespace pipe_texel
