// SPDX-License-Identifier: MIT
// Ends in every order: windows, displays, contexts, EGL beside GLX, fork, exit.
#include "glx_harness.h"

#include <EGL/egl.h>

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

using namespace glxtest;

namespace {

struct Scene {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    Window window = make_window(dpy, config, 32, 32);
    GLXContext context = make_context(dpy, config);

    Scene() {
        CHECK(glXMakeCurrent(dpy, window, context));
        clear(1, 0, 0);
        glXSwapBuffers(dpy, window);
    }
};

// A 3.3 context on a pbuffer of EGL's, current.
struct EglScene {
    EGLDisplay display;
    EGLContext context;
    EGLSurface surface;

    explicit EglScene(Display *dpy) {
        display = eglGetDisplay(reinterpret_cast<EGLNativeDisplayType>(dpy));
        CHECK(display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr));
        CHECK(eglBindAPI(EGL_OPENGL_API));
        const EGLint wish[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE,
                               EGL_PBUFFER_BIT, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint count = 0;
        CHECK(eglChooseConfig(display, wish, &config, 1, &count) && count == 1);
        const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                                  EGL_NONE};
        context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
        const EGLint size[] = {EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_NONE};
        surface = eglCreatePbufferSurface(display, config, size);
        CHECK(context != EGL_NO_CONTEXT && surface != EGL_NO_SURFACE);
    }
    void draw() {
        CHECK(eglMakeCurrent(display, surface, surface, context));
        clear(0, 1, 0);
        uint8_t p[4] = {};
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
        CHECK(p[1] == 255);
        CHECK(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    }
    void end() { CHECK(eglTerminate(display)); }
};

} // namespace

GLX_TEST(window_destroyed_while_current) {
    Scene scene;
    Display *dpy = scene.dpy;
    const Window other = make_window(dpy, scene.config, 32, 32);
    GLXContext second = make_context(dpy, scene.config);
    XDestroyWindow(dpy, scene.window);
    XSync(dpy, False);
    Errors errors(dpy);
    clear(0, 1, 0);
    glFinish();
    glXSwapBuffers(dpy, scene.window);
    errors.take_one(errors.glx(2)); // GLXBadDrawable
    clear(0, 0, 1);
    CHECK_EQUAL(glGetError(), GL_NO_ERROR); // drawing goes on
    CHECK(glXMakeCurrent(dpy, other, second));
    clear(0, 1, 0);
    glXSwapBuffers(dpy, other);
    CHECK(glXMakeCurrent(dpy, None, nullptr));
    CHECK(errors.take().empty());
    CHECK(!glXMakeCurrent(dpy, scene.window, scene.context));
    errors.take_one(errors.glx(2));
    glXDestroyContext(dpy, scene.context);
    glXDestroyContext(dpy, second);
    CHECK(errors.take().empty());
    XCloseDisplay(dpy);
}

GLX_TEST(named_window_destroyed_while_current) {
    Scene scene;
    Display *dpy = scene.dpy;
    const Window window = make_window(dpy, scene.config, 16, 16);
    const GLXWindow named = glXCreateWindow(dpy, scene.config, window, nullptr);
    CHECK(glXMakeCurrent(dpy, named, scene.context));
    XDestroyWindow(dpy, window);
    XSync(dpy, False);
    Errors errors(dpy);
    glXSwapBuffers(dpy, named);
    errors.take_one(errors.glx(12)); // GLXBadWindow
    glXDestroyWindow(dpy, named);
    errors.take_one(errors.glx(12)); // it ended with the window
    CHECK(glXMakeCurrent(dpy, None, nullptr));
    CHECK(errors.take().empty());
    XCloseDisplay(dpy);
}

GLX_TEST(windows_come_and_go) {
    Scene scene;
    Display *dpy = scene.dpy;
    for (int i = 0; i < 20; i++) {
        const Window window = make_window(dpy, scene.config, 16 + i, 16);
        CHECK(glXMakeCurrent(dpy, window, scene.context));
        clear(1, 0, 1);
        glXSwapBuffers(dpy, window);
        XDestroyWindow(dpy, window); // while it is current
    }
    CHECK(glXMakeCurrent(dpy, scene.window, scene.context));
    XCloseDisplay(dpy);
}

GLX_TEST(display_closed_before_the_context) {
    Scene scene;
    XCloseDisplay(scene.dpy);
    clear(0, 1, 0);
    glFinish();
    // Another connection works; the old context is let go of.
    Scene again;
    CHECK(glXMakeCurrent(again.dpy, None, nullptr));
    glXDestroyContext(again.dpy, again.context);
    XCloseDisplay(again.dpy);
}

GLX_TEST(displays_come_and_go) {
    for (int i = 0; i < 5; i++) {
        Scene scene;
        if (i % 2)
            CHECK(glXMakeCurrent(scene.dpy, None, nullptr));
        if (i % 3)
            glXDestroyContext(scene.dpy, scene.context);
        XCloseDisplay(scene.dpy);
    }
}

