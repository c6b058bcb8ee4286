// SPDX-License-Identifier: MIT
// Textures: targets, formats, mutable chains, views, parameters, samplers, uploads.
#include "scenario.h"

#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

const uint8_t quad[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};

GLuint sample_program(const char *type, const char *coord) {
    const GLuint p = fill_program("vec4(texture(t, " + std::string(coord) + "))",
                                  std::string("uniform ") + type + " t;");
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "t"), 0);
    return p;
}

void nearest(GLenum target) {
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

std::vector<uint8_t> solid(int n, uint8_t r, uint8_t g, uint8_t b, uint8_t a = 255) {
    std::vector<uint8_t> v;
    for (int i = 0; i < n; i++)
        v.insert(v.end(), {r, g, b, a});
    return v;
}

void expect_quad() {
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
    EXPECT_RECT(4, 0, 4, 4, 0, 1, 0, 1);
    EXPECT_RECT(0, 4, 4, 4, 0, 0, 1, 1);
    EXPECT_RECT(4, 4, 4, 4, 1, 1, 1, 1);
}

} // namespace

SCENARIO(texture_2d) {
    target(8, 8);
    texture_rgba8(2, 2, quad);
    sample_program("sampler2D", "uv");
    draw_fill();
    expect_quad();
}

SCENARIO(texture_1d) {
    target(8, 8);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_1D, t);
    glTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, quad);
    nearest(GL_TEXTURE_1D);
    sample_program("sampler1D", "uv.x");
    draw_fill();
    EXPECT_RECT(0, 0, 4, 8, 1, 0, 0, 1);
    EXPECT_RECT(4, 0, 4, 8, 0, 1, 0, 1);
}

SCENARIO(texture_3d) {
    target(8, 8);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_3D, t);
    std::vector<uint8_t> v = solid(4, 255, 0, 0);
    const std::vector<uint8_t> top = solid(4, 0, 0, 255);
    v.insert(v.end(), top.begin(), top.end());
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 2, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, v.data());
    nearest(GL_TEXTURE_3D);
    sample_program("sampler3D", "vec3(uv, uv.x)");
    draw_fill();
    EXPECT_RECT(0, 0, 4, 8, 1, 0, 0, 1);
    EXPECT_RECT(4, 0, 4, 8, 0, 0, 1, 1);
}

SCENARIO(texture_2d_array) {
    target(8, 8);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 4, 4, 3);
    for (int layer = 0; layer < 3; layer++)
        glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, layer, 4, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                        solid(16, uint8_t(layer * 100), 0, 0).data());
    nearest(GL_TEXTURE_2D_ARRAY);
    sample_program("sampler2DArray", "vec3(uv, uv.x < 0.5 ? 1.0 : 2.0)");
    draw_fill();
    EXPECT_RECT(0, 0, 4, 8, 100.0f / 255, 0, 0, 1);
    EXPECT_RECT(4, 0, 4, 8, 200.0f / 255, 0, 0, 1);
}

SCENARIO(texture_cube) {
    target(8, 8);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_CUBE_MAP, t);
    for (int face = 0; face < 6; face++)
        glTexImage2D(GLenum(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face), 0, GL_RGBA8, 4, 4, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, solid(16, uint8_t(face * 40), 255, 0).data());
    nearest(GL_TEXTURE_CUBE_MAP);
    const char *dirs[6] = {"vec3(1,0,0)",  "vec3(-1,0,0)", "vec3(0,1,0)",
                           "vec3(0,-1,0)", "vec3(0,0,1)",  "vec3(0,0,-1)"};
    for (int face = 0; face < 6; face++) {
        sample_program("samplerCube", dirs[face]);
        draw_fill();
        EXPECT_PIXEL(3, 3, float(face * 40) / 255, 1, 0, 1);
    }
}

