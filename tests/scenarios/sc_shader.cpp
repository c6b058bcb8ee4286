// SPDX-License-Identifier: MIT
// Shaders and programs: sources, uniforms of every type, blocks, introspection, relinks, logs.
#include "scenario.h"

#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

// Draws `fs_body` with output 0 into a 4x4 float target and returns the pixel.
Rgba run(GLuint p) {
    glUseProgram(p);
    draw_fill();
    return pixel(1, 1);
}

GLuint expr(const std::string &e, const std::string &decls = "") {
    return fill_program(e, decls);
}

} // namespace

SCENARIO(shader_source_lengths) {
    // Three strings with lengths, none terminated; one length -1; then no lengths at all.
    target(4, 4);
    const char a[] = {'#', 'v', 'e', 'r', 's', 'i', 'o', 'n', ' ', '1', '4', '0', '\n', '!', '!'};
    const char *b = "out vec4 o;\n";
    const char c[] = {'v', 'o', 'i', 'd', ' ', 'm', 'a', 'i', 'n', '(', ')', '{', 'o',
                      '=', 'v', 'e', 'c', '4', '(', '1', ')', ';', '}', '$', '$'};
    const char *strings[3] = {a, b, c};
    const GLint lengths[3] = {13, -1, GLint(sizeof c) - 2};
    const GLuint fs = glCreateShader(GL_FRAGMENT_SHADER);
    glShaderSource(fs, 3, strings, lengths);
    glCompileShader(fs);
    GLint ok = 0, length = 0;
    glGetShaderiv(fs, GL_COMPILE_STATUS, &ok);
    EXPECT_EQ(ok, GL_TRUE);
    glGetShaderiv(fs, GL_SHADER_SOURCE_LENGTH, &length);
    EXPECT_EQ(length, 13 + 12 + GLint(sizeof c) - 2 + 1);
    const GLuint p = glCreateProgram();
    glAttachShader(p, fs);
    glAttachShader(p, shader(GL_VERTEX_SHADER, fill_vs));
    glLinkProgram(p);
    const Rgba got = run(p);
    EXPECT(near(got, {1, 1, 1, 1}, 0.01f));
}

