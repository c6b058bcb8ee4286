// SPDX-License-Identifier: MIT
// The encoder of BPTC float blocks: the mode of one region and ten bits an end point.
#include "tracker/compress.h"

#include <algorithm>
#include <cstring>

namespace st {

namespace {

constexpr int kWeights[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
constexpr int kLargest = 0x7bff; // the largest finite half

// Halves as integers in their own order. What is no number becomes 0, what is infinite the largest.
int ordered(uint16_t half, bool is_signed) {
    const int magnitude = half & 0x7fff;
    if (magnitude > 0x7c00 || (!is_signed && half & 0x8000))
        return 0;
    const int v = std::min(magnitude, kLargest);
    return half & 0x8000 ? -v : v;
}

// The end point whose decoded value is next to `v`, and that value.
int quantized(int v, bool is_signed) {
    const int m = v < 0 ? -v : v;
    const int q = is_signed ? std::min((m + 31) / 62, 511) : std::min((m + 15) / 31, 1023);
    return v < 0 ? -q : q;
}

// As the decoder widens it; 16 bits, or 15 and a sign.
int widened(int q, bool is_signed) {
    const int m = q < 0 ? -q : q;
    int v;
    if (is_signed)
        v = m == 0 ? 0 : m >= 511 ? 0x7fff : ((m << 15) + 0x4000) >> 9;
    else
        v = m == 0 ? 0 : m >= 1023 ? 0xffff : ((m << 16) + 0x8000) >> 10;
    return q < 0 ? -v : v;
}

int narrowed(int v, bool is_signed) {
    if (!is_signed)
        return (v * 31) >> 6;
    return v < 0 ? -((-v * 31) >> 5) : (v * 31) >> 5;
}

int nearest_step(const int texel[3], const int end[2][3], bool is_signed) {
    int64_t best = INT64_MAX;
    int found = 0;
    for (int s = 0; s < 16; s++) {
        int64_t d = 0;
        for (int k = 0; k < 3; k++) {
            const int mixed = ((64 - kWeights[s]) * end[0][k] + kWeights[s] * end[1][k] + 32) >> 6;
            const int64_t off = narrowed(mixed, is_signed) - texel[k];
            d += off * off;
        }
        if (d < best) {
            best = d;
            found = s;
        }
    }
    return found;
}

} // namespace

void compress_float_block(const uint16_t texels[16][4], bool is_signed, uint8_t *out) {
    int value[16][3], q[2][3], end[2][3], index[16];
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 3; k++)
            value[i][k] = ordered(texels[i][k], is_signed);
    for (int k = 0; k < 3; k++) {
        int lo = value[0][k], hi = lo;
        for (const auto &v : value) {
            lo = std::min(lo, v[k]);
            hi = std::max(hi, v[k]);
        }
        q[0][k] = quantized(lo, is_signed);
        q[1][k] = quantized(hi, is_signed);
        for (int e = 0; e < 2; e++)
            end[e][k] = widened(q[e][k], is_signed);
    }
    for (int i = 0; i < 16; i++)
        index[i] = nearest_step(value[i], end, is_signed);
    if (index[0] >= 8) { // the first index has three bits only
        std::swap(q[0], q[1]);
        for (int &s : index)
            s = 15 - s;
    }
    std::memset(out, 0, 16);
    unsigned at = 0;
    const auto put = [&](unsigned v, unsigned bits) {
        for (unsigned i = 0; i < bits; i++, at++)
            out[at / 8] |= uint8_t((v >> i & 1) << (at % 8));
    };
    put(3, 5);
    for (const auto &point : q)
        for (const int component : point)
            put(unsigned(component) & 1023, 10);
    for (unsigned i = 0; i < 16; i++)
        put(unsigned(index[i]), i ? 4 : 3);
}

} // namespace st