SCENARIO(texture_sub_image) {
    target(8, 8);
    texture_rgba8(8, 8, solid(64, 0, 0, 0).data());
    glTexSubImage2D(GL_TEXTURE_2D, 0, 2, 3, 4, 2, GL_RGBA, GL_UNSIGNED_BYTE,
                    solid(8, 0, 255, 0).data());
    sample_program("sampler2D", "uv");
    draw_fill();
    EXPECT_RECT(2, 3, 4, 2, 0, 1, 0, 1);
    EXPECT_PIXEL(1, 3, 0, 0, 0, 1);
    EXPECT_PIXEL(6, 4, 0, 0, 0, 1);
    EXPECT_PIXEL(2, 5, 0, 0, 0, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 6, 0, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE, quad);
    EXPECT_ERROR(GL_INVALID_VALUE);
}

SCENARIO(texture_unpack_state) {
    // A 2x2 window of a 5-wide client image: row length, skips and alignment.
    target(8, 8);
    std::vector<uint8_t> image(size_t(5 * 4 * 4), 7);
    for (int y = 0; y < 2; y++)
        memcpy(&image[size_t(((y + 2) * 5 + 1) * 4)], quad + y * 8, 8);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 5);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 2);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 1);
    texture_rgba8(2, 2, image.data());
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
    sample_program("sampler2D", "uv");
    draw_fill();
    expect_quad();
}

SCENARIO(texture_upload_conversions) {
    struct Upload {
        GLenum internal, format, type;
        std::vector<uint8_t> texel;
        Rgba want;
    };
    const Upload uploads[] = {
        {GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, {0, 51, 255, 255}, {1, 0.2f, 0, 1}},
        {GL_RGBA8,
         GL_RGBA,
         GL_UNSIGNED_INT_8_8_8_8,
         {0x44, 0x33, 0x22, 0x11},
         {0x11 / 255.f, 0x22 / 255.f, 0x33 / 255.f, 0x44 / 255.f}},
        {GL_RGBA8,
         GL_RGBA,
         GL_UNSIGNED_INT_8_8_8_8_REV,
         {0x44, 0x33, 0x22, 0x11},
         {0x44 / 255.f, 0x33 / 255.f, 0x22 / 255.f, 0x11 / 255.f}},
        {GL_RGBA8,
         GL_BGRA,
         GL_UNSIGNED_INT_8_8_8_8_REV,
         {0x44, 0x33, 0x22, 0x11},
         {0x22 / 255.f, 0x33 / 255.f, 0x44 / 255.f, 0x11 / 255.f}},
        {GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, {255, 0, 51}, {1, 0, 0.2f, 1}},
        {GL_R8, GL_RED, GL_UNSIGNED_BYTE, {51}, {0.2f, 0, 0, 1}},
        {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, {51, 255}, {0.2f, 1, 0, 1}},
        {GL_RGBA16F,
         GL_RGBA,
         GL_FLOAT,
         {0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0x80, 0x3f},
         {0.5f, 1, 0, 1}},
        {GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, {0x00, 0xf8}, {1, 0, 0, 1}},
        {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, {0xc1, 0x07}, {0, 1, 0, 1}},
        {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, {0x0f, 0xf0}, {1, 0, 0, 1}},
        {GL_RGB10_A2,
         GL_RGBA,
         GL_UNSIGNED_INT_2_10_10_10_REV,
         {0xff, 0x03, 0x00, 0xc0},
         {1, 0, 0, 1}},
        {GL_R11F_G11F_B10F,
         GL_RGB,
         GL_FLOAT,
         {0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3e},
         {0.5f, 1, 0.25f, 1}},
        {GL_RGB9_E5,
         GL_RGB,
         GL_FLOAT,
         {0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3e},
         {0.5f, 1, 0.25f, 1}},
        {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, {127, 0, 64, 127}, {1, 0, 64 / 127.f, 1}},
        {GL_R16, GL_RED, GL_UNSIGNED_SHORT, {0x00, 0x80}, {0.5f, 0, 0, 1}},
        {GL_RGBA32F, GL_RED, GL_FLOAT, {0, 0, 0, 0x3f}, {0.5f, 0, 0, 1}},
        {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, {188, 0, 255, 255}, {0.5028f, 0, 1, 1}},
        {GL_R3_G3_B2, GL_RGB, GL_UNSIGNED_BYTE_3_3_2, {0xe0}, {1, 0, 0, 1}},
    };
    target(4, 4);
    sample_program("sampler2D", "uv");
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (const Upload &u : uploads) {
        GLuint t;
        glGenTextures(1, &t);
        glBindTexture(GL_TEXTURE_2D, t);
        glTexImage2D(GL_TEXTURE_2D, 0, GLint(u.internal), 1, 1, 0, u.format, u.type,
                     u.texel.data());
        nearest(GL_TEXTURE_2D);
        draw_fill();
        char what[96];
        snprintf(what, sizeof what, "internal 0x%x format 0x%x type 0x%x: ", u.internal, u.format,
                 u.type);
        if (!near(pixel(1, 1), u.want, 2.5f / 255))
            fail(__FILE__, __LINE__, what + show(pixel(1, 1)) + " want " + show(u.want));
        if (glGetError())
            fail(__FILE__, __LINE__, std::string(what) + "raised an error");
        glDeleteTextures(1, &t);
    }
}

