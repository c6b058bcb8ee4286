// SPDX-License-Identifier: MIT
// Desktop GLSL as programs write it: what reports about GL layers boil down to (docs/scenarios.md,
// group A).
#include "scenario.h"

#include <string>

using namespace scenario;

namespace {

// Draws with the program and returns a pixel of a float target.
Rgba result(GLuint p) {
    target(4, 4, GL_RGBA32F);
    glUseProgram(p);
    draw_fill();
    return pixel(2, 2);
}

Rgba of(const std::string &fs) {
    return result(program(fill_vs, fs));
}

// The first line of a shader of 1.50, or of 1.40 where the context ends there.
std::string version_150() {
    return version() >= 32 ? "#version 150\n" : "#version 140\n";
}

bool compiles(GLenum stage, const std::string &source) {
    const char *text = source.c_str();
    const GLuint s = glCreateShader(stage);
    glShaderSource(s, 1, &text, nullptr);
    glCompileShader(s);
    GLint ok = 0;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    glDeleteShader(s);
    return ok == GL_TRUE;
}

} // namespace

SCENARIO(glsl_sampler_3d_of_150) {
    const uint8_t texels[8] = {0, 0, 0, 0, 255, 255, 255, 255};
    texture(GL_TEXTURE_3D, GL_R8, 2, 2, 2);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, 2, 2, 2, GL_RED, GL_UNSIGNED_BYTE, texels);
    const std::string head = version_150() + "uniform sampler3D s; out vec4 o;\n";
    EXPECT(near(of(head + "void main() { o = vec4(1, 2, 3, 4); }"), {1, 2, 3, 4}, 0));
    const GLuint p =
        program(fill_vs, head + "void main() { o = texture(s, vec3(0.5, 0.5, 0.8)); }");
    target(4, 4, GL_RGBA32F);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(2, 2, 1, 0, 0, 1);
}

SCENARIO(glsl_int_literals_for_floats) {
    for (const std::string &head :
         {std::string("#version 140\n"), version_150(), std::string("#version 330\n")}) {
        const std::string fs = head + R"(
            out vec4 o;
            float twice(float x) { return x * 2; }
            void main() {
                float a = 3; a *= 2;
                vec2 v = ivec2(4, 5);
                o = vec4(a, twice(7), clamp(1.5f, 0, 1), v.y);
            })";
        EXPECT(near(of(fs), {6, 14, 1, 5}, 0));
    }
}

SCENARIO(glsl_builtin_redefined_and_overloaded) {
    // The same signature as a built-in, and one that no built-in has.
    EXPECT(near(of(R"(#version 330
        out vec4 o;
        float min(float a, float b) { return 42.0; }
        float min(float a, float b, float c) { return a + b + c; }
        void main() { o = vec4(min(1.0, 2.0), min(1.0, 2.0, 4.0), max(1.0, 2.0), 1); })"),
                {42, 7, 2, 1}, 0));
}

SCENARIO(glsl_tokens_of_macros) {
    // Line joins of both line ends; two minus signs stay two; a pasted name is expanded again.
    EXPECT(near(of("#version 330\nout vec4 o;\n#define SUM(a, \\\n b) (a + \\\r\n b)\n"
                   "#define MINUS -3.0\n#define ONE_two(x) (x * 10.0)\n"
                   "#define CALL(name, x) ONE_##name(x)\n#define OUTER(x) CALL(two, x)\n"
                   "void main() { o = vec4(SUM(1.0, 2.0), -MINUS, OUTER(4.0), 1); }\n"),
                {3, 3, 40, 1}, 0));
}

SCENARIO(glsl_integers_wrap_in_comparisons) {
    const GLuint p = program(fill_vs, R"(#version 330
        uniform uint v; uniform int s; out vec4 o;
        void main() { o = vec4(0u >= 1u + v, 0 >= 1 + s, 0, 1); })");
    glUseProgram(p);
    const GLint v = glGetUniformLocation(p, "v"), s = glGetUniformLocation(p, "s");
    glUniform1ui(v, 0xffffffffu);
    glUniform1i(s, 0x7fffffff);
    EXPECT(near(result(p), {1, 1, 0, 1}, 0));
    glUniform1ui(v, 0);
    glUniform1i(s, 0);
    EXPECT(near(result(p), {0, 0, 0, 1}, 0));
}

