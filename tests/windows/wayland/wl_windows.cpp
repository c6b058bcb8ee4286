// SPDX-License-Identifier: MIT
// `wl_windows [--list] [NAME...]`: an ordinary GL program with windows on a Wayland compositor of
// its own, which checks each pixel. Every case runs in a child; one line each, as in scenarios:
// `ok NAME`, `fail NAME: why`.
#define GL_GLEXT_PROTOTYPES 1
#include "compositor.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <wayland-client.h>
#include <wayland-egl.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace wl_test;

namespace {

std::string failure;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && failure.empty())                                                       \
            failure = #condition " (line " + std::to_string(__LINE__) + ")";                       \
    } while (0)

std::string env(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}
bool native() {
    return env("MGPIPE_DRIVER") == "native";
}

template <class F> int elapsed_ms(F &&f) {
    using namespace std::chrono;
    const auto start = steady_clock::now();
    f();
    return int(duration_cast<milliseconds>(steady_clock::now() - start).count());
}

// The program's connection; its listeners run on its default queue.
struct Client {
    wl_display *display;
    wl_compositor *compositor = nullptr;
    explicit Client(Compositor &server) : display(server.connect()) {
        static const wl_registry_listener listener = {
            [](void *data, wl_registry *registry, uint32_t name, const char *interface,
               uint32_t version) {
                if (!strcmp(interface, "wl_compositor"))
                    static_cast<Client *>(data)->compositor = static_cast<wl_compositor *>(
                        wl_registry_bind(registry, name, &wl_compositor_interface, version));
            },
            [](void *, wl_registry *, uint32_t) {}};
        wl_registry *registry = wl_display_get_registry(display);
        wl_registry_add_listener(registry, &listener, this);
        wl_display_roundtrip(display);
        wl_registry_destroy(registry);
    }
};

struct Wish {
    int red = 8, alpha = 8, depth = 24, samples = 0;
};

// EGL on the connection.
struct Egl {
    EGLDisplay display;
    EGLConfig config = nullptr;
    EGLContext context = EGL_NO_CONTEXT;

    explicit Egl(wl_display *native, const Wish &wish = {})
        : display(eglGetPlatformDisplay(EGL_PLATFORM_WAYLAND_KHR, native, nullptr)) {
        CHECK(display != EGL_NO_DISPLAY);
        CHECK(eglInitialize(display, nullptr, nullptr));
        CHECK(eglBindAPI(EGL_OPENGL_API));
        config = choose(wish);
        context = make_context();
    }
    ~Egl() { eglTerminate(display); }

    EGLConfig choose(const Wish &wish) const {
        const EGLint attribs[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE,
                                  EGL_OPENGL_BIT,   EGL_RED_SIZE,   wish.red,
                                  EGL_ALPHA_SIZE,   wish.alpha,     EGL_DEPTH_SIZE,
                                  wish.depth,       EGL_SAMPLES,    wish.samples,
                                  EGL_NONE};
        EGLConfig configs[64];
        EGLint count = 0;
        eglChooseConfig(display, attribs, configs, 64, &count);
        for (EGLint i = 0; i < count; i++)
            if (value(configs[i], EGL_ALPHA_SIZE) == wish.alpha &&
                value(configs[i], EGL_RED_SIZE) == wish.red)
                return configs[i];
        CHECK(!"a config");
        return nullptr;
    }
    EGLint value(EGLConfig of, EGLint name) const {
        EGLint out = -1;
        eglGetConfigAttrib(display, of, name, &out);
        return out;
    }
    EGLContext make_context() const {
        const EGLint attribs[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                                  EGL_NONE};
        const EGLContext made = eglCreateContext(display, config, EGL_NO_CONTEXT, attribs);
        CHECK(made != EGL_NO_CONTEXT);
        return made;
    }
};

struct Window {
    wl_surface *native;
    wl_egl_window *window;
    EGLDisplay display;
    EGLSurface surface;

