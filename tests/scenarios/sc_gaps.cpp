// SPDX-License-Identifier: MIT
// What desktop OpenGL has and a host may lack: drivers emulate it, the picture is the same.
#include "scenario.h"

#include <cstring>

using namespace scenario;

SCENARIO(gap_fragment_coordinates) {
    target(8, 4);
    const GLuint p = program(
        fill_vs,
        "#version 330\n#extension GL_ARB_fragment_coord_conventions : enable\n"
        "layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;\nout vec4 o;\n"
        "void main() { o = vec4(gl_FragCoord.xy * 10.0 / 255.0, 0, 1); }");
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(0, 3, 0, 0, 0, 1);
    // From the upper left corner to the centre of the lowest row, less half a pixel.
    EXPECT_PIXEL(7, 0, 70 / 255.f, 30 / 255.f, 0, 1);
}

SCENARIO(gap_texture_levels) {
    if (version() < 43 && !has_extension("GL_ARB_texture_query_levels"))
        skip("no textureQueryLevels");
    target(4, 4);
    GLuint t[2];
    glGenTextures(2, t);
    for (int i = 0; i < 2; i++) {
        glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(i));
        glBindTexture(GL_TEXTURE_2D, t[i]);
        for (int l = 0; l < 5; l++)
            glTexImage2D(GL_TEXTURE_2D, l, GL_RGBA8, 16 >> l, 16 >> l, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                         nullptr);
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
    const GLuint p = program(fill_vs, "#version 330\n#extension GL_ARB_texture_query_levels : "
                                      "require\nuniform sampler2D t[2];\nout vec4 o;\n"
                                      "void main() { o = vec4(textureQueryLevels(t[0]), "
                                      "textureQueryLevels(t[1]), 0, 255) / 255.0; }");
    glUseProgram(p);
    const GLint units[2] = {0, 1}, other[2] = {1, 0};
    glUniform1iv(glGetUniformLocation(p, "t"), 2, units);
    draw_fill();
    EXPECT_PIXEL(2, 2, 5 / 255.f, 3 / 255.f, 0, 1);
    glUniform1iv(glGetUniformLocation(p, "t"), 2, other);
    draw_fill();
    EXPECT_PIXEL(2, 2, 3 / 255.f, 5 / 255.f, 0, 1);
}

SCENARIO(gap_nested_struct_varyings) {
    target(8, 8);
    const std::string types = "struct A { float f; vec2 v[2]; };\nstruct B { A a[2]; mat2 m; };\n";
    const GLuint vs =
        shader(GL_VERTEX_SHADER,
               "#version 330\n" + types +
                   "out B b;\nvoid main() { vec2 uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                   "    b.a[0].f = 0.25; b.a[0].v[0] = uv; b.a[0].v[1] = vec2(0);\n"
                   "    b.a[1].f = 0.5; b.a[1].v[0] = vec2(1); b.a[1].v[1] = vec2(1, 0.75);\n"
                   "    b.m = mat2(1, 2, 3, 4);\n"
                   "    gl_Position = vec4(uv * 2 - 1, 0, 1); }");
    const GLuint fs =
        shader(GL_FRAGMENT_SHADER,
               "#version 330\n" + types +
                   "in B b;\nout vec4 o;\nvoid main() { int i = int(b.a[1].v[0].x);\n"
                   "    o = vec4(b.a[0].f, b.a[i].f, b.a[1].v[1].y, b.m[1].y / 4.0); }");
    const GLuint p = glCreateProgram();
    glAttachShader(p, vs);
    glAttachShader(p, fs);
    const char *const names[] = {"b.a[1].f", "b.a[1].v", "b.m"};
    glTransformFeedbackVaryings(p, 3, names, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    EXPECT_EQ(ok, GL_TRUE);
    glUseProgram(p);
    const std::vector<float> none(2 * 3 * 9, -1.f);
    const GLuint b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, none.data(), none.size() * sizeof(float));
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glBeginTransformFeedback(GL_TRIANGLES);
    draw_fill();
    glEndTransformFeedback();
    EXPECT_PIXEL(4, 4, 0.25f, 0.5f, 0.75f, 1);
    float got[9];
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(got), got);
    const float want[9] = {0.5f, 1, 1, 1, 0.75f, 1, 2, 3, 4};
    for (int i = 0; i < 9; i++)
        EXPECT(got[i] == want[i]);
}

