// SPDX-License-Identifier: MIT
// Framebuffers: multiple targets, layers, multisample, blits, read-back, completeness.
#include "scenario.h"

#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

GLuint color_texture(GLenum format, int w, int h) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, w, h);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

void quadrants(int n) {
    glEnable(GL_SCISSOR_TEST);
    const float c[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
    for (int i = 0; i < 4; i++) {
        glScissor((i & 1) * n, (i >> 1) * n, n, n);
        glClearColor(c[i][0], c[i][1], c[i][2], 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glDisable(GL_SCISSOR_TEST);
}

void expect_quadrants(int x, int y, int n) {
    EXPECT_RECT(x, y, n, n, 1, 0, 0, 1);
    EXPECT_RECT(x + n, y, n, n, 0, 1, 0, 1);
    EXPECT_RECT(x, y + n, n, n, 0, 0, 1, 1);
    EXPECT_RECT(x + n, y + n, n, n, 1, 1, 0, 1);
}

} // namespace

// A pass without colors, then one that draws into a color buffer with the same state.
SCENARIO(framebuffer_depth_only_then_color) {
    const Target color = target(8, 8);
    GLuint depth = 0, fbo = 0;
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, 8, 8);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    glEnable(GL_DEPTH_TEST);
    glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    draw_fill();
    glBindFramebuffer(GL_FRAMEBUFFER, color.fbo);
    glClear(GL_COLOR_BUFFER_BIT);
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
}

SCENARIO(framebuffer_multiple_targets) {
    GLuint fbo, t[4];
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    GLenum draw[4];
    for (int i = 0; i < 4; i++) {
        t[i] = color_texture(GL_RGBA8, 8, 8);
        draw[i] = GLenum(GL_COLOR_ATTACHMENT0 + i);
        glFramebufferTexture2D(GL_FRAMEBUFFER, draw[i], GL_TEXTURE_2D, t[i], 0);
    }
    glDrawBuffers(4, draw);
    glViewport(0, 0, 8, 8);
    glUseProgram(program(fill_vs, R"(#version 330
        layout(location = 0) out vec4 a;
        layout(location = 1) out vec4 b;
        layout(location = 2) out vec4 c;
        layout(location = 3) out vec4 d;
        void main() { a = vec4(1,0,0,1); b = vec4(0,1,0,1); c = vec4(0,0,1,1); d = vec4(1,1,0,1); })"));
    draw_fill();
    const float want[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
    for (int i = 0; i < 4; i++) {
        glReadBuffer(draw[i]);
        EXPECT_RECT(0, 0, 8, 8, want[i][0], want[i][1], want[i][2], 1);
    }
}

SCENARIO(framebuffer_permuted_draw_buffers) {
    // Outputs go to attachments in another order, with a hole; attachment 1 is untouched.
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    for (int i = 0; i < 3; i++)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GLenum(GL_COLOR_ATTACHMENT0 + i), GL_TEXTURE_2D,
                               color_texture(GL_RGBA8, 8, 8), 0);
    const GLenum all[3] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2};
    glDrawBuffers(3, all);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    const GLenum draw[3] = {GL_COLOR_ATTACHMENT2, GL_NONE, GL_COLOR_ATTACHMENT0};
    glDrawBuffers(3, draw);
    glViewport(0, 0, 8, 8);
    glUseProgram(program(fill_vs, R"(#version 330
        layout(location = 0) out vec4 a;
        layout(location = 1) out vec4 b;
        layout(location = 2) out vec4 c;
        void main() { a = vec4(1,0,0,1); b = vec4(0,1,0,1); c = vec4(0,0,1,1); })"));
    draw_fill();
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    EXPECT_RECT(0, 0, 8, 8, 0, 0, 1, 1);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    EXPECT_RECT(0, 0, 8, 8, 0, 0, 0, 1);
    glReadBuffer(GL_COLOR_ATTACHMENT2);
    EXPECT_RECT(0, 0, 8, 8, 1, 0, 0, 1);
}

SCENARIO(framebuffer_outputs_grow_without_relink) {
    // One output, then three, on one framebuffer, with two programs used in turns.
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    const GLenum draw[3] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2};
    for (const GLenum a : draw)
        glFramebufferTexture2D(GL_FRAMEBUFFER, a, GL_TEXTURE_2D, color_texture(GL_RGBA8, 4, 4), 0);
    glViewport(0, 0, 4, 4);
    const GLuint one = fill_program("vec4(1, 0, 1, 1)");
    const GLuint three = program(fill_vs, R"(#version 330
        layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; layout(location = 2) out vec4 c;
        void main() { a = vec4(1,0,0,1); b = vec4(0,1,0,1); c = vec4(0,0,1,1); })");
    glUseProgram(one);
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 1, 1);
    glUseProgram(three);
    glDrawBuffers(3, draw);
    draw_fill();
    const float want[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        glReadBuffer(draw[i]);
        EXPECT_PIXEL(1, 1, want[i][0], want[i][1], want[i][2], 1);
    }
}

