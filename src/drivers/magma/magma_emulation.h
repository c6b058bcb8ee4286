// SPDX-License-Identifier: MIT
// What this driver does in place of a host that cannot; see drivers_common/emulation.h.
#pragma once

#include "drivers_common/emulation.h"

namespace magma {

struct host_device;

#define MAGMA_EMULATIONS(X)                                                                        \
    X(line_loop, "line-loop", "loops drawn as lists of lines: Vulkan has no loops")                \
    X(triangle_fan, "triangle-fan", "fans drawn as lists because the host has no fans")            \
    X(index_uint8, "index-uint8", "8-bit indices widened because the host has none")               \
    X(restart_index, "restart-index",                                                              \
      "indices rewritten because Vulkan restarts at the largest index only")                       \
    X(restart_list, "restart-list", "indices rewritten because the host restarts strips only")     \
    X(provoking_vertex, "provoking-vertex",                                                        \
      "primitives turned because the first vertex provokes on the host")                           \
    X(hold_vertices, "hold-vertices",                                                              \
      "vertices of a geometry stage wait for flat values, because the first one provokes there")   \
    X(pass_control, "pass-control",                                                                \
      "a control stage made for programs that tessellate without one, which Vulkan does not")      \
    X(multi_draw_loop, "multi-draw-loop", "one draw command per range of a multi-draw")            \
    X(depth_range, "depth-clip-control",                                                           \
      "depth of the clip space converted by the shader because the host has no control of it")     \
    X(attrib_convert, "attrib-convert",                                                            \
      "vertex attributes converted on the CPU because the host has no such format")                \
    X(attrib_align, "attrib-align",                                                                \
      "vertex attributes moved to aligned addresses, which Vulkan demands")                        \
    X(attrib_divisor, "attrib-divisor",                                                            \
      "attributes repeated because the host has no divisors above 1")                              \
    X(wide_format, "wide-format",                                                                  \
      "storage wider than the format: three channels stored as four, and the like")                \
    X(dst_alpha_one, "alpha-one",                                                                  \
      "blend factors replaced because storage has an alpha that the format lacks")                 \
    X(block_array, "block-array",                                                                  \
      "arrays of interface blocks taken apart, since hosts lose their interpolation qualifiers")   \
    X(mipmap_copy, "mipmap-copy",                                                                  \
      "mipmaps made in a copy, because the texture's format is not that of its storage")           \
    X(mipmap_convert, "mipmap-convert",                                                            \
      "mipmaps filtered on the CPU because the host cannot blit the format")                       \
    X(primitives_generated, "primitives-generated",                                                \
      "generated primitives counted by pipeline statistics because the host has no query of them") \
    X(alpha_to_one, "alpha-to-one",                                                                \
      "alpha replaced by one in the shader because the host does not do it")                       \
    X(wide_lines, "wide-lines",                                                                    \
      "lines drawn as quads by a geometry stage because the host has no wide ones")                \
    X(large_points, "large-points",                                                                \
      "points drawn as quads by a geometry stage because the host has no large ones")              \
    X(polygon_mode, "polygon-mode",                                                                \
      "edges or corners made by a geometry stage because the host only fills polygons")            \
    X(border_color, "border-color",                                                                \
      "borders mixed in by the shader because the host has few colours for them")                  \
    X(border_swizzle, "border-swizzle",                                                            \
      "swizzles done by the shader because the host applies none to borders")                      \
    X(condition_wait, "condition-wait",                                                            \
      "result of a render condition waited for because the host takes no predicate")               \
    X(feedback_copy, "feedback-copy",                                                              \
      "texels that are sampled and drawn to copied first, because render pass objects forbid it")  \
    X(logic_copy, "logic-copy",                                                                    \
      "logic operations by the fragment shader, which reads a copy of the target")

enum class emulation : unsigned {
#define X(id, name, help) id,
    MAGMA_EMULATIONS(X)
#undef X
        count
};

static_assert(static_cast<unsigned>(emulation::count) <= 32);
extern drivers_common::emulation_row emulations[static_cast<unsigned>(emulation::count)];

// Counts one use.
inline void emulated(emulation e) {
    emulations[static_cast<unsigned>(e)].used.add();
}

// Counts one use of each emulation whose bit is set.
inline void emulated_all(uint32_t bits) {
    for (unsigned i = 0; bits; ++i, bits >>= 1)
        if (bits & 1)
            emulated(emulation(i));
}

// Takes from `dev.has` the abilities that forced emulations stand in for. Once, when the device is
// made.
void apply_forced(host_device &dev);

} // namespace magma