SCENARIO(glsl_blends_of_integers) {
    const GLuint p = program(fill_vs, R"(#version 330
        uniform ivec2 x, y; uniform int a; out vec4 o;
        void main() { ivec2 m = x * (1 - a) + y * a; o = vec4(m.x & 0xffff, m.x >> 16, m.y, 1); })");
    glUseProgram(p);
    glUniform2i(glGetUniformLocation(p, "x"), 0x1000001, 7);
    glUniform2i(glGetUniformLocation(p, "y"), 0x2000003, -9);
    EXPECT(near(result(p), {1, 0x100, 7, 1}, 0));
    glUniform1i(glGetUniformLocation(p, "a"), 1);
    EXPECT(near(result(p), {3, 0x200, -9, 1}, 0));
}

SCENARIO(glsl_stray_semicolons) {
    EXPECT(near(of(version_150() + ";out vec4 o;;\nstruct S { float x; };\nfloat f() { return 2.0; "
                                   "};;\nvoid main() { o = "
                                   "vec4(f()); }\n;"),
                {2, 2, 2, 2}, 0));
}

SCENARIO(glsl_suffixes_of_literals) {
    EXPECT(near(of(version_150() + "out vec4 o;\nvoid main() { o = vec4(1.0f, 2.F, .5f, 1e1f); }"),
                {1, 2, 0.5f, 10}, 0));
}

SCENARIO(glsl_array_used_in_part_by_stages) {
    const GLuint p = program(R"(#version 330
        uniform vec4 a[8]; out vec4 v;
        void main() {
            v = a[2];
            gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1);
        })",
                             R"(#version 330
        uniform vec4 a[8]; in vec4 v; out vec4 o; void main() { o = v + a[5]; })");
    glUseProgram(p);
    if (driver() != "native") // either answer is right; a game needs this one
        EXPECT(glGetUniformLocation(p, "a[7]") >= 0);
    float values[32] = {};
    for (int i = 0; i < 8; i++)
        values[4 * i] = float(1 << i);
    glUniform4fv(glGetUniformLocation(p, "a"), 8, values);
    EXPECT_ERROR(GL_NO_ERROR);
    EXPECT(near(result(p), {4 + 32, 0, 0, 0}, 0));
}

SCENARIO(glsl_unused_sampler_with_binding) {
    need(42, "GL_ARB_shading_language_420pack");
    const uint8_t green[4] = {0, 255, 0, 255};
    const GLuint t = texture_rgba8(1, 1, green);
    const GLuint p = program(fill_vs, R"(#version 330
        #extension GL_ARB_shading_language_420pack : require
        layout(binding = 0) uniform sampler2D used;
        layout(binding = 2) uniform sampler2D unused;
        out vec4 o; void main() { o = texture(used, vec2(0.5)); })");
    target(4, 4);
    glBindTexture(GL_TEXTURE_2D, t);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(2, 2, 0, 1, 0, 1);
}

SCENARIO(glsl_brace_initialisers) {
    need(42, "GL_ARB_shading_language_420pack");
    const std::string body = "out vec4 o; const float a[4] = { 1.0, 2.0, 3.0, 4.0 };\n"
                             "void main() { vec2 v = { 5.0, 6.0 }; o = vec4(a[1], a[3], v); }";
    EXPECT(near(of("#version 330\n#extension GL_ARB_shading_language_420pack : require\n" + body),
                {2, 4, 5, 6}, 0));
    EXPECT(!compiles(GL_FRAGMENT_SHADER, "#version 330\n" + body));
}

SCENARIO(glsl_mix_by_booleans) {
    need(45, "GL_EXT_shader_integer_mix");
    const std::string extension =
        version() >= 45 ? "#version 450\n"
                        : "#version 330\n#extension GL_EXT_shader_integer_mix : require\n";
    EXPECT(near(of(extension + "out vec4 o; void main() { uint u = mix(3u, 9u, true); o = "
                               "vec4(u, mix(4, 5, false), mix(1.0, 2.0, true), 1); }"),
                {9, 4, 2, 1}, 0));
}
