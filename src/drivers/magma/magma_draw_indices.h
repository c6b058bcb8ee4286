// SPDX-License-Identifier: MIT
// Draws whose indices have to be rewritten: line loops, fans where the host lacks them, 8-bit
// indices, restart indices other than all ones, restart in lists, primitives that see each other's
// colours.
#pragma once

#include "pipe/pipe.h"

#include "magma_emulation.h"

#include <cstdint>
#include <span>

namespace magma {

struct context;

// Why the host cannot take the draw as it is: a bit of each emulation that stands in.
uint32_t needs_rewriting(context &c, const pipe_draw_vbo &p);
void draw_rewritten(context &c, const pipe_draw_vbo &p, const pipe_draw_range *ranges,
                    const pipe_indirect *indirect, const pipe_host_span *indices);

// In magma_draw.cpp: draws a list of 32-bit indices, in which 0xffffffff restarts if `restarts`.
void draw_index_list(context &c, const pipe_draw_vbo &p, uint8_t mode,
                     std::span<const uint32_t> list, int32_t bias, bool restarts);

} // namespace magma
