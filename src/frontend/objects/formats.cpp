// SPDX-License-Identifier: MIT
// The table of internal formats. Columns: internal, base, type, bits r g b a d s, pipe formats by
// preference, natural client (format, type), flags.
#include "objects/formats.h"

#include "pipe/pipe.h"

#include <unordered_map>

namespace gl {
namespace {

constexpr GLenum UN = GL_UNSIGNED_NORMALIZED, SN = GL_SIGNED_NORMALIZED, FL = GL_FLOAT, SI = GL_INT,
                 UI = GL_UNSIGNED_INT;
constexpr uint16_t CR = FormatInfo::color_renderable, TB = FormatInfo::texture_buffer,
                   IM = FormatInfo::image_store, FI = FormatInfo::filterable;

struct Bits {
    uint8_t r, g, b, a, d, s, shared = 0;
};
struct Pipe {
    pipe_format f[3];
};

#define P1(a)                                                                                      \
    Pipe {                                                                                         \
        { PIPE_FORMAT_##a, PIPE_FORMAT_NONE, PIPE_FORMAT_NONE }                                    \
    }
#define P2(a, b)                                                                                   \
    Pipe {                                                                                         \
        { PIPE_FORMAT_##a, PIPE_FORMAT_##b, PIPE_FORMAT_NONE }                                     \
    }
#define P3(a, b, c)                                                                                \
    Pipe {                                                                                         \
        { PIPE_FORMAT_##a, PIPE_FORMAT_##b, PIPE_FORMAT_##c }                                      \
    }
#define BITS(r, g, b, a, d, s)                                                                     \
    Bits {                                                                                         \
        r, g, b, a, d, s                                                                           \
    }

constexpr FormatInfo row(GLenum internal, GLenum base, GLenum type, Bits n, Pipe p, GLenum format,
                         GLenum ty, uint16_t flags, bool srgb = false, bool compressed = false,
                         uint8_t block_bytes = 0) {
    uint8_t block = compressed ? 4 : 1;
    return {internal, base,     type,        n.r,
            n.g,      n.b,      n.a,         n.d,
            n.s,      n.shared, srgb,        compressed,
            block,    block,    block_bytes, {uint16_t(p.f[0]), uint16_t(p.f[1]), uint16_t(p.f[2])},
            format,   ty,       flags};
}
// ASTC: blocks of many sizes, 16 bytes each. The frontend decodes them for every driver.
constexpr FormatInfo astc(GLenum internal, uint8_t w, uint8_t h, bool srgb) {
    FormatInfo f = row(internal, GL_RGBA, UN, BITS(8, 8, 8, 8, 0, 0),
                       srgb ? P1(R8G8B8A8_SRGB) : P1(R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_BYTE, FI,
                       srgb, true, 16);
    f.block_w = w;
    f.block_h = h;
    return f;
}
#define ASTC(w, h)                                                                                 \
    astc(GL_COMPRESSED_RGBA_ASTC_##w##x##h##_KHR, w, h, false),                                    \
        astc(GL_COMPRESSED_SRGB8_ALPHA8_ASTC_##w##x##h##_KHR, w, h, true)
#define R row
#define SROW(...) row(__VA_ARGS__, true)
#define CROW(in, base, type, bits, srgb, bytes, pipe, fmt, ty)                                     \
    row(in, base, type, bits, pipe, fmt, ty, FI, srgb, true, bytes)

// clang-format off
constexpr FormatInfo rows[] = {
    // normalised
    R(GL_R8, GL_RED, UN, BITS(8,0,0,0,0,0), P2(R8_UNORM, R8G8B8A8_UNORM), GL_RED, GL_UNSIGNED_BYTE, CR|TB|IM|FI),
    R(GL_R8_SNORM, GL_RED, SN, BITS(8,0,0,0,0,0), P2(R8_SNORM, R8G8B8A8_SNORM), GL_RED, GL_BYTE, CR|IM|FI),
    R(GL_R16, GL_RED, UN, BITS(16,0,0,0,0,0), P2(R16_UNORM, R32_FLOAT), GL_RED, GL_UNSIGNED_SHORT, CR|TB|IM|FI),
    R(GL_R16_SNORM, GL_RED, SN, BITS(16,0,0,0,0,0), P2(R16_SNORM, R32_FLOAT), GL_RED, GL_SHORT, CR|IM|FI),
    R(GL_RG8, GL_RG, UN, BITS(8,8,0,0,0,0), P2(R8G8_UNORM, R8G8B8A8_UNORM), GL_RG, GL_UNSIGNED_BYTE, CR|TB|IM|FI),
    R(GL_RG8_SNORM, GL_RG, SN, BITS(8,8,0,0,0,0), P2(R8G8_SNORM, R8G8B8A8_SNORM), GL_RG, GL_BYTE, CR|IM|FI),
    R(GL_RG16, GL_RG, UN, BITS(16,16,0,0,0,0), P2(R16G16_UNORM, R32G32_FLOAT), GL_RG, GL_UNSIGNED_SHORT, CR|TB|IM|FI),
    R(GL_RG16_SNORM, GL_RG, SN, BITS(16,16,0,0,0,0), P2(R16G16_SNORM, R32G32_FLOAT), GL_RG, GL_SHORT, CR|IM|FI),
    R(GL_R3_G3_B2, GL_RGB, UN, BITS(3,3,2,0,0,0), P3(R8G8B8X8_UNORM, R8G8B8A8_UNORM, R8G8B8_UNORM), GL_RGB, GL_UNSIGNED_BYTE_3_3_2, CR|FI),
    R(GL_RGB4, GL_RGB, UN, BITS(4,4,4,0,0,0), P3(R8G8B8X8_UNORM, R8G8B8A8_UNORM, R8G8B8_UNORM), GL_RGB, GL_UNSIGNED_BYTE, CR|FI),
    R(GL_RGB5, GL_RGB, UN, BITS(5,5,5,0,0,0), P3(R8G8B8X8_UNORM, R8G8B8A8_UNORM, R8G8B8_UNORM), GL_RGB, GL_UNSIGNED_BYTE, CR|FI),
    R(GL_RGB565, GL_RGB, UN, BITS(5,6,5,0,0,0), P3(R5G6B5_UNORM, R8G8B8X8_UNORM, R8G8B8A8_UNORM), GL_RGB, GL_UNSIGNED_SHORT_5_6_5, CR|FI),
    R(GL_RGB8, GL_RGB, UN, BITS(8,8,8,0,0,0), P3(R8G8B8X8_UNORM, R8G8B8A8_UNORM, R8G8B8_UNORM), GL_RGB, GL_UNSIGNED_BYTE, CR|FI),
    R(GL_RGB8_SNORM, GL_RGB, SN, BITS(8,8,8,0,0,0), P3(R8G8B8X8_SNORM, R8G8B8A8_SNORM, R8G8B8_SNORM), GL_RGB, GL_BYTE, CR|FI),
    R(GL_RGB10, GL_RGB, UN, BITS(10,10,10,0,0,0), P3(R10G10B10A2_UNORM, R16G16B16X16_UNORM, R16G16B16A16_UNORM), GL_RGB, GL_UNSIGNED_SHORT, CR|FI),
    R(GL_RGB12, GL_RGB, UN, BITS(12,12,12,0,0,0), P3(R16G16B16X16_UNORM, R16G16B16A16_UNORM, R32G32B32A32_FLOAT), GL_RGB, GL_UNSIGNED_SHORT, CR|FI),
    R(GL_RGB16, GL_RGB, UN, BITS(16,16,16,0,0,0), P3(R16G16B16X16_UNORM, R16G16B16A16_UNORM, R32G32B32A32_FLOAT), GL_RGB, GL_UNSIGNED_SHORT, CR|FI),
    R(GL_RGB16_SNORM, GL_RGB, SN, BITS(16,16,16,0,0,0), P3(R16G16B16X16_SNORM, R16G16B16A16_SNORM, R32G32B32A32_FLOAT), GL_RGB, GL_SHORT, CR|FI),
    R(GL_RGBA2, GL_RGBA, UN, BITS(2,2,2,2,0,0), P2(R4G4B4A4_UNORM, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, CR|FI),
    R(GL_RGBA4, GL_RGBA, UN, BITS(4,4,4,4,0,0), P2(R4G4B4A4_UNORM, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, CR|FI),
    R(GL_RGB5_A1, GL_RGBA, UN, BITS(5,5,5,1,0,0), P2(R5G5B5A1_UNORM, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, CR|FI),
    R(GL_RGBA8, GL_RGBA, UN, BITS(8,8,8,8,0,0), P2(R8G8B8A8_UNORM, B8G8R8A8_UNORM), GL_RGBA, GL_UNSIGNED_BYTE, CR|TB|IM|FI),
    R(GL_RGBA8_SNORM, GL_RGBA, SN, BITS(8,8,8,8,0,0), P1(R8G8B8A8_SNORM), GL_RGBA, GL_BYTE, CR|IM|FI),
    R(GL_RGB10_A2, GL_RGBA, UN, BITS(10,10,10,2,0,0), P2(R10G10B10A2_UNORM, R16G16B16A16_UNORM), GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, CR|IM|FI),
    R(GL_RGB10_A2UI, GL_RGBA, UI, BITS(10,10,10,2,0,0), P2(R10G10B10A2_UINT, R16G16B16A16_UINT), GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV, CR|IM),
    R(GL_RGBA12, GL_RGBA, UN, BITS(12,12,12,12,0,0), P2(R16G16B16A16_UNORM, R32G32B32A32_FLOAT), GL_RGBA, GL_UNSIGNED_SHORT, CR|FI),
    R(GL_RGBA16, GL_RGBA, UN, BITS(16,16,16,16,0,0), P2(R16G16B16A16_UNORM, R32G32B32A32_FLOAT), GL_RGBA, GL_UNSIGNED_SHORT, CR|TB|IM|FI),
    R(GL_RGBA16_SNORM, GL_RGBA, SN, BITS(16,16,16,16,0,0), P2(R16G16B16A16_SNORM, R32G32B32A32_FLOAT), GL_RGBA, GL_SHORT, CR|IM|FI),
    SROW(GL_SRGB8, GL_RGB, UN, BITS(8,8,8,0,0,0), P3(R8G8B8X8_SRGB, R8G8B8A8_SRGB, R8G8B8_SRGB), GL_RGB, GL_UNSIGNED_BYTE, CR|FI),
    SROW(GL_SRGB8_ALPHA8, GL_RGBA, UN, BITS(8,8,8,8,0,0), P2(R8G8B8A8_SRGB, B8G8R8A8_SRGB), GL_RGBA, GL_UNSIGNED_BYTE, CR|FI),
    SROW(GL_SR8_EXT, GL_RED, UN, BITS(8,0,0,0,0,0), P2(R8_SRGB, R8G8B8A8_SRGB), GL_RED, GL_UNSIGNED_BYTE, FI),
    // float
    R(GL_R16F, GL_RED, FL, BITS(16,0,0,0,0,0), P2(R16_FLOAT, R32_FLOAT), GL_RED, GL_HALF_FLOAT, CR|TB|IM|FI),
    R(GL_RG16F, GL_RG, FL, BITS(16,16,0,0,0,0), P2(R16G16_FLOAT, R32G32_FLOAT), GL_RG, GL_HALF_FLOAT, CR|TB|IM|FI),
    R(GL_RGB16F, GL_RGB, FL, BITS(16,16,16,0,0,0), P3(R16G16B16X16_FLOAT, R16G16B16A16_FLOAT, R16G16B16_FLOAT), GL_RGB, GL_HALF_FLOAT, CR|FI),
    R(GL_RGBA16F, GL_RGBA, FL, BITS(16,16,16,16,0,0), P2(R16G16B16A16_FLOAT, R32G32B32A32_FLOAT), GL_RGBA, GL_HALF_FLOAT, CR|TB|IM|FI),
    R(GL_R32F, GL_RED, FL, BITS(32,0,0,0,0,0), P1(R32_FLOAT), GL_RED, GL_FLOAT, CR|TB|IM|FI),
    R(GL_RG32F, GL_RG, FL, BITS(32,32,0,0,0,0), P1(R32G32_FLOAT), GL_RG, GL_FLOAT, CR|TB|IM|FI),
    R(GL_RGB32F, GL_RGB, FL, BITS(32,32,32,0,0,0), P3(R32G32B32X32_FLOAT, R32G32B32A32_FLOAT, R32G32B32_FLOAT), GL_RGB, GL_FLOAT, CR|TB|FI),
    R(GL_RGBA32F, GL_RGBA, FL, BITS(32,32,32,32,0,0), P1(R32G32B32A32_FLOAT), GL_RGBA, GL_FLOAT, CR|TB|IM|FI),
    R(GL_R11F_G11F_B10F, GL_RGB, FL, BITS(11,11,10,0,0,0), P2(R11G11B10_FLOAT, R16G16B16A16_FLOAT), GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV, CR|IM|FI),
    R(GL_RGB9_E5, GL_RGB, FL, Bits{9,9,9,0,0,0,5}, P2(R9G9B9E5_FLOAT, R16G16B16A16_FLOAT), GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV, FI),
    // integer
    R(GL_R8I, GL_RED, SI, BITS(8,0,0,0,0,0), P2(R8_SINT, R8G8B8A8_SINT), GL_RED_INTEGER, GL_BYTE, CR|TB|IM),
    R(GL_R8UI, GL_RED, UI, BITS(8,0,0,0,0,0), P2(R8_UINT, R8G8B8A8_UINT), GL_RED_INTEGER, GL_UNSIGNED_BYTE, CR|TB|IM),
    R(GL_R16I, GL_RED, SI, BITS(16,0,0,0,0,0), P2(R16_SINT, R32_SINT), GL_RED_INTEGER, GL_SHORT, CR|TB|IM),
    R(GL_R16UI, GL_RED, UI, BITS(16,0,0,0,0,0), P2(R16_UINT, R32_UINT), GL_RED_INTEGER, GL_UNSIGNED_SHORT, CR|TB|IM),
    R(GL_R32I, GL_RED, SI, BITS(32,0,0,0,0,0), P1(R32_SINT), GL_RED_INTEGER, GL_INT, CR|TB|IM),
    R(GL_R32UI, GL_RED, UI, BITS(32,0,0,0,0,0), P1(R32_UINT), GL_RED_INTEGER, GL_UNSIGNED_INT, CR|TB|IM),
    R(GL_RG8I, GL_RG, SI, BITS(8,8,0,0,0,0), P2(R8G8_SINT, R8G8B8A8_SINT), GL_RG_INTEGER, GL_BYTE, CR|TB|IM),
    R(GL_RG8UI, GL_RG, UI, BITS(8,8,0,0,0,0), P2(R8G8_UINT, R8G8B8A8_UINT), GL_RG_INTEGER, GL_UNSIGNED_BYTE, CR|TB|IM),
    R(GL_RG16I, GL_RG, SI, BITS(16,16,0,0,0,0), P2(R16G16_SINT, R32G32_SINT), GL_RG_INTEGER, GL_SHORT, CR|TB|IM),
    R(GL_RG16UI, GL_RG, UI, BITS(16,16,0,0,0,0), P2(R16G16_UINT, R32G32_UINT), GL_RG_INTEGER, GL_UNSIGNED_SHORT, CR|TB|IM),
    R(GL_RG32I, GL_RG, SI, BITS(32,32,0,0,0,0), P1(R32G32_SINT), GL_RG_INTEGER, GL_INT, CR|TB|IM),
    R(GL_RG32UI, GL_RG, UI, BITS(32,32,0,0,0,0), P1(R32G32_UINT), GL_RG_INTEGER, GL_UNSIGNED_INT, CR|TB|IM),
    R(GL_RGB8I, GL_RGB, SI, BITS(8,8,8,0,0,0), P3(R8G8B8X8_SINT, R8G8B8A8_SINT, R8G8B8_SINT), GL_RGB_INTEGER, GL_BYTE, CR),
    R(GL_RGB8UI, GL_RGB, UI, BITS(8,8,8,0,0,0), P3(R8G8B8X8_UINT, R8G8B8A8_UINT, R8G8B8_UINT), GL_RGB_INTEGER, GL_UNSIGNED_BYTE, CR),
    R(GL_RGB16I, GL_RGB, SI, BITS(16,16,16,0,0,0), P3(R16G16B16X16_SINT, R16G16B16A16_SINT, R16G16B16_SINT), GL_RGB_INTEGER, GL_SHORT, CR),
    R(GL_RGB16UI, GL_RGB, UI, BITS(16,16,16,0,0,0), P3(R16G16B16X16_UINT, R16G16B16A16_UINT, R16G16B16_UINT), GL_RGB_INTEGER, GL_UNSIGNED_SHORT, CR),
    R(GL_RGB32I, GL_RGB, SI, BITS(32,32,32,0,0,0), P3(R32G32B32X32_SINT, R32G32B32A32_SINT, R32G32B32_SINT), GL_RGB_INTEGER, GL_INT, CR|TB),
    R(GL_RGB32UI, GL_RGB, UI, BITS(32,32,32,0,0,0), P3(R32G32B32X32_UINT, R32G32B32A32_UINT, R32G32B32_UINT), GL_RGB_INTEGER, GL_UNSIGNED_INT, CR|TB),
    R(GL_RGBA8I, GL_RGBA, SI, BITS(8,8,8,8,0,0), P1(R8G8B8A8_SINT), GL_RGBA_INTEGER, GL_BYTE, CR|TB|IM),
    R(GL_RGBA8UI, GL_RGBA, UI, BITS(8,8,8,8,0,0), P1(R8G8B8A8_UINT), GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, CR|TB|IM),
    R(GL_RGBA16I, GL_RGBA, SI, BITS(16,16,16,16,0,0), P1(R16G16B16A16_SINT), GL_RGBA_INTEGER, GL_SHORT, CR|TB|IM),
    R(GL_RGBA16UI, GL_RGBA, UI, BITS(16,16,16,16,0,0), P1(R16G16B16A16_UINT), GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, CR|TB|IM),
    R(GL_RGBA32I, GL_RGBA, SI, BITS(32,32,32,32,0,0), P1(R32G32B32A32_SINT), GL_RGBA_INTEGER, GL_INT, CR|TB|IM),
    R(GL_RGBA32UI, GL_RGBA, UI, BITS(32,32,32,32,0,0), P1(R32G32B32A32_UINT), GL_RGBA_INTEGER, GL_UNSIGNED_INT, CR|TB|IM),
    // depth and stencil
    R(GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, UN, BITS(0,0,0,0,16,0), P3(Z16_UNORM, Z24X8_UNORM, Z32_FLOAT), GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, FI),
    R(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, UN, BITS(0,0,0,0,24,0), P3(Z24X8_UNORM, Z24_UNORM_S8_UINT, Z32_FLOAT), GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, FI),
    R(GL_DEPTH_COMPONENT32, GL_DEPTH_COMPONENT, UN, BITS(0,0,0,0,32,0), P3(Z32_UNORM, Z32_FLOAT, Z24X8_UNORM), GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, FI),
    R(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, FL, BITS(0,0,0,0,32,0), P1(Z32_FLOAT), GL_DEPTH_COMPONENT, GL_FLOAT, FI),
    R(GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, UN, BITS(0,0,0,0,24,8), P2(Z24_UNORM_S8_UINT, Z32_FLOAT_S8X24_UINT), GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, FI),
    R(GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, FL, BITS(0,0,0,0,32,8), P1(Z32_FLOAT_S8X24_UINT), GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, FI),
    R(GL_STENCIL_INDEX1, GL_STENCIL_INDEX, UI, BITS(0,0,0,0,0,8), P3(S8_UINT, Z24_UNORM_S8_UINT, Z32_FLOAT_S8X24_UINT), GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, 0),
    R(GL_STENCIL_INDEX4, GL_STENCIL_INDEX, UI, BITS(0,0,0,0,0,8), P3(S8_UINT, Z24_UNORM_S8_UINT, Z32_FLOAT_S8X24_UINT), GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, 0),
    R(GL_STENCIL_INDEX8, GL_STENCIL_INDEX, UI, BITS(0,0,0,0,0,8), P3(S8_UINT, Z24_UNORM_S8_UINT, Z32_FLOAT_S8X24_UINT), GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, 0),
    R(GL_STENCIL_INDEX16, GL_STENCIL_INDEX, UI, BITS(0,0,0,0,0,8), P3(S8_UINT, Z24_UNORM_S8_UINT, Z32_FLOAT_S8X24_UINT), GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, 0),
    // compressed; the fallback after the first pipe format is what the tracker decompresses into
    CROW(GL_COMPRESSED_RED_RGTC1, GL_RED, UN, BITS(8,0,0,0,0,0), false, 8, P2(RGTC1_UNORM, R8_UNORM), GL_RED, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SIGNED_RED_RGTC1, GL_RED, SN, BITS(8,0,0,0,0,0), false, 8, P2(RGTC1_SNORM, R8_SNORM), GL_RED, GL_BYTE),
    CROW(GL_COMPRESSED_RG_RGTC2, GL_RG, UN, BITS(8,8,0,0,0,0), false, 16, P2(RGTC2_UNORM, R8G8_UNORM), GL_RG, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SIGNED_RG_RGTC2, GL_RG, SN, BITS(8,8,0,0,0,0), false, 16, P2(RGTC2_SNORM, R8G8_SNORM), GL_RG, GL_BYTE),
    CROW(GL_COMPRESSED_RGBA_BPTC_UNORM, GL_RGBA, UN, BITS(8,8,8,8,0,0), false, 16, P2(BPTC_RGBA_UNORM, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM, GL_RGBA, UN, BITS(8,8,8,8,0,0), true, 16, P2(BPTC_SRGBA, R8G8B8A8_SRGB), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, GL_RGB, FL, BITS(16,16,16,0,0,0), false, 16, P2(BPTC_RGB_FLOAT, R16G16B16A16_FLOAT), GL_RGB, GL_HALF_FLOAT),
    CROW(GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, GL_RGB, FL, BITS(16,16,16,0,0,0), false, 16, P2(BPTC_RGB_UFLOAT, R16G16B16A16_FLOAT), GL_RGB, GL_HALF_FLOAT),
    CROW(GL_COMPRESSED_RGB8_ETC2, GL_RGB, UN, BITS(8,8,8,0,0,0), false, 8, P2(ETC2_RGB8, R8G8B8A8_UNORM), GL_RGB, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SRGB8_ETC2, GL_RGB, UN, BITS(8,8,8,0,0,0), true, 8, P2(ETC2_SRGB8, R8G8B8A8_SRGB), GL_RGB, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, GL_RGBA, UN, BITS(8,8,8,1,0,0), false, 8, P2(ETC2_RGB8A1, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2, GL_RGBA, UN, BITS(8,8,8,1,0,0), true, 8, P2(ETC2_SRGB8A1, R8G8B8A8_SRGB), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_RGBA8_ETC2_EAC, GL_RGBA, UN, BITS(8,8,8,8,0,0), false, 16, P2(ETC2_RGBA8, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, GL_RGBA, UN, BITS(8,8,8,8,0,0), true, 16, P2(ETC2_SRGBA8, R8G8B8A8_SRGB), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_R11_EAC, GL_RED, UN, BITS(11,0,0,0,0,0), false, 8, P3(ETC2_R11_UNORM, R16_UNORM, R32_FLOAT), GL_RED, GL_UNSIGNED_SHORT),
    CROW(GL_COMPRESSED_SIGNED_R11_EAC, GL_RED, SN, BITS(11,0,0,0,0,0), false, 8, P3(ETC2_R11_SNORM, R16_SNORM, R32_FLOAT), GL_RED, GL_SHORT),
    CROW(GL_COMPRESSED_RG11_EAC, GL_RG, UN, BITS(11,11,0,0,0,0), false, 16, P3(ETC2_RG11_UNORM, R16G16_UNORM, R32G32_FLOAT), GL_RG, GL_UNSIGNED_SHORT),
    CROW(GL_COMPRESSED_SIGNED_RG11_EAC, GL_RG, SN, BITS(11,11,0,0,0,0), false, 16, P3(ETC2_RG11_SNORM, R16G16_SNORM, R32G32_FLOAT), GL_RG, GL_SHORT),
    CROW(GL_COMPRESSED_RGB_S3TC_DXT1_EXT, GL_RGB, UN, BITS(5,6,5,0,0,0), false, 8, P2(DXT1_RGB, R8G8B8A8_UNORM), GL_RGB, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, GL_RGBA, UN, BITS(5,6,5,1,0,0), false, 8, P2(DXT1_RGBA, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_RGBA_S3TC_DXT3_EXT, GL_RGBA, UN, BITS(5,6,5,4,0,0), false, 16, P2(DXT3_RGBA, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, GL_RGBA, UN, BITS(5,6,5,8,0,0), false, 16, P2(DXT5_RGBA, R8G8B8A8_UNORM), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SRGB_S3TC_DXT1_EXT, GL_RGB, UN, BITS(5,6,5,0,0,0), true, 8, P2(DXT1_SRGB, R8G8B8A8_SRGB), GL_RGB, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT, GL_RGBA, UN, BITS(5,6,5,1,0,0), true, 8, P2(DXT1_SRGBA, R8G8B8A8_SRGB), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT, GL_RGBA, UN, BITS(5,6,5,4,0,0), true, 16, P2(DXT3_SRGBA, R8G8B8A8_SRGB), GL_RGBA, GL_UNSIGNED_BYTE),
    CROW(GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT, GL_RGBA, UN, BITS(5,6,5,8,0,0), true, 16, P2(DXT5_SRGBA, R8G8B8A8_SRGB), GL_RGBA, GL_UNSIGNED_BYTE),
    ASTC(4, 4), ASTC(5, 4), ASTC(5, 5), ASTC(6, 5), ASTC(6, 6), ASTC(8, 5), ASTC(8, 6), ASTC(8, 8), ASTC(10, 5), ASTC(10, 6),
    ASTC(10, 8), ASTC(10, 10), ASTC(12, 10), ASTC(12, 12),
};

// Unsized and generic compressed formats, and the sized one that stands for each.
const struct { GLenum unsized, sized; } generic[] = {
    {GL_RED, GL_R8}, {GL_RG, GL_RG8}, {GL_RGB, GL_RGB8}, {GL_RGBA, GL_RGBA8}, {GL_SRGB, GL_SRGB8}, {GL_SRGB_ALPHA, GL_SRGB8_ALPHA8},
    {GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT24}, {GL_DEPTH_STENCIL, GL_DEPTH24_STENCIL8}, {GL_STENCIL_INDEX, GL_STENCIL_INDEX8},
    {GL_COMPRESSED_RED, GL_R8}, {GL_COMPRESSED_RG, GL_RG8}, {GL_COMPRESSED_RGB, GL_RGB8}, {GL_COMPRESSED_RGBA, GL_RGBA8},
    {GL_COMPRESSED_SRGB, GL_SRGB8}, {GL_COMPRESSED_SRGB_ALPHA, GL_SRGB8_ALPHA8},
};

const GLenum specific_compressed[] = {
    GL_COMPRESSED_RGB_S3TC_DXT1_EXT, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, GL_COMPRESSED_RGBA_S3TC_DXT3_EXT, GL_COMPRESSED_RGBA_S3TC_DXT5_EXT,
    GL_COMPRESSED_RGB8_ETC2, GL_COMPRESSED_SRGB8_ETC2, GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2,
    GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2, GL_COMPRESSED_RGBA8_ETC2_EAC, GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC,
    GL_COMPRESSED_R11_EAC, GL_COMPRESSED_SIGNED_R11_EAC, GL_COMPRESSED_RG11_EAC, GL_COMPRESSED_SIGNED_RG11_EAC, 0,
};
// clang-format on

const std::unordered_map<GLenum, const FormatInfo *> &index() {
    static const auto *map = [] {
        auto *m = new std::unordered_map<GLenum, const FormatInfo *>;
        for (const auto &r : rows)
            m->emplace(r.internal, &r);
        for (const auto &g : generic)
            m->emplace(g.unsized, m->at(g.sized));
        return m;
    }();
    return *map;
}
} // namespace

const GLenum *const compressed_formats = specific_compressed;

const FormatInfo *format_info(GLenum internal, GLenum format, GLenum type) {
    auto it = index().find(internal);
    if (it == index().end())
        return nullptr;
    // An unsized format follows the data where that is cheap and loses nothing.
    if (internal == GL_DEPTH_COMPONENT && type == GL_UNSIGNED_SHORT)
        return index().at(GL_DEPTH_COMPONENT16);
    if (internal == GL_DEPTH_COMPONENT && type == GL_FLOAT && format == GL_DEPTH_COMPONENT)
        return index().at(GL_DEPTH_COMPONENT32F);
    if (internal == GL_DEPTH_STENCIL && type == GL_FLOAT_32_UNSIGNED_INT_24_8_REV)
        return index().at(GL_DEPTH32F_STENCIL8);
    if (internal == GL_RGBA && type == GL_UNSIGNED_INT_2_10_10_10_REV)
        return index().at(GL_RGB10_A2);
    return it->second;
}

const FormatInfo *renderable_format(GLenum internal) {
    switch (internal) {
    case GL_SRGB:
    case GL_SRGB_ALPHA:
    case GL_COMPRESSED_RED:
    case GL_COMPRESSED_RG:
    case GL_COMPRESSED_RGB:
    case GL_COMPRESSED_RGBA:
    case GL_COMPRESSED_SRGB:
    case GL_COMPRESSED_SRGB_ALPHA: return nullptr;
    default: break;
    }
    const FormatInfo *f = format_info(internal);
    const bool renders = f && (!f->color() || f->flags & FormatInfo::color_renderable);
    return renders ? f : nullptr;
}

uint16_t buffer_element_format(const FormatInfo &f) {
    if (!(f.flags & FormatInfo::texture_buffer))
        return 0;
    bool three = f.b && !f.a && f.base == GL_RGB; // textures widen these, buffers cannot
    return three ? f.pipe[2] : f.pipe[0];
}

bool compressed_format(GLenum internal) {
    const FormatInfo *f = format_info(internal);
    return f && f->compressed && f->internal == internal;
}

bool astc_format(const FormatInfo &f) {
    const auto within = [&](GLenum first, GLenum last) {
        return f.internal >= first && f.internal <= last;
    };
    return within(GL_COMPRESSED_RGBA_ASTC_4x4_KHR, GL_COMPRESSED_RGBA_ASTC_12x12_KHR) ||
           within(GL_COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR,
                  GL_COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR);
}

bool blocks_only(const FormatInfo &f) {
    return astc_format(f) || (f.internal >= GL_COMPRESSED_R11_EAC &&
                              f.internal <= GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC);
}

uint64_t compressed_size(const FormatInfo &f, GLsizei w, GLsizei h, GLsizei d) {
    uint64_t bw = (uint64_t(w) + f.block_w - 1) / f.block_w,
             bh = (uint64_t(h) + f.block_h - 1) / f.block_h;
    return bw * bh * uint64_t(d) * f.block_bytes;
}

namespace {
// The class of a format of blocks other than ASTC.
GLenum block_view_class(GLenum internal) {
    switch (internal) {
    case GL_COMPRESSED_RED_RGTC1:
    case GL_COMPRESSED_SIGNED_RED_RGTC1: return GL_VIEW_CLASS_RGTC1_RED;
    case GL_COMPRESSED_RG_RGTC2:
    case GL_COMPRESSED_SIGNED_RG_RGTC2: return GL_VIEW_CLASS_RGTC2_RG;
    case GL_COMPRESSED_RGBA_BPTC_UNORM:
    case GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM: return GL_VIEW_CLASS_BPTC_UNORM;
    case GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT:
    case GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT: return GL_VIEW_CLASS_BPTC_FLOAT;
    case GL_COMPRESSED_RGB_S3TC_DXT1_EXT:
    case GL_COMPRESSED_SRGB_S3TC_DXT1_EXT: return GL_VIEW_CLASS_S3TC_DXT1_RGB;
    case GL_COMPRESSED_RGBA_S3TC_DXT1_EXT:
    case GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT: return GL_VIEW_CLASS_S3TC_DXT1_RGBA;
    case GL_COMPRESSED_RGBA_S3TC_DXT3_EXT:
    case GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT: return GL_VIEW_CLASS_S3TC_DXT3_RGBA;
    case GL_COMPRESSED_RGBA_S3TC_DXT5_EXT:
    case GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT: return GL_VIEW_CLASS_S3TC_DXT5_RGBA;
    case GL_COMPRESSED_RGB8_ETC2:
    case GL_COMPRESSED_SRGB8_ETC2: return GL_VIEW_CLASS_ETC2_RGB;
    case GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2:
    case GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2: return GL_VIEW_CLASS_ETC2_RGBA;
    case GL_COMPRESSED_RGBA8_ETC2_EAC:
    case GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC: return GL_VIEW_CLASS_ETC2_EAC_RGBA;
    case GL_COMPRESSED_R11_EAC:
    case GL_COMPRESSED_SIGNED_R11_EAC: return GL_VIEW_CLASS_EAC_R11;
    case GL_COMPRESSED_RG11_EAC:
    case GL_COMPRESSED_SIGNED_RG11_EAC: return GL_VIEW_CLASS_EAC_RG11;
    default: return GL_NONE;
    }
}
} // namespace

bool s3tc_format(const FormatInfo &f) {
    switch (block_view_class(f.internal)) {
    case GL_VIEW_CLASS_S3TC_DXT1_RGB:
    case GL_VIEW_CLASS_S3TC_DXT1_RGBA:
    case GL_VIEW_CLASS_S3TC_DXT3_RGBA:
    case GL_VIEW_CLASS_S3TC_DXT5_RGBA: return true;
    default: return false;
    }
}

GLenum view_class(GLenum internal) {
    const FormatInfo *f = format_info(internal);
    if (!f || f->internal != internal || !f->color())
        return GL_NONE;
    if (astc_format(*f)) {
        const GLenum first =
            f->srgb ? GL_COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR : GL_COMPRESSED_RGBA_ASTC_4x4_KHR;
        return GL_VIEW_CLASS_ASTC_4x4_RGBA + (internal - first);
    }
    if (f->compressed)
        return block_view_class(internal);
    switch (internal) { // those whose class is not the sum of their bits
    case GL_R3_G3_B2:
    case GL_RGB4:
    case GL_RGB5:
    case GL_RGB565:
    case GL_RGB10:
    case GL_RGB12:
    case GL_RGBA2:
    case GL_RGBA4:
    case GL_RGB5_A1:
    case GL_RGBA12: return GL_NONE;
    default: break;
    }
    switch (f->r + f->g + f->b + f->a + f->shared) {
    case 128: return GL_VIEW_CLASS_128_BITS;
    case 96: return GL_VIEW_CLASS_96_BITS;
    case 64: return GL_VIEW_CLASS_64_BITS;
    case 48: return GL_VIEW_CLASS_48_BITS;
    case 32: return GL_VIEW_CLASS_32_BITS;
    case 24: return GL_VIEW_CLASS_24_BITS;
    case 16: return GL_VIEW_CLASS_16_BITS;
    case 8: return GL_VIEW_CLASS_8_BITS;
    default: return GL_NONE;
    }
}
} // namespace gl
