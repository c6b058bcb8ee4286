// SPDX-License-Identifier: MIT
// The tables of formats that OpenGL 3.3 asks every context for (section 3.8.1, tables 3.12 and
// 3.13), and those of buffer textures.
#include "scenario.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace scenario;

namespace {

enum Kind { normalised, floats, signed_ints, unsigned_ints, depth, depth_stencil, stencil };

struct Format {
    GLenum internal;
    Kind kind;
    int channels;
    float step; // what rounding may cost
};

// Required as textures and renderbuffers.
const Format renderable[] = {
    {GL_RGBA32F, floats, 4, 0},
    {GL_RGBA32I, signed_ints, 4, 0},
    {GL_RGBA32UI, unsigned_ints, 4, 0},
    {GL_RGBA16, normalised, 4, 1e-4f},
    {GL_RGBA16F, floats, 4, 1e-3f},
    {GL_RGBA16I, signed_ints, 4, 0},
    {GL_RGBA16UI, unsigned_ints, 4, 0},
    {GL_RGBA8, normalised, 4, 0.003f},
    {GL_RGBA8I, signed_ints, 4, 0},
    {GL_RGBA8UI, unsigned_ints, 4, 0},
    {GL_SRGB8_ALPHA8, normalised, 4, 0.003f},
    {GL_RGB10_A2, normalised, 4, 0.2f},
    {GL_RGB10_A2UI, unsigned_ints, 4, 0},
    {GL_R11F_G11F_B10F, floats, 3, 0.02f},
    {GL_RG32F, floats, 2, 0},
    {GL_RG32I, signed_ints, 2, 0},
    {GL_RG32UI, unsigned_ints, 2, 0},
    {GL_RG16, normalised, 2, 1e-4f},
    {GL_RG16F, floats, 2, 1e-3f},
    {GL_RG16I, signed_ints, 2, 0},
    {GL_RG16UI, unsigned_ints, 2, 0},
    {GL_RG8, normalised, 2, 0.003f},
    {GL_RG8I, signed_ints, 2, 0},
    {GL_RG8UI, unsigned_ints, 2, 0},
    {GL_R32F, floats, 1, 0},
    {GL_R32I, signed_ints, 1, 0},
    {GL_R32UI, unsigned_ints, 1, 0},
    {GL_R16F, floats, 1, 1e-3f},
    {GL_R16I, signed_ints, 1, 0},
    {GL_R16UI, unsigned_ints, 1, 0},
    {GL_R16, normalised, 1, 1e-4f},
    {GL_R8, normalised, 1, 0.003f},
    {GL_R8I, signed_ints, 1, 0},
    {GL_R8UI, unsigned_ints, 1, 0},
    {GL_RGBA, normalised, 4, 0.1f},
    {GL_RG, normalised, 2, 0.1f},
    {GL_RED, normalised, 1, 0.1f},
    {GL_DEPTH_COMPONENT32F, depth, 1, 0},
    {GL_DEPTH_COMPONENT24, depth, 1, 1e-6f},
    {GL_DEPTH_COMPONENT16, depth, 1, 1e-4f},
    {GL_DEPTH32F_STENCIL8, depth_stencil, 1, 0},
    {GL_DEPTH24_STENCIL8, depth_stencil, 1, 1e-6f},
    {GL_DEPTH_COMPONENT, depth, 1, 1e-4f},
    {GL_DEPTH_STENCIL, depth_stencil, 1, 1e-4f},
};

// Required as textures: all of the above, and these.
const Format texture_only[] = {
    {GL_RGB32F, floats, 3, 0},
    {GL_RGB32I, signed_ints, 3, 0},
    {GL_RGB32UI, unsigned_ints, 3, 0},
    {GL_RGB16, normalised, 3, 1e-4f},
    {GL_RGB16F, floats, 3, 1e-3f},
    {GL_RGB16I, signed_ints, 3, 0},
    {GL_RGB16UI, unsigned_ints, 3, 0},
    {GL_RGB8, normalised, 3, 0.003f},
    {GL_RGB8I, signed_ints, 3, 0},
    {GL_RGB8UI, unsigned_ints, 3, 0},
    {GL_SRGB8, normalised, 3, 0.01f},
    {GL_RGB9_E5, floats, 3, 0.01f},
    {GL_RGBA16_SNORM, normalised, 4, 1e-4f},
    {GL_RGBA8_SNORM, normalised, 4, 0.005f},
    {GL_RGB16_SNORM, normalised, 3, 1e-4f},
    {GL_RGB8_SNORM, normalised, 3, 0.005f},
    {GL_RG16_SNORM, normalised, 2, 1e-4f},
    {GL_RG8_SNORM, normalised, 2, 0.005f},
    {GL_R16_SNORM, normalised, 1, 1e-4f},
    {GL_R8_SNORM, normalised, 1, 0.005f},
    {GL_COMPRESSED_RED_RGTC1, normalised, 1, 0.02f},
    {GL_COMPRESSED_SIGNED_RED_RGTC1, normalised, 1, 0.02f},
    {GL_COMPRESSED_RG_RGTC2, normalised, 2, 0.02f},
    {GL_COMPRESSED_SIGNED_RG_RGTC2, normalised, 2, 0.02f},
    // legal, though not of the table
    {GL_R3_G3_B2, normalised, 3, 0.1f},
    {GL_RGB4, normalised, 3, 0.04f},
    {GL_RGB5, normalised, 3, 0.02f},
    {GL_RGB10, normalised, 3, 0.001f},
    {GL_RGB12, normalised, 3, 0.001f},
    {GL_RGBA2, normalised, 4, 0.2f},
    {GL_RGBA4, normalised, 4, 0.04f},
    {GL_RGB5_A1, normalised, 4, 0.3f},
    {GL_RGBA12, normalised, 4, 0.001f},
    {GL_RGB, normalised, 3, 0.1f},
    {GL_SRGB, normalised, 3, 0.1f},
    {GL_SRGB_ALPHA, normalised, 4, 0.1f},
    {GL_SRGB8_ALPHA8, normalised, 4, 0.01f},
    {GL_DEPTH_COMPONENT32, depth, 1, 1e-6f},
    {GL_COMPRESSED_RED, normalised, 1, 0.1f},
    {GL_COMPRESSED_RG, normalised, 2, 0.1f},
    {GL_COMPRESSED_RGB, normalised, 3, 0.1f},
    {GL_COMPRESSED_RGBA, normalised, 4, 0.1f},
    {GL_COMPRESSED_SRGB, normalised, 3, 0.1f},
    {GL_COMPRESSED_SRGB_ALPHA, normalised, 4, 0.1f},
};

std::string hex(GLenum v) {
    char text[16];
    snprintf(text, sizeof text, "0x%04x", v);
    return text;
}

const float kColor[4] = {0.25f, 0.5f, 0.75f, 0.625f};

GLenum point_of(Kind k) {
    return k == depth           ? GL_DEPTH_ATTACHMENT
           : k == depth_stencil ? GL_DEPTH_STENCIL_ATTACHMENT
           : k == stencil       ? GL_STENCIL_ATTACHMENT
                                : GL_COLOR_ATTACHMENT0;
}

// Clears the attachment of the bound framebuffer.
void clear_to(const Format &f) {
    const GLint ints[4] = {11, -12, 13, 14};
    const GLuint words[4] = {11, 12, 13, 2};
    switch (f.kind) {
    case signed_ints: return glClearBufferiv(GL_COLOR, 0, ints);
    case unsigned_ints: return glClearBufferuiv(GL_COLOR, 0, words);
    case depth: return glClearBufferfv(GL_DEPTH, 0, kColor);
    case depth_stencil: return glClearBufferfi(GL_DEPTH_STENCIL, 0, kColor[0], 7);
    case stencil: return glClearBufferiv(GL_STENCIL, 0, ints);
    default: return glClearBufferfv(GL_COLOR, 0, kColor);
    }
}

// What is read has what was cleared, and zeros and one where the format has no component.
void expect_cleared(int line, const Format &f) {
    float got[4] = {};
    GLint ints[4] = {};
    bool ok = true;
    if (f.kind == signed_ints || f.kind == unsigned_ints) {
        const GLint want[2][4] = {{11, -12, 13, 14}, {11, 12, 13, 2}};
        glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, f.kind == signed_ints ? GL_INT : GL_UNSIGNED_INT,
                     ints);
        for (int i = 0; i < 4; i++)
            ok = ok && ints[i] == (i < f.channels ? want[f.kind == unsigned_ints][i] : i == 3);
    } else if (f.kind == stencil || f.kind == depth_stencil) {
        GLubyte s = 0;
        glReadPixels(1, 1, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &s);
        ok = s == (f.kind == stencil ? 11 : 7);
    } else if (f.kind != depth) {
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_FLOAT, got);
        for (int i = 0; i < 4; i++)
            ok = ok && std::fabs(got[i] - (i < f.channels ? kColor[i] : float(i == 3))) <= f.step;
    }
    if (f.kind == depth || f.kind == depth_stencil) {
        glReadPixels(1, 1, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, got);
        ok = ok && std::fabs(got[0] - kColor[0]) <= f.step;
    }
    const GLenum error = glGetError();
    if (!ok || error)
        fail(__FILE__, line,
             hex(f.internal) + ": error " + hex(error) + ", " + std::to_string(got[0]) + " " +
                 std::to_string(got[1]) + " " + std::to_string(got[2]) + " " +
                 std::to_string(got[3]) + ", " + std::to_string(ints[0]) + " " +
                 std::to_string(ints[3]));
}

