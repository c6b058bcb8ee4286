// SPDX-License-Identifier: MIT
// Clears: values, masks, scissors, typed buffers, several in a row.
#include "scenario.h"

#include <cmath>

using namespace scenario;

SCENARIO(clear_default_framebuffer) {
    glClearColor(0.25f, 0.5f, 0.75f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_RECT(0, 0, 64, 64, 0.25f, 0.5f, 0.75f, 1.0f);
}

SCENARIO(clear_texture_target) {
    target(32, 16);
    glClearColor(1.0f, 0.0f, 0.5f, 0.25f);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_RECT(0, 0, 32, 16, 1.0f, 0.0f, 0.5f, 0.25f);
}

SCENARIO(clear_scissored) {
    target(32, 32);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(8, 4, 10, 6);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_RECT(8, 4, 10, 6, 0, 1, 0, 1);
    EXPECT_PIXEL(7, 4, 1, 0, 0, 1);
    EXPECT_PIXEL(18, 9, 1, 0, 0, 1);
    EXPECT_PIXEL(8, 10, 1, 0, 0, 1);
    EXPECT_PIXEL(8, 3, 1, 0, 0, 1);
}

SCENARIO(clear_color_masked) {
    target(8, 8);
    glClearColor(0.2f, 0.2f, 0.2f, 0.2f);
    glClear(GL_COLOR_BUFFER_BIT);
    glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
    glClearColor(1, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_RECT(0, 0, 8, 8, 1.0f, 0.2f, 1.0f, 0.2f);
}

SCENARIO(clear_layers_masked) {
    // Every layer is cleared: by colour mask, by stencil write mask, within a scissor box.
    if (version() < 32)
        skip("no layered framebuffers below OpenGL 3.2");
    const GLuint color = texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4, 4, 3);
    const GLuint zs = texture(GL_TEXTURE_2D_ARRAY, GL_DEPTH24_STENCIL8, 4, 4, 3);
    GLuint fbo[2];
    glGenFramebuffers(2, fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[0]);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, color, 0);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, zs, 0);
    glViewport(0, 0, 4, 4);
    glClearColor(0.2f, 0.2f, 0.2f, 0.2f);
    glClearStencil(0xff);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
    glStencilMask(0x0f);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 2, 4);
    glClearColor(1, 1, 1, 1);
    glClearStencil(0);
    glClear(GL_COLOR_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[1]);
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    for (int layer = 0; layer < 3; layer++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, color, 0, layer);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, zs, 0, layer);
        EXPECT_RECT(0, 0, 2, 4, 1.0f, 0.2f, 1.0f, 0.2f);
        EXPECT_RECT(2, 0, 2, 4, 0.2f, 0.2f, 0.2f, 0.2f);
        glEnable(GL_STENCIL_TEST);
        glStencilFunc(GL_EQUAL, 0xf0, 0xff);
        draw_fill();
        glDisable(GL_STENCIL_TEST);
        EXPECT_RECT(0, 0, 2, 4, 0, 1, 0, 1);
        EXPECT_RECT(2, 0, 2, 4, 0.2f, 0.2f, 0.2f, 0.2f);
    }
}

SCENARIO(clear_depth_then_test) {
    target(8, 8, GL_RGBA8, GL_DEPTH_COMPONENT24);
    glClearColor(0, 0, 0, 1);
    glClearDepth(0.25);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(fill_program("vec4(1, 0, 0, 1)")); // z = 0 is depth 0.5
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    draw_fill();
    EXPECT_RECT(0, 0, 8, 8, 0, 0, 0, 1);
    glDepthFunc(GL_GREATER);
    draw_fill();
    EXPECT_RECT(0, 0, 8, 8, 1, 0, 0, 1);
}

