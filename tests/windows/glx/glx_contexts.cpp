// SPDX-License-Identifier: MIT
// Contexts: creation, sharing, threads, and the X errors of what is refused.
#include "glx_harness.h"

#include <cstdlib>
#include <cstring>
#include <thread>

using namespace glxtest;

namespace {

constexpr int bad_context = 0, bad_fbconfig = 9, bad_profile = 13;

GLXContext create(Display *dpy, GLXFBConfig config, std::vector<int> attribs) {
    attribs.push_back(None);
    return proc<PFNGLXCREATECONTEXTATTRIBSARBPROC>("glXCreateContextAttribsARB")(
        dpy, config, nullptr, True, attribs.data());
}

std::string text(GLenum name) {
    return reinterpret_cast<const char *>(glGetString(name));
}

} // namespace

GLX_TEST(impossible_version_under_a_handler) {
    // A handler that looks for the serial of its request must find the error's to be none else's.
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    Errors errors(dpy);
    const unsigned long before = NextRequest(dpy);
    CHECK(!create(dpy, config,
                  {GLX_CONTEXT_MAJOR_VERSION_ARB, 4, GLX_CONTEXT_MINOR_VERSION_ARB, 6,
                   GLX_CONTEXT_PROFILE_MASK_ARB, GLX_CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB}));
    const unsigned long after = NextRequest(dpy);
    const std::vector<Error> first = errors.take();
    CHECK_EQUAL(first.size(), 1u);
    CHECK(first[0].code == errors.glx(bad_profile) || first[0].code == errors.glx(bad_fbconfig));
    CHECK(first[0].serial >= before && first[0].serial < after);
    CHECK(!create(dpy, config, {GLX_CONTEXT_MAJOR_VERSION_ARB, 9}));
    const Error second = errors.take_one(BadMatch);
    CHECK(second.serial > first[0].serial);
    int opcode = 0, event = 0, error = 0;
    CHECK(XQueryExtension(dpy, "GLX", &opcode, &event, &error));
    CHECK_EQUAL(second.request, opcode);
    CHECK_EQUAL(second.minor, 34); // X_GLXCreateContextAttribsARB
    // The next request is fine.
    GLXContext context = make_context(dpy, config);
    CHECK(context && errors.take().empty());
    XCloseDisplay(dpy);
}

GLX_TEST(refused_attributes) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    Errors errors(dpy);
    CHECK(!create(dpy, config, {0x7777, 1}));
    errors.take_one(BadValue);
    CHECK(!create(dpy, config, {GLX_CONTEXT_FLAGS_ARB, 0x4000}));
    errors.take_one(BadValue);
    CHECK(!create(dpy, config, {GLX_CONTEXT_PROFILE_MASK_ARB, 0}));
    errors.take_one(errors.glx(bad_profile));
    CHECK(!create(dpy, config, {GLX_CONTEXT_PROFILE_MASK_ARB, 3}));
    errors.take_one(errors.glx(bad_profile));
    CHECK(!create(dpy, config,
                  {GLX_CONTEXT_MAJOR_VERSION_ARB, 2, GLX_CONTEXT_FLAGS_ARB,
                   GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB}));
    errors.take_one(BadMatch);
    CHECK(!create(dpy, config, {GLX_RENDER_TYPE, GLX_COLOR_INDEX_TYPE}));
    errors.take_one(BadMatch);
    CHECK(!create(dpy, config, {GLX_RENDER_TYPE, 0x7777}));
    errors.take_one(BadValue);
    CHECK(!create(dpy, config, {GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB, 0x7777}));
    errors.take_one(BadMatch);
    CHECK(!create(dpy, config,
                  {GLX_CONTEXT_MAJOR_VERSION_ARB, 3, GLX_CONTEXT_MINOR_VERSION_ARB, 3,
                   GLX_CONTEXT_OPENGL_NO_ERROR_ARB, True, GLX_CONTEXT_FLAGS_ARB,
                   GLX_CONTEXT_DEBUG_BIT_ARB}));
    errors.take_one(BadMatch);
    // Sharing asks for the same strategy.
    GLXContext plain = make_context(dpy, config);
    CHECK(!make_context(
        dpy, config, plain,
        {GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB, GLX_LOSE_CONTEXT_ON_RESET_ARB}));
    errors.take_one(BadMatch);
    XCloseDisplay(dpy);
}

