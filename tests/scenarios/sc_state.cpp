// SPDX-License-Identifier: MIT
// Fixed-function state of 3.3: what each toggle does to pixels, and toggling itself.
#include "scenario.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

GLuint solid_program() {
    const GLuint p = fill_program("c", "uniform vec4 c;");
    glUseProgram(p);
    return p;
}

void color(GLuint p, float r, float g, float b, float a) {
    glUniform4f(glGetUniformLocation(p, "c"), r, g, b, a);
}

} // namespace

SCENARIO(state_blend_functions) {
    struct Mode {
        GLenum src, dst;
        Rgba want;
    };
    // source (0.5, 0.25, 1, 0.5) over destination (0.5, 0.5, 0.5, 1)
    const Mode modes[] = {
        {GL_ONE, GL_ZERO, {0.5f, 0.25f, 1, 0.5f}},
        {GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, {0.5f, 0.375f, 0.75f, 0.75f}},
        {GL_ONE, GL_ONE, {1, 0.75f, 1, 1}},
        {GL_DST_COLOR, GL_ZERO, {0.25f, 0.125f, 0.5f, 0.5f}},
        {GL_ZERO, GL_SRC_COLOR, {0.25f, 0.125f, 0.5f, 0.5f}},
        {GL_CONSTANT_COLOR, GL_ZERO, {0.1f, 0.1f, 0.6f, 0.4f}},
        {GL_ONE_MINUS_DST_ALPHA, GL_ONE, {0.5f, 0.5f, 0.5f, 1}},
    };
    target(4, 4);
    const GLuint p = solid_program();
    glBlendColor(0.2f, 0.4f, 0.6f, 0.8f);
    for (const Mode &m : modes) {
        glDisable(GL_BLEND);
        color(p, 0.5f, 0.5f, 0.5f, 1);
        draw_fill();
        glEnable(GL_BLEND);
        glBlendFunc(m.src, m.dst);
        color(p, 0.5f, 0.25f, 1, 0.5f);
        draw_fill();
        if (!near(pixel(1, 1), m.want, 2.5f / 255))
            fail(__FILE__, __LINE__,
                 "blend " + std::to_string(m.src) + " " + std::to_string(m.dst) + ": " +
                     show(pixel(1, 1)));
    }
}

SCENARIO(state_blend_equations) {
    target(4, 4, GL_RGBA16F);
    const GLuint p = solid_program();
    const auto run = [&](GLenum eq, float want) {
        glDisable(GL_BLEND);
        color(p, 0.5f, 0.5f, 0.5f, 0.5f);
        draw_fill();
        glEnable(GL_BLEND);
        glBlendEquation(eq);
        glBlendFunc(GL_ONE, GL_ONE);
        color(p, 0.75f, 0.75f, 0.75f, 0.75f);
        draw_fill();
        EXPECT(std::fabs(pixel(1, 1)[0] - want) < 0.01f);
    };
    run(GL_FUNC_ADD, 1.25f);
    run(GL_FUNC_SUBTRACT, 0.25f);
    run(GL_FUNC_REVERSE_SUBTRACT, -0.25f);
    run(GL_MIN, 0.5f);
    run(GL_MAX, 0.75f);
}

