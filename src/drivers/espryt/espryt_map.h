// SPDX-License-Identifier: MIT
// Persistent maps that share the store: the host's own persistent and coherent map, which lasts as
// long as the store.
#pragma once

#include "espryt_resource.h"

namespace espryt {

// Whether such a buffer gets a store of the host that can be mapped so.
bool wants_map(context *ctx, const pipe_resource_desc &d);
// Gives the bound GL_COPY_WRITE_BUFFER that store; `zeros` may be null.
void make_mappable(context *ctx, const pipe_resource_desc &d, const void *zeros);
// Bytes of a store that is mapped, which the host maps no second time; waits for the host.
void read_mapped(context *ctx, const resource *r, uint64_t offset, uint64_t size, void *dst);
// Before a fence or a finish: what shaders wrote into mapped stores gets there.
void flush_mapped(context *ctx);

} // namespace espryt
