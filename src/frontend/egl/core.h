// SPDX-License-Identifier: MIT
// EGL's objects as GLX uses them: values in, an EGL error out, no attribute lists and no thread
// error. GLX has displays of its own (one per X screen), so nothing an EGL program does to an
// EGLDisplay, eglTerminate included, touches GLX's objects; the current context of a thread is one
// for both. Called with EGL's lock held (egl::Call or egl::Lock); a function that takes it leaves
// it while somebody outside is waited for.
#pragma once

#include "gl_binding.h"
#include "platform.h"
#include "state.h"

namespace egl {

// A display that no EGL entry point finds; initialised. Of the X server of that name: it belongs to
// no connection of the program, whose requests the caller sends off before a drawable is opened.
// Null with *error set: no driver, no display.
Display *core_open_x11(Lock &lock, const char *name, int screen, EGLint *error);
// In a forked child such a display is closed: opens it again, its configs stay. False with *error
// set; true at once where it is open.
bool core_reopen(Lock &lock, Display &display, EGLint *error);

struct SurfaceWish {
    NativeDrawable *drawable = nullptr; // taken over on success; null: a pbuffer
    EGLint width = 0, height = 0;       // of a pbuffer
    bool largest = false;
    bool srgb = false;
    bool single_buffered = false; // what is drawn is shown at a flush
    bool opaque = false;          // alpha is not shown
    bool shared = false;          // several threads may have it current at once
};

// A window or pixmap of the program (Platform::open_window) for a surface.
EGLint core_open_native(Lock &lock, Display *display, const Config &config, void *native,
                        bool window, std::unique_ptr<NativeDrawable> &out);
EGLint core_surface_create(Display *display, const Config *config, const SurfaceWish &wish,
                           Surface *&out);
void core_surface_destroy(Surface *surface);

// Whether OpenGL ever had this version.
bool version_exists(EGLint major, EGLint minor);
EGLint core_context_create(Lock &lock, Display *display, const Config *config, Context *share,
                           const ContextAttribs &attribs, Context *&out);
void core_context_destroy(Context *context);

// On this thread; a null context releases (both surfaces null then). Both surfaces null with a
// context: surfaceless.
EGLint core_make_current(Lock &lock, Context *context, Surface *draw, Surface *read);
Context *core_current(); // of this thread, whoever made it current; null

// Shows the draw surface of this thread's context. Leaves the lock while the driver works.
// EGL_BAD_NATIVE_WINDOW: it is gone.
EGLint core_swap_buffers(Lock &lock, Surface *surface, const Rect *damage, EGLint num_rects);
// From the next swap on; negative: late swaps tear (adaptive).
void core_swap_interval(Surface *surface, EGLint interval);
// Frames since the back buffer was drawn; 0: undefined contents. See EGL_EXT_buffer_age.
EGLint core_buffer_age(Surface *surface);
// New extent, if the window has changed; the surface's width and height are right afterwards.
void core_surface_update(Lock &lock, Surface *surface);
// Waits for the window system. False: the surface's window or pixmap is gone.
bool core_surface_sync(Lock &lock, Surface *surface);
// What it shows (NativeDrawable::fetch). False: likewise, or a pbuffer.
bool core_surface_fetch(Lock &lock, Surface *surface, std::vector<uint8_t> &pixels, EGLint *width,
                        EGLint *height);

} // namespace egl