SCENARIO(shader_compile_error_log) {
    const GLuint s = glCreateShader(GL_FRAGMENT_SHADER);
    const char *text = "#version 140\nout vec4 o;\nvoid main() {\n    o = undeclared_name;\n}\n";
    glShaderSource(s, 1, &text, nullptr);
    glCompileShader(s);
    GLint ok = 1, length = 0;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    EXPECT_EQ(ok, GL_FALSE);
    glGetShaderiv(s, GL_INFO_LOG_LENGTH, &length);
    EXPECT(length > 1);
    char log[4096] = "";
    GLsizei n = 0;
    glGetShaderInfoLog(s, sizeof log, &n, log);
    EXPECT(strstr(log, "undeclared_name") != nullptr);
    EXPECT(strstr(log, "4") != nullptr);
    EXPECT(n == GLsizei(strlen(log)));
    const GLuint p = glCreateProgram();
    glAttachShader(p, s);
    glLinkProgram(p);
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    EXPECT_EQ(ok, GL_FALSE);
    glUseProgram(p);
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(shader_link_mismatch) {
    const GLuint p = glCreateProgram();
    glAttachShader(
        p,
        shader(GL_VERTEX_SHADER,
               "#version 330\nout vec3 v;\nvoid main() { v = vec3(1); gl_Position = vec4(0); }"));
    glAttachShader(p, shader(GL_FRAGMENT_SHADER,
                             "#version 330\nin vec4 v;\nout vec4 o;\nvoid main() { o = v; }"));
    glLinkProgram(p);
    GLint ok = 1;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    EXPECT_EQ(ok, GL_FALSE);
    char log[2048] = "";
    glGetProgramInfoLog(p, sizeof log, nullptr, log);
    EXPECT(strlen(log) > 0);
}

SCENARIO(uniform_every_float_type) {
    target(4, 4, GL_RGBA32F);
    const GLuint p =
        expr("vec4(a + b.x + c.y + d.w, m2[1][0] + m3[2][1] + m4[3][2], m23[1][2] + m32[2][1], "
             "m24[1][3] + m43[3][2])",
             "uniform float a; uniform vec2 b; uniform vec3 c; uniform vec4 d; uniform mat2 m2; "
             "uniform mat3 m3; uniform mat4 m4;"
             "uniform mat2x3 m23; uniform mat3x2 m32; uniform mat2x4 m24; uniform mat4x3 m43;");
    glUseProgram(p);
    const auto loc = [p](const char *n) { return glGetUniformLocation(p, n); };
    glUniform1f(loc("a"), 1);
    glUniform2f(loc("b"), 2, 0);
    glUniform3f(loc("c"), 0, 4, 0);
    glUniform4f(loc("d"), 0, 0, 0, 8);
    float m[16];
    for (int i = 0; i < 16; i++)
        m[i] = float(i + 1);
    glUniformMatrix2fv(loc("m2"), 1, GL_FALSE, m);    // [1][0] = 3
    glUniformMatrix3fv(loc("m3"), 1, GL_FALSE, m);    // [2][1] = 8
    glUniformMatrix4fv(loc("m4"), 1, GL_TRUE, m);     // transposed [3][2] = row 2, column 3 = 12
    glUniformMatrix2x3fv(loc("m23"), 1, GL_FALSE, m); // [1][2] = 6
    glUniformMatrix3x2fv(loc("m32"), 1, GL_FALSE, m); // [2][1] = 6
    glUniformMatrix2x4fv(loc("m24"), 1, GL_FALSE, m); // [1][3] = 8
    glUniformMatrix4x3fv(loc("m43"), 1, GL_FALSE, m); // [3][2] = 12
    const Rgba got = run(p);
    if (!near(got, {15, 23, 12, 20}, 0.001f))
        fail(__FILE__, __LINE__, show(got));
    float back[16] = {};
    glGetUniformfv(p, loc("m4"), back);
    EXPECT(back[14] == 12 && back[1] == 5);
}

SCENARIO(uniform_integer_types) {
    target(4, 4, GL_RGBA32F);
    const GLuint p = expr("vec4(float(a + b.y), float(c + d.z), e ? 1.0 : 0.0, f.y ? 1.0 : 0.0)",
                          "uniform int a; uniform ivec2 b; uniform uint c; uniform uvec3 d; "
                          "uniform bool e; uniform bvec2 f;");
    glUseProgram(p);
    const auto loc = [p](const char *n) { return glGetUniformLocation(p, n); };
    glUniform1i(loc("a"), -3);
    glUniform2i(loc("b"), 0, 10);
    glUniform1ui(loc("c"), 5);
    glUniform3ui(loc("d"), 0, 0, 6);
    glUniform1f(loc("e"), 0.5f);
    glUniform2i(loc("f"), 0, 7);
    EXPECT(near(run(p), {7, 11, 1, 1}, 0));
    glUniform1f(loc("a"), 1);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glUniform2i(loc("a"), 1, 1);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glUniform1i(loc("c"), 1);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glUniform1i(-1, 1); // silently ignored
    glUniform1i(9999, 1);
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(uniform_arrays_and_structs) {
    target(4, 4, GL_RGBA32F);
    const GLuint p = expr("vec4(a[0] + a[3], s.x.y, t[1].v.z, float(t[0].n))",
                          "struct S { vec2 x; }; struct T { vec3 v; int n; }; uniform float a[4]; "
                          "uniform S s; uniform T t[2];");
    glUseProgram(p);
    const float a[4] = {1, 2, 3, 4};
    glUniform1fv(glGetUniformLocation(p, "a"), 4, a);
    glUniform1f(glGetUniformLocation(p, "a[3]"), 40);
    glUniform2f(glGetUniformLocation(p, "s.x"), 0, 5);
    glUniform3f(glGetUniformLocation(p, "t[1].v"), 0, 0, 6);
    glUniform1i(glGetUniformLocation(p, "t[0].n"), 9);
    EXPECT(near(run(p), {41, 5, 6, 9}, 0));
    EXPECT(glGetUniformLocation(p, "a[4]") == -1);
    EXPECT(glGetUniformLocation(p, "nothing") == -1);
    EXPECT(glGetUniformLocation(p, "a[0]") == glGetUniformLocation(p, "a"));
}

SCENARIO(uniform_initialisers) {
    target(4, 4, GL_RGBA32F);
    const GLuint p = expr("vec4(a, b.y, c[1], float(d))",
                          "uniform float a = 2.5; uniform vec2 b = vec2(1, -4); uniform float c[2] "
                          "= float[2](7.0, 8.0); uniform int d = 3;");
    EXPECT(near(run(p), {2.5f, -4, 8, 3}, 0));
    glUniform1f(glGetUniformLocation(p, "a"), 1);
    EXPECT(near(run(p), {1, -4, 8, 3}, 0));
    glLinkProgram(p); // back to the initial values
    EXPECT(near(run(p), {2.5f, -4, 8, 3}, 0));
}

SCENARIO(uniform_per_program_state) {
    target(4, 4, GL_RGBA32F);
    const GLuint a = expr("vec4(v)", "uniform float v;"), b = expr("vec4(v)", "uniform float v;");
    glUseProgram(a);
    glUniform1f(glGetUniformLocation(a, "v"), 1);
    glUseProgram(b);
    glUniform1f(glGetUniformLocation(b, "v"), 2);
    EXPECT(near(run(a), {1, 1, 1, 1}, 0));
    EXPECT(near(run(b), {2, 2, 2, 2}, 0));
    glDeleteProgram(b); // two equal programs: the other lives on
    EXPECT(near(run(a), {1, 1, 1, 1}, 0));
}

SCENARIO(uniform_between_draws) {
    target(16, 1);
    const GLuint p = fill_program("vec4(v, 0, 0, 1)", "uniform float v;");
    glUseProgram(p);
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 16; i++) {
        glScissor(i, 0, 1, 1);
        glUniform1f(glGetUniformLocation(p, "v"), float(i) / 15);
        draw_fill();
    }
    for (int i = 0; i < 16; i++)
        EXPECT_PIXEL(i, 0, float(i) / 15, 0, 0, 1);
}

SCENARIO(uniform_block_layouts) {
    target(4, 4, GL_RGBA32F);
    const GLuint p = program(fill_vs, R"(#version 330
        layout(std140) uniform A { float x; vec3 v; float arr[3]; mat3 m; };
        uniform B { vec4 shared_value; } inst;
        out vec4 o;
        void main() { o = vec4(x, v.z + m[2][1], arr[2], inst.shared_value.y); })");
    const GLuint a = glGetUniformBlockIndex(p, "A"), b = glGetUniformBlockIndex(p, "B");
    EXPECT(a != GL_INVALID_INDEX && b != GL_INVALID_INDEX);
    EXPECT(glGetUniformBlockIndex(p, "C") == GL_INVALID_INDEX);
    GLint size = 0;
    glGetActiveUniformBlockiv(p, a, GL_UNIFORM_BLOCK_DATA_SIZE, &size);
    EXPECT(size >= 32 + 48 + 44);
    const char *names[4] = {"x", "v", "arr[0]", "m"};
    GLuint index[4];
    glGetUniformIndices(p, 4, names, index);
    GLint offset[4], stride[4], mstride[4];
    glGetActiveUniformsiv(p, 4, index, GL_UNIFORM_OFFSET, offset);
    glGetActiveUniformsiv(p, 4, index, GL_UNIFORM_ARRAY_STRIDE, stride);
    glGetActiveUniformsiv(p, 4, index, GL_UNIFORM_MATRIX_STRIDE, mstride);
    EXPECT(offset[0] == 0 && offset[1] == 16 && offset[2] == 32 && offset[3] == 80);
    EXPECT(stride[2] == 16 && mstride[3] == 16);
    std::vector<float> data(64, 0);
    data[0] = 1;
    data[4 + 2] = 2;
    data[8 + 8] = 3;
    data[20 + 9] = 4;
    const float bdata[4] = {0, 9, 0, 0};
    glUniformBlockBinding(p, a, 1);
    glUniformBlockBinding(p, b, 2);
    glBindBufferBase(GL_UNIFORM_BUFFER, 1, buffer(GL_UNIFORM_BUFFER, data.data(), data.size() * 4));
    const char *sname = "B.shared_value";
    GLuint sindex;
    GLint soffset = -1;
    glGetUniformIndices(p, 1, &sname, &sindex);
    glGetActiveUniformsiv(p, 1, &sindex, GL_UNIFORM_OFFSET, &soffset);
    EXPECT(soffset >= 0);
    glBindBufferBase(GL_UNIFORM_BUFFER, 2, buffer(GL_UNIFORM_BUFFER, bdata, sizeof bdata));
    const Rgba got = run(p);
    if (!near(got, {1, 6, 3, 9}, 0))
        fail(__FILE__, __LINE__, show(got));
}

SCENARIO(uniform_block_array) {
    target(4, 4, GL_RGBA32F);
    const GLuint p = program(fill_vs, R"(#version 330
        layout(std140) uniform Blk { vec4 v; } blk[2];
        out vec4 o;
        void main() { o = vec4(blk[0].v.x, blk[1].v.x, 0, 1); })");
    const float one[4] = {1, 0, 0, 0}, two[4] = {2, 0, 0, 0};
    glUniformBlockBinding(p, glGetUniformBlockIndex(p, "Blk[0]"), 4);
    glUniformBlockBinding(p, glGetUniformBlockIndex(p, "Blk[1]"), 5);
    glBindBufferBase(GL_UNIFORM_BUFFER, 4, buffer(GL_UNIFORM_BUFFER, one, 16));
    glBindBufferBase(GL_UNIFORM_BUFFER, 5, buffer(GL_UNIFORM_BUFFER, two, 16));
    EXPECT(near(run(p), {1, 2, 0, 1}, 0));
}

SCENARIO(program_introspection) {
    const GLuint p = program(R"(#version 330
        in vec4 position; in vec2 unused_not; in mat3 m;
        uniform mat4 mvp; uniform float weights[5];
        out vec2 t;
        void main() { t = unused_not * weights[3] + m[1].xy; gl_Position = mvp * position; })",
                             R"(#version 330
        in vec2 t; uniform sampler2D tex; out vec4 o;
        void main() { o = texture(tex, t); })");
    GLint n = 0;
    glGetProgramiv(p, GL_ACTIVE_UNIFORMS, &n);
    EXPECT_EQ(n, 3);
    bool seen_weights = false, seen_tex = false;
    for (GLint i = 0; i < n; i++) {
        char name[64];
        GLint size;
        GLenum type;
        GLsizei length;
        glGetActiveUniform(p, GLuint(i), sizeof name, &length, &size, &type, name);
        EXPECT(length == GLsizei(strlen(name)));
        if (!strcmp(name, "weights[0]")) {
            seen_weights = true;
            EXPECT(type == GL_FLOAT && size >= 4);
        }
        if (!strcmp(name, "tex")) {
            seen_tex = true;
            EXPECT(type == GL_SAMPLER_2D && size == 1);
        }
    }
    EXPECT(seen_weights && seen_tex);
    glGetProgramiv(p, GL_ACTIVE_ATTRIBUTES, &n);
    EXPECT_EQ(n, 3);
    EXPECT(glGetAttribLocation(p, "position") >= 0);
    EXPECT(glGetAttribLocation(p, "gl_Position") == -1);
    EXPECT(glGetAttribLocation(p, "nothing") == -1);
}

