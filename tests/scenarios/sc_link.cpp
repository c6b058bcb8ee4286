// SPDX-License-Identifier: MIT
// Linking: explicit locations and bindings, what stages must agree about, interfaces up to the
// limits.
#include "scenario.h"

#include <algorithm>

using namespace scenario;

namespace {

constexpr char explicit_locations[] = "#extension GL_ARB_explicit_uniform_location : require\n";

GLint compiles(GLenum stage, const std::string &source, GLuint *made = nullptr) {
    const GLuint s = glCreateShader(stage);
    const std::string text = made ? in_version(source) : source;
    const char *p = text.c_str();
    glShaderSource(s, 1, &p, nullptr);
    glCompileShader(s);
    GLint ok = 0;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (made)
        *made = s;
    return ok;
}

// Whether two shaders, each of which compiles, link.
bool links(const std::string &vs, const std::string &fs, std::string *log = nullptr) {
    GLuint v = 0, f = 0;
    EXPECT(compiles(GL_VERTEX_SHADER, vs, &v));
    EXPECT(compiles(GL_FRAGMENT_SHADER, fs, &f));
    const GLuint p = glCreateProgram();
    glAttachShader(p, v);
    glAttachShader(p, f);
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    char text[4096] = "";
    glGetProgramInfoLog(p, sizeof text, nullptr, text);
    if (log)
        *log = text;
    return ok;
}

std::string head(const char *extension = "") {
    return std::string("#version 330\n") + extension;
}

} // namespace

SCENARIO(link_inactive_uniform_keeps_its_location) {
    const std::string fs = head(explicit_locations) +
                           "layout(location = 7) uniform float unused[3];\n"
                           "layout(location = 1) uniform vec4 color;\n"
                           "uniform vec4 free[8];\n"
                           "out vec4 o;\nvoid main() { o = color + free[7]; }\n";
    const GLuint p = program(fill_vs, fs);
    glUseProgram(p);
    glUniform1f(7, 0.5f);
    glUniform1f(9, 0.5f);
    EXPECT_ERROR(GL_NO_ERROR);
    glUniform1f(100, 0.5f);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    EXPECT_EQ(glGetUniformLocation(p, "unused"), -1);
    const GLint first = glGetUniformLocation(p, "free");
    EXPECT(first >= 0 && (first + 8 <= 7 || first >= 10));
    glUniform4f(1, 0, 1, 0, 1);
    target(8, 8);
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
}

SCENARIO(link_uniforms_that_share_a_location) {
    std::string log;
    const std::string vs = head() + "void main() { gl_Position = vec4(0); }\n";
    EXPECT(!links(vs,
                  head(explicit_locations) +
                      "layout(location = 0) uniform float a[16];\n"
                      "layout(location = 2) uniform float late;\n"
                      "out vec4 o;\nvoid main() { o = vec4(late, a[15], 0, 1); }\n",
                  &log));
    EXPECT(log.find("location") != std::string::npos);
    // Of different stages, one of them used by nobody.
    EXPECT(!links(head(explicit_locations) + "layout(location = 0) uniform float a[16];\n"
                                             "void main() { gl_Position = vec4(0); }\n",
                  head(explicit_locations) + "layout(location = 15) uniform vec4 c;\n"
                                             "out vec4 o;\nvoid main() { o = c; }\n"));
    // The same uniform, used in the stage that gives no location.
    EXPECT(links(head(explicit_locations) + "layout(location = 5) uniform vec4 c;\n"
                                            "void main() { gl_Position = vec4(0); }\n",
                 head(explicit_locations) + "uniform vec4 c;\n"
                                            "out vec4 o;\nvoid main() { o = c; }\n"));
}

