// SPDX-License-Identifier: MIT
// Surfaces as EGL and GLX share them: creation, the extent of windows, what a swap does.
#include "core.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace egl {

void reap(Surface *surface) {
    if (!surface->destroyed || surface->users || surface->holds)
        return;
    if (surface->drawable)
        surface->drawable->let_go();
    surface->next_ending = std::exchange(thread().ending_surfaces, surface);
}

namespace {

void end(Surface *surface) {
    surface_release(surface);
    {
        const std::lock_guard lock(state().mutex);
        surface->drawable.reset();
    }
    delete surface;
}

void end(Context *context) {
    gl_destroy(context);
    delete context;
}

} // namespace

void Lock::unlock() {
    Thread &t = thread();
    Context *context = std::exchange(t.ending_contexts, nullptr);
    Surface *surface = std::exchange(t.ending_surfaces, nullptr);
    held_ = false;
    state().mutex.unlock();
    while (context)
        end(std::exchange(context, context->next_ending));
    while (surface)
        end(std::exchange(surface, surface->next_ending));
}

Changing::Changing(Lock &lock, Surface *a, Surface *b) : lock_(lock), surfaces_{a, b} {
    for (Surface *surface : surfaces_)
        if (surface)
            surface->changing = true;
    lock_.unlock();
}

Changing::~Changing() {
    lock_.lock();
    for (Surface *surface : surfaces_)
        if (surface)
            surface->changing = false;
    state().settled->notify_all();
}

namespace {

EGLint check_surface(const Config &config, const SurfaceWish &wish) {
    const bool bytes = config.color == Color::rgba8 || config.color == Color::rgbx8;
    if (wish.srgb && !bytes)
        return because(EGL_BAD_MATCH, "only 8-bit colour buffers can be sRGB");
    if (!wish.drawable && !wish.largest && std::max(wish.width, wish.height) > config.max_pbuffer)
        return because(EGL_BAD_ALLOC, "larger than EGL_MAX_PBUFFER_WIDTH or _HEIGHT");
    return EGL_SUCCESS;
}

// A window may be larger than what the driver can draw to.
void fit(Surface &surface, EGLint width, EGLint height) {
    surface.width = std::clamp(width, 1, surface.config->max_pbuffer);
    surface.height = std::clamp(height, 1, surface.config->max_pbuffer);
}

// For NativeDrawable::watch.
void surface_moved(void *data) {
    Lock lock;
    auto *surface = static_cast<Surface *>(data);
    for (const auto *displays : {&state().displays, &state().other_displays})
        for (Display *display : *displays)
            if (display->surfaces.count(surface))
                return core_surface_update(lock, surface);
}

} // namespace

EGLint core_open_native(Lock &lock, Display *display, const Config &config, void *native,
                        bool window, std::unique_ptr<NativeDrawable> &out) {
    const std::shared_ptr<Platform> system = display->system; // the display may be terminated
    if (!system)
        return EGL_BAD_ALLOC; // a forked child that the window system does not let in
    lock.unlock();
    const EGLint error = window ? system->open_window(native, config, out)
                                : system->open_pixmap(native, config, out);
    lock.lock();
    return error == EGL_SUCCESS && !display->initialized ? EGL_NOT_INITIALIZED : error;
}

EGLint core_surface_create(Display *display, const Config *config, const SurfaceWish &wish,
                           Surface *&out) {
    const EGLint error = check_surface(*config, wish);
    if (error != EGL_SUCCESS)
        return error;
    EGLint width = wish.width, height = wish.height;
    if (wish.drawable && !wish.drawable->extent(&width, &height))
        return wish.drawable->is_window() ? because(EGL_BAD_NATIVE_WINDOW, "the window is gone")
                                          : because(EGL_BAD_NATIVE_PIXMAP, "the pixmap is gone");
    auto made = std::make_unique<Surface>(); // until the display has it
    Surface *surface = made.get();
    surface->display = display;
    surface->config = config;
    surface->colorspace = wish.srgb ? EGL_GL_COLORSPACE_SRGB : EGL_GL_COLORSPACE_LINEAR;
    surface->largest = wish.largest;
    surface->shared = wish.shared;
    surface->width = std::min(width, config->max_pbuffer);
    surface->height = std::min(height, config->max_pbuffer);
    if (wish.drawable) {
        surface->drawable.reset(wish.drawable);
        surface->drawable->watch(surface_moved, surface);
        surface->drawable->set_opaque(wish.opaque);
        surface->opaque = wish.opaque;
        surface->single_buffered = wish.single_buffered || !wish.drawable->is_window();
        fit(*surface, width, height);
    }
    display->surfaces.insert(surface);
    out = made.release();
    return EGL_SUCCESS;
}

