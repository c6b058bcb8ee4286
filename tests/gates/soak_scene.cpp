// SPDX-License-Identifier: MIT
// The program that soak.py runs: objects of every kind are made, used and deleted, round after
// round. After every ROUNDS rounds it stands still, says what it holds and waits for a line on
// standard input; "end" ends it.
//
// usage: soak_scene ROUNDS [leak]      leak: one texture of each stop is kept (negative control)
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int side = 64;
using Bytes = std::vector<uint8_t>;

[[noreturn]] void fail(const char *what) {
    printf("fail %s (EGL 0x%x)\n", what, unsigned(eglGetError()));
    exit(1);
}

void no_error(const char *what) {
    if (const GLenum e = glGetError()) {
        printf("fail %s: GL 0x%x\n", what, e);
        exit(1);
    }
}

// --- contexts ------------------------------------------------------------------------------------

EGLDisplay display;
EGLConfig config;

struct Target {
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;

    void open(EGLContext share, int size) {
        const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                                  EGL_NONE};
        const EGLint extent[] = {EGL_WIDTH, size, EGL_HEIGHT, size, EGL_NONE};
        context = eglCreateContext(display, config, share, version);
        surface = context ? eglCreatePbufferSurface(display, config, extent) : nullptr;
        if (!surface)
            fail("no context");
        use();
    }
    void use() const {
        if (!eglMakeCurrent(display, surface, surface, context))
            fail("not current");
    }
    void close() const {
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroySurface(display, surface);
        eglDestroyContext(display, context);
    }
};

void open_display() {
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,   EGL_RED_SIZE,    8,
                             EGL_NONE};
    EGLint count = 0;
    if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        fail("no display");
}

// --- programs ------------------------------------------------------------------------------------

GLuint link(const std::string &fragment, const char *captured = nullptr) {
    const std::string texts[2] = {
        "#version 330 core\nlayout(location = 0) in vec2 position;\nout vec2 at;\n"
        "void main() { at = position; gl_Position = vec4(position * 2.0 - 1.0, 0.0, 1.0); }\n",
        fragment};
    const GLuint p = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        const char *text = texts[i].c_str();
        const GLuint s = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(s, 1, &text, nullptr);
        glCompileShader(s);
        glAttachShader(p, s);
        glDeleteShader(s);
    }
    if (captured)
        glTransformFeedbackVaryings(p, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok)
        fail("a program does not link");
    return p;
}

// Some sources come again and again: what is cached by content has its size after the first ones.
std::string fragment_of(unsigned round) {
    return "#version 330 core\nuniform sampler2D image;\nuniform vec4 shade;\nin vec2 at;\n"
           "layout(std140) uniform Block { vec4 tint; };\nlayout(location = 0) out vec4 color;\n"
           "void main() { color = texture(image, at) * shade + tint * " +
           std::to_string(round % 4) + ".0; }\n";
}

// --- one of each ---------------------------------------------------------------------------------

struct Fixture { // what the others draw with
    GLuint vao = 0, vertices = 0, uniforms = 0, image = 0;
    Fixture() {
        const float corners[] = {0, 0, 1, 0, 0, 1, 1, 1};
        glGenVertexArrays(1, &vao);
        glBindVertexArray(vao);
        glGenBuffers(1, &vertices);
        glBindBuffer(GL_ARRAY_BUFFER, vertices);
        glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
        glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
        glEnableVertexAttribArray(0);
        const float tint[4] = {};
        glGenBuffers(1, &uniforms);
        glBindBufferBase(GL_UNIFORM_BUFFER, 0, uniforms);
        glBufferData(GL_UNIFORM_BUFFER, sizeof tint, tint, GL_STATIC_DRAW);
        const Bytes texels(16 * 16 * 4, 200);
        glGenTextures(1, &image);
        glBindTexture(GL_TEXTURE_2D, image);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     texels.data());
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    }
    ~Fixture() {
        glDeleteVertexArrays(1, &vao);
        glDeleteBuffers(1, &vertices);
        glDeleteBuffers(1, &uniforms);
        glDeleteTextures(1, &image);
    }
    void draw() const { glDrawArrays(GL_TRIANGLE_STRIP, 0, 4); }
};

void programs(unsigned round, const Fixture &f) {
    const GLuint p = link(fragment_of(round));
    glUseProgram(p);
    glUniform4f(glGetUniformLocation(p, "shade"), 1, 1, 1, 1);
    glUniformBlockBinding(p, glGetUniformBlockIndex(p, "Block"), 0);
    f.draw();
    glUseProgram(0);
    glDeleteProgram(p);
    no_error("programs");
}