void expect_complete(int line, const Format &f) {
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        fail(__FILE__, line, hex(f.internal) + " is no target: " + hex(status));
}

void define(const Format &f, int size) {
    const bool ints = f.kind == signed_ints || f.kind == unsigned_ints;
    glTexImage2D(GL_TEXTURE_2D, 0, GLint(f.internal), size, size, 0,
                 f.kind == depth           ? GL_DEPTH_COMPONENT
                 : f.kind == depth_stencil ? GL_DEPTH_STENCIL
                 : ints                    ? GL_RGBA_INTEGER
                                           : GL_RGBA,
                 f.kind == depth_stencil ? GL_UNSIGNED_INT_24_8
                 : ints                  ? GL_INT
                                         : GL_FLOAT,
                 nullptr);
}

GLuint new_texture(GLenum filter) {
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GLint(filter));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GLint(filter));
    return t;
}

// Halfway between black and the colour, by the filter.
void expect_filtered(int line, const Format &f, GLuint program) {
    std::vector<float> texels(4 * 4 * 4, 0);
    for (size_t i = 0; i < 16; i++)
        for (size_t c = 0; c < 4; c++)
            texels[i * 4 + c] = i % 4 < 2 ? 0 : kColor[c];
    const GLuint t = new_texture(GL_LINEAR);
    if (f.kind == depth)
        for (size_t i = 0; i < 16; i++)
            texels[i] = i % 4 < 2 ? 0 : kColor[0];
    glTexImage2D(GL_TEXTURE_2D, 0, GLint(f.internal), 4, 4, 0,
                 f.kind == depth ? GL_DEPTH_COMPONENT : GL_RGBA, GL_FLOAT, texels.data());
    glUseProgram(program);
    draw_fill();
    const Rgba got = pixel(0, 0);
    bool ok = true;
    for (int i = 0; i < f.channels && i < 3; i++) {
        float want = kColor[i];
        const bool srgb = f.internal == GL_SRGB || f.internal == GL_SRGB8 ||
                          f.internal == GL_SRGB_ALPHA || f.internal == GL_SRGB8_ALPHA8 ||
                          f.internal == GL_COMPRESSED_SRGB ||
                          f.internal == GL_COMPRESSED_SRGB_ALPHA;
        if (srgb)
            want = std::pow((want + 0.055f) / 1.055f, 2.4f);
        ok = ok && std::fabs(got[size_t(i)] - want / 2) <= std::max(f.step, 0.01f);
    }
    const GLenum error = glGetError();
    if (!ok || error)
        fail(__FILE__, line,
             hex(f.internal) + " filtered is " + show(got) + ", error " + hex(error));
    glDeleteTextures(1, &t);
}

