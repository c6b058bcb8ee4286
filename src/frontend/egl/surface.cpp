// SPDX-License-Identifier: MIT
// Pbuffer surfaces, their attributes and presentation. Windows and pixmaps are refused: no config
// draws to them. The buffers of a surface are made by the driver when it first becomes current in a
// share group (gl_binding.cpp).
#include "egl_api.h"
#include "gl_binding.h"
#include "state.h"

#include <algorithm>

namespace egl {

void reap(Surface *surface) {
    if (!surface->destroyed || surface->user)
        return;
    surface_release(surface);
    delete surface;
}

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
    const bool bytes = config->color == Color::rgba8 || config->color == Color::rgbx8;
    if (wish.colorspace == EGL_GL_COLORSPACE_SRGB && !bytes) {
        fail(EGL_BAD_MATCH, "only 8-bit colour buffers can be sRGB", display);
        return EGL_NO_SURFACE;
    }
    if (!wish.largest && std::max(wish.width, wish.height) > config->max_pbuffer) {
        fail(EGL_BAD_ALLOC, "larger than EGL_MAX_PBUFFER_WIDTH or _HEIGHT", display);
        return EGL_NO_SURFACE;
    }
    auto *surface = new Surface;
    surface->display = display;
    surface->config = config;
    surface->width = std::min(wish.width, config->max_pbuffer);
    surface->height = std::min(wish.height, config->max_pbuffer);
    surface->largest = wish.largest != EGL_FALSE;
    surface->mipmap_texture = wish.mipmap != EGL_FALSE;
    surface->colorspace = wish.colorspace;
    display->surfaces.insert(surface);
    return surface;
}

// Every way to make a window or pixmap surface ends here.
EGLSurface refuse_native(EGLDisplay dpy, EGLConfig config, bool native, EGLint bad_native) {
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_NO_SURFACE;
    if (!display->find_config(config))
        fail(EGL_BAD_CONFIG, "not a config of the display", display);
    else if (!native)
        fail(bad_native, "no native window or pixmap", display);
    else
        fail(EGL_BAD_MATCH, "the config draws to pbuffers only", display);
    return EGL_NO_SURFACE;
}

// The surface of an entry point, or null with the error set.
Surface *surface_of(EGLDisplay dpy, EGLSurface handle) {
    Display *display = get_initialized(dpy);
    if (!display)
        return nullptr;
    Surface *surface = display->find_surface(handle);
    if (!surface)
        fail(EGL_BAD_SURFACE, "not a surface of the display", display);
    return surface;
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
    case EGL_RENDER_BUFFER: *value = EGL_BACK_BUFFER; break;
    case EGL_SWAP_BEHAVIOR: *value = surface.swap_behavior; break;
    case EGL_MULTISAMPLE_RESOLVE: *value = surface.multisample_resolve; break;
    case EGL_GL_COLORSPACE: *value = surface.colorspace; break;
    case EGL_VG_COLORSPACE: *value = EGL_VG_COLORSPACE_sRGB; break;
    case EGL_VG_ALPHA_FORMAT: *value = EGL_VG_ALPHA_FORMAT_NONPRE; break;
    case EGL_HORIZONTAL_RESOLUTION:
    case EGL_VERTICAL_RESOLUTION:
    case EGL_PIXEL_ASPECT_RATIO: *value = EGL_UNKNOWN; break;
    default: return false;
    }
    return true;
}

// A pbuffer has no front buffer: nothing is presented, commands are handed to the host. They leave
// EGL's lock: the current context is this thread's until it returns.
EGLBoolean swap(Call &call, Surface *surface) {
    Context *current = thread().current;
    if (!current || current->draw != surface)
        return fail(EGL_BAD_SURFACE, "not the draw surface of this thread's context", surface);
    if (current->lost || gl_is_lost(current))
        return fail(EGL_CONTEXT_LOST, "the context is lost", current);
    call.unlock();
    gl_end_frame(current);
    call.lock();
    if (gl_is_lost(current)) // before the caller draws another frame into nothing
        return fail(EGL_CONTEXT_LOST, "the context is lost", current);
    return EGL_TRUE;
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
                                           EGLNativeWindowType win, const EGLint *) {
    Call call("eglCreateWindowSurface");
    return refuse_native(dpy, config, win != 0, EGL_BAD_NATIVE_WINDOW);
}

EGLSurface EGLAPIENTRY CreatePixmapSurface(EGLDisplay dpy, EGLConfig config,
                                           EGLNativePixmapType pixmap, const EGLint *) {
    Call call("eglCreatePixmapSurface");
    return refuse_native(dpy, config, pixmap != 0, EGL_BAD_NATIVE_PIXMAP);
}

