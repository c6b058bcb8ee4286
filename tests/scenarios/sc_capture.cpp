// SPDX-License-Identifier: MIT
// Transform feedback: what is captured, where it goes, and counts of what was drawn.
#include "scenario.h"

#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

// Captures `count` points into a new buffer of `floats` floats at binding 0.
std::vector<float> captured(GLenum mode, int count, size_t floats) {
    std::vector<float> out(floats, -99);
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, out.data(), floats * 4, GL_STREAM_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    vertex_array();
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(mode);
    glDrawArrays(mode, 0, count);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, GLsizeiptr(floats * 4), out.data());
    glDeleteBuffers(1, &b);
    return out;
}

void expect_floats(int line, const std::vector<float> &got, const std::vector<float> &want) {
    for (size_t i = 0; i < want.size(); i++)
        if (i >= got.size() || got[i] != want[i]) {
            fail(__FILE__, line,
                 "value " + std::to_string(i) + " is " +
                     std::to_string(i < got.size() ? got[i] : 0) + ", want " +
                     std::to_string(want[i]));
            return;
        }
}

const char *const line_gs =
    "#version 330\nlayout(points) in;\nlayout(line_strip, max_vertices = 3) "
    "out;\nin float n[]; out float g;\nvoid main() { for (int i = 0; i < 3; "
    "i++) { g = n[0] * 10.0 + float(i); gl_Position = vec4(0); "
    "EmitVertex(); } EndPrimitive(); }";
const char *const number_vs =
    "#version 330\nout float n; void main() { n = float(gl_VertexID); gl_Position = vec4(0); }";

GLuint result(GLuint query) {
    GLuint r = 0xdead;
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &r);
    return r;
}

} // namespace

SCENARIO(capture_elements_members_and_unread) {
    // One element of an array, a member of a struct, and a varying no stage reads.
    const std::string vs = R"(#version 330
        struct S { float a; vec2 b; };
        out float list[3];
        out S s;
        out vec3 unread;
        void main() {
            float n = float(gl_VertexID);
            list[0] = n; list[1] = n + 10.0; list[2] = n + 20.0;
            s.a = n + 30.0; s.b = vec2(n + 40.0, n + 50.0);
            unread = vec3(n + 60.0);
            gl_Position = vec4(n);
        })";
    glUseProgram(capture_program(vs, "", {"list[2]", "s.b", "unread", "gl_Position"}));
    const std::vector<float> got = captured(GL_POINTS, 2, 20);
    expect_floats(__LINE__, got,
                  {20, 40, 50, 60, 60, 60, 0, 0, 0, 0, 21, 41, 51, 61, 61, 61, 1, 1, 1, 1});
    glUseProgram(capture_program(vs, "", {"list", "s.a"}));
    expect_floats(__LINE__, captured(GL_POINTS, 2, 8), {0, 10, 20, 30, 1, 11, 21, 31});
}

SCENARIO(capture_doubles_and_placed_members) {
    // A pair of doubles, and a member of a struct whose location the shader gives.
    const bool doubles = version() >= 40 || has_extension("GL_ARB_gpu_shader_fp64");
    const bool places = version() >= 41 || has_extension("GL_ARB_separate_shader_objects");
    if (!doubles && !places)
        skip("neither doubles nor locations of varyings");
    if (places) {
        glUseProgram(capture_program("#version 330\n#extension GL_ARB_separate_shader_objects : "
                                     "require\nstruct S { float a; vec2 b; };\n"
                                     "layout(location = 3) out S s;\n"
                                     "layout(location = 1) out float f;\n"
                                     "void main() { float n = float(gl_VertexID); s.a = n; s.b = "
                                     "vec2(n + 1.0, n + 2.0); f = n + 3.0; gl_Position = vec4(0); }",
                                     "", {"s.b", "f", "s.a"}));
        expect_floats(__LINE__, captured(GL_POINTS, 2, 8), {1, 2, 3, 0, 2, 3, 4, 1});
    }
    if (doubles) {
        glUseProgram(capture_program("#version 330\n#extension GL_ARB_gpu_shader_fp64 : require\n"
                                     "out dvec2 d; out float f;\nvoid main() { d = dvec2(1.0lf / "
                                     "3.0lf, gl_VertexID); f = 7.0; gl_Position = vec4(0); }",
                                     "", {"d", "f"}));
        // Doubles lie at multiples of eight bytes: three floats would not do.
        const std::vector<float> got = captured(GL_POINTS, 1, 6);
        double d[2];
        memcpy(d, got.data(), sizeof d);
        EXPECT(d[0] == 1.0 / 3 && d[1] == 0);
        EXPECT_EQ(got[4], 7.0f);
    }
}

