// SPDX-License-Identifier: MIT
// ETC2 and EAC (GL 4.6 appendix D.1).
#include "tracker/decompress.h"

#include <algorithm>
#include <cstring>

namespace st {

namespace {

using Color = int[3];

uint8_t clamp8(int v) {
    return uint8_t(std::clamp(v, 0, 255));
}

// Bits [low, low + n) of the block's first half (bit 32 is the last of byte 3) or second.
unsigned field(uint64_t bits, unsigned low, unsigned n) {
    return unsigned(bits >> low & ((1u << n) - 1));
}

uint64_t load(const uint8_t *block) {
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | block[i];
    return v;
}

// Two bits of texel (x, y): columns come first.
unsigned index_of(uint64_t bits, unsigned x, unsigned y) {
    const unsigned i = x * 4 + y;
    return unsigned(bits >> (16 + i) & 1) << 1 | unsigned(bits >> i & 1);
}

void put(uint8_t *out, unsigned x, unsigned y, const Color &c, int add) {
    uint8_t *t = out + 4 * (y * 4 + x);
    for (int k = 0; k < 3; k++)
        t[k] = clamp8(c[k] + add);
    t[3] = 255;
}

void put_clear(uint8_t *out, unsigned x, unsigned y) {
    std::memset(out + 4 * (y * 4 + x), 0, 4);
}

int signed3(unsigned v) {
    return int(v) - (v & 4 ? 8 : 0);
}

// Two halves with a base colour and a table of modifiers each.
void decode_halves(uint64_t b, const Color base[2], bool clear, uint8_t *out) {
    static constexpr int table[8][2] = {{2, 8},   {5, 17},  {9, 29},   {13, 42},
                                        {18, 60}, {24, 80}, {33, 106}, {47, 183}};
    const bool flip = b >> 32 & 1;
    const unsigned which[2] = {field(b, 37, 3), field(b, 34, 3)};
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++) {
            const unsigned half = (flip ? y : x) / 2, index = index_of(b, x, y);
            if (clear && index == 2) {
                put_clear(out, x, y);
                continue;
            }
            const int small = clear ? 0 : table[which[half]][0], large = table[which[half]][1];
            const int add = index & 1 ? large : small;
            put(out, x, y, base[half], index & 2 ? -add : add);
        }
}

constexpr int distance_table[8] = {3, 6, 11, 16, 23, 32, 41, 64};

void decode_t(uint64_t b, bool clear, uint8_t *out) {
    const Color c1 = {int(field(b, 59, 2) << 2 | field(b, 56, 2)) * 17, int(field(b, 52, 4)) * 17,
                      int(field(b, 48, 4)) * 17},
                c2 = {int(field(b, 44, 4)) * 17, int(field(b, 40, 4)) * 17,
                      int(field(b, 36, 4)) * 17};
    const int d = distance_table[field(b, 34, 2) << 1 | field(b, 32, 1)];
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++)
            switch (index_of(b, x, y)) {
            case 0: put(out, x, y, c1, 0); break;
            case 1: put(out, x, y, c2, d); break;
            case 2:
                if (clear)
                    put_clear(out, x, y);
                else
                    put(out, x, y, c2, 0);
                break;
            default: put(out, x, y, c2, -d);
            }
}

void decode_h(uint64_t b, bool clear, uint8_t *out) {
    const unsigned r1 = field(b, 59, 4), g1 = field(b, 56, 3) << 1 | field(b, 52, 1),
                   b1 = field(b, 51, 1) << 3 | field(b, 47, 3), r2 = field(b, 43, 4),
                   g2 = field(b, 39, 4), b2 = field(b, 35, 4);
    const Color c1 = {int(r1) * 17, int(g1) * 17, int(b1) * 17},
                c2 = {int(r2) * 17, int(g2) * 17, int(b2) * 17};
    const bool order = (r1 << 8 | g1 << 4 | b1) >= (r2 << 8 | g2 << 4 | b2);
    const int d = distance_table[field(b, 34, 1) << 2 | field(b, 32, 1) << 1 | unsigned(order)];
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++) {
            const unsigned index = index_of(b, x, y);
            if (clear && index == 2)
                put_clear(out, x, y);
            else
                put(out, x, y, index & 2 ? c2 : c1, index & 1 ? -d : d);
        }
}

