// SPDX-License-Identifier: MIT
// What GL promises and many hosts lack, so that the drivers emulate it: primitives, indices and
// vertices as hosts do not take them, mipmaps of every format, three channels.
// tests/gates/emulations.py runs these with each emulation forced.
#include "scenario.h"

#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

constexpr GLenum kSrgbDecode = 0x8A48, kSkipDecode = 0x8A4A;

// Vertices at `at`, each with a flat colour that tells its number: red 0, green 1, blue 2, white 3.
const char *const numbered_vs = R"(#version 330
    layout(location = 0) in vec2 at;
    flat out vec4 c;
    void main() {
        c = gl_VertexID == 3 ? vec4(1) : vec4(gl_VertexID == 0, gl_VertexID == 1, gl_VertexID == 2, 1);
        gl_Position = vec4(at, 0, 1);
    })";
const char *const numbered_fs = "#version 330\nflat in vec4 c; out vec4 o; void main() { o = c; }";

void vertices(const std::vector<float> &at) {
    GLuint vao = 0;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    buffer(GL_ARRAY_BUFFER, at.data(), at.size() * sizeof at[0]);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
}

void clear_to_black() {
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

// A program whose vertices come from attribute 0 and that fills with green.
GLuint green_at() {
    return program("#version 330\nlayout(location = 0) in vec2 at; void main() { gl_Position = "
                   "vec4(at, 0, 1); }",
                   "#version 330\nout vec4 o; void main() { o = vec4(0, 1, 0, 1); }");
}

GLuint texture_2d(GLenum format, int levels, int size) {
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, levels, format, size, size);
    return t;
}

// Two by two texels, half of them `a`, half `b`, and the level that is made of them.
std::vector<float> half_and_half(GLenum layout, float a, float b) {
    const int n = layout == GL_RGB ? 3 : layout == GL_RGBA ? 4 : 1;
    std::vector<float> texels(size_t(4 * n), a);
    std::fill(texels.begin() + 2 * n, texels.end(), b);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, layout, GL_FLOAT, texels.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    std::vector<float> made(size_t(n), -1.0f);
    glGetTexImage(GL_TEXTURE_2D, 1, layout, GL_FLOAT, made.data());
    return made;
}

} // namespace

SCENARIO(emulated_loop_and_fan) {
    target(16, 16);
    glUseProgram(green_at());
    vertices({-0.5f, -0.5f, 0.5f, -0.5f, 0.5f, 0.5f, -0.5f, 0.5f});
    clear_to_black();
    glDrawArrays(GL_TRIANGLE_FAN, 0, 4);
    EXPECT_RECT(4, 4, 8, 8, 0, 1, 0, 1);
    EXPECT_PIXEL(2, 8, 0, 0, 0, 1);
    clear_to_black();
    glDrawArrays(GL_LINE_LOOP, 0, 4);
    const auto lit = [](int x, int y, int w, int h) {
        const std::vector<float> p = read_rgba32f(x, y, w, h);
        for (size_t i = 1; i < p.size(); i += 4)
            if (p[i] > 0.5f)
                return true;
        return false;
    };
    EXPECT(lit(6, 3, 1, 3) && lit(6, 11, 1, 3)); // below and above
    EXPECT(lit(3, 8, 3, 1) && lit(11, 8, 3, 1)); // the closing line and its opposite
    EXPECT_PIXEL(8, 8, 0, 0, 0, 1);
}

