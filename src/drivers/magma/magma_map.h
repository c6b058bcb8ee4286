// SPDX-License-Identifier: MIT
// Persistent maps that share the store: of memory that the host has mapped, or of shared memory of
// a peer that the host imports.
#pragma once

#include "pipe/pipe.h"

namespace magma {

// Table entry (screen). `out` brings what the caller offers: shared pages (MAP_SHARED) to which the
// store shall move, or nothing, when the address shall be ours. It gets the same address back, or
// ours. The store stays where it is then, until the resource dies. Commands of this lane so far
// are complete. PIPE_DECLINED: no resource can be shared so; PIPE_ERROR: this one cannot.
pipe_status map_persistent(pipe_context *ctx, const pipe_map_persistent *p,
                           pipe_map_persistent_reply *out);

} // namespace magma