// From a few bytes to more than the stage takes.
void buffers(unsigned round) {
    static const Bytes bytes(12u << 20, 5);
    const GLsizeiptr sizes[] = {4, 1000, 65536, 300'000, 2 << 20, round % 8 ? 4096 : 12 << 20};
    for (const GLsizeiptr size : sizes) {
        GLuint b[2];
        glGenBuffers(2, b);
        glBindBuffer(GL_COPY_WRITE_BUFFER, b[0]);
        glBufferData(GL_COPY_WRITE_BUFFER, size, bytes.data(), GL_DYNAMIC_DRAW);
        glBufferSubData(GL_COPY_WRITE_BUFFER, 0, size / 2, bytes.data());
        if (void *p = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, size,
                                       GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT)) {
            memset(p, int(round), size_t(size));
            glUnmapBuffer(GL_COPY_WRITE_BUFFER);
        }
        glBindBuffer(GL_COPY_READ_BUFFER, b[1]);
        glBufferData(GL_COPY_READ_BUFFER, size, nullptr, GL_STATIC_READ);
        glCopyBufferSubData(GL_COPY_WRITE_BUFFER, GL_COPY_READ_BUFFER, 0, 0, size);
        uint8_t back[4] = {};
        glGetBufferSubData(GL_COPY_READ_BUFFER, 0, 4, back);
        if (back[0] != uint8_t(round))
            fail("a buffer has other bytes");
        glDeleteBuffers(2, b);
    }
    no_error("buffers");
}

bool has_version(int wanted) {
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    return major * 10 + minor >= wanted;
}

void persistent(unsigned round, const Fixture &f) {
    if (!has_version(44))
        return;
    constexpr GLbitfield how = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(GL_UNIFORM_BUFFER, b);
    glBufferStorage(GL_UNIFORM_BUFFER, 1 << 20, nullptr, how);
    auto *p = static_cast<float *>(glMapBufferRange(GL_UNIFORM_BUFFER, 0, 1 << 20, how));
    const GLuint program = link(fragment_of(0));
    glUseProgram(program);
    for (unsigned i = 0; p && i < 4; i++) {
        p[i * 64] = float(round);
        glBindBufferRange(GL_UNIFORM_BUFFER, 0, b, i * 256, 16);
        f.draw();
    }
    glUseProgram(0);
    glDeleteProgram(program);
    glDeleteBuffers(1, &b); // still mapped
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, f.uniforms);
    no_error("persistent maps");
}

void textures(unsigned round, const Fixture &f) {
    static const Bytes texels(512 * 512 * 4, 90);
    const int n = round % 8 ? 32 << round % 3 : 512;
    GLuint t[7], b;
    glGenTextures(7, t);
    glBindTexture(GL_TEXTURE_2D, t[0]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, n, n, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, n / 2, n / 2, GL_BGRA, GL_UNSIGNED_BYTE, texels.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    const GLuint program = link(fragment_of(1));
    glUseProgram(program);
    f.draw();
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 16, 16);
    Bytes back(size_t(n) * size_t(n) * 4);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, back.data());
    glBindTexture(GL_TEXTURE_3D, t[1]);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 16, 16, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 texels.data());
    glBindTexture(GL_TEXTURE_CUBE_MAP, t[2]);
    for (GLenum face = 0; face < 6; face++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 32, 32, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels.data());
    glBindTexture(GL_TEXTURE_2D_ARRAY, t[3]);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R8, 64, 64, 4, 0, GL_RED, GL_UNSIGNED_BYTE,
                 texels.data());
    glGenBuffers(1, &b);
    glBindBuffer(GL_TEXTURE_BUFFER, b);
    glBufferData(GL_TEXTURE_BUFFER, 4096, texels.data(), GL_STATIC_DRAW);
    glBindTexture(GL_TEXTURE_BUFFER, t[4]);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, b);
    if (has_version(43)) {
        glBindTexture(GL_TEXTURE_2D, t[5]);
        glTexStorage2D(GL_TEXTURE_2D, 3, GL_RGBA8, 64, 64);
        glTextureView(t[6], GL_TEXTURE_2D, t[5], GL_RGBA8, 1, 1, 0, 1);
        glBindTexture(GL_TEXTURE_2D, t[6]);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 32, 32, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
        f.draw();
    }
    glDeleteTextures(7, t);
    glDeleteBuffers(1, &b);
    glUseProgram(0);
    glDeleteProgram(program);
    glBindTexture(GL_TEXTURE_2D, f.image);
    no_error("textures");
}