    Window(Client &client, const Egl &egl, int width, int height, EGLConfig config = nullptr,
           const EGLAttrib *attribs = nullptr)
        : native(wl_compositor_create_surface(client.compositor)),
          window(wl_egl_window_create(native, width, height)), display(egl.display),
          surface(eglCreatePlatformWindowSurface(egl.display, config ? config : egl.config, window,
                                                 attribs)) {
        CHECK(surface != EGL_NO_SURFACE);
    }
    void destroy_native() {
        wl_egl_window_destroy(window);
        wl_surface_destroy(native);
        window = nullptr;
    }
    ~Window() {
        eglDestroySurface(display, surface);
        if (window)
            destroy_native();
    }
    EGLint query(EGLint name) const {
        EGLint value = -1;
        eglQuerySurface(display, surface, name, &value);
        return value;
    }
    void current(EGLContext context) const {
        CHECK(eglMakeCurrent(display, surface, surface, context));
    }
    bool swap() const { return eglSwapBuffers(display, surface); }
};

void release(const Egl &egl) {
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

uint32_t argb(uint32_t color) {
    return 0xff000000u | color;
}
void clear(uint32_t color) {
    glClearColor(float(color >> 16 & 255) / 255, float(color >> 8 & 255) / 255,
                 float(color & 255) / 255, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}
void fill(int x, int y, int width, int height, uint32_t color) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(x, y, width, height);
    clear(color);
    glDisable(GL_SCISSOR_TEST);
}

// Four corners and the middle, so that a wrong size, order or orientation shows.
void draw_card(int width, int height, uint32_t middle) {
    glViewport(0, 0, width, height);
    clear(middle);
    fill(0, 0, 2, 2, 0xff0000);                  // bottom left
    fill(width - 2, 0, 2, 2, 0x00ff00);          // bottom right
    fill(0, height - 2, 2, 2, 0x0000ff);         // top left
    fill(width - 2, height - 2, 2, 2, 0xffff00); // top right
}
void check_card(const Shown &shown, int width, int height, uint32_t middle) {
    CHECK(shown.width == width);
    CHECK(shown.height == height);
    if (!failure.empty())
        return;
    const uint32_t mask = 0xffffff;
    CHECK((shown.at(0, height - 1) & mask) == 0xff0000);
    CHECK((shown.at(width - 1, height - 1) & mask) == 0x00ff00);
    CHECK((shown.at(0, 0) & mask) == 0x0000ff);
    CHECK((shown.at(width - 1, 0) & mask) == 0xffff00);
    CHECK((shown.at(width / 2, height / 2) & mask) == middle);
}

// Commits may be a step behind where the driver shows on a thread of its own.
Shown after(Compositor &server, int surface, int commits) {
    CHECK(server.wait_commits(surface, commits, 5000));
    return server.shown(surface);
}

void found_by_native_display() {
    Compositor server;
    Client client(server);
    const std::string extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    CHECK(extensions.find("EGL_KHR_platform_wayland") != std::string::npos);
    CHECK(extensions.find("EGL_EXT_platform_wayland") != std::string::npos);
    const EGLDisplay guessed =
        eglGetDisplay(reinterpret_cast<EGLNativeDisplayType>(client.display));
    CHECK(guessed != EGL_NO_DISPLAY);
    CHECK(guessed == eglGetPlatformDisplay(EGL_PLATFORM_WAYLAND_KHR, client.display, nullptr));
    CHECK(eglInitialize(guessed, nullptr, nullptr));
    if (!native())
        CHECK(std::string(eglQueryString(guessed, EGL_VENDOR)) == "MGPipe");
    eglTerminate(guessed);
}

void configs_have_fourccs() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    CHECK(egl.value(egl.choose({8, 8}), EGL_NATIVE_VISUAL_ID) == 0x34325241);
    CHECK(egl.value(egl.choose({8, 0}), EGL_NATIVE_VISUAL_ID) == 0x34325258);
    CHECK(egl.value(egl.choose({10, 2}), EGL_NATIVE_VISUAL_ID) == 0x30335241);
    CHECK(!(egl.value(egl.config, EGL_SURFACE_TYPE) & EGL_PIXMAP_BIT));
}