void expect_fetched(int line, const Format &f) {
    const GLuint t = new_texture(GL_NEAREST);
    const GLint texels[4] = {11, f.kind == signed_ints ? -12 : 12, 13, 14};
    glTexImage2D(GL_TEXTURE_2D, 0, GLint(f.internal), 1, 1, 0, GL_RGBA_INTEGER, GL_INT, texels);
    const char *const p = f.kind == signed_ints ? "i" : "u";
    glUseProgram(program(fill_vs, std::string("#version 330\nuniform ") + p + "sampler2D t; out " +
                                      p + "vec4 o; void main() { o = texture(t, vec2(0)); }"));
    const Target to = target(1, 1, f.kind == signed_ints ? GL_RGBA32I : GL_RGBA32UI);
    glBindTexture(GL_TEXTURE_2D, t);
    draw_fill();
    GLint got[4] = {};
    glReadPixels(0, 0, 1, 1, GL_RGBA_INTEGER, f.kind == signed_ints ? GL_INT : GL_UNSIGNED_INT,
                 got);
    for (int i = 0; i < 4; i++)
        if (got[i] != (i < f.channels ? texels[i] : i == 3))
            fail(__FILE__, line, hex(f.internal) + " fetched is " + std::to_string(got[i]));
    glDeleteTextures(1, &t);
    glDeleteFramebuffers(1, &to.fbo);
}

} // namespace

