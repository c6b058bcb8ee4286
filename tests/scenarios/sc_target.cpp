// SPDX-License-Identifier: MIT
// Attachments: every kind and layer, many draw buffers, formats, state kept per framebuffer, loops.
#include "scenario.h"

#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

GLuint framebuffer() {
    GLuint fbo = 0;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    return fbo;
}

void expect_complete(const char *what) {
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        fail(__FILE__, __LINE__, std::string(what) + ": status " + std::to_string(status));
}

// A fragment shader that writes vec4(n + 1, n, 0, 1) / 8 to output n of `count`.
std::string numbered_outputs(int count) {
    std::string decls, body;
    for (int i = 0; i < count; i++) {
        const std::string n = std::to_string(i);
        decls += "layout(location = " + n + ") out vec4 o" + n + ";\n";
        body +=
            "o" + n + " = vec4(" + std::to_string(i + 1) + ".0, " + n + ".0, 0.0, 8.0) / 8.0;\n";
    }
    return "#version 330\n" + decls + "void main() {\n" + body + "}\n";
}

void expect_number(int n) {
    EXPECT_RECT(0, 0, 4, 4, float(n + 1) / 8, float(n) / 8, 0, 1);
}

// One layer per triangle pair from a geometry shader, colored by its number.
GLuint layers_program(int layers, const std::string &fs) {
    const std::string n = std::to_string(layers);
    return program("#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
                   "gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); }",
                   fs,
                   "#version 330\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices = 18) "
                   "out;\nflat out int which;\nvoid main() {\n    for (int l = 0; l < " +
                       n + R"(; l++) {
        for (int i = 0; i < 3; i++) {
            gl_Layer = l; which = l; gl_Position = gl_in[i].gl_Position; EmitVertex();
        }
        EndPrimitive();
    }
}
)");
}

const char *const layer_fs = "#version 330\nflat in int which; layout(location = 0) out vec4 o;\n"
                             "void main() { o = vec4(float(which) / 8.0, 1, 0, 1); }";

void need_geometry() {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
}

} // namespace

SCENARIO(target_attachment_kinds) {
    // A level and a layer of each kind of texture, and a renderbuffer: cleared, drawn, read back.
    const GLenum kinds[] = {GL_TEXTURE_1D,       GL_TEXTURE_1D_ARRAY, GL_TEXTURE_2D,
                            GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D,       GL_TEXTURE_CUBE_MAP,
                            GL_TEXTURE_RECTANGLE};
    const GLuint p = fill_program("vec4(0, 0.5, 1, 1)");
    for (const GLenum kind : kinds) {
        const int level = kind == GL_TEXTURE_RECTANGLE ? 0 : 1;
        const GLuint t = texture(kind, GL_RGBA8, 8 << level, 8 << level, 6, level + 1);
        framebuffer();
        const GLenum at = GL_COLOR_ATTACHMENT0;
        const bool one_row = kind == GL_TEXTURE_1D || kind == GL_TEXTURE_1D_ARRAY;
        if (kind == GL_TEXTURE_1D)
            glFramebufferTexture1D(GL_FRAMEBUFFER, at, kind, t, level);
        else if (kind == GL_TEXTURE_CUBE_MAP)
            glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, t, level);
        else if (kind == GL_TEXTURE_2D || kind == GL_TEXTURE_RECTANGLE)
            glFramebufferTexture2D(GL_FRAMEBUFFER, at, kind, t, level);
        else
            glFramebufferTextureLayer(GL_FRAMEBUFFER, at, t, level, 2);
        expect_complete(std::to_string(kind).c_str());
        glViewport(0, 0, 8, 8);
        clear_color(1, 0, 0, 1);
        EXPECT_PIXEL(7, 0, 1, 0, 0, 1);
        glUseProgram(p);
        draw_fill();
        EXPECT_RECT(0, 0, 8, one_row ? 1 : 8, 0, 0.5f, 1, 1);
    }
}

