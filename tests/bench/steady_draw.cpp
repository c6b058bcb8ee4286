// SPDX-License-Identifier: MIT
// An ordinary GL program that draws N times and leaves. Run twice, with N and 2N draws, the
// difference over N is the cost of one draw: of instructions under callgrind, of bytes and records
// under MGPIPE_STATS. With --report it prints the CPU time per frame of the calling thread, of the
// process and of its children, and the resident memory of both.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int size = 64;
constexpr unsigned uniform_stride = 256; // no host asks for a larger alignment

enum class Change { none, uniform_buffer, texture, blend, viewport };

struct Options {
    unsigned draws = 1000, frames = 1, warm_up = 20;
    Change change = Change::none;
    bool report = false;
};

[[noreturn]] void fail(const char *what) {
    fprintf(stderr, "steady_draw: %s (EGL 0x%x)\n", what, unsigned(eglGetError()));
    exit(1);
}

Options parse(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--report") {
            o.report = true;
            continue;
        }
        if (i + 1 >= argc)
            fail("usage: steady_draw [--draws N] [--frames N] [--warm-up N] [--change "
                 "none|ubo|texture|blend|viewport] [--report]");
        const std::string value = argv[++i];
        if (name == "--draws")
            o.draws = unsigned(atoi(value.c_str()));
        else if (name == "--frames")
            o.frames = unsigned(atoi(value.c_str()));
        else if (name == "--warm-up")
            o.warm_up = unsigned(atoi(value.c_str()));
        else if (name == "--change")
            o.change = value == "ubo"        ? Change::uniform_buffer
                       : value == "texture"  ? Change::texture
                       : value == "blend"    ? Change::blend
                       : value == "viewport" ? Change::viewport
                                             : Change::none;
        else
            fail("unknown option");
    }
    return o;
}

// --- the scene -----------------------------------------------------------------------------------

EGLDisplay display;
EGLSurface surface;

bool open_display(EGLenum platform, void *native) {
    display = eglGetPlatformDisplay(platform, native, nullptr);
    return display && eglInitialize(display, nullptr, nullptr);
}

// Hosts without a surfaceless platform have devices.
bool open_device() {
    const auto query_devices = PFNEGLQUERYDEVICESEXTPROC(eglGetProcAddress("eglQueryDevicesEXT"));
    EGLDeviceEXT device = nullptr;
    EGLint count = 0;
    return query_devices && query_devices(1, &device, &count) && count &&
           open_display(EGL_PLATFORM_DEVICE_EXT, device);
}

void open_context() {
    if (!open_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY) && !open_device())
        fail("no display");
    if (!eglBindAPI(EGL_OPENGL_API))
        fail("no OpenGL");
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,   EGL_RED_SIZE,    8,
                             EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        fail("no config");
    const EGLint pbuffer[] = {EGL_WIDTH, size, EGL_HEIGHT, size, EGL_NONE};
    surface = eglCreatePbufferSurface(display, config, pbuffer);
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              3,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                              EGL_NONE};
    EGLContext context = eglCreateContext(display, config, nullptr, version);
    if (!surface || !context || !eglMakeCurrent(display, surface, surface, context))
        fail("no context");
}

GLuint shader(GLenum stage, const char *text) {
    const GLuint s = glCreateShader(stage);
    glShaderSource(s, 1, &text, nullptr);
    glCompileShader(s);
    GLint ok = 0;
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (!ok)
        fail("a shader does not compile");
    return s;
}

struct Scene {
    GLuint program, uniforms, textures[2];