SCENARIO(state_blend_per_target) {
    GLuint fbo, t[2];
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    const GLenum draw[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glGenTextures(2, t);
    for (int i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D, t[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 4);
        glFramebufferTexture2D(GL_FRAMEBUFFER, draw[i], GL_TEXTURE_2D, t[i], 0);
    }
    glDrawBuffers(2, draw);
    glViewport(0, 0, 4, 4);
    glClearColor(0.25f, 0.25f, 0.25f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program(
        fill_vs, "#version 330\nlayout(location = 0) out vec4 a; layout(location = 1) out vec4 b;\n"
                 "void main() { a = b = vec4(0.5, 0.5, 0.5, 1); }"));
    glEnablei(GL_BLEND, 1);
    glBlendFunc(GL_ONE, GL_ONE);
    glColorMaski(0, GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0.5f, 0.25f, 0.5f, 1);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    EXPECT_PIXEL(1, 1, 0.75f, 0.75f, 0.75f, 1);
    EXPECT(glIsEnabledi(GL_BLEND, 1) && !glIsEnabledi(GL_BLEND, 0));
}

SCENARIO(state_depth_functions) {
    target(4, 4, GL_RGBA8, GL_DEPTH_COMPONENT24);
    const GLuint p = solid_program();
    const struct {
        GLenum func;
        bool less, equal, greater;
    } funcs[] = {{GL_NEVER, false, false, false},  {GL_LESS, true, false, false},
                 {GL_EQUAL, false, true, false},   {GL_LEQUAL, true, true, false},
                 {GL_GREATER, false, false, true}, {GL_NOTEQUAL, true, false, true},
                 {GL_GEQUAL, false, true, true},   {GL_ALWAYS, true, true, true}};
    glEnable(GL_DEPTH_TEST);
    for (const auto &f : funcs) {
        glDepthFunc(f.func);
        const double depths[3] = {0.75, 0.5, 0.25}; // stored; the fragment has 0.5
        const bool want[3] = {f.less, f.equal, f.greater};
        for (int i = 0; i < 3; i++) {
            glClearDepth(depths[i]);
            glClearColor(0, 0, 0, 1);
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
            color(p, 1, 1, 1, 1);
            draw_fill();
            if ((pixel(1, 1)[0] > 0.5f) != want[i])
                fail(__FILE__, __LINE__,
                     "depth function " + std::to_string(f.func) + " case " + std::to_string(i));
        }
    }
}

SCENARIO(state_depth_range_and_mask) {
    target(4, 4, GL_RGBA8, GL_DEPTH_COMPONENT32F);
    const GLuint p = solid_program();
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glDepthRange(0.2, 0.4);
    color(p, 1, 1, 1, 1);
    draw_fill();
    float d = 0;
    glReadPixels(1, 1, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &d);
    EXPECT(std::fabs(d - 0.3f) < 1e-4f);
    glDepthMask(GL_FALSE);
    glDepthRange(0, 1);
    draw_fill();
    glReadPixels(1, 1, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &d);
    EXPECT(std::fabs(d - 0.3f) < 1e-4f);
}

SCENARIO(state_stencil_operations) {
    target(4, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    solid_program();
    glEnable(GL_STENCIL_TEST);
    const struct {
        GLenum op;
        int start, want;
    } ops[] = {{GL_KEEP, 5, 5},        {GL_ZERO, 5, 0},        {GL_REPLACE, 5, 9},
               {GL_INCR, 255, 255},    {GL_INCR_WRAP, 255, 0}, {GL_DECR, 0, 0},
               {GL_DECR_WRAP, 0, 255}, {GL_INVERT, 0x0f, 0xf0}};
    glStencilFunc(GL_ALWAYS, 9, 0xff);
    for (const auto &o : ops) {
        glClearStencil(o.start);
        glClear(GL_STENCIL_BUFFER_BIT);
        glStencilOp(GL_KEEP, GL_KEEP, o.op);
        draw_fill();
        GLubyte s = 0;
        glReadPixels(1, 1, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &s);
        if (s != o.want)
            fail(__FILE__, __LINE__,
                 "stencil op " + std::to_string(o.op) + " gives " + std::to_string(s));
    }
}

SCENARIO(state_stencil_two_sided) {
    target(4, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    solid_program();
    glEnable(GL_STENCIL_TEST);
    glClearStencil(0);
    glClear(GL_STENCIL_BUFFER_BIT);
    glStencilFuncSeparate(GL_FRONT, GL_ALWAYS, 3, 0xff);
    glStencilFuncSeparate(GL_BACK, GL_ALWAYS, 7, 0xff);
    glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_KEEP, GL_REPLACE);
    glStencilOpSeparate(GL_BACK, GL_KEEP, GL_KEEP, GL_REPLACE);
    GLubyte s = 0;
    draw_fill();
    glReadPixels(1, 1, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &s);
    EXPECT_EQ(int(s), 3);
    glFrontFace(GL_CW);
    draw_fill();
    glReadPixels(1, 1, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &s);
    EXPECT_EQ(int(s), 7);
}

SCENARIO(state_viewport) {
    target(16, 16);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    color(solid_program(), 1, 0, 0, 1);
    glViewport(2, 3, 5, 7);
    draw_fill();
    EXPECT_RECT(2, 3, 5, 7, 1, 0, 0, 1);
    EXPECT_PIXEL(1, 3, 0, 0, 0, 1);
    EXPECT_PIXEL(7, 9, 0, 0, 0, 1);
    EXPECT_PIXEL(2, 10, 0, 0, 0, 1);
    EXPECT_PIXEL(2, 2, 0, 0, 0, 1);
    glViewport(0, 0, -1, 1);
    EXPECT_ERROR(GL_INVALID_VALUE);
}

// Each indexed viewport and scissor is its own, and one that goes back to equal the first is sent.
SCENARIO(state_viewport_array) {
    if (version() < 41 && !has_extension("GL_ARB_viewport_array"))
        skip("no GL_ARB_viewport_array");
    target(16, 16);
    glUseProgram(program(R"(#version 330
        void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); })",
                         R"(#version 330
        flat in int which; out vec4 o;
        void main() { o = vec4(which == 0, which == 1, which == 2, 1); })",
                         R"(#version 330
        #extension GL_ARB_viewport_array : require
        layout(triangles) in;
        layout(triangle_strip, max_vertices = 9) out;
        flat out int which;
        void main() {
            for (int l = 0; l < 3; l++) {
                for (int i = 0; i < 3; i++) {
                    gl_ViewportIndex = l;
                    which = l;
                    gl_Position = gl_in[i].gl_Position;
                    EmitVertex();
                }
                EndPrimitive();
            }
        })"));
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glViewport(0, 0, 4, 4);
    glViewportIndexedf(1, 4, 0, 4, 4);
    glViewportIndexedf(2, 0, 8, 8, 8);
    glEnablei(GL_SCISSOR_TEST, 2);
    glScissorIndexed(2, 2, 8, 2, 8);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
    EXPECT_RECT(4, 0, 4, 4, 0, 1, 0, 1);
    EXPECT_RECT(2, 8, 2, 8, 0, 0, 1, 1);
    EXPECT_PIXEL(1, 8, 0, 0, 0, 1);
    EXPECT_PIXEL(4, 8, 0, 0, 0, 1);
    glViewport(8, 8, 8, 8);
    glDisablei(GL_SCISSOR_TEST, 2);
    draw_fill();
    EXPECT_RECT(8, 8, 8, 8, 0, 0, 1, 1);
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
}

