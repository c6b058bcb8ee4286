// SPDX-License-Identifier: MIT
// Image patches: Vulkan has no rectangle textures.
#pragma once

#include "spirv/module.h"

namespace magma {

// Turns rectangle images into 2D ones; coordinates in texels are divided by the size where they are
// normalised in 2D.
void patch_rectangles(spirv::module &m);

} // namespace magma