void pixels_of(const Wish &wish) {
    Compositor server;
    Client client(server);
    Egl egl(client.display, wish);
    Window window(client, egl, 37, 21);
    window.current(egl.context);
    draw_card(37, 21, 0x336699);
    CHECK(window.swap());
    check_card(after(server, 0, 1), 37, 21, 0x336699);
    CHECK(glGetError() == GL_NO_ERROR);
    release(egl);
}
void pixels_rgba() {
    pixels_of({});
}
void pixels_rgbx() {
    pixels_of({.alpha = 0});
}
void pixels_multisampled() {
    pixels_of({.samples = 4});
}

void pixels_ten_bits() {
    Compositor server;
    Client client(server);
    Egl egl(client.display, {.red = 10, .alpha = 2});
    Window window(client, egl, 8, 8);
    window.current(egl.context);
    glClearColor(1, 511.f / 1023, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(window.swap());
    const Shown shown = after(server, 0, 1);
    CHECK(shown.format == WL_SHM_FORMAT_ARGB2101010 || shown.format == WL_SHM_FORMAT_XRGB2101010);
    CHECK(!shown.pixels.empty() && (shown.at(4, 4) & 0x3fffffff) == (1023u << 20 | 511u << 10));
    release(egl);
}

void one_frame_a_swap() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 16, 16);
    window.current(egl.context);
    for (int interval : {1, 0, 1}) {
        CHECK(eglSwapInterval(egl.display, interval));
        for (uint32_t i = 1; i <= 20; i++) {
            clear(i);
            CHECK(window.swap());
        }
    }
    const Shown shown = after(server, 0, 60);
    CHECK(shown.commits == 60);
    CHECK(!shown.pixels.empty() && shown.at(8, 8) == argb(20));
    release(egl);
}

void paced_by_frames() {
    Compositor server({.frame_ms = 40});
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 16, 16);
    window.current(egl.context);
    CHECK(eglSwapInterval(egl.display, 1));
    clear(1);
    CHECK(window.swap());
    CHECK(elapsed_ms([&] {
              for (uint32_t i = 0; i < 8; i++) { // one that changes nothing commits no buffer
                  clear(2 + i);
                  CHECK(window.swap());
              }
          }) >= 200); // a frame or two may be on their way
    CHECK(after(server, 0, 9).frames >= 8);
    CHECK(eglSwapInterval(egl.display, 4));
    clear(20);
    CHECK(window.swap());
    clear(21);
    CHECK(window.swap());
    CHECK(after(server, 0, 11).frames >= 8 + 2 * 4);
    release(egl);
}

void resized_between_frames() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 20, 20);
    window.current(egl.context);
    const int sizes[][2] = {{20, 20}, {33, 17}, {8, 50}, {200, 100}, {5, 5}};
    int commits = 0;
    for (const auto &[width, height] : sizes) {
        wl_egl_window_resize(window.window, width, height, 0, 0);
        for (uint32_t color : {0x101010u, 0x202020u}) {
            draw_card(width, height, color);
            CHECK(window.swap());
            check_card(after(server, 0, ++commits), width, height, color);
        }
        CHECK(window.query(EGL_WIDTH) == width);
        CHECK(window.query(EGL_HEIGHT) == height);
    }
    release(egl);
}

void resized_while_not_current() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 20, 20);
    window.current(egl.context);
    draw_card(20, 20, 0x111111);
    CHECK(window.swap());
    release(egl);
    wl_egl_window_resize(window.window, 40, 30, 0, 0);
    window.current(egl.context);
    draw_card(40, 30, 0x222222);
    CHECK(window.swap());
    check_card(after(server, 0, 2), 40, 30, 0x222222);
    release(egl);
}

