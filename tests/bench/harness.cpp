// SPDX-License-Identifier: MIT
// Context and report; see harness.h.
#include "harness.h"

#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace bench {

void fail(const char *what) {
    fprintf(stderr, "bench: %s (EGL 0x%x)\n", what, unsigned(eglGetError()));
    exit(1);
}

// --- EGL -----------------------------------------------------------------------------------------

namespace {

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

} // namespace

void open_context(int width, int height) {
    if (!open_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY) && !open_device())
        fail("no display");
    if (!eglBindAPI(EGL_OPENGL_API))
        fail("no OpenGL");
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             16,
                             EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        fail("no config");
    const EGLint pbuffer[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
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

void swap_buffers() {
    eglSwapBuffers(display, surface);
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

GLuint program(const char *vertex, const char *fragment) {
    const GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_VERTEX_SHADER, vertex));
    glAttachShader(p, shader(GL_FRAGMENT_SHADER, fragment));
    glLinkProgram(p);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok)
        fail("a program does not link");
    return p;
}

// --- the report ----------------------------------------------------------------------------------

double clock_us(clockid_t id) {
    timespec t;
    clock_gettime(id, &t);
    return double(t.tv_sec) * 1e6 + double(t.tv_nsec) * 1e-3;
}

namespace {

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

const std::string mark = "BENCH_OWNER";

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

} // namespace

Meter::Meter() {
    setenv(mark.c_str(), std::to_string(getpid()).c_str(), 1);
}

void Meter::restart() {
    servers_ = children().cpu_us;
    thread_end_ = 0;
    thread_ = clock_us(CLOCK_THREAD_CPUTIME_ID);
    process_ = clock_us(CLOCK_PROCESS_CPUTIME_ID);
    wall_ = clock_us(CLOCK_MONOTONIC);
}

void Meter::thread_done() {
    thread_end_ = clock_us(CLOCK_THREAD_CPUTIME_ID);
}

void Meter::report(unsigned frames) const {
    const double wall = clock_us(CLOCK_MONOTONIC) - wall_;
    const double process = clock_us(CLOCK_PROCESS_CPUTIME_ID) - process_;
    const double thread = (thread_end_ ? thread_end_ : clock_us(CLOCK_THREAD_CPUTIME_ID)) - thread_;
    const Children after = children();
    const std::string self = std::to_string(getpid());
    printf("renderer=%s\n", reinterpret_cast<const char *>(glGetString(GL_RENDERER)));
    printf("thread_us_per_frame=%.1f\nprocess_us_per_frame=%.1f\n", thread / frames,
           process / frames);
    printf("children_us_per_frame=%.1f\nwall_us_per_frame=%.1f\n",
           (after.cpu_us - servers_) / frames, wall / frames);
    printf("rss_kb=%ld\nanonymous_kb=%ld\n", status_kb(self, "VmRSS:"),
           status_kb(self, "RssAnon:"));
    printf("children=%d\nchildren_rss_kb=%ld\nchildren_anonymous_kb=%ld\n", after.count,
           after.rss_kb, after.anonymous_kb);
    fflush(stdout);
}

} // namespace bench
