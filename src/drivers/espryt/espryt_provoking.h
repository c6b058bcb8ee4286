// SPDX-License-Identifier: MIT
// GL_FIRST_VERTEX_CONVENTION on a host that has only the last-vertex one, and polygons as lines or
// points on a host that only fills them: both draw lists of indices.
#pragma once

#include "espryt_framebuffer.h"
#include "espryt_program.h"
#include "espryt_resource.h"

#include <vector>

namespace espryt {

// Vertices of a primitive of the list that a mode becomes; 0: patches and adjacency.
unsigned list_size(uint8_t mode);
// Appends one range as 32-bit indices of such a list, base vertex added.
void append_list(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range &r,
                 const pipe_host_span *span, bool provoking_first, std::vector<uint32_t> &out);
// Whether the draw would show the host's convention: flat inputs, no geometry stage, direct draws.
bool needs_first_vertex(context *ctx, const program *twin, const pipe_draw_vbo *p);
// The same behind a geometry stage whose flat values can be seen: they come late then.
bool delays_flat(context *ctx, const program *twin);
// Appends 32-bit indices of all ranges, base vertices added; returns the list primitive.
uint8_t first_vertex_list(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                          const pipe_host_span *span, std::vector<uint32_t> &out);
// Primitives of `n` vertices that follow each other.
uint64_t primitives_in(uint8_t mode, uint64_t n);
// The same of a range of indices with restarts.
uint64_t restarted_primitives(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range &r,
                              const pipe_host_span *span);
// Whether a draw rasterises polygons.
bool emits_polygons(const program *p, const pipe_draw_vbo *d);
// How polygons are shown as lines or points where the host has no polygon mode: by lists of indices
// or by a geometry stage (espryt_outline.h).
enum class outline { none, list, stage };
outline outline_of(context *ctx, const program *twin, const pipe_draw_vbo *p);
// The variant bits of the stage, and its uniforms. The program is in use.
unsigned outline_variant(context *ctx);
void apply_outline(context *ctx, const framebuffer *fb, host_program *v, const pipe_draw_vbo *p);
// The primitive of the list: PIPE_PRIM_LINES or PIPE_PRIM_POINTS.
uint8_t outline_mode(context *ctx);
// Appends the edges or corners of all ranges, base vertices added.
void outline_list(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                  const pipe_host_span *span, std::vector<uint32_t> &out);

} // namespace espryt