SCENARIO(program_attrib_locations) {
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_VERTEX_SHADER,
                             "#version 330\nin vec4 a; in vec4 b; layout(location = 2) in vec4 c;\n"
                             "void main() { gl_Position = a + b + c; }"));
    glAttachShader(
        p, shader(GL_FRAGMENT_SHADER, "#version 330\nout vec4 o; void main() { o = vec4(1); }"));
    glBindAttribLocation(p, 5, "a");
    glBindAttribLocation(p, 7, "c"); // the source wins
    glLinkProgram(p);
    EXPECT_EQ(glGetAttribLocation(p, "a"), 5);
    EXPECT_EQ(glGetAttribLocation(p, "c"), 2);
    const GLint b = glGetAttribLocation(p, "b");
    EXPECT(b >= 0 && b != 5 && b != 2);
}

SCENARIO(program_attribute_array) {
    target(4, 4);
    const GLuint p = program(R"(#version 330 core
layout(location = 1) in vec4 part[2];
in float whole[3];
flat out vec4 sum;
void main() {
    vec2 uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    sum = vec4(0);
    for (int i = 0; i < 2; i++)
        sum += part[i] * whole[i + 1];
    gl_Position = vec4(uv * 2.0 - 1.0, 0, 1);
})",
                             R"(#version 330 core
flat in vec4 sum;
out vec4 color;
void main() { color = sum; })");
    const GLint whole = glGetAttribLocation(p, "whole[0]");
    EXPECT_EQ(glGetAttribLocation(p, "part[1]"), 2);
    EXPECT(whole >= 0);
    glUseProgram(p);
    glVertexAttrib4f(1, 1, 0, 0, 0);
    glVertexAttrib4f(2, 0, 0, 1, 1);
    glVertexAttrib1f(GLuint(whole) + 1, 0.5f);
    glVertexAttrib1f(GLuint(whole) + 2, 1);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0.5f, 0, 1, 1);
}

