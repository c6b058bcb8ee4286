// SPDX-License-Identifier: MIT
// GL helpers of the scenarios.
#include "scenario.h"

#include <cmath>
#include <cstdio>

namespace scenario {

const char *const fill_vs = R"(#version 140
out vec2 uv;
void main()
{
    vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    uv = p;
    gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);
}
)";

std::string in_version(const std::string &source) {
    static const std::string head = "#version 330";
    if (version() >= 33 || source.compare(0, head.size(), head) != 0)
        return source;
    // What a host for OpenGL 3.1 has of 3.30, by extension.
    return "#version 140\n"
           "#extension GL_ARB_explicit_attrib_location : require\n"
           "#extension GL_ARB_shader_bit_encoding : require\n"
           "#extension GL_ARB_separate_shader_objects : require\n"
           "#line 2\n" +
           source.substr(source.find('\n') + 1);
}

GLuint shader(GLenum stage, const std::string &source) {
    const GLuint s = glCreateShader(stage);
    const std::string spoken = in_version(source);
    const char *text = spoken.c_str();
    glShaderSource(s, 1, &text, nullptr);
    glCompileShader(s);
    GLint ok = 0;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[2048] = "";
        glGetShaderInfoLog(s, sizeof log, nullptr, log);
        fail(__FILE__, __LINE__, std::string("compile: ") + log);
    }
    return s;
}

GLuint program(const std::string &vs, const std::string &fs, const std::string &gs) {
    const GLuint p = glCreateProgram();
    std::vector<GLuint> shaders{shader(GL_VERTEX_SHADER, vs)};
    if (!fs.empty())
        shaders.push_back(shader(GL_FRAGMENT_SHADER, fs));
    if (!gs.empty())
        shaders.push_back(shader(GL_GEOMETRY_SHADER, gs));
    for (const GLuint s : shaders) {
        glAttachShader(p, s);
        glDeleteShader(s);
    }
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[2048] = "";
        glGetProgramInfoLog(p, sizeof log, nullptr, log);
        fail(__FILE__, __LINE__, std::string("link: ") + log);
        glDeleteProgram(p);
        return 0;
    }
    return p;
}

GLuint fill_program(const std::string &expr, const std::string &decls) {
    return program(fill_vs, "#version 330\nin vec2 uv;\nlayout(location = 0) out vec4 color;\n" +
                                decls + "\nvoid main()\n{\n    color = " + expr + ";\n}\n");
}

void draw_fill(GLsizei instances) {
    GLint old = 0;
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &old);
    GLuint vao = 0;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, instances);
    glBindVertexArray(GLuint(old));
    glDeleteVertexArrays(1, &vao);
}

Target target(int width, int height, GLenum format, GLenum depth_format) {
    Target t;
    t.width = width;
    t.height = height;
    glGenTextures(1, &t.color);
    glBindTexture(GL_TEXTURE_2D, t.color);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &t.fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t.color, 0);
    if (depth_format) {
        glGenRenderbuffers(1, &t.depth);
        glBindRenderbuffer(GL_RENDERBUFFER, t.depth);
        glRenderbufferStorage(GL_RENDERBUFFER, depth_format, width, height);
        const bool ds = depth_format == GL_DEPTH24_STENCIL8 || depth_format == GL_DEPTH32F_STENCIL8;
        glFramebufferRenderbuffer(GL_FRAMEBUFFER,
                                  ds ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT,
                                  GL_RENDERBUFFER, t.depth);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        fail(__FILE__, __LINE__, "target is not complete");
    glViewport(0, 0, width, height);
    return t;
}

GLuint texture_rgba8(int width, int height, const void *texels) {
    GLuint t = 0;
    glGenTextures(1, &t);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
    if (texels)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

GLuint buffer(GLenum target, const void *data, size_t size, GLenum usage) {
    GLuint b = 0;
    glGenBuffers(1, &b);
    glBindBuffer(target, b);
    glBufferData(target, GLsizeiptr(size), data, usage);
    return b;
}

void need(int at_least, const char *extension) {
    if (version() < at_least && !has_extension(extension))
        skip(std::string("no ") + extension);
}

GLuint vertex_array() {
    GLuint vao = 0;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    return vao;
}

void clear_color(float r, float g, float b, float a) {
    glClearColor(r, g, b, a);
    glClear(GL_COLOR_BUFFER_BIT);
}

GLuint texture(GLenum target, GLenum format, int width, int height, int layers, int levels) {
    GLuint t = 0;
    glGenTextures(1, &t);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(target, t);
    if (target == GL_TEXTURE_1D)
        glTexStorage1D(target, levels, format, width);
    else if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY ||
             target == GL_TEXTURE_CUBE_MAP_ARRAY)
        glTexStorage3D(target, levels, format, width, height, layers);
    else
        glTexStorage2D(target, levels, format, width,
                       target == GL_TEXTURE_1D_ARRAY ? layers : height);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

GLuint attach_texture(GLenum attachment, GLenum format, int width, int height) {
    const GLuint t = texture(GL_TEXTURE_2D, format, width, height);
    glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, attachment, GL_TEXTURE_2D, t, 0);
    return t;
}

