// SPDX-License-Identifier: MIT
// Configs, visuals, strings and entry points.
#include "glx_harness.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

using namespace glxtest;

namespace {

std::vector<GLXFBConfig> choose(Display *dpy, std::vector<int> attribs) {
    attribs.push_back(None);
    int count = 0;
    GLXFBConfig *found = glXChooseFBConfig(dpy, DefaultScreen(dpy), attribs.data(), &count);
    std::vector<GLXFBConfig> all(found, found + count);
    if (found)
        XFree(found);
    return all;
}

std::vector<GLXFBConfig> all_configs(Display *dpy) {
    int count = 0;
    GLXFBConfig *found = glXGetFBConfigs(dpy, DefaultScreen(dpy), &count);
    std::vector<GLXFBConfig> all(found, found + count);
    if (found)
        XFree(found);
    return all;
}

std::vector<std::string> words(const char *text) {
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string word; in >> word;)
        all.push_back(word);
    return all;
}

} // namespace

GLX_TEST(configs_choose) {
    Display *dpy = open_display();
    CHECK(!choose(dpy, {}).empty());
    // Windows by default, RGBA by default, so no float buffers.
    for (GLXFBConfig config : choose(dpy, {})) {
        CHECK(config_value(dpy, config, GLX_DRAWABLE_TYPE) & GLX_WINDOW_BIT);
        CHECK_EQUAL(config_value(dpy, config, GLX_RENDER_TYPE), GLX_RGBA_BIT);
        CHECK_EQUAL(config_value(dpy, config, GLX_STEREO), False);
    }
    for (GLXFBConfig config :
         choose(dpy, {GLX_DEPTH_SIZE, 16, GLX_STENCIL_SIZE, 8, GLX_DOUBLEBUFFER, False})) {
        CHECK(config_value(dpy, config, GLX_DEPTH_SIZE) >= 16);
        CHECK(config_value(dpy, config, GLX_STENCIL_SIZE) >= 8);
        CHECK_EQUAL(config_value(dpy, config, GLX_DOUBLEBUFFER), False);
    }
    CHECK(choose(dpy, {GLX_STEREO, True}).empty());
    CHECK(choose(dpy, {GLX_RED_SIZE, 64}).empty());
    CHECK(choose(dpy, {GLX_LEVEL, 1}).empty());
    CHECK(choose(dpy, {0x7777, 1}).empty());
    // Single-buffered first, no samples first; without a wish for depth the smallest, with one the
    // largest.
    const std::vector<GLXFBConfig> plain = choose(dpy, {});
    CHECK_EQUAL(config_value(dpy, plain[0], GLX_DOUBLEBUFFER), False);
    CHECK_EQUAL(config_value(dpy, plain[0], GLX_SAMPLES), 0);
    CHECK_EQUAL(config_value(dpy, plain[0], GLX_DEPTH_SIZE), 0);
    const std::vector<GLXFBConfig> deep = choose(dpy, {GLX_DEPTH_SIZE, 1});
    CHECK(config_value(dpy, deep[0], GLX_DEPTH_SIZE) >= 24);
    // More bits of what is asked for come first.
    const std::vector<GLXFBConfig> alpha = choose(dpy, {GLX_RED_SIZE, 1, GLX_ALPHA_SIZE, 1});
    for (size_t i = 1; i < alpha.size(); i++) {
        const auto bits = [&](GLXFBConfig config) {
            return config_value(dpy, config, GLX_RED_SIZE) +
                   config_value(dpy, config, GLX_ALPHA_SIZE);
        };
        CHECK(bits(alpha[i - 1]) >= bits(alpha[i]));
    }
    const std::vector<GLXFBConfig> samples =
        choose(dpy, {GLX_SAMPLE_BUFFERS, 1, GLX_SAMPLES, 2, GLX_DOUBLEBUFFER, True});
    if (!samples.empty())
        CHECK(config_value(dpy, samples[0], GLX_SAMPLES) >= 2);
    XCloseDisplay(dpy);
}

GLX_TEST(configs_by_id) {
    Display *dpy = open_display();
    std::set<int> ids;
    for (GLXFBConfig config : all_configs(dpy)) {
        const int id = config_value(dpy, config, GLX_FBCONFIG_ID);
        CHECK(ids.insert(id).second);
        const std::vector<GLXFBConfig> one = choose(dpy, {GLX_FBCONFIG_ID, id, GLX_STEREO, True});
        CHECK_EQUAL(one.size(), 1u);
        CHECK(one[0] == config);
    }
    XCloseDisplay(dpy);
}