SCENARIO(target_layers_of_every_kind) {
    need_geometry();
    const GLenum kinds[] = {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
                            GL_TEXTURE_1D_ARRAY};
    const GLuint p = layers_program(6, layer_fs);
    for (const GLenum kind : kinds) {
        const GLuint t = texture(kind, GL_RGBA8, 4, 4, 6);
        const GLuint fbo = framebuffer();
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
        expect_complete(std::to_string(kind).c_str());
        glViewport(0, 0, 4, 4);
        clear_color(1, 0, 1, 1); // all layers
        const GLuint reader = framebuffer();
        const auto attach = [&](int layer) {
            if (kind == GL_TEXTURE_CUBE_MAP)
                glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                       GLenum(GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer), t, 0);
            else
                glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0, layer);
        };
        const int rows = kind == GL_TEXTURE_1D_ARRAY ? 1 : 4;
        for (int l = 0; l < 6; l++) {
            attach(l);
            EXPECT_RECT(0, 0, 4, rows, 1, 0, 1, 1);
        }
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        glUseProgram(p);
        draw_fill();
        glBindFramebuffer(GL_FRAMEBUFFER, reader);
        for (int l = 0; l < 6; l++) {
            attach(l);
            EXPECT_RECT(0, 0, 4, rows, float(l) / 8, 1, 0, 1);
        }
    }
}

SCENARIO(target_layered_with_depth) {
    // Layered color and depth of different kinds: each layer tests its own depth.
    need_geometry();
    const GLuint color = texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4, 4, 6);
    const GLuint depth = texture(GL_TEXTURE_2D_ARRAY, GL_DEPTH_COMPONENT24, 4, 4, 6);
    const GLuint one = framebuffer();
    glDrawBuffer(GL_NONE);
    for (int l = 0; l < 6; l++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depth, 0, l);
        const float d = l % 2 ? 1.0f : 0.0f;
        glClearBufferfv(GL_DEPTH, 0, &d);
    }
    const GLuint fbo = framebuffer();
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, color, 0);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depth, 0);
    expect_complete("layered color and depth");
    glViewport(0, 0, 4, 4);
    clear_color(0, 0, 1, 1);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(layers_program(6, layer_fs));
    draw_fill();
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, depth, 0, 0);
    EXPECT_EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER),
              GLenum(GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS));
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, 0, 0);
    for (int l = 0; l < 6; l++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, color, 0, l);
        if (l % 2)
            EXPECT_RECT(0, 0, 4, 4, float(l) / 8, 1, 0, 1);
        else
            EXPECT_RECT(0, 0, 4, 4, 0, 0, 1, 1);
    }
    (void)one;
    (void)fbo;
}

SCENARIO(target_layers_on_attachments) {
    // Layers of one texture on several attachments: clears of each, then a draw to all.
    const GLuint t = texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4, 4, 4);
    framebuffer();
    GLenum at[4];
    for (int i = 0; i < 4; i++) {
        at[i] = GLenum(GL_COLOR_ATTACHMENT0 + i);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, at[i], t, 0, 3 - i);
    }
    expect_complete("four layers");
    glDrawBuffers(4, at);
    for (int i = 0; i < 4; i++) {
        const float c[4] = {float(i) / 4, 1, 0.5f, 1};
        glClearBufferfv(GL_COLOR, i, c);
    }
    for (int i = 0; i < 4; i++) {
        glReadBuffer(at[i]);
        EXPECT_RECT(0, 0, 4, 4, float(i) / 4, 1, 0.5f, 1);
    }
    glViewport(0, 0, 4, 4);
    glUseProgram(program(fill_vs, numbered_outputs(4)));
    draw_fill();
    for (int i = 0; i < 4; i++) {
        glReadBuffer(at[i]);
        expect_number(i);
    }
    std::vector<uint8_t> all(4 * 4 * 4 * 4);
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_UNSIGNED_BYTE, all.data());
    EXPECT(all[0] == 127 || all[0] == 128); // layer 0 is attachment 3: 4/8
}

