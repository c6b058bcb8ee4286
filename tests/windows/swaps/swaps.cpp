// SPDX-License-Identifier: MIT
// A clear and a swap, again and again, in a window of an X server of its own. An ordinary GL
// program: it runs on any EGL.
//   swaps --check            300 frames show their number; the window is never more than two behind
//   swaps [--seconds S] [--interval N] [--size W H]      prints frames per second
// Exit 77 without Xvfb.
#include "x_server.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Wish {
    bool check = false;
    double seconds = 2;
    int interval = 0;
    uint32_t width = 640, height = 480;
};

Wish parse(int argc, char **argv) {
    Wish w;
    for (int i = 1; i < argc; i++) {
        const auto is = [&](const char *name) { return !strcmp(argv[i], name); };
        if (is("--check"))
            w.check = true;
        else if (is("--seconds") && i + 1 < argc)
            w.seconds = atof(argv[++i]);
        else if (is("--interval") && i + 1 < argc)
            w.interval = atoi(argv[++i]);
        else if (is("--size") && i + 2 < argc)
            w.width = uint32_t(atoi(argv[++i])), w.height = uint32_t(atoi(argv[++i]));
    }
    return w;
}

struct Window {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLSurface surface = EGL_NO_SURFACE;
    uint32_t id = 0;
    bool open(x11::Client &client, const Wish &wish);
};

bool Window::open(x11::Client &client, const Wish &wish) {
    display = eglGetPlatformDisplay(EGL_PLATFORM_XCB_EXT, client.connection(), nullptr);
    if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API))
        return false;
    const EGLint attribs[] = {EGL_SURFACE_TYPE,
                              EGL_WINDOW_BIT,
                              EGL_RENDERABLE_TYPE,
                              EGL_OPENGL_BIT,
                              EGL_RED_SIZE,
                              8,
                              EGL_GREEN_SIZE,
                              8,
                              EGL_BLUE_SIZE,
                              8,
                              EGL_NONE};
    EGLConfig configs[128];
    EGLint count = 0;
    eglChooseConfig(display, attribs, configs, 128, &count);
    id = client.window(wish.width, wish.height);
    for (EGLint i = 0; i < count && surface == EGL_NO_SURFACE; i++) {
        EGLint visual = 0;
        eglGetConfigAttrib(display, configs[i], EGL_NATIVE_VISUAL_ID, &visual);
        if (uint32_t(visual) != client.visual())
            continue;
        surface = eglCreatePlatformWindowSurface(display, configs[i], &id, nullptr);
        const EGLint core[] = {EGL_CONTEXT_MAJOR_VERSION,
                               3,
                               EGL_CONTEXT_MINOR_VERSION,
                               3,
                               EGL_CONTEXT_OPENGL_PROFILE_MASK,
                               EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                               EGL_NONE};
        EGLContext context = eglCreateContext(display, configs[i], EGL_NO_CONTEXT, core);
        return surface != EGL_NO_SURFACE && eglMakeCurrent(display, surface, surface, context) &&
               eglSwapInterval(display, wish.interval);
    }
    return false;
}

void frame(const Window &w, uint32_t number) {
    glClearColor(float(number >> 16 & 255) / 255, float(number >> 8 & 255) / 255,
                 float(number & 255) / 255, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    eglSwapBuffers(w.display, w.surface);
}

int check(x11::Client &client, const Window &w) {
    constexpr uint32_t frames = 300;
    uint32_t most = 0;
    for (uint32_t i = 1; i <= frames; i++) {
        frame(w, i);
        const uint32_t seen = client.pixel(w.id, 5, 5);
        most = std::max(most, i - (seen > i ? 0 : seen)); // before the first: the background
    }
    glFinish();
    printf("at most %u frames behind\n", most);
    for (int i = 0; i < 2000 && client.pixel(w.id, 5, 5) != frames; i++)
        client.sync();
    if (client.pixel(w.id, 5, 5) != frames)
        printf("the last frame is not seen\n");
    return most > 2 || client.pixel(w.id, 5, 5) != frames;
}

int measure(const Window &w, const Wish &wish) {
    for (uint32_t i = 0; i < 30; i++)
        frame(w, i);
    glFinish();
    std::vector<double> times;
    const auto start = Clock::now();
    auto last = start;
    while (std::chrono::duration<double>(last - start).count() < wish.seconds) {
        frame(w, uint32_t(times.size()));
        const auto now = Clock::now();
        times.push_back(std::chrono::duration<double, std::milli>(now - last).count());
        last = now;
    }
    const double spent = std::chrono::duration<double>(last - start).count();
    const double rate = double(times.size()) / spent;
    std::nth_element(times.begin(), times.begin() + long(times.size() / 2), times.end());
    printf("%s: %.0f frames/s, median %.3f ms\n",
           reinterpret_cast<const char *>(glGetString(GL_RENDERER)), rate, times[times.size() / 2]);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const Wish wish = parse(argc, argv);
    x11::Server server;
    if (!server) {
        printf("SKIP: no Xvfb\n");
        return 77;
    }
    x11::Client client(server);
    Window window;
    if (!window.open(client, wish)) {
        printf("no window: EGL error 0x%x\n", eglGetError());
        return 1;
    }
    const int result = wish.check ? check(client, window) : measure(window, wish);
    eglMakeCurrent(window.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglTerminate(window.display);
    return result;
}