SCENARIO(state_viewport_of_default_framebuffer) {
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    color(solid_program(), 0, 1, 0, 1);
    glViewport(10, 4, 20, 8);
    draw_fill();
    EXPECT_RECT(10, 4, 20, 8, 0, 1, 0, 1);
    EXPECT_PIXEL(10, 3, 0, 0, 0, 1);
    EXPECT_PIXEL(10, 12, 0, 0, 0, 1);
}

SCENARIO(state_scissor) {
    target(16, 16);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    color(solid_program(), 1, 1, 0, 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(4, 5, 3, 2);
    draw_fill();
    EXPECT_RECT(4, 5, 3, 2, 1, 1, 0, 1);
    EXPECT_PIXEL(4, 4, 0, 0, 0, 1);
    EXPECT_PIXEL(7, 5, 0, 0, 0, 1);
    glScissor(0, 0, 0, 0);
    color(GLuint([] {
              GLint p;
              glGetIntegerv(GL_CURRENT_PROGRAM, &p);
              return p;
          }()),
          0, 0, 1, 1);
    draw_fill(); // an empty scissor draws nothing
    EXPECT_PIXEL(4, 5, 1, 1, 0, 1);
}

SCENARIO(state_color_mask) {
    target(4, 4);
    glClearColor(0.25f, 0.25f, 0.25f, 0.25f);
    glClear(GL_COLOR_BUFFER_BIT);
    glColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    color(solid_program(), 1, 1, 1, 1);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0.25f, 1, 0.25f, 1);
}

