// SPDX-License-Identifier: MIT
// Index lists for primitives that a host lacks. The result is a plain list (points, lines,
// triangles, with adjacency where the input has it) of 16- or 32-bit indices, restart already
// resolved, the order of vertices within a primitive chosen so that the provoking vertex stays the
// one GL names.
#pragma once

#include "pipe/pipe_enums.h"

#include <cstdint>
#include <vector>

namespace drivers_common {

struct index_source {
    const void *indices; // null: arrays, vertex n is start + n
    uint32_t index_size; // 1, 2, 4; 0 for arrays
    uint32_t start;      // arrays: first vertex
    uint32_t count;      // indices or vertices
    bool restart;        // restart_index ends a primitive
    uint32_t restart_index;
    bool provoking_first; // GL_FIRST_VERTEX_CONVENTION
};

// The list primitive that `mode` becomes (LINE_LOOP and LINE_STRIP: LINES, strips and fans:
// TRIANGLES, ...).
uint8_t rewritten_mode(uint8_t mode);

// Whether rewrite_strips() knows the mode; the strip that it becomes (LINE_LOOP: LINE_STRIP).
bool is_strip(uint8_t mode);
uint8_t strip_mode(uint8_t mode);

// Appends the same strips with 32-bit indices: 0xffffffff ends one, loops return to their first
// vertex. True when something restarts.
bool rewrite_strips(uint8_t mode, const index_source &source, std::vector<uint32_t> &out);

// Appends 32-bit indices. Primitives that are not complete are dropped.
void rewrite_indices(uint8_t mode, const index_source &source, std::vector<uint32_t> &out);

} // namespace drivers_common
