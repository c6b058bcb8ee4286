// SPDX-License-Identifier: MIT
// Blits and resolves by the rules of desktop GL.
#include "scenario.h"

#include <cmath>

using namespace scenario;

namespace {

constexpr GLbitfield kBoth = GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;

// Columns 0 and 1 of two, by scissored clears of the bound framebuffer.
void halves(int size) {
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 2; i++) {
        glScissor(i * size / 2, 0, size / 2, size);
        clear_color(i ? 0.0f : 1.0f, i ? 1.0f : 0.0f, 0.25f, 1);
        glClearDepth(i ? 0.75 : 0.25);
        glClearStencil(i ? 9 : 5);
        glClear(kBoth);
    }
    glDisable(GL_SCISSOR_TEST);
}

void blit(const Target &from, const Target &to, GLbitfield what, GLenum filter = GL_NEAREST) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from.fbo);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to.fbo);
    glBlitFramebuffer(0, 0, from.width, from.height, 0, 0, to.width, to.height, what, filter);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, to.fbo);
}

void expect_depth(int x, int y, float want) {
    float got = -1;
    glReadPixels(x, y, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &got);
    if (std::fabs(got - want) > 1e-4f)
        fail(__FILE__, __LINE__,
             "depth at " + std::to_string(x) + " is " + std::to_string(got) + ", want " +
                 std::to_string(want));
}

void expect_stencil(int x, int y, int want) {
    GLubyte got = 0xee;
    glReadPixels(x, y, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &got);
    if (got != want)
        fail(__FILE__, __LINE__,
             "stencil at " + std::to_string(x) + " is " + std::to_string(got) + ", want " +
                 std::to_string(want));
}

// Draws red where stencil is 5 and depth 0.25, green where they are 9 and 0.75.
void draw_halves_tested(const Target &t) {
    glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
    glViewport(0, 0, t.width, t.height);
    clear_color(0, 0, 0, 1);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glEnable(GL_STENCIL_TEST);
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    const GLuint p = program("#version 330\nuniform float z;\nvoid main() { gl_Position = "
                             "vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, z, 1); }",
                             "#version 330\nuniform vec4 c; out vec4 o; void main() { o = c; }");
    glUseProgram(p);
    for (int i = 0; i < 2; i++)
        for (const bool nearer : {true, false}) {
            // Nearer than what is stored passes; farther does not and would show blue.
            glStencilFunc(GL_EQUAL, i ? 9 : 5, 0xff);
            const float z = (i ? 0.5f : -0.5f) + (nearer ? -0.01f : 0.01f);
            glDepthMask(GL_FALSE);
            glUniform1f(glGetUniformLocation(p, "z"), z);
            glUniform4f(glGetUniformLocation(p, "c"), nearer && !i, nearer && i, !nearer, 1);
            draw_fill();
        }
    glDepthMask(GL_TRUE);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_STENCIL_TEST);
}

} // namespace

SCENARIO(blit_resolves_across_formats) {
    const Target ms = multisample_target(8, 8, 4);
    halves(8);
    for (const GLenum format : {GL_RGB8, GL_RGBA16F, GL_RGBA16, GL_RGB10_A2, GL_R8, GL_RGBA8}) {
        const Target to = target(8, 8, format);
        blit(ms, to, GL_COLOR_BUFFER_BIT);
        EXPECT_ERROR(GL_NO_ERROR);
        const bool red_only = format == GL_R8;
        EXPECT_PIXEL(1, 1, 1, 0, red_only ? 0.0f : 0.25f, 1);
        EXPECT_PIXEL(6, 6, 0, red_only ? 0.0f : 1.0f, red_only ? 0.0f : 0.25f, 1);
    }
    // And from one sample to several, then back.
    const Target flat = target(8, 8);
    halves(8);
    blit(flat, ms, GL_COLOR_BUFFER_BIT);
    EXPECT_ERROR(GL_NO_ERROR);
    resolve(ms);
    EXPECT_PIXEL(1, 1, 1, 0, 0.25f, 1);
    EXPECT_PIXEL(6, 6, 0, 1, 0.25f, 1);
}