SCENARIO(program_frag_data_location) {
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
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_VERTEX_SHADER, fill_vs));
    glAttachShader(p, shader(GL_FRAGMENT_SHADER,
                             "#version 330\nout vec4 first; out vec4 second;\n"
                             "void main() { first = vec4(1,0,0,1); second = vec4(0,1,0,1); }"));
    glBindFragDataLocation(p, 1, "first");
    glBindFragDataLocation(p, 0, "second");
    glLinkProgram(p);
    EXPECT_EQ(glGetFragDataLocation(p, "first"), 1);
    EXPECT_EQ(glGetFragDataLocation(p, "second"), 0);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
}

SCENARIO(program_relink_while_bound) {
    target(4, 4);
    const GLuint p = glCreateProgram();
    const GLuint vs = shader(GL_VERTEX_SHADER, fill_vs);
    const GLuint red =
        shader(GL_FRAGMENT_SHADER, "#version 330\nout vec4 o; void main() { o = vec4(1,0,0,1); }");
    const GLuint green =
        shader(GL_FRAGMENT_SHADER, "#version 330\nout vec4 o; void main() { o = vec4(0,1,0,1); }");
    glAttachShader(p, vs);
    glAttachShader(p, red);
    glLinkProgram(p);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    glDetachShader(p, red);
    glAttachShader(p, green);
    draw_fill(); // not linked yet: still red
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    glLinkProgram(p);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
}

