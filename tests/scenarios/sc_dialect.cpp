// SPDX-License-Identifier: MIT
// Shader texts that lean on extensions in older versions of the language: each must be taken, and
// what it says must be drawn.
#include "scenario.h"

using namespace scenario;

namespace {

const char *const vs_140 = "#version 140\n"
                           "void main() {\n"
                           "    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                           "    gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);\n"
                           "}\n";

GLuint shader_as_it_is(GLenum stage, const char *source) {
    const GLuint s = glCreateShader(stage);
    glShaderSource(s, 1, &source, nullptr);
    glCompileShader(s);
    GLint ok = 0;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[1024] = "";
        glGetShaderInfoLog(s, sizeof log, nullptr, log);
        fail(__FILE__, __LINE__, std::string("compile: ") + log);
    }
    return s;
}

GLint links(const char *vs, const char *fs) {
    const GLuint p = glCreateProgram();
    for (const GLuint s :
         {shader_as_it_is(GL_VERTEX_SHADER, vs), shader_as_it_is(GL_FRAGMENT_SHADER, fs)}) {
        glAttachShader(p, s);
        glDeleteShader(s);
    }
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    glUseProgram(ok ? p : 0);
    return ok;
}

} // namespace

SCENARIO(dialect_components_in_140) {
    need(31, "GL_ARB_enhanced_layouts");
    target(2, 2);
    EXPECT(links("#version 140\n"
                 "#extension GL_ARB_enhanced_layouts : require\n"
                 "#extension GL_ARB_separate_shader_objects : require\n"
                 "layout(location = 0) out vec2 a;\n"
                 "layout(location = 0, component = 2) out vec2 b;\n"
                 "void main() {\n"
                 "    a = vec2(1.0, 0.0);\n"
                 "    b = vec2(0.0, 1.0);\n"
                 "    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                 "    gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);\n"
                 "}\n",
                 "#version 140\n"
                 "#extension GL_ARB_enhanced_layouts : require\n"
                 "#extension GL_ARB_separate_shader_objects : require\n"
                 "layout(location = 0) in vec2 a;\n"
                 "layout(location = 0, component = 2) in vec2 b;\n"
                 "out vec4 color;\n"
                 "void main() { color = vec4(a, b); }\n"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
}

SCENARIO(dialect_overlap_is_a_link_error) {
    need(31, "GL_ARB_enhanced_layouts");
    // Both compile; the two outputs cannot be linked.
    EXPECT(!links(vs_140, "#version 140\n"
                          "#extension GL_ARB_enhanced_layouts : require\n"
                          "#extension GL_ARB_explicit_attrib_location : require\n"
                          "layout(location = 0) out vec2 a;\n"
                          "layout(location = 0, component = 1) out vec2 b;\n"
                          "void main() { a = b = vec2(1.0); }\n"));
}

SCENARIO(dialect_blocks_meet_by_location) {
    if (version() < 32) // no blocks between stages
        return;
    target(2, 2);
    EXPECT(links("#version 150\n"
                 "#extension GL_ARB_separate_shader_objects : require\n"
                 "layout(location = 0) out one { vec4 a; } first;\n"
                 "layout(location = 2) out two { vec4 a; } second;\n"
                 "void main() {\n"
                 "    first.a = vec4(0.0, 1.0, 1.0, 1.0);\n"
                 "    second.a = vec4(1.0, 0.0, 0.0, 1.0);\n"
                 "    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                 "    gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);\n"
                 "}\n",
                 "#version 150\n"
                 "#extension GL_ARB_separate_shader_objects : require\n"
                 "layout(location = 2) in one { vec4 a; } first;\n"
                 "out vec4 color;\n"
                 "void main() { color = first.a; }\n"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
}

SCENARIO(dialect_texture_arrays_in_120) {
    target(2, 2);
    const GLuint t = texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 1, 1, 2);
    const uint8_t green[4] = {0, 255, 0, 255};
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, green);
    EXPECT(links(vs_140,
                 "#version 120\n"
                 "#extension GL_EXT_texture_array : require\n"
                 "uniform sampler2DArray s;\n"
                 "void main() { gl_FragColor = texture2DArray(s, vec3(0.5, 0.5, 1.0)); }\n"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 0, 1, 0, 1);
    glDeleteTextures(1, &t);
}

SCENARIO(dialect_instances_by_their_old_name) {
    target(2, 1);
    EXPECT(links("#version 130\n"
                 "#extension GL_ARB_draw_instanced : require\n"
                 "void main() {\n"
                 "    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                 "    gl_Position = vec4(p.x - float(1 - gl_InstanceIDARB), p.y * 2.0 - 1.0, 0.0, "
                 "1.0);\n"
                 "}\n",
                 "#version 130\n"
                 "out vec4 color;\n"
                 "void main() { color = vec4(0.0, 0.0, 1.0, 1.0); }\n"));
    draw_fill(2);
    EXPECT_RECT(0, 0, 2, 1, 0, 0, 1, 1);
}

SCENARIO(dialect_integer_mix) {
    need(31, "GL_EXT_shader_integer_mix");
    target(2, 2);
    EXPECT(links(vs_140, "#version 140\n"
                         "#extension GL_EXT_shader_integer_mix : require\n"
                         "uniform ivec2 zero;\n"
                         "out vec4 color;\n"
                         "void main() {\n"
                         "    ivec2 i = mix(zero, zero + 1, bvec2(true, false));\n"
                         "    uint u = mix(7u, uint(zero.x) + 1u, zero.x == 0);\n"
                         "    bvec2 b = mix(bvec2(zero), bvec2(true), bvec2(false, true));\n"
                         "    color = vec4(i, u, b.y && !b.x);\n"
                         "}\n"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0, 1, 1);
}

SCENARIO(dialect_stages_and_numbers_in_110) {
    target(2, 2);
    if (version() >= 32)
        glDeleteShader(shader_as_it_is(GL_GEOMETRY_SHADER, "#version 110\n"
                                                           "layout(points) in;\n"
                                                           "layout(points, max_vertices = 1) out;\n"
                                                           "void main() { EmitVertex(); }\n"));
    EXPECT(
        links(vs_140, "#version 110\nvoid main() { gl_FragColor = vec4(1.0f, 0.5e0F, 0., 1); }\n"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 0.5f, 0, 1);
}

SCENARIO(dialect_capture_leaves_a_buffer_out) {
    need(40, "GL_ARB_transform_feedback3");
    const GLuint p =
        program("#version 150\n"
                "#extension GL_ARB_enhanced_layouts : require\n"
                "layout(xfb_buffer = 0, xfb_offset = 0) out float x;\n"
                "layout(xfb_buffer = 2, xfb_offset = 4) out vec2 y;\n"
                "void main() { x = 1.0; y = vec2(2.0, 3.0); gl_Position = vec4(0); }\n",
                "");
    GLuint b[2] = {}, query = 0, written = 0;
    glGenBuffers(2, b);
    glGenQueries(1, &query);
    const float none[3] = {-1, -1, -1};
    for (const GLuint i : {0u, 1u}) {
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 2 * i, b[i]);
        glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof none, none, GL_STREAM_READ);
    }
    glUseProgram(p);
    vertex_array();
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 1);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glDisable(GL_RASTERIZER_DISCARD);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
    EXPECT_EQ(written, 1u);
    float first = 0, second[3] = {};
    glBindBuffer(GL_COPY_READ_BUFFER, b[0]);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof first, &first);
    glBindBuffer(GL_COPY_READ_BUFFER, b[1]);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, sizeof second, second);
    EXPECT(first == 1 && second[1] == 2 && second[2] == 3);
    EXPECT_ERROR(GL_NO_ERROR);
    glDeleteBuffers(2, b);
    glDeleteQueries(1, &query);
}
