// SPDX-License-Identifier: MIT
// Swizzles of views in the shader, for hosts that apply none to borders: the host's view has none,
// what a look-up gives is turned, texel and border alike.
#pragma once

#include "magma_patch_border.h"

namespace magma {

// Whether every look-up of the module can be followed to its slot.
bool can_turn(const spirv::module &m);
// Rewrites the look-ups through the turned samplers of the set; bindings are still the pipe's.
void turn_lookups(spirv::module &m, const border_set &borders);

} // namespace magma
