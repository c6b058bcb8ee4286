// SPDX-License-Identifier: MIT
// Formats of blocks beyond plain uploads: any bits decode alike on the host and on the client;
// copies, mipmaps and float texels become blocks; errors of regions that cut blocks.
#include "scenario.h"

#include <cmath>
#include <cstring>
#include <vector>

using namespace scenario;

namespace {

// With its linear filter off, for what is exact.
GLuint new_texture(GLenum target, GLenum min_filter = GL_NEAREST) {
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(target, t);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GLint(min_filter));
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

std::vector<uint8_t> random_bytes(size_t n, uint32_t seed) {
    std::vector<uint8_t> b(n);
    for (uint8_t &v : b) {
        seed = seed * 1664525u + 1013904223u;
        v = uint8_t(seed >> 24);
    }
    return b;
}

std::vector<float> image_floats(int level, int w, int h) {
    std::vector<float> v(4 * size_t(w) * size_t(h));
    glGetTexImage(GL_TEXTURE_2D, level, GL_RGBA, GL_FLOAT, v.data());
    return v;
}

bool close(float a, float b, float absolute, float relative) {
    return std::fabs(a - b) <= absolute + relative * std::fabs(b);
}

// Linear values of what sRGB formats return from glGetTexImage as they are stored.
float linear(float v) {
    return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

bool signed_rgtc(GLenum format) {
    return format == GL_COMPRESSED_SIGNED_RED_RGTC1 || format == GL_COMPRESSED_SIGNED_RG_RGTC2;
}

// Texels that a shader finds, and those of glGetTexImage: two decoders where the host has one.
void compare_decoders(GLenum format, int bw, int bh, int bytes, bool srgb) {
    constexpr int across = 8, down = 8;
    const std::vector<uint8_t> blocks =
        random_bytes(size_t(across * down * bytes), format * 77 + 1);
    const int w = across * bw, h = down * bh;
    const GLuint t = new_texture(GL_TEXTURE_2D);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, w, h, 0, GLsizei(blocks.size()),
                           blocks.data());
    std::vector<float> want = image_floats(0, w, h);
    target(w, h, GL_RGBA32F);
    glBindTexture(GL_TEXTURE_2D, t);
    glUseProgram(fill_program("texelFetch(t, ivec2(gl_FragCoord.xy), 0)", "uniform sampler2D t;"));
    draw_fill();
    const std::vector<float> got = read_rgba32f(0, 0, w, h);
    size_t wrong = 0, first = 0;
    // Hardware decodes RGTC with fewer bits: up to 5.6 of 255 away, signed 6.8 of 127.
    const float tolerance = signed_rgtc(format) ? 7.5f / 127 : 6.0f / 255;
    for (size_t i = 0; i < want.size(); i++) {
        if (srgb && i % 4 != 3)
            want[i] = linear(want[i]);
        if (!close(got[i], want[i], tolerance, 0.01f) && !wrong++)
            first = i;
    }
    if (wrong)
        fail(__FILE__, __LINE__,
             "format " + std::to_string(format) + ": " + std::to_string(wrong) + " of " +
                 std::to_string(want.size()) + " components differ, component " +
                 std::to_string(first) + " is " + std::to_string(got[first]) + ", want " +
                 std::to_string(want[first]));
    glDeleteTextures(1, &t);
}

// A left half and a right half of solid colors, `w` x `w`.
std::vector<float> halves(int w, const Rgba &left, const Rgba &right) {
    std::vector<float> v;
    for (int i = 0; i < w * w; i++) {
        const Rgba &c = i % w < w / 2 ? left : right;
        v.insert(v.end(), c.begin(), c.end());
    }
    return v;
}

} // namespace