SCENARIO(emulated_restart_of_each_type) {
    target(16, 16);
    glUseProgram(green_at());
    // Two quads, left and right, with a gap; what a missed restart joins covers the gap.
    vertices({-1, -1, -0.5f, -1, -1, 1, -0.5f, 1, 0.5f, -1, 1, -1, 0.5f, 1, 1, 1});
    const uint32_t strips[9] = {0, 1, 2, 3, 77, 4, 5, 6, 7};
    // The incomplete triangle before the restart is thrown away.
    const uint32_t list[15] = {0, 1, 2, 2, 1, 3, 4, 77, 4, 5, 6, 6, 5, 7, 77};
    glEnable(GL_PRIMITIVE_RESTART);
    for (const GLenum type : {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT}) {
        const uint32_t ones = type == GL_UNSIGNED_BYTE    ? 0xffu
                              : type == GL_UNSIGNED_SHORT ? 0xffffu
                                                          : 0xffffffffu;
        for (const uint32_t restart : {77u, ones}) {
            glPrimitiveRestartIndex(restart);
            for (const bool strip : {true, false}) {
                std::vector<uint8_t> bytes;
                for (int i = 0; i < (strip ? 9 : 15); i++) {
                    uint32_t v = strip ? strips[i] : list[i];
                    v = v == 77 ? restart : v;
                    const int n = type == GL_UNSIGNED_BYTE ? 1 : type == GL_UNSIGNED_SHORT ? 2 : 4;
                    for (int k = 0; k < n; k++)
                        bytes.push_back(uint8_t(v >> 8 * k));
                }
                buffer(GL_ELEMENT_ARRAY_BUFFER, bytes.data(), bytes.size());
                clear_to_black();
                glDrawElements(strip ? GL_TRIANGLE_STRIP : GL_TRIANGLES, strip ? 9 : 15, type,
                               nullptr);
                EXPECT_RECT(0, 0, 4, 16, 0, 1, 0, 1);
                EXPECT_RECT(5, 0, 6, 16, 0, 0, 0, 1);
                EXPECT_RECT(12, 0, 4, 16, 0, 1, 0, 1);
            }
        }
    }
}

SCENARIO(emulated_provoking_vertex) {
    target(16, 16);
    glUseProgram(program(numbered_vs, numbered_fs));
    vertices({-1, -1, 1, -1, -1, 1, 1, 1});
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_PIXEL(2, 2, 0, 0, 1, 1);
    EXPECT_PIXEL(13, 13, 1, 1, 1, 1);
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_PIXEL(2, 2, 1, 0, 0, 1);
    EXPECT_PIXEL(13, 13, 0, 1, 0, 1);
    vertices({-1, -1, 1, -1, 1, 1, -1, 1});
    glDrawArrays(GL_TRIANGLE_FAN, 0, 4); // triangle n is provoked by vertex n + 1, or n + 2
    EXPECT_PIXEL(13, 2, 0, 1, 0, 1);
    EXPECT_PIXEL(2, 13, 0, 0, 1, 1);
    glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
    glDrawArrays(GL_TRIANGLE_FAN, 0, 4);
    EXPECT_PIXEL(13, 2, 0, 0, 1, 1);
    EXPECT_PIXEL(2, 13, 1, 1, 1, 1);
}

SCENARIO(emulated_wide_lines) {
    GLfloat range[2] = {};
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    if (range[1] < 4)
        return; // GL asks for one pixel only
    target(16, 16);
    glUseProgram(program(numbered_vs, numbered_fs));
    vertices({-0.75f, 0, 0.75f, 0, 0.75f, 0.75f});
    glLineWidth(4);
    clear_to_black();
    glDrawArrays(GL_LINES, 0, 2);
    EXPECT_RECT(3, 6, 10, 4, 0, 1, 0, 1);
    EXPECT_RECT(0, 0, 16, 5, 0, 0, 0, 1);
    EXPECT_RECT(0, 11, 16, 5, 0, 0, 0, 1);
    // A strip whose second line is upright; each has the colour of its last vertex.
    clear_to_black();
    glDrawArrays(GL_LINE_STRIP, 0, 3);
    EXPECT_RECT(3, 7, 8, 2, 0, 1, 0, 1);
    EXPECT_RECT(13, 10, 2, 3, 0, 0, 1, 1);
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    glDrawArrays(GL_LINES, 0, 2);
    EXPECT_RECT(3, 7, 8, 2, 1, 0, 0, 1);
    // Width 1 again.
    glLineWidth(1);
    clear_to_black();
    glDrawArrays(GL_LINES, 0, 2);
    EXPECT_RECT(0, 0, 16, 6, 0, 0, 0, 1);
    EXPECT_RECT(0, 10, 16, 6, 0, 0, 0, 1);
}