EGLSurface EGLAPIENTRY CreatePlatformWindowSurface(EGLDisplay dpy, EGLConfig config,
                                                   void *native_window, const EGLAttrib *) {
    Call call("eglCreatePlatformWindowSurface");
    return refuse_native(dpy, config, native_window, EGL_BAD_NATIVE_WINDOW);
}

EGLSurface EGLAPIENTRY CreatePlatformWindowSurfaceEXT(EGLDisplay dpy, EGLConfig config,
                                                      void *native_window, const EGLint *) {
    Call call("eglCreatePlatformWindowSurfaceEXT");
    return refuse_native(dpy, config, native_window, EGL_BAD_NATIVE_WINDOW);
}

EGLSurface EGLAPIENTRY CreatePlatformPixmapSurface(EGLDisplay dpy, EGLConfig config,
                                                   void *native_pixmap, const EGLAttrib *) {
    Call call("eglCreatePlatformPixmapSurface");
    return refuse_native(dpy, config, native_pixmap, EGL_BAD_NATIVE_PIXMAP);
}

EGLSurface EGLAPIENTRY CreatePlatformPixmapSurfaceEXT(EGLDisplay dpy, EGLConfig config,
                                                      void *native_pixmap, const EGLint *) {
    Call call("eglCreatePlatformPixmapSurfaceEXT");
    return refuse_native(dpy, config, native_pixmap, EGL_BAD_NATIVE_PIXMAP);
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
    surface->display->surfaces.erase(surface);
    surface->destroyed = true;
    reap(surface);
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
        if (value == EGL_BUFFER_PRESERVED)
            return fail(EGL_BAD_MATCH, "the config has no preserved swap", surface);
        if (value != EGL_BUFFER_DESTROYED)
            return fail(EGL_BAD_PARAMETER, "illegal value", surface);
        return EGL_TRUE;
    default: return fail(EGL_BAD_ATTRIBUTE, "unknown surface attribute", surface);
    }
}

EGLBoolean EGLAPIENTRY SwapBuffers(EGLDisplay dpy, EGLSurface surface) {
    Call call("eglSwapBuffers");
    Surface *found = surface_of(dpy, surface);
    return found ? swap(call, found) : EGL_FALSE;
}

EGLBoolean EGLAPIENTRY SwapBuffersWithDamageKHR(EGLDisplay dpy, EGLSurface surface, EGLint *rects,
                                                EGLint n_rects) {
    Call call("eglSwapBuffersWithDamageKHR");
    Surface *found = surface_of(dpy, surface);
    if (!found)
        return EGL_FALSE;
    if (n_rects < 0 || (n_rects > 0 && !rects))
        return fail(EGL_BAD_PARAMETER, "no damage rectangles", found);
    return swap(call, found);
}

EGLBoolean EGLAPIENTRY SwapInterval(EGLDisplay dpy, EGLint) {
    Call call("eglSwapInterval");
    if (!get_initialized(dpy))
        return EGL_FALSE;
    Context *current = thread().current;
    if (!current)
        return fail(EGL_BAD_CONTEXT, "no context is current");
    if (!current->draw)
        return fail(EGL_BAD_SURFACE, "no surface is current", current);
    return EGL_TRUE; // nothing is presented, so every interval is the same
}

EGLBoolean EGLAPIENTRY CopyBuffers(EGLDisplay dpy, EGLSurface handle, EGLNativePixmapType) {
    Call call("eglCopyBuffers");
    if (!surface_of(dpy, handle))
        return EGL_FALSE;
    return fail(EGL_BAD_NATIVE_PIXMAP, "no native pixmaps on this platform");
}

EGLBoolean EGLAPIENTRY BindTexImage(EGLDisplay dpy, EGLSurface handle, EGLint buffer) {
    Call call("eglBindTexImage");
    if (!surface_of(dpy, handle))
        return EGL_FALSE;
    if (buffer != EGL_BACK_BUFFER)
        return fail(EGL_BAD_PARAMETER, "not a buffer");
    return fail(EGL_BAD_MATCH, "the surface has no texture format");
}

EGLBoolean EGLAPIENTRY ReleaseTexImage(EGLDisplay dpy, EGLSurface handle, EGLint buffer) {
    Call call("eglReleaseTexImage");
    if (!surface_of(dpy, handle))
        return EGL_FALSE;
    if (buffer != EGL_BACK_BUFFER)
        return fail(EGL_BAD_PARAMETER, "not a buffer");
    return fail(EGL_BAD_MATCH, "the surface has no texture format");
}

} // namespace api
} // namespace egl