    Scene() {
        program = glCreateProgram();
        glAttachShader(program, shader(GL_VERTEX_SHADER, R"(#version 330 core
layout(location = 0) in vec2 position;
layout(std140) uniform Block { vec4 tint; };
out vec2 at;
void main() { at = position; gl_Position = vec4(position * 0.01, 0.0, 1.0) + tint * 0.001; }
)"));
        glAttachShader(program, shader(GL_FRAGMENT_SHADER, R"(#version 330 core
uniform sampler2D image;
in vec2 at;
layout(location = 0) out vec4 color;
void main() { color = texture(image, at); }
)"));
        glLinkProgram(program);
        GLint ok = 0;
        glGetProgramiv(program, GL_LINK_STATUS, &ok);
        if (!ok)
            fail("the program does not link");
        glUseProgram(program);
        glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Block"), 0);
        glUniform1i(glGetUniformLocation(program, "image"), 0);

        GLuint array, vertices;
        const float corners[] = {0, 0, 1, 0, 0, 1};
        glGenVertexArrays(1, &array);
        glBindVertexArray(array);
        glGenBuffers(1, &vertices);
        glBindBuffer(GL_ARRAY_BUFFER, vertices);
        glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
        glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
        glEnableVertexAttribArray(0);

        const std::vector<unsigned char> bytes(2 * uniform_stride);
        glGenBuffers(1, &uniforms);
        glBindBuffer(GL_UNIFORM_BUFFER, uniforms);
        glBufferData(GL_UNIFORM_BUFFER, GLsizeiptr(bytes.size()), bytes.data(), GL_STATIC_DRAW);
        glBindBufferRange(GL_UNIFORM_BUFFER, 0, uniforms, 0, 16);

        const std::vector<unsigned> texels(16 * 16, 0xff8040ffu);
        glGenTextures(2, textures);
        for (GLuint t : textures) {
            glBindTexture(GL_TEXTURE_2D, t);
            glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                         texels.data());
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        }
        glViewport(0, 0, size, size);
    }

    void draw(unsigned count, Change change) {
        for (unsigned i = 0; i < count; ++i) {
            const unsigned odd = i & 1;
            switch (change) {
            case Change::none: break;
            case Change::uniform_buffer:
                glBindBufferRange(GL_UNIFORM_BUFFER, 0, uniforms, odd * uniform_stride, 16);
                break;
            case Change::texture: glBindTexture(GL_TEXTURE_2D, textures[odd]); break;
            case Change::blend: odd ? glEnable(GL_BLEND) : glDisable(GL_BLEND); break;
            case Change::viewport: glViewport(0, 0, size, size - int(odd)); break;
            }
            glDrawArrays(GL_TRIANGLES, 0, 3);
        }
    }
};

// --- the report ----------------------------------------------------------------------------------

double clock_us(clockid_t id) {
    timespec t;
    clock_gettime(id, &t);
    return double(t.tv_sec) * 1e6 + double(t.tv_nsec) * 1e-3;
}

long status_kb(const std::string &pid, const char *field) {
    long kb = 0;
    if (FILE *f = fopen(("/proc/" + pid + "/status").c_str(), "r")) {
        char line[256];
        while (fgets(line, sizeof line, f))
            if (!strncmp(line, field, strlen(field)))
                kb = atol(line + strlen(field) + 1);
        fclose(f);
    }
    return kb;
}

// The processes that our driver started. They may detach from their parent, so they are known by
// what they inherited.
struct Children {
    double cpu_us = 0;
    long rss_kb = 0, anonymous_kb = 0;
    int count = 0;
};

const std::string mark = "STEADY_DRAW_OWNER";

bool inherited_mark(const std::string &pid) {
    const std::string wanted = mark + "=" + std::to_string(getpid());
    std::ifstream in("/proc/" + pid + "/environ", std::ios::binary);
    for (std::string entry; std::getline(in, entry, '\0');)
        if (entry == wanted)
            return pid != std::to_string(getpid());
    return false;
}

Children children() {
    Children sum;
    DIR *dir = opendir("/proc");
    while (dirent *entry = dir ? readdir(dir) : nullptr) {
        const std::string pid = entry->d_name;
        if (pid.find_first_not_of("0123456789") != pid.npos || !inherited_mark(pid))
            continue;
        sum.count++;
        sum.rss_kb += status_kb(pid, "VmRSS:");
        sum.anonymous_kb += status_kb(pid, "RssAnon:");
        if (FILE *f = fopen(("/proc/" + pid + "/stat").c_str(), "r")) {
            char text[1024] = {};
            const size_t got = fread(text, 1, sizeof text - 1, f);
            fclose(f);
            const char *at = got ? strrchr(text, ')') : nullptr;
            long user = 0, system = 0;
            if (at && sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
                             &system) == 2)
                sum.cpu_us += double(user + system) * 1e6 / double(sysconf(_SC_CLK_TCK));
        }
    }
    if (dir)
        closedir(dir);
    return sum;
}

void report(const Options &o, double thread_us, double process_us, double wall_us,
            const Children &before) {
    const Children after = children();
    const std::string self = std::to_string(getpid());
    printf("renderer=%s\n", reinterpret_cast<const char *>(glGetString(GL_RENDERER)));
    printf("thread_us_per_frame=%.1f\nprocess_us_per_frame=%.1f\n", thread_us / o.frames,
           process_us / o.frames);
    printf("children_us_per_frame=%.1f\nwall_us_per_frame=%.1f\n",
           (after.cpu_us - before.cpu_us) / o.frames, wall_us / o.frames);
    printf("rss_kb=%ld\nanonymous_kb=%ld\n", status_kb(self, "VmRSS:"),
           status_kb(self, "RssAnon:"));
    printf("children=%d\nchildren_rss_kb=%ld\nchildren_anonymous_kb=%ld\n", after.count,
           after.rss_kb, after.anonymous_kb);
}

} // namespace

int main(int argc, char **argv) {
    const Options o = parse(argc, argv);
    setenv(mark.c_str(), std::to_string(getpid()).c_str(), 1);
    open_context();
    Scene scene;
    glClear(GL_COLOR_BUFFER_BIT);
    scene.draw(o.warm_up, o.change);
    glFinish();
    const Children before = o.report ? children() : Children{};
    const double thread = clock_us(CLOCK_THREAD_CPUTIME_ID),
                 process = clock_us(CLOCK_PROCESS_CPUTIME_ID), wall = clock_us(CLOCK_MONOTONIC);
    for (unsigned f = 0; f < o.frames; ++f) {
        if (o.report)
            glClear(GL_COLOR_BUFFER_BIT);
        scene.draw(o.draws, o.change);
        if (o.report)
            eglSwapBuffers(display, surface);
    }
    const double thread_end = clock_us(CLOCK_THREAD_CPUTIME_ID);
    glFinish();
    if (o.report)
        report(o, thread_end - thread, clock_us(CLOCK_PROCESS_CPUTIME_ID) - process,
               clock_us(CLOCK_MONOTONIC) - wall, before);
    if (glGetError() != GL_NO_ERROR)
        fail("a GL error");
    return 0;
}