SCENARIO(emulated_wide_lines_keep_varyings) {
    GLfloat range[2] = {};
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    if (range[1] < 4)
        return;
    target(16, 16);
    glUseProgram(program(R"(#version 330
        layout(location = 0) in vec2 at;
        out float along[2];
        noperspective out vec3 rgb;
        out Block { vec2 half_of; flat int number; } b;
        void main() {
            along[0] = float(gl_VertexID); along[1] = 1.0 - along[0];
            rgb = vec3(0.25, along[0], 0.5);
            b.half_of = vec2(0.5); b.number = 7;
            gl_ClipDistance[0] = at.x + 0.5;
            gl_Position = vec4(at * 2.0, 0, 2);
        })",
                         R"(#version 330
        in float along[2];
        noperspective in vec3 rgb;
        in Block { vec2 half_of; flat int number; } b;
        out vec4 o;
        void main() { o = vec4(along[0] + along[1], rgb.r, b.half_of.x, b.number == 7 && )" +
                             std::string(version() < 32 ? "true" : "gl_PrimitiveID == 0") +
                             "); }"));
    vertices({-1, 0, 1, 0});
    glEnable(GL_CLIP_DISTANCE0);
    glLineWidth(4);
    clear_to_black();
    glDrawArrays(GL_LINES, 0, 2);
    EXPECT_RECT(5, 6, 11, 4, 1, 0.25f, 0.5f, 1);
    EXPECT_RECT(0, 6, 3, 4, 0, 0, 0, 1);
}

SCENARIO(emulated_unaligned_attributes) {
    // Everything begins at odd addresses and repeats at odd strides.
    target(8, 8);
    std::vector<uint8_t> bytes(4 * 31 + 8);
    const float corner[4][2] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    const int16_t quarter[2] = {8192, 16384};
    const int32_t number[2] = {-70000, 5};
    const uint32_t packed = 1023u | 0u << 10 | 512u << 20 | 3u << 30;
    for (size_t i = 0; i < 4; i++) {
        std::memcpy(&bytes[i * 31 + 1], corner[i], 8);
        std::memcpy(&bytes[i * 31 + 9], quarter, 4);
        std::memcpy(&bytes[i * 31 + 13], number, 8);
        std::memcpy(&bytes[i * 31 + 21], &packed, 4);
    }
    GLuint vao = 0;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    buffer(GL_ARRAY_BUFFER, bytes.data(), bytes.size());
    const auto at = [](size_t offset) { return reinterpret_cast<const void *>(offset); };
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 31, at(1));
    glVertexAttribPointer(1, 2, GL_SHORT, GL_TRUE, 31, at(9));
    glVertexAttribIPointer(2, 2, GL_INT, 31, at(13));
    glVertexAttribPointer(3, 4, GL_UNSIGNED_INT_2_10_10_10_REV, GL_TRUE, 31, at(21));
    for (GLuint i = 0; i < 4; i++)
        glEnableVertexAttribArray(i);
    glUseProgram(program(R"(#version 330
        layout(location = 0) in vec2 at;
        layout(location = 1) in vec2 quarter;
        layout(location = 2) in ivec2 number;
        layout(location = 3) in vec4 four;
        out vec4 c;
        void main() {
            c = vec4(quarter.x, four.x, number == ivec2(-70000, 5) ? 1.0 : 0.0, four.w);
            gl_Position = vec4(at, 0, 1);
        })",
                         "#version 330\nin vec4 c; out vec4 o; void main() { o = c; }"));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 8, 8, 0.25f, 1, 1, 1);
}

