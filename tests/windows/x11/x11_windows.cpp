// SPDX-License-Identifier: MIT
// Windows on X11 as an ordinary EGL program opens them: what the window shows is read back from the
// X server. `x11_windows [NAME...]` runs the cases, each line `ok NAME` or `fail NAME: why`.
// `x11_windows --show FRAMES INTERVAL [flush|front|idle|read]` only swaps, for gates that count;
// `x11_windows --change FRAMES tile|all|nothing` changes a part of its window and sums it up.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <netinet/in.h>
#include <signal.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

std::atomic<int> failures{0};
std::string first_failure;

void fail(int line, const char *what, long got = 0) {
    if (failures++ == 0)
        first_failure =
            "line " + std::to_string(line) + ": " + what + " (" + std::to_string(got) + ")";
}

#define CHECK(...)                                                                                 \
    do {                                                                                           \
        if (!(__VA_ARGS__))                                                                        \
            fail(__LINE__, #__VA_ARGS__);                                                          \
    } while (0)
#define SAME(a, b)                                                                                 \
    do {                                                                                           \
        const long got_ = long(a);                                                                 \
        if (got_ != long(b))                                                                       \
            fail(__LINE__, #a " != " #b, got_);                                                    \
    } while (0)

// One display connection and its EGL display.
struct Session {
    Display *x = XOpenDisplay(nullptr);
    EGLDisplay egl = eglGetDisplay(EGLNativeDisplayType(x));
    EGLConfig config = nullptr;
    XVisualInfo visual{};

    // `depth` of the visual; 0: whatever comes first.
    explicit Session(EGLint samples = 0, int depth = 0) {
        if (!x || !eglInitialize(egl, nullptr, nullptr)) {
            printf("fail session: no display\n");
            exit(1);
        }
        eglBindAPI(EGL_OPENGL_API);
        const EGLint want[] = {EGL_SURFACE_TYPE,
                               EGL_WINDOW_BIT | EGL_PIXMAP_BIT,
                               EGL_RENDERABLE_TYPE,
                               EGL_OPENGL_BIT,
                               EGL_RED_SIZE,
                               8,
                               EGL_DEPTH_SIZE,
                               24,
                               EGL_SAMPLES,
                               samples,
                               EGL_NONE};
        EGLConfig configs[256];
        EGLint n = 0;
        eglChooseConfig(egl, want, configs, 256, &n);
        for (EGLint i = 0; i < n && !config; i++) {
            EGLint id = 0;
            int count = 0;
            eglGetConfigAttrib(egl, configs[i], EGL_NATIVE_VISUAL_ID, &id);
            visual.visualid = VisualID(id);
            XVisualInfo *found = XGetVisualInfo(x, VisualIDMask, &visual, &count);
            if (count == 1 && (!depth || found->depth == depth)) {
                config = configs[i];
                visual = *found;
            }
            XFree(found);
        }
        CHECK(config != nullptr);
    }
    ~Session() {
        eglMakeCurrent(egl, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglTerminate(egl);
        XCloseDisplay(x);
    }
    Session(const Session &) = delete;

    Window window(int width, int height) {
        static std::atomic<int> next{0}; // apart: what lies below another window has no pixels
        const int place = next++;
        XSetWindowAttributes a{};
        a.colormap = XCreateColormap(x, DefaultRootWindow(x), visual.visual, AllocNone);
        const Window w =
            XCreateWindow(x, DefaultRootWindow(x), place % 3 * 330, place / 3 % 3 * 256,
                          unsigned(width), unsigned(height), 0, visual.depth, InputOutput,
                          visual.visual, CWColormap | CWBorderPixel | CWBackPixel, &a);
        XMapWindow(x, w);
        return w;
    }
    EGLSurface surface(Window w, EGLint render_buffer = EGL_BACK_BUFFER) {
        const EGLint attribs[] = {EGL_RENDER_BUFFER, render_buffer, EGL_NONE};
        EGLSurface s = eglCreateWindowSurface(egl, config, w, attribs);
        CHECK(s != EGL_NO_SURFACE);
        return s;
    }
    EGLContext context(EGLContext share = EGL_NO_CONTEXT) {
        const EGLint attribs[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                                  EGL_NONE};
        EGLContext c = eglCreateContext(egl, config, share, attribs);
        CHECK(c != EGL_NO_CONTEXT);
        return c;
    }
    bool current(EGLSurface s, EGLContext c) { return eglMakeCurrent(egl, s, s, c); }
    unsigned pixel(Drawable d, int px, int py) {
        XImage *image = XGetImage(x, d, px, py, 1, 1, AllPlanes, ZPixmap);
        const unsigned value = image ? unsigned(XGetPixel(image, 0, 0)) & 0xffffff : 0xdeadbeef;
        if (image)
            XDestroyImage(image);
        return value;
    }
    EGLint age(EGLSurface s) {
        EGLint value = -1;
        eglQuerySurface(egl, s, EGL_BUFFER_AGE_EXT, &value);
        return value;
    }
};

void fill(int x, int y, int w, int h, unsigned rgb) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(x, y, w, h);
    glClearColor(float(rgb >> 16 & 255) / 255, float(rgb >> 8 & 255) / 255, float(rgb & 255) / 255,
                 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
}

constexpr unsigned quarters[] = {0xff0000, 0x00ff00, 0x0000ff, 0xffff00}; // from the upper left

// Four colours that tell up from down and left from right.
void draw(int w, int h) {
    glViewport(0, 0, w, h);
    fill(0, h / 2, w / 2, h - h / 2, quarters[0]);
    fill(w / 2, h / 2, w - w / 2, h - h / 2, quarters[1]);
    fill(0, 0, w / 2, h / 2, quarters[2]);
    fill(w / 2, 0, w - w / 2, h / 2, quarters[3]);
}

// The host's connection to the X server and ours are not in order with each other: what was shown
// may arrive a moment later, on a busy machine a long one.
bool soon(const std::function<bool()> &right) {
    for (int tries = 0; tries < 4000; tries++) {
        if (right())
            return true;
        usleep(5000);
    }
    return false;
}

void expect(Session &s, Drawable d, int w, int h, int line) {
    unsigned seen[4] = {};
    glFinish();
    if (!soon([&] {
            const unsigned now[] = {s.pixel(d, 0, 0), s.pixel(d, w - 1, 0), s.pixel(d, 0, h - 1),
                                    s.pixel(d, w - 1, h - 1)};
            std::copy(now, now + 4, seen);
            return std::equal(seen, seen + 4, quarters);
        }))
        for (int i = 0; i < 4; i++)
            if (seen[i] != quarters[i])
                return fail(line, "a corner, from the upper left", long(seen[i]));
}
#define EVENTUALLY(...)                                                                            \
    do {                                                                                           \
        if (!soon([&] { return __VA_ARGS__; }))                                                    \
            fail(__LINE__, #__VA_ARGS__);                                                          \
    } while (0)
#define SHOWS(s, d, w, h) expect(s, d, w, h, __LINE__)

void picture() {
    for (EGLint samples : {0, 4}) {
        Session s(samples);
        const Window w = s.window(64, 48);
        EGLSurface surface = s.surface(w);
        CHECK(s.current(surface, s.context()));
        draw(64, 48);
        CHECK(eglSwapBuffers(s.egl, surface));
        SHOWS(s, w, 64, 48);
        // Kept: what was shown is still in the back buffer.
        unsigned char read[4] = {};
        glReadPixels(0, 47, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, read);
        SAME(glGetError(), GL_NO_ERROR);
        SAME(read[0] << 16 | read[1] << 8 | read[2], quarters[0]);
    }
}

void argb() {
    Session s(0, 32);
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    EGLint alpha = 0;
    eglGetConfigAttrib(s.egl, s.config, EGL_ALPHA_SIZE, &alpha);
    SAME(alpha, 8);
    CHECK(s.current(surface, s.context()));
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, surface));
    SHOWS(s, w, 64, 48);
    glClearColor(0, 0, 0, 0.25f);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(eglSwapBuffers(s.egl, surface));
    glFinish();
    EVENTUALLY(s.pixel(w, 5, 5) == 0);
    XImage *image = XGetImage(s.x, w, 5, 5, 1, 1, AllPlanes, ZPixmap);
    SAME(XGetPixel(image, 0, 0) >> 24, 64);
    XDestroyImage(image);
}

void srgb() {
    Session s;
    const Window w = s.window(32, 32);
    const EGLint attribs[] = {EGL_GL_COLORSPACE, EGL_GL_COLORSPACE_SRGB, EGL_NONE};
    EGLSurface surface = eglCreateWindowSurface(s.egl, s.config, w, attribs);
    CHECK(surface != EGL_NO_SURFACE && s.current(surface, s.context()));
    glEnable(0x8DB9); // GL_FRAMEBUFFER_SRGB
    glClearColor(0.5f, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(eglSwapBuffers(s.egl, surface));
    glFinish();
    EVENTUALLY(s.pixel(w, 3, 3) >> 16 >= 187 && s.pixel(w, 3, 3) >> 16 <= 189);
}

// GL_FRAMEBUFFER_SRGB encodes in a window that nobody asked to be SRGB, and only while it is on.
void encodes() {
    Session s;
    const Window w = s.window(32, 32);
    EGLSurface surface = s.surface(w);
    CHECK(s.current(surface, s.context()));
    for (bool on : {true, false}) {
        on ? glEnable(GL_FRAMEBUFFER_SRGB) : glDisable(GL_FRAMEBUFFER_SRGB);
        glClearColor(0.5f, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        CHECK(eglSwapBuffers(s.egl, surface));
        glFinish();
        const unsigned least = on ? 187 : 127;
        EVENTUALLY(s.pixel(w, 3, 3) >> 16 >= least && s.pixel(w, 3, 3) >> 16 <= least + 2);
    }
}

// The same rectangle in every frame.
void scissor() {
    Session s;
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    CHECK(s.current(surface, s.context()));
    for (int i = 1; i < 4; i++) {
        glClearColor(0, 0, float(i) / 15, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        fill(8, 8, 16, 16, 0xff0000);
        CHECK(eglSwapBuffers(s.egl, surface));
        EVENTUALLY(s.pixel(w, 40, 40) == unsigned(i) * 17 && s.pixel(w, 12, 30) == 0xff0000);
    }
}

void resize() {
    Session s;
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    CHECK(s.current(surface, s.context()));
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, surface));
    // The program hears of the new extent, draws once with it and rests: nothing may be cut off.
    constexpr int sizes[][2] = {{200, 100}, {40, 90}, {300, 20}};
    for (const auto &size : sizes) {
        XResizeWindow(s.x, w, unsigned(size[0]), unsigned(size[1]));
        XSync(s.x, False);
        draw(size[0], size[1]);
        CHECK(eglSwapBuffers(s.egl, surface));
        SHOWS(s, w, size[0], size[1]);
    }
    // Blitted from a framebuffer object, without a viewport of the window's.
    GLuint fbo = 0, color = 0;
    auto gen_fbo =
        reinterpret_cast<PFNGLGENFRAMEBUFFERSPROC>(eglGetProcAddress("glGenFramebuffers"));
    auto bind = reinterpret_cast<PFNGLBINDFRAMEBUFFERPROC>(eglGetProcAddress("glBindFramebuffer"));
    auto attach = reinterpret_cast<PFNGLFRAMEBUFFERTEXTURE2DPROC>(
        eglGetProcAddress("glFramebufferTexture2D"));
    auto blit = reinterpret_cast<PFNGLBLITFRAMEBUFFERPROC>(eglGetProcAddress("glBlitFramebuffer"));
    glGenTextures(1, &color);
    glBindTexture(GL_TEXTURE_2D, color);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 90, 70, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    gen_fbo(1, &fbo);
    bind(GL_FRAMEBUFFER, fbo);
    attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    draw(90, 70);
    bind(GL_DRAW_FRAMEBUFFER, 0);
    XResizeWindow(s.x, w, 90, 70);
    XSync(s.x, False);
    blit(0, 0, 90, 70, 0, 0, 90, 70, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    CHECK(eglSwapBuffers(s.egl, surface));
    SHOWS(s, w, 90, 70);
    bind(GL_FRAMEBUFFER, 0);
    // Cleared before the viewport is set, and drawn but once, while the last frame may still be on
    // its way to the window.
    XResizeWindow(s.x, w, 130, 110);
    // A clear asks nobody, it takes what has arrived: the first answer may overtake what the server
    // tells others, the second comes after it.
    XSync(s.x, False);
    XSync(s.x, False);
    glClearColor(0x20 / 255.0f, 0xc0 / 255.0f, 0x40 / 255.0f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glViewport(0, 0, 130, 110);
    CHECK(eglSwapBuffers(s.egl, surface));
    EVENTUALLY(s.pixel(w, 1, 1) == 0x20c040 && s.pixel(w, 128, 108) == 0x20c040);
    XResizeWindow(s.x, w, 300, 20);
    XSync(s.x, False);
    // In the middle of a frame; the next one is whole.
    draw(300, 20);
    XResizeWindow(s.x, w, 120, 80);
    XSync(s.x, False);
    CHECK(eglSwapBuffers(s.egl, surface));
    EGLint width = 0, height = 0;
    eglQuerySurface(s.egl, surface, EGL_WIDTH, &width);
    eglQuerySurface(s.egl, surface, EGL_HEIGHT, &height);
    SAME(width, 120);
    SAME(height, 80);
    SAME(s.age(surface), 0);
    draw(120, 80);
    CHECK(eglSwapBuffers(s.egl, surface));
    SHOWS(s, w, 120, 80);
    // Every frame another one, none waited for.
    for (int i = 0; i < 40; i++) {
        XResizeWindow(s.x, w, unsigned(50 + i * 5), unsigned(250 - i * 5));
        XSync(s.x, False);
        draw(50 + i * 5, 250 - i * 5);
        CHECK(eglSwapBuffers(s.egl, surface));
    }
    SHOWS(s, w, 245, 55);
}

void age_and_damage() {
    Session s;
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    EGLint value;
    CHECK(!eglQuerySurface(s.egl, surface, EGL_BUFFER_AGE_EXT, &value));
    SAME(eglGetError(), EGL_BAD_SURFACE);
    CHECK(s.current(surface, s.context()));
    SAME(s.age(surface), 0);
    draw(64, 48);
    auto swap = reinterpret_cast<PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC>(
        eglGetProcAddress("eglSwapBuffersWithDamageKHR"));
    auto swap_ext = reinterpret_cast<PFNEGLSWAPBUFFERSWITHDAMAGEEXTPROC>(
        eglGetProcAddress("eglSwapBuffersWithDamageEXT"));
    CHECK(swap(s.egl, surface, nullptr, 0));
    SAME(s.age(surface), 1);
    SHOWS(s, w, 64, 48);
    // An age of 1 says that a part is enough: the rest is as it was shown.
    fill(0, 24, 32, 24, 0xffffff);
    EGLint rect[] = {0, 24, 32, 24};
    CHECK(swap_ext(s.egl, surface, rect, 1));
    glFinish();
    EVENTUALLY(s.pixel(w, 0, 0) == 0xffffff);
    SAME(s.pixel(w, 63, 0), quarters[1]);
    SAME(s.pixel(w, 0, 47), quarters[2]);
    CHECK(!swap(s.egl, surface, nullptr, 1));
    SAME(eglGetError(), EGL_BAD_PARAMETER);
    CHECK(!swap(s.egl, surface, rect, -1));
    SAME(eglGetError(), EGL_BAD_PARAMETER);
}

void partial_update() {
    Session s;
    const Window w = s.window(64, 48), other = s.window(64, 48);
    EGLSurface surface = s.surface(w), elsewhere = s.surface(other);
    auto region =
        reinterpret_cast<PFNEGLSETDAMAGEREGIONKHRPROC>(eglGetProcAddress("eglSetDamageRegionKHR"));
    CHECK(strstr(eglQueryString(s.egl, EGL_EXTENSIONS), "EGL_KHR_partial_update") != nullptr);
    EGLint rect[] = {0, 0, 32, 24};
    const auto refused = [&](EGLSurface of, EGLint n, EGLint *rects) {
        return region(s.egl, of, rects, n) ? EGL_SUCCESS : eglGetError();
    };
    SAME(refused(surface, 1, rect), EGL_BAD_MATCH);
    CHECK(s.current(surface, s.context()));
    SAME(refused(elsewhere, 1, rect), EGL_BAD_MATCH);
    SAME(refused(EGL_NO_SURFACE, 1, rect), EGL_BAD_SURFACE);
    for (int frame = 0; frame < 2; frame++) {
        SAME(refused(surface, 1, rect), EGL_BAD_ACCESS); // the age was not asked for
        SAME(s.age(surface), frame);
        SAME(refused(surface, 1, nullptr), EGL_BAD_PARAMETER);
        SAME(refused(surface, -1, rect), EGL_BAD_PARAMETER);
        SAME(refused(surface, 1, rect), EGL_SUCCESS);
        SAME(refused(surface, 0, nullptr), EGL_BAD_ACCESS); // once a frame
        draw(64, 48);
        CHECK(eglSwapBuffers(s.egl, surface));
        SHOWS(s, w, 64, 48);
    }
    s.age(surface);
    CHECK(eglSurfaceAttrib(s.egl, surface, EGL_SWAP_BEHAVIOR, EGL_BUFFER_PRESERVED));
    SAME(refused(surface, 1, rect), EGL_BAD_MATCH);
}

void front() {
    Session s;
    const Window single = s.window(64, 48), both = s.window(64, 48);
    EGLSurface one = s.surface(single, EGL_SINGLE_BUFFER), two = s.surface(both);
    EGLContext context = s.context();
    EGLint value = 0;
    CHECK(s.current(one, context));
    eglQuerySurface(s.egl, one, EGL_RENDER_BUFFER, &value);
    SAME(value, EGL_SINGLE_BUFFER);
    draw(64, 48);
    glFlush();
    SHOWS(s, single, 64, 48);
    // Unbinding flushes too.
    fill(0, 24, 32, 24, 0xffffff);
    EGLContext other = s.context();
    CHECK(s.current(two, other));
    glFinish();
    EVENTUALLY(s.pixel(single, 0, 0) == 0xffffff);
    // GL_FRONT of a window with two buffers.
    glDrawBuffer(GL_FRONT);
    draw(64, 48);
    glFlush();
    SHOWS(s, both, 64, 48);
}

void pixmaps() {
    Session s;
    const Pixmap pixmap =
        XCreatePixmap(s.x, DefaultRootWindow(s.x), 40, 30, unsigned(s.visual.depth));
    EGLSurface surface = eglCreatePixmapSurface(s.egl, s.config, pixmap, nullptr);
    CHECK(surface != EGL_NO_SURFACE);
    CHECK(s.current(surface, s.context()));
    draw(40, 30);
    eglWaitClient();
    SHOWS(s, pixmap, 40, 30);
    fill(0, 15, 20, 15, 0xffffff);
    CHECK(eglSwapBuffers(s.egl, surface));
    SAME(s.pixel(pixmap, 0, 0), 0xffffff);
    // Copies go to another one of the same size.
    const Pixmap copy =
        XCreatePixmap(s.x, DefaultRootWindow(s.x), 40, 30, unsigned(s.visual.depth));
    draw(40, 30);
    CHECK(eglCopyBuffers(s.egl, surface, copy));
    SHOWS(s, copy, 40, 30);
    const Pixmap small = XCreatePixmap(s.x, DefaultRootWindow(s.x), 4, 3, unsigned(s.visual.depth));
    CHECK(!eglCopyBuffers(s.egl, surface, small));
    SAME(eglGetError(), EGL_BAD_MATCH);
    const Pixmap flat = XCreatePixmap(s.x, DefaultRootWindow(s.x), 4, 3, 1);
    CHECK(eglCreatePixmapSurface(s.egl, s.config, flat, nullptr) == EGL_NO_SURFACE);
    SAME(eglGetError(), EGL_BAD_MATCH);
    CHECK(eglCreatePixmapSurface(s.egl, s.config, s.window(9, 9), nullptr) == EGL_NO_SURFACE);
    SAME(eglGetError(), EGL_BAD_NATIVE_PIXMAP);
}

void errors() {
    Session s;
    const Window w = s.window(64, 48);
    CHECK(eglCreateWindowSurface(s.egl, s.config, 0, nullptr) == EGL_NO_SURFACE);
    SAME(eglGetError(), EGL_BAD_NATIVE_WINDOW);
    CHECK(eglCreateWindowSurface(s.egl, s.config, 0x1ffffff, nullptr) == EGL_NO_SURFACE);
    SAME(eglGetError(), EGL_BAD_NATIVE_WINDOW);
    const EGLint bad[] = {EGL_RENDER_BUFFER, 7, EGL_NONE};
    CHECK(eglCreateWindowSurface(s.egl, s.config, w, bad) == EGL_NO_SURFACE);
    SAME(eglGetError(), EGL_BAD_ATTRIBUTE);
    CHECK(eglCreateWindowSurface(s.egl, nullptr, w, nullptr) == EGL_NO_SURFACE);
    SAME(eglGetError(), EGL_BAD_CONFIG);
    EGLSurface surface = s.surface(w);
    CHECK(eglCreateWindowSurface(s.egl, s.config, w, nullptr) == EGL_NO_SURFACE);
    SAME(eglGetError(), EGL_BAD_ALLOC);
    eglDestroySurface(s.egl, surface);
    surface = s.surface(w); // free again
    CHECK(!eglSwapBuffers(s.egl, surface));
    SAME(eglGetError(), EGL_BAD_SURFACE);
    CHECK(s.current(surface, s.context()));
    CHECK(!eglBindTexImage(s.egl, surface, EGL_BACK_BUFFER));
    SAME(eglGetError(), EGL_BAD_SURFACE);
    // A config that draws to no window.
    const EGLint floats[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,
                             EGL_COLOR_COMPONENT_TYPE_EXT,
                             EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT,
                             EGL_NONE};
    EGLConfig config;
    EGLint n = 0;
    if (eglChooseConfig(s.egl, floats, &config, 1, &n) && n == 1) {
        CHECK(eglCreateWindowSurface(s.egl, config, s.window(8, 8), nullptr) == EGL_NO_SURFACE);
        SAME(eglGetError(), EGL_BAD_MATCH);
    }
    // The same surface with another context on another thread; surfaceless there works.
    EGLContext other = s.context();
    std::thread([&] {
        eglBindAPI(EGL_OPENGL_API);
        CHECK(!s.current(surface, other));
        SAME(eglGetError(), EGL_BAD_ACCESS);
        CHECK(s.current(EGL_NO_SURFACE, other));
        CHECK(s.current(EGL_NO_SURFACE, EGL_NO_CONTEXT));
    }).join();
}

void destroyed() {
    Session s;
    const Window gone = s.window(64, 48), stays = s.window(64, 48);
    EGLSurface a = s.surface(gone), b = s.surface(stays);
    EGLContext context = s.context();
    CHECK(s.current(a, context));
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, a));
    XDestroyWindow(s.x, gone);
    XSync(s.x, False);
    for (int i = 0; i < 3; i++) {
        draw(64, 48);
        CHECK(!eglSwapBuffers(s.egl, a));
        SAME(eglGetError(), EGL_BAD_NATIVE_WINDOW);
        SAME(glGetError(), GL_NO_ERROR);
    }
    CHECK(!eglWaitClient());
    SAME(eglGetError(), EGL_BAD_CURRENT_SURFACE);
    CHECK(s.current(b, context));
    CHECK(eglWaitClient());
    CHECK(!s.current(a, context));
    SAME(eglGetError(), EGL_BAD_NATIVE_WINDOW);
    CHECK(eglGetCurrentSurface(EGL_DRAW) == b);
    for (EGLint name : {EGL_LARGEST_PBUFFER, EGL_TEXTURE_FORMAT, EGL_TEXTURE_TARGET,
                        EGL_MIPMAP_TEXTURE, EGL_MIPMAP_LEVEL}) {
        EGLint untouched = -77;
        CHECK(eglQuerySurface(s.egl, b, name, &untouched));
        SAME(untouched, -77);
    }
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, b));
    SHOWS(s, stays, 64, 48);
    eglDestroySurface(s.egl, a);
    // Hidden windows take frames as well.
    XUnmapWindow(s.x, stays);
    XSync(s.x, False);
    for (int i = 0; i < 5; i++) {
        draw(64, 48);
        CHECK(eglSwapBuffers(s.egl, b));
    }
    XMapWindow(s.x, stays);
    XSync(s.x, False);
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, b));
    SHOWS(s, stays, 64, 48);
}