GLX_TEST(legacy_contexts_are_refused) {
    // There is no compatibility profile: what asks for one is told so as X tells it.
    if (std::getenv("MGPIPE_GL_PROFILE"))
        skip("MGPIPE_GL_PROFILE is set");
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    XVisualInfo *visual = glXGetVisualFromFBConfig(dpy, config);
    Errors errors(dpy);
    CHECK(!glXCreateContext(dpy, visual, nullptr, True));
    CHECK_EQUAL(errors.take().size(), 1u);
    CHECK(!glXCreateNewContext(dpy, config, GLX_RGBA_TYPE, nullptr, True));
    errors.take_one(errors.glx(bad_fbconfig));
    for (int version : {21, 30}) {
        CHECK(!create(dpy, config,
                      {GLX_CONTEXT_MAJOR_VERSION_ARB, version / 10, GLX_CONTEXT_MINOR_VERSION_ARB,
                       version % 10}));
        errors.take_one(errors.glx(bad_fbconfig));
    }
    // From 3.2 on no mask means core.
    GLXContext core =
        create(dpy, config, {GLX_CONTEXT_MAJOR_VERSION_ARB, 3, GLX_CONTEXT_MINOR_VERSION_ARB, 2});
    CHECK(core && errors.take().empty());
    XFree(visual);
    XCloseDisplay(dpy);
}

GLX_TEST(_legacy_becomes_core) {
    Display *dpy = open_display();
    int wish[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 16, None};
    XVisualInfo *visual = glXChooseVisual(dpy, DefaultScreen(dpy), wish);
    CHECK(visual);
    GLXContext context = glXCreateContext(dpy, visual, nullptr, True);
    CHECK(context);
    const Window window = XCreateSimpleWindow(dpy, DefaultRootWindow(dpy), 0, 0, 8, 8, 0, 0, 0);
    CHECK(glXMakeCurrent(dpy, window, context));
    GLint mask = 0;
    glGetIntegerv(GL_CONTEXT_PROFILE_MASK, &mask);
    CHECK_EQUAL(mask, GL_CONTEXT_CORE_PROFILE_BIT);
    XFree(visual);
    XCloseDisplay(dpy);
}

GLX_TEST(legacy_becomes_core_where_the_user_says_so) {
    CHECK_EQUAL(run_again("_legacy_becomes_core", "MGPIPE_GL_PROFILE", "core"), 0);
}

GLX_TEST(context_queries) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    GLXContext context = make_context(dpy, config);
    GLXContext sharing = make_context(dpy, config, context);
    CHECK(context && sharing);
    int value = -1;
    CHECK_EQUAL(glXQueryContext(dpy, context, GLX_FBCONFIG_ID, &value), Success);
    CHECK_EQUAL(value, config_value(dpy, config, GLX_FBCONFIG_ID));
    CHECK_EQUAL(glXQueryContext(dpy, context, GLX_RENDER_TYPE, &value), Success);
    CHECK_EQUAL(value, GLX_RGBA_TYPE);
    CHECK_EQUAL(glXQueryContext(dpy, context, GLX_SCREEN, &value), Success);
    CHECK_EQUAL(value, DefaultScreen(dpy));
    CHECK_EQUAL(glXQueryContext(dpy, context, 0x7777, &value), GLX_BAD_ATTRIBUTE);
    const auto id_of = proc<PFNGLXGETCONTEXTIDEXTPROC>("glXGetContextIDEXT");
    const auto info = proc<PFNGLXQUERYCONTEXTINFOEXTPROC>("glXQueryContextInfoEXT");
    CHECK(id_of(context) != None && id_of(context) != id_of(sharing));
    CHECK_EQUAL(info(dpy, sharing, GLX_SHARE_CONTEXT_EXT, &value), Success);
    CHECK_EQUAL(GLXContextID(value), id_of(context));
    CHECK_EQUAL(info(dpy, context, GLX_VISUAL_ID_EXT, &value), Success);
    CHECK_EQUAL(value, config_value(dpy, config, GLX_VISUAL_ID));
    Errors errors(dpy);
    glXCopyContext(dpy, context, sharing, GL_COLOR_BUFFER_BIT);
    CHECK_EQUAL(errors.take().size(), 1u);
    XCloseDisplay(dpy);
}

