// SPDX-License-Identifier: MIT
// Which context and surfaces are current on a thread, and the waits of eglWait*. A context is
// current on one thread at most; so is a surface, with one context.
#include "core.h"
#include "egl_api.h"

#include "util/log.h"

namespace egl {

namespace {

// A surface that is drawn to and read from counts once.
template <class F> void each(Surface *draw, Surface *read, F &&f) {
    if (draw)
        f(draw);
    if (read && read != draw)
        f(read);
}

void take(Context *context, Surface *draw, Surface *read) {
    each(draw, read, [context](Surface *surface) {
        surface->users++;
        surface->user = context;
    });
}

void leave(Context *context, Surface *draw, Surface *read) {
    each(draw, read, [context](Surface *surface) {
        surface->users--;
        if (surface->user == context)
            surface->user = nullptr;
    });
}

// `context` is no longer current: it lets go of its surfaces, and what was destroyed meanwhile is
// freed.
void detach(Context *context) {
    Surface *draw = context->draw, *read = context->read;
    context->draw = context->read = nullptr;
    context->current = false;
    leave(context, draw, read);
    each(draw, read, [](Surface *surface) { reap(surface); });
    reap(context);
}

// Whether this thread may bind the surface to `context`.
bool surface_free(const Surface *surface, const Context *context) {
    return !surface || surface->shared || !surface->user || surface->user == thread().current ||
           surface->user == context;
}

EGLint check_bind(const Context *context, const Surface *draw, const Surface *read) {
    if (context->current && context != thread().current)
        return because(EGL_BAD_ACCESS, "the context is current on another thread");
    if (!surface_free(draw, context) || !surface_free(read, context))
        return because(EGL_BAD_ACCESS, "the surface is current on another thread");
    for (const Surface *surface : {draw, read})
        if (surface && !configs_compatible(context->config, *surface->config))
            return because(EGL_BAD_MATCH, "the surface does not fit the context's config");
    if (context->lost || gl_is_lost(context))
        return because(EGL_CONTEXT_LOST, "the context is lost");
    return EGL_SUCCESS;
}

// Checked before: makes it so. Context and surfaces are this thread's before the driver hears of
// it, with the lock free.
EGLint bind(Lock &lock, Context *context, Surface *draw, Surface *read) {
    Thread &t = thread();
    Context *previous = t.current;
    Surface *old_draw = context->draw, *old_read = context->read;
    if (previous == context && old_draw == draw && old_read == read)
        return EGL_SUCCESS;
    const bool lost = previous && previous != context && (previous->lost || gl_is_lost(previous));
    take(context, draw, read);
    context->draw = draw;
    context->read = read;
    context->current = true;
    if (lost)
        release_current(lock), previous = nullptr;
    EGLint error;
    {
        const Changing unlocked(lock, draw, read);
        error = gl_make_current(context);
    }
    if (error != EGL_SUCCESS) {
        context->draw = old_draw;
        context->read = old_read;
        context->current = previous == context;
        leave(context, draw, read);
        each(old_draw, old_read, [context](Surface *surface) { surface->user = context; });
        each(draw, read, [](Surface *surface) { reap(surface); });
        reap(context);
        return because(error, "the driver cannot make the context current");
    }
    leave(context, old_draw, old_read);
    each(draw, read, [context](Surface *surface) { surface->user = context; });
    if (previous && previous != context)
        detach(previous);
    each(old_draw, old_read, [](Surface *surface) { reap(surface); });
    t.current = context;
    return EGL_SUCCESS;
}

} // namespace

EGLint core_make_current(Lock &lock, Context *context, Surface *draw, Surface *read) {
    if (!context) {
        release_current(lock);
        return EGL_SUCCESS;
    }
    EGLint error = check_bind(context, draw, read);
    if (error != EGL_SUCCESS)
        return error;
    const Hold hold_draw(draw), hold_read(read);
    Display *display = context->display;
    for (Surface *surface : {draw, read})
        if (surface)
            core_surface_update(lock, surface);
    const auto changing = [](Surface *surface) { return surface && surface->changing; };
    settle(lock, [&] { return !changing(draw) && !changing(read); });
    // Others had their turn meanwhile.
    if (!display->contexts.count(context) && context != thread().current)
        return because(EGL_BAD_CONTEXT, "the context was destroyed meanwhile");
    error = check_bind(context, draw, read);
    return error == EGL_SUCCESS ? bind(lock, context, draw, read) : error;
}

Context *core_current() {
    return thread().current;
}

void release_current(Lock &lock) {
    Thread &t = thread();
    Context *context = t.current;
    if (!context)
        return;
    if (context->lost || gl_is_lost(context)) {
        gl_forget();
    } else {
        lock.unlock(); // it is this thread's until it returns
        gl_release();
        lock.lock();
    }
    t.current = nullptr;
    detach(context);
}

namespace {

// The error of a surface whose window or pixmap the program has destroyed; EGL_SUCCESS.
EGLint check_native(Lock &lock, Surface *surface) {
    if (!surface)
        return EGL_SUCCESS;
    const Hold hold(surface);
    core_surface_update(lock, surface);
    if (!surface->gone)
        return EGL_SUCCESS;
    return surface->is_window() ? because(EGL_BAD_NATIVE_WINDOW, "the surface's window is gone")
                                : because(EGL_BAD_NATIVE_PIXMAP, "the surface's pixmap is gone");
}

} // namespace

namespace api {

EGLBoolean EGLAPIENTRY MakeCurrent(EGLDisplay dpy, EGLSurface draw, EGLSurface read,
                                   EGLContext ctx) {
    Call call("eglMakeCurrent");
    Display *display = get_display(dpy);
    if (!display)
        return EGL_FALSE;
    if (ctx == EGL_NO_CONTEXT) {
        if (draw != EGL_NO_SURFACE || read != EGL_NO_SURFACE)
            return fail(EGL_BAD_MATCH, "a surface without a context", display);
        release_current(call);
        return EGL_TRUE;
    }
    if (!get_initialized(dpy))
        return EGL_FALSE;
    Context *context = display->find_context(ctx);
    if (!context)
        return fail(EGL_BAD_CONTEXT, "not a context of the display", display);
    if ((draw == EGL_NO_SURFACE) != (read == EGL_NO_SURFACE))
        return fail(EGL_BAD_MATCH, "one surface without the other", context);
    Surface *draw_surface = display->find_surface(draw),
            *read_surface = display->find_surface(read);
    if (draw != EGL_NO_SURFACE && (!draw_surface || !read_surface))
        return fail(EGL_BAD_SURFACE, "not a surface of the display", context);
    const Hold hold_draw(draw_surface), hold_read(read_surface);
    for (Surface *surface : {draw_surface, read_surface})
        if (const EGLint error = check_native(call, surface); error != EGL_SUCCESS)
            return fail_for(error, surface);
    if (!display->find_context(ctx)) // others had their turn meanwhile
        return fail(EGL_BAD_CONTEXT, "the context was destroyed meanwhile", display);
    const EGLint error = core_make_current(call, context, draw_surface, read_surface);
    return error == EGL_SUCCESS ? EGL_TRUE : fail_for(error, display);
}

EGLContext EGLAPIENTRY GetCurrentContext() {
    Call call("eglGetCurrentContext");
    return thread().current;
}

EGLDisplay EGLAPIENTRY GetCurrentDisplay() {
    Call call("eglGetCurrentDisplay");
    Context *current = thread().current;
    return current ? current->display : EGL_NO_DISPLAY;
}

EGLSurface EGLAPIENTRY GetCurrentSurface(EGLint readdraw) {
    Call call("eglGetCurrentSurface");
    Context *current = thread().current;
    if (readdraw != EGL_DRAW && readdraw != EGL_READ) {
        fail(EGL_BAD_PARAMETER, "neither EGL_DRAW nor EGL_READ");
        return EGL_NO_SURFACE;
    }
    if (!current)
        return EGL_NO_SURFACE;
    return readdraw == EGL_DRAW ? current->draw : current->read;
}

EGLBoolean EGLAPIENTRY ReleaseThread() {
    Call call("eglReleaseThread");
    release_current(call);
    Thread &t = thread();
    t.api = 0;
    t.label = nullptr;
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY WaitClient() {
    Call call("eglWaitClient");
    Context *current = thread().current;
    if (!current)
        return EGL_TRUE;
    if (current->lost || gl_is_lost(current))
        return fail(EGL_CONTEXT_LOST, "the context is lost", current);
    if (current->draw && check_native(call, current->draw) != EGL_SUCCESS)
        return fail(EGL_BAD_CURRENT_SURFACE, "the surface's window is gone", current->draw);
    call.unlock(); // the current context is this thread's until it returns
    gl_finish(current);
    call.lock();
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY WaitGL() {
    return WaitClient();
}

EGLBoolean EGLAPIENTRY WaitNative(EGLint engine) {
    Call call("eglWaitNative");
    if (engine != EGL_CORE_NATIVE_ENGINE)
        return fail(EGL_BAD_PARAMETER, "not a native engine");
    Context *current = thread().current;
    if (!current || !current->draw || !current->display->system)
        return EGL_TRUE; // no native rendering reaches a pbuffer
    if (current->draw->gone)
        return fail(EGL_BAD_CURRENT_SURFACE, "the surface's window is gone", current->draw);
    const std::shared_ptr<Platform> system = current->display->system;
    call.unlock();
    system->wait_native();
    call.lock();
    return EGL_TRUE;
}

} // namespace api
} // namespace egl