SCENARIO(blit_between_sample_counts) {
    const Target four = multisample_target(8, 8, 4), other = multisample_target(8, 8, 4);
    glBindFramebuffer(GL_FRAMEBUFFER, four.fbo);
    halves(8);
    blit(four, other, GL_COLOR_BUFFER_BIT);
    EXPECT_ERROR(GL_NO_ERROR);
    resolve(other);
    EXPECT_PIXEL(6, 6, 0, 1, 0.25f, 1);
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    if (most < 8)
        return;
    const Target eight = multisample_target(8, 8, 8);
    blit(four, eight, GL_COLOR_BUFFER_BIT);
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(blit_resolves_scaled_region) {
    // Core GL wants equal sizes of a resolve's regions; their places may differ, and mirror.
    const Target ms = multisample_target(8, 8, 4);
    halves(8);
    const Target to = target(8, 8);
    clear_color(0, 0, 1, 1);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, ms.fbo);
    glBlitFramebuffer(2, 0, 6, 4, 4, 4, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    EXPECT_ERROR(GL_NO_ERROR);
    glBlitFramebuffer(0, 0, 8, 8, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, to.fbo);
    EXPECT_RECT(4, 4, 2, 4, 1, 0, 0.25f, 1);
    EXPECT_RECT(6, 4, 2, 4, 0, 1, 0.25f, 1);
    EXPECT_RECT(0, 0, 4, 8, 0, 0, 1, 1);
}

SCENARIO(blit_resolves_depth_stencil) {
    const Target ms = multisample_target(8, 8, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    halves(8);
    const Target to = target(8, 8, GL_RGBA8, GL_DEPTH24_STENCIL8);
    blit(ms, to, kBoth);
    EXPECT_ERROR(GL_NO_ERROR);
    expect_depth(1, 1, 0.25f);
    expect_depth(6, 6, 0.75f);
    expect_stencil(1, 1, 5);
    expect_stencil(6, 6, 9);
    // Several samples to several.
    const Target other = multisample_target(8, 8, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    blit(ms, other, kBoth);
    EXPECT_ERROR(GL_NO_ERROR);
    draw_halves_tested(other);
    resolve(other);
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    EXPECT_PIXEL(6, 6, 0, 1, 0, 1);
}

SCENARIO(blit_samples_of_one_aspect) {
    // Between targets of several samples: depth alone, then stencil alone under a scissor.
    const Target from = multisample_target(8, 8, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    halves(8);
    const Target to = multisample_target(8, 8, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.5f, 1);
    const Target one = target(8, 8, GL_RGBA8, GL_DEPTH24_STENCIL8);
    blit(from, to, GL_DEPTH_BUFFER_BIT);
    blit(to, one, kBoth);
    expect_depth(1, 1, 0.25f);
    expect_depth(6, 6, 0.75f);
    expect_stencil(1, 1, 1);
    expect_stencil(6, 6, 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(5, 0, 3, 8);
    blit(from, to, GL_STENCIL_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    blit(to, one, kBoth);
    expect_stencil(1, 1, 1);
    expect_stencil(4, 4, 1);
    expect_stencil(6, 6, 9);
    expect_depth(6, 6, 0.75f);
}

SCENARIO(blit_stencil_only_scaled) {
    const Target from = target(4, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    halves(4);
    const Target to = target(8, 8, GL_RGBA8, GL_DEPTH24_STENCIL8);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.5f, 1);
    blit(from, to, GL_STENCIL_BUFFER_BIT);
    for (int x = 0; x < 8; x++) {
        expect_stencil(x, 3, x < 4 ? 5 : 9);
        expect_depth(x, 3, 0.5f); // untouched
    }
    blit(from, to, GL_DEPTH_BUFFER_BIT);
    for (int x = 0; x < 8; x++)
        expect_depth(x, 6, x < 4 ? 0.25f : 0.75f);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from.fbo);
    glBlitFramebuffer(0, 0, 4, 4, 8, 0, 0, 8, kBoth, GL_NEAREST); // mirrored
    glBindFramebuffer(GL_READ_FRAMEBUFFER, to.fbo);
    expect_stencil(1, 1, 9);
    expect_depth(6, 1, 0.25f);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from.fbo);
    glBlitFramebuffer(0, 0, 4, 4, 0, 0, 8, 8, kBoth, GL_LINEAR);
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(blit_depth_float_stencil) {
    const Target from = target(4, 4, GL_RGBA8, GL_DEPTH32F_STENCIL8);
    halves(4);
    const Target to = target(4, 4, GL_RGBA8, GL_DEPTH32F_STENCIL8);
    blit(from, to, kBoth);
    expect_depth(0, 0, 0.25f);
    expect_stencil(3, 3, 9);
    const Target other = target(4, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    blit(from, other, GL_DEPTH_BUFFER_BIT);
    EXPECT_ERROR(GL_INVALID_OPERATION); // depth formats must match
}

SCENARIO(blit_ignores_texture_filters) {
    const Target from = target(4, 4);
    halves(4);
    glBindTexture(GL_TEXTURE_2D, from.color);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_ZERO);
    const Target to = target(8, 8);
    blit(from, to, GL_COLOR_BUFFER_BIT);
    EXPECT_RECT(0, 0, 4, 8, 1, 0, 0.25f, 1);
    EXPECT_RECT(4, 0, 4, 8, 0, 1, 0.25f, 1);
    blit(from, to, GL_COLOR_BUFFER_BIT, GL_LINEAR);
    const Rgba edge = pixel(3, 3);
    EXPECT(edge[0] > 0.6f && edge[0] < 0.9f && edge[1] > 0.1f && edge[1] < 0.4f);
    GLint filter = 0;
    glBindTexture(GL_TEXTURE_2D, from.color);
    glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, &filter);
    EXPECT_EQ(filter, GL_LINEAR);
}

SCENARIO(blit_converts_formats) {
    const Target from = target(4, 4);
    halves(4);
    for (const GLenum format : {GL_RGBA32F, GL_RG8, GL_RGBA16, GL_RGB10_A2, GL_RGB8}) {
        const Target to = target(4, 4, format);
        blit(from, to, GL_COLOR_BUFFER_BIT);
        EXPECT_ERROR(GL_NO_ERROR);
        EXPECT_PIXEL(0, 0, 1, 0, format == GL_RG8 ? 0.0f : 0.25f, 1);
    }
    const Target wide = target(4, 4, GL_RGBA32F);
    clear_color(-3, 0.5f, 7, 0.5f);
    const Target narrow = target(4, 4);
    blit(wide, narrow, GL_COLOR_BUFFER_BIT);
    EXPECT_RECT(0, 0, 4, 4, 0, 0.5f, 1, 0.5f);
    const Target ints = target(4, 4, GL_RGBA8UI);
    blit(narrow, ints, GL_COLOR_BUFFER_BIT);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    const Target words = target(4, 4, GL_R32UI);
    const GLuint v[4] = {200, 0, 0, 0};
    glClearBufferuiv(GL_COLOR, 0, v);
    blit(words, ints, GL_COLOR_BUFFER_BIT);
    EXPECT_ERROR(GL_NO_ERROR);
    GLuint got[4] = {};
    glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got);
    EXPECT(got[0] == 200 && got[1] == 0 && got[3] == 1);
}

SCENARIO(blit_srgb_by_the_enable) {
    // With sRGB writes on, a blit decodes and encodes; off, it copies bytes.
    const Target linear = target(4, 4), coded = target(4, 4, GL_SRGB8_ALPHA8);
    glBindFramebuffer(GL_FRAMEBUFFER, linear.fbo);
    clear_color(0.5f, 0.5f, 0.5f, 0.5f);
    glEnable(GL_FRAMEBUFFER_SRGB);
    blit(linear, coded, GL_COLOR_BUFFER_BIT);
    EXPECT(std::abs(read_rgba8(1, 1, 1, 1)[0] - 188) <= 1);
    EXPECT(std::abs(read_rgba8(1, 1, 1, 1)[3] - 128) <= 1);
    blit(coded, linear, GL_COLOR_BUFFER_BIT);
    EXPECT(std::abs(read_rgba8(1, 1, 1, 1)[0] - 128) <= 1);
    glDisable(GL_FRAMEBUFFER_SRGB);
    blit(linear, coded, GL_COLOR_BUFFER_BIT);
    EXPECT(std::abs(read_rgba8(1, 1, 1, 1)[0] - 128) <= 1);
}

SCENARIO(blit_to_every_draw_buffer) {
    target(4, 4);
    halves(4);
    GLuint fbo = 0;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo);
    for (int i = 0; i < 3; i++)
        attach_texture(GLenum(GL_COLOR_ATTACHMENT0 + i), GL_RGBA8, 4, 4);
    const GLenum all[3] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2};
    glDrawBuffers(3, all);
    clear_color(0, 0, 1, 1);
    const GLenum some[3] = {GL_COLOR_ATTACHMENT2, GL_NONE, GL_COLOR_ATTACHMENT0};
    glDrawBuffers(3, some);
    glBlitFramebuffer(0, 0, 4, 4, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
    for (int i = 0; i < 3; i++) {
        glReadBuffer(all[i]);
        if (i == 1)
            EXPECT_PIXEL(3, 3, 0, 0, 1, 1);
        else
            EXPECT_PIXEL(3, 3, 0, 1, 0.25f, 1);
    }
}

SCENARIO(blit_clips_and_scissors) {
    // Beyond the source nothing is written; the scissor of the target counts.
    const Target from = target(4, 4);
    clear_color(1, 0, 0, 1);
    const Target to = target(8, 8);
    clear_color(0, 0, 1, 1);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from.fbo);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 8, 3);
    glBlitFramebuffer(-2, -2, 6, 6, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glDisable(GL_SCISSOR_TEST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, to.fbo);
    EXPECT_RECT(2, 2, 4, 1, 1, 0, 0, 1);
    EXPECT_RECT(0, 0, 8, 2, 0, 0, 1, 1);
    EXPECT_RECT(0, 3, 8, 5, 0, 0, 1, 1);
    EXPECT_PIXEL(1, 2, 0, 0, 1, 1);
    EXPECT_PIXEL(6, 2, 0, 0, 1, 1);
}

SCENARIO(blit_of_layers) {
    // From a layer and level to another one of the same texture; layered: the first layer.
    const GLuint t = texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 8, 8, 3, 2);
    GLuint fbo[2];
    glGenFramebuffers(2, fbo);
    const auto attach = [&](GLenum where, int level, int layer) {
        glBindFramebuffer(where, fbo[where == GL_READ_FRAMEBUFFER]);
        glFramebufferTextureLayer(where, GL_COLOR_ATTACHMENT0, t, level, layer);
    };
    for (int l = 0; l < 3; l++) {
        attach(GL_DRAW_FRAMEBUFFER, 0, l);
        clear_color(float(l) / 2, 1, 0, 1);
    }
    attach(GL_READ_FRAMEBUFFER, 0, 2);
    attach(GL_DRAW_FRAMEBUFFER, 1, 1);
    glBlitFramebuffer(0, 0, 8, 8, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_LINEAR);
    attach(GL_READ_FRAMEBUFFER, 1, 1);
    EXPECT_RECT(0, 0, 4, 4, 1, 1, 0, 1);
    attach(GL_READ_FRAMEBUFFER, 0, 1);
    EXPECT_RECT(0, 0, 8, 8, 0.5f, 1, 0, 1);
    if (version() < 32)
        return;
    glFramebufferTexture(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    const Target to = target(8, 8);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo[1]);
    glBlitFramebuffer(0, 0, 8, 8, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, to.fbo);
    EXPECT_RECT(0, 0, 8, 8, 0, 1, 0, 1);
}
