// SPDX-License-Identifier: MIT
// Multisample targets: coverage, masks, alpha to coverage, clears, resolves, fetches by sample.
#include "scenario.h"

#include <algorithm>
#include <cmath>

using namespace scenario;

namespace {

void need_multisample_textures() {
    need(32, "GL_ARB_texture_multisample");
}

// A multisample texture on a framebuffer, bound.
GLuint sampled_target(GLenum format, int samples, int size = 4) {
    GLuint t = 0, fbo = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, samples, format, size, size, GL_TRUE);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, t, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        fail(__FILE__, __LINE__, "multisample texture is not complete");
    glViewport(0, 0, size, size);
    return t;
}

int supported_samples(GLenum format) {
    GLint most = 0;
    glGetIntegerv(format == GL_RGBA32I ? GL_MAX_INTEGER_SAMPLES : GL_MAX_SAMPLES, &most);
    return most;
}

// Fetches sample `s` at `at` (which may use `l`).
GLuint fetch_program(const std::string &type, const std::string &at) {
    const std::string kind = type[0] == 'i' ? "ivec4" : "vec4";
    return program(fill_vs, "#version 330\n#extension GL_ARB_texture_multisample : enable\n"
                            "uniform " +
                                type + " t; uniform int s, l;\nout " + kind +
                                " o;\nvoid main() { o = texelFetch(t, " + at + ", s); }");
}

// One sample of a pixel, by a fetch.
Rgba sample_of(GLuint t, int sample, int x = 1, int y = 1) {
    const Target to = target(4, 4, GL_RGBA32F);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t);
    const GLuint p = fetch_program("sampler2DMS", "ivec2(gl_FragCoord.xy)");
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "s"), sample);
    draw_fill();
    const Rgba c = pixel(x, y);
    glDeleteFramebuffers(1, &to.fbo);
    return c;
}

float resolved_red(const Target &from) {
    resolve(from);
    return pixel(1, 1)[0];
}

} // namespace

SCENARIO(multisample_sample_coverage) {
    const Target ms = multisample_target(4, 4, 4);
    glUseProgram(fill_program("vec4(1)"));
    glEnable(GL_SAMPLE_COVERAGE);
    for (const float value : {0.0f, 0.5f, 1.0f})
        for (const GLboolean invert : {GL_FALSE, GL_TRUE}) {
            glBindFramebuffer(GL_FRAMEBUFFER, ms.fbo);
            clear_color(0, 0, 0, 1);
            glSampleCoverage(value, invert);
            draw_fill();
            EXPECT(std::fabs(resolved_red(ms) - (invert ? 1 - value : value)) < 0.02f);
        }
}

SCENARIO(multisample_alpha_to_coverage) {
    const Target ms = multisample_target(4, 4, 4);
    const GLuint p = fill_program("vec4(1, 1, 1, alpha)", "uniform float alpha;");
    glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    float last = -1;
    for (const float alpha : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
        glBindFramebuffer(GL_FRAMEBUFFER, ms.fbo);
        clear_color(0, 0, 0, 1);
        glUseProgram(p);
        glUniform1f(glGetUniformLocation(p, "alpha"), alpha);
        draw_fill();
        const float red = resolved_red(ms);
        EXPECT(red >= last && std::fabs(red - alpha) < 0.3f);
        last = red;
    }
    EXPECT(last == 1);
    glBindFramebuffer(GL_FRAMEBUFFER, target(4, 4).fbo); // nothing without samples
    glUniform1f(glGetUniformLocation(p, "alpha"), 0.0f);
    draw_fill();
    EXPECT_PIXEL(1, 1, 1, 1, 1, 0);
}

SCENARIO(multisample_alpha_to_one) {
    const Target ms = multisample_target(4, 4, 4);
    clear_color(0, 0, 0, 0);
    glEnable(GL_SAMPLE_ALPHA_TO_ONE);
    glUseProgram(fill_program("vec4(0.5, 0.5, 0.5, 0.25)"));
    draw_fill();
    resolve(ms);
    EXPECT_RECT(0, 0, 4, 4, 0.5f, 0.5f, 0.5f, 1);
    // Coverage goes by the alpha of the shader.
    glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    glBindFramebuffer(GL_FRAMEBUFFER, ms.fbo);
    clear_color(0, 0, 0, 0);
    glUseProgram(fill_program("vec4(1, 1, 1, gl_FragCoord.x < 2.0 ? 0.5 : 0.0)"));
    draw_fill();
    resolve(ms);
    EXPECT_RECT(0, 0, 2, 4, 0.5f, 0.5f, 0.5f, 0.5f);
    EXPECT_RECT(2, 0, 2, 4, 0, 0, 0, 0);
}

SCENARIO(multisample_masks_by_sample) {
    need_multisample_textures();
    const GLuint t = sampled_target(GL_RGBA8, 4);
    clear_color(0, 0, 0, 1);
    glUseProgram(fill_program("vec4(1)"));
    glEnable(GL_SAMPLE_MASK);
    glSampleMaski(0, 0x5);
    draw_fill();
    glDisable(GL_SAMPLE_MASK);
    for (int s = 0; s < 4; s++)
        EXPECT(sample_of(t, s)[0] == (s % 2 ? 0.0f : 1.0f));
}

