// SPDX-License-Identifier: MIT
// Components within a location: attributes, outputs, members of blocks, captured varyings.
#include "scenario.h"

using namespace scenario;

namespace {

const std::string ask = "#version 330\n#extension GL_ARB_enhanced_layouts : require\n"
                        "#extension GL_ARB_separate_shader_objects : require\n";
const std::string corner =
    "    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1);\n";

} // namespace

// Three attributes of one location, arrays beside each other, and integers.
SCENARIO(components_of_attributes) {
    need(44, "GL_ARB_enhanced_layouts");
    target(2, 2, GL_RGBA32F);
    glUseProgram(program(ask + "layout(location = 1) in float a;\n"
                            "layout(location = 1, component = 1) in vec2 b;\n"
                            "layout(location = 1, component = 3) in float c;\n"
                            "layout(location = 2) in vec2 m[2];\n"
                            "layout(location = 2, component = 2) in float d[2];\n"
                            "layout(location = 4, component = 1) in ivec2 i;\n"
                            "flat out vec4 one;\nvoid main() {\n"
                            "    one = vec4(a + c * 10.0, b.x + b.y * 10.0,\n"
                            "               m[0].y + m[1].x * 10.0 + d[0] * 100.0 + d[1] * 1000.0,\n"
                            "               i.x * 10 + i.y);\n" +
                          corner + "}\n",
                      ask + "flat in vec4 one;\nout vec4 color;\nvoid main() { color = one; }\n"));
    vertex_array();
    glVertexAttrib4f(1, 1, 2, 3, 4);
    glVertexAttrib4f(2, 5, 6, 7, 8);
    glVertexAttrib4f(3, 9, 1, 2, 3);
    glVertexAttribI4i(4, 4, -5, 6, 7);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_PIXEL(1, 1, 41, 32, 6 + 90 + 700 + 2000, -44);
    // From a buffer, where what is not there is 0, 0, 1.
    const float words[4] = {7, 8, 9, 6};
    const GLuint b = buffer(GL_ARRAY_BUFFER, words, sizeof words);
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glVertexAttribDivisor(1, 1);
    glEnableVertexAttribArray(1);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 2);
    EXPECT_PIXEL(1, 1, 9 + 10, 6, 6 + 90 + 700 + 2000, -44);
    glDeleteBuffers(1, &b);
}

SCENARIO(components_of_fragment_outputs) {
    need(44, "GL_ARB_enhanced_layouts");
    const GLuint p = program("#version 330\nvoid main() {\n" + corner + "}\n",
                          ask + "layout(location = 0) out float r;\n"
                                "layout(location = 0, component = 3) out float a;\n"
                                "layout(location = 0, component = 1) out vec2 gb;\n"
                                "layout(location = 1, component = 2) out vec2 list[2];\n"
                                "layout(location = 1) out float other[2];\n"
                                "layout(location = 1, component = 1) out float third[2];\n"
                                "void main() {\n    r = 0.25;\n    gb = vec2(0.5, 0.75);\n"
                                "    if (gl_FragCoord.x > 1.0) gb.y = 0.0;\n    a = 1.0;\n"
                                "    for (int i = 0; i < 2; i++) {\n"
                                "        list[i] = vec2(i, 1 - i);\n"
                                "        other[i] = float(i + 2);\n        third[i] = 5.0;\n"
                                "    }\n}\n");
    GLuint f = 0, t[3] = {};
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    glViewport(0, 0, 2, 2);
    GLenum buffers[3];
    for (GLuint i = 0; i < 3; i++) {
        t[i] = texture(GL_TEXTURE_2D, GL_RGBA32F, 2, 2);
        buffers[i] = GL_COLOR_ATTACHMENT0 + i;
        glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[i], GL_TEXTURE_2D, t[i], 0);
    }
    glDrawBuffers(3, buffers);
    glUseProgram(p);
    draw_fill();
    glReadBuffer(buffers[0]);
    EXPECT_PIXEL(0, 1, 0.25f, 0.5f, 0.75f, 1);
    EXPECT_PIXEL(1, 1, 0.25f, 0.5f, 0, 1);
    glReadBuffer(buffers[1]);
    EXPECT_PIXEL(1, 0, 2, 5, 0, 1);
    glReadBuffer(buffers[2]);
    EXPECT_PIXEL(1, 0, 3, 5, 1, 0);
    glDeleteTextures(3, t);
    glDeleteFramebuffers(1, &f);
}

