// SPDX-License-Identifier: MIT
#include "glx_harness.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace glxtest {

namespace {

constexpr int exit_skip = 77;
std::vector<Error> errors;

int keep_error(Display *, XErrorEvent *event) {
    errors.push_back({event->error_code, event->request_code, event->minor_code, event->serial,
                      event->resourceid});
    return 0;
}

// The test in a process of its own; its exit status, or 128 plus the signal.
int run(const char *program, const char *name) {
    const pid_t child = fork();
    if (child == 0) {
        execl(program, program, "--in-process", name, static_cast<char *>(nullptr));
        _exit(126);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const Test *find(const char *name) {
    for (const Test &test : tests())
        if (!std::strcmp(test.name, name))
            return &test;
    std::fprintf(stderr, "no test %s\n", name);
    std::exit(2);
}

} // namespace

std::vector<Test> &tests() {
    static std::vector<Test> all;
    return all;
}

void fail(const char *file, int line, const std::string &what) {
    std::printf("  %s:%d: %s\n", file, line, what.c_str());
    std::fflush(stdout);
    _exit(1);
}

void skip(const std::string &why) {
    std::printf("  %s\n", why.c_str());
    std::fflush(stdout);
    _exit(exit_skip);
}

Display *open_display() {
    XInitThreads();
    Display *dpy = XOpenDisplay(nullptr);
    CHECK(dpy);
    return dpy;
}

GLXFBConfig config_with(Display *dpy, std::vector<int> extra) {
    std::vector<int> attribs = {GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8};
    bool has_buffers = false, has_depth = false;
    for (size_t i = 0; i + 1 < extra.size(); i += 2) {
        has_buffers |= extra[i] == GLX_DOUBLEBUFFER;
        has_depth |= extra[i] == GLX_DEPTH_SIZE;
    }
    if (!has_buffers)
        attribs.insert(attribs.end(), {GLX_DOUBLEBUFFER, True});
    if (!has_depth)
        attribs.insert(attribs.end(), {GLX_DEPTH_SIZE, 24});
    attribs.insert(attribs.end(), extra.begin(), extra.end());
    attribs.push_back(None);
    int count = 0;
    GLXFBConfig *found = glXChooseFBConfig(dpy, DefaultScreen(dpy), attribs.data(), &count);
    CHECK(found && count > 0);
    GLXFBConfig first = found[0];
    XFree(found);
    return first;
}

int config_value(Display *dpy, GLXFBConfig config, int attribute) {
    int value = -1;
    CHECK_EQUAL(glXGetFBConfigAttrib(dpy, config, attribute, &value), Success);
    return value;
}

Window make_window(Display *dpy, GLXFBConfig config, int width, int height) {
    XVisualInfo *visual = glXGetVisualFromFBConfig(dpy, config);
    CHECK(visual);
    const Window root = RootWindow(dpy, visual->screen);
    XSetWindowAttributes attributes{};
    attributes.colormap = XCreateColormap(dpy, root, visual->visual, AllocNone);
    attributes.border_pixel = 0;
    attributes.background_pixel = 0;
    attributes.event_mask = StructureNotifyMask;
    attributes.override_redirect = True;
    const Window window = XCreateWindow(
        dpy, root, 10, 10, unsigned(width), unsigned(height), 0, visual->depth, InputOutput,
        visual->visual, CWColormap | CWBorderPixel | CWBackPixel | CWEventMask | CWOverrideRedirect,
        &attributes);
    XFree(visual);
    XMapWindow(dpy, window);
    XEvent event;
    do
        XNextEvent(dpy, &event);
    while (event.type != MapNotify);
    return window;
}

GLXContext make_context(Display *dpy, GLXFBConfig config, GLXContext share,
                        std::vector<int> extra) {
    std::vector<int> attribs = {GLX_CONTEXT_MAJOR_VERSION_ARB, 3,
                                GLX_CONTEXT_MINOR_VERSION_ARB, 3,
                                GLX_CONTEXT_PROFILE_MASK_ARB,  GLX_CONTEXT_CORE_PROFILE_BIT_ARB};
    attribs.insert(attribs.end(), extra.begin(), extra.end());
    attribs.push_back(None);
    static const auto create =
        proc<PFNGLXCREATECONTEXTATTRIBSARBPROC>("glXCreateContextAttribsARB");
    return create(dpy, config, share, True, attribs.data());
}

uint32_t shown(Display *dpy, Drawable drawable, int x, int y) {
    XImage *image = XGetImage(dpy, drawable, x, y, 1, 1, AllPlanes, ZPixmap);
    CHECK(image);
    const unsigned long pixel = XGetPixel(image, 0, 0);
    XDestroyImage(image);
    return uint32_t(pixel & 0xffffff);
}

uint32_t shown_soon(Display *dpy, Drawable drawable, int x, int y, uint32_t wanted) {
    uint32_t found = 0;
    for (int i = 0; i < 200; i++) {
        found = shown(dpy, drawable, x, y);
        if (found == wanted)
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return found;
}

void clear(float red, float green, float blue) {
    glClearColor(red, green, blue, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

Errors::Errors(Display *dpy) : dpy_(dpy) {
    int opcode = 0, event = 0;
    XQueryExtension(dpy, "GLX", &opcode, &event, &first_);
    XSync(dpy, False);
    errors.clear();
    old_ = XSetErrorHandler(keep_error);
}

Errors::~Errors() {
    XSetErrorHandler(old_);
}

std::vector<Error> Errors::take() {
    XSync(dpy_, False);
    std::vector<Error> all;
    all.swap(errors);
    return all;
}

Error Errors::take_one(int code) {
    const std::vector<Error> all = take();
    CHECK_EQUAL(all.size(), 1u);
    CHECK_EQUAL(all[0].code, code);
    return all[0];
}

int run_again(const char *test, const char *variable, const char *value) {
    setenv(variable, value, 1);
    const int status = run("/proc/self/exe", test);
    unsetenv(variable);
    return status;
}

} // namespace glxtest

int main(int argc, char **argv) {
    using namespace glxtest;
    if (argc == 3 && !std::strcmp(argv[1], "--in-process")) {
        find(argv[2])->body();
        return 0;
    }
    if (argc == 2 && !std::strcmp(argv[1], "--list")) {
        for (const Test &test : tests())
            std::printf("%s\n", test.name);
        return 0;
    }
    int passed = 0, failed = 0, skipped = 0;
    for (const Test &test : tests()) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted |= !std::strcmp(argv[i], test.name);
        // A body that begins with an underscore is another one's second half.
        if (!wanted || (argc == 1 && test.name[0] == '_'))
            continue;
        std::fflush(stdout);
        const int status = run(argv[0], test.name);
        passed += status == 0;
        skipped += status == exit_skip;
        failed += status != 0 && status != exit_skip;
        if (status == 0)
            std::printf("ok %s\n", test.name);
        else if (status == exit_skip)
            std::printf("skip %s\n", test.name);
        else
            std::printf("fail %s: exit status %d\n", test.name, status);
    }
    std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed ? 1 : 0;
}
