// SPDX-License-Identifier: MIT
// Flat outputs of geometry stages where GL shows one vertex of a primitive and the host another.
// Host shows the last, GL the first: the last vertex of triangle i of a strip is vertex i + 2 and
// that of no other triangle, so it may carry the flat values of vertex i; in a strip of lines it is
// vertex i + 1. The other way round vertex i waits for the flat values of that later one.
#pragma once

#include <set>

#include "pipe/pipe.h"
#include "spirv/module.h"

namespace drivers_common {

// Whether the fragment stage of a program with strips from a geometry stage can tell which vertex
// provokes. Pure.
bool shows_provoking_vertex(const pipe_shader_archive &archive);
// Makes the flat outputs of the geometry stage `m` late: gl_PrimitiveID, integers, what is
// decorated Flat, and what the archive's fragment stage reads flat. gl_Layer and the viewport stay
// (GL lets the driver choose), as does what has an XfbBuffer decoration. The number of outputs
// that are late now.
unsigned delay_flat_outputs(spirv::module &m, const pipe_shader_archive &archive);
// Makes the geometry stage `m` emit its vertices late, with the flat values of the last vertex of
// the primitive that each begins. What captures take (XfbBuffer) stays with its vertex. Every patch
// that acts at OpEmitVertex has been made. False: it emits to streams, nothing was changed.
bool hold_vertices(spirv::module &m, const pipe_shader_archive &archive);

} // namespace drivers_common