namespace {

GLuint renderbuffer(GLenum attachment, int samples, GLenum format, int width, int height) {
    GLuint rb = 0;
    glGenRenderbuffers(1, &rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, rb);
    return rb;
}

bool has_stencil(GLenum format) {
    return format == GL_DEPTH24_STENCIL8 || format == GL_DEPTH32F_STENCIL8;
}

} // namespace

Target multisample_target(int width, int height, int samples, GLenum format, GLenum depth_format) {
    Target t;
    t.width = width;
    t.height = height;
    glGenFramebuffers(1, &t.fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
    t.color = renderbuffer(GL_COLOR_ATTACHMENT0, samples, format, width, height);
    if (depth_format)
        t.depth = renderbuffer(has_stencil(depth_format) ? GL_DEPTH_STENCIL_ATTACHMENT
                                                         : GL_DEPTH_ATTACHMENT,
                               samples, depth_format, width, height);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        fail(__FILE__, __LINE__, "multisample target is not complete");
    glViewport(0, 0, width, height);
    return t;
}

Target resolve(const Target &from, GLenum format) {
    const Target to = target(from.width, from.height, format);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from.fbo);
    glBlitFramebuffer(0, 0, from.width, from.height, 0, 0, from.width, from.height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, to.fbo);
    return to;
}

GLuint capture_program(const std::string &vs, const std::string &gs,
                       const std::vector<const char *> &names, GLenum mode) {
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_VERTEX_SHADER, vs));
    if (!gs.empty())
        glAttachShader(p, shader(GL_GEOMETRY_SHADER, gs));
    glTransformFeedbackVaryings(p, GLsizei(names.size()), names.data(), mode);
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[2048] = "";
        glGetProgramInfoLog(p, sizeof log, nullptr, log);
        fail(__FILE__, __LINE__, std::string("link: ") + log);
        return 0;
    }
    return p;
}

std::vector<uint8_t> read_rgba8(int x, int y, int width, int height) {
    std::vector<uint8_t> out(size_t(width) * size_t(height) * 4, 0xcd);
    glReadPixels(x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, out.data());
    return out;
}

std::vector<float> read_rgba32f(int x, int y, int width, int height) {
    std::vector<float> out(size_t(width) * size_t(height) * 4, -77.0f);
    glReadPixels(x, y, width, height, GL_RGBA, GL_FLOAT, out.data());
    return out;
}

Rgba pixel(int x, int y) {
    const std::vector<float> p = read_rgba32f(x, y, 1, 1);
    return {p[0], p[1], p[2], p[3]};
}

std::string show(const Rgba &c) {
    char text[96];
    snprintf(text, sizeof text, "(%.4f %.4f %.4f %.4f)", double(c[0]), double(c[1]), double(c[2]),
             double(c[3]));
    return text;
}

bool near(const Rgba &a, const Rgba &b, float tolerance) {
    for (int i = 0; i < 4; i++)
        if (!(std::fabs(a[size_t(i)] - b[size_t(i)]) <= tolerance))
            return false;
    return true;
}

void expect_pixel(const char *file, int line, int x, int y, const Rgba &want, float tolerance) {
    const Rgba got = pixel(x, y);
    if (!near(got, want, tolerance))
        fail(file, line,
             "pixel " + std::to_string(x) + "," + std::to_string(y) + " is " + show(got) +
                 ", want " + show(want));
}

void expect_rect(const char *file, int line, int x, int y, int w, int h, const Rgba &want,
                 float tolerance) {
    const std::vector<float> p = read_rgba32f(x, y, w, h);
    for (int j = 0; j < h; j++)
        for (int i = 0; i < w; i++) {
            const float *c = &p[size_t(j * w + i) * 4];
            const Rgba got{c[0], c[1], c[2], c[3]};
            if (!near(got, want, tolerance)) {
                fail(file, line,
                     "pixel " + std::to_string(x + i) + "," + std::to_string(y + j) + " is " +
                         show(got) + ", want " + show(want));
                return;
            }
        }
}

void expect_error(const char *file, int line, GLenum want) {
    const GLenum got = glGetError();
    if (got != want) {
        char text[64];
        snprintf(text, sizeof text, "GL error is 0x%x, want 0x%x", got, want);
        fail(file, line, text);
    }
}

} // namespace scenario