SCENARIO(state_toggles) {
    // A hundred draws that switch one state on and off: only the right ones may show it.
    target(100, 1);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    const GLuint p = solid_program();
    color(p, 0.5f, 0, 0, 1);
    glBlendFunc(GL_ONE, GL_ONE);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 100; i++) {
        glScissor(i, 0, 1, 1);
        draw_fill();
        if (i % 3 == 0)
            glEnable(GL_BLEND);
        else
            glDisable(GL_BLEND);
        draw_fill();
        glDisable(GL_BLEND);
    }
    for (int i = 0; i < 100; i++)
        EXPECT_PIXEL(i, 0, i % 3 == 0 ? 1.0f : 0.5f, 0, 0, 1);
}

SCENARIO(state_polygon_offset) {
    target(4, 4, GL_RGBA8, GL_DEPTH_COMPONENT24);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    const GLuint p = solid_program();
    color(p, 1, 0, 0, 1);
    draw_fill();
    color(p, 0, 1, 0, 1);
    draw_fill(); // equal depth: fails GL_LESS
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(0, -16);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
}

SCENARIO(state_depth_clamp) {
    target(4, 4, GL_RGBA8, GL_DEPTH_COMPONENT24);
    if (version() < 32 && !has_extension("GL_ARB_depth_clamp"))
        skip("no ARB_depth_clamp");
    glUseProgram(program("#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
                         "gl_VertexID >> 1) * 2.0 - 1.0, 3.0, 1); }",
                         "#version 330\nout vec4 o; void main() { o = vec4(1, 0, 0, 1); }"));
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 0, 0, 1);
    glEnable(GL_DEPTH_CLAMP);
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
}

SCENARIO(state_depth_clamp_and_range) {
    // Depth is clamped to the range of the viewport before the test and the write, in slopes, in
    // what a geometry stage would see as well as in what the shader writes itself.
    need(32, "GL_ARB_depth_clamp");
    target(8, 8, GL_RGBA8, GL_DEPTH_COMPONENT24);
    glEnable(GL_DEPTH_CLAMP);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    const auto depth = [](int x) {
        GLfloat d = -1;
        glReadPixels(x, 4, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &d);
        return d;
    };
    const char *const slope = R"(#version 330
        void main() {
            vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
            gl_Position = vec4(p, p.x * 2.0, 1) * (p.y > 0.0 ? 2.0 : 1.0);
        })";
    glUseProgram(program(slope, "#version 330\nout vec4 o; void main() { o = vec4(1); }"));
    draw_fill();
    EXPECT(depth(0) == 0);
    EXPECT(depth(7) == 1);
    EXPECT(std::fabs(depth(4) - (0.5f + 0.125f)) < 0.01f);
    glDepthRange(0.75, 0.25);
    draw_fill();
    EXPECT(std::fabs(depth(0) - 0.75f) < 0.001f);
    EXPECT(std::fabs(depth(7) - 0.25f) < 0.001f);
    EXPECT(std::fabs(depth(4) - (0.5f - 0.0625f)) < 0.01f);
    glUseProgram(program(slope, "#version 330\nout vec4 o; void main() { o = vec4(1); "
                                "gl_FragDepth = gl_FragCoord.x > 4.0 ? 0.9 : 0.5; }"));
    draw_fill();
    EXPECT(std::fabs(depth(1) - 0.5f) < 0.001f);
    EXPECT(std::fabs(depth(7) - 0.75f) < 0.001f);
    glDepthRange(0, 1);
    glUseProgram(program("#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
                         "gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); }",
                         "#version 330\nout vec4 o; void main() { o = vec4(1); }"));
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(0, 1 << 20); // the unit is the host's to choose
    draw_fill();
    EXPECT(depth(4) > 0.52f && depth(4) < 0.95f);
}