SCENARIO(target_eight_with_holes) {
    framebuffer();
    GLint most = 0;
    glGetIntegerv(GL_MAX_DRAW_BUFFERS, &most);
    EXPECT(most >= 8);
    GLenum all[8];
    for (int i = 0; i < 8; i++) {
        all[i] = GLenum(GL_COLOR_ATTACHMENT0 + i);
        attach_texture(all[i], GL_RGBA8, 4, 4);
    }
    expect_complete("eight attachments");
    glViewport(0, 0, 4, 4);
    glUseProgram(program(fill_vs, numbered_outputs(8)));
    const auto check = [&](const std::vector<int> &to) { // output n to attachment to[n], or none
        glDrawBuffers(8, all);
        clear_color(0, 0, 1, 1);
        std::vector<GLenum> draw;
        std::vector<int> from(8, -1);
        for (size_t n = 0; n < to.size(); n++) {
            draw.push_back(to[n] < 0 ? GLenum(GL_NONE) : GLenum(GL_COLOR_ATTACHMENT0 + to[n]));
            if (to[n] >= 0)
                from[size_t(to[n])] = int(n);
        }
        glDrawBuffers(GLsizei(draw.size()), draw.data());
        draw_fill();
        for (int i = 0; i < 8; i++) {
            glReadBuffer(all[i]);
            if (from[size_t(i)] >= 0)
                expect_number(from[size_t(i)]);
            else
                EXPECT_RECT(0, 0, 4, 4, 0, 0, 1, 1);
        }
    };
    check({0, 1, 2, 3, 4, 5, 6, 7});
    check({7, 6, 5, 4, 3, 2, 1, 0});
    check({-1, 3, -1, 0, 7, -1, -1, 2});
    check({5});
    check({-1, -1});
    check({1, 0, 2, 3});
}

SCENARIO(target_mixed_formats) {
    // Float, integer, normalised and packed targets in one draw.
    framebuffer();
    const GLenum formats[4] = {GL_RGBA32F, GL_RGBA8UI, GL_RG16I, GL_RGB10_A2};
    GLenum at[4];
    for (int i = 0; i < 4; i++) {
        at[i] = GLenum(GL_COLOR_ATTACHMENT0 + i);
        attach_texture(at[i], formats[i], 4, 4);
    }
    expect_complete("mixed formats");
    glDrawBuffers(4, at);
    glViewport(0, 0, 4, 4);
    glEnable(GL_BLEND); // leaves the integer ones alone
    glBlendFunc(GL_ONE, GL_ZERO);
    glUseProgram(program(fill_vs, R"(#version 330
        layout(location = 0) out vec4 a; layout(location = 1) out uvec4 b;
        layout(location = 2) out ivec4 c; layout(location = 3) out vec4 d;
        void main() { a = vec4(-3.5, 1000, 0.1, 2); b = uvec4(1, 2, 254, 255);
            c = ivec4(-30000, 7, 0, 0); d = vec4(1.0 / 1023.0, 1, 0, 1.0 / 3.0); })"));
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, -3.5f, 1000, 0.1f, 2);
    glReadBuffer(at[1]);
    GLuint u[4] = {};
    glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, u);
    EXPECT(u[0] == 1 && u[1] == 2 && u[2] == 254 && u[3] == 255);
    glReadBuffer(at[2]);
    GLint s[4] = {};
    glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_INT, s);
    EXPECT(s[0] == -30000 && s[1] == 7 && s[2] == 0 && s[3] == 1);
    glReadBuffer(at[3]);
    EXPECT(std::fabs(pixel(1, 1)[0] - 1 / 1023.0f) < 1e-4f);
    EXPECT_PIXEL(1, 1, 1 / 1023.0f, 1, 0, 1 / 3.0f);
}

