// SPDX-License-Identifier: MIT
// Interface variables: the locations that a type takes, and arrays of blocks taken apart.
#pragma once

#include "spirv/module.h"

namespace magma {

// Locations that a value of this type takes, and its 32-bit components.
uint32_t locations_of(const spirv::module &m, spirv::id type, uint32_t &components);

// The first location behind all outputs.
uint32_t free_output_location(const spirv::module &m);

// Arrays of interface blocks: each member of each element becomes a variable of its own, copied
// from or to an array that the stage keeps. For both sides of the rasteriser, which is where hosts
// lose the interpolation qualifiers of such members.
void split_block_arrays(spirv::module &m, spv::StorageClass storage);

} // namespace magma