SCENARIO(capture_clip_distances) {
    glUseProgram(
        capture_program("#version 330\nout float gl_ClipDistance[3];\nvoid main() { for (int "
                        "i = 0; i < 3; i++) gl_ClipDistance[i] = float(gl_VertexID * 10 + i); "
                        "gl_Position = vec4(0); }",
                        "", {"gl_ClipDistance"}));
    expect_floats(__LINE__, captured(GL_POINTS, 2, 6), {0, 1, 2, 10, 11, 12});
}

SCENARIO(capture_gaps_in_several_buffers) {
    // Words between the varyings stay; what has no room in one buffer goes into none.
    need(44, "GL_ARB_enhanced_layouts");
    glUseProgram(program(R"(#version 330
        #extension GL_ARB_enhanced_layouts : require
        layout(xfb_buffer = 0, xfb_stride = 24) out;
        layout(xfb_buffer = 1, xfb_stride = 16) out;
        layout(xfb_buffer = 0, xfb_offset = 4) out vec2 a;
        layout(xfb_buffer = 0, xfb_offset = 16) out float b;
        layout(xfb_buffer = 1, xfb_offset = 4) out float c;
        layout(xfb_buffer = 1, xfb_offset = 8) flat out int d;
        void main() {
            float n = float(gl_VertexID);
            a = vec2(n + 10.0, n + 20.0); b = n + 30.0; c = n + 40.0; d = floatBitsToInt(n + 50.0);
            gl_Position = vec4(0);
        })",
                         "#version 330\nvoid main() {}"));
    std::vector<float> first(32, -99), second(16, -99);
    const GLuint one = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, first.data(), 128, GL_STREAM_READ);
    const GLuint two = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, second.data(), 64, GL_STREAM_READ);
    glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, one, 8, 120);
    glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 1, two, 0, 48);
    vertex_array();
    GLuint q = 0;
    glGenQueries(1, &q);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 2);
    glDrawArrays(GL_POINTS, 2, 4);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    EXPECT_EQ(result(q), 3u);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 64, second.data());
    expect_floats(__LINE__, second,
                  {-99, 40, 50, -99, -99, 41, 51, -99, -99, 42, 52, -99, -99, -99, -99, -99});
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, one);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 128, first.data());
    expect_floats(__LINE__, first, {-99, -99, -99, 10,  20, -99, 30,  -99, -99, 11,  21,
                                    -99, 31,  -99, -99, 12, 22,  -99, 32,  -99, -99, -99});
    EXPECT_ERROR(GL_NO_ERROR);
}

SCENARIO(capture_matrices_and_integers) {
    glUseProgram(capture_program("#version 330\nout mat2x3 m; flat out ivec2 k; flat out uint u;\n"
                                 "void main() { m = mat2x3(1, 2, 3, 4, 5, 6); k = ivec2(-1, "
                                 "gl_VertexID); u = 7u; gl_Position = vec4(0); }",
                                 "", {"m", "k", "u"}));
    const std::vector<float> got = captured(GL_POINTS, 1, 9);
    expect_floats(__LINE__, {got.begin(), got.begin() + 6}, {1, 2, 3, 4, 5, 6});
    const auto *k = reinterpret_cast<const int32_t *>(&got[6]);
    EXPECT(k[0] == -1 && k[1] == 0 && k[2] == 7);
}

