// SPDX-License-Identifier: MIT
// `trace_scenes NAME` draws one scene, `trace_scenes --list` names them.
#include "scenes.h"

#include <EGL/eglext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace scenes {

namespace {

struct Context {
    EGLContext context;
    EGLSurface surface;
};

EGLDisplay display;
EGLConfig config;
std::vector<Context> contexts;
unsigned current;

void open_display() {
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    eglBindAPI(EGL_OPENGL_API);
    const EGLint wish[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                           EGL_RED_SIZE,     8,
                           EGL_ALPHA_SIZE,   8,
                           EGL_DEPTH_SIZE,   24,
                           EGL_STENCIL_SIZE, 8,
                           EGL_NONE};
    EGLint count = 0;
    if (!eglInitialize(display, nullptr, nullptr) ||
        !eglChooseConfig(display, wish, &config, 1, &count) || !count)
        give_up("no display or no config");
}

const char *const quad_vs = R"(
uniform vec4 rect;
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 p = (rect.xy + at * rect.zw) / vec2(96.0, 64.0);
    gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0);
})";

} // namespace

std::vector<Scene> &all() {
    static std::vector<Scene> list;
    return list;
}

void give_up(const std::string &why) {
    fprintf(stderr, "trace_scenes: %s\n", why.c_str());
    exit(1);
}

void add_context() {
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              3,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                              EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    const EGLContext share = contexts.empty() ? EGL_NO_CONTEXT : contexts[0].context;
    const Context c{eglCreateContext(display, config, share, version),
                    eglCreatePbufferSurface(display, config, size)};
    if (!c.context || !c.surface)
        give_up("no context");
    contexts.push_back(c);
}

void make_current(unsigned index) {
    current = index;
    const Context &c = contexts[index];
    if (!eglMakeCurrent(display, c.surface, c.surface, c.context))
        give_up("make-current failed");
}

void swap() {
    if (const GLenum e = glGetError())
        give_up("GL error " + std::to_string(e));
    eglSwapBuffers(display, contexts[current].surface);
}

GLuint shader(GLenum stage, const std::string &body) {
    std::string text = body.rfind("#version", 0) == 0 ? body : "#version 330\n" + body;
    const char *source = text.c_str();
    const GLuint s = glCreateShader(stage);
    glShaderSource(s, 1, &source, nullptr);
    glCompileShader(s);
    GLint ok = 0;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[1024];
        glGetShaderInfoLog(s, sizeof log, nullptr, log);
        give_up(std::string(log) + text);
    }
    return s;
}

GLuint link(const std::vector<GLuint> &shaders) {
    const GLuint p = glCreateProgram();
    for (const GLuint s : shaders) {
        glAttachShader(p, s);
        glDeleteShader(s);
    }
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok)
        give_up("a program does not link");
    return p;
}

GLuint program(const std::string &vs, const std::string &fs) {
    return link({shader(GL_VERTEX_SHADER, vs), shader(GL_FRAGMENT_SHADER, fs)});
}

GLuint quad_program(const std::string &fs_body, const std::string &declarations) {
    return program(quad_vs,
                   declarations + "\nin vec2 at;\nout vec4 color;\nvoid main() {" + fs_body + "}");
}

void quad(GLuint p, float x, float y, float w, float h) {
    glUseProgram(p);
    glUniform4f(uniform(p, "rect"), x, y, w, h);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

GLuint buffer(GLenum target, const void *data, size_t size, GLenum usage) {
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(target, b);
    glBufferData(target, GLsizeiptr(size), data, usage);
    return b;
}

GLuint texture(GLenum target) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(target, t);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

GLint uniform(GLuint p, const char *name) {
    return glGetUniformLocation(p, name);
}

} // namespace scenes

int main(int argc, char **argv) {
    using namespace scenes;
    if (argc != 2)
        give_up("usage: trace_scenes NAME | --list");
    for (const Scene &s : all())
        if (!strcmp(argv[1], "--list"))
            puts(s.name);
    if (!strcmp(argv[1], "--list"))
        return 0;
    for (const Scene &s : all()) {
        if (strcmp(argv[1], s.name))
            continue;
        open_display();
        add_context();
        make_current(0);
        GLuint vao;
        glGenVertexArrays(1, &vao);
        glBindVertexArray(vao);
        glViewport(0, 0, width, height);
        s.body();
        for (size_t i = contexts.size(); i--;) {
            make_current(unsigned(i));
            eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            eglDestroySurface(display, contexts[i].surface);
            eglDestroyContext(display, contexts[i].context);
        }
        eglTerminate(display);
        return 0;
    }
    give_up(std::string("no scene ") + argv[1]);
}
