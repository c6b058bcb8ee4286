// SPDX-License-Identifier: MIT
// The program of isolation.py: draws, waits or polls, and says what it sees, with the monotonic
// clock's time in nanoseconds where that matters. It ends with its input, or with its context.
#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace {

constexpr int side = 64;
EGLDisplay display;
EGLSurface surface;
sigjmp_buf out_of_the_wait;

uint64_t now_ns() {
    return static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

bool open_context() {
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    const EGLint want[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_BIT,   EGL_RED_SIZE,    8,
                           EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              3,
                              EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                              EGL_LOSE_CONTEXT_ON_RESET,
                              EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, side, EGL_HEIGHT, side, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint n = 0;
    if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, want, &config, 1, &n) || !n)
        return false;
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    surface = eglCreatePbufferSurface(display, config, size);
    return context && surface && eglMakeCurrent(display, surface, surface, context);
}

GLint make_program() {
    const char *const text[2] = {
        "#version 150\nvoid main() { gl_Position = vec4(gl_VertexID % 2 * 4 - 1, "
        "gl_VertexID / 2 * 4 - 1, 0, 1); }",
        "#version 150\nuniform vec4 color; out vec4 o; void main() { o = color; }"};
    GLuint program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        const GLuint s = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(s, 1, &text[i], nullptr);
        glCompileShader(s);
        glAttachShader(program, s);
    }
    glLinkProgram(program);
    glUseProgram(program);
    GLuint vao = 0;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    return glGetUniformLocation(program, "color");
}

// Draws shade number `i`; true when the picture has it.
bool frame(GLint color, unsigned i) {
    const uint8_t shade[4] = {uint8_t(i * 16), uint8_t(i / 16 * 16), 0, 255};
    glUniform4f(color, shade[0] / 255.0f, shade[1] / 255.0f, 0, 1);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    uint8_t pixel[4] = {1, 2, 3, 4};
    glReadPixels(side / 2, side / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    return !memcmp(pixel, shade, 4);
}

bool input_ended() {
    pollfd p{0, POLLIN, 0};
    char c;
    return poll(&p, 1, 0) > 0 && read(0, &c, 1) == 0;
}

void wait_for_word() {
    char c;
    if (read(0, &c, 1) < 0)
        exit(1);
}

// What a program finds after a loss; nothing of it may wait.
void look_at_the_loss(uint64_t at, GLenum reset) {
    printf("lost %llu\nreset 0x%x\n", static_cast<unsigned long long>(at), reset);
    uint8_t untouched[4] = {1, 2, 3, 4};
    for (int i = 0; i < 10000; i++)
        glDrawArrays(GL_TRIANGLES, 0, 3);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, untouched);
    GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (fence)
        glClientWaitSync(fence, 0, ~GLuint64(0));
    glFinish();
    printf("memory %s\nerror 0x%x\n", untouched[0] == 1 && untouched[3] == 4 ? "kept" : "written",
           glGetError());
    const bool swapped = eglSwapBuffers(display, surface);
    printf("swap 0x%x\n", swapped ? 0 : static_cast<unsigned>(eglGetError()));
}

int frames() {
    const GLint color = make_program();
    unsigned wrong = 0;
    for (unsigned i = 1;; i++) {
        const bool right = frame(color, i);
        const GLenum reset = glGetGraphicsResetStatus();
        if (reset) {
            look_at_the_loss(now_ns(), reset);
            break;
        }
        wrong += !right;
        printf("frames %u wrong %u\n", i, wrong);
        if (input_ended())
            break;
    }
    printf("end\n");
    return 0;
}

// Waits for its server, which may have been stopped meanwhile.
int wait() {
    const GLint color = make_program();
    frame(color, 1);
    printf("ready\n");
    wait_for_word();
    printf("waiting\n");
    const bool right = frame(color, 2);
    printf("returned %llu %s\n", static_cast<unsigned long long>(now_ns()),
           right ? "right" : "wrong");
    const GLenum reset = glGetGraphicsResetStatus();
    if (reset)
        look_at_the_loss(now_ns(), reset);
    printf("end\n");
    return 0;
}

// A handler leaves the wait by a jump, and the program ends.
int jump() {
    const GLint color = make_program();
    frame(color, 1);
    printf("ready\n");
    wait_for_word();
    signal(SIGALRM, [](int) { siglongjmp(out_of_the_wait, 1); });
    if (sigsetjmp(out_of_the_wait, 1)) {
        printf("jumped\n");
        return 0;
    }
    alarm(1);
    printf("waiting\n");
    frame(color, 2);
    printf("returned\n");
    return 1;
}

// Loops that only ask: each must end although nothing is ever presented.
int polls() {
    const GLint color = make_program();
    frame(color, 1);
    unsigned long long asked = 0;
    for (unsigned i = 0; i < 50; i++) {
        glUniform4f(color, 0, 1, 0, 1);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        GLint state = GL_UNSIGNALED;
        for (; state != GL_SIGNALED; asked++) {
            if (i % 2)
                glGetSynciv(fence, GL_SYNC_STATUS, 1, nullptr, &state);
            else if (glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0) != GL_TIMEOUT_EXPIRED)
                state = GL_SIGNALED;
        }
        glDeleteSync(fence);
        GLuint query = 0, available = 0;
        glGenQueries(1, &query);
        glBeginQuery(GL_SAMPLES_PASSED, query);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glEndQuery(GL_SAMPLES_PASSED);
        for (; !available; asked++)
            glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &available);
        glDeleteQueries(1, &query);
    }
    printf("asked %llu\nend\n", asked);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    if (argc != 2 || !open_context()) {
        printf("no context\n");
        return 1;
    }
    printf("started\n");
    if (!strcmp(argv[1], "frames"))
        return frames();
    if (!strcmp(argv[1], "wait"))
        return wait();
    if (!strcmp(argv[1], "jump"))
        return jump();
    if (!strcmp(argv[1], "polls"))
        return polls();
    return 1;
}
