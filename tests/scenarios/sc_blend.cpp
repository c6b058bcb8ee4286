// SPDX-License-Identifier: MIT
// Blending per target and with two sources, logic operations, sRGB targets.
#include "scenario.h"

#include <cmath>

using namespace scenario;

namespace {

// Two RGBA8 targets, cleared; a program that writes c to both.
GLuint two_targets() {
    GLuint fbo = 0;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    const GLenum draw[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    for (const GLenum a : draw)
        attach_texture(a, GL_RGBA8, 4, 4);
    glDrawBuffers(2, draw);
    glViewport(0, 0, 4, 4);
    const GLuint p = program(fill_vs, R"(#version 330
        layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; uniform vec4 c;
        void main() { a = b = c; })");
    glUseProgram(p);
    glUniform4f(glGetUniformLocation(p, "c"), 0.5f, 0.25f, 0, 0.5f);
    clear_color(0.25f, 0.25f, 0.25f, 1);
    return p;
}

void expect_targets(const Rgba &first, const Rgba &second) {
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    EXPECT_RECT(0, 0, 4, 4, first[0], first[1], first[2], first[3]);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    EXPECT_RECT(0, 0, 4, 4, second[0], second[1], second[2], second[3]);
}

int srgb_byte(float linear) {
    const float s =
        linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
    return int(s * 255 + 0.5f);
}

} // namespace

SCENARIO(blend_functions_per_target) {
    need(40, "GL_ARB_draw_buffers_blend");
    two_targets();
    glEnable(GL_BLEND);
    glBlendFunci(0, GL_ONE, GL_ONE);
    glBlendFuncSeparatei(1, GL_SRC_ALPHA, GL_ZERO, GL_ZERO, GL_ONE);
    draw_fill();
    expect_targets({0.75f, 0.5f, 0.25f, 1}, {0.25f, 0.125f, 0, 1});
    clear_color(0.25f, 0.25f, 0.25f, 1);
    glBlendFunc(GL_ONE, GL_ONE);
    glBlendEquationi(0, GL_MAX);
    glBlendEquationSeparatei(1, GL_FUNC_REVERSE_SUBTRACT, GL_MIN);
    draw_fill();
    expect_targets({0.5f, 0.25f, 0.25f, 1}, {0, 0, 0.25f, 0.5f});
    glDisablei(GL_BLEND, 1);
    glColorMaski(0, GL_FALSE, GL_TRUE, GL_TRUE, GL_FALSE);
    clear_color(1, 1, 1, 1);
    draw_fill();
    expect_targets({0.5f, 1, 1, 1}, {0.5f, 0.25f, 0, 0.5f});
}

SCENARIO(blend_per_target_with_depth_and_stencil) {
    // One draw of a near layer and a far one; both targets see the near one, once.
    two_targets();
    GLuint rb = 0;
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, 4, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, rb);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 1, 7);
    glUseProgram(program(R"(#version 330
        flat out float layer;
        void main() {
            layer = float(gl_VertexID / 3);
            vec2 at = vec2(gl_VertexID % 3 & 1, gl_VertexID % 3 >> 1) * 4.0 - 1.0;
            gl_Position = vec4(at, layer * 0.5, 1);
        })",
                         R"(#version 330
        flat in float layer;
        layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
        void main() { a = b = layer == 0.0 ? vec4(0.5, 0.25, 0, 0.5) : vec4(0.25); })"));
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
    glBlendFunc(GL_ONE, GL_ONE);
    glEnablei(GL_BLEND, 1);
    vertex_array();
    glDrawArrays(GL_TRIANGLES, 0, 6);
    expect_targets({0.5f, 0.25f, 0, 0.5f}, {0.75f, 0.5f, 0.25f, 1});
    GLubyte stencil = 0;
    glReadPixels(1, 1, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &stencil);
    EXPECT_EQ(int(stencil), 8);
    EXPECT_ERROR(GL_NO_ERROR);
}

