// SPDX-License-Identifier: MIT
// Entry points that show a surface or move it elsewhere: swaps, the interval, copies to pixmaps.
#include "core.h"
#include "egl_api.h"

#include <algorithm>

namespace egl {

namespace {

// EGL counts damage from the bottom left. What lies within the surface; one empty box where nothing
// does.
std::vector<Rect> damage_rects(const Surface &surface, const EGLint *rects, EGLint count) {
    std::vector<Rect> out;
    const auto within = [](int64_t at, EGLint most) { return std::clamp<int64_t>(at, 0, most); };
    for (EGLint i = 0; i < count; i++) {
        const EGLint *r = rects + i * 4;
        const EGLint left = EGLint(within(r[0], surface.width)),
                     right = EGLint(within(int64_t(r[0]) + r[2], surface.width)),
                     bottom = EGLint(within(r[1], surface.height)),
                     top = EGLint(within(int64_t(r[1]) + r[3], surface.height));
        if (left < right && bottom < top)
            out.push_back({left, surface.height - top, right - left, top - bottom});
    }
    if (count > 0 && out.empty())
        out.push_back({0, 0, 0, 0});
    return out;
}

EGLBoolean swap(Call &call, EGLDisplay dpy, EGLSurface handle, const EGLint *rects, EGLint count) {
    Surface *surface = surface_of(dpy, handle);
    if (!surface)
        return EGL_FALSE;
    if (count < 0 || (count > 0 && !rects))
        return fail(EGL_BAD_PARAMETER, "no damage rectangles", surface);
    const std::vector<Rect> damage = damage_rects(*surface, rects, count);
    const EGLint error = core_swap_buffers(call, surface, damage.data(), EGLint(damage.size()));
    return error == EGL_SUCCESS ? EGL_TRUE : fail_for(error, surface);
}

EGLBoolean copy_to_pixmap(Call &call, Surface *surface, void *native) {
    Context *current = thread().current;
    Display *display = surface->display;
    if (!display->system || !native)
        return fail(EGL_BAD_NATIVE_PIXMAP, "no native pixmap", surface);
    if (surface->user != current)
        return fail(EGL_BAD_ACCESS, "the surface is current on another thread", surface);
    std::unique_ptr<NativeDrawable> pixmap;
    if (!current || current->draw != surface || current->lost || gl_is_lost(current))
        return fail(EGL_BAD_SURFACE, "not the draw surface of this thread's context", surface);
    // The surface is this thread's until it returns.
    const EGLint error = core_open_native(call, display, *surface->config, native, false, pixmap);
    if (error != EGL_SUCCESS)
        return fail(error, "not a pixmap that the config draws to", surface);
    EGLint width = 0, height = 0;
    if (!pixmap->extent(&width, &height))
        return fail(EGL_BAD_NATIVE_PIXMAP, "the pixmap is gone", surface);
    if (width != surface->width || height != surface->height)
        return fail(EGL_BAD_MATCH, "the pixmap has another size", surface);
    call.unlock();
    const bool done = gl_post(current, surface, *pixmap, 0, nullptr, 0);
    call.lock();
    return done ? EGL_TRUE : fail(EGL_BAD_NATIVE_PIXMAP, "the pixmap is gone", surface);
}

} // namespace

namespace api {

EGLBoolean EGLAPIENTRY SwapBuffers(EGLDisplay dpy, EGLSurface surface) {
    Call call("eglSwapBuffers");
    return swap(call, dpy, surface, nullptr, 0);
}

EGLBoolean EGLAPIENTRY SwapBuffersWithDamageKHR(EGLDisplay dpy, EGLSurface surface, EGLint *rects,
                                                EGLint n_rects) {
    Call call("eglSwapBuffersWithDamageKHR");
    return swap(call, dpy, surface, rects, n_rects);
}

EGLBoolean EGLAPIENTRY SwapBuffersWithDamageEXT(EGLDisplay dpy, EGLSurface surface, EGLint *rects,
                                                EGLint n_rects) {
    Call call("eglSwapBuffersWithDamageEXT");
    return swap(call, dpy, surface, rects, n_rects);
}

EGLBoolean EGLAPIENTRY SwapInterval(EGLDisplay dpy, EGLint interval) {
    Call call("eglSwapInterval");
    if (!get_initialized(dpy))
        return EGL_FALSE;
    Context *current = thread().current;
    if (!current)
        return fail(EGL_BAD_CONTEXT, "no context is current");
    if (!current->draw)
        return fail(EGL_BAD_SURFACE, "no surface is current", current);
    core_swap_interval(current->draw, std::max(interval, 0)); // EGL_MIN_SWAP_INTERVAL is 0
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY CopyBuffers(EGLDisplay dpy, EGLSurface handle, EGLNativePixmapType target) {
    Call call("eglCopyBuffers");
    Surface *surface = surface_of(dpy, handle);
    return surface ? copy_to_pixmap(call, surface, to_native(target)) : EGL_FALSE;
}

// EGL_KHR_partial_update: a hint that nothing here has a use for. What the program draws outside of
// the region, which is undefined, is drawn.
EGLBoolean EGLAPIENTRY SetDamageRegionKHR(EGLDisplay dpy, EGLSurface handle, EGLint *rects,
                                          EGLint n_rects) {
    Call call("eglSetDamageRegionKHR");
    Surface *surface = surface_of(dpy, handle);
    if (!surface)
        return EGL_FALSE;
    const Context *current = thread().current;
    if (!current || current->draw != surface)
        return fail(EGL_BAD_MATCH, "not the draw surface of this thread's context", surface);
    if (!surface->is_window() || surface->single_buffered)
        return fail(EGL_BAD_MATCH, "no swap shows the surface", surface);
    if (surface->swap_behavior != EGL_BUFFER_DESTROYED)
        return fail(EGL_BAD_MATCH, "the surface preserves its contents", surface);
    if (!surface->age_asked)
        return fail(EGL_BAD_ACCESS, "the age of the buffer was not asked for", surface);
    if (surface->region_set)
        return fail(EGL_BAD_ACCESS, "the frame has a region already", surface);
    if (n_rects < 0 || (n_rects > 0 && !rects))
        return fail(EGL_BAD_PARAMETER, "no rectangles", surface);
    surface->region_set = true;
    return EGL_TRUE;
}

// No config has EGL_BIND_TO_TEXTURE_RGB(A), which OpenGL contexts have no use for.
EGLBoolean EGLAPIENTRY BindTexImage(EGLDisplay dpy, EGLSurface handle, EGLint buffer) {
    Call call("eglBindTexImage");
    Surface *surface = surface_of(dpy, handle);
    if (!surface)
        return EGL_FALSE;
    if (buffer != EGL_BACK_BUFFER)
        return fail(EGL_BAD_PARAMETER, "not a buffer");
    if (surface->drawable)
        return fail(EGL_BAD_SURFACE, "only pbuffers bind to textures", surface);
    return fail(EGL_BAD_MATCH, "the surface has no texture format");
}

EGLBoolean EGLAPIENTRY ReleaseTexImage(EGLDisplay dpy, EGLSurface handle, EGLint buffer) {
    Call call("eglReleaseTexImage");
    Surface *surface = surface_of(dpy, handle);
    if (!surface)
        return EGL_FALSE;
    if (buffer != EGL_BACK_BUFFER)
        return fail(EGL_BAD_PARAMETER, "not a buffer");
    if (surface->drawable)
        return fail(EGL_BAD_SURFACE, "only pbuffers bind to textures", surface);
    return fail(EGL_BAD_MATCH, "the surface has no texture format");
}

} // namespace api
} // namespace egl
