// SPDX-License-Identifier: MIT
// Corners of the shading language where translators stumble: names and macros that are nothing
// special in this version, what shaders of one stage say between them, tessellation without a
// control stage.
#include "scenario.h"

#include <cstring>

using namespace scenario;

namespace {

using Text = std::pair<GLenum, std::string>;

Rgba drawn(GLuint p) {
    target(4, 4, GL_RGBA32F);
    glUseProgram(p);
    draw_fill();
    const Rgba got = pixel(2, 2);
    glDeleteProgram(p);
    return got;
}

// The text as it is.
GLuint compiled(GLenum stage, const std::string &source, bool *ok) {
    const GLuint s = glCreateShader(stage);
    const char *text = source.c_str();
    glShaderSource(s, 1, &text, nullptr);
    glCompileShader(s);
    GLint status = 0;
    glGetShaderiv(s, GL_COMPILE_STATUS, &status);
    char log[1024] = "";
    glGetShaderInfoLog(s, sizeof log, nullptr, log);
    if (!status && !ok)
        fail(__FILE__, __LINE__, std::string("compile: ") + log);
    if (ok)
        *ok = status;
    return s;
}

bool compiles(GLenum stage, const std::string &source) {
    bool ok = false;
    glDeleteShader(compiled(stage, source, &ok));
    return ok;
}

GLuint linked(const std::vector<Text> &texts, bool *ok = nullptr) {
    const GLuint p = glCreateProgram();
    for (const auto &[stage, text] : texts) {
        const GLuint s = compiled(stage, text, nullptr);
        glAttachShader(p, s);
        glDeleteShader(s);
    }
    glLinkProgram(p);
    GLint status = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &status);
    char log[1024] = "";
    glGetProgramInfoLog(p, sizeof log, nullptr, log);
    if (!status && !ok)
        fail(__FILE__, __LINE__, std::string("link: ") + log);
    if (ok)
        *ok = status;
    return p;
}

bool links(const std::vector<Text> &texts) {
    bool ok = false;
    glDeleteProgram(linked(texts, &ok));
    return ok;
}

// What `body` leaves in the output c.
Rgba of(const std::string &head, const std::string &body) {
    return drawn(linked(
        {{GL_VERTEX_SHADER, in_version(fill_vs)},
         {GL_FRAGMENT_SHADER,
          in_version("#version 330\n" + head + "out vec4 c;\nvoid main() { " + body + " }\n")}}));
}

const std::string tess_head = "#version 150\n#extension GL_ARB_tessellation_shader : require\n";

} // namespace

SCENARIO(glsl_names_of_other_versions) {
    // Uniforms, members, parameters, locals.
    for (const std::string name :
         {"shared", "samplerCubeArray", "buffer", "texture2D", "image", "resource", "sampler",
          "precise", "subroutine", "patch", "demote", "mul", "lerp", "half3", "main_"}) {
        const std::string head = "uniform float " + name + ";\nstruct S { float " + name +
                                 "; };\nfloat twice(float " + name + ") { return " + name +
                                 " * 2.0; }\n";
        const GLuint p =
            linked({{GL_VERTEX_SHADER, in_version(fill_vs)},
                    {GL_FRAGMENT_SHADER,
                     in_version("#version 330\n" + head + "out vec4 c;\nvoid main() { S s = S(" +
                                name + " + 1.0); { float " + name + " = 5.0; c = vec4(s." + name +
                                ", twice(s." + name + "), " + name + ", 1); } }\n")}});
        glUseProgram(p);
        const GLint at = glGetUniformLocation(p, name.c_str());
        EXPECT(at >= 0);
        glUniform1f(at, 0.5f);
        if (!near(drawn(p), {1.5f, 3, 5, 1}, 0))
            fail(__FILE__, __LINE__, "the name " + name);
    }
    // Functions of a program with names that a host's language keeps for itself.
    for (const std::string name :
         {"texture2D", "textureCube", "shared", "texture3DLod", "mod289"}) {
        const Rgba got =
            of("float " + name + "(float x) { return x * 3.0; }\n", "c = vec4(" + name + "(2.0));");
        if (!near(got, {6, 6, 6, 6}, 0))
            fail(__FILE__, __LINE__, "the function " + name);
    }
    // Logs speak of the names that the program gave.
    const GLuint s = glCreateShader(GL_FRAGMENT_SHADER);
    const std::string text = in_version("#version 330\nuniform float shared;\nout vec4 c;\n"
                                        "void main() { c = shared.xyz; }\n");
    const char *source = text.c_str();
    glShaderSource(s, 1, &source, nullptr);
    glCompileShader(s);
    char log[1024] = "";
    glGetShaderInfoLog(s, sizeof log, nullptr, log);
    EXPECT(std::strlen(log) > 0 && !std::strstr(log, "mgHidden"));
    glDeleteShader(s);
}

