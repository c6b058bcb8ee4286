// SPDX-License-Identifier: MIT
// Alpha to one in the fragment shader.
#pragma once

#include "spirv/module.h"

namespace magma {

// Replaces the alpha of every four-component float output by 1 where main returns. With `samples`
// the alpha of output 0 first decides how many of so many samples are covered.
void replace_alpha(spirv::module &m, uint32_t samples);

} // namespace magma