SCENARIO(capture_each_primitive) {
    // Strips, fans and loops come out as lists, in order.
    glUseProgram(capture_program(number_vs, "", {"n"}));
    const struct {
        GLenum draw, capture;
        int count;
        std::vector<float> want;
    } cases[] = {
        {GL_LINES, GL_LINES, 4, {0, 1, 2, 3}},
        {GL_LINE_STRIP, GL_LINES, 3, {0, 1, 1, 2}},
        {GL_LINE_LOOP, GL_LINES, 3, {0, 1, 1, 2, 2, 0}},
        {GL_TRIANGLES, GL_TRIANGLES, 6, {0, 1, 2, 3, 4, 5}},
        {GL_TRIANGLE_FAN, GL_TRIANGLES, 4, {0, 1, 2, 0, 2, 3}},
        {GL_POINTS, GL_POINTS, 3, {0, 1, 2}},
    };
    for (const auto &c : cases) {
        std::vector<float> out(c.want.size() + 2, -99);
        const GLuint b =
            buffer(GL_TRANSFORM_FEEDBACK_BUFFER, out.data(), out.size() * 4, GL_STREAM_READ);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
        vertex_array();
        glEnable(GL_RASTERIZER_DISCARD);
        glBeginTransformFeedback(c.capture);
        glDrawArrays(c.draw, 0, c.count);
        glEndTransformFeedback();
        glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, GLsizeiptr(out.size() * 4), out.data());
        std::vector<float> want = c.want;
        want.push_back(-99);
        expect_floats(__LINE__, out, want);
    }
}

SCENARIO(capture_appends_and_pauses) {
    const GLuint p = capture_program(number_vs, "", {"n"});
    glUseProgram(p);
    vertex_array();
    std::vector<float> out(8, -99);
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, out.data(), 32, GL_STREAM_READ);
    glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b, 4, 28);
    const bool pauses = version() >= 40 || has_extension("GL_ARB_transform_feedback2");
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 2);
    if (pauses) {
        glPauseTransformFeedback();
        glDrawArrays(GL_POINTS, 100, 5); // not captured
        glResumeTransformFeedback();
    }
    glDrawArrays(GL_POINTS, 5, 2);
    glEndTransformFeedback();
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 32, out.data());
    expect_floats(__LINE__, out, {-99, 0, 1, 5, 6, -99, -99, -99});
}

SCENARIO(capture_geometry_output) {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    glUseProgram(capture_program(number_vs, line_gs, {"g"}));
    vertex_array();
    std::vector<float> out(10, -99);
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, out.data(), 40, GL_STREAM_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    GLuint q[2];
    glGenQueries(2, q);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_PRIMITIVES_GENERATED, q[0]);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q[1]);
    glBeginTransformFeedback(GL_LINES);
    glDrawArrays(GL_POINTS, 0, 3); // six lines, room for five
    glEndTransformFeedback();
    glEndQuery(GL_PRIMITIVES_GENERATED);
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 40, out.data());
    expect_floats(__LINE__, out, {0, 1, 1, 2, 10, 11, 11, 12, 20, 21});
    EXPECT_EQ(result(q[0]), 6u);
    EXPECT_EQ(result(q[1]), 5u);
}