SCENARIO(state_sample_mask) {
    GLuint ms, rb;
    glGenFramebuffers(1, &ms);
    glBindFramebuffer(GL_FRAMEBUFFER, ms);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 4, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
    glViewport(0, 0, 4, 4);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_SAMPLE_MASK);
    glSampleMaski(0, 0x3);
    color(solid_program(), 1, 1, 1, 1);
    draw_fill();
    const Target t = target(4, 4);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, ms);
    glBlitFramebuffer(0, 0, 4, 4, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, t.fbo);
    EXPECT(std::fabs(pixel(1, 1)[0] - 0.5f) < 0.02f);
}

SCENARIO(state_provoking_vertex) {
    target(4, 4);
    glUseProgram(program("#version 330\nflat out vec4 c; void main() { vec2 p = vec2(gl_VertexID & "
                         "1, gl_VertexID >> 1) * 4.0 - 1.0;\n"
                         "c = vec4(gl_VertexID == 0, gl_VertexID == 1, gl_VertexID == 2, 1); "
                         "gl_Position = vec4(p, 0, 1); }",
                         "#version 330\nflat in vec4 c; out vec4 o; void main() { o = c; }"));
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT_PIXEL(0, 0, 0, 0, 1, 1); // the last by default
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT_PIXEL(0, 0, 1, 0, 0, 1);
}

SCENARIO(state_get_round_trips) {
    GLfloat f[4];
    GLint i[4];
    GLboolean b[4];
    glBlendColor(0.25f, 0.5f, 0.75f, 1);
    glGetFloatv(GL_BLEND_COLOR, f);
    EXPECT(f[0] == 0.25f && f[3] == 1);
    glGetIntegerv(GL_BLEND_COLOR, i);
    EXPECT(i[3] == 0x7fffffff);
    glDepthFunc(GL_GEQUAL);
    glGetIntegerv(GL_DEPTH_FUNC, i);
    EXPECT_EQ(i[0], GL_GEQUAL);
    glViewport(1, 2, 3, 4);
    glGetIntegerv(GL_VIEWPORT, i);
    EXPECT(i[0] == 1 && i[1] == 2 && i[2] == 3 && i[3] == 4);
    glGetFloatv(GL_VIEWPORT, f);
    EXPECT(f[2] == 3);
    glColorMask(1, 0, 1, 0);
    glGetBooleanv(GL_COLOR_WRITEMASK, b);
    EXPECT(b[0] && !b[1] && b[2] && !b[3]);
    glEnable(GL_CULL_FACE);
    glGetBooleanv(GL_CULL_FACE, b);
    EXPECT(b[0] == GL_TRUE);
    glStencilFuncSeparate(GL_BACK, GL_LESS, 3, 0x55);
    glGetIntegerv(GL_STENCIL_BACK_VALUE_MASK, i);
    EXPECT_EQ(i[0], 0x55);
    glPolygonOffset(1.5f, 2.5f);
    glGetFloatv(GL_POLYGON_OFFSET_FACTOR, f);
    EXPECT(f[0] == 1.5f);
    GLint64 big = 0;
    glGetInteger64v(GL_MAX_ELEMENT_INDEX, &big);
    EXPECT(big >= (1 << 24) - 1);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, i);
    EXPECT(i[0] >= 1024);
    glGetIntegerv(0x1, i);
    EXPECT_ERROR(GL_INVALID_ENUM);
}