SCENARIO(multisample_mask_written_by_shader) {
    need(40, "GL_ARB_sample_shading");
    const GLuint p = program(fill_vs, "#version 330\n#extension GL_ARB_sample_shading : require\n"
                                      "#extension GL_ARB_gpu_shader5 : enable\nuniform int mask;\n"
                                      "out vec4 o; void main() { o = vec4(1); gl_SampleMask[0] = "
                                      "mask; }");
    glUseProgram(p);
    const Target one = target(4, 4);
    clear_color(0, 0, 0, 1);
    draw_fill(); // without samples the mask is ignored
    EXPECT_PIXEL(1, 1, 1, 1, 1, 1);
    const Target ms = multisample_target(4, 4, 4);
    for (const int mask : {0, 3, 15}) {
        glBindFramebuffer(GL_FRAMEBUFFER, ms.fbo);
        clear_color(0, 0, 0, 1);
        glUniform1i(glGetUniformLocation(p, "mask"), mask);
        draw_fill();
        EXPECT(std::fabs(resolved_red(ms) - (mask == 3 ? 0.5f : mask ? 1.0f : 0.0f)) < 0.02f);
    }
    (void)one;
}

SCENARIO(multisample_integer_clear) {
    need_multisample_textures();
    const int most = supported_samples(GL_RGBA32I), samples = most < 4 ? 1 : std::min(most, 8);
    GLuint t = sampled_target(GL_RGBA32I, samples);
    const GLint v[4] = {-5, 1 << 30, 0, 7};
    glClearBufferiv(GL_COLOR, 0, v);
    target(4, 4, GL_RGBA32I);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t);
    const GLuint p = fetch_program("isampler2DMS", "ivec2(gl_FragCoord.xy)");
    glUseProgram(p);
    for (int s = 0; s < samples; s++) {
        glUniform1i(glGetUniformLocation(p, "s"), s);
        draw_fill();
        GLint got[4] = {};
        glReadPixels(2, 3, 1, 1, GL_RGBA_INTEGER, GL_INT, got);
        EXPECT(got[0] == -5 && got[1] == 1 << 30 && got[2] == 0 && got[3] == 7);
    }
}

SCENARIO(multisample_array_layers) {
    need_multisample_textures();
    GLuint t = 0, fbo = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, t);
    glTexImage3DMultisample(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 4, GL_RGBA8, 4, 4, 3, GL_TRUE);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    for (int l = 0; l < 3; l++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0, l);
        clear_color(float(l) / 2, 1, 0, 1);
    }
    target(4, 4);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, t);
    const GLuint p = fetch_program("sampler2DMSArray", "ivec3(gl_FragCoord.xy, l)");
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "s"), 3);
    for (int l = 0; l < 3; l++) {
        glUniform1i(glGetUniformLocation(p, "l"), l);
        draw_fill();
        EXPECT_RECT(0, 0, 4, 4, float(l) / 2, 1, 0, 1);
    }
}

SCENARIO(multisample_clear_of_textures) {
    // Every sample, a part, the layers of an array, integers, depth; what is bound stays as it is.
    need_multisample_textures();
    need(44, "GL_ARB_clear_texture");
    GLuint t = sampled_target(GL_RGBA8, 4);
    const float half[4] = {0.5f, 0.25f, 1, 1};
    glColorMask(GL_FALSE, GL_TRUE, GL_TRUE, GL_TRUE);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 1, 1);
    const float first[4] = {0, 1, 0, 1};
    glClearTexImage(t, 0, GL_RGBA, GL_FLOAT, first);
    glClearTexSubImage(t, 0, 1, 1, 0, 3, 3, 1, GL_RGBA, GL_FLOAT, half);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    for (int s = 0; s < 4; s++) {
        const Rgba c = sample_of(t, s);
        EXPECT(std::fabs(c[0] - 0.5f) < 0.01f && std::fabs(c[1] - 0.25f) < 0.01f && c[2] == 1);
        const Rgba around = sample_of(t, s, 0, 0);
        EXPECT(around[0] == 0 && around[1] == 1 && around[2] == 0);
    }
    t = sampled_target(GL_SRGB8_ALPHA8, 4);
    glClearTexImage(t, 0, GL_RGBA, GL_FLOAT, half); // stored as it is
    const Rgba decoded = sample_of(t, 2);
    EXPECT(std::fabs(decoded[0] - 0.214f) < 0.01f && decoded[3] == 1);
    const int integers = supported_samples(GL_RGBA32I) < 4 ? 1 : 4;
    t = sampled_target(GL_RGBA32I, integers);
    const GLint numbers[4] = {-5, 1 << 30, 0, 7};
    glClearTexImage(t, 0, GL_RGBA_INTEGER, GL_INT, numbers);
    target(4, 4, GL_RGBA32I);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t);
    const GLuint p = fetch_program("isampler2DMS", "ivec2(gl_FragCoord.xy)");
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "s"), integers - 1);
    draw_fill();
    GLint got[4] = {};
    glReadPixels(3, 0, 1, 1, GL_RGBA_INTEGER, GL_INT, got);
    EXPECT(got[0] == -5 && got[1] == 1 << 30 && got[2] == 0 && got[3] == 7);
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_DEPTH24_STENCIL8, 4, 4, GL_TRUE);
    const GLuint packed = 0x80000007;
    glClearTexImage(t, 0, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, &packed);
    const Rgba depth = sample_of(t, 3);
    EXPECT(std::fabs(depth[0] - 0.5f) < 0.001f);
}

