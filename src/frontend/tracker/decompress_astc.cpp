// SPDX-License-Identifier: MIT
// ASTC, low dynamic range, two dimensions (KHR_texture_compression_astc_ldr; Khronos Data Format
// Specification 1.3, chapter 23). What is reserved, wrong, or high dynamic range is magenta.
#include "tracker/decompress.h"

#include <algorithm>
#include <cstring>

namespace st {

namespace {

// A block's bits, first bit lowest.
struct Bits {
    const uint8_t *bytes;
    unsigned get(unsigned at, unsigned n) const {
        unsigned v = 0;
        for (unsigned i = 0; i < n; i++)
            if (at + i < 128)
                v |= unsigned(bytes[(at + i) / 8] >> ((at + i) % 8) & 1) << i;
        return v;
    }
};

// --- integer sequences ---------------------------------------------------------------------------

// Values below (3 if trits, 5 if quints, else 1) << bits.
struct Range {
    uint8_t trits, quints, bits;
    unsigned size(unsigned n) const {
        return n * bits + (trits ? (n * 8 + 4) / 5 : quints ? (n * 7 + 2) / 3 : 0);
    }
};

constexpr Range ranges[] = {{0, 0, 1}, {1, 0, 0}, {0, 0, 2}, {0, 1, 0}, {1, 0, 1}, {0, 0, 3},
                            {0, 1, 1}, {1, 0, 2}, {0, 0, 4}, {0, 1, 2}, {1, 0, 3}, {0, 0, 5},
                            {0, 1, 3}, {1, 0, 4}, {0, 0, 6}, {0, 1, 4}, {1, 0, 5}, {0, 0, 7},
                            {0, 1, 5}, {1, 0, 6}, {0, 0, 8}};
constexpr unsigned kSixLevels = 4, kAllLevels = 20;

void unpack_trits(unsigned t, unsigned v[5]) {
    unsigned c;
    if ((t >> 2 & 7) == 7) {
        c = (t >> 5 & 7) << 2 | (t & 3);
        v[4] = v[3] = 2;
    } else {
        c = t & 31;
        v[4] = (t >> 5 & 3) == 3 ? 2 : t >> 7 & 1;
        v[3] = (t >> 5 & 3) == 3 ? t >> 7 & 1 : t >> 5 & 3;
    }
    if ((c & 3) == 3) {
        v[2] = 2;
        v[1] = c >> 4 & 1;
        v[0] = (c >> 3 & 1) << 1 | (c >> 2 & ~(c >> 3) & 1);
    } else if ((c >> 2 & 3) == 3) {
        v[2] = v[1] = 2;
        v[0] = c & 3;
    } else {
        v[2] = c >> 4 & 1;
        v[1] = c >> 2 & 3;
        v[0] = (c >> 1 & 1) << 1 | (c & ~(c >> 1) & 1);
    }
}

void unpack_quints(unsigned q, unsigned v[3]) {
    if ((q >> 1 & 3) == 3 && (q >> 5 & 3) == 0) {
        const unsigned low = q & 1, not_low = ~low & 1;
        v[2] = low << 2 | (q >> 4 & not_low) << 1 | (q >> 3 & not_low);
        v[1] = v[0] = 4;
        return;
    }
    unsigned c;
    if ((q >> 1 & 3) == 3) {
        v[2] = 4;
        c = (q >> 3 & 3) << 3 | (~(q >> 5) & 3) << 1 | (q & 1);
    } else {
        v[2] = q >> 5 & 3;
        c = q & 31;
    }
    v[1] = (c & 7) == 5 ? 4 : c >> 3 & 3;
    v[0] = (c & 7) == 5 ? c >> 3 & 3 : c & 7;
}

// `n` values from bit `at` on: the plain bits of each in `low`, its trit or quint in `high`.
void read_sequence(const Bits &b, unsigned at, const Range &r, unsigned n, uint8_t *low,
                   uint8_t *high) {
    static constexpr uint8_t trit_bits[5] = {2, 2, 1, 2, 1}, quint_bits[3] = {3, 2, 2};
    const unsigned group = r.trits ? 5 : r.quints ? 3 : 1, end = at + r.size(n);
    // Bits past the end of a cut group are zero.
    const auto take = [&](unsigned bits) {
        const unsigned there = at < end ? std::min(bits, end - at) : 0;
        const unsigned v = b.get(at, there);
        at += bits;
        return v;
    };
    for (unsigned i = 0; i < n; i += group) {
        unsigned packed = 0, shift = 0, digits[5] = {};
        for (unsigned k = 0; k < group; k++) {
            const unsigned v = take(r.bits);
            if (i + k < n)
                low[i + k] = uint8_t(v);
            if (group == 1)
                continue;
            const unsigned more = r.trits ? trit_bits[k] : quint_bits[k];
            packed |= take(more) << shift;
            shift += more;
        }
        if (r.trits)
            unpack_trits(packed, digits);
        else if (r.quints)
            unpack_quints(packed, digits);
        for (unsigned k = 0; k < group && i + k < n; k++)
            high[i + k] = uint8_t(digits[k]);
    }
}

// `n` bits to `to` bits by repetition.
unsigned repeat(unsigned v, unsigned n, unsigned to) {
    unsigned r = 0;
    for (int at = int(to); at > 0;) {
        at -= int(n);
        r |= at >= 0 ? v << at : v >> -at;
    }
    return r;
}

unsigned color_value(const Range &r, unsigned low, unsigned digit) {
    if (!r.trits && !r.quints)
        return repeat(low, r.bits, 8);
    const unsigned a = low & 1 ? 0x1ff : 0, v = low >> 1; // v: the bits above the lowest
    unsigned b = 0, c = 0;
    if (r.trits) {
        static constexpr uint8_t scale[] = {0, 204, 93, 44, 22, 11, 5};
        c = scale[r.bits];
        switch (r.bits) {
        case 2: b = v << 8 | v << 4 | v << 2 | v << 1; break;
        case 3: b = v << 7 | v << 2 | v; break;
        case 4: b = v << 6 | v; break;
        case 5: b = v << 5 | v >> 2; break;
        case 6: b = v << 4 | v >> 4; break;
        }
    } else {
        static constexpr uint8_t scale[] = {0, 113, 54, 26, 13, 6};
        c = scale[r.bits];
        switch (r.bits) {
        case 2: b = v << 8 | v << 3 | v << 2; break;
        case 3: b = v << 7 | v << 1 | v >> 1; break;
        case 4: b = v << 6 | v >> 1; break;
        case 5: b = v << 5 | v >> 3; break;
        }
    }
    const unsigned t = (digit * c + b) ^ a;
    return (a & 0x80) | t >> 2;
}

// 0 to 64.
unsigned weight_value(const Range &r, unsigned low, unsigned digit) {
    unsigned w;
    if (!r.bits) {
        static constexpr uint8_t trit[] = {0, 32, 63}, quint[] = {0, 16, 32, 47, 63};
        w = r.trits ? trit[digit] : quint[digit];
    } else if (!r.trits && !r.quints) {
        w = repeat(low, r.bits, 6);
    } else {
        const unsigned a = low & 1 ? 0x7f : 0, v = low >> 1;
        unsigned b = 0, c;
        if (r.trits) {
            c = r.bits == 1 ? 50 : r.bits == 2 ? 23 : 11;
            b = r.bits == 2 ? v << 6 | v << 2 | v : r.bits == 3 ? v << 5 | v : 0;
        } else {
            c = r.bits == 1 ? 28 : 13;
            b = r.bits == 2 ? v << 6 | v << 1 : 0;
        }
        const unsigned t = (digit * c + b) ^ a;
        w = (a & 0x20) | t >> 2;
    }
    return w > 32 ? w + 1 : w;
}

// --- the block's layout --------------------------------------------------------------------------

struct Mode {
    unsigned width, height; // of the grid of weights
    Range range;
    bool dual;
};

bool read_mode(const Bits &b, Mode &m) {
    const unsigned a = b.get(5, 2), c = b.get(7, 2);
    unsigned r;
    bool high = b.get(9, 1);
    m.dual = b.get(10, 1);
    if (b.get(0, 2)) {
        r = b.get(4, 1) | b.get(0, 2) << 1;
        switch (b.get(2, 2)) {
        case 0: m.width = c + 4, m.height = a + 2; break;
        case 1: m.width = c + 8, m.height = a + 2; break;
        case 2: m.width = a + 2, m.height = c + 8; break;
        default: m.width = c & 2 ? (c & 1) + 2 : a + 2; m.height = c & 2 ? a + 2 : (c & 1) + 6;
        }
    } else {
        r = b.get(4, 1) | b.get(2, 2) << 1;
        switch (c) {
        case 0: m.width = 12, m.height = a + 2; break;
        case 1: m.width = a + 2, m.height = 12; break;
        case 2:
            m.width = a + 6, m.height = b.get(9, 2) + 6;
            high = m.dual = false;
            break;
        default:
            if (a > 1)
                return false;
            m.width = a ? 10 : 6, m.height = a ? 6 : 10;
        }
    }
    if (r < 2)
        return false;
    m.range = ranges[r - 2 + (high ? 6 : 0)];
    return true;
}

using Color = int[4];

void set(Color &c, int r, int g, int b, int a) {
    c[0] = std::clamp(r, 0, 255);
    c[1] = std::clamp(g, 0, 255);
    c[2] = std::clamp(b, 0, 255);
    c[3] = std::clamp(a, 0, 255);
}

void set_contracted(Color &c, int r, int g, int b, int a) {
    set(c, (r + b) >> 1, (g + b) >> 1, b, a);
}

// Moves the top bit of `a` to `b` and leaves `a` a signed six-bit number.
void transfer_sign(int &a, int &b) {
    b = b >> 1 | (a & 0x80);
    a = a >> 1 & 0x3f;
    if (a & 0x20)
        a -= 0x40;
}

void direct_ends(const int *v, int a0, int a1, Color e[2]) {
    if (v[1] + v[3] + v[5] >= v[0] + v[2] + v[4]) {
        set(e[0], v[0], v[2], v[4], a0);
        set(e[1], v[1], v[3], v[5], a1);
    } else {
        set_contracted(e[0], v[1], v[3], v[5], a1);
        set_contracted(e[1], v[0], v[2], v[4], a0);
    }
}

void offset_ends(int *v, bool alpha, Color e[2]) {
    for (int k = 0; k < (alpha ? 8 : 6); k += 2)
        transfer_sign(v[k + 1], v[k]);
    const int a0 = alpha ? v[6] : 255, a1 = alpha ? v[6] + v[7] : 255;
    if (v[1] + v[3] + v[5] >= 0) {
        set(e[0], v[0], v[2], v[4], a0);
        set(e[1], v[0] + v[1], v[2] + v[3], v[4] + v[5], a1);
    } else {
        set_contracted(e[0], v[0] + v[1], v[2] + v[3], v[4] + v[5], a1);
        set_contracted(e[1], v[0], v[2], v[4], a0);
    }
}

// The two ends of a partition; false for a mode of high dynamic range.
bool read_ends(unsigned type, int *v, Color e[2]) {
    switch (type) {
    case 0:
        set(e[0], v[0], v[0], v[0], 255);
        set(e[1], v[1], v[1], v[1], 255);
        return true;
    case 1: {
        const int low = v[0] >> 2 | (v[1] & 0xc0), high = std::min(low + (v[1] & 0x3f), 255);
        set(e[0], low, low, low, 255);
        set(e[1], high, high, high, 255);
        return true;
    }
    case 4:
        set(e[0], v[0], v[0], v[0], v[2]);
        set(e[1], v[1], v[1], v[1], v[3]);
        return true;
    case 5:
        transfer_sign(v[1], v[0]);
        transfer_sign(v[3], v[2]);
        set(e[0], v[0], v[0], v[0], v[2]);
        set(e[1], v[0] + v[1], v[0] + v[1], v[0] + v[1], v[2] + v[3]);
        return true;
    case 6:
    case 10:
        set(e[0], v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, type == 10 ? v[4] : 255);
        set(e[1], v[0], v[1], v[2], type == 10 ? v[5] : 255);
        return true;
    case 8: direct_ends(v, 255, 255, e); return true;
    case 9: offset_ends(v, false, e); return true;
    case 12: direct_ends(v, v[6], v[7], e); return true;
    case 13: offset_ends(v, true, e); return true;
    default: return false;
    }
}

// Which partition a texel belongs to: the specification's own hash.
unsigned partition_of(unsigned seed, unsigned x, unsigned y, unsigned parts, bool small) {
    if (parts == 1)
        return 0;
    if (small) {
        x <<= 1;
        y <<= 1;
    }
    seed += (parts - 1) * 1024;
    uint32_t p = seed;
    p ^= p >> 15;
    p -= p << 17;
    p += p << 7;
    p += p << 4;
    p ^= p >> 5;
    p += p << 16;
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^= p >> 17;
    uint32_t s[8];
    for (unsigned i = 0; i < 8; i++) {
        s[i] = p >> (4 * i) & 15;
        s[i] *= s[i];
    }
    const unsigned by_seed = seed & 2 ? 4 : 5, by_parts = parts == 3 ? 6 : 5,
                   even = seed & 1 ? by_seed : by_parts, odd = seed & 1 ? by_parts : by_seed;
    for (unsigned i = 0; i < 8; i++)
        s[i] >>= i % 2 ? odd : even;
    const unsigned a = (s[0] * x + s[1] * y + (p >> 14)) & 63,
                   b = (s[2] * x + s[3] * y + (p >> 10)) & 63,
                   c = parts < 3 ? 0 : (s[4] * x + s[5] * y + (p >> 6)) & 63,
                   d = parts < 4 ? 0 : (s[6] * x + s[7] * y + (p >> 2)) & 63;
    if (a >= b && a >= c && a >= d)
        return 0;
    return b >= c && b >= d ? 1 : c >= d ? 2 : 3;
}

struct Block {
    Mode mode;
    unsigned parts, seed, type[4];
    Color ends[4][2];
    bool wrong[4];      // a partition of high dynamic range
    unsigned second;    // component with weights of its own; 4: none
    uint8_t weight[64]; // planes are interleaved
};

// Types of end points, and where the bits of colours and of the extra type bits end.
void read_types(const Bits &b, Block &k, unsigned &below_weights) {
    if (k.parts == 1) {
        k.type[0] = b.get(13, 4);
        return;
    }
    const unsigned field = b.get(23, 6);
    if (!(field & 3)) {
        for (unsigned i = 0; i < k.parts; i++)
            k.type[i] = field >> 2;
        return;
    }
    const unsigned extra = 3 * k.parts - 4;
    below_weights -= extra;
    const unsigned all = (field | b.get(below_weights, extra) << 6) >> 2, base = (field & 3) - 1;
    for (unsigned i = 0; i < k.parts; i++)
        k.type[i] = (base + (all >> i & 1)) << 2 | (all >> (k.parts + 2 * i) & 3);
}

bool read_colors(const Bits &b, Block &k, unsigned first, unsigned end) {
    unsigned n = 0;
    for (unsigned i = 0; i < k.parts; i++)
        n += (k.type[i] / 4 + 1) * 2;
    if (n > 18 || end < first)
        return false;
    unsigned level = kAllLevels;
    while (level > kSixLevels && ranges[level].size(n) > end - first)
        level--;
    const Range &r = ranges[level];
    if (r.size(n) > end - first)
        return false;
    uint8_t low[18] = {}, high[18] = {};
    read_sequence(b, first, r, n, low, high);
    int value[18];
    for (unsigned i = 0; i < n; i++)
        value[i] = int(color_value(r, low[i], high[i]));
    int *v = value;
    for (unsigned i = 0; i < k.parts; i++) {
        const unsigned used = (k.type[i] / 4 + 1) * 2;
        int own[8] = {};
        std::copy(v, v + used, own);
        k.wrong[i] = !read_ends(k.type[i], own, k.ends[i]);
        v += used;
    }
    return true;
}

bool read_block(const gl::FormatInfo &f, const Bits &b, Block &k) {
    if (!read_mode(b, k.mode) || k.mode.width > f.block_w || k.mode.height > f.block_h)
        return false;
    const unsigned n = k.mode.width * k.mode.height * (k.mode.dual ? 2 : 1);
    k.parts = b.get(11, 2) + 1;
    const unsigned bits = n > 64 ? 0 : k.mode.range.size(n);
    if (bits < 24 || bits > 96 || (k.mode.dual && k.parts == 4))
        return false;
    uint8_t reversed[16], low[64] = {}, high[64] = {};
    for (unsigned i = 0; i < 16; i++) {
        reversed[i] = 0;
        for (unsigned j = 0; j < 8; j++)
            reversed[i] |= uint8_t((b.bytes[15 - i] >> j & 1) << (7 - j));
    }
    read_sequence({reversed}, 0, k.mode.range, n, low, high);
    for (unsigned i = 0; i < n; i++)
        k.weight[i] = uint8_t(weight_value(k.mode.range, low[i], high[i]));
    k.seed = k.parts > 1 ? b.get(13, 10) : 0;
    unsigned end = 128 - bits;
    read_types(b, k, end);
    k.second = 4;
    if (k.mode.dual) {
        end -= 2;
        k.second = b.get(end, 2);
    }
    return read_colors(b, k, k.parts > 1 ? 29 : 17, end);
}

// --- texels --------------------------------------------------------------------------------------

// Weight of a texel between those of the grid.
unsigned weight_at(const gl::FormatInfo &f, const Block &k, unsigned x, unsigned y,
                   unsigned plane) {
    const unsigned ds = (1024 + f.block_w / 2) / (f.block_w - 1u),
                   dt = (1024 + f.block_h / 2) / (f.block_h - 1u),
                   gs = (ds * x * (k.mode.width - 1) + 32) >> 6,
                   gt = (dt * y * (k.mode.height - 1) + 32) >> 6, fs = gs & 15, ft = gt & 15,
                   w11 = (fs * ft + 8) >> 4, w10 = ft - w11, w01 = fs - w11,
                   w00 = 16 - fs - ft + w11;
    const auto at = [&](unsigned dx, unsigned dy, unsigned share) {
        if (!share)
            return 0u;
        const unsigned i = (gt / 16 + dy) * k.mode.width + gs / 16 + dx;
        return share * k.weight[k.mode.dual ? 2 * i + plane : i];
    };
    return (at(0, 0, w00) + at(1, 0, w01) + at(0, 1, w10) + at(1, 1, w11) + 8) >> 4;
}

void put(uint8_t *out, uint8_t r, uint8_t g, uint8_t b, uint8_t a) {
    const uint8_t c[4] = {r, g, b, a};
    std::memcpy(out, c, 4);
}

void fill(const gl::FormatInfo &f, uint8_t *out, uint8_t r, uint8_t g, uint8_t b, uint8_t a) {
    for (unsigned i = 0; i < unsigned(f.block_w) * f.block_h; i++)
        put(out + 4 * i, r, g, b, a);
}

// A block of one colour; the area it claims is all ones or not empty.
bool void_extent(const gl::FormatInfo &f, const Bits &b, uint8_t *out) {
    const unsigned s0 = b.get(12, 13), s1 = b.get(25, 13), t0 = b.get(38, 13), t1 = b.get(51, 13);
    const bool none = s0 == 0x1fff && s1 == 0x1fff && t0 == 0x1fff && t1 == 0x1fff;
    if (b.get(9, 3) != 6 || (!none && (s0 >= s1 || t0 >= t1)))
        return false;
    fill(f, out, b.bytes[9], b.bytes[11], b.bytes[13], b.bytes[15]);
    return true;
}

} // namespace

void decode_astc(const gl::FormatInfo &f, const uint8_t *block, uint8_t *out) {
    const Bits b{block};
    Block k;
    const bool extent = b.get(0, 9) == 0x1fc;
    if (extent ? !void_extent(f, b, out) : !read_block(f, b, k))
        return fill(f, out, 255, 0, 255, 255);
    if (extent)
        return;
    const bool small = f.block_w * f.block_h < 31;
    for (unsigned y = 0; y < f.block_h; y++)
        for (unsigned x = 0; x < f.block_w; x++) {
            const unsigned part = partition_of(k.seed, x, y, k.parts, small);
            const Color *e = k.ends[part];
            if (k.wrong[part]) {
                put(out, 255, 0, 255, 255);
                out += 4;
                continue;
            }
            const unsigned first = weight_at(f, k, x, y, 0),
                           second = k.mode.dual ? weight_at(f, k, x, y, 1) : first;
            for (unsigned c = 0; c < 4; c++) {
                const int w = int(c == k.second ? second : first);
                const int a = e[0][c] << 8 | (f.srgb ? 0x80 : e[0][c]),
                          z = e[1][c] << 8 | (f.srgb ? 0x80 : e[1][c]);
                *out++ = uint8_t(((a * (64 - w) + z * w + 32) >> 6) >> 8);
            }
        }
}

} // namespace st