SCENARIO(glsl_macros_that_translators_lack) {
    // Numbers are joined, empty arguments are arguments, a call may go over lines.
    EXPECT(near(of("#define CAT(a, b) a##b\n#define VIA(a, b) CAT(a, b)\n#define ONE 1\n",
                   "c = vec4(CAT(1, 2), CAT(1., 5), VIA(ONE, 2.0), CAT(3, u));"),
                {12, 1.5f, 12, 3}, 0));
    EXPECT(near(of("#define F(x) 1.0 x\n#define G(a, b) a 2.0 b\n#define H() 4.0\n",
                   "c = vec4(F(), G(,), G(-, + 1.0), H());"),
                {1, 2, -1, 4}, 0));
    EXPECT(near(of("#define ADD(a, b) ((a) + (b##.0))\n", "c = vec4(ADD(1.0,\n    2\n), 1, 1, 1);"),
                {3, 1, 1, 1}, 0));
    // A macro does not name itself again, and signs stay apart.
    EXPECT(near(of("float f(float x) { return x + 1.0; }\n#define f(x) f(x##.0 * 2.0)\n"
                   "#define MINUS -\n",
                   "c = vec4(f(2), - MINUS 1.0, 1, 1);"),
                {5, 1, 1, 1}, 0));
    // Nobody reads what conditions leave out.
    EXPECT(near(of("#if 0\ndon't care, \"quotes @ ` \\ \n#foo\n#error no\n#endif\n"
                   "#if 1 || 1 / 0\n#define V 3.0\n#elif \"what ( / 0\nbad ' \" text\n#else\n"
                   "\" again\n#endif\n",
                   "c = vec4(V);"),
                {3, 3, 3, 3}, 0));
    // Errors are still errors.
    for (const char *text : {"#define F(a, b) a + b\nout vec4 c; void main() { c = vec4(F(1)); }\n",
                             "out vec4 c; void main() { c = \"x\"; }\n",
                             "#if 0\n\" x\nout vec4 c; void main() { c = vec4(1); }\n"})
        EXPECT(!compiles(GL_FRAGMENT_SHADER, std::string("#version 330\n") + text));
}

SCENARIO(glsl_output_of_index_zero) {
    if (version() < 33)
        return;
    EXPECT(near(drawn(program(fill_vs, "#version 330\nlayout(location = 0, index = 0) out vec4 c;\n"
                                       "void main() { c = vec4(1, 2, 3, 4); }\n")),
                {1, 2, 3, 4}, 0));
}

SCENARIO(link_of_what_no_shader_says) {
    if (has_extension("GL_ARB_compute_shader")) {
        const std::string head = "#version 330\n#extension GL_ARB_compute_shader : require\n";
        EXPECT(!links({{GL_COMPUTE_SHADER, head + "void main() { }\n"}}));
        EXPECT(links({{GL_COMPUTE_SHADER, head + "layout(local_size_x = 2) in; uniform bool all;\n"
                                                 "void main() { if (all) { barrier(); } }\n"}}));
        EXPECT(links({{GL_COMPUTE_SHADER, head + "void f();\nvoid main() { f(); }\n"},
                      {GL_COMPUTE_SHADER, head + "layout(local_size_x = 2) in; void f() { }\n"}}));
    }
    if (has_extension("GL_ARB_gpu_shader5")) {
        GLint most = 0;
        glGetIntegerv(GL_MAX_GEOMETRY_SHADER_INVOCATIONS, &most);
        const auto with = [](int count) {
            return compiles(GL_GEOMETRY_SHADER,
                            "#version 150\n#extension GL_ARB_gpu_shader5 : require\n"
                            "layout(points, invocations = " +
                                std::to_string(count) +
                                ") in;\nlayout(points, max_vertices = 1) out;\nvoid main() { }\n");
        };
        EXPECT(with(most));
        EXPECT(!with(most + 1));
    }
    if (has_extension("GL_ARB_tessellation_shader")) {
        const Text rest[] = {
            {GL_VERTEX_SHADER, "#version 150\nvoid main() { gl_Position = vec4(0); }\n"},
            {GL_TESS_EVALUATION_SHADER,
             tess_head + "layout(triangles) in;\nvoid main() { gl_Position = vec4(0); }\n"},
            {GL_TESS_CONTROL_SHADER,
             tess_head + "void f() { gl_out[gl_InvocationID].gl_Position = vec4(0); }\n"}};
        const std::string control = "void f();\nvoid main() { gl_TessLevelOuter[0] = 1.0; f(); }\n";
        EXPECT(
            links({rest[0],
                   rest[1],
                   rest[2],
                   {GL_TESS_CONTROL_SHADER, tess_head + "layout(vertices = 3) out;\n" + control}}));
        EXPECT(!links({rest[0], rest[1], rest[2], {GL_TESS_CONTROL_SHADER, tess_head + control}}));
    }
}

