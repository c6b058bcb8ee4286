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

// A surface of the host for the program's window (`native`: pipe_surface_create::native).
// EGL_NO_SURFACE: refused, said in one log line. `srgb`: what is written is encoded.
EGLSurface native_surface_create(host *h, uint64_t native, bool srgb);

} // namespace espryt
