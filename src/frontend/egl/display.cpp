// SPDX-License-Identifier: MIT
// Displays: which platforms are taken, initialisation, termination, strings. A display is handed
// out only when a driver can start, so that the dispatch library goes on to the next vendor
// otherwise.
#include "core.h"
#include "egl_api.h"
#include "egl_tables.h"

#include "util/log.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>

namespace egl {

Context *Display::find_context(EGLContext handle) const {
    auto found = contexts.find(static_cast<Context *>(handle));
    return found == contexts.end() ? nullptr : *found;
}

Surface *Display::find_surface(EGLSurface handle) const {
    auto found = surfaces.find(static_cast<Surface *>(handle));
    return found == surfaces.end() ? nullptr : *found;
}

const Config *Display::find_config(EGLConfig handle) const {
    for (const Config &config : configs)
        if (&config == handle)
            return &config;
    return nullptr;
}

std::shared_ptr<Sync> Display::find_sync(EGLSync handle) const {
    for (const std::shared_ptr<Sync> &sync : syncs)
        if (sync.get() == handle)
            return sync;
    return nullptr;
}

Display *get_display(EGLDisplay handle) {
    const std::vector<Display *> &all = state().displays;
    auto found = std::find(all.begin(), all.end(), static_cast<Display *>(handle));
    if (found == all.end()) {
        fail(EGL_BAD_DISPLAY, "not a display");
        return nullptr;
    }
    return *found;
}

Display *get_initialized(EGLDisplay handle) {
    Display *display = get_display(handle);
    if (display && (!display->initialized || state().exiting)) {
        fail(EGL_NOT_INITIALIZED, "the display is not initialized", display);
        return nullptr;
    }
    return display;
}

namespace {

bool set_in_environment(const char *name) {
    const char *value = std::getenv(name);
    return value && *value;
}

bool built(EGLenum platform) {
#ifdef MGPIPE_HAVE_X11
    if (platform == EGL_PLATFORM_X11_KHR || platform == EGL_PLATFORM_XCB_EXT)
        return true;
#endif
#ifdef MGPIPE_HAVE_WAYLAND
    if (platform == EGL_PLATFORM_WAYLAND_KHR)
        return true;
#endif
    return platform == EGL_PLATFORM_SURFACELESS_MESA;
}

// eglGetDisplay(EGL_DEFAULT_DISPLAY): the window system of the session, else none. A session whose
// window system this build lacks is left to the next vendor.
EGLenum default_platform() {
    constexpr struct {
        const char *name;
        EGLenum platform;
    } names[] = {{"x11", EGL_PLATFORM_X11_KHR},
                 {"xcb", EGL_PLATFORM_XCB_EXT},
                 {"wayland", EGL_PLATFORM_WAYLAND_KHR},
                 {"surfaceless", EGL_PLATFORM_SURFACELESS_MESA}};
    EGLenum platform = set_in_environment("DISPLAY")           ? EGL_PLATFORM_X11_KHR
                       : set_in_environment("WAYLAND_DISPLAY") ? EGL_PLATFORM_WAYLAND_KHR
                                                               : EGL_PLATFORM_SURFACELESS_MESA;
    if (set_in_environment("EGL_PLATFORM")) {
        platform = EGL_NONE;
        for (const auto &each : names)
            if (!std::strcmp(std::getenv("EGL_PLATFORM"), each.name))
                platform = each.platform;
    }
    return built(platform) ? platform : EGL_NONE;
}

// The connection of a display. Without the lock: the window system may be silent. False: there is
// none, with *error.
bool open_system(const Display &display, std::shared_ptr<Platform> &out, EGLint *error) {
    switch (display.platform) {
#ifdef MGPIPE_HAVE_X11
    case EGL_PLATFORM_X11_KHR:
        out = display.name.empty() ? open_x11(display.native, display.screen, error)
                                   : open_x11_named(display.name.c_str(), display.screen, error);
        return out != nullptr;
    case EGL_PLATFORM_XCB_EXT:
        out = open_xcb(display.native, display.screen, error);
        return out != nullptr;
#endif
#ifdef MGPIPE_HAVE_WAYLAND
    case EGL_PLATFORM_WAYLAND_KHR: out = open_wayland(display.native, error); return out != nullptr;
#endif
    default: return true;
    }
}

// Connection and configs of a new display, which nobody else knows. The first one of the process
// proves that a driver can start. False without noise when none does, with *error.
bool fill_display(Lock &lock, Display &display, EGLint *error) {
    State &s = state();
    const bool proven = s.proven;
    lock.unlock();
    bool done = open_system(display, display.system, error);
    if (done && !proven) {
        *error = EGL_BAD_ALLOC;
        display.spare = group_create(display.system.get());
        done = display.spare != nullptr;
    }
    lock.lock();
    if (!done)
        return false;
    if (!s.proven) {
        s.limits = group_config_limits(*display.spare);
        s.device.renderer = group_renderer(*display.spare);
        s.gl_version = group_version(*display.spare);
        s.proven = true;
    }
    display.configs =
        display.system ? make_configs(s.limits, display.system->system(), display.system->visuals())
                       : make_configs(s.limits);
    return true;
}

// Connects a display that has no connection (any more). False with *error.
bool reopen(Lock &lock, Display &display, EGLint *error) {
    settle(lock, [&] { return !display.opening; });
    if (display.initialized || display.system) {
        display.initialized = true;
        return true;
    }
    display.opening = true;
    std::shared_ptr<Platform> system;
    lock.unlock();
    const bool done = open_system(display, system, error);
    lock.lock();
    display.opening = false;
    state().settled->notify_all();
    if (done)
        display.system = std::move(system);
    display.initialized = done;
    return done;
}

struct DisplayWish {
    EGLenum platform;
    void *native;
    EGLint screen = -1;
    bool explicit_device = false;
};

Display *find_display(const std::vector<Display *> &among, const DisplayWish &wish) {
    for (Display *display : among)
        if (display->platform == wish.platform && display->native == wish.native &&
            display->screen == wish.screen && display->explicit_device == wish.explicit_device)
            return display;
    return nullptr;
}

// Null with *error set.
Display *make_display(Lock &lock, const DisplayWish &wish, EGLint *error) {
    State &s = state();
    settle(lock, [&] { return !find_display(s.making, wish); });
    if (Display *display = find_display(s.displays, wish))
        return display;
    auto display = std::make_unique<Display>();
    display->platform = wish.platform;
    display->native = wish.native;
    display->screen = wish.screen;
    display->explicit_device = wish.explicit_device;
    s.making.push_back(display.get());
    const bool done = fill_display(lock, *display, error);
    std::erase(s.making, display.get());
    s.settled->notify_all();
    if (!done)
        return nullptr;
    s.displays.push_back(display.get());
    return display.release();
}

bool is_screen(EGLenum platform, EGLAttrib name) {
    return (platform == EGL_PLATFORM_X11_KHR && name == EGL_PLATFORM_X11_SCREEN_KHR) ||
           (platform == EGL_PLATFORM_XCB_EXT && name == EGL_PLATFORM_XCB_SCREEN_EXT);
}

Display *platform_display(Lock &lock, EGLenum platform, void *native, const EGLAttrib *attribs) {
    Device *device = &state().device;
    if (state().exiting)
        return nullptr;
    DisplayWish wish{platform == EGL_NONE && !native ? default_platform() : platform, native};
    for (; attribs && *attribs != EGL_NONE; attribs += 2) {
        if (is_screen(wish.platform, attribs[0]) && attribs[1] >= 0 && attribs[1] <= INT32_MAX) {
            wish.screen = EGLint(attribs[1]);
            continue;
        }
        if (attribs[0] != EGL_DEVICE_EXT || wish.platform == EGL_PLATFORM_DEVICE_EXT) {
            decline(EGL_BAD_ATTRIBUTE, "unknown display attribute");
            return nullptr;
        }
        if (reinterpret_cast<void *>(attribs[1]) != device) {
            decline(EGL_BAD_DEVICE_EXT, "not a device of this vendor");
            return nullptr;
        }
        wish.explicit_device = true;
    }
    const bool ours =
        wish.platform == EGL_PLATFORM_DEVICE_EXT ? native == device : built(wish.platform);
    if (!ours ||
        (wish.platform == EGL_PLATFORM_SURFACELESS_MESA && native != EGL_DEFAULT_DISPLAY)) {
        decline(EGL_BAD_PARAMETER, "not a platform or native display of this vendor");
        return nullptr;
    }
    EGLint error = EGL_BAD_ALLOC;
    Display *display = make_display(lock, wish, &error);
    if (!display)
        decline(error, "no such display, or no driver can start");
    return display;
}

} // namespace

#ifdef MGPIPE_HAVE_X11
Display *core_open_x11(Lock &lock, const char *name, int screen, EGLint *error) {
    auto display = std::make_unique<Display>();
    display->platform = EGL_PLATFORM_X11_KHR;
    display->explicit_device = false;
    display->name = name;
    display->screen = screen;
    if (!fill_display(lock, *display, error))
        return nullptr;
    display->initialized = true;
    state().other_displays.push_back(display.get());
    return display.release();
}

bool core_reopen(Lock &lock, Display &display, EGLint *error) {
    return display.initialized || reopen(lock, display, error);
}
#endif

namespace {

const char *extensions_of(const Display &display) {
    // The opacity of a window of X is its visual's.
    const bool opaque = display.system && display.system->system() == System::wayland;
    const ConfigLimits &limits = state().limits;
    static const auto *all = [] {
        auto *text = new std::string[8];
        for (unsigned i = 0; i < 8; i++)
            text[i] = std::string(display_extensions) + (i & 1 ? " EGL_EXT_present_opaque" : "") +
                      (i & 2 ? std::string(" ") + image_extensions : "") +
                      (i & 4 ? std::string(" ") + dma_buf_extensions : "");
        return text;
    }();
    return all[(opaque ? 1 : 0) + (limits.images ? 2 : 0) + (limits.dma_bufs ? 4 : 0)].c_str();
}

} // namespace

namespace api {

EGLDisplay EGLAPIENTRY GetPlatformDisplay(EGLenum platform, void *native_display,
                                          const EGLAttrib *attrib_list) {
    Call call("eglGetPlatformDisplay");
    return platform_display(call, platform, native_display, attrib_list);
}

EGLDisplay EGLAPIENTRY GetPlatformDisplayEXT(EGLenum platform, void *native_display,
                                             const EGLint *attrib_list) {
    Call call("eglGetPlatformDisplayEXT");
    std::vector<EGLAttrib> attribs;
    for (; attrib_list && *attrib_list != EGL_NONE; attrib_list += 2)
        attribs.insert(attribs.end(), {attrib_list[0], attrib_list[1]});
    attribs.push_back(EGL_NONE);
    return platform_display(call, platform, native_display, attribs.data());
}

EGLDisplay EGLAPIENTRY GetDisplay(EGLNativeDisplayType display_id) {
    Call call("eglGetDisplay");
    return platform_display(call, EGL_NONE, reinterpret_cast<void *>(display_id), nullptr);
}

EGLBoolean EGLAPIENTRY Initialize(EGLDisplay dpy, EGLint *major, EGLint *minor) {
    Call call("eglInitialize");
    Display *display = get_display(dpy);
    if (!display)
        return EGL_FALSE;
    if (state().exiting)
        return fail(EGL_NOT_INITIALIZED, "the process exits", display);
    EGLint error = EGL_NOT_INITIALIZED;
    if (!reopen(call, *display, &error))
        return fail(EGL_NOT_INITIALIZED, "the native display cannot be reached", display);
    if (major)
        *major = 1;
    if (minor)
        *minor = 5;
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY Terminate(EGLDisplay dpy) {
    Call call("eglTerminate");
    Display *display = get_display(dpy);
    if (!display)
        return EGL_FALSE;
    if (state().exiting)
        return EGL_TRUE;
    display->initialized = false;
    display->syncs.clear();
    display->images.clear();
    for (Context *context : std::unordered_set<Context *>(std::move(display->contexts))) {
        context->destroyed = true;
        reap(context);
    }
    for (Surface *surface : std::unordered_set<Surface *>(std::move(display->surfaces))) {
        surface->destroyed = true;
        reap(surface);
    }
    display->contexts.clear();
    display->surfaces.clear();
    std::shared_ptr<Group> spare = std::move(display->spare);
    std::shared_ptr<Platform> system = std::move(display->system);
    call.unlock(); // they end
    spare.reset();
    call.lock();
    system.reset(); // the program closes its connection next
    return EGL_TRUE;
}

const char *EGLAPIENTRY QueryString(EGLDisplay dpy, EGLint name) {
    Call call("eglQueryString");
    constexpr const char *version = "1.5 MGPipe " MGPIPE_VERSION;
    if (dpy == EGL_NO_DISPLAY) {
        if (name == EGL_EXTENSIONS)
            return client_extensions;
        if (name == EGL_VERSION)
            return version;
    }
    const Display *display = get_initialized(dpy);
    if (!display)
        return nullptr;
    switch (name) {
    case EGL_CLIENT_APIS: return "OpenGL";
    case EGL_EXTENSIONS: return extensions_of(*display);
    case EGL_VENDOR: return "MGPipe";
    case EGL_VERSION: return version;
    default: fail(EGL_BAD_PARAMETER, "unknown string"); return nullptr;
    }
}

EGLBoolean EGLAPIENTRY QueryDisplayAttribEXT(EGLDisplay dpy, EGLint attribute, EGLAttrib *value) {
    Call call("eglQueryDisplayAttribEXT");
    if (!get_initialized(dpy))
        return EGL_FALSE;
    if (attribute != EGL_DEVICE_EXT)
        return fail(EGL_BAD_ATTRIBUTE, "unknown display attribute");
    if (!value)
        return fail(EGL_BAD_PARAMETER, "no place for the value");
    *value = reinterpret_cast<EGLAttrib>(&state().device);
    return EGL_TRUE;
}

} // namespace api
} // namespace egl