void resized_by_another_thread() {
    Compositor server({.frame_ms = 1});
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 20, 20);
    window.current(egl.context);
    std::atomic<bool> stop = false;
    std::thread other([&] {
        for (int i = 0; !stop; i++) {
            wl_egl_window_resize(window.window, 20 + i % 50, 60 - i % 40, 0, 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    for (uint32_t i = 0; i < 100; i++) {
        clear(i);
        CHECK(window.swap());
    }
    stop = true;
    other.join();
    wl_egl_window_resize(window.window, 9, 9, 0, 0);
    draw_card(9, 9, 0x123456);
    CHECK(window.swap());
    check_card(after(server, 0, 101), 9, 9, 0x123456);
    release(egl);
}

void two_windows_in_turn() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window a(client, egl, 16, 16), b(client, egl, 24, 8);
    for (uint32_t i = 1; i <= 10; i++) {
        a.current(egl.context);
        draw_card(16, 16, i);
        CHECK(a.swap());
        b.current(egl.context);
        draw_card(24, 8, i << 8);
        CHECK(b.swap());
    }
    check_card(after(server, 0, 10), 16, 16, 10);
    check_card(after(server, 1, 10), 24, 8, 10 << 8);
    release(egl);
}

void windows_of_two_threads() {
    Compositor server({.frame_ms = 1});
    Client client(server);
    Egl egl(client.display);
    Window a(client, egl, 16, 16), b(client, egl, 24, 8);
    const EGLContext second = egl.make_context();
    auto draw = [&](const Window &window, EGLContext context, int width, int height) {
        window.current(context);
        for (uint32_t i = 1; i <= 50; i++) {
            draw_card(width, height, i);
            if (!window.swap())
                return;
        }
        release(egl);
    };
    std::thread other([&] {
        eglBindAPI(EGL_OPENGL_API);
        draw(b, second, 24, 8);
    });
    draw(a, egl.context, 16, 16);
    other.join();
    check_card(after(server, 0, 50), 16, 16, 50);
    check_card(after(server, 1, 50), 24, 8, 50);
}

void window_beside_pbuffer_and_surfaceless() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 16, 16);
    CHECK(eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, egl.context));
    GLuint names[2];
    glGenRenderbuffers(1, &names[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, names[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 16, 16);
    glGenFramebuffers(1, &names[1]);
    glBindFramebuffer(GL_FRAMEBUFFER, names[1]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, names[0]);
    clear(0x445566);
    window.current(egl.context);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, 16, 16, 0, 0, 16, 16, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    CHECK(window.swap());
    const Shown shown = after(server, 0, 1);
    CHECK(!shown.pixels.empty() && shown.at(3, 3) == argb(0x445566));
    CHECK(glGetError() == GL_NO_ERROR);
    release(egl);
}

void age_and_contents() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 16, 16);
    window.current(egl.context);
    CHECK(window.query(EGL_BUFFER_AGE_EXT) == 0);
    clear(0x102030);
    CHECK(window.swap());
    const EGLint age = window.query(EGL_BUFFER_AGE_EXT);
    if (!native())
        CHECK(age == 1);
    clear(0x102030);
    fill(0, 0, 4, 4, 0x405060);
    EGLint damage[] = {0, 0, 4, 4};
    const auto swap_damage = reinterpret_cast<PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC>(
        eglGetProcAddress("eglSwapBuffersWithDamageKHR"));
    CHECK(swap_damage(egl.display, window.surface, damage, 1));
    const Shown shown = after(server, 0, 2); // the host's damage, where it shows the window
    CHECK(!shown.pixels.empty() && shown.at(0, 15) == argb(0x405060));
    CHECK(!shown.pixels.empty() && shown.at(15, 0) == argb(0x102030));
    // Where a server draws, the frames come back and are committed by us.
    const bool ours = env("MGPIPE_FORM") != "monolith" && env("MGPIPE_FORM") != "inproc";
    // Mesa without a GPU, espryt's host here, has no swap with damage.
    if (!native() && (env("MGPIPE_DRIVER") == "magma" || ours)) {
        CHECK(shown.damage.size() == 1);
        CHECK(!shown.damage.empty() && shown.damage[0].y == 12 && shown.damage[0].height == 4);
        clear(0x102030);
        CHECK(window.swap()); // without damage it is everything, but for what a server found
        const Shown whole = after(server, 0, 3);
        CHECK(ours || (whole.damage.empty() && whole.surface_damage.size() == 1));
    }
    wl_egl_window_resize(window.window, 30, 30, 0, 0);
    CHECK(window.query(EGL_BUFFER_AGE_EXT) == 0);
    release(egl);
}