SCENARIO(state_strings) {
    const std::string v = reinterpret_cast<const char *>(glGetString(GL_VERSION));
    EXPECT(v.size() > 3 && isdigit(v[0]) && v[1] == '.' && isdigit(v[2]));
    EXPECT(v[0] - '0' == version() / 10 && v[2] - '0' == version() % 10);
    const std::string glsl =
        reinterpret_cast<const char *>(glGetString(GL_SHADING_LANGUAGE_VERSION));
    EXPECT(glsl.size() >= 4 && isdigit(glsl[0]) && glsl[1] == '.');
    EXPECT(version() >= 31);
    // Programs take a vendor "Mesa" for a software renderer.
    const std::string vendor = reinterpret_cast<const char *>(glGetString(GL_VENDOR));
    EXPECT(!vendor.empty() && (vendor.find("Mesa") == std::string::npos || driver() == "native"));
    GLint n = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &n);
    std::vector<std::string> names;
    for (GLint i = 0; i < n; i++) {
        const std::string e =
            reinterpret_cast<const char *>(glGetStringi(GL_EXTENSIONS, GLuint(i)));
        EXPECT(std::find(names.begin(), names.end(), e) == names.end());
        names.push_back(e);
    }
    EXPECT(glGetString(GL_EXTENSIONS) == nullptr);
    EXPECT_ERROR(GL_INVALID_ENUM);
    EXPECT(glGetStringi(GL_EXTENSIONS, GLuint(n)) == nullptr);
    EXPECT_ERROR(GL_INVALID_VALUE);
}

SCENARIO(state_errors_are_sticky_and_first) {
    glEnable(0x1);
    glViewport(0, 0, -1, -1);
    EXPECT_ERROR(GL_INVALID_ENUM);
    EXPECT_ERROR(GL_NO_ERROR);
    glBlendFunc(0x1234, GL_ONE);
    EXPECT_ERROR(GL_INVALID_ENUM);
    glLineWidth(0);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glCullFace(GL_CW);
    EXPECT_ERROR(GL_INVALID_ENUM);
}

SCENARIO(state_debug_output) {
    static int calls;
    static std::string last;
    calls = 0;
    if (version() < 43 && !has_extension("GL_KHR_debug"))
        skip("no KHR_debug");
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(
        [](GLenum, GLenum type, GLuint, GLenum, GLsizei, const GLchar *text, const void *user) {
            calls += type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_MARKER;
            last = text;
            EXPECT(user == &calls);
        },
        &calls);
    glEnable(0x1);
    EXPECT_ERROR(GL_INVALID_ENUM);
    EXPECT(calls == 1);
    glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_MARKER, 7,
                         GL_DEBUG_SEVERITY_HIGH, -1, "hello");
    EXPECT(calls == 2 && last == "hello");
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, "group");
    glPopDebugGroup();
    glPopDebugGroup();
    EXPECT_ERROR(GL_STACK_UNDERFLOW);
    const GLuint b = buffer(GL_ARRAY_BUFFER, nullptr, 4);
    glObjectLabel(GL_BUFFER, b, -1, "my buffer");
    char label[32] = "";
    GLsizei n = 0;
    glGetObjectLabel(GL_BUFFER, b, sizeof label, &n, label);
    EXPECT(!strcmp(label, "my buffer") && n == 9);
    glDebugMessageCallback(nullptr, nullptr);
}

SCENARIO(state_same_sampler_again) {
    // The same sampler, texture and program bound before each of a hundred draws: tests/golden says
    // that nothing is sent for it.
    target(4, 4);
    const uint8_t red[4] = {255, 0, 0, 255};
    const GLuint t = texture_rgba8(1, 1, red);
    const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
    GLuint s, vao;
    glGenSamplers(1, &s);
    glSamplerParameteri(s, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    for (int i = 0; i < 100; i++) {
        glBindSampler(0, 0);
        glBindSampler(0, s);
        glBindTexture(GL_TEXTURE_2D, 0);
        glBindTexture(GL_TEXTURE_2D, t);
        glUseProgram(0);
        glUseProgram(p);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
}