SCENARIO(emulated_instance_divisor) {
    target(8, 2);
    GLuint vao = 0;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    const GLuint colors[2] = {0xff0000ffu, 0xff00ff00u}; // red, green
    buffer(GL_ARRAY_BUFFER, colors, sizeof colors);
    glVertexAttribPointer(0, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, nullptr);
    glVertexAttribDivisor(0, 2);
    glEnableVertexAttribArray(0);
    glUseProgram(program(R"(#version 330
        layout(location = 0) in vec4 color;
        out vec4 c;
        void main() {
            vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
            c = color;
            gl_Position = vec4((corner.x + float(gl_InstanceID)) * 0.5 - 1.0, corner.y * 2.0 - 1.0, 0, 1);
        })",
                         "#version 330\nin vec4 c; out vec4 o; void main() { o = c; }"));
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 4);
    EXPECT_RECT(0, 0, 4, 2, 1, 0, 0, 1);
    EXPECT_RECT(4, 0, 4, 2, 0, 1, 0, 1);
}

SCENARIO(emulated_mipmap_formats) {
    for (const GLenum format : {GL_RGB8, GL_RGB16F, GL_RGB32F, GL_R11F_G11F_B10F, GL_RGB9_E5}) {
        texture_2d(format, 2, 2);
        for (const float f : half_and_half(GL_RGB, 0.25f, 0.75f))
            if (std::fabs(f - 0.5f) > 0.01f)
                fail(__FILE__, __LINE__,
                     "format " + std::to_string(format) + " gives " + std::to_string(f));
    }
}

SCENARIO(emulated_mipmap_of_depth) {
    for (const GLenum format :
         {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT32F}) {
        texture_2d(format, 2, 2);
        for (const float f : half_and_half(GL_DEPTH_COMPONENT, 0.5f, 0.5f))
            EXPECT(std::fabs(f - 0.5f) < 0.01f);
    }
}

SCENARIO(emulated_mipmap_of_depth_layers) {
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 3, GL_DEPTH_COMPONENT24, 4, 2, 2);
    std::vector<float> texels(16, 0.25f);
    std::fill(texels.begin() + 8, texels.end(), 0.75f); // the filter is the host's to choose
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 4, 2, 2, GL_DEPTH_COMPONENT, GL_FLOAT,
                    texels.data());
    glEnable(GL_SCISSOR_TEST); // which mipmaps do not obey
    glScissor(0, 0, 0, 0);
    glGenerateMipmap(GL_TEXTURE_2D_ARRAY);
    for (GLint level = 1; level < 3; level++) {
        std::vector<float> got(level == 1 ? 4 : 2);
        glGetTexImage(GL_TEXTURE_2D_ARRAY, level, GL_DEPTH_COMPONENT, GL_FLOAT, got.data());
        for (size_t i = 0; i < got.size(); i++)
            EXPECT(std::fabs(got[i] - (i < got.size() / 2 ? 0.25f : 0.75f)) < 0.01f);
    }
}

SCENARIO(emulated_mipmap_of_srgb) {
    const auto average = [](bool decode) {
        texture_2d(GL_SRGB8_ALPHA8, 2, 2);
        if (!decode)
            glTexParameteri(GL_TEXTURE_2D, kSrgbDecode, kSkipDecode);
        return half_and_half(GL_RGBA, 0, 1)[0];
    };
    EXPECT(std::fabs(average(true) - 188.0f / 255) < 0.01f); // 0.5, encoded
    if (has_extension("GL_EXT_texture_sRGB_decode"))
        EXPECT(std::fabs(average(false) - 0.5f) < 0.01f);
}