SCENARIO(link_bindings_of_one_sampler) {
    constexpr char pack[] = "#extension GL_ARB_shading_language_420pack : require\n";
    const auto vs = [&](const std::string &layout) {
        return head(pack) + layout +
               "uniform sampler2D t;\nvoid main() { gl_Position = texture(t, vec2(0)); }\n";
    };
    const auto fs = [&](const std::string &layout) {
        return head(pack) + layout +
               "uniform sampler2D t;\nout vec4 o;\nvoid main() { o = texture(t, vec2(0)); }\n";
    };
    EXPECT(!links(vs("layout(binding = 0) "), fs("layout(binding = 1) ")));
    EXPECT(!links(vs("layout(binding = 2) "), fs("layout(binding = 0) ")));
    EXPECT(links(vs("layout(binding = 0) "), fs("layout(binding = 0) ")));
    EXPECT(links(vs("layout(binding = 3) "), fs("")));
    EXPECT(links(vs(""), fs("layout(binding = 0) ")));
}

SCENARIO(shader_extensions_are_those_of_the_context) {
    for (const char *name :
         {"GL_ARB_gpu_shader_fp64", "GL_ARB_gpu_shader5", "GL_ARB_derivative_control",
          "GL_ARB_conservative_depth", "GL_AMD_conservative_depth", "GL_EXT_shader_integer_mix",
          "GL_ARB_shader_viewport_layer_array", "GL_ARB_texture_query_lod",
          "GL_ARB_shader_image_load_store", "GL_EXT_no_such_extension"}) {
        const std::string n = name;
        const bool there = has_extension(name);
        const std::string head = version() < 32 ? "#version 140\n" : "#version 150\n",
                          body = "void main() { gl_Position = vec4(0); }\n";
        EXPECT_EQ(compiles(GL_VERTEX_SHADER, head + "#extension " + n + " : require\n" + body),
                  GLint(there));
        EXPECT_EQ(compiles(GL_VERTEX_SHADER, head + "#ifdef " + n + "\n" + body + "#endif\n" +
                                                 "#ifndef " + n + "\n#error absent\n#endif\n"),
                  GLint(there));
    }
    const char mix[] = "#version 330\n#extension GL_EXT_shader_integer_mix : require\n"
                       "out vec4 o;\nvoid main() { ivec2 v = mix(ivec2(0, 5), ivec2(255, 7), "
                       "bvec2(false, true)); uint u = mix(3u, 255u, true); bool b = mix(true, "
                       "false, true); o = vec4(v.x, u == 255u, b, v.y == 7); }\n";
    if (has_extension("GL_EXT_shader_integer_mix") && version() >= 33) {
        target(8, 8);
        glUseProgram(program(fill_vs, mix));
        draw_fill();
        EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
    }
}

// Outputs that together have no more components than GL allows, yet more names than there are
// vectors of four.
SCENARIO(link_varyings_beyond_the_vectors) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_VARYING_COMPONENTS, &most);
    std::string out, in, set, bad = "0";
    const int count = std::min(most, 124) / 4 & ~3; // kinds that do not mix fill their vectors
    for (int i = 0; i < count; i++) {
        const std::string n = std::to_string(i);
        out += "out float f" + n + ";\nflat out int n" + n + ";\nout vec2 v" + n + ";\n";
        in += "in float f" + n + ";\nflat in int n" + n + ";\nin vec2 v" + n + ";\n";
        set += "f" + n + " = " + n + ".0; n" + n + " = -" + n + "; v" + n + " = vec2(p.x, " + n +
               ".5);\n";
        bad += " + int(abs(f" + n + " - " + n + ".0) > 0.01) + int(n" + n + " != -" + n +
               ") + int(abs(v" + n + ".x - p.x) + abs(v" + n + ".y - " + n + ".5) > 0.01)";
    }
    const std::string vs =
        "#version 330\nvec2 p;\n" + out +
        "void main() { p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n" + set +
        "gl_Position = vec4(p, 0, 1); }\n";
    const std::string fs =
        "#version 330\nvec2 p;\n" + in +
        "out vec4 o;\nvoid main() { p = gl_FragCoord.xy / 4.0 - 1.0;\nint bad = " + bad +
        ";\no = bad == 0 ? vec4(0, 1, 0, 1) : vec4(1, 0, bad, 1); }\n";
    target(8, 8);
    glUseProgram(program(vs, fs));
    draw_fill();
    EXPECT_PIXEL(1, 6, 0, 1, 0, 1);
    EXPECT_PIXEL(6, 2, 0, 1, 0, 1);
}