SCENARIO(texture_integer) {
    target(4, 4, GL_RGBA32UI);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    const uint16_t texel[4] = {1, 65535, 300, 7};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16UI, 1, 1, 0, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT, texel);
    nearest(GL_TEXTURE_2D);
    glUseProgram(program(fill_vs, "#version 330\nuniform usampler2D t; out uvec4 o;\n"
                                  "void main() { o = texelFetch(t, ivec2(0), 0); }"));
    draw_fill();
    GLuint got[4] = {};
    glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(got[i], GLuint(texel[i]));
}

SCENARIO(texture_mipmap_levels) {
    target(4, 4);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    for (int level = 0; level < 4; level++)
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, 8 >> level, 8 >> level, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, solid(64, uint8_t(level * 50), 255, 0).data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    const GLuint p =
        fill_program("textureLod(t, uv, lod)", "uniform sampler2D t; uniform float lod;");
    glUseProgram(p);
    for (int level = 0; level < 4; level++) {
        glUniform1f(glGetUniformLocation(p, "lod"), float(level));
        draw_fill();
        EXPECT_PIXEL(1, 1, float(level * 50) / 255, 1, 0, 1);
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 2);
    glUniform1f(glGetUniformLocation(p, "lod"), 0);
    draw_fill();
    EXPECT_PIXEL(1, 1, 50.0f / 255, 1, 0, 1);
    glUniform1f(glGetUniformLocation(p, "lod"), 5);
    draw_fill();
    EXPECT_PIXEL(1, 1, 100.0f / 255, 1, 0, 1);
}

SCENARIO(texture_generate_mipmap) {
    target(4, 4);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    std::vector<uint8_t> v;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            v.insert(v.end(), {uint8_t(x & 1 ? 255 : 0), uint8_t(y & 1 ? 255 : 0), 0, 255});
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, v.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    const GLuint p = fill_program("textureLod(t, uv, 2.0)", "uniform sampler2D t;");
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(2, 2, 0.5f, 0.5f, 0, 1);
    GLint w = 0;
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 1, GL_TEXTURE_WIDTH, &w);
    EXPECT_EQ(w, 2);
}

SCENARIO(texture_mutable_out_of_order) {
    // Levels defined from the top down, one of them redefined, while the texture is attached.
    target(4, 4);
    GLint fbo = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &fbo);
    GLuint t, other;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 solid(4, 0, 0, 255).data());
    glTexImage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 solid(16, 0, 255, 0).data());
    glTexImage2D(GL_TEXTURE_2D, 3, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 solid(1, 255, 255, 0).data());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 solid(64, 255, 0, 0).data());
    glGenFramebuffers(1, &other);
    glBindFramebuffer(GL_FRAMEBUFFER, other);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    glClearColor(1, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(5, 5, 1, 0, 1, 1);
    // Level 0 becomes smaller and another format: the texture is no longer complete, but level 1
    // keeps its texels.
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 solid(256, 10, 20, 30).data());
    EXPECT_PIXEL(12, 12, 10 / 255.f, 20 / 255.f, 30 / 255.f, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, GLuint(fbo));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    const GLuint p =
        fill_program("textureLod(t, uv, lod)", "uniform sampler2D t; uniform float lod;");
    glUseProgram(p);
    const Rgba want[3] = {{0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 0, 1}};
    for (int i = 0; i < 3; i++) {
        glUniform1f(glGetUniformLocation(p, "lod"), float(i));
        draw_fill();
        EXPECT_PIXEL(1, 1, want[i][0], want[i][1], want[i][2], 1);
    }
}