void opaque_when_asked() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    const std::string extensions = eglQueryString(egl.display, EGL_EXTENSIONS);
    CHECK(extensions.find("EGL_EXT_present_opaque") != std::string::npos);
    const EGLAttrib attribs[] = {EGL_PRESENT_OPAQUE_EXT, EGL_TRUE, EGL_NONE};
    Window window(client, egl, 8, 8, nullptr, attribs);
    window.current(egl.context);
    glClearColor(1, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(window.swap());
    const Shown shown = after(server, 0, 1);
    CHECK(shown.format == WL_SHM_FORMAT_XRGB8888);
    CHECK(!shown.pixels.empty() && (shown.at(1, 1) & 0xffffff) == 0xff0000);
    release(egl);
}

void hidden_window_goes_on() {
    Compositor server({.frames = false});
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 8, 8);
    window.current(egl.context);
    CHECK(eglSwapInterval(egl.display, 1));
    CHECK(elapsed_ms([&] {
              for (uint32_t i = 1; i <= 8; i++) {
                  clear(i);
                  CHECK(window.swap());
              }
          }) < 5000);
    const Shown shown = after(server, 0, 8);
    CHECK(!shown.pixels.empty() && shown.at(1, 1) == argb(8));
    release(egl);
}

void listeners_stay_the_programs() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 8, 8);
    window.current(egl.context);
    int runs = 0;
    static const wl_callback_listener listener = {[](void *data, wl_callback *callback, uint32_t) {
        ++*static_cast<int *>(data);
        wl_callback_destroy(callback);
    }};
    for (uint32_t i = 0; i < 10; i++) {
        wl_callback_add_listener(wl_display_sync(client.display), &listener, &runs);
        clear(i);
        CHECK(window.swap());
    }
    after(server, 0, 10);
    CHECK(runs == 0);
    wl_display_roundtrip(client.display);
    CHECK(runs == 10);
    release(egl);
}

void window_destroyed_first() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window a(client, egl, 8, 8), b(client, egl, 8, 8);
    a.current(egl.context);
    clear(1);
    CHECK(a.swap());
    clear(2);
    a.destroy_native();
    CHECK(!a.swap());
    CHECK(eglGetError() == EGL_BAD_NATIVE_WINDOW);
    clear(3);
    CHECK(glGetError() == GL_NO_ERROR);
    b.current(egl.context);
    clear(4);
    CHECK(b.swap());
    const Shown shown = after(server, 1, 1);
    CHECK(!shown.pixels.empty() && shown.at(1, 1) == argb(4));
    CHECK(wl_display_roundtrip(client.display) >= 0); // no protocol error
    release(egl);
}

void compositor_killed() {
    Compositor server, second;
    Client client(server), other_client(second);
    Egl egl(client.display), other(other_client.display);
    Window window(client, egl, 8, 8), beside(other_client, other, 8, 8);
    window.current(egl.context);
    clear(1);
    CHECK(window.swap());
    server.kill();
    bool told = false;
    CHECK(elapsed_ms([&] {
              for (int i = 0; i < 20 && !told; i++) {
                  clear(2);
                  told = !window.swap();
              }
          }) < 8000);
    CHECK(told);
    const EGLint error = eglGetError();
    CHECK(error == EGL_BAD_NATIVE_WINDOW || error == EGL_CONTEXT_LOST);
    release(egl);
    beside.current(other.context);
    clear(5);
    CHECK(beside.swap());
    const Shown shown = after(second, 0, 1);
    CHECK(!shown.pixels.empty() && shown.at(1, 1) == argb(5));
    release(other);
}