SCENARIO(framebuffer_array_layer) {
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 8, 8, 4);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    for (int layer = 0; layer < 4; layer++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0, layer);
        glClearColor(float(layer) / 3, 0, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    for (int layer = 0; layer < 4; layer++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0, layer);
        EXPECT_RECT(0, 0, 8, 8, float(layer) / 3, 0, 1, 1);
    }
}

SCENARIO(framebuffer_layered_geometry) {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_RGBA8, 8, 8, 2);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GLenum(GL_FRAMEBUFFER_COMPLETE));
    glViewport(0, 0, 8, 8);
    glUseProgram(program(R"(#version 330
        void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); })",
                         R"(#version 330
        flat in int which; out vec4 o;
        void main() { o = which == 0 ? vec4(1,0,0,1) : vec4(0,0,1,1); })",
                         R"(#version 330
        layout(triangles) in;
        layout(triangle_strip, max_vertices = 6) out;
        flat out int which;
        void main() {
            for (int l = 0; l < 2; l++) {
                for (int i = 0; i < 3; i++) {
                    gl_Layer = l;
                    which = l;
                    gl_Position = gl_in[i].gl_Position;
                    EmitVertex();
                }
                EndPrimitive();
            }
        })"));
    draw_fill();
    for (int layer = 0; layer < 2; layer++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0, layer);
        EXPECT_RECT(0, 0, 8, 8, layer ? 0.0f : 1.0f, 0, layer ? 1.0f : 0.0f, 1);
    }
}

SCENARIO(framebuffer_multisample_resolve) {
    GLuint ms, rb;
    glGenFramebuffers(1, &ms);
    glBindFramebuffer(GL_FRAMEBUFFER, ms);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 16, 16);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GLenum(GL_FRAMEBUFFER_COMPLETE));
    glViewport(0, 0, 16, 16);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program(R"(#version 330
        void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); })",
                         R"(#version 330
        out vec4 o; void main() { o = vec4(1); })"));
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glDrawArrays(GL_TRIANGLES, 0, 3); // lower left half: the diagonal is covered in part
    const Target t = target(16, 16);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, ms);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, t.fbo);
    glBlitFramebuffer(0, 0, 16, 16, 0, 0, 16, 16, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
    EXPECT_PIXEL(1, 1, 1, 1, 1, 1);
    EXPECT_PIXEL(14, 14, 0, 0, 0, 1);
    const Rgba edge = pixel(8, 7);
    EXPECT(edge[0] > 0.1f && edge[0] < 0.9f);
}

SCENARIO(framebuffer_blit_scaled_mirrored) {
    const Target src = target(8, 8);
    quadrants(4);
    const Target dst = target(16, 16);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, src.fbo);
    glBlitFramebuffer(0, 0, 8, 8, 0, 0, 16, 16, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, dst.fbo);
    expect_quadrants(0, 0, 8);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, src.fbo);
    glBlitFramebuffer(0, 0, 8, 8, 16, 16, 0, 0, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST); // both axes mirrored
    glBindFramebuffer(GL_READ_FRAMEBUFFER, dst.fbo);
    EXPECT_RECT(0, 0, 8, 8, 1, 1, 0, 1);
    EXPECT_RECT(8, 8, 8, 8, 1, 0, 0, 1);
    EXPECT_RECT(8, 0, 8, 8, 0, 0, 1, 1);
}

SCENARIO(framebuffer_blit_to_default_upright) {
    const Target src = target(16, 16);
    quadrants(8);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBlitFramebuffer(0, 0, 16, 16, 4, 8, 20, 24, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    expect_quadrants(4, 8, 8);
    EXPECT_PIXEL(4, 7, 0, 0, 0, 1);
    EXPECT_PIXEL(4, 24, 0, 0, 0, 1);
    (void)src;
}

SCENARIO(framebuffer_resolve_to_default_upright) {
    GLuint ms, rb;
    glGenFramebuffers(1, &ms);
    glBindFramebuffer(GL_FRAMEBUFFER, ms);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 64, 64);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
    quadrants(32);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, 64, 64, 0, 0, 64, 64, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    expect_quadrants(0, 0, 32);
}