SCENARIO(link_sizes_of_arrays_between_stages) {
    const auto with = [](const std::string &out, const std::string &in, int read) {
        return links({{GL_VERTEX_SHADER, "#version 140\nout vec4 a" + out +
                                             ";\nvoid main() { gl_Position = a[1] = vec4(0); }\n"},
                      {GL_FRAGMENT_SHADER, "#version 140\nin vec4 a" + in +
                                               ";\nout vec4 c;\nvoid main() { c = a[" +
                                               std::to_string(read) + "]; }\n"}});
    };
    EXPECT(with("[3]", "[3]", 2));
    EXPECT(!with("[3]", "[2]", 1));
    EXPECT(with("[3]", "[]", 2));
    EXPECT(!with("[3]", "[]", 3));
    EXPECT(!with("[]", "[1]", 0)); // a[1] is written
}

// One quad over the target: the levels are those of the context, the vertices go on as they are.
SCENARIO(tessellation_without_control) {
    need(40, "GL_ARB_tessellation_shader");
    const std::string block = " block { vec2 part; flat ivec2 whole[2]; } ";
    const GLuint p = linked(
        {{GL_VERTEX_SHADER, "#version 150\nout" + block +
                                "b;\nout vec3 scale;\n"
                                "void main() {\n"
                                "    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                "    b.part = at * 0.5;\n"
                                "    b.whole[0] = ivec2(at);\n"
                                "    b.whole[1] = ivec2(gl_VertexID, 7);\n"
                                "    scale = vec3(1, 2, 3);\n"
                                "    gl_Position = vec4(at * 2.0 - 1.0, 0, 1);\n}\n"},
         {GL_TESS_EVALUATION_SHADER,
          tess_head + "layout(quads, equal_spacing) in;\nin" + block +
              "b[];\nin vec3 scale[];\nout vec4 v;\n"
              "void main() {\n"
              "    vec2 t = gl_TessCoord.xy;\n"
              "    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x),\n"
              "                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);\n"
              "    bool right = b[3].part == vec2(0.5) && b[3].whole[0] == ivec2(1) &&\n"
              "                 b[2].whole[1] == ivec2(2, 7) && scale[1] == vec3(1, 2, 3);\n"
              "    v = vec4(right, gl_TessLevelOuter[2], gl_TessLevelInner[1], "
              "gl_PatchVerticesIn);\n}\n"},
         {GL_FRAGMENT_SHADER, "#version 150\nin vec4 v;\nout vec4 c;\nvoid main() { c = v; }\n"}});
    vertex_array();
    target(8, 8, GL_RGBA32F);
    glUseProgram(p);
    const auto draw = [](int size, float outer, float inner) {
        const float levels[4] = {outer, outer, outer, outer}, both[2] = {inner, inner};
        clear_color(0, 0, 0, 0);
        glPatchParameteri(GL_PATCH_VERTICES, size);
        glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, levels);
        glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, both);
        glDrawArrays(GL_PATCHES, 0, size);
    };
    draw(4, 1, 1);
    EXPECT_RECT(0, 0, 8, 8, 1, 1, 1, 4);
    draw(4, 3, 2);
    EXPECT_RECT(0, 0, 8, 8, 1, 3, 2, 4);
    draw(5, 3, 5);
    EXPECT_RECT(0, 0, 8, 8, 1, 3, 5, 5);
    draw(4, 0, 5); // culled
    EXPECT_RECT(0, 0, 8, 8, 0, 0, 0, 0);
    glDeleteProgram(p);
}

