// SPDX-License-Identifier: MIT
// Encoders for S3TC, RGTC and BPTC: end points at the extremes of a block, nearest palette entry
// for each texel. Fast and plain; programs that care bring blocks of their own.
#include "tracker/compress.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace st {

namespace {

struct Block {
    uint8_t c[16][4]; // 4 x 4 texels; unused components 0
};

// One channel, eight values between its extremes (RGTC, the alpha of DXT5). `flip` turns signed
// bytes into unsigned order.
void encode_channel(const Block &b, unsigned k, bool is_signed, uint8_t *out) {
    auto value = [&](unsigned i) {
        return is_signed ? std::max(int(int8_t(b.c[i][k])), -127) : int(b.c[i][k]);
    };
    int lo = value(0), hi = lo;
    for (unsigned i = 1; i < 16; i++) {
        lo = std::min(lo, value(i));
        hi = std::max(hi, value(i));
    }
    out[0] = uint8_t(hi);
    out[1] = uint8_t(lo);
    uint64_t bits = 0;
    for (unsigned i = 0; i < 16 && hi != lo; i++) {
        // Step 0 is `hi`, step 7 is `lo`; codes: 0 = hi, 1 = lo, 2..7 between them.
        const int step = ((hi - value(i)) * 7 + (hi - lo) / 2) / (hi - lo);
        const uint64_t code = step == 0 ? 0 : step == 7 ? 1 : uint64_t(step + 1);
        bits |= code << (3 * i);
    }
    for (unsigned i = 0; i < 6; i++)
        out[2 + i] = uint8_t(bits >> (8 * i));
}

uint16_t to_565(const int *c) {
    return uint16_t(((c[0] * 31 + 127) / 255) << 11 | ((c[1] * 63 + 127) / 255) << 5 |
                    (c[2] * 31 + 127) / 255);
}

void from_565(uint16_t v, int *c) {
    const int r = v >> 11, g = v >> 5 & 63, b = v & 31;
    c[0] = r << 3 | r >> 2;
    c[1] = g << 2 | g >> 4;
    c[2] = b << 3 | b >> 2;
}

int distance(const int *a, const uint8_t *b) {
    int d = 0;
    for (int k = 0; k < 3; k++)
        d += (a[k] - b[k]) * (a[k] - b[k]);
    return d;
}

// Darkest and brightest texel among those that count.
void extremes(const Block &b, uint32_t mask, int *lo, int *hi) {
    int best_lo = 1 << 20, best_hi = -1;
    for (unsigned i = 0; i < 16; i++) {
        if (!(mask >> i & 1))
            continue;
        const int light = 2 * b.c[i][0] + 4 * b.c[i][1] + b.c[i][2];
        if (light < best_lo) {
            best_lo = light;
            std::copy(b.c[i], b.c[i] + 3, lo);
        }
        if (light > best_hi) {
            best_hi = light;
            std::copy(b.c[i], b.c[i] + 3, hi);
        }
    }
}

// The colour half of all S3TC formats. With `punch`, texels of low alpha become transparent black
// (three-colour mode).
void encode_color(const Block &b, bool punch, uint8_t *out) {
    uint32_t solid = 0xffff;
    for (unsigned i = 0; i < 16 && punch; i++)
        if (b.c[i][3] < 128)
            solid &= ~(1u << i);
    int lo[3] = {}, hi[3] = {};
    extremes(b, solid, lo, hi);
    uint16_t c0 = to_565(hi), c1 = to_565(lo);
    const bool three = solid != 0xffff;
    if (three ? c0 > c1 : c0 < c1)
        std::swap(c0, c1);
    int palette[4][3] = {};
    from_565(c0, palette[0]);
    from_565(c1, palette[1]);
    const bool four = c0 > c1;
    for (int k = 0; k < 3; k++) {
        palette[2][k] =
            four ? (2 * palette[0][k] + palette[1][k]) / 3 : (palette[0][k] + palette[1][k]) / 2;
        palette[3][k] = four ? (palette[0][k] + 2 * palette[1][k]) / 3 : 0;
    }
    uint32_t bits = 0;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t best = 0;
        if (!(solid >> i & 1)) {
            best = 3;
        } else {
            for (uint32_t p = 1; p < (four ? 4u : 3u); p++)
                if (distance(palette[p], b.c[i]) < distance(palette[best], b.c[i]))
                    best = p;
        }
        bits |= best << (2 * i);
    }
    const uint8_t bytes[8] = {uint8_t(c0),         uint8_t(c0 >> 8),   uint8_t(c1),
                              uint8_t(c1 >> 8),    uint8_t(bits),      uint8_t(bits >> 8),
                              uint8_t(bits >> 16), uint8_t(bits >> 24)};
    std::memcpy(out, bytes, 8);
}

void encode_alpha4(const Block &b, uint8_t *out) {
    for (unsigned i = 0; i < 8; i++)
        out[i] =
            uint8_t((b.c[2 * i][3] * 15 + 127) / 255 | ((b.c[2 * i + 1][3] * 15 + 127) / 255) << 4);
}