// As many outputs as one capture may name, gl_Position with them.
SCENARIO(capture_as_much_as_allowed) {
    GLint most = 0, varying = 0;
    glGetIntegerv(GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, &most);
    glGetIntegerv(GL_MAX_VARYING_COMPONENTS, &varying);
    const int count = std::min(most / 4 - 1, varying / 4);
    std::string outs, sets;
    std::vector<std::string> names;
    std::vector<float> want;
    for (int i = 0; i < count; i++) {
        names.push_back("v" + std::to_string(i));
        outs += "out vec4 " + names.back() + ";\n";
        sets += names.back() + " = vec4(" + std::to_string(i * 4) + ", 1, 2, 3);\n";
        want.insert(want.end(), {float(i * 4), 1, 2, 3});
    }
    names.push_back("gl_Position");
    sets += "gl_Position = vec4(0.5, 0.25, -0.75, 1);\n";
    want.insert(want.end(), {0.5f, 0.25f, -0.75f, 1});
    std::vector<const char *> list;
    for (const std::string &n : names)
        list.push_back(n.c_str());
    const std::string head = "#version 330\n";
    glUseProgram(capture_program(head + outs + "void main() {\n" + sets + "}\n", "", list));
    expect_floats(__LINE__, captured(GL_POINTS, 1, want.size()), want);
    if (version() < 32)
        return;
    const std::string gs = head + "layout(points) in;\nlayout(points, max_vertices = 1) out;\n" +
                           outs + "void main() {\n" + sets + "EmitVertex();\n}\n";
    glUseProgram(capture_program(number_vs, gs, list));
    expect_floats(__LINE__, captured(GL_POINTS, 1, want.size()), want);
}

SCENARIO(capture_feeds_the_next_draw) {
    // Sixty frames of ping and pong between two buffers, each the vertices of the next.
    const GLuint p = capture_program("#version 330\nlayout(location = 0) in vec2 a; out vec2 v;\n"
                                     "void main() { v = vec2(a.x + 1.0, a.y * 2.0); if (v.y > 8.0) "
                                     "v.y = 1.0; gl_Position = vec4(0); }",
                                     "", {"v"});
    glUseProgram(p);
    const float start[8] = {0, 1, 100, 2, 200, 4, 300, 8};
    GLuint b[2], vao[2];
    for (int i = 0; i < 2; i++) {
        b[i] = buffer(GL_ARRAY_BUFFER, start, sizeof start, GL_DYNAMIC_COPY);
        vao[i] = vertex_array();
        glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
        glEnableVertexAttribArray(0);
    }
    glEnable(GL_RASTERIZER_DISCARD);
    for (int frame = 0; frame < 60; frame++) {
        glBindVertexArray(vao[frame & 1]);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b[1 - (frame & 1)]);
        glBeginTransformFeedback(GL_POINTS);
        glDrawArrays(GL_POINTS, 0, 4);
        glEndTransformFeedback();
    }
    std::vector<float> out(8);
    glBindBuffer(GL_ARRAY_BUFFER, b[0]);
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, 32, out.data());
    expect_floats(__LINE__, out, {60, 1, 160, 2, 260, 4, 360, 8});
}

SCENARIO(capture_separate_lists_and_ranges) {
    // Two variables, each to a range of one buffer.
    glUseProgram(
        capture_program("#version 330\nout vec2 a; out float c;\nvoid main() { a = "
                        "vec2(gl_VertexID, 5); c = float(gl_VertexID) + 0.5; gl_Position = "
                        "vec4(0); }",
                        "", {"a", "c"}, GL_SEPARATE_ATTRIBS));
    vertex_array();
    std::vector<float> out(12, -99);
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, out.data(), 48, GL_STREAM_READ);
    glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b, 16, 16);
    glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 1, b, 0, 8);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 2);
    glEndTransformFeedback();
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 48, out.data());
    expect_floats(__LINE__, out, {0.5f, 1.5f, -99, -99, 0, 5, 1, 5, -99, -99, -99, -99});
}

