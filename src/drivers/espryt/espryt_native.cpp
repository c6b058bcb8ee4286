// SPDX-License-Identifier: MIT
// Windows of the program in the host's EGL. X11: through an xcb connection of our own, which,
// unlike Xlib's, survives a server that is gone.
#include "espryt_native.h"

#include <EGL/eglext.h>

#include <vector>

#include "pipe/pipe.h"
#include "util/log.h"

#ifdef MGPIPE_HAVE_X11
#include <cstdlib>
#include <xcb/xcb.h>
#endif

namespace espryt {

#ifdef MGPIPE_HAVE_X11
struct native_display {
    xcb_connection_t *xcb;
};
#else
struct native_display {};
#endif

namespace {

using get_display = EGLDisplay (*)(EGLenum platform, void *native, const EGLAttrib *attribs);

#ifdef MGPIPE_HAVE_X11
EGLDisplay open_x11(host *h, get_display get) {
    int screen = 0;
    xcb_connection_t *xcb = xcb_connect(h->display_name.c_str(), &screen);
    if (xcb_connection_has_error(xcb)) {
        xcb_disconnect(xcb);
        return EGL_NO_DISPLAY;
    }
    h->native = new native_display{xcb};
    const EGLAttrib attribs[] = {EGL_PLATFORM_XCB_SCREEN_EXT, screen, EGL_NONE};
    return get(EGL_PLATFORM_XCB_EXT, xcb, attribs);
}

// 0: there is no such window.
uint32_t visual_of(host *h, uint32_t window) {
    xcb_connection_t *xcb = h->native->xcb;
    xcb_get_window_attributes_reply_t *reply =
        xcb_get_window_attributes_reply(xcb, xcb_get_window_attributes(xcb, window), nullptr);
    const uint32_t visual = reply ? reply->visual : 0;
    free(reply);
    return visual;
}

// Colours alone: the window is only blitted to. Null when no config has the window's visual.
EGLConfig config_of(host *h, uint32_t visual) {
    const EGLint want[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_ES3_BIT, EGL_NONE};
    EGLint n = 0;
    if (!h->egl.ChooseConfig(h->display, want, nullptr, 0, &n) || n < 1)
        return nullptr;
    std::vector<EGLConfig> configs(static_cast<size_t>(n));
    h->egl.ChooseConfig(h->display, want, configs.data(), n, &n);
    EGLConfig best = nullptr;
    EGLint least = INT32_MAX;
    for (EGLint i = 0; i < n; i++) {
        const auto value = [&](EGLint name) {
            EGLint v = 0;
            h->egl.GetConfigAttrib(h->display, configs[static_cast<size_t>(i)], name, &v);
            return v;
        };
        const EGLint extra =
            value(EGL_SAMPLES) * 1000 + value(EGL_DEPTH_SIZE) + value(EGL_STENCIL_SIZE);
        if (static_cast<uint32_t>(value(EGL_NATIVE_VISUAL_ID)) == visual && extra < least) {
            best = configs[static_cast<size_t>(i)];
            least = extra;
        }
    }
    return best;
}

EGLSurface surface_of(host *h, uint32_t window, bool srgb) {
    const uint32_t visual = native_host_alive(h) ? visual_of(h, window) : 0;
    EGLConfig config = visual ? config_of(h, visual) : nullptr;
    if (!config) {
        log_info("espryt",
                 visual ? "the host draws to no window of visual 0x%x" : "there is no window 0x%x",
                 visual ? visual : window);
        return EGL_NO_SURFACE;
    }
    const EGLint encoded[] = {EGL_GL_COLORSPACE_KHR, EGL_GL_COLORSPACE_SRGB_KHR, EGL_NONE};
    EGLSurface s = h->egl.CreateWindowSurface(
        h->display, config, static_cast<EGLNativeWindowType>(window), srgb ? encoded : nullptr);
    if (s == EGL_NO_SURFACE)
        log_info("espryt", "the host refused window 0x%x (EGL error 0x%x)", window,
                 static_cast<unsigned>(h->egl.GetError()));
    return s;
}
#endif

} // namespace

EGLDisplay native_host_display(host *h, get_display get) {
#ifdef MGPIPE_HAVE_X11
    if (h->platform == PIPE_PLATFORM_X11)
        return open_x11(h, get);
#endif
    (void)get;
    return EGL_NO_DISPLAY;
}

void native_host_close(host *h) {
#ifdef MGPIPE_HAVE_X11
    if (h->native && h->platform == PIPE_PLATFORM_X11)
        xcb_disconnect(h->native->xcb);
#endif
    delete h->native;
    h->native = nullptr;
}

bool native_host_alive(const host *h) {
#ifdef MGPIPE_HAVE_X11
    if (h->native && h->platform == PIPE_PLATFORM_X11) {
        // Errors of requests to windows that are gone; none is an answer that the host waits for.
        while (xcb_generic_event_t *event = xcb_poll_for_event(h->native->xcb))
            free(event);
        return xcb_connection_has_error(h->native->xcb) == 0;
    }
#endif
    return true;
}

EGLSurface native_surface_create(host *h, uint64_t native, bool srgb) {
    if (srgb && !h->srgb_windows)
        return EGL_NO_SURFACE;
#ifdef MGPIPE_HAVE_X11
    if (h->platform == PIPE_PLATFORM_X11)
        return surface_of(h, static_cast<uint32_t>(native), srgb);
#endif
    (void)native;
    return EGL_NO_SURFACE;
}

} // namespace espryt