// As many vectors as fit beside the position, as arrays of a block.
SCENARIO(tessellation_control_reads_arrays) {
    need(40, "GL_ARB_tessellation_shader");
    GLint most = 0;
    glGetIntegerv(GL_MAX_VERTEX_OUTPUT_COMPONENTS, &most);
    if (most < 120)
        return;
    const std::string block = " block { vec2 first[16]; vec2 second[15]; } ";
    const GLuint p = linked(
        {{GL_VERTEX_SHADER, "#version 150\nout" + block +
                                "b;\nuniform int at;\nvoid main() {\n"
                                "    for (int i = 0; i < 16; ++i) b.first[i] = vec2(i);\n"
                                "    for (int i = 0; i < 15; ++i) b.second[i] = vec2(16 + i);\n"
                                "    b.second[at] = vec2(99);\n"
                                "    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * "
                                "2.0 - 1.0, 0, 1);\n}\n"},
         {GL_TESS_CONTROL_SHADER,
          tess_head + "layout(vertices = 4) out;\nin" + block +
              "b[];\nuniform int at;\nout float sum[];\nvoid main() {\n"
              "    sum[gl_InvocationID] = b[gl_InvocationID].second[at].x +\n"
              "                           b[gl_InvocationID].first[at + 1].y;\n"
              "    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
              "    gl_TessLevelOuter = float[4](1.0, 1.0, 1.0, 1.0);\n"
              "    gl_TessLevelInner = float[2](1.0, 1.0);\n}\n"},
         {GL_TESS_EVALUATION_SHADER,
          tess_head +
              "layout(quads) in;\nin float sum[];\nout float v;\nvoid main() {\n"
              "    vec2 t = gl_TessCoord.xy;\n"
              "    v = sum[0] + sum[3];\n"
              "    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x),\n"
              "                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);\n"
              "}\n"},
         {GL_FRAGMENT_SHADER,
          "#version 150\nin float v;\nout vec4 c;\nvoid main() { c = vec4(v); }\n"}});
    vertex_array();
    target(8, 8, GL_RGBA32F);
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "at"), 2);
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glDrawArrays(GL_PATCHES, 0, 4);
    EXPECT_RECT(0, 0, 8, 8, 204, 204, 204, 204);
    glDeleteProgram(p);
}

// Constant expressions with the functions that translators leave to the driver.
SCENARIO(glsl_constants_of_functions) {
    EXPECT(near(of("const mat2 m = mat2(1, 2, 3, 4);\nconst mat2 i = inverse(m);\n"
                   "const mat2 t = transpose(m);\nconst float d = determinant(m);\n"
                   "const mat2 p = matrixCompMult(m, t);\n",
                   "c = vec4(i[1][0] * 2.0, t[0][1], d, p[0][1]);"),
                {3, 3, -2, 6}, 1e-5f));
    EXPECT(
        near(of("const mat4 b = mat4(2, 0, 0, 1, 0, 4, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1);\n"
                "const mat4 one = inverse(b) * b;\nconst mat3x2 w = transpose(mat2x3(1, 2, 3, 4, "
                "5, 6));\n",
                "c = vec4(one[0].x, one[1].w, determinant(b), w[2].y);"),
             {1, 0, 8, 6}, 1e-5f));
    EXPECT(near(
        of("const int bits = floatBitsToInt(1.0);\nconst float two = intBitsToFloat(0x40000000);"
           "\nconst uint u = floatBitsToUint(-2.0);\nfloat a[int(two)];\n",
           "c = vec4(bits == 0x3f800000, two, u == 0xc0000000u, a.length());"),
        {1, 2, 1, 2}, 0));
    EXPECT(near(of("const vec2 s = sinh(vec2(1.0, 0.0));\nconst float k = acosh(cosh(2.0)) + "
                   "atanh(tanh(0.5)) + asinh(0.0);\n",
                   "c = vec4(s, k, 1);"),
                {1.1752012f, 0, 2.5f, 1}, 1e-5f));
    if (has_extension("GL_ARB_shading_language_packing"))
        EXPECT(near(of("#extension GL_ARB_shading_language_packing : require\n"
                       "const vec2 h = unpackHalf2x16(packHalf2x16(vec2(1.5, -2.0)));\n"
                       "const vec2 s = unpackSnorm2x16(packSnorm2x16(vec2(-1.0, 1.0)));\n",
                       "c = vec4(h, s.x, packUnorm4x8(vec4(1, 0, 0, 1)) == 0xff0000ffu);"),
                    {1.5f, -2, -1, 1}, 1e-5f));
    if (has_extension("GL_ARB_gpu_shader5"))
        EXPECT(near(of("#extension GL_ARB_gpu_shader5 : require\n"
                       "const int n = bitCount(7) + findLSB(8) + findMSB(16);\n"
                       "float a[bitfieldExtract(0xf0u, 4, 3)], b[int(fma(2.0, 3.0, 1.0))];\n"
                       "float d[bitfieldInsert(0, 5, 1, 3)];\n",
                       "c = vec4(n, a.length(), b.length(), d.length());"),
                    {10, 7, 7, 10}, 0));
}

