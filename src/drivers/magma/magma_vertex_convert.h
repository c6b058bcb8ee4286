// SPDX-License-Identifier: MIT
// Vertex arrays that the host cannot fetch where and as they are: component types without a host
// format, addresses that are not multiples of the component, divisors.
#pragma once

#include "magma_pipeline.h"
#include "magma_state.h"

namespace magma {

constexpr uint8_t converted_slots = 0x80; // of vertex_input::slots

// How an array comes to the host.
struct array_plan {
    VkFormat format = VK_FORMAT_UNDEFINED; // that the host fetches
    bool moved = false;                    // copied, each element to an aligned place
    bool converted = false;                // components made wider: `format` has four of 32 bit
    uint32_t repeat = 1;                   // copies of each element in place of a divisor
    bool direct() const { return !moved && !converted && repeat == 1; }
};

// `format` is the host's for this element, or undefined where it has none.
array_plan plan_array(const context &c, const vertex_elements &layout, const pipe_vertex_element &e,
                      VkFormat format);

// Adds the array as `plan` says to `in`; reads its buffer back, which submits the open batch.
// False: the attribute reads its current value.
bool convert_array(context &c, vertex_input &in, const vertex_elements &layout,
                   const pipe_vertex_element &e, const array_plan &plan);

} // namespace magma
