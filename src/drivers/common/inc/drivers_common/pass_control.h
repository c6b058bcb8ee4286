// SPDX-License-Identifier: MIT
// The tessellation control stage of programs that have none: desktop GL passes the vertices of a
// patch on and takes the levels from the state (GL 4.6, 11.2.2), the hosts want a stage.
#pragma once

#include <cstdint>
#include <vector>

#include "pipe/pipe.h"

namespace drivers_common {

// Whether the program tessellates without a control stage. Pure.
bool lacks_control(const pipe_shader_archive &archive);

// Where the stage reads the levels: a block of push constants with a vec4 at each of these byte
// offsets, of which the inner levels are the first two.
struct control_levels {
    uint32_t outer_offset, inner_offset;
    // Names of the variable and of its members "outer" and "inner".
    const char *name;
};

// The stage, for patches of `vertices` (1 to 32): it hands on what the evaluation stage reads of
// them. No words in it: the archive has no evaluation stage that can be read. Pure.
pipe_archive_stage pass_control_stage(const pipe_shader_archive &archive, uint32_t vertices,
                                      const control_levels &levels);

} // namespace drivers_common