SCENARIO(capture_draws_by_its_own_count) {
    // The count is that of the capture which was ended last, also while a new one of the same
    // object runs; a capture of nothing leaves nothing to draw.
    need(40, "GL_ARB_transform_feedback2");
    const auto entry =
        reinterpret_cast<void (*)(GLenum, GLuint)>(eglGetProcAddress("glDrawTransformFeedback"));
    glUseProgram(capture_program("#version 330\nlayout(location = 0) in float a; out float v;\n"
                                 "void main() { v = a * 2.0; gl_Position = vec4(0); }",
                                 "", {"v"}));
    const float start[4] = {1, 2, 3, 4};
    GLuint x = 0, b[2], vao[2];
    glGenTransformFeedbacks(1, &x);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, x);
    for (int i = 0; i < 2; i++) {
        b[i] = buffer(GL_ARRAY_BUFFER, start, sizeof start, GL_DYNAMIC_COPY);
        vao[i] = vertex_array();
        glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, nullptr);
        glEnableVertexAttribArray(0);
    }
    glEnable(GL_RASTERIZER_DISCARD);
    for (int n = 0; n < 5; n++) {
        glBindVertexArray(vao[n & 1]);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b[1 - (n & 1)]);
        glBeginTransformFeedback(GL_POINTS);
        if (n == 0)
            glDrawArrays(GL_POINTS, 0, 3);
        else if (n != 3)
            entry(GL_POINTS, x);
        glEndTransformFeedback();
    }
    std::vector<float> out(4);
    glBindBuffer(GL_ARRAY_BUFFER, b[1]);
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, 16, out.data());
    expect_floats(__LINE__, out, {8, 16, 24, 4}); // the third; the fifth drew none
    EXPECT_ERROR(GL_NO_ERROR);
}

SCENARIO(capture_draws_by_the_count_of_a_stream) {
    need(40, "GL_ARB_transform_feedback3");
    need(40, "GL_ARB_gpu_shader5");
    const auto entry = reinterpret_cast<void (*)(GLenum, GLuint, GLuint)>(
        eglGetProcAddress("glDrawTransformFeedbackStream"));
    glUseProgram(capture_program(number_vs,
                                 "#version 330\n"
                                 "#extension GL_ARB_gpu_shader5 : require\n"
                                 "layout(points) in;\n"
                                 "layout(points, max_vertices = 4) out;\n"
                                 "layout(stream = 0) out float a;\n"
                                 "layout(stream = 1) out vec2 b;\n"
                                 "in float n[];\n"
                                 "void main() {\n"
                                 "    a = n[0];\n"
                                 "    EmitStreamVertex(0);\n"
                                 "    for (int i = 0; i < 3; i++) {\n"
                                 "        b = vec2(n[0], i);\n"
                                 "        EmitStreamVertex(1);\n"
                                 "    }\n"
                                 "}",
                                 {"a", "gl_NextBuffer", "b"}));
    vertex_array();
    GLuint x = 0, q = 0;
    glGenTransformFeedbacks(1, &x);
    glGenQueries(1, &q);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, x);
    for (GLuint i = 0; i < 2; i++)
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i,
                         buffer(GL_TRANSFORM_FEEDBACK_BUFFER, nullptr, 256, GL_DYNAMIC_COPY));
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 5);
    glEndTransformFeedback();
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
    glUseProgram(program(number_vs, "#version 330\nout vec4 o; void main() { o = vec4(1); }"));
    const GLuint want[2] = {5, 15};
    for (GLuint stream = 0; stream < 2; stream++) {
        glBeginQuery(GL_PRIMITIVES_GENERATED, q);
        entry(GL_POINTS, x, stream);
        glEndQuery(GL_PRIMITIVES_GENERATED);
        EXPECT_EQ(result(q), want[stream]);
    }
    EXPECT_ERROR(GL_NO_ERROR);
    entry(GL_POINTS, x, 4096);
    EXPECT_ERROR(GL_INVALID_VALUE);
}

