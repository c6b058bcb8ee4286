// SPDX-License-Identifier: MIT
// Flat outputs of geometry stages where GL shows the first vertex of a primitive and the host the
// last: the last vertex of triangle i of a strip is vertex i + 2 and that of no other triangle, so
// it may carry the flat values of vertex i; in a strip of lines it is vertex i + 1.
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

} // namespace drivers_common