void two_surfaces_for_a_window() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 8, 8);
    CHECK(eglCreatePlatformWindowSurface(egl.display, egl.config, window.window, nullptr) ==
          EGL_NO_SURFACE);
    CHECK(eglGetError() == EGL_BAD_ALLOC);
    CHECK(eglDestroySurface(egl.display, window.surface));
    window.surface =
        eglCreatePlatformWindowSurface(egl.display, egl.config, window.window, nullptr);
    CHECK(window.surface != EGL_NO_SURFACE);
    CHECK(eglCreatePlatformWindowSurface(egl.display, egl.config, nullptr, nullptr) ==
          EGL_NO_SURFACE);
    CHECK(eglGetError() == EGL_BAD_NATIVE_WINDOW);
    CHECK(eglCreatePlatformPixmapSurface(egl.display, egl.config, window.window, nullptr) ==
          EGL_NO_SURFACE);
    CHECK(eglGetError() == EGL_BAD_PARAMETER);
}

// The next connection may lie at the address of the last one.
void connections_come_and_go() {
    Compositor server;
    for (int i = 0; i < 5; i++) {
        Client client(server);
        {
            Egl egl(client.display);
            Window window(client, egl, 8, 8);
            window.current(egl.context);
            draw_card(8, 8, uint32_t(i) + 1);
            CHECK(window.swap());
            check_card(after(server, i, 1), 8, 8, uint32_t(i) + 1);
            release(egl);
        }
        wl_compositor_destroy(client.compositor);
        wl_display_disconnect(client.display);
    }
}

// A surface that is current outlives eglTerminate, but not what it shows itself on.
void terminated_while_current() {
    Compositor server;
    for (int i = 0; i < 2; i++) {
        Client client(server);
        Egl egl(client.display);
        auto window = std::make_unique<Window>(client, egl, 8, 8);
        window->current(egl.context);
        draw_card(8, 8, 1);
        CHECK(window->swap());
        after(server, i, 1);
        CHECK(eglTerminate(egl.display));
        window->destroy_native();
        CHECK(wl_display_roundtrip(client.display) >= 0);
        CHECK(eglReleaseThread());
        window.reset();
        wl_compositor_destroy(client.compositor);
        wl_display_disconnect(client.display);
    }
}

// The driver's own buffers are shown where it exports some and the compositor takes them. What is
// in them is looked at where the driver draws. Else frames come back, of which noop has only one to show.
void frames_in_dmabufs(Dmabufs kind, std::vector<uint64_t> modifiers, bool taken) {
    Compositor server({.dmabufs = kind, .modifiers = std::move(modifiers)});
    Client client(server);
    Egl egl(client.display);
    Window window(client, egl, 32, 16);
    window.current(egl.context);
    int frames = 0;
    for (const int width : {32, 48}) {
        wl_egl_window_resize(window.window, width, 16, 0, 0);
        for (int i = 1; i <= (taken ? 20 : 1); i++) {
            CHECK(eglSwapInterval(egl.display, i & 1));
            draw_card(width, 16, uint32_t(i));
            CHECK(window.swap());
            const Shown shown = after(server, 0, ++frames);
            CHECK(shown.commits == frames);
            CHECK(shown.dmabufs == (taken ? frames : 0));
            CHECK(shown.width == width);
            CHECK(shown.height == 16);
            CHECK(!taken || (shown.format == 0x34324241 && shown.modifier == 0));
        }
        CHECK(server.shown(0).buffers <= (width == 32 ? 4 : 8));
    }
    CHECK(server.dmabufs_alive() == (taken ? 4 : 0));
    release(egl);
}
void frames_in_dmabufs_taken() {
    frames_in_dmabufs(Dmabufs::taken, {3ull << 56, 0}, true);
}
void frames_in_dmabufs_refused() {
    frames_in_dmabufs(Dmabufs::refused, {0}, false);
}
void frames_in_dmabufs_unanswered() {
    frames_in_dmabufs(Dmabufs::unanswered, {0}, false);
}
void frames_in_dmabufs_of_other_modifiers() {
    frames_in_dmabufs(Dmabufs::taken, {3ull << 56}, false);
}
void frames_in_dmabufs_without_modifiers() {
    frames_in_dmabufs(Dmabufs::old, {0}, false);
}