GLX_TEST(configs_attributes) {
    Display *dpy = open_display();
    bool srgb = false, window_alpha = false, bits_10 = false, floats = false;
    for (GLXFBConfig config : all_configs(dpy)) {
        int unknown = 0;
        CHECK_EQUAL(glXGetFBConfigAttrib(dpy, config, 0x7777, &unknown), GLX_BAD_ATTRIBUTE);
        const int type = config_value(dpy, config, GLX_DRAWABLE_TYPE);
        const bool window = type & GLX_WINDOW_BIT;
        CHECK(type & GLX_PBUFFER_BIT);
        CHECK_EQUAL(config_value(dpy, config, GLX_BUFFER_SIZE),
                    config_value(dpy, config, GLX_RED_SIZE) +
                        config_value(dpy, config, GLX_GREEN_SIZE) +
                        config_value(dpy, config, GLX_BLUE_SIZE) +
                        config_value(dpy, config, GLX_ALPHA_SIZE));
        CHECK_EQUAL(config_value(dpy, config, GLX_X_RENDERABLE), window);
        CHECK_EQUAL(config_value(dpy, config, GLX_VISUAL_ID) != 0, window);
        CHECK_EQUAL(config_value(dpy, config, GLX_CONFIG_CAVEAT), GLX_NONE);
        CHECK(config_value(dpy, config, GLX_MAX_PBUFFER_WIDTH) >= 1024);
        srgb |= config_value(dpy, config, GLX_FRAMEBUFFER_SRGB_CAPABLE_ARB) == True;
        floats |= config_value(dpy, config, GLX_RENDER_TYPE) == GLX_RGBA_FLOAT_BIT_ARB;
        bits_10 |= config_value(dpy, config, GLX_RED_SIZE) == 10;
        window_alpha |= window && config_value(dpy, config, GLX_ALPHA_SIZE) == 8;
        if (config_value(dpy, config, GLX_BIND_TO_TEXTURE_RGBA_EXT))
            CHECK(config_value(dpy, config, GLX_BIND_TO_TEXTURE_TARGETS_EXT) &
                  GLX_TEXTURE_2D_BIT_EXT);
        XVisualInfo *visual = glXGetVisualFromFBConfig(dpy, config);
        CHECK_EQUAL(visual != nullptr, window);
        if (!visual)
            continue;
        CHECK_EQUAL(int(visual->visualid), config_value(dpy, config, GLX_VISUAL_ID));
        CHECK_EQUAL(visual->c_class, TrueColor);
        CHECK_EQUAL(config_value(dpy, config, GLX_X_VISUAL_TYPE), GLX_TRUE_COLOR);
        XFree(visual);
    }
    CHECK(srgb && window_alpha && floats);
    (void)bits_10; // where the screen has a depth of 30
    XCloseDisplay(dpy);
}

GLX_TEST(visuals) {
    Display *dpy = open_display();
    const int screen = DefaultScreen(dpy);
    int wish[] = {GLX_RGBA, GLX_DOUBLEBUFFER, GLX_RED_SIZE, 1, GLX_DEPTH_SIZE, 16, None};
    XVisualInfo *visual = glXChooseVisual(dpy, screen, wish);
    CHECK(visual);
    const auto value = [&](int attribute) {
        int v = -1;
        CHECK_EQUAL(glXGetConfig(dpy, visual, attribute, &v), Success);
        return v;
    };
    CHECK_EQUAL(value(GLX_USE_GL), True);
    CHECK_EQUAL(value(GLX_RGBA), True);
    CHECK_EQUAL(value(GLX_DOUBLEBUFFER), True);
    CHECK_EQUAL(value(GLX_RED_SIZE), 8);
    CHECK(value(GLX_DEPTH_SIZE) >= 16);
    int unknown = 0;
    CHECK_EQUAL(glXGetConfig(dpy, visual, 0x7777, &unknown), GLX_BAD_ATTRIBUTE);
    const auto from_visual =
        proc<PFNGLXGETFBCONFIGFROMVISUALSGIXPROC>("glXGetFBConfigFromVisualSGIX");
    GLXFBConfig config = from_visual(dpy, visual);
    CHECK(config);
    CHECK_EQUAL(config_value(dpy, config, GLX_VISUAL_ID), int(visual->visualid));
    XFree(visual);
    // The screen's own visual can be drawn to, double-buffered and with depth.
    XVisualInfo root{};
    root.visualid = XVisualIDFromVisual(DefaultVisual(dpy, screen));
    int count = 0;
    visual = XGetVisualInfo(dpy, VisualIDMask, &root, &count);
    CHECK(visual && count == 1);
    CHECK_EQUAL(value(GLX_USE_GL), True);
    CHECK_EQUAL(value(GLX_DOUBLEBUFFER), True);
    CHECK_EQUAL(value(GLX_DEPTH_SIZE), 24);
    XFree(visual);
    int index[] = {GLX_RED_SIZE, 1, None};
    CHECK(!glXChooseVisual(dpy, screen, index));
    int stereo[] = {GLX_RGBA, GLX_STEREO, None};
    CHECK(!glXChooseVisual(dpy, screen, stereo));
    XCloseDisplay(dpy);
}

