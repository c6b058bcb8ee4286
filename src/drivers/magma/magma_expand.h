// SPDX-License-Identifier: MIT
// Points, lines and unfilled polygons for hosts without large points, wide lines or polygon modes:
// a geometry stage, made from the outputs of the vertex stage, draws quads, edges or corners
// instead.
#pragma once

#include "magma_vk.h"

#include <cstdint>

namespace magma {

struct context;
struct host_device;
struct program;

// What is drawn instead of a primitive. All zero: nothing, the host draws it.
struct expansion {
    uint8_t from = 0;      // vertices of a primitive: 1 to 3
    uint8_t corners = 0;   // points come out of it, else lines
    uint8_t quads = 0;     // each of these as a quad
    uint8_t last = 0;      // the last vertex provokes
    uint8_t cull = 0;      // VkCullModeFlags of the polygon
    uint8_t front_ccw = 0; // of the polygon
    uint8_t square = 0;    // lines are rectangles, as multisampling wants them
    explicit operator bool() const { return from != 0; }
    uint32_t bits() const {
        return uint32_t(from | corners << 2 | quads << 3 | last << 4 | cull << 5 | front_ccw << 7 |
                        square << 8);
    }
};

// For draws of `topology` with what is bound in the open pass; counts its emulations.
expansion expansion_for(const context &c, VkPrimitiveTopology topology);

// The geometry stage, under the program's mutex; null when it cannot be made (logged once). Sets
// program::point_coord where points become quads, program::front_face of polygons.
VkShaderModule expansion_module(host_device &dev, program &p, const expansion &e);

// The size that quads reach, in pixels.
constexpr float max_quad_size = 64.0f;

} // namespace magma