SCENARIO(emulated_mipmap_of_view) {
    if (!has_extension("GL_ARB_texture_view"))
        return;
    const GLuint owner = texture_2d(GL_RGBA8, 2, 2);
    GLuint view = 0;
    glGenTextures(1, &view);
    glTextureView(view, GL_TEXTURE_2D, owner, GL_RGBA8_SNORM, 0, 2, 0, 1);
    glBindTexture(GL_TEXTURE_2D, view);
    for (const float f : half_and_half(GL_RGBA, -0.5f, 0.5f))
        if (std::fabs(f) > 0.02f)
            fail(__FILE__, __LINE__, "the view's average is " + std::to_string(f));
    glBindTexture(GL_TEXTURE_2D, owner);
    for (const float f : half_and_half(GL_RGBA, 0.25f, 0.75f))
        EXPECT(std::fabs(f - 0.5f) < 0.01f);
}

SCENARIO(emulated_three_channel_target) {
    // Alpha reads and blends as 1, whatever was written.
    for (const GLenum format : {GL_RGB8, GL_RGB16F, GL_RGB32F, GL_SRGB8}) {
        const GLuint t = texture_2d(format, 1, 4);
        GLuint fbo = 0;
        glGenFramebuffers(1, &fbo);
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            continue; // GL 3.3 asks for RGB8 only
        glViewport(0, 0, 4, 4);
        glClearColor(0, 0, 0, 0.25f);
        glClear(GL_COLOR_BUFFER_BIT);
        EXPECT_RECT(0, 0, 4, 4, 0, 0, 0, 1);
        glUseProgram(fill_program("vec4(0.5, 0.25, 1.0, 0.5)"));
        glEnable(GL_BLEND);
        glBlendFuncSeparate(GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_ZERO, GL_ZERO);
        draw_fill();
        EXPECT_RECT(0, 0, 4, 4, 0.5f, 0.25f, 1, 1);
        draw_fill();
        EXPECT_RECT(0, 0, 4, 4, 0.5f, 0.25f, 1, 1);
        glDisable(GL_BLEND);
        target(4, 4);
        glBindTexture(GL_TEXTURE_2D, t);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glUseProgram(fill_program("vec4(texture(t, uv).a)", "uniform sampler2D t;"));
        draw_fill();
        EXPECT_RECT(0, 0, 4, 4, 1, 1, 1, 1);
    }
}

SCENARIO(framebuffer_feedback_between_levels) {
    // Level 1 is drawn while level 0 is sampled: no feedback, for the levels are told apart.
    const GLuint t = texture_2d(GL_RGBA8, 2, 4);
    const std::vector<uint8_t> texels(4 * 4 * 4, 128);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    GLuint fbo = 0;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 1);
    glViewport(0, 0, 2, 2);
    glUseProgram(fill_program("texture(t, uv) * 0.5", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_RECT(0, 0, 2, 2, 64.0f / 255, 64.0f / 255, 64.0f / 255, 64.0f / 255);
    // The level that is drawn is sampled: undefined texels, but no error.
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
    draw_fill();
    glFinish();
    EXPECT_ERROR(GL_NO_ERROR);
    glBindTexture(GL_TEXTURE_2D, 0);
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    draw_fill();
    EXPECT_RECT(0, 0, 2, 2, 0, 1, 0, 1);
}

SCENARIO(glsl_block_array_interpolation) {
    target(8, 8);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program(R"(#version 330
        flat out float flat_one;
        noperspective out float straight;
        out float smooth_one;
        out Block { flat float f; noperspective float n; float s; } blocks[2];
        void main() {
            float v = float(gl_VertexID);
            flat_one = straight = smooth_one = v;
            for (int i = 0; i < 2; i++)
                blocks[i].f = blocks[i].n = blocks[i].s = v;
            vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
            float w = 1.0 + v;
            gl_Position = vec4(at * w, 0, w);
        })",
                         R"(#version 330
        flat in float flat_one;
        noperspective in float straight;
        in float smooth_one;
        in Block { flat float f; noperspective float n; float s; } blocks[2];
        out vec4 o;
        void main() {
            bool ok = true;
            for (int i = 0; i < 2; i++)
                ok = ok && blocks[i].f == flat_one && abs(blocks[i].n - straight) < 0.001 &&
                     abs(blocks[i].s - smooth_one) < 0.001;
            o = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);
        })"));
    GLuint vao = 0;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT_RECT(0, 0, 8, 8, 0, 1, 0, 1);
}