// A block whose members share a location, through a geometry stage where there is one.
SCENARIO(components_of_block_members) {
    need(44, "GL_ARB_enhanced_layouts");
    target(2, 2, GL_RGBA32F);
    const auto block = [](const std::string &dir, const std::string &instance) {
        return dir + " Block {\n    layout(location = 3, component = 1) vec3 b;\n"
                     "    layout(location = 3) float a;\n    layout(location = 1) vec2 c;\n"
                     "    layout(location = 1, component = 3) float d;\n} " +
               instance + ";\n";
    };
    const std::string vs = ask + block("out", "o") + "void main() {\n" + corner +
                           "    o.a = 1.0; o.b = vec3(2, 3, 4); o.c = vec2(5, 6); o.d = 7.0;\n}\n",
                      fs = ask + block("in", "i") + "out vec4 color;\nvoid main() {\n"
                                                    "    color = vec4(i.a + i.b.x * 10.0, i.b.y + "
                                                    "i.b.z * 10.0, i.c.x + i.c.y * 10.0, i.d);\n}\n";
    glUseProgram(program(vs, fs));
    draw_fill();
    EXPECT_PIXEL(1, 1, 21, 43, 65, 7);
    if (version() < 32)
        return;
    const std::string gs =
        ask + "layout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n" +
        block("in", "i[]") + block("out", "o") +
        "void main() {\n    for (int n = 0; n < 3; n++) {\n        o.a = i[n].a; o.b = i[n].b; "
        "o.c = i[n].c; o.d = i[n].d + 1.0;\n        gl_Position = gl_in[n].gl_Position; "
        "EmitVertex();\n    }\n}\n";
    glUseProgram(program(vs, fs, gs));
    draw_fill();
    EXPECT_PIXEL(1, 1, 21, 43, 65, 8);
}

// What is captured travels at components of locations.
SCENARIO(components_captured) {
    need(44, "GL_ARB_enhanced_layouts");
    const GLuint p = program(ask + "layout(location = 2, component = 1, xfb_buffer = 0, xfb_offset = "
                                "8) out vec2 b;\n"
                                "layout(location = 2, xfb_offset = 0) out float a;\n"
                                "layout(location = 2, component = 3, xfb_offset = 4) out float c;\n"
                                "layout(location = 4, component = 2, xfb_offset = 16) out float "
                                "list[2];\nvoid main() {\n    a = 1.0; b = vec2(2, 3); c = 4.0;\n"
                                "    list[0] = 5.0; list[1] = 6.0;\n" +
                              corner + "}\n",
                          ask + "layout(location = 2, component = 1) in vec2 b;\nout vec4 color;\n"
                                "void main() { color = vec4(b, 0, 1); }\n");
    float words[7] = {-1, -1, -1, -1, -1, -1, -1};
    const GLuint out = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, words, sizeof words, GL_STREAM_READ);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, out);
    target(2, 2, GL_RGBA32F);
    glUseProgram(p);
    vertex_array();
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 1);
    glEndTransformFeedback();
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof words, words);
    const float want[7] = {1, 4, 2, 3, 5, 6, -1};
    for (int i = 0; i < 7; i++)
        EXPECT_EQ(words[i], want[i]);
    EXPECT_ERROR(GL_NO_ERROR);
    draw_fill();
    EXPECT_PIXEL(1, 1, 2, 3, 0, 1);
    glDeleteBuffers(1, &out);
}