SCENARIO(formats_required_of_targets) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    for (const Format &f : renderable) {
        GLuint fbo = 0, rb = 0;
        glGenFramebuffers(1, &fbo);
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        const GLuint t = new_texture(GL_NEAREST);
        define(f, 4);
        glFramebufferTexture2D(GL_FRAMEBUFFER, point_of(f.kind), GL_TEXTURE_2D, t, 0);
        expect_complete(__LINE__, f);
        clear_to(f);
        expect_cleared(__LINE__, f);
        glFramebufferTexture2D(GL_FRAMEBUFFER, point_of(f.kind), GL_TEXTURE_2D, 0, 0);
        glGenRenderbuffers(1, &rb);
        glBindRenderbuffer(GL_RENDERBUFFER, rb);
        glRenderbufferStorage(GL_RENDERBUFFER, f.internal, 4, 4);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, point_of(f.kind), GL_RENDERBUFFER, rb);
        expect_complete(__LINE__, f);
        clear_to(f);
        expect_cleared(__LINE__, f);
        if (f.kind != signed_ints && f.kind != unsigned_ints) { // those may have fewer
            glRenderbufferStorageMultisample(GL_RENDERBUFFER, most, f.internal, 4, 4);
            EXPECT_ERROR(GL_NO_ERROR);
            expect_complete(__LINE__, f);
        }
        glDeleteFramebuffers(1, &fbo);
        glDeleteRenderbuffers(1, &rb);
        glDeleteTextures(1, &t);
    }
    const Format bits{GL_STENCIL_INDEX8, stencil, 1, 0};
    GLuint fbo = 0, rb = 0;
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorage(GL_RENDERBUFFER, bits.internal, 4, 4);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, rb);
    expect_complete(__LINE__, bits);
    clear_to(bits);
    expect_cleared(__LINE__, bits);
}

SCENARIO(formats_required_of_textures) {
    const GLuint filter = fill_program("texture(t, vec2(0.5))", "uniform sampler2D t;");
    const Target to = target(1, 1, GL_RGBA32F);
    const auto each = [&](const Format &f) {
        if (f.kind == signed_ints || f.kind == unsigned_ints)
            return expect_fetched(__LINE__, f);
        glBindFramebuffer(GL_FRAMEBUFFER, to.fbo);
        glViewport(0, 0, 1, 1);
        if (f.kind == normalised || f.kind == floats) // not every Vulkan host filters depth
            expect_filtered(__LINE__, f, filter);
    };
    for (const Format &f : renderable)
        if (f.internal != GL_RGB10_A2UI && f.internal != GL_SRGB8_ALPHA8)
            each(f);
    for (const Format &f : texture_only)
        each(f);
}