SCENARIO(xfb_overflow_queries) {
    if (!has_extension("GL_ARB_transform_feedback_overflow_query"))
        return;
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_VERTEX_SHADER, "#version 330\nout float a;\n"
                                               "void main() { a = 1.0; gl_Position = vec4(0); }"));
    const char *name = "a";
    glTransformFeedbackVaryings(p, 1, &name, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    glUseProgram(p);
    GLuint vao = 0, q[3] = {};
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glGenQueries(3, q);
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, nullptr, 4 * 4, GL_STREAM_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glEnable(GL_RASTERIZER_DISCARD);
    for (const GLsizei points : {4, 5}) { // all fit, one too many
        glBeginQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW, q[0]);
        glBeginQueryIndexed(GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW, 0, q[1]);
        glBeginTransformFeedback(GL_POINTS);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q[2]);
        glDrawArrays(GL_POINTS, 0, points);
        glEndTransformFeedback();
        glEndQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW);
        glEndQueryIndexed(GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW, 0);
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        GLuint any = 7, stream = 7, written = 7;
        glGetQueryObjectuiv(q[0], GL_QUERY_RESULT, &any);
        glGetQueryObjectuiv(q[1], GL_QUERY_RESULT, &stream);
        glGetQueryObjectuiv(q[2], GL_QUERY_RESULT, &written);
        EXPECT_EQ(any, GLuint(points > 4));
        EXPECT_EQ(stream, GLuint(points > 4));
        EXPECT_EQ(written, 4u);
    }
    glDisable(GL_RASTERIZER_DISCARD);
    // The overflow decides a conditional draw.
    target(4, 4);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    glBeginConditionalRender(q[0], GL_QUERY_WAIT);
    draw_fill();
    glEndConditionalRender();
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 0, 1);
    GLint bits = 0;
    glGetQueryiv(GL_TRANSFORM_FEEDBACK_OVERFLOW, GL_QUERY_COUNTER_BITS, &bits);
    EXPECT(bits >= 1);
}

namespace {

// One look-up of `expr` from texture unit 0, as a float.
Rgba looked_up(const std::string &decls, const std::string &expr) {
    glUseProgram(fill_program(expr, decls));
    clear_color(0, 0, 0, 0);
    draw_fill();
    return pixel(1, 1);
}

void expect_look_up(int line, const std::string &decls, const std::string &expr, const Rgba &want) {
    const Rgba got = looked_up(decls, expr);
    if (!near(got, want, 0.01f))
        fail(__FILE__, line, expr + " is " + show(got) + ", want " + show(want));
}

void bordered(GLenum t, GLenum filter, const float *border) {
    for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
        glTexParameteri(t, wrap, GL_CLAMP_TO_BORDER);
    glTexParameteri(t, GL_TEXTURE_MIN_FILTER, GLint(filter));
    glTexParameteri(t, GL_TEXTURE_MAG_FILTER, GLint(filter));
    glTexParameterfv(t, GL_TEXTURE_BORDER_COLOR, border);
}

} // namespace

