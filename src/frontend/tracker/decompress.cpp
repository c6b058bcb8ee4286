// SPDX-License-Identifier: MIT
// Whole images, and the two oldest families: S3TC and RGTC.
#include "tracker/decompress.h"

#include <algorithm>
#include <cstring>

namespace st {

namespace {

using Decoder = void (*)(const gl::FormatInfo &, const uint8_t *, uint8_t *);

Decoder decoder_of(const gl::FormatInfo &f) {
    switch (f.internal) {
    case GL_COMPRESSED_RED_RGTC1:
    case GL_COMPRESSED_SIGNED_RED_RGTC1:
    case GL_COMPRESSED_RG_RGTC2:
    case GL_COMPRESSED_SIGNED_RG_RGTC2: return decode_rgtc;
    case GL_COMPRESSED_RGBA_BPTC_UNORM:
    case GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM: return decode_bptc_unorm;
    case GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT:
    case GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT: return decode_bptc_float;
    case GL_COMPRESSED_RGB8_ETC2:
    case GL_COMPRESSED_SRGB8_ETC2:
    case GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2:
    case GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2:
    case GL_COMPRESSED_RGBA8_ETC2_EAC:
    case GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:
    case GL_COMPRESSED_R11_EAC:
    case GL_COMPRESSED_SIGNED_R11_EAC:
    case GL_COMPRESSED_RG11_EAC:
    case GL_COMPRESSED_SIGNED_RG11_EAC: return decode_etc2;
    default: return s3tc_format(f) ? decode_s3tc : decode_astc;
    }
}

void expand_565(unsigned v, uint8_t *c) {
    const unsigned r = v >> 11, g = v >> 5 & 63, b = v & 31;
    c[0] = uint8_t(r << 3 | r >> 2);
    c[1] = uint8_t(g << 2 | g >> 4);
    c[2] = uint8_t(b << 3 | b >> 2);
    c[3] = 255;
}

// The colour half: `four` for formats whose blocks always have four colours; `clear` where the
// fourth of three is transparent.
void decode_color(const uint8_t *block, bool four, bool clear, uint8_t *out) {
    const unsigned c0 = block[0] | unsigned(block[1]) << 8, c1 = block[2] | unsigned(block[3]) << 8;
    uint8_t palette[4][4] = {};
    expand_565(c0, palette[0]);
    expand_565(c1, palette[1]);
    four = four || c0 > c1;
    for (int k = 0; k < 3; k++) {
        const int a = palette[0][k], b = palette[1][k];
        palette[2][k] = uint8_t(four ? (2 * a + b + 1) / 3 : (a + b + 1) / 2);
        palette[3][k] = uint8_t(four ? (a + 2 * b + 1) / 3 : 0);
    }
    palette[2][3] = 255;
    palette[3][3] = four || !clear ? 255 : 0;
    for (unsigned i = 0; i < 16; i++)
        std::memcpy(out + 4 * i, palette[block[4 + i / 4] >> (2 * (i % 4)) & 3], 4);
}

// Sixteen values of three bits each between two ends.
void decode_channel(const uint8_t *block, bool is_signed, uint8_t *out, unsigned stride) {
    const int a = is_signed ? std::max<int>(int8_t(block[0]), -127) : block[0];
    const int b = is_signed ? std::max<int>(int8_t(block[1]), -127) : block[1];
    int value[8] = {a, b};
    const bool eight = a > b;
    const int steps = eight ? 7 : 5;
    for (int i = 1; i < steps; i++) {
        const int sum = (steps - i) * a + i * b;
        value[i + 1] = (sum + (sum < 0 ? -steps : steps) / 2) / steps;
    }
    if (!eight) {
        value[6] = is_signed ? -127 : 0;
        value[7] = is_signed ? 127 : 255;
    }
    uint64_t bits = 0;
    for (unsigned i = 0; i < 6; i++)
        bits |= uint64_t(block[2 + i]) << (8 * i);
    for (unsigned i = 0; i < 16; i++)
        out[i * stride] = uint8_t(value[bits >> (3 * i) & 7]);
}

} // namespace

void decode_s3tc(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out) {
    if (f.block_bytes == 8)
        return decode_color(block, false, f.base == GL_RGBA, out);
    decode_color(block + 8, true, false, out);
    if (f.a == 8)
        return decode_channel(block, false, out + 3, 4);
    for (unsigned i = 0; i < 16; i++)
        out[4 * i + 3] = uint8_t((block[i / 2] >> (4 * (i % 2)) & 15) * 17);
}

void decode_rgtc(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out) {
    const unsigned channels = f.block_bytes / 8;
    for (unsigned k = 0; k < channels; k++)
        decode_channel(block + 8 * k, f.type == GL_SIGNED_NORMALIZED, out + k, channels);
}

DecodedPair decoded_pair(const gl::FormatInfo &f) {
    if (f.base == GL_RED || f.base == GL_RG)
        return {f.transfer_format, f.transfer_type,
                gl::texel_bytes(f.transfer_format, f.transfer_type)};
    if (f.type == GL_FLOAT)
        return {GL_RGB, GL_HALF_FLOAT, 6};
    return {GL_RGBA, GL_UNSIGNED_BYTE, 4};
}

pipe_format decoded_format(const gl::FormatInfo &f) {
    // The first fallback of every row in formats.cpp but the half floats, which have no alpha here.
    if (f.type == GL_FLOAT)
        return PIPE_FORMAT_R16G16B16_FLOAT;
    return pipe_format(f.pipe[1] ? f.pipe[1] : f.pipe[0]);
}

void decompress_blocks(const gl::FormatInfo &f, const uint8_t *blocks, uint64_t block_row,
                       uint32_t width, uint32_t height, uint8_t *texels, uint64_t row) {
    const Decoder decode = decoder_of(f);
    const unsigned bytes = decoded_pair(f).bytes;
    uint8_t block[12 * 12 * 6];
    for (uint32_t y = 0; y < height; y += f.block_h)
        for (uint32_t x = 0; x < width; x += f.block_w) {
            decode(f, blocks + y / f.block_h * block_row + uint64_t(x / f.block_w) * f.block_bytes,
                   block);
            const uint32_t w = std::min<uint32_t>(f.block_w, width - x),
                           h = std::min<uint32_t>(f.block_h, height - y);
            for (uint32_t k = 0; k < h; k++)
                std::memcpy(texels + (y + k) * row + uint64_t(x) * bytes,
                            block + k * f.block_w * bytes, w * bytes);
        }
}

} // namespace st