GLX_TEST(two_displays) {
    Scene scene;
    Display *second = XOpenDisplay(nullptr);
    // A config found through one connection is good for the other.
    GLXContext context = make_context(second, scene.config);
    CHECK(context);
    XCloseDisplay(scene.dpy);
    const Window window = make_window(second, scene.config, 16, 16);
    CHECK(glXMakeCurrent(second, window, context));
    clear(0, 0, 1);
    glXSwapBuffers(second, window);
    XCloseDisplay(second);
}

GLX_TEST(exit_while_current) {
    Scene scene;
    clear(0, 1, 0);
}

GLX_TEST(exit_after_the_display) {
    Scene scene;
    XCloseDisplay(scene.dpy);
}

GLX_TEST(egl_ends_first) {
    Scene scene;
    CHECK(glXMakeCurrent(scene.dpy, None, nullptr));
    EglScene egl(scene.dpy);
    egl.draw();
    CHECK(glXMakeCurrent(scene.dpy, scene.window, scene.context));
    clear(0, 0, 1);
    glXSwapBuffers(scene.dpy, scene.window);
    CHECK(glXMakeCurrent(scene.dpy, None, nullptr));
    egl.draw();
    egl.end();
    CHECK(glXMakeCurrent(scene.dpy, scene.window, scene.context)); // not touched by that
    clear(0, 1, 1);
    glXSwapBuffers(scene.dpy, scene.window);
    glXDestroyContext(scene.dpy, scene.context);
    XCloseDisplay(scene.dpy);
}

GLX_TEST(glx_ends_first) {
    Scene scene;
    CHECK(glXMakeCurrent(scene.dpy, None, nullptr));
    Display *own = XOpenDisplay(nullptr);
    EglScene egl(own);
    glXDestroyContext(scene.dpy, scene.context);
    XCloseDisplay(scene.dpy);
    egl.draw();
    egl.end();
    XCloseDisplay(own);
}

GLX_TEST(neither_ends) {
    Scene scene;
    CHECK(glXMakeCurrent(scene.dpy, None, nullptr));
    EglScene egl(scene.dpy);
    egl.draw();
    CHECK(glXMakeCurrent(scene.dpy, scene.window, scene.context));
}

GLX_TEST(egl_before_glx) {
    Display *dpy = open_display();
    EglScene egl(dpy);
    egl.draw();
    Scene scene;
    CHECK(glXMakeCurrent(scene.dpy, None, nullptr));
    XCloseDisplay(scene.dpy);
    egl.draw();
    XCloseDisplay(dpy); // before eglTerminate
}

GLX_TEST(forks) {
    Scene scene;
    const pid_t child = fork();
    if (child == 0) {
        clear(0, 0, 1); // lost there, and harmless
        glFinish();
        std::exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    clear(0, 1, 0);
    glXSwapBuffers(scene.dpy, scene.window);
    glFinish();
    CHECK_EQUAL(glGetError(), GL_NO_ERROR);
    glXDestroyContext(scene.dpy, scene.context);
    XCloseDisplay(scene.dpy);
}

// A child that lets the parent's Display be and opens one of its own. In the other forms the host
// is the parent's: no driver starts there, and nothing crashes.
GLX_TEST(fork_starts_anew) {
    Scene scene;
    const char *form = std::getenv("MGPIPE_FORM");
    const bool starts = form && std::string(form) == "spawn";
    const pid_t child = fork();
    if (child == 0) {
        Display *dpy = open_display();
        GLXFBConfig config = config_with(dpy);
        if (starts) {
            const Window window = make_window(dpy, config, 32, 32);
            const GLXContext context = make_context(dpy, config);
            CHECK(context && glXMakeCurrent(dpy, window, context));
            clear(0, 0, 1);
            glXSwapBuffers(dpy, window);
            CHECK_EQUAL(shown_soon(dpy, window, 5, 5, 0x0000ff), 0x0000ffu);
        } else {
            const Errors errors(dpy); // of a context that nobody can make
            make_context(dpy, config);
        }
        std::exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    clear(0, 1, 0);
    glXSwapBuffers(scene.dpy, scene.window);
    CHECK_EQUAL(glGetError(), GL_NO_ERROR);
}

namespace {

Scene *at_exit_scene;

// As a program's own destructors do it; they run after the library's handler if they are older.
void use_after_the_end() {
    Scene &scene = *at_exit_scene;
    glXSwapBuffers(scene.dpy, scene.window);
    glXMakeCurrent(scene.dpy, None, nullptr);
    glXMakeCurrent(scene.dpy, scene.window, scene.context);
    glXDestroyContext(scene.dpy, scene.context);
    XDestroyWindow(scene.dpy, scene.window);
    XCloseDisplay(scene.dpy);
}

} // namespace

GLX_TEST(used_by_older_exit_handlers) {
    std::atexit(use_after_the_end); // before libGLX loads us
    at_exit_scene = new Scene;
    clear(0, 1, 0);
}

GLX_TEST(used_by_newer_exit_handlers) {
    at_exit_scene = new Scene;
    std::atexit(use_after_the_end);
    glXMakeCurrent(at_exit_scene->dpy, at_exit_scene->window, at_exit_scene->context);
}
