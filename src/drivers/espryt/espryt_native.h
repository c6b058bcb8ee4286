// SPDX-License-Identifier: MIT
// The window systems below the host: connections of our own, and what a native window is to the
// host's EGL. Thread-safe.
#pragma once

#include "espryt_host.h"

namespace espryt {

// The host's display on the window system of `h` (its platform, name and token are set); opens
// h->native. EGL_NO_DISPLAY: the window system cannot be reached, or the host does not know it.
EGLDisplay native_host_display(host *h, EGLDisplay (*get_display)(EGLenum platform, void *native,
                                                                  const EGLAttrib *attribs));
void native_host_close(host *h);
// Takes what the window system has sent. False once it has hung up: no call that reaches it may
// follow.
bool native_host_alive(const host *h);

// What the host's EGL takes for a window of Wayland; null on X11, where it is the window itself.
struct native_window;

// A surface of the host for the program's window (`native`: pipe_surface_create::native), which
// holds pixels of `color_format`. EGL_NO_SURFACE: refused, said in one log line. `srgb`: what is
// written is encoded.
EGLSurface native_surface_create(host *h, uint64_t native, uint32_t color_format, bool srgb,
                                 native_window **window);
// EGL_MAX_SWAP_INTERVAL of the surface's config: the host makes no more of a longer interval.
int32_t native_longest_interval(host *h, EGLSurface surface);
// The extent of the next frame; windows of X11 have their own.
void native_window_fit(native_window *window, uint32_t width, uint32_t height);
// After its surface.
void native_window_destroy(native_window *window);

} // namespace espryt
