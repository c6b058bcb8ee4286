// SPDX-License-Identifier: MIT
// Fixed-function stages that shaders do where the host has none: their ESSL, as text around the
// main function of a stage. Pure, any thread. The driver feeds the uniforms (espryt_fixed.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace espryt {

// One location of a fragment shader's colour outputs.
struct color_output {
    uint32_t location, index, components;
    char kind;        // 'f', 'i', 'u'
    std::string name; // as an expression
};

// Where the value of the target comes from.
enum class logic_source : uint8_t { none, fetch, copy };

struct lowered_text {
    std::string declarations;
    std::vector<std::string> first, last; // statements of the main function
};

// Logic operations: uniform ivec4 mgp_logic[9], of which row n < 8 says the bits of each component
// of target n (0: leave it alone, negative: signed normalised), and row 8 the operation. Copies of
// the targets are textures from unit `first_unit` on, one per output in the order of `outputs`.
void lower_logic(const std::vector<color_output> &outputs, logic_source source, uint32_t first_unit,
                 lowered_text &out);

// The functions of borders (espryt_border.h): mgp_inside(texel coordinate, size, dimensions, slot)
// says how much of the footprint is inside, mgp_bordered() mixes.
std::string border_functions(uint32_t slots);

// Depth clamping, in the last stage before the rasteriser: what is clipped by depth is moved to
// where nothing is, and the depth goes on in a varying. `position`: the position is captured, as
// mgp_position. The statements stand at the end of a vertex.
void lower_depth_vertex(bool position, lowered_text &out);
// And in the fragment stage, which writes the clamped depth: global mgp_z is what gl_FragCoord.z
// would be. Uniforms vec4 mgp_depth_range {scale, shift, least, most} and mgp_depth_offset {factor,
// units, smallest step or 0 for floats, clamp}.
void lower_depth_fragment(bool writes_depth, lowered_text &out);

// Alpha of the colours becomes one; `coverage`: after it has been turned into a sample mask, and
// with the one that the shader itself writes when `writes_mask`.
void lower_alpha_to_one(const std::vector<color_output> &outputs, bool coverage, bool writes_mask,
                        lowered_text &out);

} // namespace espryt