// An array of scalars from the vertex through the geometry to the fragment stage.
SCENARIO(link_scalar_arrays_through_geometry) {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    const std::string vs = R"(#version 330
        flat out int a[40];
        out float b[20];
        void main() {
            for (int i = 0; i < 40; i++)
                a[i] = gl_VertexID * 100 + i;
            for (int i = 0; i < 20; i++)
                b[i] = float(i);
            gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1);
        })";
    const std::string gs = R"(#version 330
        #extension GL_ARB_arrays_of_arrays : require
        layout(triangles) in;
        layout(triangle_strip, max_vertices = 3) out;
        flat in int a[][40];
        in float b[][20];
        flat out int c[40];
        out float d[20];
        void main() {
            for (int v = 0; v < 3; v++) {
                for (int i = 0; i < 40; i++)
                    c[i] = a[v][i] - v * 100;
                for (int i = 0; i < 20; i++)
                    d[i] = b[v][i] + 0.25;
                gl_Position = gl_in[v].gl_Position;
                EmitVertex();
            }
        })";
    const std::string fs = R"(#version 330
        flat in int c[40];
        in float d[20];
        out vec4 o;
        void main() {
            int bad = 0;
            for (int i = 0; i < 40; i++)
                bad += int(c[i] != i);
            for (int i = 0; i < 20; i++)
                bad += int(abs(d[i] - float(i) - 0.25) > 0.01);
            o = bad == 0 ? vec4(0, 1, 0, 1) : vec4(1, 0, bad, 1);
        })";
    target(8, 8);
    vertex_array();
    glUseProgram(program(vs, fs, gs));
    clear_color(0, 0, 0, 0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
}

SCENARIO(link_captured_matrices_beyond_the_vectors) {
    GLint most = 0;
    GLint captured = 0;
    glGetIntegerv(GL_MAX_VARYING_COMPONENTS, &most);
    glGetIntegerv(GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, &captured);
    const int count = std::min({most, captured, 124}) / 4;
    std::string out, set;
    std::vector<std::string> names;
    for (int i = 0; i < count; i++) {
        const std::string n = std::to_string(i);
        names.push_back("m" + n);
        out += "out mat2 m" + n + ";\n";
        set += "m" + n + " = mat2(" + n + ".0, 1, 2, gl_VertexID);\n";
    }
    std::vector<const char *> list;
    for (const std::string &n : names)
        list.push_back(n.c_str());
    const GLuint p = capture_program(
        "#version 330\n" + out + "void main() { " + set + "gl_Position = vec4(0); }\n", "", list);
    glUseProgram(p);
    vertex_array();
    std::vector<float> got(size_t(count) * 8, -1);
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, got.data(), got.size() * 4);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 2);
    glEndTransformFeedback();
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, GLsizeiptr(got.size() * 4), got.data());
    int bad = 0;
    for (int v = 0; v < 2; v++)
        for (int i = 0; i < count; i++) {
            const float *m = &got[size_t(v * count + i) * 4];
            bad += m[0] != float(i) || m[1] != 1 || m[2] != 2 || m[3] != float(v);
        }
    EXPECT_EQ(bad, 0);
}