SCENARIO(link_attributes_of_one_location) {
    if (version() < 33)
        return;
    const GLuint p = linked(
        {{GL_VERTEX_SHADER, "#version 330\nlayout(location = 1) in vec4 a;\n"
                            "layout(location = 1) in vec4 b;\nuniform bool first;\nout vec4 v;\n"
                            "void main() { if (first) v = a; else v = b * 0.5;\n"
                            "    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                            "    gl_Position = vec4(at * 2.0 - 1.0, 0, 1); }\n"},
         {GL_FRAGMENT_SHADER, "#version 330\nin vec4 v;\nout vec4 c;\n"
                              "void main() { c = v; }\n"}});
    EXPECT_EQ(glGetAttribLocation(p, "a"), 1);
    EXPECT_EQ(glGetAttribLocation(p, "b"), 1);
    target(4, 4, GL_RGBA32F);
    glUseProgram(p);
    glVertexAttrib4f(1, 2, 4, 6, 8);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 2, 3, 4);
    glUniform1i(glGetUniformLocation(p, "first"), 1);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 2, 4, 6, 8);
    glDeleteProgram(p);
}

// Forms of look-ups that few hosts have.
SCENARIO(texture_lookups_that_compare_in_arrays) {
    const auto with = [](GLenum bound, const std::string &type, const std::string &call) {
        const GLuint t =
            texture(bound, GL_DEPTH_COMPONENT32F, 4, bound == GL_TEXTURE_1D_ARRAY ? 2 : 4, 2, 3);
        // Level 0 holds 0.25, level 1 0.75.
        for (int level = 0; level < 2; ++level) {
            const std::vector<float> texels(32, level ? 0.75f : 0.25f);
            const int n = 4 >> level;
            if (bound == GL_TEXTURE_1D_ARRAY)
                glTexSubImage2D(bound, level, 0, 0, n, 2, GL_DEPTH_COMPONENT, GL_FLOAT,
                                texels.data());
            else
                glTexSubImage3D(bound, level, 0, 0, 0, n, n, 2, GL_DEPTH_COMPONENT, GL_FLOAT,
                                texels.data());
        }
        glTexParameteri(bound, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
        glTexParameteri(bound, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        const Rgba got = of("uniform " + type + " s;\nin vec2 uv;\n", "c = vec4(" + call + ");");
        glDeleteTextures(1, &t);
        return got.at(0);
    };
    const auto one = [&](const std::string &call) {
        return with(GL_TEXTURE_1D_ARRAY, "sampler1DArrayShadow", call);
    };
    const auto two = [&](const std::string &call) {
        return with(GL_TEXTURE_2D_ARRAY, "sampler2DArrayShadow", call);
    };
    const std::string at = "vec3(uv.x, 1.0, 0.5)", on = "vec4(uv, 1.0, 0.5)";
    EXPECT_EQ(one("texture(s, " + at + ")"), 0.0f);
    EXPECT_EQ(one("texture(s, " + at + ", 1.0)"), 1.0f);
    EXPECT_EQ(one("textureOffset(s, " + at + ", 1)"), 0.0f);
    EXPECT_EQ(one("textureOffset(s, " + at + ", 1, 1.0)"), 1.0f);
    EXPECT_EQ(one("textureLod(s, " + at + ", 0.0)"), 0.0f);
    EXPECT_EQ(one("textureLod(s, " + at + ", 1.0)"), 1.0f);
    EXPECT_EQ(one("textureLodOffset(s, " + at + ", 1.0, 1)"), 1.0f);
    EXPECT_EQ(one("textureGradOffset(s, " + at + ", 0.5, 0.5, 1)"), 1.0f);
    EXPECT_EQ(two("texture(s, " + on + ")"), 0.0f);
    EXPECT_EQ(two("textureOffset(s, " + on + ", ivec2(1, 0))"), 0.0f);
    EXPECT_EQ(two("textureGrad(s, " + on + ", vec2(0.5, 0.0), vec2(0.0))"), 1.0f);
    // What offsets beyond the limits give is not defined; that they are no error is.
    of("uniform sampler2D s;\n", "c = textureOffset(s, vec2(0.5), ivec2(100, -100)) + "
                                 "texelFetchOffset(s, ivec2(0), 0, ivec2(3000, 0));");
    // Of one dimension, with a bias that begins like the offset.
    const GLuint t = texture(GL_TEXTURE_1D, GL_R32F, 4, 1);
    const float texels[4] = {1, 2, 3, 4};
    glTexSubImage1D(GL_TEXTURE_1D, 0, 0, 4, GL_RED, GL_FLOAT, texels);
    EXPECT(near(of("uniform sampler1D s;\n",
                   "c = vec4(textureOffset(s, 0.1, 1, 1.0).r, textureOffset(s, 0.1, 2).r, "
                   "textureProjOffset(s, vec2(0.2, 2.0), 1, 1.0).r, 1);"),
                {2, 3, 2, 1}, 0));
    glDeleteTextures(1, &t);
}

// From 4.40 on the stages may differ, and the fragment stage says what is done.
SCENARIO(link_interpolation_of_440) {
    if (version() < 44)
        return;
    const GLuint p = linked(
        {{GL_VERTEX_SHADER, "#version 440\nflat out float v;\nvoid main() {\n"
                            "    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                            "    v = at.x;\n    gl_Position = vec4(at * 2.0 - 1.0, 0, 1);\n}\n"},
         {GL_FRAGMENT_SHADER, "#version 440\nin float v;\nout vec4 c;\nvoid main() { c = vec4(v); "
                              "}\n"}});
    target(4, 4, GL_RGBA32F);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(2, 2, 0.625f, 0.625f, 0.625f, 0.625f);
    glDeleteProgram(p);
}

// Arrays and structs with row-major matrices, read and passed on as a whole.
SCENARIO(uniform_block_row_major_wholes) {
    const GLuint p = linked(
        {{GL_VERTEX_SHADER, in_version(fill_vs)},
         {GL_FRAGMENT_SHADER,
          in_version("#version 330\nstruct S { mat2x3 m; float k; };\n"
                     "layout(std140, row_major) uniform B { S s[2]; mat2 n[2]; mat2x3 w; } u;\n"
                     "vec3 column(mat2x3 m) { return m[1]; }\n"
                     "float corner(mat2 q[2]) { return q[1][0].y; }\nout vec4 c;\n"
                     "void main() {\n    S t[2] = u.s; S one = u.s[1]; mat2 n[2] = u.n;\n"
                     "    c = vec4(t[1].m[1].z + one.k, n[0][1].x, corner(u.n), column(u.w).y);\n"
                     "}\n")}});
    glUniformBlockBinding(p, glGetUniformBlockIndex(p, "B"), 0);
    std::vector<float> words(100);
    for (size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<float>(i);
    const GLuint b = buffer(GL_UNIFORM_BUFFER, words.data(), words.size() * 4);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, b);
    // Of 64 bytes each: three rows of two, then the float. Rows are 16 bytes apart.
    const float z_of_second_column = 16 + 8 + 1, k = 16 + 12, n = 32, w = n + 16;
    EXPECT(near(drawn(p), {z_of_second_column + k, n + 1, n + 8 + 4, w + 4 + 1}, 0));
    glDeleteBuffers(1, &b);
}

// Distances to planes that are not enabled are varyings like others.
SCENARIO(glsl_clip_distance_read) {
    const GLuint p = linked(
        {{GL_VERTEX_SHADER,
          in_version("#version 330\nout float gl_ClipDistance[2];\nvoid main() {\n"
                     "    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                     "    gl_ClipDistance[0] = 0.5;\n    gl_ClipDistance[1] = at.x;\n"
                     "    gl_Position = vec4(at * 2.0 - 1.0, 0, 1);\n}\n")},
         {GL_FRAGMENT_SHADER,
          in_version("#version 330\nin float gl_ClipDistance[2];\nout vec4 c;\nvoid main() {\n"
                     "    c = vec4(gl_ClipDistance[0], gl_ClipDistance[1], 0, 1);\n}\n")}});
    target(4, 4, GL_RGBA32F);
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(2, 2, 0.5f, 0.625f, 0, 1);
    glDeleteProgram(p);
}