SCENARIO(formats_of_buffer_textures) {
    // OpenGL 3.3 table 3.15; three components by GL_ARB_texture_buffer_object_rgb32.
    const std::vector<GLenum> table = {
        GL_R8,     GL_R16,     GL_R16F,    GL_R32F,    GL_R8I,      GL_R16I,
        GL_R32I,   GL_R8UI,    GL_R16UI,   GL_R32UI,   GL_RG8,      GL_RG16,
        GL_RG16F,  GL_RG32F,   GL_RG8I,    GL_RG16I,   GL_RG32I,    GL_RG8UI,
        GL_RG16UI, GL_RG32UI,  GL_RGBA8,   GL_RGBA16,  GL_RGBA16F,  GL_RGBA32F,
        GL_RGBA8I, GL_RGBA16I, GL_RGBA32I, GL_RGBA8UI, GL_RGBA16UI, GL_RGBA32UI};
    std::vector<GLenum> three = {GL_RGB32F, GL_RGB32I, GL_RGB32UI};
    const GLuint b = buffer(GL_TEXTURE_BUFFER, nullptr, 64);
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_BUFFER, t);
    const auto expect = [&](GLenum internal, bool legal) {
        glTexBuffer(GL_TEXTURE_BUFFER, internal, b);
        const GLenum error = glGetError();
        if (error != (legal ? GL_NO_ERROR : GL_INVALID_ENUM))
            fail(__FILE__, __LINE__, hex(internal) + " gives " + hex(error));
    };
    for (const GLenum f : table)
        expect(f, true);
    for (const GLenum f : three)
        expect(f, version() >= 40 || has_extension("GL_ARB_texture_buffer_object_rgb32"));
    for (const auto &list : {std::vector<Format>(std::begin(renderable), std::end(renderable)),
                             std::vector<Format>(std::begin(texture_only), std::end(texture_only))})
        for (const Format &f : list) {
            const auto in = [&](const std::vector<GLenum> &set) {
                return std::find(set.begin(), set.end(), f.internal) != set.end();
            };
            if (!in(table) && !in(three))
                expect(f.internal, false);
        }
}

SCENARIO(framebuffer_srgb_toggled) {
    // The switch counts at each clear and draw, whatever came before in the framebuffer.
    const Target to = target(4, 4, GL_SRGB8_ALPHA8);
    attach_texture(GL_COLOR_ATTACHMENT1, GL_RGBA8, 4, 4);
    const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    glDrawBuffers(2, both);
    const GLuint half = program(fill_vs, "#version 330\nlayout(location = 0) out vec4 a;\n"
                                         "layout(location = 1) out vec4 b;\n"
                                         "void main() { a = b = vec4(0.5); }");
    glEnable(GL_SCISSOR_TEST);
    glClearColor(0.5f, 0.5f, 0.5f, 0.5f);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 16; i++) { // one pixel each: clear or draw, with it or without
            const bool encode = (i + round) & 1, draws = i & 2;
            (encode ? glEnable : glDisable)(GL_FRAMEBUFFER_SRGB);
            glScissor(i % 4, i / 4, 1, 1);
            if (draws) {
                glUseProgram(half);
                draw_fill();
            } else if (i & 4) {
                glClear(GL_COLOR_BUFFER_BIT);
            } else {
                const float c[4] = {0.5f, 0.5f, 0.5f, 0.5f};
                glClearBufferfv(GL_COLOR, 0, c);
                glClearBufferfv(GL_COLOR, 1, c);
            }
        }
    for (int n = 0; n < 2; n++) {
        glReadBuffer(both[n]);
        const std::vector<uint8_t> got = read_rgba8(0, 0, 4, 4);
        for (int i = 0; i < 16; i++) {
            const bool encoded = n == 0 && ((i + 1) & 1);
            const int want = encoded ? 188 : 128;
            EXPECT(std::abs(got[size_t(i) * 4] - want) <= 1);
            EXPECT(std::abs(got[size_t(i) * 4 + 3] - 128) <= 1);
        }
    }
    glDeleteFramebuffers(1, &to.fbo);
}

// What is drawn becomes shared-exponent texels, whole and in part.
SCENARIO(formats_framebuffer_to_shared_exponent) {
    target(4, 4, GL_RGBA32F);
    glClearColor(0.5f, 2.0f, 0.125f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB9_E5, 0, 0, 4, 4, 0);
    GLint internal = 0;
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_INTERNAL_FORMAT, &internal);
    EXPECT_EQ(internal, GL_RGB9_E5);
    glClearColor(64.0f, 0.25f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 2, 1, 0, 0, 1, 2);
    EXPECT_ERROR(GL_NO_ERROR);
    float got[16][3] = {};
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGB, GL_FLOAT, got);
    for (int i = 0; i < 16; i++) {
        const bool late = i % 4 == 2 && i / 4 >= 1 && i / 4 <= 2;
        const float want[3] = {late ? 64.0f : 0.5f, late ? 0.25f : 2.0f, late ? 0.0f : 0.125f};
        for (int k = 0; k < 3; k++)
            EXPECT_EQ(got[i][k], want[k]);
    }
    glDeleteTextures(1, &t);
}