SCENARIO(framebuffer_blit_depth_stencil) {
    const Target src = target(8, 8, GL_RGBA8, GL_DEPTH24_STENCIL8);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.25f, 7);
    const Target dst = target(8, 8, GL_RGBA8, GL_DEPTH24_STENCIL8);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 1.0f, 0);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, src.fbo);
    glBlitFramebuffer(0, 0, 8, 4, 0, 0, 8, 4, GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, dst.fbo);
    float depth[2] = {};
    GLubyte stencil[2] = {};
    for (int i = 0; i < 2; i++) {
        glReadPixels(3, i ? 6 : 1, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth[i]);
        glReadPixels(3, i ? 6 : 1, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &stencil[i]);
    }
    EXPECT(std::fabs(depth[0] - 0.25f) < 1e-4f && std::fabs(depth[1] - 1.0f) < 1e-4f);
    EXPECT(stencil[0] == 7 && stencil[1] == 0);
}

SCENARIO(framebuffer_shared_read_buffer) {
    // The read buffer belongs to the framebuffer object, not to the binding.
    GLuint fbo[2];
    glGenFramebuffers(2, fbo);
    const GLuint red = color_texture(GL_RGBA8, 4, 4), blue = color_texture(GL_RGBA8, 4, 4);
    for (int i = 0; i < 2; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, fbo[i]);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, red, 0);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, blue, 0);
    }
    const GLenum both[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glDrawBuffers(2, both);
    const float r[4] = {1, 0, 0, 1}, b[4] = {0, 0, 1, 1};
    glClearBufferfv(GL_COLOR, 0, r);
    glClearBufferfv(GL_COLOR, 1, b);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo[0]);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo[1]);
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo[0]);
    EXPECT_PIXEL(1, 1, 0, 0, 1, 1);
}

SCENARIO(framebuffer_read_pixels_pack_state) {
    target(4, 4);
    quadrants(2);
    std::vector<uint8_t> out(8 * 8 * 4, 9);
    glPixelStorei(GL_PACK_ROW_LENGTH, 8);
    glPixelStorei(GL_PACK_SKIP_ROWS, 1);
    glPixelStorei(GL_PACK_SKIP_PIXELS, 2);
    glReadPixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, out.data());
    const auto at = [&](int x, int y) { return &out[size_t(y * 8 + x) * 4]; };
    EXPECT(at(2, 1)[0] == 255 && at(2, 1)[1] == 0);
    EXPECT(at(5, 1)[1] == 255 && at(5, 1)[0] == 0);
    EXPECT(at(2, 4)[2] == 255);
    EXPECT(at(1, 1)[0] == 9 && at(6, 1)[0] == 9 && at(2, 0)[0] == 9);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glPixelStorei(GL_PACK_SKIP_ROWS, 0);
    glPixelStorei(GL_PACK_SKIP_PIXELS, 0);
}

SCENARIO(framebuffer_read_pixels_formats) {
    target(2, 2);
    glClearColor(1.0f, 0.5f, 0.25f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    uint8_t b[4];
    glReadPixels(0, 0, 1, 1, GL_BGRA, GL_UNSIGNED_BYTE, b);
    EXPECT(b[0] == 64 && b[2] == 255);
    uint16_t s[4];
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_SHORT, s);
    EXPECT(s[0] == 65535 && std::abs(s[1] - 32767) < 300);
    uint32_t packed = 0;
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_INT_8_8_8_8, &packed);
    EXPECT(packed >> 24 == 255 && (packed & 255) == 255);
    uint16_t p565 = 0;
    glReadPixels(0, 0, 1, 1, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, &p565);
    EXPECT(p565 >> 11 == 31);
    uint8_t red = 0;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, 1, 1, GL_GREEN, GL_UNSIGNED_BYTE, &red);
    EXPECT(red == 127 || red == 128); // 0.5 lies between two bytes
}

SCENARIO(framebuffer_read_pixels_to_buffer) {
    target(4, 4);
    quadrants(2);
    const GLuint pbo = buffer(GL_PIXEL_PACK_BUFFER, nullptr, 16 + 64, GL_STREAM_READ);
    glReadPixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, reinterpret_cast<void *>(16));
    const auto *p = static_cast<const uint8_t *>(
        glMapBufferRange(GL_PIXEL_PACK_BUFFER, 16, 64, GL_MAP_READ_BIT));
    EXPECT(p && p[0] == 255 && p[1] == 0 && p[3 * 4 + 1] == 255 && p[(3 * 4) * 4 + 2] == 255);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glReadPixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, reinterpret_cast<void *>(32));
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glDeleteBuffers(1, &pbo);
}

SCENARIO(framebuffer_read_pixels_large) {
    // 4096 x 4096 RGBA32F: 256 MiB, larger than any slot of any transport.
    const Target t = target(4096, 4096, GL_RGBA32F);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 4; i++) {
        glScissor(0, i * 1024, 4096, 1024);
        const float c[4] = {float(i), -float(i) * 0.5f, 1000.0f * float(i), 1};
        glClearBufferfv(GL_COLOR, 0, c);
    }
    const std::vector<float> p = read_rgba32f(0, 0, 4096, 4096);
    for (int y = 0; y < 4096; y += 511) {
        const float i = float(y / 1024);
        const float *a = &p[(size_t(y) * 4096 + 4095) * 4];
        EXPECT(a[0] == i && a[1] == -i * 0.5f && a[2] == 1000.0f * i);
    }
    (void)t;
}