// BPTC mode 6: one subset, seven bits and a shared low bit per end point, sixteen steps.
void encode_bptc(const Block &b, uint8_t *out) {
    static constexpr int weight[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
    int lo[4] = {255, 255, 255, 255}, hi[4] = {};
    for (const auto &t : b.c)
        for (int k = 0; k < 4; k++) {
            lo[k] = std::min<int>(lo[k], t[k]);
            hi[k] = std::max<int>(hi[k], t[k]);
        }
    int end[2][4], p[2];
    for (int e = 0; e < 2; e++) {
        const int *from = e ? hi : lo;
        p[e] = from[3] & 1;
        for (int k = 0; k < 4; k++)
            end[e][k] = std::clamp((from[k] - p[e] + 1) >> 1, 0, 127);
    }
    auto full = [&](int e, int k) { return end[e][k] << 1 | p[e]; };
    int index[16];
    for (unsigned i = 0; i < 16; i++) {
        int best = 1 << 30;
        for (int s = 0; s < 16; s++) {
            int d = 0;
            for (int k = 0; k < 4; k++) {
                const int v = ((64 - weight[s]) * full(0, k) + weight[s] * full(1, k) + 32) >> 6;
                d += (v - b.c[i][k]) * (v - b.c[i][k]);
            }
            if (d < best) {
                best = d;
                index[i] = s;
            }
        }
    }
    if (index[0] >= 8) { // the first index has three bits only
        for (int k = 0; k < 4; k++)
            std::swap(end[0][k], end[1][k]);
        std::swap(p[0], p[1]);
        for (int &s : index)
            s = 15 - s;
    }
    std::memset(out, 0, 16);
    unsigned at = 0;
    auto put = [&](unsigned v, unsigned bits) {
        for (unsigned i = 0; i < bits; i++, at++)
            out[at / 8] |= uint8_t((v >> i & 1) << (at % 8));
    };
    put(1u << 6, 7);
    for (int k = 0; k < 4; k++)
        for (int e = 0; e < 2; e++)
            put(unsigned(end[e][k]), 7);
    put(unsigned(p[0]), 1);
    put(unsigned(p[1]), 1);
    for (unsigned i = 0; i < 16; i++)
        put(unsigned(index[i]), i ? 4 : 3);
}

void encode(uint32_t format, const Block &b, uint8_t *out) {
    switch (format) {
    case PIPE_FORMAT_DXT1_RGB:
    case PIPE_FORMAT_DXT1_SRGB: return encode_color(b, false, out);
    case PIPE_FORMAT_DXT1_RGBA:
    case PIPE_FORMAT_DXT1_SRGBA: return encode_color(b, true, out);
    case PIPE_FORMAT_DXT3_RGBA:
    case PIPE_FORMAT_DXT3_SRGBA: encode_alpha4(b, out); return encode_color(b, false, out + 8);
    case PIPE_FORMAT_DXT5_RGBA:
    case PIPE_FORMAT_DXT5_SRGBA:
        encode_channel(b, 3, false, out);
        return encode_color(b, false, out + 8);
    case PIPE_FORMAT_RGTC1_UNORM: return encode_channel(b, 0, false, out);
    case PIPE_FORMAT_RGTC1_SNORM: return encode_channel(b, 0, true, out);
    case PIPE_FORMAT_RGTC2_UNORM:
        encode_channel(b, 0, false, out);
        return encode_channel(b, 1, false, out + 8);
    case PIPE_FORMAT_RGTC2_SNORM:
        encode_channel(b, 0, true, out);
        return encode_channel(b, 1, true, out + 8);
    default: return encode_bptc(b, out);
    }
}

} // namespace

uint32_t compress_source(uint32_t format) {
    switch (format) {
    case PIPE_FORMAT_DXT1_RGB:
    case PIPE_FORMAT_DXT1_RGBA:
    case PIPE_FORMAT_DXT3_RGBA:
    case PIPE_FORMAT_DXT5_RGBA:
    case PIPE_FORMAT_BPTC_RGBA_UNORM: return PIPE_FORMAT_R8G8B8A8_UNORM;
    case PIPE_FORMAT_DXT1_SRGB:
    case PIPE_FORMAT_DXT1_SRGBA:
    case PIPE_FORMAT_DXT3_SRGBA:
    case PIPE_FORMAT_DXT5_SRGBA:
    case PIPE_FORMAT_BPTC_SRGBA: return PIPE_FORMAT_R8G8B8A8_SRGB;
    case PIPE_FORMAT_RGTC1_UNORM: return PIPE_FORMAT_R8_UNORM;
    case PIPE_FORMAT_RGTC1_SNORM: return PIPE_FORMAT_R8_SNORM;
    case PIPE_FORMAT_RGTC2_UNORM: return PIPE_FORMAT_R8G8_UNORM;
    case PIPE_FORMAT_RGTC2_SNORM: return PIPE_FORMAT_R8G8_SNORM;
    case PIPE_FORMAT_BPTC_RGB_FLOAT:
    case PIPE_FORMAT_BPTC_RGB_UFLOAT: return PIPE_FORMAT_R16G16B16A16_FLOAT;
    }
    return PIPE_FORMAT_NONE;
}

void compress_blocks(uint32_t format, const uint8_t *texels, uint64_t row, uint32_t width,
                     uint32_t height, uint8_t *out, uint64_t out_row) {
    const unsigned bytes = pipe_format_describe(compress_source(format))->block_bytes;
    const unsigned block_bytes = pipe_format_describe(format)->block_bytes;
    for (uint32_t by = 0; by < (height + 3) / 4; by++)
        for (uint32_t bx = 0; bx < (width + 3) / 4; bx++) {
            Block b{};
            uint16_t halves[16][4];
            for (unsigned i = 0; i < 16; i++) {
                const uint32_t x = std::min(bx * 4 + i % 4, width - 1),
                               y = std::min(by * 4 + i / 4, height - 1);
                std::memcpy(bytes == 8 ? static_cast<void *>(halves[i]) : b.c[i],
                            texels + y * row + uint64_t(x) * bytes, bytes);
            }
            uint8_t *to = out + by * out_row + uint64_t(bx) * block_bytes;
            if (bytes == 8)
                compress_float_block(halves, format == PIPE_FORMAT_BPTC_RGB_FLOAT, to);
            else
                encode(format, b, to);
        }
}

} // namespace st