SCENARIO(blend_enables_and_masks_per_target) {
    two_targets();
    glBlendFunc(GL_ONE, GL_ONE);
    for (GLuint which = 0; which < 2; which++) {
        glEnablei(GL_BLEND, which);
        glDisablei(GL_BLEND, 1 - which);
        glColorMaski(which, GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        clear_color(0.25f, 0.25f, 0.25f, 1);
        glColorMaski(1 - which, GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
        draw_fill();
        glColorMaski(1 - which, GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        const Rgba blended{0.75f, 0.5f, 0.25f, 1}, masked{0.25f, 0.25f, 0.25f, 0.5f};
        expect_targets(which ? masked : blended, which ? blended : masked);
    }
}

SCENARIO(blend_separate_alpha) {
    target(4, 4);
    clear_color(0.25f, 0.5f, 0.75f, 0.25f);
    glUseProgram(fill_program("vec4(1, 0.5, 0, 0.75)"));
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ZERO);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0.8125f, 0.5f, 0.1875f, 0.75f);
    clear_color(0.25f, 0.5f, 0.75f, 0.25f);
    glBlendFuncSeparate(GL_ONE, GL_ONE, GL_DST_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glBlendEquationSeparate(GL_FUNC_REVERSE_SUBTRACT, GL_FUNC_ADD);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0, 0, 0.75f, 0.25f);
    glBlendFuncSeparate(GL_SRC_ALPHA_SATURATE, GL_ZERO, GL_SRC_ALPHA_SATURATE, GL_ZERO);
    glBlendEquation(GL_FUNC_ADD);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0.75f, 0.375f, 0, 0.75f); // min(0.75, 1 - 0.25)
}

SCENARIO(blend_two_sources) {
    need(33, "GL_ARB_blend_func_extended");
    GLint most = 0;
    glGetIntegerv(GL_MAX_DUAL_SOURCE_DRAW_BUFFERS, &most);
    EXPECT(most >= 1);
    target(4, 4);
    const char *const fs =
        "out vec4 a; out vec4 b;\n"
        "void main() { a = vec4(0.5, 0.5, 0.5, 0.25); b = vec4(0.5, 0, 1, 0.5); }";
    const char *const indices =
        "layout(location = 0, index = 0) out vec4 a; layout(location = 0, index = 1) out vec4 b;\n"
        "void main() { a = vec4(0.5, 0.5, 0.5, 0.25); b = vec4(0.5, 0, 1, 0.5); }";
    // By layout, then by name before the link.
    GLuint programs[2];
    programs[0] = program(fill_vs, std::string("#version 330\n") + indices);
    programs[1] = program(fill_vs, std::string("#version 330\n") + fs);
    glBindFragDataLocationIndexed(programs[1], 0, 0, "a");
    glBindFragDataLocationIndexed(programs[1], 0, 1, "b");
    glLinkProgram(programs[1]);
    EXPECT_EQ(glGetFragDataIndex(programs[1], "b"), 1);
    glEnable(GL_BLEND);
    for (const GLuint p : programs) {
        glUseProgram(p);
        clear_color(1, 1, 1, 1);
        glBlendFunc(GL_ONE, GL_SRC1_COLOR);
        draw_fill();
        EXPECT_RECT(0, 0, 4, 4, 1, 0.5f, 1, 0.75f);
        clear_color(0.5f, 0.5f, 0.5f, 1);
        glBlendFunc(GL_ONE_MINUS_SRC1_COLOR, GL_SRC1_ALPHA);
        draw_fill();
        EXPECT_RECT(0, 0, 4, 4, 0.5f, 0.75f, 0.25f, 0.625f);
        clear_color(0.5f, 0.5f, 0.5f, 1);
        glBlendFunc(GL_ZERO, GL_ONE_MINUS_SRC1_ALPHA);
        draw_fill();
        EXPECT_RECT(0, 0, 4, 4, 0.25f, 0.25f, 0.25f, 0.5f);
    }
    glBlendFunc(GL_ONE, GL_ZERO); // and without the second source in use
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0.5f, 0.5f, 0.5f, 0.25f);
}

SCENARIO(blend_constant_color) {
    target(4, 4, GL_RGBA16F);
    clear_color(1, 1, 1, 1);
    glUseProgram(fill_program("vec4(1)"));
    glEnable(GL_BLEND);
    glBlendColor(2, -0.5f, 0.5f, 0.25f); // not clamped for float targets
    glBlendFunc(GL_CONSTANT_COLOR, GL_CONSTANT_ALPHA);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 2.25f, -0.25f, 0.75f, 0.5f);
    target(4, 4);
    clear_color(1, 1, 1, 1);
    glBlendFunc(GL_CONSTANT_COLOR, GL_ZERO);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0.5f, 0.25f);
}