SCENARIO(framebuffer_completeness) {
    GLuint fbo;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER),
              GLenum(GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT));
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_ERROR(GL_INVALID_FRAMEBUFFER_OPERATION);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER),
              GLenum(GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT));
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GLenum(GL_FRAMEBUFFER_COMPLETE));
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 4, 4, 0, GL_DEPTH_COMPONENT, GL_FLOAT,
                 nullptr);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER),
              GLenum(GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT));
}

SCENARIO(framebuffer_delete_bound) {
    const Target t = target(8, 8);
    glDeleteFramebuffers(1, &t.fbo);
    GLint bound = -1;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    EXPECT_EQ(bound, 0);
    glViewport(0, 0, 64, 64);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(32, 32, 0, 1, 0, 1);
}

SCENARIO(framebuffer_handle_recycling) {
    for (int i = 0; i < 30; i++) {
        const Target t = target(4 + i % 3, 4);
        glClearColor(float(i) / 29, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        EXPECT_PIXEL(3, 3, float(i) / 29, 0, 0, 1);
        glDeleteFramebuffers(1, &t.fbo);
        glDeleteTextures(1, &t.color);
    }
}

SCENARIO(framebuffer_render_then_sample) {
    const Target a = target(8, 8), b = target(8, 8);
    const GLuint fill = fill_program("c", "uniform vec4 c;");
    const GLuint sample = fill_program("texture(t, uv).gbra", "uniform sampler2D t;");
    for (int i = 0; i < 6; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, a.fbo);
        glUseProgram(fill);
        glUniform4f(glGetUniformLocation(fill, "c"), float(i) / 5, 0.5f, 1, 1);
        draw_fill();
        glBindFramebuffer(GL_FRAMEBUFFER, b.fbo);
        glBindTexture(GL_TEXTURE_2D, a.color);
        glUseProgram(sample);
        draw_fill();
        EXPECT_PIXEL(4, 4, 0.5f, 1, float(i) / 5, 1);
    }
}

SCENARIO(framebuffer_formats) {
    const GLenum formats[] = {
        GL_R8,           GL_RG8,     GL_RGBA8, GL_R16,   GL_RG16,    GL_RGBA16,   GL_R16F,
        GL_RG16F,        GL_RGBA16F, GL_R32F,  GL_RG32F, GL_RGBA32F, GL_RGB10_A2, GL_R11F_G11F_B10F,
        GL_SRGB8_ALPHA8, GL_RGB5_A1, GL_RGBA4};
    for (const GLenum f : formats) {
        const Target t = target(4, 4, f);
        glClearColor(1, 0, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        const Rgba p = pixel(2, 2);
        if (!near({p[0], 0, 0, 0}, {1, 0, 0, 0}, 0.01f))
            fail(__FILE__, __LINE__, "format " + std::to_string(f) + ": " + show(p));
        glDeleteFramebuffers(1, &t.fbo);
        glDeleteTextures(1, &t.color);
    }
}

SCENARIO(framebuffer_rgba16_keeps_precision) {
    target(2, 2, GL_RGBA16);
    glClearColor(1000 / 65535.0f, 1001 / 65535.0f, 1002 / 65535.0f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    uint16_t p[4] = {};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_SHORT, p);
    EXPECT(p[0] == 1000 && p[1] == 1001 && p[2] == 1002);
}

SCENARIO(framebuffer_srgb_write) {
    target(2, 2, GL_SRGB8_ALPHA8);
    glUseProgram(fill_program("vec4(0.5, 0.5, 0.5, 0.5)"));
    glEnable(GL_FRAMEBUFFER_SRGB);
    draw_fill();
    EXPECT(std::abs(int(read_rgba8(0, 0, 1, 1)[0]) - 188) <= 1);
    glDisable(GL_FRAMEBUFFER_SRGB);
    draw_fill();
    EXPECT(std::abs(int(read_rgba8(0, 0, 1, 1)[0]) - 128) <= 1);
    EXPECT(std::abs(int(read_rgba8(0, 0, 1, 1)[3]) - 128) <= 1);
}

SCENARIO(framebuffer_invalidate) {
    target(4, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    const GLenum a[2] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT};
    if (version() < 43 && !has_extension("GL_ARB_invalidate_subdata"))
        skip("no ARB_invalidate_subdata");
    glInvalidateFramebuffer(GL_FRAMEBUFFER, 2, a);
    glClearColor(0, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 1, 1);
}
