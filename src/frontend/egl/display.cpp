// SPDX-License-Identifier: MIT
// Displays: which platforms are taken, initialisation, termination, strings. A display is handed
// out only when a driver can start, so that the dispatch library goes on to the next vendor
// otherwise.
#include "egl_api.h"
#include "egl_tables.h"
#include "gl_binding.h"
#include "state.h"

#include "util/log.h"

#include <algorithm>
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

// eglGetDisplay(EGL_DEFAULT_DISPLAY): ours only when no window system would be the better answer.
EGLenum default_platform() {
    const char *wish = std::getenv("EGL_PLATFORM");
    if (wish && *wish)
        return std::strcmp(wish, "surfaceless") ? EGL_NONE : EGL_PLATFORM_SURFACELESS_MESA;
    if (set_in_environment("DISPLAY") || set_in_environment("WAYLAND_DISPLAY"))
        return EGL_NONE;
    return EGL_PLATFORM_SURFACELESS_MESA;
}

// Null without noise when no driver starts.
Display *make_display(EGLenum platform, bool explicit_device) {
    State &s = state();
    for (Display *display : s.displays)
        if (display->platform == platform && display->explicit_device == explicit_device)
            return display;
    // All displays use the one device, so the first display's proof holds for the others.
    std::shared_ptr<Group> spare;
    std::vector<Config> configs;
    if (s.displays.empty()) {
        spare = group_create();
        if (!spare)
            return nullptr;
        configs = make_configs(group_config_limits(*spare));
        s.device.renderer = group_renderer(*spare);
    } else {
        configs = s.displays.front()->configs;
    }
    auto *display = new Display;
    display->platform = platform;
    display->explicit_device = explicit_device;
    display->spare = std::move(spare);
    display->configs = std::move(configs);
    s.displays.push_back(display);
    return display;
}

Display *platform_display(EGLenum platform, void *native, const EGLAttrib *attribs) {
    Device *device = &state().device;
    if (state().exiting)
        return nullptr;
    if (platform == EGL_NONE)
        platform = default_platform();
    bool explicit_device = false;
    for (; attribs && *attribs != EGL_NONE; attribs += 2) {
        if (attribs[0] != EGL_DEVICE_EXT || platform == EGL_PLATFORM_DEVICE_EXT) {
            decline(EGL_BAD_ATTRIBUTE, "unknown display attribute");
            return nullptr;
        }
        if (reinterpret_cast<void *>(attribs[1]) != device) {
            decline(EGL_BAD_DEVICE_EXT, "not a device of this vendor");
            return nullptr;
        }
        explicit_device = true;
    }
    const bool ours = platform == EGL_PLATFORM_DEVICE_EXT
                          ? native == device
                          : platform == EGL_PLATFORM_SURFACELESS_MESA;
    if (!ours || (platform == EGL_PLATFORM_SURFACELESS_MESA && native != EGL_DEFAULT_DISPLAY)) {
        decline(EGL_BAD_PARAMETER, "not a platform or native display of this vendor");
        return nullptr;
    }
    Display *display = make_display(platform, explicit_device);
    if (!display)
        decline(EGL_BAD_ALLOC, "no driver can start");
    return display;
}

} // namespace

namespace api {

EGLDisplay EGLAPIENTRY GetPlatformDisplay(EGLenum platform, void *native_display,
                                          const EGLAttrib *attrib_list) {
    Call call("eglGetPlatformDisplay");
    return platform_display(platform, native_display, attrib_list);
}

EGLDisplay EGLAPIENTRY GetPlatformDisplayEXT(EGLenum platform, void *native_display,
                                             const EGLint *attrib_list) {
    Call call("eglGetPlatformDisplayEXT");
    std::vector<EGLAttrib> attribs;
    for (; attrib_list && *attrib_list != EGL_NONE; attrib_list += 2)
        attribs.insert(attribs.end(), {attrib_list[0], attrib_list[1]});
    attribs.push_back(EGL_NONE);
    return platform_display(platform, native_display, attribs.data());
}

EGLDisplay EGLAPIENTRY GetDisplay(EGLNativeDisplayType display_id) {
    Call call("eglGetDisplay");
    return platform_display(EGL_NONE, reinterpret_cast<void *>(display_id), nullptr);
}

EGLBoolean EGLAPIENTRY Initialize(EGLDisplay dpy, EGLint *major, EGLint *minor) {
    Call call("eglInitialize");
    Display *display = get_display(dpy);
    if (!display)
        return EGL_FALSE;
    if (state().exiting)
        return fail(EGL_NOT_INITIALIZED, "the process exits", display);
    display->initialized = true;
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
    display->spare.reset();
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
    if (!get_initialized(dpy))
        return nullptr;
    switch (name) {
    case EGL_CLIENT_APIS: return "OpenGL";
    case EGL_EXTENSIONS: return display_extensions;
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