SCENARIO(blend_logic_op) {
    target(4, 4);
    const uint32_t s = 0x0f3355a5u, d = 0x3c0ff0c3u;
    const struct {
        GLenum op;
        uint32_t want;
    } ops[] = {{GL_CLEAR, 0},
               {GL_AND, s & d},
               {GL_AND_REVERSE, s & ~d},
               {GL_COPY, s},
               {GL_AND_INVERTED, ~s & d},
               {GL_NOOP, d},
               {GL_XOR, s ^ d},
               {GL_OR, s | d},
               {GL_NOR, ~(s | d)},
               {GL_EQUIV, ~(s ^ d)},
               {GL_INVERT, ~d},
               {GL_OR_REVERSE, s | ~d},
               {GL_COPY_INVERTED, ~s},
               {GL_OR_INVERTED, ~s | d},
               {GL_NAND, ~(s & d)},
               {GL_SET, 0xffffffffu}};
    const GLuint p = fill_program("c", "uniform vec4 c;");
    glUseProgram(p);
    const GLint at = glGetUniformLocation(p, "c");
    const auto put = [&](uint32_t word) {
        glUniform4f(at, float(word & 255) / 255, float(word >> 8 & 255) / 255,
                    float(word >> 16 & 255) / 255, float(word >> 24) / 255);
        draw_fill();
    };
    glEnable(GL_BLEND); // off while a logic operation is on
    glBlendFunc(GL_ZERO, GL_ZERO);
    for (const auto &o : ops) {
        glDisable(GL_COLOR_LOGIC_OP);
        glDisable(GL_BLEND);
        put(d);
        glEnable(GL_BLEND);
        glEnable(GL_COLOR_LOGIC_OP);
        glLogicOp(o.op);
        put(s);
        uint32_t got = 0;
        glReadPixels(2, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &got);
        if (got != o.want)
            fail(__FILE__, __LINE__,
                 "operation " + std::to_string(o.op) + ": " + std::to_string(got) + ", want " +
                     std::to_string(o.want));
    }
}

SCENARIO(blend_logic_op_of_integers) {
    target(4, 4, GL_R32UI);
    const GLuint d[4] = {0xf0f0ff00u, 0, 0, 0};
    glClearBufferuiv(GL_COLOR, 0, d);
    glUseProgram(
        program(fill_vs, "#version 330\nout uvec4 o; void main() { o = uvec4(0xffff00ffu); }"));
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    draw_fill();
    GLuint got = 0;
    glReadPixels(1, 1, 1, 1, GL_RED_INTEGER, GL_UNSIGNED_INT, &got);
    EXPECT_EQ(got, 0xf0f0ff00u ^ 0xffff00ffu);
    target(4, 4, GL_RGBA16F); // no logic on floats
    glUseProgram(fill_program("vec4(0.5)"));
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0.5f, 0.5f, 0.5f, 0.5f);
}

SCENARIO(blend_logic_op_of_targets) {
    // Four targets at once, of which floats take no part; two triangles over each other in one
    // draw; a mask.
    GLuint fbo = 0;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    const GLenum formats[4] = {GL_RGBA8, GL_RGB10_A2, GL_RGBA16F, GL_RG16I};
    GLenum draw[4];
    for (unsigned i = 0; i < 4; i++)
        attach_texture(draw[i] = GL_COLOR_ATTACHMENT0 + i, formats[i], 4, 4);
    glDrawBuffers(4, draw);
    glViewport(0, 0, 4, 4);
    const GLfloat half[4] = {0.5f, 0.5f, 0.5f, 1};
    const GLint word[4] = {0x0ff0, -1, 0, 0};
    for (GLint i = 0; i < 3; i++)
        glClearBufferfv(GL_COLOR, i, half);
    glClearBufferiv(GL_COLOR, 3, word);
    glUseProgram(program(R"(#version 330
        void main() {
            vec2 at = vec2(gl_VertexID % 3 == 1 ? 3 : -1, gl_VertexID % 3 == 2 ? 3 : -1);
            gl_Position = vec4(at, 0, 1);
        })",
                         R"(#version 330
        layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;
        layout(location = 2) out vec4 c; layout(location = 3) out ivec2 d;
        void main() {
            a = b = c = vec4(0.25, 1, 0, 1);
            d = ivec2(0x00ff, 0x0f0f);
        })"));
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);
    glBindVertexArray(vertex_array());
    const auto expect = [&](unsigned byte, unsigned ten, GLint red, GLint green) {
        uint8_t a[4] = {};
        uint32_t b = 0;
        GLint d[2] = {};
        glReadBuffer(GL_COLOR_ATTACHMENT0);
        glReadPixels(1, 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, a);
        glReadBuffer(GL_COLOR_ATTACHMENT1);
        glReadPixels(1, 2, 1, 1, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, &b);
        EXPECT_EQ(unsigned(a[1]), byte);
        EXPECT_EQ(unsigned(a[3]), 255u);
        EXPECT_EQ(b >> 10 & 1023, ten);
        glReadBuffer(GL_COLOR_ATTACHMENT2);
        EXPECT_RECT(0, 0, 4, 4, 0.25f, 1, 0, 1);
        glReadBuffer(GL_COLOR_ATTACHMENT3);
        glReadPixels(1, 2, 1, 1, GL_RG_INTEGER, GL_INT, d);
        EXPECT_EQ(d[0], red);
        EXPECT_EQ(d[1], green);
    };
    uint8_t was[4] = {};
    uint32_t wide = 0;
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, was);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, &wide);
    wide = wide >> 10 & 1023;
    glDrawArrays(GL_TRIANGLES, 0, 3);
    expect(was[1] ^ 255u, wide ^ 1023u, 0x0f0f, ~0x0f0f);
    glDrawArrays(GL_TRIANGLES, 0, 6); // twice: nothing changes
    expect(was[1] ^ 255u, wide ^ 1023u, 0x0f0f, ~0x0f0f);
    glDrawArrays(GL_TRIANGLES, 0, 9);
    expect(was[1], wide, 0x0ff0, -1);
}