GLX_TEST(contexts_share) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const int size[] = {GLX_PBUFFER_WIDTH, 8, GLX_PBUFFER_HEIGHT, 8, None};
    const GLXPbuffer one = glXCreatePbuffer(dpy, config, size),
                     two = glXCreatePbuffer(dpy, config, size);
    GLXContext context = make_context(dpy, config), sharing = make_context(dpy, config, context);
    CHECK(glXMakeCurrent(dpy, one, context));
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 16, "0123456789abcdef", GL_STATIC_DRAW);
    glFinish();
    CHECK(glXMakeCurrent(dpy, two, sharing));
    CHECK(glIsBuffer(buffer));
    glXDestroyContext(dpy, context);
    char text16[17] = {};
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, 16, text16);
    CHECK(!std::strcmp(text16, "0123456789abcdef"));
    XCloseDisplay(dpy);
}

GLX_TEST(flags_arrive) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 8, 8);
    GLXContext robust = make_context(
        dpy, config, nullptr,
        {GLX_CONTEXT_FLAGS_ARB, GLX_CONTEXT_DEBUG_BIT_ARB | GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB,
         GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB, GLX_LOSE_CONTEXT_ON_RESET_ARB});
    CHECK(robust && glXMakeCurrent(dpy, window, robust));
    GLint flags = 0, strategy = 0;
    glGetIntegerv(GL_CONTEXT_FLAGS, &flags);
    CHECK(flags & GL_CONTEXT_FLAG_DEBUG_BIT);
    glGetIntegerv(GL_RESET_NOTIFICATION_STRATEGY, &strategy);
    if (glGetError() == GL_NO_ERROR) // 4.5 and GL_ARB_robustness name it
        CHECK_EQUAL(strategy, GL_LOSE_CONTEXT_ON_RESET);
    GLXContext silent =
        make_context(dpy, config, nullptr,
                     {GLX_CONTEXT_OPENGL_NO_ERROR_ARB, True, GLX_CONTEXT_RELEASE_BEHAVIOR_ARB,
                      GLX_CONTEXT_RELEASE_BEHAVIOR_NONE_ARB});
    CHECK(silent && glXMakeCurrent(dpy, window, silent));
    CHECK(text(GL_VERSION)[0] >= '3');
    XCloseDisplay(dpy);
}

GLX_TEST(no_config_context) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy), other = config_with(dpy, {GLX_DEPTH_SIZE, 0});
    GLXContext context = make_context(dpy, nullptr, nullptr, {GLX_SCREEN, DefaultScreen(dpy)});
    CHECK(context);
    for (GLXFBConfig each : {config, other}) {
        const Window window = make_window(dpy, each, 16, 16);
        CHECK(glXMakeCurrent(dpy, window, context));
        clear(0, 1, 1);
        glXSwapBuffers(dpy, window);
        const int size[] = {GLX_PBUFFER_WIDTH, 8, GLX_PBUFFER_HEIGHT, 8, None};
        CHECK(glXMakeCurrent(dpy, glXCreatePbuffer(dpy, each, size), context));
        clear(0, 1, 1);
        CHECK_EQUAL(glGetError(), GL_NO_ERROR);
    }
    XCloseDisplay(dpy);
}

GLX_TEST(surfaceless) {
    Display *dpy = open_display();
    GLXContext context = make_context(dpy, config_with(dpy));
    CHECK(glXMakeContextCurrent(dpy, None, None, context));
    CHECK_EQUAL(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_UNDEFINED);
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    CHECK(buffer && glGetError() == GL_NO_ERROR);
    XCloseDisplay(dpy);
}

GLX_TEST(current_in_another_thread) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 16, 16),
                 second = make_window(dpy, config, 16, 16);
    GLXContext context = make_context(dpy, config), other = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    Errors errors(dpy);
    std::thread([&] {
        CHECK(!glXMakeCurrent(dpy, second, context));
        errors.take_one(BadAccess);
        CHECK(glXMakeCurrent(dpy, second, other));
        clear(1, 0, 0);
        glXSwapBuffers(dpy, second);
        CHECK(glXMakeContextCurrent(dpy, None, None, other));
        CHECK(glXMakeCurrent(dpy, None, nullptr));
    }).join();
    CHECK(errors.take().empty());
    clear(0, 0, 1);
    glXSwapBuffers(dpy, window);
    CHECK(glXMakeCurrent(dpy, None, nullptr));
    std::thread([&] { CHECK(glXMakeCurrent(dpy, window, context)); }).join();
    XCloseDisplay(dpy);
}