SCENARIO(blocks_of_random_bits) {
    struct Row {
        GLenum format;
        int bytes;
        bool srgb;
        const char *extension;
    };
    static constexpr Row rows[] = {
        {GL_COMPRESSED_RED_RGTC1, 8, false, nullptr},
        {GL_COMPRESSED_SIGNED_RED_RGTC1, 8, false, nullptr},
        {GL_COMPRESSED_RG_RGTC2, 16, false, nullptr},
        {GL_COMPRESSED_SIGNED_RG_RGTC2, 16, false, nullptr},
        {0x83F0, 8, false, "GL_EXT_texture_compression_s3tc"},
        {0x83F1, 8, false, "GL_EXT_texture_compression_s3tc"},
        {0x83F2, 16, false, "GL_EXT_texture_compression_s3tc"},
        {0x83F3, 16, false, "GL_EXT_texture_compression_s3tc"},
        {0x8C4D, 8, true, "GL_EXT_texture_sRGB"},
        {GL_COMPRESSED_RGBA_BPTC_UNORM, 16, false, "GL_ARB_texture_compression_bptc"},
        {GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM, 16, true, "GL_ARB_texture_compression_bptc"},
        {GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, 16, false, "GL_ARB_texture_compression_bptc"},
        {GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, 16, false, "GL_ARB_texture_compression_bptc"},
        {GL_COMPRESSED_RGB8_ETC2, 8, false, "GL_ARB_ES3_compatibility"},
        {GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 8, false, "GL_ARB_ES3_compatibility"},
        {GL_COMPRESSED_RGBA8_ETC2_EAC, 16, false, "GL_ARB_ES3_compatibility"},
        {GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, 16, true, "GL_ARB_ES3_compatibility"},
        {GL_COMPRESSED_R11_EAC, 8, false, "GL_ARB_ES3_compatibility"},
        {GL_COMPRESSED_SIGNED_R11_EAC, 8, false, "GL_ARB_ES3_compatibility"},
        {GL_COMPRESSED_RG11_EAC, 16, false, "GL_ARB_ES3_compatibility"},
        {GL_COMPRESSED_SIGNED_RG11_EAC, 16, false, "GL_ARB_ES3_compatibility"},
    };
    for (const Row &r : rows)
        if (!r.extension || has_extension(r.extension))
            compare_decoders(r.format, 4, 4, r.bytes, r.srgb);
}

SCENARIO(blocks_from_float_texels) {
    need(42, "GL_ARB_texture_compression_bptc");
    for (const bool sign : {false, true}) {
        const GLenum format =
            sign ? GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT : GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT;
        const GLuint t = new_texture(GL_TEXTURE_2D);
        const std::vector<float> texels =
            halves(16, {0.25f, 300, 0.5f, 1}, {sign ? -2.0f : 8.0f, 0.125f, 60000, 1});
        glTexImage2D(GL_TEXTURE_2D, 0, GLint(format), 16, 16, 0, GL_RGBA, GL_FLOAT, texels.data());
        // A block whose texels are mixed.
        const std::vector<float> mixed = halves(4, {1, 2, 3, 1}, {4, 4, 4, 1});
        glTexSubImage2D(GL_TEXTURE_2D, 0, 4, 4, 4, 4, GL_RGBA, GL_FLOAT, mixed.data());
        std::vector<float> want = texels;
        for (int y = 0; y < 4; y++)
            std::memcpy(&want[size_t(4 * ((4 + y) * 16 + 4))], &mixed[size_t(16 * y)], 64);
        const std::vector<float> got = image_floats(0, 16, 16);
        size_t wrong = 0;
        for (size_t i = 0; i < want.size(); i++)
            wrong += !close(got[i], want[i], 0.01f, 0.06f);
        EXPECT_EQ(wrong, size_t(0));
        glDeleteTextures(1, &t);
    }
}

SCENARIO(blocks_from_framebuffer) {
    // What glCopyTex*Image brings into compressed levels.
    struct Row {
        GLenum format;
        const char *extension;
        bool only_red;
    };
    static constexpr Row rows[] = {
        {GL_COMPRESSED_RED_RGTC1, nullptr, true},
        {GL_COMPRESSED_RGBA_BPTC_UNORM, "GL_ARB_texture_compression_bptc", false},
        {GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, "GL_ARB_texture_compression_bptc", false},
        {0x83F3, "GL_EXT_texture_compression_s3tc", false},
    };
    target(16, 16);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 4; i++) {
        glScissor(i % 2 * 8, i / 2 * 8, 8, 8);
        clear_color(i == 0 || i == 3 ? 1.0f : 0.0f, i & 1 ? 1.0f : 0.0f, 0, 1);
    }
    glDisable(GL_SCISSOR_TEST);
    for (const Row &r : rows) {
        if (r.extension && !has_extension(r.extension))
            continue;
        const GLuint t = new_texture(GL_TEXTURE_2D);
        glCopyTexImage2D(GL_TEXTURE_2D, 0, r.format, 0, 0, 16, 16, 0);
        EXPECT_ERROR(GL_NO_ERROR);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 8, 0, 0, 0, 8, 8);
        EXPECT_ERROR(GL_NO_ERROR);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 2, 0, 0, 0, 4, 4);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 6, 4);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        const std::vector<float> v = image_floats(0, 16, 16);
        const auto red = [&](int x, int y) { return v[size_t(4 * (y * 16 + x))]; };
        const auto green = [&](int x, int y) { return v[size_t(4 * (y * 16 + x) + 1)]; };
        EXPECT(red(3, 3) > 0.98f && red(12, 3) > 0.98f && red(3, 12) < 0.02f &&
               red(12, 12) > 0.98f);
        EXPECT(r.only_red ||
               (green(3, 3) < 0.02f && green(12, 3) < 0.02f && green(12, 12) > 0.98f));
        glDeleteTextures(1, &t);
    }
}

