// SPDX-License-Identifier: MIT
// The language has no varyings that are arrays of structs, or structs of arrays or of structs: such
// a variable becomes one plain variable per leaf, by location, on both sides of the interface.
#pragma once

#include <cstdint>
#include <vector>

#include "pipe/pipe.h"

namespace espryt {

// Rewrites the module of one stage. `all`: structs that the language has, too. The number of
// variables that were taken apart. Pure; a module that does not parse is left alone.
unsigned flatten_varyings(const pipe_archive_stage &stage, bool all, std::vector<uint32_t> &words);

// Makes the flat outputs of a geometry stage late: drivers_common/delay_flat.h.
void delay_flat_outputs(const pipe_shader_archive &archive, std::vector<uint32_t> &words);

} // namespace espryt
