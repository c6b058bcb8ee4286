// SPDX-License-Identifier: MIT
// pipe_format -> the host's {internalformat, format, type}, with the widening that replaces what
// the host lacks, and what was found by probing (sampling, rendering, sample counts). Built once
// per process.
#pragma once

#include "espryt_host.h"
#include "pipe/pipe.h"

namespace espryt {

struct host_format {
    GLenum internal = 0; // 0: this format cannot be stored
    GLenum format = 0;   // of transfers; 0 for compressed
    GLenum type = 0;
    // What the bytes given to the host look like. Differs from the pipe format when storage is
    // widened: uploads and read-backs then convert on the CPU.
    uint32_t stored = PIPE_FORMAT_NONE;
    uint32_t caps = 0;          // pipe_format_cap
    uint32_t sample_counts = 1; // bit n: n samples
    bool widened = false;
    bool alpha_is_one = false; // the format has no alpha but its storage has: reads must give 1
};

// Fills all rows; needs a current context. `widen`: what can be stored wider is.
void formats_probe(host *h, bool widen);
const host_format &format_of(uint32_t pipe_format);

// Host image format of a shader image view, 0 when it cannot be bound.
GLenum image_format_of(uint32_t pipe_format);

// Formats of buffer textures that no host has; they are read as integers.
bool lacks_texels(uint32_t pipe_format);

GLenum attrib_type_of(uint8_t pipe_attrib_type);

} // namespace espryt
