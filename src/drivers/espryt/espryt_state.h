// SPDX-License-Identifier: MIT
// Pushed state on its way to the host: what a verb needs is applied here, through the shadow.
#pragma once

#include "espryt_framebuffer.h"
#include "espryt_program.h"

namespace espryt {

// The whole pipeline and dynamic state of a draw. `mode`: pipe_prim.
void apply_render_state(context *ctx, const framebuffer *fb);
// What clears and blits obey: masks, scissor, discard, sRGB write control.
void apply_clear_state(context *ctx, const framebuffer *fb);
// The draw buffers whose colours are decoded first, since the host encodes them although GL does
// not: sRGB targets while sRGB writes are off.
uint8_t decoded_targets(context *ctx, const framebuffer *fb);
// The colour mask of one draw buffer, on a host that masks all alike.
void apply_clear_mask(context *ctx, unsigned output);
// Blending and masks of all draw buffers at once.
void set_all_targets(context *ctx, const pipe_rt_blend &b);
void apply_vertex_state(context *ctx, uint32_t first_instance_of_attribs);
// Textures, images and buffers of a program's slots.
void apply_resources(context *ctx, program *p);
// False, reported: no memory.
bool apply_globals(context *ctx, program *p);
// Levels of what the sampler slots read, for programs that ask. The program is in use.
void apply_levels(context *ctx, const program *p, host_program *v);
// The sampler of a unit, else that of the texture which is bound there.
sampler *bound_sampler(context *ctx, const resource *r, unsigned unit);
// Whether a sampler slot of the program reads through a sampler with a bias; the biases themselves.
bool reads_biased(context *ctx, const program *p);
void apply_bias(context *ctx, const program *p, host_program *v);
// The program or the vertex layout reads a resource that the host refused to make.
bool reads_bad(context *ctx, const program *p);

GLenum blend_factor_of(uint8_t f);
GLenum equation_of(uint8_t e);
GLenum stencil_op_of(uint8_t o);

} // namespace espryt
