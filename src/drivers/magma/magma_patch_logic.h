// SPDX-License-Identifier: MIT
// Logic operations in the fragment stage, on what a copy of each target holds.
#pragma once

#include "spirv/module.h"

#include <array>
#include <compare>
#include <cstdint>

namespace magma {

// What the stage has to know of the operation and of the targets. All zero: nothing.
struct logic_code {
    uint8_t on = 0;
    uint8_t op = 0;           // pipe_logic_op
    uint8_t multisampled = 0; // the copies have the targets' samples
    uint8_t layered = 0;      // the copies have layers, of which gl_Layer names one
    // By draw buffer: bits of component c from bit 6 * c on, 0: untouched. 0: takes no part.
    std::array<uint32_t, 8> target = {};
    auto operator<=>(const logic_code &) const = default;
};
constexpr uint32_t logic_signed = 1u << 24, logic_integer = 1u << 25; // of logic_code::target

// Copies of the targets are images in this set, by draw buffer.
constexpr uint32_t logic_set = 2;

// Whether the operation's result depends on what the target holds.
bool logic_reads_target(uint8_t op);

// Computes the operation before each return of the fragment stage.
void lower_logic(spirv::module &m, const logic_code &code);

} // namespace magma