SCENARIO(target_integer_formats) {
    const GLenum formats[] = {GL_R8I,      GL_R8UI,    GL_R16I,     GL_R16UI,     GL_R32I,
                              GL_R32UI,    GL_RG8I,    GL_RG8UI,    GL_RG16I,     GL_RG16UI,
                              GL_RG32I,    GL_RG32UI,  GL_RGBA8I,   GL_RGBA8UI,   GL_RGBA16I,
                              GL_RGBA16UI, GL_RGBA32I, GL_RGBA32UI, GL_RGB10_A2UI};
    for (const GLenum f : formats) {
        target(4, 4, f);
        GLint type = 0, bits = 0;
        glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                              GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, &type);
        glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                              GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE, &bits);
        const bool is_signed = type == GL_INT;
        EXPECT(is_signed || type == GL_UNSIGNED_INT);
        const int64_t top = (int64_t(1) << (bits - (is_signed ? 1 : 0))) - 1;
        GLint got[4] = {};
        if (is_signed) {
            const GLint v[4] = {GLint(-top), 3, 2, 1};
            glClearBufferiv(GL_COLOR, 0, v);
            glReadPixels(3, 3, 1, 1, GL_RGBA_INTEGER, GL_INT, got);
            EXPECT_EQ(got[0], GLint(-top));
        } else {
            const GLuint v[4] = {GLuint(top), 3, 2, 1};
            glClearBufferuiv(GL_COLOR, 0, v);
            glReadPixels(3, 3, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got);
            EXPECT_EQ(GLuint(got[0]), GLuint(top));
        }
        EXPECT(got[1] == 3 || got[1] == 0);
        EXPECT_EQ(got[3], 1);
    }
}

SCENARIO(target_precision_of_formats) {
    // What must be renderable keeps its own precision; for others the answers agree.
    struct Format {
        GLenum name;
        bool required;
        float step; // of red
    };
    const Format formats[] = {{GL_R8, true, 1 / 255.0f},
                              {GL_RG8, true, 1 / 255.0f},
                              {GL_RGBA8, true, 1 / 255.0f},
                              {GL_R16, true, 1 / 65535.0f},
                              {GL_RG16, true, 1 / 65535.0f},
                              {GL_RGBA16, true, 1 / 65535.0f},
                              {GL_R16F, true, 1 / 1024.0f},
                              {GL_RG16F, true, 1 / 1024.0f},
                              {GL_RGBA16F, true, 1 / 1024.0f},
                              {GL_R32F, true, 1e-6f},
                              {GL_RG32F, true, 1e-6f},
                              {GL_RGBA32F, true, 1e-6f},
                              {GL_RGB10_A2, true, 1 / 1023.0f},
                              {GL_RGB5_A1, true, 1 / 31.0f},
                              {GL_R11F_G11F_B10F, true, 1 / 64.0f},
                              {GL_RGBA4, false, 1 / 15.0f},
                              {GL_RGB8, false, 1 / 255.0f},
                              {GL_RGB16, false, 1 / 65535.0f},
                              {GL_RGB16F, false, 1 / 1024.0f},
                              {GL_RGB32F, false, 1e-6f},
                              {GL_RGB565, false, 1 / 31.0f},
                              {GL_R3_G3_B2, false, 1 / 7.0f},
                              {GL_R8_SNORM, false, 1 / 127.0f},
                              {GL_RG8_SNORM, false, 1 / 127.0f},
                              {GL_RGBA8_SNORM, false, 1 / 127.0f},
                              {GL_RGB8_SNORM, false, 1 / 127.0f},
                              {GL_R16_SNORM, false, 1 / 32767.0f},
                              {GL_RG16_SNORM, false, 1 / 32767.0f},
                              {GL_RGB16_SNORM, false, 1 / 32767.0f},
                              {GL_RGB9_E5, false, 1 / 256.0f},
                              {GL_RGB4, false, 1 / 15.0f},
                              {GL_RGB5, false, 1 / 31.0f},
                              {GL_RGB10, false, 1 / 1023.0f},
                              {GL_RGB12, false, 1 / 4095.0f},
                              {GL_RGBA12, false, 1 / 4095.0f},
                              {GL_RGBA16_SNORM, false, 1 / 32767.0f}};
    const GLuint p = fill_program("vec4(0.6123, 0.25, 0.75, 1)");
    const bool asks = version() >= 43 || has_extension("GL_ARB_internalformat_query2");
    for (const Format &f : formats) {
        framebuffer();
        attach_texture(GL_COLOR_ATTACHMENT0, f.name, 4, 4);
        const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
        GLint answer = GL_NONE;
        if (asks) {
            glGetInternalformativ(GL_TEXTURE_2D, f.name, GL_FRAMEBUFFER_RENDERABLE, 1, &answer);
            EXPECT_EQ(answer != GL_NONE, complete);
        }
        EXPECT(complete || !f.required);
        if (!complete)
            continue;
        glViewport(0, 0, 4, 4);
        glUseProgram(p);
        draw_fill();
        const Rgba drawn = pixel(1, 1);
        clear_color(0.6123f, 0.25f, 0.75f, 1);
        const Rgba cleared = pixel(2, 2);
        for (const Rgba &c : {drawn, cleared})
            if (std::fabs(c[0] - 0.6123f) > f.step * 0.75f || c[3] != 1)
                fail(__FILE__, __LINE__, "format " + std::to_string(f.name) + ": " + show(c));
    }
}

