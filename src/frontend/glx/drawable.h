// SPDX-License-Identifier: MIT
// Drawables that entry points name by an X id. With the lock held.
#pragma once

#include "state.h"

namespace glx {

// The drawable of `id` for a context made with `config` (null: with any): one the program made, or
// a plain window, which becomes a drawable when it is first drawn to. Null with the error set.
Drawable *drawable_for(Call &call, Screen *screen, GLXDrawable id, const FBConfig *config);

// The X error for one of EGL's; `id` is what it is about. Always false.
bool fail_drawable(Call &call, EGLint error, XID id);

// A buffer that no swap moves: single-buffered windows, and pixmaps.
bool is_single(const Drawable &drawable);

// What GLX_EXT_swap_control allows.
constexpr int max_interval = egl::max_swap_interval;
void set_interval(Drawable &drawable, int interval);

} // namespace glx