SCENARIO(program_handle_recycling) {
    target(4, 4);
    for (int i = 0; i < 12; i++) {
        const GLuint p = fill_program("vec4(" + std::to_string(i) + ".0 / 11.0, 0, 1, 1)");
        glUseProgram(p);
        draw_fill();
        EXPECT_PIXEL(1, 1, float(i) / 11, 0, 1, 1);
        glUseProgram(0);
        glDeleteProgram(p);
    }
}

// Programs that follow each other in the same place and differ in their uniforms only.
SCENARIO(program_recycling_with_uniforms) {
    target(4, 4);
    for (int i = 0; i < 12; i++) {
        const GLuint p = fill_program("tint", "uniform vec4 tint;\n");
        glUseProgram(p);
        glUniform4f(glGetUniformLocation(p, "tint"), float(i) / 11, 0, 1, 1);
        draw_fill();
        EXPECT_PIXEL(1, 1, float(i) / 11, 0, 1, 1);
        glUseProgram(0);
        glDeleteProgram(p);
    }
}

SCENARIO(program_delete_while_in_use) {
    target(4, 4);
    const GLuint p = fill_program("vec4(0, 1, 0, 1)");
    glUseProgram(p);
    glDeleteProgram(p);
    GLint deleted = 0;
    glGetProgramiv(p, GL_DELETE_STATUS, &deleted);
    EXPECT_EQ(deleted, GL_TRUE);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
    glUseProgram(0);
    EXPECT(glIsProgram(p) == GL_FALSE);
}