SCENARIO(target_without_alpha) {
    // Three channels, however the host stores them: alpha reads and blends as 1.
    const GLenum formats[] = {GL_RGB8, GL_RGB16F, GL_R11F_G11F_B10F, GL_RG8, GL_R16};
    for (const GLenum f : formats) {
        framebuffer();
        attach_texture(GL_COLOR_ATTACHMENT0, f, 4, 4);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            continue;
        glViewport(0, 0, 4, 4);
        glDisable(GL_BLEND);
        clear_color(0.25f, 0, 0, 0.5f);
        EXPECT(pixel(1, 1)[3] == 1);
        glUseProgram(fill_program("vec4(0.5, 0, 0, 0.25)"));
        glEnable(GL_BLEND);
        glBlendFunc(GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA); // 1 and 0
        draw_fill();
        if (std::fabs(pixel(1, 1)[0] - 0.5f) > 0.01f || pixel(1, 1)[3] != 1)
            fail(__FILE__, __LINE__, "format " + std::to_string(f) + ": " + show(pixel(1, 1)));
        glBlendFunc(GL_ONE_MINUS_DST_ALPHA, GL_DST_ALPHA);
        draw_fill();
        EXPECT(std::fabs(pixel(1, 1)[0] - 0.5f) <= 0.01f);
        uint8_t bytes[4] = {};
        glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
        EXPECT_EQ(int(bytes[3]), 255);
    }
}