void several() {
    Session s;
    EGLContext context = s.context(), sharing = s.context(context), stranger = s.context();
    std::vector<Window> windows;
    std::vector<EGLSurface> surfaces;
    for (int i = 0; i < 4; i++) {
        windows.push_back(s.window(40 + i * 8, 30));
        surfaces.push_back(s.surface(windows.back()));
    }
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < 4; i++) {
            // Also from contexts that share with none of the others.
            CHECK(s.current(surfaces[i], round == 0 ? context : round == 1 ? sharing : stranger));
            draw(40 + int(i) * 8, 30);
            CHECK(eglSwapBuffers(s.egl, surfaces[i]));
            SHOWS(s, windows[i], 40 + int(i) * 8, 30);
        }
    CHECK(s.current(EGL_NO_SURFACE, context)); // beside the windows
    SAME(glGetError(), GL_NO_ERROR);
    CHECK(s.current(surfaces[0], context));
    draw(40, 30);
    CHECK(eglSwapBuffers(s.egl, surfaces[0]));
    SHOWS(s, windows[0], 40, 30);
}

// What is drawn and what is read are two windows; neither that nor a read buffer concerns a swap.
void read_elsewhere() {
    Session s;
    const Window a = s.window(64, 48), b = s.window(64, 48);
    EGLSurface drawn = s.surface(a), read = s.surface(b);
    EGLContext context = s.context();
    CHECK(s.current(read, context));
    fill(0, 0, 64, 48, 0x8899aa);
    CHECK(eglMakeCurrent(s.egl, drawn, read, context));
    unsigned char got[4] = {};
    for (int i = 0; i < 3; i++) {
        draw(64, 48);
        CHECK(eglSwapBuffers(s.egl, drawn));
        glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
        SAME(got[0], 0x88);
        SAME(got[2], 0xaa);
    }
    SHOWS(s, a, 64, 48);
    CHECK(s.current(drawn, context));
    glReadBuffer(GL_NONE);
    fill(0, 0, 64, 48, 0x102030);
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, drawn));
    SHOWS(s, a, 64, 48);
    glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
    SAME(glGetError(), GL_INVALID_OPERATION);
    glReadBuffer(GL_BACK);
    glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, got);
    SAME(got[2], 0xff);
    SAME(glGetError(), GL_NO_ERROR);
}

