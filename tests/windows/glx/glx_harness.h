// SPDX-License-Identifier: MIT
// Tests of GLX as programs see it: libGLX, an X server, nothing of the tree. Each test is a process
// of its own that must also exit well.
#pragma once

#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glcorearb.h>
#include <GL/glx.h>
#include <GL/glxext.h>
// After GL's own names.
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include <cstdint>
#include <string>
#include <vector>

namespace glxtest {

struct Test {
    const char *name;
    void (*body)();
};

// In the order of their definition.
std::vector<Test> &tests();

struct Registered {
    Registered(const char *name, void (*body)()) { tests().push_back({name, body}); }
};

#define GLX_TEST(name)                                                                             \
    static void name();                                                                            \
    static const glxtest::Registered registered_##name(#name, name);                               \
    static void name()

// Ends the process with the failure, or with the reason for a skip.
[[noreturn]] void fail(const char *file, int line, const std::string &what);
[[noreturn]] void skip(const std::string &why);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            glxtest::fail(__FILE__, __LINE__, #condition);                                         \
    } while (0)
#define CHECK_EQUAL(a, b) glxtest::check_equal(__FILE__, __LINE__, #a " == " #b, (a), (b))

template <class A, class B>
void check_equal(const char *file, int line, const char *what, const A &a, const B &b) {
    if (!(a == static_cast<A>(b)))
        fail(file, line,
             std::string(what) + ": " + std::to_string(a) + " and " + std::to_string(b));
}

// The extension function, which must be there.
template <class F> F proc(const char *name) {
    return reinterpret_cast<F>(glXGetProcAddressARB(reinterpret_cast<const GLubyte *>(name)));
}

Display *open_display();

// A config for double-buffered windows, pixmaps and pbuffers with 8 bits and depth; `extra` is a
// list of attributes ended by None.
GLXFBConfig config_with(Display *dpy, std::vector<int> extra = {});
int config_value(Display *dpy, GLXFBConfig config, int attribute);

// A mapped window of the config's visual.
Window make_window(Display *dpy, GLXFBConfig config, int width, int height);

// OpenGL 3.3 core with more attributes; null where it is refused.
GLXContext make_context(Display *dpy, GLXFBConfig config, GLXContext share = nullptr,
                        std::vector<int> extra = {});

// What the drawable shows: 0xRRGGBB from the top left corner.
uint32_t shown(Display *dpy, Drawable drawable, int x, int y);
// A swap may be shown a little later than the call returns.
uint32_t shown_soon(Display *dpy, Drawable drawable, int x, int y, uint32_t wanted);

void clear(float red, float green, float blue);

struct Error {
    int code, request, minor;
    unsigned long serial;
    XID resource;
};
// X errors of a scope, which then do not end the process.
class Errors {
  public:
    explicit Errors(Display *dpy);
    ~Errors();
    Errors(const Errors &) = delete;
    Errors &operator=(const Errors &) = delete;
    // Those that have come so far, after a round trip; forgotten then.
    std::vector<Error> take();
    // Exactly one has come, of that code. GLX's errors: glx(GLXBadFBConfig).
    Error take_one(int code);
    int glx(int code) const { return first_ + code; }

  private:
    Display *dpy_;
    int first_ = 0;
    int (*old_)(Display *, XErrorEvent *);
};

// Runs the same program again for one body with a variable set; its exit status.
int run_again(const char *test, const char *variable, const char *value);

} // namespace glxtest