void decode_planar(uint64_t b, uint8_t *out) {
    const auto six = [](unsigned v) { return int(v << 2 | v >> 4); };
    const auto seven = [](unsigned v) { return int(v << 1 | v >> 6); };
    const int o[3] = {six(field(b, 57, 6)), seven(field(b, 56, 1) << 6 | field(b, 49, 6)),
                      six(field(b, 48, 1) << 5 | field(b, 43, 2) << 3 | field(b, 39, 3))},
              h[3] = {six(field(b, 34, 5) << 1 | field(b, 32, 1)), seven(field(b, 25, 7)),
                      six(field(b, 19, 6))},
              v[3] = {six(field(b, 13, 6)), seven(field(b, 6, 7)), six(field(b, 0, 6))};
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++) {
            uint8_t *t = out + 4 * (y * 4 + x);
            for (int k = 0; k < 3; k++)
                t[k] = clamp8((x * (h[k] - o[k]) + y * (v[k] - o[k]) + 4 * o[k] + 2) >> 2);
            t[3] = 255;
        }
}

// `punch`: the bit that chooses the differential mode says "opaque" instead.
void decode_rgb(const uint8_t *block, bool punch, uint8_t *out) {
    const uint64_t b = load(block);
    const bool bit = b >> 33 & 1, clear = punch && !bit;
    Color base[2];
    if (!punch && !bit) {
        for (unsigned k = 0; k < 3; k++) {
            base[0][k] = (block[k] >> 4) * 17;
            base[1][k] = (block[k] & 15) * 17;
        }
        return decode_halves(b, base, false, out);
    }
    for (unsigned k = 0; k < 3; k++) {
        const int first = block[k] >> 3, second = first + signed3(block[k] & 7);
        if (second < 0 || second > 31)
            return k == 0   ? decode_t(b, clear, out)
                   : k == 1 ? decode_h(b, clear, out)
                            : decode_planar(b, out);
        base[0][k] = first << 3 | first >> 2;
        base[1][k] = second << 3 | second >> 2;
    }
    decode_halves(b, base, clear, out);
}

constexpr int8_t eac_table[16][8] = {
    {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12},
    {-2, -4, -6, -13, 1, 3, 5, 12}, {-3, -6, -8, -12, 2, 5, 7, 11},  {-3, -7, -9, -11, 2, 6, 8, 10},
    {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},  {-2, -6, -8, -10, 1, 5, 7, 9},
    {-2, -5, -8, -10, 1, 4, 7, 9},  {-2, -4, -8, -10, 1, 3, 7, 9},   {-2, -5, -7, -10, 1, 4, 6, 9},
    {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},   {-4, -6, -8, -9, 3, 5, 7, 8},
    {-3, -5, -7, -9, 2, 4, 6, 8}};

int eac_modifier(uint64_t b, unsigned x, unsigned y) {
    return eac_table[field(b, 48, 4)][field(b, 45 - 3 * (x * 4 + y), 3)];
}

void decode_alpha(const uint8_t *block, uint8_t *out) {
    const uint64_t b = load(block);
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++)
            out[4 * (y * 4 + x)] = clamp8(block[0] + eac_modifier(b, x, y) * int(field(b, 52, 4)));
}

// Eleven bits, widened to sixteen.
uint16_t eac11(int base, int multiplier, int modifier, bool is_signed) {
    const int add = multiplier ? modifier * multiplier * 8 : modifier;
    if (!is_signed) {
        const int v = std::clamp(base * 8 + 4 + add, 0, 2047);
        return uint16_t(v << 5 | v >> 6);
    }
    const int v = std::clamp(std::max(int(int8_t(base)), -127) * 8 + add, -1023, 1023);
    const int wide = std::abs(v) << 5 | std::abs(v) >> 5;
    return uint16_t(v < 0 ? -wide : wide);
}

void decode_eac11(const uint8_t *block, bool is_signed, uint8_t *out, unsigned stride) {
    const uint64_t b = load(block);
    for (unsigned y = 0; y < 4; y++)
        for (unsigned x = 0; x < 4; x++) {
            const uint16_t v =
                eac11(block[0], int(field(b, 52, 4)), eac_modifier(b, x, y), is_signed);
            std::memcpy(out + (y * 4 + x) * stride, &v, 2);
        }
}

} // namespace

void decode_etc2(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out) {
    if (f.base == GL_RED || f.base == GL_RG) {
        const unsigned channels = f.block_bytes / 8;
        for (unsigned k = 0; k < channels; k++)
            decode_eac11(block + 8 * k, f.type == GL_SIGNED_NORMALIZED, out + 2 * k, 2 * channels);
        return;
    }
    if (f.block_bytes == 8)
        return decode_rgb(block, f.base == GL_RGBA, out);
    decode_rgb(block + 8, false, out);
    decode_alpha(block, out + 3);
}

} // namespace st