// The child of a fork has no thread that shows frames, and leaves the parent's windows alone.
void forked() {
    Session s;
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    EGLContext context = s.context();
    CHECK(s.current(surface, context));
    for (int i = 0; i < 10; i++) {
        fill(0, 0, 64, 48, unsigned(i));
        CHECK(eglSwapBuffers(s.egl, surface));
        const pid_t child = fork();
        if (child == 0) {
            eglSwapBuffers(s.egl, surface);
            eglMakeCurrent(s.egl, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            eglDestroySurface(s.egl, surface);
            eglDestroyContext(s.egl, context);
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        SAME(status, 0);
    }
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, surface));
    SHOWS(s, w, 64, 48);
}

void threads() {
    std::vector<std::thread> running;
    for (int t = 0; t < 3; t++)
        running.emplace_back([t] {
            Session s;
            const int width = 50 + t * 10;
            const Window w = s.window(width, 40);
            EGLSurface surface = s.surface(w);
            CHECK(s.current(surface, s.context()));
            for (int i = 0; i < 60; i++) {
                eglSwapInterval(s.egl, i % 2);
                draw(width, 40);
                CHECK(eglSwapBuffers(s.egl, surface));
            }
            SHOWS(s, w, width, 40);
        });
    for (std::thread &t : running)
        t.join();
}