SCENARIO(clear_stencil_masked) {
    target(8, 8, GL_RGBA8, GL_DEPTH24_STENCIL8);
    glClearColor(0, 0, 0, 1);
    glClearStencil(0xff);
    glClear(GL_COLOR_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glStencilMask(0x0f);
    glClearStencil(0);
    glClear(GL_STENCIL_BUFFER_BIT); // 0xf0 is left
    glStencilMask(0xff);
    glEnable(GL_STENCIL_TEST);
    glStencilFunc(GL_EQUAL, 0xf0, 0xff);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    draw_fill();
    EXPECT_RECT(0, 0, 8, 8, 0, 1, 0, 1);
}

SCENARIO(clear_buffer_float) {
    target(8, 8, GL_RGBA32F);
    const float value[4] = {-2.5f, 1000.0f, 0.125f, 7.0f};
    glClearBufferfv(GL_COLOR, 0, value);
    EXPECT_RECT(0, 0, 8, 8, -2.5f, 1000.0f, 0.125f, 7.0f);
}

SCENARIO(clear_buffer_integer) {
    target(4, 4, GL_RGBA32I);
    const GLint value[4] = {-5, 70000, 0, 1};
    glClearBufferiv(GL_COLOR, 0, value);
    GLint got[4] = {};
    glReadPixels(1, 2, 1, 1, GL_RGBA_INTEGER, GL_INT, got);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(got[i], value[i]);
}

SCENARIO(clear_buffer_unsigned) {
    target(4, 4, GL_RG32UI);
    const GLuint value[4] = {0xfffffff0u, 3, 9, 9};
    glClearBufferuiv(GL_COLOR, 0, value);
    GLuint got[4] = {};
    glReadPixels(3, 3, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got);
    EXPECT_EQ(got[0], 0xfffffff0u);
    EXPECT_EQ(got[1], 3u);
    EXPECT_EQ(got[2], 0u);
    EXPECT_EQ(got[3], 1u);
}

SCENARIO(clear_buffer_depth_stencil) {
    target(8, 8, GL_RGBA8, GL_DEPTH24_STENCIL8);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.75f, 0x5a);
    float depth = 0;
    glReadPixels(2, 2, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
    EXPECT(depth > 0.7499f && depth < 0.7501f);
    GLubyte stencil = 0;
    glReadPixels(2, 2, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &stencil);
    EXPECT_EQ(int(stencil), 0x5a);
}

SCENARIO(clear_buffer_of_each_target) {
    GLuint fbo, tex[3];
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glGenTextures(3, tex);
    for (int i = 0; i < 3; i++) {
        glBindTexture(GL_TEXTURE_2D, tex[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 8, 8);
        glFramebufferTexture(GL_FRAMEBUFFER, GLenum(GL_COLOR_ATTACHMENT0 + i), tex[i], 0);
    }
    const GLenum draw[3] = {GL_COLOR_ATTACHMENT2, GL_NONE, GL_COLOR_ATTACHMENT0};
    glDrawBuffers(3, draw);
    const float black[4] = {0, 0, 0, 0}, red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 1};
    glClearBufferfv(GL_COLOR, 0, red);   // attachment 2
    glClearBufferfv(GL_COLOR, 1, black); // nothing
    glClearBufferfv(GL_COLOR, 2, blue);  // attachment 0
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    EXPECT_RECT(0, 0, 8, 8, 0, 0, 1, 1);
    glReadBuffer(GL_COLOR_ATTACHMENT2);
    EXPECT_RECT(0, 0, 8, 8, 1, 0, 0, 1);
}

SCENARIO(clear_several_in_a_row) {
    target(16, 16);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 16; i++) {
        glScissor(i, 0, 1, 16);
        glClearColor(float(i) / 15, 0, 1 - float(i) / 15, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glDisable(GL_SCISSOR_TEST);
    for (int i = 0; i < 16; i++)
        EXPECT_PIXEL(i, i, float(i) / 15, 0, 1 - float(i) / 15, 1);
}

SCENARIO(clear_value_clamps_to_format) {
    target(4, 4);
    glClearColor(2.0f, -1.0f, 0.5f, 3.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_RECT(0, 0, 4, 4, 1.0f, 0.0f, 0.5f, 1.0f);
}

SCENARIO(clear_bad_mask) {
    glClear(0x1);
    EXPECT_ERROR(GL_INVALID_VALUE);
    const float v[4] = {};
    glClearBufferfv(GL_COLOR, 99, v);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glClearBufferfv(GL_STENCIL, 0, v);
    EXPECT_ERROR(GL_INVALID_ENUM);
}

SCENARIO(clear_rasterizer_discard) {
    target(4, 4);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_RASTERIZER_DISCARD);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_RASTERIZER_DISCARD);
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
}

SCENARIO(clear_images_of_textures) {
    // glClearTexImage and its part: colours, integers, depth with stencil, faces, slices.
    need(44, "GL_ARB_clear_texture");
    const float red[4] = {1, 0, 0.5f, 1};
    const auto texels = [](GLenum target, GLenum format, GLenum type, auto &out) {
        glGetTexImage(target, 0, format, type, out.data());
    };
    GLuint t = texture(GL_TEXTURE_2D, GL_RGBA8, 4, 4);
    glClearTexImage(t, 0, GL_RGBA, GL_FLOAT, red);
    glClearTexSubImage(t, 0, 1, 2, 0, 2, 1, 1, GL_RGBA, GL_FLOAT, nullptr);
    std::array<uint8_t, 64> bytes{};
    texels(GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    for (int i = 0; i < 16; i++) {
        const bool zero = i == 9 || i == 10;
        EXPECT_EQ(int(bytes[size_t(4 * i)]), zero ? 0 : 255);
        EXPECT_EQ(int(bytes[size_t(4 * i + 3)]), zero ? 0 : 255);
    }
    t = texture(GL_TEXTURE_2D, GL_RGBA16UI, 2, 2);
    const uint32_t numbers[4] = {1, 65535, 3, 40000};
    glClearTexImage(t, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, numbers);
    std::array<uint32_t, 16> words{};
    texels(GL_TEXTURE_2D, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words);
    for (size_t i = 0; i < 16; i++)
        EXPECT_EQ(words[i], numbers[i % 4]);
    t = texture(GL_TEXTURE_2D, GL_DEPTH24_STENCIL8, 2, 2);
    const uint32_t packed = 0xffffff07;
    glClearTexImage(t, 0, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, &packed);
    std::array<uint32_t, 4> both{};
    texels(GL_TEXTURE_2D, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, both);
    for (const uint32_t v : both)
        EXPECT_EQ(v, packed);
    t = texture(GL_TEXTURE_CUBE_MAP, GL_RGBA8, 2, 2);
    glClearTexImage(t, 0, GL_RGBA, GL_FLOAT, nullptr);
    glClearTexSubImage(t, 0, 0, 0, 2, 2, 2, 1, GL_RGBA, GL_FLOAT, red);
    for (GLenum face = 0; face < 6; face++) {
        texels(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
        EXPECT_EQ(int(bytes[12]), face == 2 ? 255 : 0);
    }
    t = texture(GL_TEXTURE_3D, GL_R8, 2, 2, 3);
    glClearTexImage(t, 0, GL_RED, GL_FLOAT, nullptr);
    glClearTexSubImage(t, 0, 0, 0, 1, 2, 2, 1, GL_RED, GL_FLOAT, red);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    texels(GL_TEXTURE_3D, GL_RED, GL_UNSIGNED_BYTE, bytes);
    EXPECT(bytes[3] == 0 && bytes[4] == 255 && bytes[7] == 255 && bytes[8] == 0);
    glClearTexImage(t, 0, GL_RED_INTEGER, GL_INT, nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glClearTexImage(0, 0, GL_RED, GL_FLOAT, nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(texture_depth_uploads) {
    // Depth of every sized format comes back as it went up.
    const std::array<float, 4> depths{0, 0.25f, 0.5f, 1};
    for (const GLenum format :
         {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT32F}) {
        texture(GL_TEXTURE_2D, format, 2, 2);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_DEPTH_COMPONENT, GL_FLOAT, depths.data());
        std::array<float, 4> got{};
        glGetTexImage(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT, GL_FLOAT, got.data());
        for (size_t i = 0; i < 4; i++)
            EXPECT(std::fabs(got[i] - depths[i]) < 1e-4f);
    }
}