SCENARIO(capture_count_of_a_loop) {
    need(40, "GL_ARB_transform_feedback2");
    const auto entry =
        reinterpret_cast<void (*)(GLenum, GLuint)>(eglGetProcAddress("glDrawTransformFeedback"));
    const GLuint corners =
        capture_program("#version 330\nout vec2 v; void main() { v = vec2(gl_VertexID & 1, "
                        "gl_VertexID >> 1) - 0.5; "
                        "if (gl_VertexID > 1) v.x = -v.x; gl_Position = vec4(0); }",
                        "", {"v"});
    GLuint x = 0;
    glGenTransformFeedbacks(1, &x);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, x);
    const GLuint b = buffer(GL_ARRAY_BUFFER, nullptr, 64, GL_DYNAMIC_COPY);
    vertex_array();
    glUseProgram(corners);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 4);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    target(16, 16);
    clear_color(0, 0, 0, 1);
    vertex_array();
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    glUseProgram(
        program("#version 330\nlayout(location = 0) in vec2 p; void main() { gl_Position = "
                "vec4(p + 0.03, 0, 1); }",
                "#version 330\nout vec4 o; void main() { o = vec4(1); }"));
    entry(GL_LINE_LOOP, x);
    EXPECT_PIXEL(8, 8, 0, 0, 0, 1);
    EXPECT_PIXEL(8, 4, 1, 1, 1, 1); // the four sides
    EXPECT_PIXEL(8, 12, 1, 1, 1, 1);
    EXPECT_PIXEL(4, 8, 1, 1, 1, 1);
    EXPECT_PIXEL(12, 8, 1, 1, 1, 1);
}

SCENARIO(count_statistics_together) {
    // Two statistics at once and a third that begins between; a strip that restarts stays a strip.
    need(46, "GL_ARB_pipeline_statistics_query");
    constexpr GLenum vertices = 0x82EE, primitives = 0x82EF, invocations = 0x82F0;
    target(8, 8);
    const float at[12] = {-1, -1, 1, -1, -1, 1, 1, 1, -1, -1, 1, 1};
    buffer(GL_ARRAY_BUFFER, at, sizeof at);
    vertex_array();
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    const uint16_t index[7] = {0, 1, 2, 3, 9, 4, 5};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(9);
    glUseProgram(fill_program("vec4(1)"));
    GLuint q[3];
    glGenQueries(3, q);
    const auto draw = [] { glDrawElements(GL_TRIANGLE_STRIP, 7, GL_UNSIGNED_SHORT, nullptr); };
    glBeginQuery(vertices, q[0]);
    glBeginQuery(primitives, q[1]);
    draw();
    glBeginQuery(invocations, q[2]);
    draw();
    glEndQuery(vertices);
    draw();
    glEndQuery(primitives);
    glEndQuery(invocations);
    EXPECT(result(q[0]) == 12 || result(q[0]) == 8); // incomplete primitives may count or not
    EXPECT_EQ(result(q[1]), 6u);
    EXPECT(result(q[2]) >= 8 && result(q[2]) <= 12);
}

SCENARIO(count_primitives_without_capture) {
    target(8, 8);
    glUseProgram(fill_program("vec4(1)"));
    GLuint q = 0;
    glGenQueries(1, &q);
    glBeginQuery(GL_PRIMITIVES_GENERATED, q);
    draw_fill();
    draw_fill(3);
    glEndQuery(GL_PRIMITIVES_GENERATED);
    EXPECT_EQ(result(q), 8u);
    EXPECT_RECT(0, 0, 8, 8, 1, 1, 1, 1);
}

SCENARIO(count_primitives_of_several_programs) {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    target(8, 8);
    vertex_array();
    const GLuint plain = fill_program("vec4(1)");
    const GLuint lines =
        program(number_vs, "#version 330\nout vec4 o; void main() { o = vec4(1); }", line_gs);
    GLuint q = 0;
    glGenQueries(1, &q);
    glBeginQuery(GL_PRIMITIVES_GENERATED, q);
    glUseProgram(lines);
    glDrawArrays(GL_POINTS, 0, 3); // six lines
    glUseProgram(plain);
    draw_fill(); // two triangles
    glUseProgram(lines);
    glDrawArrays(GL_POINTS, 0, 1);
    glEndQuery(GL_PRIMITIVES_GENERATED);
    EXPECT_EQ(result(q), 10u);
}