SCENARIO(blend_logic_op_of_srgb) {
    // With sRGB writes on no operation; with them off one on what is stored.
    target(4, 4, GL_SRGB8_ALPHA8);
    const auto draw = [](float byte) {
        glUseProgram(fill_program("vec4(" + std::to_string(byte / 255) + ")"));
        draw_fill();
    };
    clear_color(0, 0, 0, 0);
    draw(0x3c);
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    draw(0xf0);
    EXPECT_EQ(int(read_rgba8(1, 1, 1, 1)[0]), 0x3c ^ 0xf0);
    glEnable(GL_FRAMEBUFFER_SRGB);
    draw(0xf0);
    EXPECT(std::abs(read_rgba8(1, 1, 1, 1)[0] - srgb_byte(0xf0 / 255.0f)) <= 1);
}

SCENARIO(blend_logic_op_of_layers) {
    // Each layer with what it held itself; the last level of an array, from its second layer on.
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    GLuint t = 0, fbo = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t);
    for (const GLint level : {0, 1})
        glTexImage3D(GL_TEXTURE_2D_ARRAY, level, GL_RGBA8, 8 >> level, 8 >> level, 3, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, nullptr);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glViewport(0, 0, 4, 4);
    const uint8_t held[3] = {0x0f, 0x3c, 0xaa};
    for (int layer = 0; layer < 3; layer++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 1, layer);
        clear_color(float(held[layer]) / 255, 0, 0, 1);
    }
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 1);
    glUseProgram(program(fill_vs, "#version 330\nout vec4 o; void main() { o = vec4(85.0 / 255); }",
                         R"(#version 330
        layout(triangles) in;
        layout(triangle_strip, max_vertices = 9) out;
        void main() {
            for (int l = 0; l < 3; l++) {
                for (int i = 0; i < 3; i++) {
                    gl_Layer = l;
                    gl_Position = gl_in[i].gl_Position;
                    EmitVertex();
                }
                EndPrimitive();
            }
        })"));
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    draw_fill();
    glFinish();
    if (glGetError() == GL_INVALID_OPERATION)
        skip("no logic operation on layers");
    for (int layer = 0; layer < 3; layer++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 1, layer);
        EXPECT_EQ(int(read_rgba8(2, 1, 1, 1)[0]), held[layer] ^ 85);
    }
}

SCENARIO(blend_in_linear_space) {
    // With sRGB writes on, blending decodes what is there and encodes the result.
    target(4, 4, GL_SRGB8_ALPHA8);
    glEnable(GL_FRAMEBUFFER_SRGB);
    clear_color(0.25f, 0.25f, 0.25f, 0.5f); // clears encode, too
    EXPECT(std::abs(read_rgba8(0, 0, 1, 1)[0] - srgb_byte(0.25f)) <= 1);
    EXPECT(std::abs(read_rgba8(0, 0, 1, 1)[3] - 128) <= 1);
    glUseProgram(fill_program("vec4(0.25, 0.5, 0, 0.25)"));
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    draw_fill();
    const std::vector<uint8_t> p = read_rgba8(1, 1, 1, 1);
    EXPECT(std::abs(p[0] - srgb_byte(0.5f)) <= 1);
    EXPECT(std::abs(p[1] - srgb_byte(0.75f)) <= 1);
    EXPECT(std::abs(p[2] - srgb_byte(0.25f)) <= 1);
    EXPECT(std::abs(p[3] - 191) <= 1);
}