SCENARIO(glsl_implicit_conversions) {
    target(4, 4, GL_RGBA32F);
    const GLuint p =
        expr("vec4(f(3), v.x, clamp(g, 0, 1), w)", "float f(float x) { return x * 2; } vec2 v = "
                                                   "ivec2(4, 5); float g = 7; float w = 1 + 1.5f;");
    EXPECT(near(run(p), {6, 4, 1, 2.5f}, 0));
}

SCENARIO(glsl_redefined_builtin) {
    target(4, 4, GL_RGBA32F);
    const GLuint p = expr("vec4(min(1.0, 2.0), min(vec2(3.0), vec2(2.0)).x, 0, 1)",
                          "float min(float a, float b) { return 42.0; }\n"
                          "vec2 min(vec2 a, vec2 b) { return a + b; }");
    EXPECT(near(run(p), {42, 5, 0, 1}, 0));
}

SCENARIO(glsl_keywords_of_other_dialects) {
    target(4, 4, GL_RGBA32F);
    const GLuint p = expr("vec4(texture2, highp_value, lowp_, main_out)",
                          "float texture2 = 1.0, highp_value = 2.0, lowp_ = 3.0, main_out = 4.0;");
    EXPECT(near(run(p), {1, 2, 3, 4}, 0));
}

SCENARIO(glsl_preprocessor_corners) {
    target(4, 4, GL_RGBA32F);
    const GLuint p = program(
        fill_vs, "// a comment first\n/* and another\n */\n\n#version 140\n"
                 "#define NEG -x\n#define CAT(a, b) a##b\n#define LONG(a) \\\n    (a + \\\n 1.0)\n"
                 "out vec4 o;\nvoid main() { float x = 5.0, xy = 3.0; o = vec4(-NEG, CAT(x, y), "
                 "LONG(x), 1); }\n");
    EXPECT(near(run(p), {5, 3, 6, 1}, 0));
}

SCENARIO(glsl_frag_coord) {
    target(8, 8, GL_RGBA32F);
    glUseProgram(expr("gl_FragCoord"));
    draw_fill();
    for (int i = 0; i < 8; i += 3) {
        const Rgba p = pixel(i, 7 - i);
        if (!near(p, {float(i) + 0.5f, float(7 - i) + 0.5f, 0.5f, 1}, 1e-4f))
            fail(__FILE__, __LINE__, show(p));
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, 64, 64);
    glUseProgram(expr("vec4(gl_FragCoord.xy / 64.0, 0, 1)"));
    draw_fill();
    const Rgba p = pixel(16, 48);
    EXPECT(near(p, {16.5f / 64, 48.5f / 64, 0, 1}, 0.005f));
}

SCENARIO(glsl_flat_and_smooth) {
    target(8, 1, GL_RGBA32F);
    glUseProgram(program(R"(#version 330
        flat out float f; out float s; noperspective out float n;
        void main() {
            vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);
            f = float(gl_VertexID); s = p.x; n = p.x;
            gl_Position = vec4(p * 2.0 - 1.0, 0, 1);
        })",
                         R"(#version 330
        flat in float f; in float s; noperspective in float n; out vec4 o;
        void main() { o = vec4(f, s, n, 1); })"));
    draw_fill();
    const Rgba a = pixel(0, 0), b = pixel(7, 0);
    EXPECT(a[0] == 2 || a[0] == 3);
    EXPECT(std::fabs(a[1] - 1.0f / 16) < 0.01f && std::fabs(b[1] - 15.0f / 16) < 0.01f);
    EXPECT(std::fabs(a[2] - 1.0f / 16) < 0.01f && std::fabs(b[2] - 15.0f / 16) < 0.01f);
}