SCENARIO(count_primitives_written_and_left_out) {
    // No room for the last: counted as generated, not as written.
    glUseProgram(capture_program(number_vs, "", {"n"}));
    GLuint q[2];
    glGenQueries(2, q);
    glBeginQuery(GL_PRIMITIVES_GENERATED, q[0]);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q[1]);
    const std::vector<float> got = captured(GL_TRIANGLES, 9, 8); // two triangles and a half
    glEndQuery(GL_PRIMITIVES_GENERATED);
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    expect_floats(__LINE__, got, {0, 1, 2, 3, 4, 5, -99, -99});
    EXPECT_EQ(result(q[0]), 3u);
    EXPECT_EQ(result(q[1]), 2u);
}

SCENARIO(count_samples_across_targets) {
    GLint bits = 0;
    glGetQueryiv(GL_SAMPLES_PASSED, GL_QUERY_COUNTER_BITS, &bits);
    if (!bits)
        skip("no exact sample counts");
    const Target a = target(10, 10), b = target(10, 10);
    glUseProgram(fill_program("vec4(1)"));
    glEnable(GL_SCISSOR_TEST);
    GLuint q = 0;
    glGenQueries(1, &q);
    glBindFramebuffer(GL_FRAMEBUFFER, a.fbo);
    glBeginQuery(GL_SAMPLES_PASSED, q);
    glScissor(0, 0, 10, 1);
    draw_fill();
    glBindFramebuffer(GL_FRAMEBUFFER, b.fbo);
    glScissor(0, 0, 10, 2);
    draw_fill();
    clear_color(0, 0, 0, 0);
    glScissor(0, 0, 5, 1);
    draw_fill();
    glEndQuery(GL_SAMPLES_PASSED);
    EXPECT_EQ(result(q), 35u);
}

SCENARIO(count_nothing_but_draws) {
    // Clears, blits, mipmaps and reads count nothing, in any query.
    const Target a = target(8, 8), b = target(8, 8);
    glBindTexture(GL_TEXTURE_2D, a.color);
    GLint bits = 0;
    glGetQueryiv(GL_SAMPLES_PASSED, GL_QUERY_COUNTER_BITS, &bits);
    GLuint q = 0;
    glGenQueries(1, &q);
    for (const GLenum what : {GLenum(GL_ANY_SAMPLES_PASSED), GLenum(GL_SAMPLES_PASSED)}) {
        if (what == GL_SAMPLES_PASSED && !bits)
            continue;
        glDeleteQueries(1, &q);
        glGenQueries(1, &q);
        glBeginQuery(what, q);
        glBindFramebuffer(GL_FRAMEBUFFER, a.fbo);
        clear_color(1, 0, 0, 1);
        glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
        clear_color(0, 1, 0, 1);
        glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, b.fbo);
        glBlitFramebuffer(0, 0, 4, 4, 0, 0, 8, 8, GL_COLOR_BUFFER_BIT, GL_LINEAR);
        const GLuint t = texture(GL_TEXTURE_2D, GL_RGBA8, 8, 8, 1, 4);
        glGenerateMipmap(GL_TEXTURE_2D);
        pixel(1, 1);
        glEndQuery(what);
        EXPECT_EQ(result(q), 0u);
        glDeleteTextures(1, &t);
    }
}