SCENARIO(target_default_framebuffer_state) {
    // Draw and read buffers belong to the framebuffer, the default one's too.
    GLint v = 0;
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    const Target t = target(4, 4);
    glGetIntegerv(GL_DRAW_BUFFER0, &v);
    EXPECT_EQ(v, GL_COLOR_ATTACHMENT0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glGetIntegerv(GL_DRAW_BUFFER0, &v);
    EXPECT_EQ(v, GL_NONE);
    glGetIntegerv(GL_READ_BUFFER, &v);
    EXPECT_EQ(v, GL_NONE);
    glDrawBuffer(GL_BACK);
    glReadBuffer(GL_BACK);
    glViewport(0, 0, 64, 64);
    clear_color(0, 1, 0, 1);
    glDrawBuffer(GL_NONE);
    clear_color(1, 0, 0, 1);
    EXPECT_PIXEL(9, 9, 0, 1, 0, 1);
    glDrawBuffer(GL_BACK);
    glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
    glGetIntegerv(GL_DRAW_BUFFER0, &v);
    EXPECT_EQ(v, GL_NONE);
    glGetIntegerv(GL_READ_BUFFER, &v);
    EXPECT_EQ(v, GL_NONE);
    glDrawBuffer(GL_BACK);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    if (version() < 45 && !has_extension("GL_ARB_direct_state_access"))
        return;
    EXPECT_EQ(glCheckNamedFramebufferStatus(0, GL_DRAW_FRAMEBUFFER),
              GLenum(GL_FRAMEBUFFER_COMPLETE));
    const float blue[4] = {0, 0, 1, 1};
    glClearNamedFramebufferfv(0, GL_COLOR, 0, blue);
    glNamedFramebufferDrawBuffer(0, GL_NONE);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glGetIntegerv(GL_DRAW_BUFFER0, &v);
    EXPECT_EQ(v, GL_NONE);
    if (driver() != "native") // Mesa clears the bound one
        EXPECT_PIXEL(9, 9, 0, 0, 1, 1);
    glDrawBuffer(GL_BACK);
}

SCENARIO(target_unsized_depth_stencil) {
    // Texture and renderbuffer of the same unsized format are the same format.
    GLuint t = 0, r = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_STENCIL, 4, 4, 0, GL_DEPTH_STENCIL,
                 GL_UNSIGNED_INT_24_8, nullptr);
    glGenRenderbuffers(1, &r);
    glBindRenderbuffer(GL_RENDERBUFFER, r);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_STENCIL, 4, 4);
    GLuint fbo[2];
    for (int i = 0; i < 2; i++) {
        fbo[i] = framebuffer();
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
        if (i)
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                                      r);
        else
            glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, t,
                                   0);
        expect_complete("unsized depth stencil");
    }
    for (int i = 0; i < 2; i++) {
        glBindFramebuffer(GL_FRAMEBUFFER, fbo[i]);
        glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.25f + 0.5f * float(i), 3 + i);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo[1 - i]);
        glBlitFramebuffer(0, 0, 4, 4, 0, 0, 4, 4, GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT,
                          GL_NEAREST);
        EXPECT_ERROR(GL_NO_ERROR);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo[1 - i]);
        GLuint both = 0;
        glReadPixels(2, 2, 1, 1, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, &both);
        EXPECT_EQ(both & 0xff, GLuint(3 + i));
        EXPECT(std::fabs(float(both >> 8) / 16777215 - (0.25f + 0.5f * float(i))) < 1e-4f);
    }
}

SCENARIO(target_feedback_loops) {
    // Reading level 0 while drawing level 1, and a texture that is bound but not read.
    const uint32_t texels[16] = {0xff00ff00, 0xff00ff00, 0xff00ff00, 0xff00ff00,
                                 0xff00ff00, 0xff00ff00, 0xff00ff00, 0xff00ff00,
                                 0xff00ff00, 0xff00ff00, 0xff00ff00, 0xff00ff00,
                                 0xff00ff00, 0xff00ff00, 0xff00ff00, 0xff00ff00};
    const GLuint t = texture(GL_TEXTURE_2D, GL_RGBA8, 4, 4, 1, 2);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    framebuffer();
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glViewport(0, 0, 2, 2);
    glUseProgram(fill_program("texture(t, uv) + vec4(1, 0, 0, 0)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_RECT(0, 0, 2, 2, 1, 1, 0, 1);
    // The same texel in and out: undefined where it is read, harmless where it is not.
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    glViewport(0, 0, 4, 4);
    glUseProgram(
        fill_program("uv.x > 2.0 ? texture(t, uv) : vec4(0, 0, 1, 1)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0, 0, 1, 1);
}

SCENARIO(target_texture_barrier) {
    // Each draw reads what the draw before left, texel by texel; another level stays as it is.
    if (version() < 45 && !has_extension("GL_ARB_texture_barrier"))
        return;
    const GLuint t = texture(GL_TEXTURE_2D, GL_RGBA8, 4, 4, 1, 2);
    framebuffer();
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 1);
    clear_color(1, 0, 0, 1);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    clear_color(0, 0, 0, 1);
    glViewport(0, 0, 4, 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glUseProgram(fill_program("texelFetch(t, ivec2(gl_FragCoord.xy), 0) + vec4(0, 0.2, 0, 0)",
                              "uniform sampler2D t;"));
    for (int i = 0; i < 4; i++) {
        glTextureBarrier();
        draw_fill();
    }
    EXPECT_RECT(0, 0, 4, 4, 0, 0.8f, 0, 1);
    // Without the loop the texture itself is read again.
    target(4, 4);
    glUseProgram(fill_program("texelFetch(t, ivec2(0), 0)", "uniform sampler2D t;"));
    glBindTexture(GL_TEXTURE_2D, t);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0, 0.8f, 0, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
}

SCENARIO(target_depth_read_while_tested) {
    // Depth is read by the shader and tested, not written.
    const GLuint depth = texture(GL_TEXTURE_2D, GL_DEPTH_COMPONENT24, 4, 4);
    framebuffer();
    attach_texture(GL_COLOR_ATTACHMENT0, GL_RGBA8, 4, 4);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    const float d = 0.75f;
    glClearBufferfv(GL_DEPTH, 0, &d);
    glViewport(0, 0, 4, 4);
    glBindTexture(GL_TEXTURE_2D, depth);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_FALSE);
    glUseProgram(fill_program("vec4(texture(t, uv).r, 0, 0, 1)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0.75f, 0, 0, 1);
}

SCENARIO(target_stencil_and_depth_views) {
    // One texture read as stencil, and through a view as depth, in one draw.
    need(43, "GL_ARB_stencil_texturing");
    need(43, "GL_ARB_texture_view");
    const GLuint t = texture(GL_TEXTURE_2D, GL_DEPTH24_STENCIL8, 4, 4);
    framebuffer();
    glDrawBuffer(GL_NONE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, t, 0);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.5f, 51);
    glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_STENCIL_TEXTURE_MODE, GL_STENCIL_INDEX);
    GLuint view = 0;
    glGenTextures(1, &view);
    glTextureView(view, GL_TEXTURE_2D, t, GL_DEPTH24_STENCIL8, 0, 1, 0, 1);
    target(4, 4);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, view);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_DEPTH_STENCIL_TEXTURE_MODE, GL_DEPTH_COMPONENT);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, t);
    const GLuint p = fill_program("vec4(float(texture(s, uv).r) / 255.0, texture(d, uv).r, 0, 1)",
                                  "uniform usampler2D s; uniform sampler2D d;");
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "d"), 1);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0.2f, 0.5f, 0, 1);
}