SCENARIO(emulated_border_colors) {
    target(4, 4, GL_RGBA32F);
    const float border[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    const Rgba all{0.2f, 0.4f, 0.6f, 0.8f}, white{1, 1, 1, 1};
    const auto mix = [&](float w) {
        Rgba c;
        for (size_t i = 0; i < 4; i++)
            c[i] = w + (1 - w) * border[i];
        return c;
    };
    const std::vector<uint8_t> ones(4 * 4 * 4, 255);
    const std::string s2 = "uniform sampler2D s;";
    texture_rgba8(4, 4, ones.data());
    bordered(GL_TEXTURE_2D, GL_NEAREST, border);
    expect_look_up(__LINE__, s2, "texture(s, vec2(-0.1, 0.5))", all);
    expect_look_up(__LINE__, s2, "texture(s, vec2(0.1, 0.9))", white);
    expect_look_up(__LINE__, s2, "texture(s, vec2(0.5, 1.01))", all);
    expect_look_up(__LINE__, s2, "textureOffset(s, vec2(0.9, 0.5), ivec2(1, 0))", all);
    expect_look_up(__LINE__, s2, "textureProj(s, vec3(-0.2, 1, 2))", all);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
    expect_look_up(__LINE__, s2, "texture(s, vec2(0.5, 1.6))", white);
    bordered(GL_TEXTURE_2D, GL_LINEAR, border);
    expect_look_up(__LINE__, s2, "texture(s, vec2(0, 0.5))", mix(0.5f));
    expect_look_up(__LINE__, s2, "texture(s, vec2(1, 0))", mix(0.25f));
    expect_look_up(__LINE__, s2, "textureLod(s, vec2(-0.0625, 0.5), 0)", mix(0.25f));
    expect_look_up(__LINE__, s2, "textureGrad(s, vec2(0, 0.5), vec2(0.01), vec2(0.01))", mix(0.5f));
    expect_look_up(__LINE__, s2, "textureOffset(s, vec2(-0.25, 0.5), ivec2(1, 0))", mix(0.5f));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_ALPHA);
    expect_look_up(__LINE__, s2, "texture(s, vec2(-1, 0.5))", {0.8f, 0.4f, 0.6f, 0.8f});
    texture(GL_TEXTURE_2D, GL_RGBA8, 4, 4, 1, 3);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, ones.data());
    glTexSubImage2D(GL_TEXTURE_2D, 1, 0, 0, 2, 2, GL_RGBA, GL_UNSIGNED_BYTE, ones.data());
    glTexSubImage2D(GL_TEXTURE_2D, 2, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, ones.data());
    bordered(GL_TEXTURE_2D, GL_LINEAR, border);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    expect_look_up(__LINE__, s2, "textureLod(s, vec2(0.125, 0.5), 2)", mix(0.625f));
    expect_look_up(__LINE__, s2, "textureLod(s, vec2(0.125, 0.5), 1)", mix(0.75f));
    texture(GL_TEXTURE_3D, GL_RGBA8, 4, 4, 1);
    glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, 4, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE, ones.data());
    bordered(GL_TEXTURE_3D, GL_LINEAR, border);
    expect_look_up(__LINE__, "uniform sampler3D s;", "texture(s, vec3(0, 0.5, 0))", mix(0.25f));
    // A comparison with the border, and filtered comparisons.
    texture(GL_TEXTURE_2D, GL_DEPTH_COMPONENT32F, 4, 4);
    const std::vector<float> deep(16, 0.3f);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_DEPTH_COMPONENT, GL_FLOAT, deep.data());
    const float far_away[4] = {0.8f, 0, 0, 0};
    bordered(GL_TEXTURE_2D, GL_LINEAR, far_away);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    const std::string shadow = "uniform sampler2DShadow s;";
    expect_look_up(__LINE__, shadow, "vec4(texture(s, vec3(0.5, 0.5, 0.5)))", {0, 0, 0, 0});
    expect_look_up(__LINE__, shadow, "vec4(texture(s, vec3(-1, 0.5, 0.5)))", {1, 1, 1, 1});
    expect_look_up(__LINE__, shadow, "vec4(texture(s, vec3(0, 0.5, 0.5)))",
                   {0.5f, 0.5f, 0.5f, 0.5f});
    // Integers.
    texture(GL_TEXTURE_2D, GL_RGBA8UI, 4, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, ones.data());
    bordered(GL_TEXTURE_2D, GL_NEAREST, border);
    const GLuint numbers[4] = {7, 80, 200, 9};
    glTexParameterIuiv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, numbers);
    expect_look_up(__LINE__, "uniform usampler2D s;", "vec4(texture(s, vec2(0.5, -0.2)))",
                   {7, 80, 200, 9});
    expect_look_up(__LINE__, "uniform usampler2D s;", "vec4(texture(s, vec2(0.9, 0.2)))",
                   {255, 255, 255, 255});
}