GLX_TEST(strings) {
    Display *dpy = open_display();
    int major = 0, minor = 0, error = 0, event = 0;
    CHECK(glXQueryExtension(dpy, &error, &event));
    CHECK(glXQueryVersion(dpy, &major, &minor));
    CHECK_EQUAL(major * 10 + minor, 14);
    CHECK(!std::strcmp(glXQueryServerString(dpy, DefaultScreen(dpy), GLX_VENDOR), "MGPipe"));
    CHECK(!std::strcmp(glXQueryServerString(dpy, DefaultScreen(dpy), GLX_VERSION), "1.4"));
    const std::vector<std::string> names = words(glXQueryExtensionsString(dpy, DefaultScreen(dpy)));
    CHECK_EQUAL(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    for (const char *name :
         {"GLX_ARB_create_context", "GLX_ARB_create_context_profile", "GLX_ARB_get_proc_address",
          "GLX_EXT_swap_control", "GLX_EXT_buffer_age", "GLX_EXT_texture_from_pixmap",
          "GLX_OML_sync_control", "GLX_MESA_query_renderer", "GLX_ARB_fbconfig_float"})
        CHECK(std::count(names.begin(), names.end(), name) == 1);
    CHECK(std::strstr(glXGetClientString(dpy, GLX_EXTENSIONS), "GLX_ARB_create_context"));
    XCloseDisplay(dpy);
}

GLX_TEST(entry_points) {
    Display *dpy = open_display();
    GLXFBConfig config = config_with(dpy); // the vendor is known from here on
    for (const char *name : {"glXCreateContextAttribsARB",
                             "glXSwapIntervalEXT",
                             "glXSwapIntervalMESA",
                             "glXGetSwapIntervalMESA",
                             "glXSwapIntervalSGI",
                             "glXGetVideoSyncSGI",
                             "glXWaitVideoSyncSGI",
                             "glXGetSyncValuesOML",
                             "glXGetMscRateOML",
                             "glXSwapBuffersMscOML",
                             "glXWaitForMscOML",
                             "glXWaitForSbcOML",
                             "glXBindTexImageEXT",
                             "glXReleaseTexImageEXT",
                             "glXQueryRendererIntegerMESA",
                             "glXQueryCurrentRendererStringMESA",
                             "glXCreateGLXPbufferSGIX",
                             "glXChooseFBConfigSGIX",
                             "glXGetContextIDEXT",
                             "glXQueryContextInfoEXT",
                             "glXImportContextEXT",
                             "glXDrawArraysNothing"})
        CHECK(std::strstr(name, "Nothing") || proc<void *>(name));
    CHECK(proc<void *>("glDrawArrays"));
    // Without a current context and for drawables of nobody they refuse, and do not crash.
    CHECK_EQUAL(proc<PFNGLXSWAPINTERVALMESAPROC>("glXSwapIntervalMESA")(1), GLX_BAD_CONTEXT);
    CHECK_EQUAL(proc<PFNGLXSWAPINTERVALSGIPROC>("glXSwapIntervalSGI")(1), GLX_BAD_CONTEXT);
    unsigned count = 0;
    CHECK_EQUAL(proc<PFNGLXGETVIDEOSYNCSGIPROC>("glXGetVideoSyncSGI")(&count), GLX_BAD_CONTEXT);
    // The functions of an extension that takes its vendor from a config.
    const auto attribute = proc<PFNGLXGETFBCONFIGATTRIBSGIXPROC>("glXGetFBConfigAttribSGIX");
    int red = 0;
    CHECK_EQUAL(attribute(dpy, config, GLX_RED_SIZE, &red), Success);
    CHECK_EQUAL(red, 8);
    XCloseDisplay(dpy);
}

GLX_TEST(renderer) {
    Display *dpy = open_display();
    const auto query = proc<PFNGLXQUERYRENDERERINTEGERMESAPROC>("glXQueryRendererIntegerMESA");
    unsigned version[3] = {};
    CHECK(query(dpy, 0, 0, GLX_RENDERER_OPENGL_CORE_PROFILE_VERSION_MESA, version));
    CHECK(version[0] * 10 + version[1] >= 33);
    CHECK(query(dpy, 0, 0, GLX_RENDERER_VERSION_MESA, version));
    CHECK(query(dpy, 0, 0, GLX_RENDERER_PREFERRED_PROFILE_MESA, version));
    CHECK_EQUAL(version[0], GLX_CONTEXT_CORE_PROFILE_BIT_ARB);
    CHECK(!query(dpy, 0, 1, GLX_RENDERER_VERSION_MESA, version));
    CHECK(!query(dpy, 0, 0, 0x7777, version));
    GLXFBConfig config = config_with(dpy);
    GLXContext context = make_context(dpy, config);
    const Window window = make_window(dpy, config, 16, 16);
    CHECK(glXMakeCurrent(dpy, window, context));
    const auto text =
        proc<PFNGLXQUERYCURRENTRENDERERSTRINGMESAPROC>("glXQueryCurrentRendererStringMESA");
    const char *device = text(GLX_RENDERER_DEVICE_ID_MESA);
    CHECK(device && !std::strcmp(device, reinterpret_cast<const char *>(glGetString(GL_RENDERER))));
    glXDestroyContext(dpy, context);
    XCloseDisplay(dpy);
}
