// SPDX-License-Identifier: MIT
// Windows of the program in the host's EGL. X11: through an xcb connection of our own, which,
// unlike Xlib's, survives a server that is gone. Wayland: on the program's wl_display, with a
// wl_egl_window of our own on its wl_surface; the host reads events on queues of its own.
#include "espryt_native.h"

#include <EGL/eglext.h>

#include <vector>

#include "pipe/pipe.h"
#include "util/log.h"
#include "util/native.h"

#ifdef MGPIPE_HAVE_X11
#include <cstdlib>
#include <xcb/xcb.h>
#endif
#ifdef MGPIPE_HAVE_WAYLAND
#include <wayland-client-core.h>
#include <wayland-egl-backend.h>
#endif

namespace espryt {

#ifdef MGPIPE_HAVE_X11
struct native_display {
    xcb_connection_t *xcb;
};
#else
struct native_display {};
#endif

#ifdef MGPIPE_HAVE_WAYLAND
struct native_window {
    wl_egl_window egl;
};
#else
struct native_window {};
#endif

namespace {

using get_display = EGLDisplay (*)(EGLenum platform, void *native, const EGLAttrib *attribs);

// Colours alone: the window is only blitted to. Null when `fits` takes none.
template <typename F> EGLConfig config_of(host *h, F &&fits) {
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
        if (fits(value) && extra < least) {
            best = configs[static_cast<size_t>(i)];
            least = extra;
        }
    }
    return best;
}

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

EGLSurface surface_of(host *h, uint32_t window, bool srgb) {
    const uint32_t visual = native_host_alive(h) ? visual_of(h, window) : 0;
    const auto fits = [&](auto &&value) {
        return static_cast<uint32_t>(value(EGL_NATIVE_VISUAL_ID)) == visual;
    };
    EGLConfig config = visual ? config_of(h, fits) : nullptr;
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

#ifdef MGPIPE_HAVE_WAYLAND
EGLDisplay open_wayland(host *h, get_display get) {
    void *display = util::native_find(h->native_token);
    return display ? get(EGL_PLATFORM_WAYLAND_KHR, display, nullptr) : EGL_NO_DISPLAY;
}

EGLConfig config_with(host *h, uint32_t color_format) {
    const bool ten = color_format == PIPE_FORMAT_R10G10B10A2_UNORM;
    const bool opaque =
        color_format == PIPE_FORMAT_R8G8B8X8_UNORM || color_format == PIPE_FORMAT_R8G8B8X8_SRGB;
    const EGLint red = ten ? 10 : 8, alpha = ten ? 2 : opaque ? 0 : 8;
    return config_of(h, [&](auto &&value) {
        return value(EGL_RED_SIZE) == red && value(EGL_GREEN_SIZE) == red &&
               value(EGL_ALPHA_SIZE) == alpha;
    });
}

EGLSurface wayland_surface(host *h, uint64_t native, uint32_t color_format, bool srgb,
                           native_window **window) {
    util::NativeUse surface(native);
    EGLConfig config = surface.object() ? config_with(h, color_format) : nullptr;
    if (!config) {
        log_info("espryt", surface.object() ? "the host draws to no Wayland window of this format"
                                            : "no Wayland surface of this process");
        return EGL_NO_SURFACE;
    }
    auto w = new native_window{{WL_EGL_WINDOW_VERSION, 1, 1, 0, 0, 0, 0, nullptr, nullptr, nullptr,
                                static_cast<wl_surface *>(surface.object())}};
    const EGLint encoded[] = {EGL_GL_COLORSPACE_KHR, EGL_GL_COLORSPACE_SRGB_KHR, EGL_NONE};
    EGLSurface s = h->egl.CreateWindowSurface(h->display, config,
                                              reinterpret_cast<EGLNativeWindowType>(&w->egl),
                                              srgb ? encoded : nullptr);
    if (s == EGL_NO_SURFACE) {
        log_info("espryt", "the host refused a Wayland window (EGL error 0x%x)",
                 static_cast<unsigned>(h->egl.GetError()));
        delete w;
        return EGL_NO_SURFACE;
    }
    *window = w;
    return s;
}
#endif

} // namespace

EGLDisplay native_host_display(host *h, get_display get) {
#ifdef MGPIPE_HAVE_X11
    if (h->platform == PIPE_PLATFORM_X11)
        return open_x11(h, get);
#endif
#ifdef MGPIPE_HAVE_WAYLAND
    if (h->platform == PIPE_PLATFORM_WAYLAND)
        return open_wayland(h, get);
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
#ifdef MGPIPE_HAVE_WAYLAND
    if (h->platform == PIPE_PLATFORM_WAYLAND) {
        util::NativeUse display(h->native_token);
        return display.object() &&
               wl_display_get_error(static_cast<wl_display *>(display.object())) == 0;
    }
#endif
    return true;
}

EGLSurface native_surface_create(host *h, uint64_t native, uint32_t color_format, bool srgb,
                                 native_window **window) {
    *window = nullptr;
    if (srgb && !h->srgb_windows)
        return EGL_NO_SURFACE;
#ifdef MGPIPE_HAVE_X11
    if (h->platform == PIPE_PLATFORM_X11)
        return surface_of(h, static_cast<uint32_t>(native), srgb);
#endif
#ifdef MGPIPE_HAVE_WAYLAND
    if (h->platform == PIPE_PLATFORM_WAYLAND)
        return wayland_surface(h, native, color_format, srgb, window);
#endif
    (void)native;
    (void)color_format;
    return EGL_NO_SURFACE;
}

int32_t native_longest_interval(host *h, EGLSurface surface) {
    EGLint id = 0, n = 0, most = 1;
    EGLConfig config;
    if (!h->egl.QuerySurface(h->display, surface, EGL_CONFIG_ID, &id))
        return most;
    const EGLint by_id[] = {EGL_CONFIG_ID, id, EGL_NONE};
    if (h->egl.ChooseConfig(h->display, by_id, &config, 1, &n) && n == 1)
        h->egl.GetConfigAttrib(h->display, config, EGL_MAX_SWAP_INTERVAL, &most);
    return most;
}

void native_window_fit(native_window *window, uint32_t width, uint32_t height) {
#ifdef MGPIPE_HAVE_WAYLAND
    const int across = static_cast<int>(width), up = static_cast<int>(height);
    if (!window || (window->egl.width == across && window->egl.height == up))
        return;
    window->egl.width = across;
    window->egl.height = up;
    if (window->egl.resize_callback)
        window->egl.resize_callback(&window->egl, window->egl.driver_private);
#else
    (void)window;
    (void)width;
    (void)height;
#endif
}

void native_window_destroy(native_window *window) {
#ifdef MGPIPE_HAVE_WAYLAND
    if (window && window->egl.destroy_window_callback) // the host still has it current somewhere
        window->egl.destroy_window_callback(window->egl.driver_private);
#endif
    delete window;
}

} // namespace espryt