SCENARIO(texture_incomplete_is_black) {
    target(4, 4);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 solid(16, 255, 255, 255).data());
    sample_program("sampler2D", "uv"); // mipmap filter without mipmaps
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0, 0, 0, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 1, 1, 1);
}

SCENARIO(texture_swizzle) {
    target(4, 4);
    texture_rgba8(1, 1, solid(1, 10, 20, 30, 40).data());
    const GLint swizzle[4] = {GL_BLUE, GL_ONE, GL_ALPHA, GL_ZERO};
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
    sample_program("sampler2D", "uv");
    draw_fill();
    EXPECT_PIXEL(1, 1, 30 / 255.f, 1, 40 / 255.f, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, GL_RED);
    draw_fill();
    EXPECT_PIXEL(1, 1, 30 / 255.f, 1, 40 / 255.f, 10 / 255.f);
}

SCENARIO(texture_wrap_modes) {
    target(4, 4);
    texture_rgba8(2, 2, quad);
    const GLuint p = fill_program("texture(t, at)", "uniform sampler2D t; uniform vec2 at;");
    glUseProgram(p);
    const auto at = [&](float x, float y, Rgba want) {
        glUniform2f(glGetUniformLocation(p, "at"), x, y);
        draw_fill();
        EXPECT_PIXEL(0, 0, want[0], want[1], want[2], want[3]);
    };
    at(1.25f, 0.25f, {1, 0, 0, 1}); // repeat
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    at(1.25f, 0.25f, {0, 1, 0, 1});
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_MIRRORED_REPEAT);
    at(1.25f, 0.25f, {0, 1, 0, 1});
    at(-0.75f, 0.25f, {0, 1, 0, 1});
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
    const float border[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
    at(1.25f, 0.25f, {0.2f, 0.4f, 0.6f, 0.8f});
}

SCENARIO(texture_border_of_lookups) {
    // Filtered, with offsets, divided, of arrays, integers and comparisons.
    target(4, 4);
    const auto shows = [](const char *sampler, const char *look, Rgba want) {
        glUseProgram(fill_program(look, std::string("uniform ") + sampler + " t;"));
        draw_fill();
        EXPECT_PIXEL(1, 1, want[0], want[1], want[2], want[3]);
    };
    const uint8_t red[16] = {255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255};
    const float blue[4] = {0, 0, 1, 1};
    const auto border = [&](GLenum where, GLint filter) {
        for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
            glTexParameteri(where, wrap, GL_CLAMP_TO_BORDER);
        glTexParameteri(where, GL_TEXTURE_MIN_FILTER, filter);
        glTexParameteri(where, GL_TEXTURE_MAG_FILTER, filter);
        glTexParameterfv(where, GL_TEXTURE_BORDER_COLOR, blue);
    };
    texture_rgba8(2, 2, red);
    border(GL_TEXTURE_2D, GL_LINEAR);
    shows("sampler2D", "texture(t, vec2(0.5))", {1, 0, 0, 1});
    shows("sampler2D", "texture(t, vec2(0.0, 0.5))", {0.5f, 0, 0.5f, 1});
    shows("sampler2D", "textureLod(t, vec2(1.0, 0.0), 0.0)", {0.25f, 0, 0.75f, 1});
    border(GL_TEXTURE_2D, GL_NEAREST);
    shows("sampler2D", "texture(t, vec2(1.1, 0.5))", {0, 0, 1, 1});
    shows("sampler2D", "textureOffset(t, vec2(0.25, 0.75), ivec2(0, 1))", {0, 0, 1, 1});
    shows("sampler2D", "textureProj(t, vec3(1.0, 1.0, 2.0))", {1, 0, 0, 1});
    shows("sampler2D", "textureProj(t, vec3(2.5, 1.0, 2.0))", {0, 0, 1, 1});
    shows("sampler2D", "texelFetch(t, ivec2(1), 0)", {1, 0, 0, 1});
    texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 2, 2, 2);
    for (GLint layer = 0; layer < 2; layer++)
        glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, layer, 2, 2, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                        red);
    border(GL_TEXTURE_2D_ARRAY, GL_NEAREST);
    shows("sampler2DArray", "texture(t, vec3(0.5, 0.5, 7.0))", {1, 0, 0, 1}); // layers have none
    shows("sampler2DArray", "texture(t, vec3(0.5, -0.1, 1.0))", {0, 0, 1, 1});
    texture(GL_TEXTURE_2D, GL_RGBA8UI, 2, 2);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, red);
    border(GL_TEXTURE_2D, GL_NEAREST);
    const GLuint words[4] = {1, 0, 1, 0};
    glTexParameterIuiv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, words);
    shows("usampler2D", "vec4(texture(t, vec2(1.5, 0.5)))", {1, 0, 1, 0});
    texture(GL_TEXTURE_2D, GL_DEPTH_COMPONENT24, 2, 2);
    const float depths[4] = {0.25f, 0.25f, 0.25f, 0.25f}, far[4] = {0.75f, 0, 0, 0};
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    border(GL_TEXTURE_2D, GL_NEAREST);
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, far);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    shows("sampler2DShadow", "vec4(texture(t, vec3(0.5, 0.5, 0.5)))", {0, 0, 0, 0});
    shows("sampler2DShadow", "vec4(texture(t, vec3(1.5, 0.5, 0.5)))", {1, 1, 1, 1});
}