void core_surface_destroy(Surface *surface) {
    surface->display->surfaces.erase(surface);
    surface->destroyed = true;
    reap(surface);
}

void core_surface_update(Lock &lock, Surface *surface) {
    EGLint width, height;
    const Hold hold(surface);
    settle(lock, [surface] { return !surface->changing; });
    // The thread that draws to it does it; buffers do not change under its feet.
    Context *mine = thread().current;
    if (!surface->user && mine && (mine->draw == surface || mine->read == surface))
        surface->user = mine; // the latest of several has let go of it
    if (!surface->drawable || surface->gone || (surface->users && (!mine || surface->user != mine)))
        return;
    if (!surface->drawable->extent(&width, &height)) {
        surface->gone = true;
        return;
    }
    const EGLint old_width = surface->width, old_height = surface->height;
    fit(*surface, width, height);
    if (surface->width == old_width && surface->height == old_height)
        return;
    surface->age = 0;
    const Changing unlocked(lock, surface);
    surface_resized(surface);
}

bool core_surface_sync(Lock &lock, Surface *surface) {
    const Hold hold(surface);
    NativeDrawable *drawable = surface->drawable.get(); // null: a forked child's
    EGLint width, height;
    if (!drawable || surface->gone)
        return false;
    lock.unlock();
    drawable->sync();
    lock.lock();
    return drawable->extent(&width, &height);
}

bool core_surface_fetch(Lock &lock, Surface *surface, std::vector<uint8_t> &pixels, EGLint *width,
                        EGLint *height) {
    const Hold hold(surface);
    NativeDrawable *drawable = surface->drawable.get(); // null: a forked child's
    if (!drawable)
        return false;
    lock.unlock();
    const bool done = drawable->fetch(pixels, width, height);
    lock.lock();
    return done;
}

EGLint core_swap_buffers(Lock &lock, Surface *surface, const Rect *damage, EGLint num_rects) {
    Context *current = thread().current;
    if (!current || current->draw != surface)
        return because(EGL_BAD_SURFACE, "not the draw surface of this thread's context");
    if (current->lost || gl_is_lost(current))
        return because(EGL_CONTEXT_LOST, "the context is lost");
    EGLint width, height;
    if (surface->drawable && !surface->gone)
        surface->gone = !surface->drawable->extent(&width, &height);
    const bool shows = surface->is_window() && !surface->single_buffered && !surface->gone;
    // The surface is this thread's until it returns.
    lock.unlock();
    bool alive = true;
    if (shows)
        alive = gl_swap(current, surface, damage, num_rects);
    else
        gl_end_frame(current); // shows what has only one buffer; a pbuffer's contents simply stay
    lock.lock();
    if (gl_is_lost(current)) // before the caller draws another frame into nothing
        return because(EGL_CONTEXT_LOST, "the context is lost");
    surface->gone = surface->gone || !alive;
    if (shows)
        surface->age = 1;
    surface->age_asked = surface->region_set = false;
    core_surface_update(lock, surface);
    if (surface->gone)
        return surface->is_window() ? because(EGL_BAD_NATIVE_WINDOW, "the window is gone")
                                    : because(EGL_BAD_NATIVE_PIXMAP, "the pixmap is gone");
    return EGL_SUCCESS;
}

void core_swap_interval(Surface *surface, EGLint interval) {
    const EGLint most = surface->config->surfaces & EGL_WINDOW_BIT ? max_swap_interval : 1;
    surface->interval = std::clamp(interval, -most, most);
}

EGLint core_buffer_age(Surface *surface) {
    return surface->age;
}

} // namespace egl
