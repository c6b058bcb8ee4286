// SPDX-License-Identifier: MIT
// Every specific compressed format: blocks in, blocks out, texels between, whether the driver has
// the format or the frontend decodes it.
#include "scenario.h"

#include <cstring>
#include <vector>

using namespace scenario;

namespace {

using Bytes = std::vector<uint8_t>;

struct Format {
    GLenum internal;
    int w, h;
    Bytes red; // a block of full red (and green, alpha, where the format has them only together)
    bool green;
};

Bytes operator+(Bytes a, const Bytes &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// Bits from the first on.
Bytes packed(std::initializer_list<std::pair<unsigned, unsigned>> fields) {
    Bytes b(16);
    unsigned at = 0;
    for (const auto &[value, bits] : fields)
        for (unsigned i = 0; i < bits; i++, at++)
            b[at / 8] |= uint8_t((value >> i & 1) << (at % 8));
    return b;
}

std::vector<Format> formats() {
    const Bytes dxt{0, 0xf8, 0, 0, 0, 0, 0, 0}, solid(8, 0xff), channel{255, 0, 0, 0, 0, 0, 0, 0},
        low_channel{127, 129, 0, 0, 0, 0, 0, 0}, etc{0xf8, 0, 0, 2, 0, 0, 0, 0},
        eac{255, 0, 255, 255, 255, 255, 255, 255}, low_eac{127, 0, 255, 255, 255, 255, 255, 255},
        astc{0xfc, 0xfd, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 255, 255};
    const Bytes bptc = packed({{32, 6}, {0, 2}, {127, 7}, {127, 7}, {0, 28}, {255, 8}, {255, 8}});
    const auto half = [](unsigned v) {
        return packed({{3, 5}, {v, 10}, {0, 20}, {v, 10}, {0, 20}});
    };
    std::vector<Format> all{
        {GL_COMPRESSED_RED_RGTC1, 4, 4, channel, false},
        {GL_COMPRESSED_SIGNED_RED_RGTC1, 4, 4, low_channel, false},
        {GL_COMPRESSED_RG_RGTC2, 4, 4, channel + channel, true},
        {GL_COMPRESSED_SIGNED_RG_RGTC2, 4, 4, low_channel + low_channel, true},
        {GL_COMPRESSED_RGBA_BPTC_UNORM, 4, 4, bptc, false},
        {GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM, 4, 4, bptc, false},
        {GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, 4, 4, half(247), false},
        {GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, 4, 4, half(495), false},
        {GL_COMPRESSED_RGB8_ETC2, 4, 4, etc, false},
        {GL_COMPRESSED_SRGB8_ETC2, 4, 4, etc, false},
        {GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 4, 4, etc, false},
        {GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2, 4, 4, etc, false},
        {GL_COMPRESSED_RGBA8_ETC2_EAC, 4, 4, eac + etc, false},
        {GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, 4, 4, eac + etc, false},
        {GL_COMPRESSED_R11_EAC, 4, 4, eac, false},
        {GL_COMPRESSED_SIGNED_R11_EAC, 4, 4, low_eac, false},
        {GL_COMPRESSED_RG11_EAC, 4, 4, eac + eac, true},
        {GL_COMPRESSED_SIGNED_RG11_EAC, 4, 4, low_eac + low_eac, true},
        {0x83F0, 4, 4, dxt, false}, // S3TC: DXT1 without and with alpha, DXT3, DXT5
        {0x83F1, 4, 4, dxt, false},
        {0x83F2, 4, 4, solid + dxt, false},
        {0x83F3, 4, 4, channel + dxt, false},
        {0x8C4C, 4, 4, dxt, false},
        {0x8C4D, 4, 4, dxt, false},
        {0x8C4E, 4, 4, solid + dxt, false},
        {0x8C4F, 4, 4, channel + dxt, false},
    };
    static constexpr int sizes[14][2] = {{4, 4},  {5, 4},   {5, 5},   {6, 5},  {6, 6},
                                         {8, 5},  {8, 6},   {8, 8},   {10, 5}, {10, 6},
                                         {10, 8}, {10, 10}, {12, 10}, {12, 12}};
    for (unsigned i = 0; i < 14; i++) {
        all.push_back({0x93B0 + i, sizes[i][0], sizes[i][1], astc, false});
        all.push_back({0x93D0 + i, sizes[i][0], sizes[i][1], astc, false});
    }
    return all;
}

Bytes noise(size_t n) {
    Bytes b(n);
    uint32_t s = 12345;
    for (uint8_t &v : b) {
        s = s * 1664525u + 1013904223u;
        v = uint8_t(s >> 24);
    }
    return b;
}

void define(const Format &f, int across, int down, const Bytes &blocks) {
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, f.internal, across * f.w, down * f.h, 0,
                           GLsizei(blocks.size()), blocks.data());
}

Bytes blocks_of(size_t n) {
    Bytes b(n);
    glGetCompressedTexImage(GL_TEXTURE_2D, 0, b.data());
    return b;
}

} // namespace