SCENARIO(glsl_front_facing_and_cull) {
    target(4, 4);
    const GLuint p = fill_program("gl_FrontFacing ? vec4(0,1,0,1) : vec4(1,0,0,1)");
    glUseProgram(p);
    draw_fill(); // the strip of fill_vs is counter-clockwise
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 0, 1);
    glFrontFace(GL_CW);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
    glFrontFace(GL_CCW);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0, 0, 1, 1);
    glCullFace(GL_BACK);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 0, 1);
    // The same in the default framebuffer.
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, 64, 64);
    draw_fill();
    EXPECT_PIXEL(9, 50, 0, 1, 0, 1);
}

SCENARIO(glsl_discard) {
    target(8, 1);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program(fill_vs, R"(#version 330
        in vec2 uv; out vec4 o;
        void main() { if (uv.x < 0.5) discard; o = vec4(1,0,0,1); })"));
    draw_fill();
    EXPECT_RECT(0, 0, 4, 1, 0, 0, 1, 1);
    EXPECT_RECT(4, 0, 4, 1, 1, 0, 0, 1);
}

SCENARIO(glsl_frag_depth) {
    target(4, 4, GL_RGBA8, GL_DEPTH_COMPONENT24);
    glClearDepth(0.5);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glUseProgram(program(
        fill_vs, "#version 330\nout vec4 o; void main() { gl_FragDepth = 0.125; o = vec4(1); }"));
    draw_fill();
    float d = 0;
    glReadPixels(1, 1, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &d);
    EXPECT(std::fabs(d - 0.125f) < 1e-5f);
}

SCENARIO(glsl_point_size) {
    target(16, 16);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glUseProgram(
        program("#version 330\nvoid main() { gl_PointSize = 8.0; gl_Position = vec4(0, 0, 0, 1); }",
                "#version 330\nout vec4 o; void main() { o = vec4(gl_PointCoord, 0, 1); }"));
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glDrawArrays(GL_POINTS, 0, 1);
    const Rgba p = pixel(5, 10); // left, near the top: x small, y small with the upper-left origin
    EXPECT(p[0] < 0.3f && p[1] < 0.3f);
    EXPECT_PIXEL(2, 8, 0, 0, 0, 1);
    EXPECT_PIXEL(13, 8, 0, 0, 0, 1);
    EXPECT(pixel(10, 5)[0] > 0.7f && pixel(10, 5)[1] > 0.7f);
}

SCENARIO(glsl_clip_distance) {
    target(8, 8);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program(R"(#version 330
        out float gl_ClipDistance[1];
        void main() {
            vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
            gl_ClipDistance[0] = p.x;
            gl_Position = vec4(p, 0, 1);
        })",
                         "#version 330\nout vec4 o; void main() { o = vec4(1, 0, 0, 1); }"));
    glEnable(GL_CLIP_DISTANCE0);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 8, 0, 0, 1, 1);
    EXPECT_RECT(4, 0, 4, 8, 1, 0, 0, 1);
}

SCENARIO(glsl_geometry_shader) {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    target(8, 8);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program("#version 330\nvoid main() { gl_Position = vec4(0); }",
                         "#version 330\nin vec3 c; out vec4 o; void main() { o = vec4(c, 1); }",
                         R"(#version 330
        layout(points) in;
        layout(triangle_strip, max_vertices = 4) out;
        out vec3 c;
        void main() {
            for (int i = 0; i < 4; i++) {
                c = vec3(0.0, 1.0, 0.0);
                gl_Position = vec4(vec2(i & 1, i >> 1) * 2.0 - 1.0, 0, 1);
                EmitVertex();
            }
        })"));
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glDrawArrays(GL_POINTS, 0, 1);
    EXPECT_RECT(0, 0, 8, 8, 0, 1, 0, 1);
}