void framebuffers(unsigned round, const Fixture &f) {
    GLuint fbo[2], color, depth, samples;
    glGenFramebuffers(2, fbo);
    glGenRenderbuffers(1, &depth);
    glGenRenderbuffers(1, &samples);
    glGenTextures(1, &color);
    glBindTexture(GL_TEXTURE_2D, color);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindTexture(GL_TEXTURE_2D, f.image);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, side, side);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    glClearColor(float(round % 2), 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    const GLuint program = link(fragment_of(2));
    glUseProgram(program);
    f.draw();
    glBindFramebuffer(GL_FRAMEBUFFER, fbo[1]);
    glBindRenderbuffer(GL_RENDERBUFFER, samples);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, side, side);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, samples);
    glClear(GL_COLOR_BUFFER_BIT);
    f.draw();
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, fbo[0]);
    glBlitFramebuffer(0, 0, side, side, 0, 0, side, side, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo[0]);
    Bytes pixels(side * side * 4);
    glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    GLuint pack;
    glGenBuffers(1, &pack);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pack);
    glBufferData(GL_PIXEL_PACK_BUFFER, GLsizeiptr(pixels.size()), nullptr, GL_STREAM_READ);
    glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    if (glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, 16, GL_MAP_READ_BIT))
        glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glDeleteBuffers(1, &pack);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(2, fbo);
    glDeleteRenderbuffers(1, &depth);
    glDeleteRenderbuffers(1, &samples);
    glDeleteTextures(1, &color);
    glUseProgram(0);
    glDeleteProgram(program);
    no_error("framebuffers");
}

void queries(const Fixture &f) {
    const GLuint program = link(fragment_of(3), "at");
    glUseProgram(program);
    GLuint q[3], captured, sampler, tfo = 0;
    glGenQueries(3, q);
    glGenBuffers(1, &captured);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 4096, nullptr, GL_STREAM_READ);
    glGenSamplers(1, &sampler);
    glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glBindSampler(0, sampler);
    if (has_version(40)) {
        glGenTransformFeedbacks(1, &tfo);
        glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, tfo);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
    }
    glBeginQuery(GL_SAMPLES_PASSED, q[0]);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, q[1]);
    glBeginTransformFeedback(GL_TRIANGLES);
    f.draw();
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glEndQuery(GL_SAMPLES_PASSED);
    glQueryCounter(q[2], GL_TIMESTAMP);
    GLuint written = 0;
    glGetQueryObjectuiv(q[1], GL_QUERY_RESULT, &written);
    if (written != 2)
        fail("a query counts wrong");
    const GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, 1'000'000'000);
    glDeleteSync(sync);
    if (tfo) {
        glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
        glDeleteTransformFeedbacks(1, &tfo);
    }
    glBindSampler(0, 0);
    glDeleteSamplers(1, &sampler);
    glDeleteQueries(3, q);
    glDeleteBuffers(1, &captured);
    glUseProgram(0);
    glDeleteProgram(program);
    no_error("queries");
}

void contexts(unsigned round, const Target &root) {
    Target shared, alone;
    shared.open(root.context, side / 2);
    {
        const Fixture f;
        queries(f);
        eglSwapBuffers(display, shared.surface);
    }
    shared.close();
    alone.open(EGL_NO_CONTEXT, side + int(round % 3));
    {
        const Fixture f;
        programs(round, f);
        eglSwapBuffers(display, alone.surface);
    }
    alone.close();
    root.use();
}

void one_round(unsigned round, const Target &root) {
    const Fixture f;
    glViewport(0, 0, side, side);
    programs(round, f);
    buffers(round);
    persistent(round, f);
    textures(round, f);
    framebuffers(round, f);
    queries(f);
    if (round % 4 == 0)
        contexts(round, root);
    eglSwapBuffers(display, root.surface);
}

} // namespace

int main(int argc, char **argv) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    const unsigned rounds = argc > 1 ? unsigned(atoi(argv[1])) : 10;
    const bool leak = argc > 2 && !strcmp(argv[2], "leak");
    open_display();
    Target root;
    root.open(EGL_NO_CONTEXT, side);
    unsigned round = 0;
    for (char line[16];;) {
        for (unsigned i = 0; i < rounds; i++)
            one_round(round++, root);
        if (leak) {
            GLuint forgotten;
            glGenTextures(1, &forgotten);
            glBindTexture(GL_TEXTURE_2D, forgotten);
            glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 256, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                         Bytes(256 * 256 * 4).data());
        }
        eglSwapBuffers(display, root.surface);
        glFinish();
        printf("stop rounds %u heap %zu\n", round, mallinfo2().uordblks);
        if (!fgets(line, sizeof line, stdin) || !strncmp(line, "end", 3))
            break;
    }
    root.close();
    eglTerminate(display);
    printf("end\n");
    return 0;
}