SCENARIO(texture_compressed_every_format) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    const GLuint program = fill_program("texture(t, uv)", "uniform sampler2D t;");
    for (const Format &f : formats()) {
        const size_t block = f.red.size();
        // 3 x 2 blocks as they came, then with the middle one of the lower row changed.
        Bytes blocks = noise(6 * block);
        define(f, 3, 2, blocks);
        EXPECT_ERROR(GL_NO_ERROR);
        EXPECT(blocks_of(blocks.size()) == blocks);
        std::memcpy(blocks.data() + block, f.red.data(), block);
        glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, f.w, 0, f.w, f.h, f.internal, GLsizei(block),
                                  f.red.data());
        EXPECT_ERROR(GL_NO_ERROR);
        EXPECT(blocks_of(blocks.size()) == blocks);
        // Not at a block, not whole blocks, not the texture's format.
        glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 1, 0, f.w, f.h, f.internal, GLsizei(block),
                                  f.red.data());
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, f.w - 1, f.h, f.internal, GLsizei(block),
                                  f.red.data());
        EXPECT_ERROR(GL_INVALID_OPERATION);
        target(12, 8);
        glBindTexture(GL_TEXTURE_2D, t);
        glUseProgram(program);
        draw_fill();
        expect_pixel(__FILE__, __LINE__, 5, 1, {1, f.green ? 1.0f : 0.0f, 0, 1}, 3.0f / 255);
        expect_pixel(__FILE__, __LINE__, 6, 2, {1, f.green ? 1.0f : 0.0f, 0, 1}, 3.0f / 255);
        GLubyte texels[3 * 12 * 2 * 12 * 4] = {};
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        EXPECT_ERROR(GL_NO_ERROR);
        EXPECT(texels[4 * f.w] > 250 && texels[4 * f.w + 2] < 5 && texels[4 * f.w + 3] == 255);
    }
}

SCENARIO(texture_compressed_copies) {
    // Blocks copied between textures are the same blocks.
    if (!has_extension("GL_ARB_copy_image"))
        return skip("no GL_ARB_copy_image");
    GLuint t[2];
    glGenTextures(2, t);
    for (const Format &f : formats()) {
        const size_t block = f.red.size();
        Bytes a = noise(4 * block), b(4 * block);
        glBindTexture(GL_TEXTURE_2D, t[0]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        define(f, 2, 2, a);
        glBindTexture(GL_TEXTURE_2D, t[1]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        define(f, 2, 2, b);
        glCopyImageSubData(t[0], GL_TEXTURE_2D, 0, f.w, 0, 0, t[1], GL_TEXTURE_2D, 0, 0, f.h, 0,
                           f.w, f.h, 1);
        EXPECT_ERROR(GL_NO_ERROR);
        std::memcpy(b.data() + 2 * block, a.data() + block, block);
        EXPECT(blocks_of(b.size()) == b);
    }
}

SCENARIO(texture_compressed_volumes) {
    // A volume has blocks of BPTC and ASTC only.
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_3D, t);
    for (const Format &f : formats()) {
        const bool whole = f.internal >= 0x93B0 ||
                           (f.internal >= GL_COMPRESSED_RGBA_BPTC_UNORM && f.internal <= 0x8E8F);
        const Bytes blocks = noise(2 * f.red.size());
        glCompressedTexImage3D(GL_TEXTURE_3D, 0, f.internal, f.w, f.h, 2, 0, GLsizei(blocks.size()),
                               blocks.data());
        const bool s3tc =
            f.internal >> 4 == 0x83F || (f.internal >= 0x8C4C && f.internal <= 0x8C4F);
        EXPECT_ERROR(whole ? GL_NO_ERROR : s3tc ? GL_INVALID_ENUM : GL_INVALID_OPERATION);
        if (!whole)
            continue;
        Bytes back(blocks.size());
        glGetCompressedTexImage(GL_TEXTURE_3D, 0, back.data());
        EXPECT(back == blocks);
    }
}