SCENARIO(glsl_version_140) {
    target(4, 4);
    glUseProgram(
        program("#version 140\nin vec4 a; void main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
                "gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); }",
                "#version 140\nout vec4 color; void main() { color = vec4(0, 1, 1, 1); }"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 1, 1, 1);
}

SCENARIO(program_binary_round_trip) {
    GLint formats = 0, format = 0, length = 0, ok = 0;
    glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
    EXPECT_EQ(formats, 1);
    glGetIntegerv(GL_PROGRAM_BINARY_FORMATS, &format);
    const GLuint p = fill_program("tint", "uniform vec4 tint = vec4(0, 1, 0, 1);");
    glUseProgram(p);
    glUniform4f(glGetUniformLocation(p, "tint"), 1, 0, 0, 1);
    glGetProgramiv(p, GL_PROGRAM_BINARY_LENGTH, &length);
    EXPECT(length > 0);
    std::vector<uint8_t> bytes(static_cast<size_t>(length));
    GLenum got = 0;
    glGetProgramBinary(p, length - 1, nullptr, &got, bytes.data());
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glGetProgramBinary(p, length, &length, &got, bytes.data());
    EXPECT_EQ(got, static_cast<GLenum>(format));

    // A load brings back the values of the link, not those of the program it came from.
    const GLuint q = glCreateProgram();
    glProgramBinary(q, got, bytes.data(), length);
    glGetProgramiv(q, GL_LINK_STATUS, &ok);
    EXPECT(ok);
    glUseProgram(q);
    draw_fill();
    EXPECT_RECT(0, 0, 64, 64, 0, 1, 0, 1);

    // Bytes that are not ours fail like a link: no error, a log, no executable.
    glUseProgram(0);
    bytes[bytes.size() - 1] ^= 1;
    glProgramBinary(q, got, bytes.data(), length);
    glGetProgramiv(q, GL_LINK_STATUS, &ok);
    EXPECT(!ok);
    glGetProgramiv(q, GL_INFO_LOG_LENGTH, &length);
    EXPECT(length > 0);
    glGetProgramiv(q, GL_PROGRAM_BINARY_LENGTH, &length);
    EXPECT_EQ(length, 0);
    EXPECT_ERROR(GL_NO_ERROR);
    glProgramBinary(q, GL_RGBA8, bytes.data(), 4);
    EXPECT_ERROR(GL_INVALID_ENUM);
}

SCENARIO(program_binary_of_separable_stages) {
    const std::string vs =
        in_version("#version 330\n#extension GL_ARB_separate_shader_objects : require\n"
                   "out gl_PerVertex { vec4 gl_Position; };\n"
                   "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> "
                   "1) * 2.0 - 1.0, 0, 1); }");
    const std::string fs =
        in_version("#version 330\nout vec4 c;\nvoid main() { c = vec4(0, 0, 1, 1); }");
    const GLenum type[2] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
    const char *const source[2] = {vs.c_str(), fs.c_str()};
    const GLbitfield bit[2] = {GL_VERTEX_SHADER_BIT, GL_FRAGMENT_SHADER_BIT};
    GLuint pipeline = 0;
    glGenProgramPipelines(1, &pipeline);
    for (int i = 0; i < 2; i++) {
        const GLuint p = glCreateShaderProgramv(type[i], 1, &source[i]), q = glCreateProgram();
        GLint length = 0, ok = 0, separable = 0;
        glGetProgramiv(p, GL_PROGRAM_BINARY_LENGTH, &length);
        std::vector<uint8_t> bytes(static_cast<size_t>(length));
        GLenum format = 0;
        glGetProgramBinary(p, length, nullptr, &format, bytes.data());
        glProgramBinary(q, format, bytes.data(), length);
        glDeleteProgram(p);
        glGetProgramiv(q, GL_LINK_STATUS, &ok);
        glGetProgramiv(q, GL_PROGRAM_SEPARABLE, &separable);
        EXPECT(ok && separable);
        glUseProgramStages(pipeline, bit[i], q);
    }
    glUseProgram(0);
    glBindProgramPipeline(pipeline);
    draw_fill();
    EXPECT_RECT(0, 0, 64, 64, 0, 0, 1, 1);
}