SCENARIO(texture_sampler_object) {
    target(4, 4);
    texture_rgba8(2, 2, quad);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    GLuint s;
    glGenSamplers(1, &s);
    glSamplerParameteri(s, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glSamplerParameteri(s, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindSampler(0, s);
    sample_program("sampler2D", "vec2(0.45)");
    draw_fill();
    EXPECT_PIXEL(0, 0, 1, 0, 0, 1);
    glBindSampler(0, 0);
    draw_fill();
    const Rgba mixed = pixel(0, 0);
    EXPECT(mixed[1] > 0.1f && mixed[2] > 0.1f);
    glBindSampler(0, s);
    glDeleteSamplers(1, &s); // unbinds
    GLint bound = -1;
    glGetIntegerv(GL_SAMPLER_BINDING, &bound);
    EXPECT_EQ(bound, 0);
}

SCENARIO(texture_shadow_compare) {
    target(8, 4);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    const float depth[2] = {0.25f, 0.75f};
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, 2, 1, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
                 depth);
    nearest(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LESS);
    sample_program("sampler2DShadow", "vec3(uv, 0.5)");
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0, 0, 0, 0);
    EXPECT_RECT(4, 0, 4, 4, 1, 1, 1, 1);
}

// Between two texels of depth where the host filters such formats, else the nearest one.
SCENARIO(texture_linear_depth) {
    need(43, "GL_ARB_internalformat_query2");
    target(2, 2, GL_RGBA32F);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    const float depth[2] = {0.25f, 0.75f};
    for (const GLenum format : {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT32F}) {
        glTexImage2D(GL_TEXTURE_2D, 0, GLint(format), 2, 1, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_NONE);
        GLint filters = GL_NONE;
        glGetInternalformativ(GL_TEXTURE_2D, format, GL_FILTER, 1, &filters);
        sample_program("sampler2D", "vec2(0.5625, 0.5)");
        draw_fill();
        const float want = filters == GL_NONE ? 0.75f : 0.5625f;
        EXPECT(std::abs(pixel(1, 1)[0] - want) < 0.01f);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LESS);
        sample_program("sampler2DShadow", "vec3(0.6875, 0.5, 0.5)");
        draw_fill();
        const float lit = pixel(1, 1)[0]; // hosts may compare before or after they mix
        EXPECT(lit >= 0.5f);
    }
    glDeleteTextures(1, &t);
}

