// SPDX-License-Identifier: MIT
// Surfaces of EGL programs: attribute lists, windows and pixmaps by their native types, queries.
// The buffers of a surface are made by the driver when it first becomes current in a share group
// (gl_binding.cpp).
#include "core.h"
#include "egl_api.h"

#include <algorithm>

namespace egl {

namespace {

struct PbufferAttribs {
    EGLint width = 0, height = 0, largest = EGL_FALSE;
    EGLint texture_format = EGL_NO_TEXTURE, texture_target = EGL_NO_TEXTURE, mipmap = EGL_FALSE;
    EGLint colorspace = EGL_GL_COLORSPACE_LINEAR;
};

// The error, or EGL_SUCCESS.
EGLint parse_pbuffer(const EGLint *attribs, PbufferAttribs &out) {
    for (; attribs && *attribs != EGL_NONE; attribs += 2) {
        const EGLint value = attribs[1];
        switch (attribs[0]) {
        case EGL_WIDTH: out.width = value; break;
        case EGL_HEIGHT: out.height = value; break;
        case EGL_LARGEST_PBUFFER: out.largest = value; break;
        case EGL_TEXTURE_FORMAT: out.texture_format = value; break;
        case EGL_TEXTURE_TARGET: out.texture_target = value; break;
        case EGL_MIPMAP_TEXTURE: out.mipmap = value; break;
        case EGL_GL_COLORSPACE: out.colorspace = value; break;
        // OpenVG only: taken and void.
        case EGL_VG_COLORSPACE:
        case EGL_VG_ALPHA_FORMAT: break;
        default: return EGL_BAD_ATTRIBUTE;
        }
    }
    if (out.width < 0 || out.height < 0)
        return EGL_BAD_PARAMETER;
    if (out.colorspace != EGL_GL_COLORSPACE_LINEAR && out.colorspace != EGL_GL_COLORSPACE_SRGB)
        return EGL_BAD_ATTRIBUTE;
    if (out.texture_format != EGL_NO_TEXTURE && out.texture_format != EGL_TEXTURE_RGB &&
        out.texture_format != EGL_TEXTURE_RGBA)
        return EGL_BAD_ATTRIBUTE;
    if (out.texture_target != EGL_NO_TEXTURE && out.texture_target != EGL_TEXTURE_2D)
        return EGL_BAD_ATTRIBUTE;
    return EGL_SUCCESS;
}

// Null with the error set.
Surface *create(Display *display, const Config *config, const SurfaceWish &wish) {
    Surface *surface = nullptr;
    const EGLint error = core_surface_create(display, config, wish, surface);
    if (error != EGL_SUCCESS)
        fail_for(error, display);
    return surface;
}

EGLSurface create_pbuffer(Display *display, const Config *config, const EGLint *attribs) {
    PbufferAttribs wish;
    const EGLint error = parse_pbuffer(attribs, wish);
    if (error != EGL_SUCCESS) {
        fail(error, "unknown surface attribute or illegal value", display);
        return EGL_NO_SURFACE;
    }
    // No config has EGL_BIND_TO_TEXTURE_RGB(A).
    if (wish.texture_format != EGL_NO_TEXTURE || wish.texture_target != EGL_NO_TEXTURE) {
        fail(EGL_BAD_MATCH, "the config does not bind to textures", display);
        return EGL_NO_SURFACE;
    }
    SurfaceWish request;
    request.width = wish.width;
    request.height = wish.height;
    request.largest = wish.largest != EGL_FALSE;
    request.srgb = wish.colorspace == EGL_GL_COLORSPACE_SRGB;
    Surface *surface = create(display, config, request);
    if (surface)
        surface->mipmap_texture = wish.mipmap != EGL_FALSE;
    return surface;
}

// `single_buffer` stays false for pixmaps, which have no such attribute.
template <class T>
EGLint parse_native(const T *attribs, bool window, const Platform *system, SurfaceWish &out) {
    for (; attribs && *attribs != EGL_NONE; attribs += 2) {
        const T value = attribs[1];
        switch (attribs[0]) {
        case EGL_RENDER_BUFFER:
            if (!window || (value != EGL_SINGLE_BUFFER && value != EGL_BACK_BUFFER))
                return EGL_BAD_ATTRIBUTE;
            out.single_buffered = value == EGL_SINGLE_BUFFER;
            break;
        case EGL_GL_COLORSPACE:
            if (value != EGL_GL_COLORSPACE_LINEAR && value != EGL_GL_COLORSPACE_SRGB)
                return EGL_BAD_ATTRIBUTE;
            out.srgb = value == EGL_GL_COLORSPACE_SRGB;
            break;
        case EGL_PRESENT_OPAQUE_EXT:
            if (!system || system->system() != System::wayland)
                return EGL_BAD_ATTRIBUTE;
            out.opaque = value != EGL_FALSE;
            break;
        // OpenVG only: taken and void.
        case EGL_VG_COLORSPACE:
        case EGL_VG_ALPHA_FORMAT: break;
        default: return EGL_BAD_ATTRIBUTE;
        }
    }
    return EGL_SUCCESS;
}

// Every way to make a window or pixmap surface ends here. `native`: see Platform::open_window.
template <class T>
EGLSurface create_native(Lock &lock, EGLDisplay dpy, EGLConfig handle, void *native,
                         const T *attribs, bool window) {
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_NO_SURFACE;
    const EGLint bad_native = window ? EGL_BAD_NATIVE_WINDOW : EGL_BAD_NATIVE_PIXMAP;
    const Config *config = display->find_config(handle);
    SurfaceWish wish;
    std::unique_ptr<NativeDrawable> drawable;
    EGLint error = EGL_SUCCESS;
    // Whatever config and window are (EGL_MESA_platform_surfaceless, version 1).
    if (display->platform == EGL_PLATFORM_SURFACELESS_MESA && !display->system)
        fail(bad_native, "the platform has no native windows and pixmaps", display);
    else if (!config)
        fail(EGL_BAD_CONFIG, "not a config of the display", display);
    else if (!window && display->system && display->system->system() == System::wayland)
        fail(EGL_BAD_PARAMETER, "Wayland has no pixmaps", display);
    else if (!native)
        fail(bad_native, "no native window or pixmap", display);
    else if (parse_native(attribs, window, display->system.get(), wish) != EGL_SUCCESS)
        fail(EGL_BAD_ATTRIBUTE, "unknown surface attribute or illegal value", display);
    else if (!display->system || !(config->surfaces & (window ? EGL_WINDOW_BIT : EGL_PIXMAP_BIT)))
        fail(EGL_BAD_MATCH, "the config does not draw to such surfaces", display);
    else if ((error = core_open_native(lock, display, *config, native, window, drawable)) !=
             EGL_SUCCESS)
        fail(error, "not a window or pixmap that fits the config, or another surface has it",
             display);
    else {
        wish.drawable = drawable.get();
        Surface *surface = create(display, config, wish);
        if (surface)
            drawable.release();
        return surface;
    }
    return EGL_NO_SURFACE;
}

// What eglCreatePlatform*Surface points to: X's ids, an xcb one being shorter than an Xlib one; of
// other systems, the object itself.
void *pointed_native(EGLDisplay dpy, void *native) {
    const std::vector<Display *> &all = state().displays;
    auto *display = static_cast<Display *>(dpy);
    if (!native || std::find(all.begin(), all.end(), display) == all.end())
        return native;
    if (display->platform == EGL_PLATFORM_X11_KHR)
        return reinterpret_cast<void *>(uintptr_t(*static_cast<unsigned long *>(native)));
    if (display->platform == EGL_PLATFORM_XCB_EXT)
        return reinterpret_cast<void *>(uintptr_t(*static_cast<uint32_t *>(native)));
    return native;
}

} // namespace

Surface *surface_of(EGLDisplay dpy, EGLSurface handle) {
    Display *display = get_initialized(dpy);
    if (!display)
        return nullptr;
    Surface *surface = display->find_surface(handle);
    if (!surface)
        fail(EGL_BAD_SURFACE, "not a surface of the display", display);
    return surface;
}

namespace {

// What only a pbuffer has: asked of a window or a pixmap, the value stays as it is.
bool of_pbuffers(EGLint attribute) {
    return attribute == EGL_LARGEST_PBUFFER || attribute == EGL_TEXTURE_FORMAT ||
           attribute == EGL_TEXTURE_TARGET || attribute == EGL_MIPMAP_TEXTURE ||
           attribute == EGL_MIPMAP_LEVEL;
}

bool surface_value(const Surface &surface, EGLint attribute, EGLint *value) {
    switch (attribute) {
    case EGL_CONFIG_ID: *value = surface.config->id; break;
    case EGL_WIDTH: *value = surface.width; break;
    case EGL_HEIGHT: *value = surface.height; break;
    case EGL_LARGEST_PBUFFER: *value = surface.largest; break;
    case EGL_TEXTURE_FORMAT:
    case EGL_TEXTURE_TARGET: *value = EGL_NO_TEXTURE; break;
    case EGL_MIPMAP_TEXTURE: *value = surface.mipmap_texture; break;
    case EGL_MIPMAP_LEVEL: *value = surface.mipmap_level; break;
    case EGL_RENDER_BUFFER:
        *value = surface.single_buffered ? EGL_SINGLE_BUFFER : EGL_BACK_BUFFER;
        break;
    case EGL_SWAP_BEHAVIOR: *value = surface.swap_behavior; break;
    case EGL_MULTISAMPLE_RESOLVE: *value = surface.multisample_resolve; break;
    case EGL_GL_COLORSPACE: *value = surface.colorspace; break;
    case EGL_PRESENT_OPAQUE_EXT: *value = surface.opaque; break;
    case EGL_VG_COLORSPACE: *value = EGL_VG_COLORSPACE_sRGB; break;
    case EGL_VG_ALPHA_FORMAT: *value = EGL_VG_ALPHA_FORMAT_NONPRE; break;
    case EGL_HORIZONTAL_RESOLUTION:
    case EGL_VERTICAL_RESOLUTION:
    case EGL_PIXEL_ASPECT_RATIO: *value = EGL_UNKNOWN; break;
    default: return false;
    }
    return true;
}

} // namespace

namespace api {

EGLSurface EGLAPIENTRY CreatePbufferSurface(EGLDisplay dpy, EGLConfig config,
                                            const EGLint *attrib_list) {
    Call call("eglCreatePbufferSurface");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_NO_SURFACE;
    const Config *found = display->find_config(config);
    if (!found) {
        fail(EGL_BAD_CONFIG, "not a config of the display", display);
        return EGL_NO_SURFACE;
    }
    return create_pbuffer(display, found, attrib_list);
}

EGLSurface EGLAPIENTRY CreateWindowSurface(EGLDisplay dpy, EGLConfig config,
                                           EGLNativeWindowType win, const EGLint *attrib_list) {
    Call call("eglCreateWindowSurface");
    return create_native(call, dpy, config, to_native(win), attrib_list, true);
}

EGLSurface EGLAPIENTRY CreatePixmapSurface(EGLDisplay dpy, EGLConfig config,
                                           EGLNativePixmapType pixmap, const EGLint *attrib_list) {
    Call call("eglCreatePixmapSurface");
    return create_native(call, dpy, config, to_native(pixmap), attrib_list, false);
}

EGLSurface EGLAPIENTRY CreatePlatformWindowSurface(EGLDisplay dpy, EGLConfig config,
                                                   void *native_window,
                                                   const EGLAttrib *attrib_list) {
    Call call("eglCreatePlatformWindowSurface");
    return create_native(call, dpy, config, pointed_native(dpy, native_window), attrib_list, true);
}

EGLSurface EGLAPIENTRY CreatePlatformWindowSurfaceEXT(EGLDisplay dpy, EGLConfig config,
                                                      void *native_window,
                                                      const EGLint *attrib_list) {
    Call call("eglCreatePlatformWindowSurfaceEXT");
    return create_native(call, dpy, config, pointed_native(dpy, native_window), attrib_list, true);
}

EGLSurface EGLAPIENTRY CreatePlatformPixmapSurface(EGLDisplay dpy, EGLConfig config,
                                                   void *native_pixmap,
                                                   const EGLAttrib *attrib_list) {
    Call call("eglCreatePlatformPixmapSurface");
    return create_native(call, dpy, config, pointed_native(dpy, native_pixmap), attrib_list, false);
}

EGLSurface EGLAPIENTRY CreatePlatformPixmapSurfaceEXT(EGLDisplay dpy, EGLConfig config,
                                                      void *native_pixmap,
                                                      const EGLint *attrib_list) {
    Call call("eglCreatePlatformPixmapSurfaceEXT");
    return create_native(call, dpy, config, pointed_native(dpy, native_pixmap), attrib_list, false);
}

EGLSurface EGLAPIENTRY CreatePbufferFromClientBuffer(EGLDisplay dpy, EGLenum, EGLClientBuffer,
                                                     EGLConfig, const EGLint *) {
    Call call("eglCreatePbufferFromClientBuffer");
    if (get_initialized(dpy))
        fail(EGL_BAD_PARAMETER, "OpenVG images are not supported");
    return EGL_NO_SURFACE;
}

EGLBoolean EGLAPIENTRY DestroySurface(EGLDisplay dpy, EGLSurface handle) {
    Call call("eglDestroySurface");
    Surface *surface = surface_of(dpy, handle);
    if (!surface)
        return EGL_FALSE;
    core_surface_destroy(surface);
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY QuerySurface(EGLDisplay dpy, EGLSurface handle, EGLint attribute,
                                    EGLint *value) {
    Call call("eglQuerySurface");
    Surface *surface = surface_of(dpy, handle);
    if (!surface)
        return EGL_FALSE;
    if (!value)
        return fail(EGL_BAD_PARAMETER, "no place for the value", surface);
    if (attribute == EGL_BUFFER_AGE_EXT) {
        Context *current = thread().current;
        if (!current || current->draw != surface)
            return fail(EGL_BAD_SURFACE, "not the draw surface of this thread's context", surface);
        *value = core_buffer_age(surface);
        surface->age_asked = true;
        return EGL_TRUE;
    }
    if (attribute == EGL_WIDTH || attribute == EGL_HEIGHT) {
        const Hold hold(surface);
        core_surface_sync(call, surface);
        core_surface_update(call, surface);
    }
    if (surface->drawable && of_pbuffers(attribute))
        return EGL_TRUE;
    if (!surface_value(*surface, attribute, value))
        return fail(EGL_BAD_ATTRIBUTE, "unknown surface attribute", surface);
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY SurfaceAttrib(EGLDisplay dpy, EGLSurface handle, EGLint attribute,
                                     EGLint value) {
    Call call("eglSurfaceAttrib");
    Surface *surface = surface_of(dpy, handle);
    if (!surface)
        return EGL_FALSE;
    switch (attribute) {
    case EGL_MIPMAP_LEVEL: surface->mipmap_level = value; return EGL_TRUE;
    case EGL_MULTISAMPLE_RESOLVE:
        if (value == EGL_MULTISAMPLE_RESOLVE_BOX)
            return fail(EGL_BAD_MATCH, "the config has no box resolve", surface);
        if (value != EGL_MULTISAMPLE_RESOLVE_DEFAULT)
            return fail(EGL_BAD_PARAMETER, "illegal value", surface);
        return EGL_TRUE;
    case EGL_SWAP_BEHAVIOR:
        if (value != EGL_BUFFER_PRESERVED && value != EGL_BUFFER_DESTROYED)
            return fail(EGL_BAD_PARAMETER, "illegal value", surface);
        if (value == EGL_BUFFER_PRESERVED &&
            !(surface->config->surfaces & EGL_SWAP_BEHAVIOR_PRESERVED_BIT))
            return fail(EGL_BAD_MATCH, "the config has no preserved swap", surface);
        surface->swap_behavior = value; // a back buffer keeps its contents anyway
        return EGL_TRUE;
    default: return fail(EGL_BAD_ATTRIBUTE, "unknown surface attribute", surface);
    }
}

} // namespace api
} // namespace egl
