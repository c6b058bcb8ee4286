// SPDX-License-Identifier: MIT
// BPTC (ARB_texture_compression_bptc; Khronos Data Format Specification 1.3, chapter 20).
#include "tracker/decompress.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace st {

namespace {

// Reads a block from its first bit on.
struct Bits {
    const uint8_t *bytes;
    unsigned at = 0;
    unsigned get(unsigned n) {
        unsigned v = 0;
        for (unsigned i = 0; i < n; i++, at++)
            if (at < 128)
                v |= unsigned(bytes[at / 8] >> (at % 8) & 1) << i;
        return v;
    }
};

// Subset of each texel: one bit for two subsets, two bits for three.
constexpr uint16_t two_subsets[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80,
    0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310,
    0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa,
    0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc,
    0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6,
    0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22};
constexpr uint32_t three_subsets[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254};
// Texels whose index lacks its highest bit: of the second of two subsets, of the second and third
// of three. The first subset's is texel 0.
constexpr uint8_t second_of_two[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2,  8, 2, 2, 8,
    8,  15, 2,  8,  2,  2,  8,  8,  2,  2,  15, 15, 6,  8,  2,  8,  15, 15, 2, 8, 2, 2,
    2,  15, 15, 6,  6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2, 15};
constexpr uint8_t second_of_three[64] = {
    3,  3,  15, 15, 8, 3,  15, 15, 8,  8,  6, 6,  6, 5,  3, 3,  3,  3,  8,  15, 3,  3,
    6,  10, 5,  8,  8, 6,  8,  5,  15, 15, 8, 15, 3, 5,  6, 10, 8,  15, 15, 3,  15, 5,
    15, 15, 15, 15, 3, 15, 5,  5,  5,  8,  5, 10, 5, 10, 8, 13, 15, 12, 3,  3};
constexpr uint8_t third_of_three[64] = {
    15, 8, 8, 3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,  15, 8,  15, 3,  15, 8,
    15, 8, 3, 15, 6,  10, 15, 15, 10, 8,  15, 3,  15, 10, 10, 8,  9,  10, 6,  15, 8,  15,
    3,  6, 6, 8,  15, 3,  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8};

unsigned subset_of(unsigned subsets, unsigned partition, unsigned i) {
    return subsets == 1   ? 0
           : subsets == 2 ? two_subsets[partition] >> i & 1u
                          : three_subsets[partition] >> (2 * i) & 3u;
}

bool is_anchor(unsigned subsets, unsigned partition, unsigned i) {
    return i == 0 || (subsets == 2 && i == second_of_two[partition]) ||
           (subsets == 3 && (i == second_of_three[partition] || i == third_of_three[partition]));
}

int weight(unsigned bits, unsigned index) {
    static constexpr uint8_t two[] = {0, 21, 43, 64}, three[] = {0, 9, 18, 27, 37, 46, 55, 64},
                             four[] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
    return bits == 2 ? two[index] : bits == 3 ? three[index] : four[index];
}

int mix(int a, int b, int w) {
    return (a * (64 - w) + b * w + 32) >> 6;
}

void read_indices(Bits &b, unsigned bits, unsigned subsets, unsigned partition, uint8_t *index) {
    for (unsigned i = 0; i < 16; i++)
        index[i] = uint8_t(b.get(bits - unsigned(is_anchor(subsets, partition, i))));
}

// --- eight bits ----------------------------------------------------------------------------------

struct Mode {
    uint8_t subsets, partition, rotation, selection, color, alpha, end_bit, shared_bit, index,
        second;
};
constexpr Mode modes[8] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
                           {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
                           {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
                           {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

using Ends = uint8_t[6][4]; // two of each subset

void read_ends(Bits &b, const Mode &m, Ends &e) {
    const unsigned n = m.subsets * 2u;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < n; i++)
            e[i][k] = uint8_t(b.get(k < 3 ? m.color : m.alpha));
    const bool low = m.end_bit || m.shared_bit;
    uint8_t bit[6] = {};
    for (unsigned i = 0; low && i < n; i += m.shared_bit ? 2 : 1) {
        bit[i] = uint8_t(b.get(1));
        if (m.shared_bit)
            bit[i + 1] = bit[i];
    }
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < 4; k++) {
            unsigned bits = k < 3 ? m.color : m.alpha;
            if (!bits) {
                e[i][k] = 255;
                continue;
            }
            unsigned v = e[i][k];
            if (low) {
                v = v << 1 | bit[i];
                bits++;
            }
            v <<= 8 - bits;
            e[i][k] = uint8_t(v | v >> bits);
        }
}

// --- half floats ---------------------------------------------------------------------------------

enum Field : uint8_t { RW, GW, BW, RX, GX, BX, RY, GY, BY, RZ, GZ, BZ, END };

// Bits [low, low + n) of a field; the highest comes first where `down`.
struct Piece {
    Field field;
    uint8_t low, n;
    bool down;
};
struct FloatMode {
    uint8_t mode, subsets, bits, delta[3];
    bool transformed;
    Piece piece[26];
};
#define P(f, low, n)                                                                               \
    { f, low, n, false }
#define D(f, low, n)                                                                               \
    { f, low, n, true }
#define W10 P(RW, 0, 10), P(GW, 0, 10), P(BW, 0, 10)
// clang-format off
constexpr FloatMode float_modes[] = {
    {0, 2, 10, {5, 5, 5}, true, {P(GY,4,1), P(BY,4,1), P(BZ,4,1), W10, P(RX,0,5), P(GZ,4,1), P(GY,0,4), P(GX,0,5), P(BZ,0,1), P(GZ,0,4),
        P(BX,0,5), P(BZ,1,1), P(BY,0,4), P(RY,0,5), P(BZ,2,1), P(RZ,0,5), P(BZ,3,1), P(END,0,0)}},
    {1, 2, 7, {6, 6, 6}, true, {P(GY,5,1), P(GZ,4,2), P(RW,0,7), P(BZ,0,2), P(BY,4,1), P(GW,0,7), P(BY,5,1), P(BZ,2,1), P(GY,4,1),
        P(BW,0,7), P(BZ,3,1), P(BZ,5,1), P(BZ,4,1), P(RX,0,6), P(GY,0,4), P(GX,0,6), P(GZ,0,4), P(BX,0,6), P(BY,0,4), P(RY,0,6),
        P(RZ,0,6), P(END,0,0)}},
    {2, 2, 11, {5, 4, 4}, true, {W10, P(RX,0,5), P(RW,10,1), P(GY,0,4), P(GX,0,4), P(GW,10,1), P(BZ,0,1), P(GZ,0,4), P(BX,0,4),
        P(BW,10,1), P(BZ,1,1), P(BY,0,4), P(RY,0,5), P(BZ,2,1), P(RZ,0,5), P(BZ,3,1), P(END,0,0)}},
    {6, 2, 11, {4, 5, 4}, true, {W10, P(RX,0,4), P(RW,10,1), P(GZ,4,1), P(GY,0,4), P(GX,0,5), P(GW,10,1), P(GZ,0,4), P(BX,0,4),
        P(BW,10,1), P(BZ,1,1), P(BY,0,4), P(RY,0,4), P(BZ,0,1), P(BZ,2,1), P(RZ,0,4), P(GY,4,1), P(BZ,3,1), P(END,0,0)}},
    {10, 2, 11, {4, 4, 5}, true, {W10, P(RX,0,4), P(RW,10,1), P(BY,4,1), P(GY,0,4), P(GX,0,4), P(GW,10,1), P(BZ,0,1), P(GZ,0,4),
        P(BX,0,5), P(BW,10,1), P(BY,0,4), P(RY,0,4), P(BZ,1,2), P(RZ,0,4), P(BZ,4,1), P(BZ,3,1), P(END,0,0)}},
    {14, 2, 9, {5, 5, 5}, true, {P(RW,0,9), P(BY,4,1), P(GW,0,9), P(GY,4,1), P(BW,0,9), P(BZ,4,1), P(RX,0,5), P(GZ,4,1), P(GY,0,4),
        P(GX,0,5), P(BZ,0,1), P(GZ,0,4), P(BX,0,5), P(BZ,1,1), P(BY,0,4), P(RY,0,5), P(BZ,2,1), P(RZ,0,5), P(BZ,3,1), P(END,0,0)}},
    {18, 2, 8, {6, 5, 5}, true, {P(RW,0,8), P(GZ,4,1), P(BY,4,1), P(GW,0,8), P(BZ,2,1), P(GY,4,1), P(BW,0,8), P(BZ,3,2), P(RX,0,6),
        P(GY,0,4), P(GX,0,5), P(BZ,0,1), P(GZ,0,4), P(BX,0,5), P(BZ,1,1), P(BY,0,4), P(RY,0,6), P(RZ,0,6), P(END,0,0)}},
    {22, 2, 8, {5, 6, 5}, true, {P(RW,0,8), P(BZ,0,1), P(BY,4,1), P(GW,0,8), P(GY,5,1), P(GY,4,1), P(BW,0,8), P(GZ,5,1), P(BZ,4,1),
        P(RX,0,5), P(GZ,4,1), P(GY,0,4), P(GX,0,6), P(GZ,0,4), P(BX,0,5), P(BZ,1,1), P(BY,0,4), P(RY,0,5), P(BZ,2,1), P(RZ,0,5),
        P(BZ,3,1), P(END,0,0)}},
    {26, 2, 8, {5, 5, 6}, true, {P(RW,0,8), P(BZ,1,1), P(BY,4,1), P(GW,0,8), P(BY,5,1), P(GY,4,1), P(BW,0,8), P(BZ,5,1), P(BZ,4,1),
        P(RX,0,5), P(GZ,4,1), P(GY,0,4), P(GX,0,5), P(BZ,0,1), P(GZ,0,4), P(BX,0,6), P(BY,0,4), P(RY,0,5), P(BZ,2,1), P(RZ,0,5),
        P(BZ,3,1), P(END,0,0)}},
    {30, 2, 6, {6, 6, 6}, false, {P(RW,0,6), P(GZ,4,1), P(BZ,0,2), P(BY,4,1), P(GW,0,6), P(GY,5,1), P(BY,5,1), P(BZ,2,1), P(GY,4,1),
        P(BW,0,6), P(GZ,5,1), P(BZ,3,1), P(BZ,5,1), P(BZ,4,1), P(RX,0,6), P(GY,0,4), P(GX,0,6), P(GZ,0,4), P(BX,0,6), P(BY,0,4),
        P(RY,0,6), P(RZ,0,6), P(END,0,0)}},
    {3, 1, 10, {10, 10, 10}, false, {W10, P(RX,0,10), P(GX,0,10), P(BX,0,10), P(END,0,0)}},
    {7, 1, 11, {9, 9, 9}, true, {W10, P(RX,0,9), P(RW,10,1), P(GX,0,9), P(GW,10,1), P(BX,0,9), P(BW,10,1), P(END,0,0)}},
    {11, 1, 12, {8, 8, 8}, true, {W10, P(RX,0,8), D(RW,10,2), P(GX,0,8), D(GW,10,2), P(BX,0,8), D(BW,10,2), P(END,0,0)}},
    {15, 1, 16, {4, 4, 4}, true, {W10, P(RX,0,4), D(RW,10,6), P(GX,0,4), D(GW,10,6), P(BX,0,4), D(BW,10,6), P(END,0,0)}},
};
// clang-format on
#undef P
#undef D
#undef W10

int sign_extend(unsigned v, unsigned bits) {
    const unsigned top = 1u << (bits - 1);
    return int((v & (2 * top - 1)) ^ top) - int(top);
}

int unquantize(int v, unsigned bits, bool is_signed) {
    if (!is_signed) {
        if (bits >= 15 || v == 0)
            return v;
        return v == (1 << bits) - 1 ? 0xffff : ((v << 15) + 0x4000) >> (bits - 1);
    }
    if (bits >= 16 || v == 0)
        return v;
    const int size = std::abs(v);
    const int wide = size >= (1 << (bits - 1)) - 1 ? 0x7fff : ((size << 15) + 0x4000) >> (bits - 1);
    return v < 0 ? -wide : wide;
}

// The bits of a half float.
uint16_t finish(int v, bool is_signed) {
    if (!is_signed)
        return uint16_t(v * 31 >> 6);
    return v < 0 ? uint16_t(0x8000 | (-v * 31 >> 5)) : uint16_t(v * 31 >> 5);
}

// End points of each subset, wide enough to mix.
void read_float_ends(Bits &b, const FloatMode &m, bool is_signed, int end[4][3]) {
    unsigned raw[12] = {};
    for (const Piece *p = m.piece; p->field != END; p++) {
        unsigned v = b.get(p->n);
        if (p->down) {
            unsigned r = 0;
            for (unsigned i = 0; i < p->n; i++)
                r |= (v >> i & 1) << (p->n - 1 - i);
            v = r;
        }
        raw[p->field] |= v << p->low;
    }
    const unsigned mask = (1u << m.bits) - 1;
    for (unsigned e = 0; e < 4; e++)
        for (unsigned k = 0; k < 3; k++) {
            unsigned v = raw[3 * e + k];
            if (e && m.transformed)
                v = (raw[k] + unsigned(sign_extend(v, m.delta[k]))) & mask;
            end[e][k] = unquantize(is_signed ? sign_extend(v, m.bits) : int(v), m.bits, is_signed);
        }
}

const FloatMode *float_mode(unsigned mode) {
    for (const FloatMode &m : float_modes)
        if (m.mode == mode)
            return &m;
    return nullptr;
}

} // namespace

void decode_bptc_unorm(const gl::FormatInfo &, const uint8_t *block, uint8_t *out) {
    unsigned number = 0;
    while (number < 8 && !(block[0] >> number & 1))
        number++;
    if (number == 8) {
        std::memset(out, 0, 64);
        return;
    }
    Bits b{block, number + 1};
    const Mode &m = modes[number];
    const unsigned partition = b.get(m.partition), rotation = b.get(m.rotation);
    const bool swapped = b.get(m.selection);
    Ends e;
    read_ends(b, m, e);
    uint8_t first[16], second[16];
    read_indices(b, m.index, m.subsets, partition, first);
    if (m.second)
        read_indices(b, m.second, 1, 0, second);
    for (unsigned i = 0; i < 16; i++) {
        const unsigned s = 2 * subset_of(m.subsets, partition, i);
        int color = weight(m.index, first[i]), alpha = color;
        if (m.second)
            alpha = weight(m.second, second[i]);
        if (swapped)
            std::swap(color, alpha);
        uint8_t *t = out + 4 * i;
        for (unsigned k = 0; k < 4; k++)
            t[k] = uint8_t(mix(e[s][k], e[s + 1][k], k < 3 ? color : alpha));
        if (rotation)
            std::swap(t[3], t[rotation - 1]);
    }
}

void decode_bptc_float(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out) {
    const bool is_signed = f.internal == GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT;
    Bits b{block};
    unsigned mode = b.get(2);
    if (mode > 1)
        mode |= b.get(3) << 2;
    const FloatMode *m = float_mode(mode);
    if (!m) {
        std::memset(out, 0, 16 * 6);
        return;
    }
    int end[4][3];
    read_float_ends(b, *m, is_signed, end);
    const unsigned partition = m->subsets == 2 ? b.get(5) : 0, bits = m->subsets == 2 ? 3 : 4;
    uint8_t index[16];
    read_indices(b, bits, m->subsets, partition, index);
    for (unsigned i = 0; i < 16; i++) {
        const unsigned s = 2 * subset_of(m->subsets, partition, i);
        for (unsigned k = 0; k < 3; k++) {
            const uint16_t v =
                finish(mix(end[s][k], end[s + 1][k], weight(bits, index[i])), is_signed);
            std::memcpy(out + 6 * i + 2 * k, &v, 2);
        }
    }
}

} // namespace st