SCENARIO(blocks_mipmaps) {
    // Levels of blocks are made from their texels, on the client.
    const GLuint t = new_texture(GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST);
    const std::vector<float> texels = halves(32, {0, 0, 0, 1}, {1, 0, 0, 1});
    glTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RED_RGTC1, 32, 32, 0, GL_RGBA, GL_FLOAT,
                 texels.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    EXPECT_ERROR(GL_NO_ERROR);
    for (int level = 1; level < 5; level++) {
        const int w = 32 >> level;
        const std::vector<float> v = image_floats(level, w, w);
        EXPECT(v[0] < 0.02f && v[size_t(4 * (w - 1))] > 0.98f);
    }
    EXPECT(std::fabs(image_floats(5, 1, 1)[0] - 0.5f) < 0.02f);
    target(8, 8);
    glBindTexture(GL_TEXTURE_2D, t);
    glUseProgram(fill_program("textureLod(t, uv, 2.0)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_PIXEL(1, 4, 0, 0, 0, 1);
    EXPECT_PIXEL(6, 4, 1, 0, 0, 1);
}

SCENARIO(blocks_that_pixels_do_not_become) {
    // ETC2, EAC and ASTC: their images come as blocks only.
    static constexpr GLenum formats[] = {GL_COMPRESSED_RGB8_ETC2, GL_COMPRESSED_R11_EAC, 0x93B0};
    target(8, 8);
    for (const GLenum format : formats) {
        if (!has_extension(format == 0x93B0 ? "GL_KHR_texture_compression_astc_ldr"
                                            : "GL_ARB_ES3_compatibility"))
            continue;
        GLuint t = new_texture(GL_TEXTURE_2D);
        glTexImage2D(GL_TEXTURE_2D, 0, GLint(format), 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glCopyTexImage2D(GL_TEXTURE_2D, 0, format, 0, 0, 8, 8, 0);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        const std::vector<uint8_t> blocks(64, 0);
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, 8, 8, 0, format == 0x93B0 ? 64 : 32,
                               blocks.data());
        EXPECT_ERROR(GL_NO_ERROR);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, blocks.data());
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 4, 4);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glGenerateMipmap(GL_TEXTURE_2D);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glDeleteTextures(1, &t);
    }
}

SCENARIO(blocks_of_partial_pixels) {
    // glTexSubImage takes whole blocks of a compressed level, and its edges.
    const GLuint t = new_texture(GL_TEXTURE_2D);
    const std::vector<uint8_t> texels(64, 128);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RED_RGTC1, 10, 10, 0, GL_RED, GL_UNSIGNED_BYTE,
                 nullptr);
    const auto sub = [&](int x, int y, int w, int h) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, w, h, GL_RED, GL_UNSIGNED_BYTE, texels.data());
    };
    sub(4, 4, 4, 4);
    EXPECT_ERROR(GL_NO_ERROR);
    sub(8, 8, 2, 2);
    EXPECT_ERROR(GL_NO_ERROR);
    sub(0, 0, 3, 4);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    sub(0, 0, 4, 1);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    sub(2, 0, 4, 4);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glDeleteTextures(1, &t);
}

