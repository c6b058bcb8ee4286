// SPDX-License-Identifier: MIT
// Windows, pixmaps and pbuffers: creation, destruction, attributes, event masks.
#include "drawable.h"

#include "glx_api.h"

#include <algorithm>

namespace glx {

bool fail_drawable(Call &call, EGLint error, XID id) {
    switch (error) {
    case EGL_BAD_ACCESS: return call.fail(BadAccess, id);
    case EGL_BAD_MATCH: return call.fail(BadMatch, id);
    case EGL_BAD_NATIVE_WINDOW: return call.fail(GlxError{GLXBadDrawable}, id);
    case EGL_BAD_NATIVE_PIXMAP: return call.fail(BadPixmap, id);
    case EGL_CONTEXT_LOST: return call.fail(GlxError{GLXBadContext}, id);
    default: return call.fail(BadAlloc, id);
    }
}

bool is_single(const Drawable &drawable) {
    return drawable.kind == Kind::pixmap ||
           (drawable.kind != Kind::pbuffer && !drawable.config->double_buffered);
}

void set_interval(Drawable &drawable, int interval) {
    drawable.interval = std::clamp(interval, -max_interval, max_interval);
    egl::core_swap_interval(drawable.surface, drawable.interval);
}

namespace {

// EGL's error, or EGL_SUCCESS and the drawable under its id.
EGLint add(Call &call, const Drawable &made, egl::SurfaceWish wish, Drawable *&out) {
    if (call.exiting())
        return EGL_BAD_ALLOC;
    wish.srgb = made.config->srgb;
    wish.single_buffered = is_single(made);
    wish.shared = true;
    egl::Surface *surface = nullptr;
    const EGLint error =
        egl::core_surface_create(made.screen->display, made.config->config, wish, surface);
    if (error != EGL_SUCCESS)
        return error;
    out = new Drawable(made);
    out->surface = surface;
    out->turn = std::make_shared<std::mutex>();
    call.server().drawables[out->id] = out;
    return EGL_SUCCESS;
}

EGLint open_window(Call &call, Screen *screen, const FBConfig *config, Kind kind, XID id,
                   Window window, Drawable *&out) {
    std::unique_ptr<egl::NativeDrawable> native;
    const EGLint error = egl::core_open_native(call.lock(), screen->display, *config->config,
                                               reinterpret_cast<void *>(window), true, native);
    if (error != EGL_SUCCESS)
        return error;
    egl::SurfaceWish wish;
    wish.drawable = native.get();
    const EGLint refused =
        add(call, {kind, id, window, screen, config, call.connection().dpy}, wish, out);
    if (refused == EGL_SUCCESS)
        (void)native.release(); // the surface has it
    return refused;
}

// For contexts without a config: one config after the other whose windows are of another kind.
EGLint open_any(Call &call, Screen *screen, Window window, Drawable *&out) {
    EGLint error = EGL_BAD_MATCH;
    EGLint tried = 0;
    for (const FBConfig &config : screen->configs) {
        if (!config.visual || !config.double_buffered || config.config->visual.id == tried)
            continue;
        tried = config.config->visual.id;
        error = open_window(call, screen, &config, Kind::plain_window, window, window, out);
        if (error != EGL_BAD_MATCH)
            break;
    }
    return error;
}

// Whether a window's drawable must be made anew for a context of `config`.
bool is_stale(const Drawable &drawable, const FBConfig *config) {
    if (drawable.kind != Kind::plain_window || drawable.users)
        return false;
    const bool fits =
        !config || (egl::configs_compatible(config->config, *drawable.config->config) &&
                    config->double_buffered == drawable.config->double_buffered &&
                    config->srgb == drawable.config->srgb);
    return drawable.surface->gone || !fits;
}

} // namespace

Drawable *drawable_for(Call &call, Screen *screen, GLXDrawable id, const FBConfig *config) {
    auto &opening = call.server().opening;
    const uint32_t mine = egl::state().forks + 1;
    egl::settle(call.lock(), [&] { return !opening.count(id) || opening[id] != mine; });
    Drawable *drawable = find_drawable(call.server(), id);
    if (drawable && is_stale(*drawable, config)) {
        destroy(drawable);
        drawable = nullptr;
    }
    if (drawable)
        return drawable;
    if (config && !config->visual) {
        call.fail(BadMatch, id);
        return nullptr;
    }
    opening[id] = mine;
    const EGLint error =
        config ? open_window(call, screen, config, Kind::plain_window, id, id, drawable)
               : open_any(call, screen, id, drawable);
    opening.erase(id);
    egl::state().settled->notify_all();
    if (error == EGL_SUCCESS)
        return drawable;
    fail_drawable(call, error, id);
    return nullptr;
}

namespace {

// Destroys what was made as `kind`; the error is that of another kind or of nothing.
void destroy_kind(Display *dpy, int request, XID id, Kind kind, int error) {
    Call call(dpy, request);
    Drawable *drawable = find_drawable(call.server(), id);
    if (drawable && drawable->kind == kind)
        destroy(drawable);
    else
        call.fail(GlxError{error}, id);
}

struct PixmapWish {
    int format = GLX_TEXTURE_FORMAT_NONE_EXT, target = 0;
};

bool parse_pixmap(const int *attribs, PixmapWish &out) {
    for (; attribs && *attribs != int(None); attribs += 2) {
        switch (attribs[0]) {
        case GLX_TEXTURE_FORMAT_EXT: out.format = attribs[1]; break;
        case GLX_TEXTURE_TARGET_EXT: out.target = attribs[1]; break;
        case GLX_MIPMAP_TEXTURE_EXT: break; // no config binds to mipmaps: only level 0 is filled
        default: return false;
        }
    }
    return out.format == GLX_TEXTURE_FORMAT_NONE_EXT || out.format == GLX_TEXTURE_FORMAT_RGB_EXT ||
           out.format == GLX_TEXTURE_FORMAT_RGBA_EXT;
}

// The target where the program names none is for us to choose.
int texture_target(const PixmapWish &wish) {
    if (wish.format == GLX_TEXTURE_FORMAT_NONE_EXT || wish.target)
        return wish.target;
    return GLX_TEXTURE_2D_EXT;
}

GLXPixmap create_pixmap(Call &call, const FBConfig *config, XID id, Pixmap pixmap,
                        const PixmapWish &wish) {
    Screen *screen = screen_of(call.server(), *config);
    if (!config->visual) {
        call.fail(BadMatch, pixmap);
        return None;
    }
    std::unique_ptr<egl::NativeDrawable> native;
    EGLint error = egl::core_open_native(call.lock(), screen->display, *config->config,
                                         reinterpret_cast<void *>(pixmap), false, native);
    Drawable made{Kind::pixmap, id, pixmap, screen, config, call.connection().dpy};
    made.texture_format = wish.format;
    made.texture_target = texture_target(wish);
    egl::SurfaceWish surface;
    surface.drawable = native.get();
    Drawable *drawable = nullptr;
    if (error == EGL_SUCCESS)
        error = add(call, made, surface, drawable);
    if (error != EGL_SUCCESS) {
        fail_drawable(call, error, pixmap);
        return None;
    }
    (void)native.release(); // the surface has it
    return id;
}

struct PbufferWish {
    int width = 0, height = 0;
    bool largest = false, preserved = true;
};

bool parse_pbuffer(const int *attribs, PbufferWish &out) {
    for (; attribs && *attribs != int(None); attribs += 2) {
        switch (attribs[0]) {
        case GLX_PBUFFER_WIDTH:
        case GLX_WIDTH: out.width = attribs[1]; break;
        case GLX_PBUFFER_HEIGHT:
        case GLX_HEIGHT: out.height = attribs[1]; break;
        case GLX_LARGEST_PBUFFER: out.largest = attribs[1]; break;
        case GLX_PRESERVED_CONTENTS: out.preserved = attribs[1]; break;
        default: return false;
        }
    }
    return out.width >= 0 && out.height >= 0;
}

GLXPbuffer create_pbuffer(Display *dpy, int request, GLXFBConfig handle, const PbufferWish *wish) {
    const XID id = make_id(dpy);
    Call call(dpy, request);
    const FBConfig *config = find_config(call.server(), handle);
    if (!config || !wish) {
        config ? call.fail(BadValue) : call.fail(GlxError{GLXBadFBConfig});
        return None;
    }
    const EGLint limit = config->config->max_pbuffer;
    if (!wish->largest && std::max(wish->width, wish->height) > limit) {
        call.fail(BadAlloc);
        return None;
    }
    Screen *screen = screen_of(call.server(), *config);
    Drawable made{Kind::pbuffer, id, None, screen, config, dpy};
    made.largest = wish->largest;
    made.preserved = wish->preserved;
    egl::SurfaceWish surface;
    surface.width = std::min(wish->width, limit);
    surface.height = std::min(wish->height, limit);
    surface.largest = wish->largest;
    Drawable *drawable = nullptr;
    const EGLint error = add(call, made, surface, drawable);
    if (error != EGL_SUCCESS) {
        fail_drawable(call, error, None);
        return None;
    }
    return id;
}

// Attributes that any kind has; others read as 0.
bool drawable_value(const Drawable &d, int attribute, unsigned *value) {
    switch (attribute) {
    case GLX_WIDTH: *value = unsigned(d.surface->width); break;
    case GLX_HEIGHT: *value = unsigned(d.surface->height); break;
    case GLX_PRESERVED_CONTENTS: *value = d.preserved; break;
    case GLX_LARGEST_PBUFFER: *value = d.largest; break;
    case GLX_FBCONFIG_ID: *value = unsigned(d.config->id); break;
    case GLX_EVENT_MASK: *value = unsigned(d.events); break;
    case GLX_SCREEN: *value = unsigned(d.screen->number); break;
    case GLX_SWAP_INTERVAL_EXT: *value = unsigned(std::abs(d.interval)); break;
    case GLX_MAX_SWAP_INTERVAL_EXT: *value = unsigned(max_interval); break;
    case GLX_LATE_SWAPS_TEAR_EXT: *value = d.interval < 0; break;
    case GLX_BACK_BUFFER_AGE_EXT: *value = unsigned(egl::core_buffer_age(d.surface)); break;
    case GLX_TEXTURE_FORMAT_EXT: *value = unsigned(d.texture_format); break;
    case GLX_TEXTURE_TARGET_EXT: *value = unsigned(d.texture_target); break;
    case GLX_MIPMAP_TEXTURE_EXT: *value = False; break;
    case GLX_Y_INVERTED_EXT: *value = d.kind == Kind::pixmap; break;
    default: return false;
    }
    return true;
}

} // namespace

namespace api {

GLXWindow CreateWindow(Display *dpy, GLXFBConfig handle, Window win, const int *) {
    const XID id = make_id(dpy);
    XSync(dpy, False); // the server knows the window from here on
    Call call(dpy, X_GLXCreateWindow);
    const FBConfig *config = find_config(call.server(), handle);
    if (!config) {
        call.fail(GlxError{GLXBadFBConfig});
        return None;
    }
    if (!config->visual) {
        call.fail(BadMatch, win);
        return None;
    }
    for (const auto &entry : call.server().drawables)
        if (entry.second->kind == Kind::window && entry.second->native == win) {
            call.fail(BadAlloc, win);
            return None;
        }
    // A plain window that was drawn to becomes a GLXWindow once nothing draws to it.
    Drawable *plain = find_drawable(call.server(), win);
    if (plain && !plain->users)
        destroy(plain);
    Drawable *drawable = nullptr;
    const EGLint error = open_window(call, screen_of(call.server(), *config), config, Kind::window,
                                     id, win, drawable);
    if (error == EGL_SUCCESS)
        return id;
    error == EGL_BAD_NATIVE_WINDOW ? call.fail(BadWindow, win) : fail_drawable(call, error, win);
    return None;
}

// The end of the X window is the end of its GLXWindow.
void DestroyWindow(Display *dpy, GLXWindow win) {
    XSync(dpy, False); // the server knows of an end that the program has asked for
    Call call(dpy, X_GLXDestroyWindow);
    Drawable *drawable = find_drawable(call.server(), win);
    if (!drawable || drawable->kind != Kind::window) {
        call.fail(GlxError{GLXBadWindow}, win);
        return;
    }
    if (!egl::core_surface_sync(call.lock(), drawable->surface))
        call.fail(GlxError{GLXBadWindow}, win);
    if (find_drawable(call.server(), win) == drawable) // others had their turn meanwhile
        destroy(drawable);
}

GLXPixmap CreatePixmap(Display *dpy, GLXFBConfig handle, Pixmap pixmap, const int *attrib_list) {
    const XID id = make_id(dpy);
    XSync(dpy, False); // the server knows the pixmap from here on
    Call call(dpy, X_GLXCreatePixmap);
    const FBConfig *config = find_config(call.server(), handle);
    if (!config) {
        call.fail(GlxError{GLXBadFBConfig});
        return None;
    }
    PixmapWish wish;
    if (!parse_pixmap(attrib_list, wish)) {
        call.fail(BadValue);
        return None;
    }
    return create_pixmap(call, config, id, pixmap, wish);
}

GLXPixmap CreateGLXPixmapWithConfigSGIX(Display *dpy, GLXFBConfigSGIX config, Pixmap pixmap) {
    return CreatePixmap(dpy, config, pixmap, nullptr);
}

GLXPixmap CreateGLXPixmap(Display *dpy, XVisualInfo *visual, Pixmap pixmap) {
    Screen *screen = visual ? open_screen(dpy, visual->screen) : nullptr;
    const XID id = make_id(dpy);
    XSync(dpy, False); // the server knows the pixmap from here on
    Call call(dpy, X_GLXCreateGLXPixmap);
    const FBConfig *config = screen ? owner_of(screen->configs, visual->visualid) : nullptr;
    if (!config) {
        call.fail(BadValue);
        return None;
    }
    return create_pixmap(call, config, id, pixmap, {});
}

void DestroyPixmap(Display *dpy, GLXPixmap pixmap) {
    destroy_kind(dpy, X_GLXDestroyPixmap, pixmap, Kind::pixmap, GLXBadPixmap);
}

void DestroyGLXPixmap(Display *dpy, GLXPixmap pixmap) {
    destroy_kind(dpy, X_GLXDestroyGLXPixmap, pixmap, Kind::pixmap, GLXBadPixmap);
}

GLXPbuffer CreatePbuffer(Display *dpy, GLXFBConfig config, const int *attrib_list) {
    PbufferWish wish;
    const bool good = parse_pbuffer(attrib_list, wish);
    return create_pbuffer(dpy, X_GLXCreatePbuffer, config, good ? &wish : nullptr);
}

GLXPbufferSGIX CreateGLXPbufferSGIX(Display *dpy, GLXFBConfigSGIX config, unsigned int width,
                                    unsigned int height, int *attrib_list) {
    PbufferWish wish;
    const bool good = parse_pbuffer(attrib_list, wish);
    constexpr unsigned most = 1u << 30;
    wish.width = int(std::min(width, most));
    wish.height = int(std::min(height, most));
    return create_pbuffer(dpy, X_GLXVendorPrivate, config, good ? &wish : nullptr);
}

void DestroyPbuffer(Display *dpy, GLXPbuffer pbuf) {
    destroy_kind(dpy, X_GLXDestroyPbuffer, pbuf, Kind::pbuffer, GLXBadPbuffer);
}

void QueryDrawable(Display *dpy, GLXDrawable draw, int attribute, unsigned int *value) {
    Call call(dpy, X_GLXGetDrawableAttributes);
    Drawable *drawable = find_drawable(call.server(), draw);
    if (!drawable) {
        call.fail(GlxError{GLXBadDrawable}, draw);
        return;
    }
    drawable->users++; // the program may destroy it while the lock is left
    if (attribute == GLX_WIDTH || attribute == GLX_HEIGHT) {
        egl::core_surface_sync(call.lock(), drawable->surface);
        egl::core_surface_update(call.lock(), drawable->surface);
    }
    drawable->users--;
    unsigned found = 0;
    drawable_value(*drawable, attribute, &found);
    reap(drawable);
    if (value)
        *value = found;
}

void SelectEvent(Display *dpy, GLXDrawable draw, unsigned long event_mask) {
    Call call(dpy, X_GLXChangeDrawableAttributes);
    if (Drawable *drawable = find_drawable(call.server(), draw))
        drawable->events = event_mask & GLX_PBUFFER_CLOBBER_MASK;
    else
        call.fail(GlxError{GLXBadDrawable}, draw);
}

void GetSelectedEvent(Display *dpy, GLXDrawable draw, unsigned long *event_mask) {
    Call call(dpy, X_GLXGetDrawableAttributes);
    if (const Drawable *drawable = find_drawable(call.server(), draw))
        *event_mask = drawable->events;
    else
        call.fail(GlxError{GLXBadDrawable}, draw);
}

} // namespace api
} // namespace glx