// What is swizzled is the texel or the border, whichever it is, in every kind of look-up.
SCENARIO(emulated_border_swizzles) {
    target(4, 4, GL_RGBA32F);
    const float border[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    const std::vector<uint8_t> ones(4 * 4 * 4, 255);
    const std::string s2 = "uniform sampler2D s;";
    texture_rgba8(4, 4, ones.data());
    bordered(GL_TEXTURE_2D, GL_LINEAR, border);
    const GLint turned[4] = {GL_ALPHA, GL_ONE, GL_RED, GL_ZERO};
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, turned);
    const Rgba outside{0.8f, 1, 0.2f, 0}, inside{1, 1, 1, 0};
    expect_look_up(__LINE__, s2, "texture(s, vec2(-1, 0.5))", outside);
    expect_look_up(__LINE__, s2, "texture(s, vec2(0.5))", inside);
    expect_look_up(__LINE__, s2, "texture(s, vec2(0, 0.5))", {0.9f, 1, 0.6f, 0});
    expect_look_up(__LINE__, s2, "textureProj(s, vec3(-1, 0.5, 1))", outside);
    expect_look_up(__LINE__, s2, "texelFetch(s, ivec2(1, 2), 0)", inside);
    if (has_extension("GL_ARB_gpu_shader5")) { // which gathers any component
        const std::string gather = "#extension GL_ARB_gpu_shader5 : require\n" + s2;
        const std::string at = "textureGather(s, vec2(0, 0.5)";
        expect_look_up(__LINE__, gather, at + ")", {0.8f, 1, 1, 0.8f});
        expect_look_up(__LINE__, gather, at + ", 1)", {1, 1, 1, 1});
        expect_look_up(__LINE__, gather, at + ", 2)", {0.2f, 1, 1, 0.2f});
        expect_look_up(__LINE__, gather, at + ", 3)", {0, 0, 0, 0});
    }
    // The unit's own sampler object, and a colour that every host has.
    GLuint own = 0;
    const float black[4] = {0, 0, 0, 1};
    glGenSamplers(1, &own);
    for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
        glSamplerParameteri(own, wrap, GL_CLAMP_TO_BORDER);
    glSamplerParameteri(own, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glSamplerParameterfv(own, GL_TEXTURE_BORDER_COLOR, black);
    glBindSampler(0, own);
    expect_look_up(__LINE__, s2, "texture(s, vec2(-1, 0.5))", {1, 1, 0, 0});
    expect_look_up(__LINE__, s2, "texture(s, vec2(0.5))", inside);
    glBindSampler(0, 0);
    texture(GL_TEXTURE_2D, GL_RGBA8UI, 4, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, ones.data());
    bordered(GL_TEXTURE_2D, GL_NEAREST, border);
    const GLuint numbers[4] = {7, 80, 200, 9};
    glTexParameterIuiv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, numbers);
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, turned);
    expect_look_up(__LINE__, "uniform usampler2D s;", "vec4(texture(s, vec2(0.5, -0.2)))",
                   {9, 1, 7, 0});
    expect_look_up(__LINE__, "uniform usampler2D s;", "vec4(texture(s, vec2(0.5)))",
                   {255, 1, 255, 0});
}