SCENARIO(multisample_logic_op) {
    // Each sample with what it held itself.
    need_multisample_textures();
    const GLuint t = sampled_target(GL_RGBA8, 4);
    clear_color(float(0x3c) / 255, 0, 0, 1);
    glUseProgram(
        program("#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
                "gl_VertexID >> 1) * 2.5 - 1.5, 0, 1); }",
                "#version 330\nout vec4 o; void main() { o = vec4(240.0 / 255, 0, 0, 0); }"));
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_XOR);
    vertex_array();
    glDrawArrays(GL_TRIANGLES, 0, 3); // an edge runs through (1, 1)
    glFinish();
    if (glGetError() == GL_INVALID_OPERATION)
        skip("no logic operation on samples");
    glDisable(GL_COLOR_LOGIC_OP);
    int held = 0, changed = 0;
    for (int s = 0; s < 4; s++) {
        const int red = int(sample_of(t, s)[0] * 255 + 0.5f);
        EXPECT(red == 0x3c || red == (0x3c ^ 0xf0));
        held += red == 0x3c;
        changed += red == (0x3c ^ 0xf0);
    }
    EXPECT(held > 0 && changed > 0);
}

SCENARIO(multisample_toggle) {
    // With multisampling off the samples of a pixel are alike, so edges are hard.
    const Target ms = multisample_target(8, 8, 4);
    glUseProgram(program("#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
                         "gl_VertexID >> 1) * 1.9 - 0.93, 0, 1); }",
                         "#version 330\nout vec4 o; void main() { o = vec4(1); }"));
    for (const bool on : {true, false}) {
        glBindFramebuffer(GL_FRAMEBUFFER, ms.fbo);
        clear_color(0, 0, 0, 1);
        (on ? glEnable : glDisable)(GL_MULTISAMPLE);
        vertex_array();
        glDrawArrays(GL_TRIANGLES, 0, 3);
        resolve(ms);
        int soft = 0;
        const std::vector<float> p = read_rgba32f(0, 0, 8, 8);
        for (size_t i = 0; i < p.size(); i += 4)
            soft += p[i] > 0.01f && p[i] < 0.99f;
        EXPECT((soft > 0) == on);
    }
}

SCENARIO(multisample_depth_test_by_sample) {
    const Target ms = multisample_target(8, 8, 4, GL_RGBA8, GL_DEPTH24_STENCIL8);
    clear_color(0, 0, 0, 1);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 1, 0);
    glEnable(GL_DEPTH_TEST);
    vertex_array();
    // A triangle in front covers the diagonal in part; what is behind shows in the other samples.
    const GLuint p = program("#version 330\nuniform float z;\nvoid main() { gl_Position = "
                             "vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, z, 1); }",
                             "#version 330\nuniform vec4 c; out vec4 o; void main() { o = c; }");
    glUseProgram(p);
    glUniform1f(glGetUniformLocation(p, "z"), -0.5f);
    glUniform4f(glGetUniformLocation(p, "c"), 1, 0, 0, 1);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glUniform1f(glGetUniformLocation(p, "z"), 0.5f);
    glUniform4f(glGetUniformLocation(p, "c"), 0, 1, 0, 1);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    resolve(ms);
    EXPECT_PIXEL(1, 1, 1, 0, 0, 1);
    EXPECT_PIXEL(6, 6, 0, 1, 0, 1);
    const Rgba edge = pixel(4, 3);
    EXPECT(edge[0] > 0.1f && edge[1] > 0.1f && std::fabs(edge[0] + edge[1] - 1) < 0.02f);
}

SCENARIO(multisample_sample_positions) {
    need_multisample_textures();
    multisample_target(4, 4, 4);
    GLint samples = 0, buffers = 0;
    glGetIntegerv(GL_SAMPLES, &samples);
    glGetIntegerv(GL_SAMPLE_BUFFERS, &buffers);
    EXPECT_EQ(buffers, 1);
    EXPECT(samples >= 4);
    for (int i = 0; i < samples; i++) {
        GLfloat at[2] = {-1, -1};
        glGetMultisamplefv(GL_SAMPLE_POSITION, GLuint(i), at);
        EXPECT(at[0] >= 0 && at[0] <= 1 && at[1] >= 0 && at[1] <= 1);
    }
    target(4, 4);
    glGetIntegerv(GL_SAMPLE_BUFFERS, &buffers);
    EXPECT_EQ(buffers, 0);
}
