// SPDX-License-Identifier: MIT
// Linking: explicit locations and bindings, what stages must agree about, interfaces up to the
// limits.
#include "scenario.h"

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
        const std::string version = scenario::version() < 32 ? "#version 140\n" : "#version 150\n",
                          body = "void main() { gl_Position = vec4(0); }\n";
        EXPECT_EQ(compiles(GL_VERTEX_SHADER, version + "#extension " + n + " : require\n" + body),
                  GLint(there));
        EXPECT_EQ(compiles(GL_VERTEX_SHADER, version + "#ifdef " + n + "\n" + body + "#endif\n" +
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