GLX_TEST(drawable_of_two_threads) {
    // Threads that load with a sharing context on the same window are common.
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 32, 32);
    GLXContext context = make_context(dpy, config), loading = make_context(dpy, config, context);
    CHECK(glXMakeCurrent(dpy, window, context));
    GLuint buffer = 0;
    std::thread([&] {
        CHECK(glXMakeCurrent(dpy, window, loading));
        glGenBuffers(1, &buffer);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glBufferData(GL_ARRAY_BUFFER, 4, "abc", GL_STATIC_DRAW);
        glFinish();
        XResizeWindow(dpy, window, 40, 40);
        XSync(dpy, False);
        CHECK(glXMakeCurrent(dpy, None, nullptr));
    }).join();
    CHECK(glIsBuffer(buffer));
    std::thread other([&] {
        CHECK(glXMakeCurrent(dpy, window, loading));
        for (int i = 0; i < 20; i++) {
            clear(0, 1, 0);
            glXSwapBuffers(dpy, window);
        }
        CHECK(glXMakeCurrent(dpy, None, nullptr));
    });
    for (int i = 0; i < 20; i++) {
        clear(0, 1, 0);
        glXSwapBuffers(dpy, window);
    }
    other.join();
    CHECK_EQUAL(glGetError(), GL_NO_ERROR);
    clear(0, 1, 1);
    glXSwapBuffers(dpy, window);
    XDestroyWindow(dpy, window);
    CHECK(glXMakeCurrent(dpy, None, nullptr));
    XCloseDisplay(dpy);
}

GLX_TEST(destroyed_twice_while_current) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 16, 16);
    GLXContext context = make_context(dpy, config);
    CHECK(glXMakeCurrent(dpy, window, context));
    Errors errors(dpy);
    glXDestroyContext(dpy, context);
    clear(0, 1, 0);
    glXSwapBuffers(dpy, window);
    glXDestroyContext(dpy, context);
    CHECK(glXMakeCurrent(dpy, None, nullptr));
    CHECK(errors.take().empty());
    XCloseDisplay(dpy);
}

GLX_TEST(refused_make_current) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    const Window window = make_window(dpy, config, 16, 16);
    GLXContext context = make_context(dpy, config);
    Errors errors(dpy);
    CHECK(!glXMakeCurrent(dpy, 0x7777777, context));
    CHECK_EQUAL(errors.take().size(), 1u);
    CHECK(!glXMakeContextCurrent(dpy, window, None, context));
    errors.take_one(BadMatch);
    CHECK(!glXMakeCurrent(dpy, window, nullptr));
    errors.take_one(BadMatch);
    const GLXContext nothing = reinterpret_cast<GLXContext>(&errors);
    CHECK(!glXMakeCurrent(dpy, window, nothing));
    errors.take_one(errors.glx(bad_context));
    GLXFBConfig samples = config_with(dpy, {GLX_SAMPLES, 4});
    const int size[] = {GLX_PBUFFER_WIDTH, 8, GLX_PBUFFER_HEIGHT, 8, None};
    const GLXPbuffer other = glXCreatePbuffer(dpy, samples, size);
    CHECK(!glXMakeCurrent(dpy, other, context));
    errors.take_one(BadMatch);
    CHECK(glXMakeCurrent(dpy, window, context) && errors.take().empty());
    XCloseDisplay(dpy);
}

GLX_TEST(threads_with_windows) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; t++) {
        const Window window = make_window(dpy, config, 32, 32);
        GLXContext context = make_context(dpy, config);
        threads.emplace_back([dpy, window, context, t] {
            CHECK(glXMakeCurrent(dpy, window, context));
            for (int i = 0; i < 30; i++) {
                clear(float(t), float(i & 1), 0);
                glXSwapBuffers(dpy, window);
            }
            CHECK_EQUAL(glGetError(), GL_NO_ERROR);
            CHECK(glXMakeCurrent(dpy, None, nullptr));
            glXDestroyContext(dpy, context);
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    XCloseDisplay(dpy);
}