// A surface that wanders from thread to thread.
void handed_on() {
    Session s;
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    EGLContext a = s.context(), b = s.context(a);
    for (int i = 0; i < 6; i++)
        std::thread([&, i] {
            eglBindAPI(EGL_OPENGL_API);
            CHECK(s.current(surface, i % 2 ? a : b));
            draw(64, 48);
            CHECK(eglSwapBuffers(s.egl, surface));
            SHOWS(s, w, 64, 48);
            CHECK(s.current(EGL_NO_SURFACE, EGL_NO_CONTEXT));
        }).join();
}

void xcb() {
    xcb_connection_t *c = xcb_connect(nullptr, nullptr);
    const xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(c)).data;
    auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
        eglGetProcAddress("eglGetPlatformDisplayEXT"));
    EGLDisplay egl = get(EGL_PLATFORM_XCB_EXT, c, nullptr);
    CHECK(egl != EGL_NO_DISPLAY);
    CHECK(eglInitialize(egl, nullptr, nullptr));
    eglBindAPI(EGL_OPENGL_API);
    const EGLint want[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                           EGL_NONE};
    EGLConfig config;
    EGLint n = 0;
    eglChooseConfig(egl, want, &config, 1, &n);
    xcb_window_t w = xcb_generate_id(c);
    xcb_create_window(c, XCB_COPY_FROM_PARENT, w, screen->root, 0, 0, 30, 20, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, nullptr);
    xcb_map_window(c, w); // not flushed: opening the window does it
    auto create = reinterpret_cast<PFNEGLCREATEPLATFORMWINDOWSURFACEEXTPROC>(
        eglGetProcAddress("eglCreatePlatformWindowSurfaceEXT"));
    EGLSurface surface = create(egl, config, &w, nullptr);
    CHECK(surface != EGL_NO_SURFACE);
    const EGLint attribs[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    CHECK(eglMakeCurrent(egl, surface, surface,
                         eglCreateContext(egl, config, EGL_NO_CONTEXT, attribs)));
    draw(30, 20);
    CHECK(eglSwapBuffers(egl, surface));
    Session reader;
    SHOWS(reader, w, 30, 20);
    eglMakeCurrent(egl, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglTerminate(egl);
    xcb_disconnect(c);
}

void again() {
    for (int i = 0; i < 3; i++) { // the next connection may have the last one's address
        Session s;
        const Window w = s.window(64, 48);
        EGLSurface surface = s.surface(w);
        CHECK(s.current(surface, s.context()));
        draw(64, 48);
        CHECK(eglSwapBuffers(s.egl, surface));
        SHOWS(s, w, 64, 48);
    }
    EGLDisplay by_default = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(eglInitialize(by_default, nullptr, nullptr));
    const EGLint want[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                           EGL_NONE};
    EGLint n = 0;
    eglChooseConfig(by_default, want, nullptr, 0, &n);
    CHECK(n > 0);
    eglTerminate(by_default);
}

// Issued minus seen: the frame's number is drawn and read from the window right after the swap.
void queue() {
    Session s;
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    CHECK(s.current(surface, s.context()));
    eglSwapInterval(s.egl, 0);
    int worst = 0;
    for (int frame = 1; frame <= 300; frame++) {
        fill(0, 0, 64, 48, unsigned(frame));
        CHECK(eglSwapBuffers(s.egl, surface));
        const int seen = int(s.pixel(w, 20, 20));
        CHECK(seen <= frame);
        worst = std::max(worst, frame - seen);
    }
    if (worst > 2)
        fail(__LINE__, "frames queued", worst);
    glFinish();
    EVENTUALLY(s.pixel(w, 20, 20) == 300);
}

// An X server of the case's own, with a window of a program on xcb.
struct OwnServer {
    pid_t pid = -1;
    xcb_connection_t *c = nullptr;
    EGLDisplay egl = EGL_NO_DISPLAY;
    EGLConfig config = nullptr;
    EGLContext context = EGL_NO_CONTEXT;

    OwnServer() {
        int number[2];
        CHECK(pipe(number) == 0);
        pid = fork();
        if (pid == 0) {
            dup2(number[1], 3);
            if (!freopen("/dev/null", "w", stderr))
                _exit(1);
            execlp("Xvfb", "Xvfb", "-displayfd", "3", "-screen", "0", "320x200x24", "-nolisten",
                   "tcp", "-noreset", nullptr);
            _exit(1);
        }
        char name[16] = ":";
        CHECK(read(number[0], name + 1, 10) > 0);
        name[strcspn(name, "\n")] = 0;
        c = xcb_connect(name, nullptr);
        auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
            eglGetProcAddress("eglGetPlatformDisplayEXT"));
        egl = get(EGL_PLATFORM_XCB_EXT, c, nullptr);
        CHECK(eglInitialize(egl, nullptr, nullptr));
        eglBindAPI(EGL_OPENGL_API);
        const EGLint want[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE,
                               EGL_OPENGL_BIT, EGL_NONE};
        EGLint n = 0;
        eglChooseConfig(egl, want, &config, 1, &n);
        const EGLint attribs[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                                  EGL_NONE};
        context = eglCreateContext(egl, config, EGL_NO_CONTEXT, attribs);
    }
    ~OwnServer() {
        end();
        xcb_disconnect(c);
    }
    OwnServer(const OwnServer &) = delete;

    void end() {
        if (pid > 0) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
        pid = -1;
    }
    EGLSurface window() const {
        const xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(c)).data;
        const xcb_window_t w = xcb_generate_id(c);
        xcb_create_window(c, XCB_COPY_FROM_PARENT, w, screen->root, 0, 0, 30, 20, 0,
                          XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, nullptr);
        return eglCreateWindowSurface(egl, config, w, nullptr);
    }
};