SCENARIO(link_declarations_that_disagree) {
    const std::string vs = head() + "out float v;\nuniform float u;\n"
                                    "void main() { v = 0.5; gl_Position = vec4(0); }\n";
    const auto fs = [](const std::string &decls, const std::string &value) {
        return head() + decls + "out vec4 o;\nvoid main() { o = vec4(" + value + "); }\n";
    };
    std::string log;
    EXPECT(links(vs, fs("in float v;\nuniform float u;\n", "v + u")));
    EXPECT(!links(vs, fs("invariant in float v;\n", "v"), &log));
    EXPECT(log.find("'v'") != std::string::npos || log.find("`v'") != std::string::npos);
    // The vertex shader does not even use it.
    EXPECT(!links(vs, fs("uniform int u;\n", "u"), &log));
    EXPECT(log.find("u'") != std::string::npos);
    // Nor does either of them.
    EXPECT(links(vs, fs("uniform sampler2D x;\nin float v;\n", "v")));
    const std::string declares =
        head() + "uniform vec4 x;\nvoid main() { gl_Position = vec4(0); }\n";
    EXPECT(links(declares, fs("uniform vec4 x;\n", "1")));
    EXPECT(!links(declares, fs("uniform vec3 x;\n", "1"), &log));
    EXPECT(log.find("x'") != std::string::npos);
    EXPECT(!links(declares, fs("uniform sampler2D x;\n", "1")));
    EXPECT_EQ(compiles(GL_VERTEX_SHADER, "#version 150\n#define GL_OWN 1\nvoid main() {}\n"), 0);
}

// The names of GLSL 1.20, which drivers keep in core contexts.
SCENARIO(link_sample_qualifiers_and_streams) {
    if (version() < 40 && !has_extension("GL_ARB_gpu_shader5"))
        skip("no GL_ARB_gpu_shader5");
    const std::string gpu5 = head("#extension GL_ARB_gpu_shader5 : enable\n");
    const std::string plain = "out vec4 v;\nvoid main() { gl_Position = v = vec4(1); }\n";
    const std::string reads = "in vec4 v;\nout vec4 o;\nvoid main() { o = v; }\n";
    EXPECT(links(gpu5 + "sample " + plain, gpu5 + "sample " + reads));
    EXPECT(!links(gpu5 + plain, gpu5 + "sample " + reads));
    EXPECT(!links(gpu5 + "sample " + plain, gpu5 + reads));
    // A geometry stage whose streams are of `primitive`; the fragment stage reads stream `read`.
    const auto emits = [&](const std::string &primitive, const std::string &stream, int read) {
        GLuint stages[3] = {};
        EXPECT(compiles(GL_VERTEX_SHADER, fill_vs, &stages[0]));
        EXPECT(compiles(GL_GEOMETRY_SHADER,
                        gpu5 + "layout(points) in;\nlayout(" + primitive +
                            ", max_vertices = 2) out;\nlayout(stream = 0) out vec4 v0;\n"
                            "layout(stream = 1) out vec4 v1;\nvoid main() {\n"
                            "gl_Position = v0 = v1 = vec4(1);\nEmitStreamVertex(0);\n"
                            "v1 = vec4(1);\nEmitStreamVertex(" +
                            stream + ");\n}\n",
                        &stages[1]));
        EXPECT(compiles(GL_FRAGMENT_SHADER,
                        gpu5 + "in vec4 v" + std::to_string(read) + ";\nout vec4 o;\n" +
                            "void main() { o = v" + std::to_string(read) + "; }\n",
                        &stages[2]));
        const GLuint p = glCreateProgram();
        for (const GLuint s : stages)
            glAttachShader(p, s);
        glLinkProgram(p);
        GLint ok = 0;
        glGetProgramiv(p, GL_LINK_STATUS, &ok);
        return ok != 0;
    };
    GLint streams = 1;
    glGetIntegerv(GL_MAX_VERTEX_STREAMS, &streams);
    if (glGetError() != GL_NO_ERROR || streams < 2)
        return;
    EXPECT(emits("points", "1", 0));
    EXPECT(!emits("points", "1", 1));
    EXPECT(!emits("triangle_strip", "1", 0));
    EXPECT(!emits("points", "-1", 0));
    EXPECT(!emits("points", "4", 0));
}

SCENARIO(shader_old_lookups) {
    const uint8_t green[4] = {0, 255, 0, 255};
    target(8, 8);
    texture_rgba8(1, 1, green);
    for (const char *lookup : {"texture2D(t, uv)", "texture2D(t, uv, 1.0)",
                               "texture2DProj(t, vec3(uv, 1))", "texture2DLod(t, uv, 0.0)"}) {
        clear_color(0, 0, 0, 0);
        glUseProgram(fill_program(lookup, "uniform sampler2D t;"));
        draw_fill();
        EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
    }
}