SCENARIO(target_clears_only_what_is_drawn) {
    // glClear honours draw buffers and per-target masks; glClearBuffer the mask of its buffer.
    framebuffer();
    GLenum at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = GLenum(GL_COLOR_ATTACHMENT0 + i);
        attach_texture(at[i], GL_RGBA8, 4, 4);
    }
    glDrawBuffers(3, at);
    clear_color(0, 0, 0, 0);
    glColorMaski(0, GL_TRUE, GL_FALSE, GL_FALSE, GL_TRUE);
    glColorMaski(1, GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    clear_color(1, 1, 1, 1);
    const GLenum one[3] = {GL_NONE, GL_COLOR_ATTACHMENT2, GL_NONE};
    glDrawBuffers(3, one); // masks go by draw buffer: green and alpha
    const float half[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    glClearBufferfv(GL_COLOR, 1, half);
    glReadBuffer(at[0]);
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
    glReadBuffer(at[1]);
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 0, 1);
    glReadBuffer(at[2]);
    EXPECT_RECT(0, 0, 4, 4, 1, 0.5f, 1, 0.5f);
}

SCENARIO(target_clears_scissored_depth_stencil) {
    target(8, 8, GL_RGBA8, GL_DEPTH24_STENCIL8);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, 1, 0x11);
    glEnable(GL_SCISSOR_TEST);
    glScissor(2, 2, 3, 3);
    glStencilMask(0xf0);
    glClearDepth(0.5);
    glClearStencil(0xaa);
    glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glDepthMask(GL_FALSE);
    glClearDepth(0.25);
    glClear(GL_DEPTH_BUFFER_BIT); // masked away
    GLuint in = 0, out = 0;
    glReadPixels(3, 3, 1, 1, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, &in);
    glReadPixels(5, 5, 1, 1, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, &out);
    EXPECT_EQ(in & 0xff, 0xa1u);
    EXPECT(std::fabs(float(in >> 8) / 16777215 - 0.5f) < 1e-4f);
    EXPECT_EQ(out, 0xffffff11u);
}
