// SPDX-License-Identifier: MIT
// Shader images: from an image unit to a host view. Views belong to the resource, so that binding
// another image makes none that has been there before.
#pragma once

#include "magma_program.h"
#include "magma_state.h"

namespace magma {

// Gives the unit a view as the binding declares it; false when there can be none.
bool ready_image(context &c, image_slot &i, const program_binding &b);

} // namespace magma