SCENARIO(texture_several_units) {
    target(8, 8);
    std::string decls, sum = "vec4(0)";
    std::vector<GLuint> t(8);
    glGenTextures(8, t.data());
    for (int i = 0; i < 8; i++) {
        glActiveTexture(GLenum(GL_TEXTURE0 + i));
        glBindTexture(GL_TEXTURE_2D, t[size_t(i)]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                        solid(1, uint8_t(1 << i), 0, 0, 0).data());
        nearest(GL_TEXTURE_2D);
        decls += "uniform sampler2D t" + std::to_string(i) + ";\n";
        sum += " + texture(t" + std::to_string(i) + ", uv)";
    }
    const GLuint p = fill_program(sum, decls);
    glUseProgram(p);
    for (int i = 0; i < 8; i++)
        glUniform1i(glGetUniformLocation(p, ("t" + std::to_string(i)).c_str()), 7 - i);
    draw_fill();
    EXPECT_PIXEL(4, 4, 1, 0, 0, 0);
    glActiveTexture(GL_TEXTURE3); // one unit less
    glBindTexture(GL_TEXTURE_2D, 0);
    draw_fill();
    EXPECT_PIXEL(4, 4, (255 - 8) / 255.f, 0, 0, 1);
}

SCENARIO(texture_sampler_array) {
    target(4, 4);
    GLuint t[2];
    glGenTextures(2, t);
    for (int i = 0; i < 2; i++) {
        glActiveTexture(GLenum(GL_TEXTURE4 + i));
        glBindTexture(GL_TEXTURE_2D, t[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                        i ? solid(1, 0, 255, 0).data() : solid(1, 255, 0, 0).data());
        nearest(GL_TEXTURE_2D);
    }
    const GLuint p =
        fill_program("texture(t[0], uv) + texture(t[1], uv)", "uniform sampler2D t[2];");
    glUseProgram(p);
    const GLint units[2] = {4, 5};
    glUniform1iv(glGetUniformLocation(p, "t"), 2, units);
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 1, 0, 1);
    glUniform1i(glGetUniformLocation(p, "t[1]"), 4);
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
}

SCENARIO(texture_view_after_owner_upload) {
    if (version() < 43 && !has_extension("GL_ARB_texture_view"))
        skip("no ARB_texture_view");
    target(4, 4);
    GLuint owner, view;
    glGenTextures(1, &owner);
    glBindTexture(GL_TEXTURE_2D_ARRAY, owner);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 1, 1, 4);
    const auto upload = [&](GLuint tex, GLenum target, int layer, std::vector<uint8_t> c) {
        glBindTexture(target, tex);
        if (target == GL_TEXTURE_2D)
            glTexSubImage2D(target, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, c.data());
        else
            glTexSubImage3D(target, 0, 0, 0, layer, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, c.data());
    };
    upload(owner, GL_TEXTURE_2D_ARRAY, 2, solid(1, 255, 0, 0));
    glGenTextures(1, &view);
    glTextureView(view, GL_TEXTURE_2D, owner, GL_RGBA8, 0, 1, 2, 1);
    glBindTexture(GL_TEXTURE_2D, view);
    nearest(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D_ARRAY, owner);
    nearest(GL_TEXTURE_2D_ARRAY);
    sample_program("sampler2D", "uv");
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    upload(owner, GL_TEXTURE_2D_ARRAY, 2, solid(1, 0, 255, 0)); // the owner moves, across a draw
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
    upload(view, GL_TEXTURE_2D, 0, solid(1, 0, 0, 255)); // and the other way round
    sample_program("sampler2DArray", "vec3(uv, 2.0)");
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 0, 1, 1);
}

SCENARIO(texture_get_image) {
    texture_rgba8(2, 2, quad);
    uint8_t got[16] = {};
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, got);
    EXPECT(!memcmp(got, quad, 16));
    uint8_t bgra[16] = {};
    glGetTexImage(GL_TEXTURE_2D, 0, GL_BGRA, GL_UNSIGNED_BYTE, bgra);
    for (int i = 0; i < 4; i++)
        EXPECT(bgra[i * 4] == quad[i * 4 + 2] && bgra[i * 4 + 2] == quad[i * 4]);
    float f[16] = {};
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_FLOAT, f);
    EXPECT(f[0] == 1.0f && f[1] == 0.0f);
}