SCENARIO(rules_copy_image) {
    need(43, "GL_ARB_copy_image");
    const auto plain = [](GLenum format, int levels, int size) {
        const GLuint t = new_texture(GL_TEXTURE_2D);
        glTexStorage2D(GL_TEXTURE_2D, levels, format, size, size);
        return t;
    };
    const GLuint a = plain(GL_RGBA8, 3, 16), b = plain(GL_RGBA8, 3, 16),
                 other = plain(GL_RG8, 1, 16), uints = plain(GL_RGBA8UI, 1, 16);
    GLuint multi = 0;
    glGenTextures(1, &multi);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, multi);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 16, 16, GL_TRUE);
    const GLuint wide = plain(GL_RGBA16UI, 1, 16), blocks = new_texture(GL_TEXTURE_2D);
    GLuint rb = 0;
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RED_RGTC1, 16, 16, 0, 128,
                           std::vector<uint8_t>(128).data());
    GLuint lone = 0; // its filter asks for levels that are not there
    glGenTextures(1, &lone);
    glBindTexture(GL_TEXTURE_2D, lone);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 16, 16);
    // Error of a copy of w x h texels of level `sl` at x to level `dl` at (4, 0).
    const auto copy = [](GLuint s, GLenum st, int sl, int x, GLuint d, GLenum dt, int dl, int w,
                         int h, GLenum want, int line) {
        glCopyImageSubData(s, st, sl, x, 0, 0, d, dt, dl, 4, 0, 0, w, h, 1);
        expect_error(__FILE__, line, want);
    };
    constexpr GLenum flat = GL_TEXTURE_2D, none = GL_NO_ERROR, value = GL_INVALID_VALUE,
                     operation = GL_INVALID_OPERATION, wrong = GL_INVALID_ENUM;
    copy(a, flat, 0, 0, b, flat, 0, 4, 4, none, __LINE__);
    copy(a, flat, 0, 8, a, flat, 0, 4, 4, none, __LINE__);
    copy(rb, GL_RENDERBUFFER, 0, 0, a, flat, 0, 4, 4, none, __LINE__);
    copy(a, flat, 0, 0, uints, flat, 0, 4, 4, none, __LINE__); // one class of views
    copy(blocks, flat, 0, 4, wide, flat, 0, 8, 8, none, __LINE__);
    copy(a, GL_TEXTURE_3D, 0, 0, b, flat, 0, 4, 4, wrong, __LINE__); // not the texture's target
    copy(a, GL_TEXTURE_BUFFER, 0, 0, b, flat, 0, 4, 4, wrong, __LINE__);
    copy(a, GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, 0, b, flat, 0, 4, 4, wrong, __LINE__);
    copy(0, flat, 0, 0, b, flat, 0, 4, 4, value, __LINE__);
    copy(a, flat, 0, 0, 0xfffffff0, flat, 0, 4, 4, value, __LINE__);
    copy(a, flat, 3, 0, b, flat, 0, 1, 1, value, __LINE__); // no such level
    copy(a, flat, 0, 0, b, flat, -1, 1, 1, value, __LINE__);
    copy(rb, GL_RENDERBUFFER, 1, 0, b, flat, 0, 4, 4, value, __LINE__);
    copy(a, flat, 0, 13, b, flat, 0, 4, 4, value, __LINE__); // outside the source
    copy(a, flat, 0, 0, b, flat, 0, 13, 4, value, __LINE__); // outside the destination
    copy(a, flat, 0, 0, b, flat, 2, 4, 4, value, __LINE__);
    copy(a, flat, 0, -1, b, flat, 0, 4, 4, value, __LINE__);
    copy(a, flat, 0, 0, b, flat, 0, -1, 4, value, __LINE__);
    copy(blocks, flat, 0, 2, wide, flat, 0, 4, 4, value, __LINE__); // cuts a block
    copy(blocks, flat, 0, 0, wide, flat, 0, 3, 4, value, __LINE__);
    copy(a, flat, 0, 0, other, flat, 0, 4, 4, operation, __LINE__); // other classes
    copy(blocks, flat, 0, 0, a, flat, 0, 4, 4, operation, __LINE__);
    copy(a, flat, 0, 0, multi, GL_TEXTURE_2D_MULTISAMPLE, 0, 4, 4, operation, __LINE__);
    copy(lone, flat, 0, 0, b, flat, 0, 4, 4, operation, __LINE__); // not complete
}

SCENARIO(pixels_of_cubes_with_skipped_images) {
    need(45, "GL_ARB_direct_state_access");
    GLuint t = 0;
    glCreateTextures(GL_TEXTURE_CUBE_MAP, 1, &t);
    glTextureStorage2D(t, 1, GL_RGBA8, 2, 2);
    // Two images before the first face, each 3 rows high.
    std::vector<uint8_t> texels(8 * 3 * 8);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = uint8_t(i);
    glPixelStorei(GL_UNPACK_SKIP_IMAGES, 2);
    glPixelStorei(GL_UNPACK_IMAGE_HEIGHT, 3);
    glTextureSubImage3D(t, 0, 0, 0, 0, 2, 2, 6, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    glBindTexture(GL_TEXTURE_CUBE_MAP, t);
    for (unsigned face = 0; face < 6; face++) {
        uint8_t got[16] = {};
        glGetTexImage(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, GL_UNSIGNED_BYTE, got);
        EXPECT(std::memcmp(got, texels.data() + (2 + face) * 24, 16) == 0);
    }
    std::vector<uint8_t> all(texels.size(), 0xee);
    glPixelStorei(GL_PACK_SKIP_IMAGES, 2);
    glPixelStorei(GL_PACK_IMAGE_HEIGHT, 3);
    if (driver() == "native") // Mesa does not look at the skipped images
        return;
    glGetTextureImage(t, 0, GL_RGBA, GL_UNSIGNED_BYTE, GLsizei(all.size()), all.data());
    EXPECT(all[47] == 0xee && all[64] == 0xee);
    uint8_t one[16] = {}; // a face alone is flat: no images are skipped
    glGetTexImage(GL_TEXTURE_CUBE_MAP_POSITIVE_Y, 0, GL_RGBA, GL_UNSIGNED_BYTE, one);
    EXPECT(std::memcmp(one, &texels[4 * 24], 16) == 0);
    for (size_t face = 0; face < 6; face++)
        EXPECT(std::memcmp(&all[(2 + face) * 24], &texels[(2 + face) * 24], 16) == 0);
    glDeleteTextures(1, &t);
}
