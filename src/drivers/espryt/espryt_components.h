// SPDX-License-Identifier: MIT
// The language has no components of locations (GL 4.6 section 11.1.1, GLSL 4.60 section 4.4.1):
// vertex attributes that share a location become one vector, fragment outputs that do another.
#pragma once

#include <cstdint>
#include <vector>

#include "pipe/pipe.h"

namespace espryt {

// Rewrites the inputs of a vertex stage and the outputs of a fragment stage. Pure; a module that
// does not parse is left alone, and so is a location that values of different kinds share.
void pack_components(const pipe_archive_stage &stage, std::vector<uint32_t> &words);

} // namespace espryt