SCENARIO(gap_layered_clear_of_unlike_depths) {
    GLuint t[2], fbo;
    glGenTextures(2, t);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    for (int i = 0; i < 2; i++) {
        glBindTexture(GL_TEXTURE_2D_ARRAY, t[i]);
        glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, 4, 4, i ? 5 : 2, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, nullptr);
        glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(i), t[i],
                             0);
    }
    const GLenum bufs[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glDrawBuffers(2, bufs);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int i = 0; i < 2; i++) {
        std::vector<uint8_t> texels(4 * 4 * 5 * 4);
        glBindTexture(GL_TEXTURE_2D_ARRAY, t[i]);
        glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
        for (size_t l = 0; l < (i ? 5u : 2u); l++)
            EXPECT_EQ(texels[l * 64 + 1], uint8_t(255));
    }
}

SCENARIO(gap_signed_targets) {
    for (GLenum format : {GL_R8_SNORM, GL_RGBA8_SNORM, GL_RG16_SNORM}) {
        GLuint t, fbo;
        glGenTextures(1, &t);
        glBindTexture(GL_TEXTURE_2D, t);
        glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format), 4, 4, 0, GL_RGBA, GL_BYTE,
                     nullptr);
        glGenFramebuffers(1, &fbo);
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            continue; // not a required target
        glViewport(0, 0, 4, 4);
        const GLuint p = fill_program("vec4(-0.5, 0.25, -1.0, 1.0)");
        glUseProgram(p);
        draw_fill();
        float red = 0;
        glClampColor(GL_CLAMP_READ_COLOR, GL_FALSE);
        glReadPixels(2, 2, 1, 1, GL_RED, GL_FLOAT, &red);
        EXPECT(red > -0.51f && red < -0.49f);
        int8_t bytes[16] = {};
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_BYTE, bytes);
        EXPECT(bytes[5] <= -63 && bytes[5] >= -65);
    }
}

SCENARIO(gap_lod_bias) {
    target(8, 8);
    GLuint t, s;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    for (int l = 0; l < 4; l++) { // level n is n * 40 red
        const std::vector<uint8_t> texels(4 * 64, static_cast<uint8_t>(l * 40));
        glTexImage2D(GL_TEXTURE_2D, l, GL_RGBA8, 8 >> l, 8 >> l, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     texels.data());
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glGenSamplers(1, &s);
    glSamplerParameteri(s, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    const GLuint p =
        fill_program("vec4(texture(t, uv).r, texture(t, uv, 1.0).r, textureLod(t, uv, 1.0).r, "
                     "textureGrad(t, uv, vec2(0.25, 0), vec2(0, 0.25)).r)",
                     "uniform sampler2D t;");
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(3, 3, 0, 40 / 255.f, 40 / 255.f, 40 / 255.f);
    glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, 1);
    draw_fill();
    EXPECT_PIXEL(3, 3, 40 / 255.f, 80 / 255.f, 80 / 255.f, 80 / 255.f);
    glSamplerParameterf(s, GL_TEXTURE_LOD_BIAS, 2);
    glBindSampler(0, s);
    draw_fill();
    EXPECT_PIXEL(3, 3, 80 / 255.f, 120 / 255.f, 120 / 255.f, 120 / 255.f);
    glSamplerParameterf(s, GL_TEXTURE_LOD_BIAS, 0);
    draw_fill();
    EXPECT_PIXEL(3, 3, 0, 40 / 255.f, 40 / 255.f, 40 / 255.f);
}

SCENARIO(gap_sample_counts) {
    GLint bits = 0;
    glGetQueryiv(GL_SAMPLES_PASSED, GL_QUERY_COUNTER_BITS, &bits);
    if (!bits)
        skip("no exact sample counts");
    target(8, 8, GL_RGBA8, GL_DEPTH_COMPONENT24);
    glClear(GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_SCISSOR_TEST);
    GLuint q[2], r[2] = {};
    glGenQueries(2, q);
    glUseProgram(fill_program("vec4(1)"));
    glBeginQuery(GL_SAMPLES_PASSED, q[0]);
    glScissor(0, 0, 4, 8);
    draw_fill(); // 32
    glScissor(0, 0, 8, 4);
    draw_fill(); // 16 of them are behind what is there
    glEndQuery(GL_SAMPLES_PASSED);
    draw_fill(); // nobody counts this
    glBeginQuery(GL_SAMPLES_PASSED, q[1]);
    draw_fill(); // nothing passes
    glEndQuery(GL_SAMPLES_PASSED);
    for (int i = 0; i < 2; i++)
        glGetQueryObjectuiv(q[i], GL_QUERY_RESULT, &r[i]);
    EXPECT_EQ(r[0], 48u);
    EXPECT_EQ(r[1], 0u);
}
