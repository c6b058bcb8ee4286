// SPDX-License-Identifier: MIT
// Border colours in the shader, for hosts without VK_EXT_custom_border_color: the host repeats the
// edge, the shader mixes with the border by how much of the filter lies inside the texture.
#pragma once

#include "spirv/module.h"

#include <cstdint>
#include <vector>

namespace magma {

// A sampler whose border the host cannot have: a colour of its own, or one behind a swizzle.
struct border_sampler {
    uint32_t slot = 0;      // of the class, element of an array included
    uint8_t wrap = 0;       // bit per dimension that has a border
    uint8_t mag_linear = 0; // filters
    uint8_t min_linear = 0;
    uint8_t mip = 0;     // pipe_tex_mip
    uint8_t compare = 0; // 1 + pipe_compare_func; 0: none
    uint8_t turned = 0;  // the shader swizzles only; of the rest, just `swizzle` counts
    uint8_t pad[2] = {};
    uint8_t swizzle[4] = {}; // VkComponentSwizzle by component
    float lod_bias = 0, min_lod = 0, max_lod = 0;
    uint32_t color[4] = {}; // behind the view's swizzle, in the texture's value class
};
using border_set = std::vector<border_sampler>;

// Rewrites the look-ups through those of the samplers that are not turned; bindings are still the
// pipe's. False: one of them is reached in a way that cannot be followed (a sampler in a parameter,
// an index that varies).
bool lower_borders(spirv::module &m, const border_set &borders);

} // namespace magma