// An image that was made without a context is any group's.
void dma_buf_in_another_group() {
    Compositor server;
    Client client(server);
    Egl egl(client.display);
    const int memory = memfd_create("dma-buf", MFD_CLOEXEC);
    CHECK(ftruncate(memory, 16 * 16 * 4) == 0);
    const EGLAttrib attribs[] = {EGL_WIDTH,
                                 16,
                                 EGL_HEIGHT,
                                 16,
                                 EGL_LINUX_DRM_FOURCC_EXT,
                                 0x34325241,
                                 EGL_DMA_BUF_PLANE0_FD_EXT,
                                 memory,
                                 EGL_DMA_BUF_PLANE0_OFFSET_EXT,
                                 0,
                                 EGL_DMA_BUF_PLANE0_PITCH_EXT,
                                 64,
                                 EGL_NONE};
    const auto target = reinterpret_cast<void (*)(GLenum, EGLImage)>(
        eglGetProcAddress("glEGLImageTargetTexture2DOES"));
    const EGLContext other = egl.make_context();
    EGLImage image = EGL_NO_IMAGE;
    for (const EGLContext context : {egl.context, other, egl.context, other}) {
        CHECK(eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
        if (image == EGL_NO_IMAGE)
            image = eglCreateImage(egl.display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, nullptr,
                                   attribs);
        CHECK(image != EGL_NO_IMAGE);
        GLuint texture;
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        target(GL_TEXTURE_2D, image);
        CHECK(glGetError() == GL_NO_ERROR);
        GLint width = 0;
        glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
        CHECK(width == 16);
        CHECK(eglGetCurrentContext() == context);
    }
    close(memory);
    CHECK(eglDestroyImage(egl.display, image));
    release(egl);
}

struct Case {
    const char *name;
    void (*body)();
};
#define CASE(name)                                                                                 \
    { #name, name }
const Case cases[] = {
    CASE(found_by_native_display),
    CASE(configs_have_fourccs),
    CASE(pixels_rgba),
    CASE(pixels_rgbx),
    CASE(pixels_multisampled),
    CASE(pixels_ten_bits),
    CASE(one_frame_a_swap),
    CASE(paced_by_frames),
    CASE(resized_between_frames),
    CASE(resized_while_not_current),
    CASE(resized_by_another_thread),
    CASE(two_windows_in_turn),
    CASE(windows_of_two_threads),
    CASE(window_beside_pbuffer_and_surfaceless),
    CASE(age_and_contents),
    CASE(opaque_when_asked),
    CASE(hidden_window_goes_on),
    CASE(listeners_stay_the_programs),
    CASE(window_destroyed_first),
    CASE(compositor_killed),
    CASE(two_surfaces_for_a_window),
    CASE(connections_come_and_go),
    CASE(terminated_while_current),
};
// Of the driver noop, whose dma-bufs are ordinary memory.
const Case exporting_cases[] = {
    CASE(dma_buf_in_another_group),
    CASE(frames_in_dmabufs_taken),
    CASE(frames_in_dmabufs_refused),
    CASE(frames_in_dmabufs_unanswered),
    CASE(frames_in_dmabufs_of_other_modifiers),
    CASE(frames_in_dmabufs_without_modifiers),
};

bool run(const Case &c) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        c.body();
        if (failure.empty())
            printf("ok %s\n", c.name);
        else
            printf("fail %s: %s\n", c.name, failure.c_str());
        fflush(stdout);
        exit(failure.empty() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("fail %s: signal %d\n", c.name, WTERMSIG(status));
    else if (WEXITSTATUS(status) > 1)
        printf("fail %s: exit status %d\n", c.name, WEXITSTATUS(status));
    return status == 0;
}

} // namespace

int main(int argc, char **argv) {
    bool good = true;
    const bool exports = env("MGPIPE_DRIVER") == "noop";
    for (const Case &c : exports ? std::span<const Case>(exporting_cases) : std::span(cases)) {
        if (argc > 1 && !strcmp(argv[1], "--list")) {
            puts(c.name);
            continue;
        }
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted = wanted || !strcmp(argv[i], c.name);
        if (wanted)
            good = run(c) && good;
    }
    return good ? 0 : 1;
}
