// SPDX-License-Identifier: MIT
// A window of the program as the host shows it. One per window and host, whoever draws to it: two
// share groups, EGL and GLX. Present runs on one lane at a time (the surface is current on one).
#pragma once

#include "drivers_common/pacing.h"
#include "espryt_context.h"
#include "espryt_framebuffer.h"

namespace espryt {

struct native_window;

struct window {
    espryt::host *host = nullptr;
    uint64_t native = 0;
    EGLSurface surface = EGL_NO_SURFACE;
    native_window *own = nullptr;
    unsigned users = 0; // surfaces, under the registry's lock
    bool dead = false;  // frames are dropped
    bool paced = false; // `interval` has been handed to the host
    int32_t interval = 0;
    int32_t most = 1; // the host's longest interval; what is longer is waited for here
    drivers_common::pacer pacer;
    // For the damage of a frame: what the last shown one was, and how rows of the back buffer lie
    // in the host's.
    uint64_t shown = 0; // hash of surface and extents; 0: none, or one was dropped since
    int rows_up = 0;
    std::vector<EGLint> damage; // of the frame that is shown, in the host's rows
    GLsync queued[2] = {};      // of the last frames, the older one first
    resolved_buffer resolved;   // of multisampled surfaces
};

// Copies the back buffer to a texture that others see, the top row first; the host is done with it
// on return.
void surface_copy(context *ctx, surface *s, resource *to);

// Null: the host does not show it.
window *window_open(host *h, uint64_t native, uint32_t color_format, bool srgb);
// With a context of the host current.
void window_close(window *w, const gles *gl);

// Shows the back buffer; drops the frame, with one log line, when that cannot be. The boxes, in
// GL's rows, hold all that differs from the frame before; none: everything may.
void window_present(context *ctx, window *w, const surface *s, int32_t interval,
                    const pipe_scissor *damage, uint32_t num_rects);
// Before another surface is drawn to: the window is left to other lanes.
void window_leave(context *ctx, const window *next);

} // namespace espryt