// The server dies under the program, which goes on without it: xcb has no exit of its own.
void vanished() {
    OwnServer server;
    EGLSurface surface = server.window();
    CHECK(eglMakeCurrent(server.egl, surface, surface, server.context));
    draw(30, 20);
    CHECK(eglSwapBuffers(server.egl, surface));
    server.end();
    bool told = false;
    for (int i = 0; i < 50; i++) {
        draw(30, 20);
        told = !eglSwapBuffers(server.egl, surface) || told;
        usleep(2000);
    }
    CHECK(told);
    SAME(eglGetError(), EGL_BAD_NATIVE_WINDOW);
    // Another display's windows are as before.
    Session s;
    const Window other = s.window(64, 48);
    EGLSurface alive = s.surface(other);
    CHECK(s.current(alive, s.context()));
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, alive));
    SHOWS(s, other, 64, 48);
}

// Calls that another thread makes on another display, and a fork.
void others_go_on(Session &s, Window w, EGLSurface surface) {
    CHECK(eglQueryString(s.egl, EGL_VENDOR) != nullptr);
    SAME(eglGetError(), EGL_SUCCESS);
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, surface));
    SHOWS(s, w, 64, 48);
    const char *form = getenv("MGPIPE_FORM");
    if (!form || strcmp(form, "spawn")) // a server answers one question of its client at a time
        CHECK(eglDestroyContext(s.egl, s.context()));
    const pid_t child = fork();
    if (child == 0) {
        eglQueryString(s.egl, EGL_VENDOR);
        _exit(eglGetError() == EGL_NOT_INITIALIZED ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    SAME(status, 0);
}

// A server that stands still holds up who needs it: a window whose first buffers are made, one that
// ends.
void stopped() {
    Session s;
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    CHECK(s.current(surface, s.context()));
    OwnServer server;
    EGLSurface slow = server.window();
    std::atomic<int> stage{0};
    std::thread waiter([&] {
        while (stage == 0)
            usleep(1000);
        CHECK(eglMakeCurrent(server.egl, slow, slow, server.context));
        draw(30, 20);
        eglSwapBuffers(server.egl, slow);
        CHECK(eglMakeCurrent(server.egl, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
        CHECK(eglDestroySurface(server.egl, slow));
    });
    kill(server.pid, SIGSTOP);
    stage = 1;
    for (int i = 0; i < 20; i++) // the other thread is somewhere in its calls
        others_go_on(s, w, surface);
    kill(server.pid, SIGCONT);
    waiter.join();
    others_go_on(s, w, surface);
}

// A server that accepts and never answers holds up whoever opens its display, and nobody else.
void silent() {
    Session s;
    const Window w = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    CHECK(s.current(surface, s.context()));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    int number = 100; // of a display that nobody has
    do
        address.sin_port = htons(uint16_t(6000 + ++number));
    while (number < 1000 &&
           bind(server, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0);
    CHECK(listen(server, 4) == 0);
    const std::string before = getenv("DISPLAY");
    setenv("DISPLAY", ("127.0.0.1:" + std::to_string(number)).c_str(), 1);
    std::atomic<bool> back{false};
    EGLDisplay opened = &back;
    std::thread waiter([&] {
        opened = eglGetDisplay(EGL_DEFAULT_DISPLAY);
        back = true;
    });
    const int peer = accept(server, nullptr, nullptr);
    char hello[12];
    CHECK(read(peer, hello, sizeof hello) == sizeof hello); // it waits for the answer now
    setenv("DISPLAY", before.c_str(), 1);
    others_go_on(s, w, surface);
    CHECK(!back);
    close(server);
    close(peer);
    waiter.join();
    CHECK(opened == EGL_NO_DISPLAY);
}

// While the program itself has grabbed the server, nobody answers our connection: what asks does
// not wait for ever. The driver's part is not asked here, so one form is enough.
void grabbed() {
    const char *driver = getenv("MGPIPE_DRIVER"), *form = getenv("MGPIPE_FORM");
    if ((driver && strcmp(driver, "espryt")) || (form && strcmp(form, "monolith")))
        return;
    Session s;
    const Window w = s.window(64, 48), late = s.window(64, 48);
    EGLSurface surface = s.surface(w);
    EGLint width = 0;
    XGrabServer(s.x);
    CHECK(eglQuerySurface(s.egl, surface, EGL_WIDTH, &width));
    SAME(width, 64);
    CHECK(eglCreateWindowSurface(s.egl, s.config, late, nullptr) == EGL_NO_SURFACE);
    SAME(eglGetError(), EGL_BAD_ALLOC);
    XUngrabServer(s.x);
    XFlush(s.x);
    CHECK(s.current(s.surface(late), s.context()));
    draw(64, 48);
    CHECK(eglSwapBuffers(s.egl, eglGetCurrentSurface(EGL_DRAW)));
    SHOWS(s, late, 64, 48);
}

// A frame of a larger window: `what` changes with its number.
void moving(int frame, const std::string &what, int width, int height) {
    if (frame == 0 || what == "all")
        for (int i = 0; i < 12; i++)
            fill(i * width / 12, 0, width / 12, height, unsigned(0x152535 * (i + 1) + frame));
    if (what == "tile")
        fill(64, 128, 64, 64, unsigned(0x3f7f00 + frame));
}

// Changes a part of a window and prints a sum of what the window shows at the end, for gates that
// count what is sent.
int change(int frames, const std::string &what) {
    constexpr int width = 600, height = 400;
    Session s;
    const Window w = s.window(width, height);
    EGLSurface surface = s.surface(w);
    s.current(surface, s.context());
    eglSwapInterval(s.egl, 0);
    for (int i = 0; i < frames; i++) {
        moving(i, what, width, height);
        CHECK(eglSwapBuffers(s.egl, surface));
    }
    eglWaitClient();
    // What comes last is seen although nothing is called any more.
    const unsigned want = what == "tile"  ? 0x3f7f00u + unsigned(frames - 1)
                          : what == "all" ? 0x152535u * 2 + unsigned(frames - 1)
                                          : 0x152535u * 2;
    EVENTUALLY(s.pixel(w, 70, height - 140) == want);
    XImage *image = XGetImage(s.x, w, 0, 0, width, height, AllPlanes, ZPixmap);
    unsigned long long sum = 14695981039346656037ull;
    for (int y = 0; image && y < height; y++)
        for (int x = 0; x < width; x++)
            sum = (sum ^ (XGetPixel(image, x, y) & 0xffffff)) * 1099511628211ull;
    printf("picture %llx\n", sum);
    return failures != 0;
}

int show(int frames, int interval, const std::string &extra) {
    Session s;
    const Window w = s.window(64, 48);
    const bool single = extra == "flush" || extra == "idle";
    EGLSurface surface = s.surface(w, single ? EGL_SINGLE_BUFFER : EGL_BACK_BUFFER);
    s.current(surface, s.context());
    eglSwapInterval(s.egl, interval);
    for (int i = 0; i < frames; i++) {
        draw(64, 48);
        unsigned char read[4];
        if (extra == "read")
            glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, read);
        if (single)
            glFlush();
        if (extra == "flush")
            fill(0, 0, 8, 8, 0xffffff);
        eglSwapBuffers(s.egl, surface);
        if (extra == "idle" || extra == "front")
            glFlush(); // nothing was drawn since
        if (extra == "front") {
            glDrawBuffer(GL_BACK);
            fill(0, 0, 8, 8, 0);
            glFlush(); // nothing in front
            glDrawBuffer(GL_FRONT);
        }
    }
    return failures != 0;
}

const struct {
    const char *name;
    void (*body)();
} cases[] = {
    {"picture", picture},
    {"argb", argb},
    {"srgb", srgb},
    {"encodes", encodes},
    {"resize", resize},
    {"scissor", scissor},
    {"age_and_damage", age_and_damage},
    {"partial_update", partial_update},
    {"front", front},
    {"pixmaps", pixmaps},
    {"errors", errors},
    {"destroyed", destroyed},
    {"several", several},
    {"read_elsewhere", read_elsewhere},
    {"forked", forked},
    {"threads", threads},
    {"handed_on", handed_on},
    {"xcb", xcb},
    {"again", again},
    {"queue", queue},
    {"vanished", vanished},
    {"silent", silent},
    {"stopped", stopped},
    {"grabbed", grabbed},
};

int run(const char *name, void (*body)()) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(100);
        body();
        if (failures)
            printf("fail %s: %s\n", name, first_failure.c_str());
        else
            printf("ok %s\n", name);
        fflush(stdout);
        exit(failures != 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("fail %s: signal %d\n", name, WTERMSIG(status));
    else if (WEXITSTATUS(status) > 1)
        printf("fail %s: exit status %d\n", name, WEXITSTATUS(status));
    return status != 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc >= 4 && !strcmp(argv[1], "--show"))
        return show(atoi(argv[2]), atoi(argv[3]), argc > 4 ? argv[4] : "");
    if (argc == 4 && !strcmp(argv[1], "--change"))
        return change(atoi(argv[2]), argv[3]);
    int failed = 0, passed = 0;
    for (const auto &c : cases) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted = wanted || !strcmp(argv[i], c.name);
        if (wanted)
            (run(c.name, c.body) ? failed : passed)++;
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