SCENARIO(count_condition_of_several_targets) {
    // A query whose only visible draw lies behind a change of target decides draws and dispatches.
    target(4, 4);
    const GLuint green = fill_program("vec4(0, 1, 0, 1)");
    for (const bool passes : {false, true}) {
        const Target a = target(4, 4), b = target(4, 4);
        GLuint q = 0;
        glGenQueries(1, &q);
        glUseProgram(green);
        glEnable(GL_SCISSOR_TEST);
        glScissor(0, 0, 0, 0);
        glBindFramebuffer(GL_FRAMEBUFFER, a.fbo);
        glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
        draw_fill();
        glBindFramebuffer(GL_FRAMEBUFFER, b.fbo);
        glScissor(0, 0, passes ? 4 : 0, 4);
        draw_fill();
        glBindFramebuffer(GL_FRAMEBUFFER, a.fbo);
        glScissor(0, 0, 0, 0);
        draw_fill();
        glEndQuery(GL_ANY_SAMPLES_PASSED);
        glDisable(GL_SCISSOR_TEST);
        clear_color(0, 0, 1, 1);
        glBeginConditionalRender(q, GL_QUERY_WAIT);
        draw_fill();
        const float red[4] = {1, 0, 0, 1};
        glBindFramebuffer(GL_FRAMEBUFFER, b.fbo);
        glClearBufferfv(GL_COLOR, 0, red);
        glEndConditionalRender();
        EXPECT_PIXEL(1, 1, passes ? 1.0f : 0.0f, 0, 0, passes ? 1.0f : pixel(1, 1)[3]);
        glBindFramebuffer(GL_FRAMEBUFFER, a.fbo);
        EXPECT_PIXEL(1, 1, 0, passes ? 1.0f : 0.0f, passes ? 0.0f : 1.0f, 1);
    }
}

SCENARIO(count_condition_of_dispatch) {
    need(43, "GL_ARB_compute_shader");
    need(43, "GL_ARB_shader_storage_buffer_object");
    target(4, 4);
    const GLuint green = fill_program("vec4(0, 1, 0, 1)");
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_COMPUTE_SHADER,
                             "#version 330\n#extension GL_ARB_compute_shader : require\n"
                             "#extension GL_ARB_shader_storage_buffer_object : require\n"
                             "layout(local_size_x = 1) in; buffer B { uint n; };\n"
                             "void main() { atomicAdd(n, 1u); }"));
    glLinkProgram(p);
    const GLuint zero = 0;
    const GLuint b = buffer(GL_SHADER_STORAGE_BUFFER, &zero, 4);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, b);
    GLuint want = 0;
    for (const bool passes : {false, true}) {
        GLuint q = 0, got = 77;
        glGenQueries(1, &q);
        glUseProgram(green);
        glEnable(GL_SCISSOR_TEST);
        glScissor(0, 0, passes ? 4 : 0, 4);
        glBeginQuery(GL_ANY_SAMPLES_PASSED, q);
        draw_fill();
        glEndQuery(GL_ANY_SAMPLES_PASSED);
        glDisable(GL_SCISSOR_TEST);
        glUseProgram(p);
        glBeginConditionalRender(q, GL_QUERY_WAIT);
        glDispatchCompute(3, 1, 1);
        glEndConditionalRender();
        glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
        glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, 4, &got);
        want += passes ? 3 : 0;
        EXPECT_EQ(got, want);
    }
}

SCENARIO(count_elapsed_time) {
    GLint bits = 0;
    glGetQueryiv(GL_TIME_ELAPSED, GL_QUERY_COUNTER_BITS, &bits);
    if (!bits)
        skip("no timer");
    target(256, 256);
    glUseProgram(fill_program("vec4(1)"));
    GLuint q[2];
    glGenQueries(2, q);
    draw_fill(); // llvmpipe has no start before the first draw
    glBeginQuery(GL_TIME_ELAPSED, q[0]);
    for (int i = 0; i < 20; i++)
        draw_fill();
    glEndQuery(GL_TIME_ELAPSED);
    glBeginQuery(GL_TIME_ELAPSED, q[1]);
    glEndQuery(GL_TIME_ELAPSED);
    GLuint64 t[2] = {};
    glGetQueryObjectui64v(q[0], GL_QUERY_RESULT, &t[0]);
    glGetQueryObjectui64v(q[1], GL_QUERY_RESULT, &t[1]);
    if (t[0] >= 60000000000ull || t[1] > 60000000000ull)
        fail(__FILE__, __LINE__, std::to_string(t[0]) + " and " + std::to_string(t[1]) + " ns");
}
