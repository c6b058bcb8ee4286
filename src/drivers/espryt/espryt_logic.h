// SPDX-License-Identifier: MIT
// Logic operations, which OpenGL ES has none of: the fragment shader computes them with what the
// host's framebuffer fetch gives, or with copies of the targets that are made before each native
// draw. Fixed-point and integer targets take part; floats and what is encoded as sRGB do not.
#pragma once

#include <vector>

#include "espryt_framebuffer.h"
#include "espryt_program.h"

namespace espryt {

// Adds the variant bit of a logic operation. False, reported: the host can do it by copies only,
// and not with these targets.
bool logic_variant(context *ctx, const framebuffer *fb, unsigned *bits);
// The operation and the bits of the targets. The program is in use.
void apply_logic(context *ctx, const framebuffer *fb, host_program *v);

// While a scope lives, native draws of the program are preceded by copies of what it reads. Nothing
// for programs that read none.
struct logic_scope {
    logic_scope(context *c, const program *p, const host_program *v);
    ~logic_scope();
    logic_scope(const logic_scope &) = delete;
    context *ctx;
};
// Makes them; before each native draw call.
void copy_targets(context *ctx);
// Whether a draw must reach the host one primitive at a time, so that each reads what those before
// it wrote. A draw that cannot be cut is drawn at once, logged once.
bool needs_cut(context *ctx, const program *p, const host_program *v, const pipe_draw_vbo *d);

void target_copies_destroy(context *ctx);

} // namespace espryt