SCENARIO(texture_atlas_many_updates) {
    // A hundred small updates of one level between two draws.
    target(64, 64);
    texture_rgba8(64, 64, solid(4096, 0, 0, 0).data());
    sample_program("sampler2D", "uv");
    draw_fill();
    for (int i = 0; i < 100; i++)
        glTexSubImage2D(GL_TEXTURE_2D, 0, (i % 10) * 6, (i / 10) * 6, 3, 3, GL_RGBA,
                        GL_UNSIGNED_BYTE, solid(9, uint8_t(i * 2), 255, 0).data());
    draw_fill();
    const std::vector<uint8_t> got = read_rgba8(0, 0, 64, 64);
    for (int i = 0; i < 100; i++) {
        const uint8_t *p = &got[size_t((((i / 10) * 6 + 1) * 64 + (i % 10) * 6 + 1) * 4)];
        EXPECT(p[0] == i * 2 && p[1] == 255);
        const uint8_t *gap = &got[size_t((((i / 10) * 6 + 4) * 64 + (i % 10) * 6 + 4) * 4)];
        EXPECT(gap[1] == 0);
    }
}

SCENARIO(texture_handle_recycling) {
    target(4, 4);
    sample_program("sampler2D", "uv");
    for (int i = 0; i < 40; i++) {
        const GLuint t = texture_rgba8(1, 1, solid(1, uint8_t(i * 6), uint8_t(255 - i), 9).data());
        draw_fill();
        EXPECT_PIXEL(1, 1, float(i * 6) / 255, float(255 - i) / 255, 9 / 255.f, 1);
        glDeleteTextures(1, &t);
    }
}

SCENARIO(texture_delete_while_bound) {
    target(4, 4);
    const GLuint t = texture_rgba8(1, 1, solid(1, 255, 0, 0).data());
    sample_program("sampler2D", "uv");
    draw_fill();
    glDeleteTextures(1, &t);
    GLint bound = -1;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    EXPECT_EQ(bound, 0);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 0, 0, 1);
}

SCENARIO(texture_unpack_buffer) {
    target(8, 8);
    texture_rgba8(2, 2, nullptr);
    std::vector<uint8_t> v(8, 9);
    v.insert(v.end(), quad, quad + 16);
    buffer(GL_PIXEL_UNPACK_BUFFER, v.data(), v.size());
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE,
                    reinterpret_cast<void *>(8));
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    sample_program("sampler2D", "uv");
    draw_fill();
    expect_quad();
}

SCENARIO(texture_copy_from_framebuffer) {
    target(8, 8);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 4; i++) {
        glScissor((i & 1) * 4, (i >> 1) * 4, 4, 4);
        glClearColor(quad[i * 4] / 255.f, quad[i * 4 + 1] / 255.f, quad[i * 4 + 2] / 255.f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glDisable(GL_SCISSOR_TEST);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 0, 0, 8, 8, 0);
    nearest(GL_TEXTURE_2D);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    sample_program("sampler2D", "uv");
    draw_fill();
    expect_quad();
}

SCENARIO(texture_params_of_attachment_only) {
    // Parameters of a texture that is never sampled, only rendered to, must not disturb the
    // rendering.
    target(8, 8);
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 2, GL_RGBA8, 8, 8);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_ZERO);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 1);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GLenum(GL_FRAMEBUFFER_COMPLETE));
    glViewport(0, 0, 4, 4);
    glUseProgram(fill_program("vec4(1, 0.5, 0, 1)"));
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0.5f, 0, 1);
}

SCENARIO(texture_errors) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glBindTexture(GL_TEXTURE_3D, t);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, -1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_SHORT_5_6_5, nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8UI, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, 0x1);
    EXPECT_ERROR(GL_INVALID_ENUM);
    GLint max = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &max);
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, max + 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_ERROR(GL_INVALID_VALUE);
}
