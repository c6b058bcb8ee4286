// SPDX-License-Identifier: MIT
// Compressed blocks as they were uploaded, on a host without copy_image: it gives none back and
// copies none. They lie with the owner of the storage.
#pragma once

#include "espryt_transfer.h"

namespace espryt {

bool keeps_blocks(context *ctx, const resource *r);
// `bytes`: where region.offset counts from, CPU memory.
void blocks_write(resource *r, unsigned level, const pipe_region &g, const void *bytes);
bool blocks_read(resource *r, unsigned level, unsigned slice, int x, int y, unsigned w, unsigned h,
                 const pixel_dest &d);
// Copies between two textures of one format. False: it is not for blocks.
bool blocks_copy(context *ctx, resource *src, resource *dst, const pipe_resource_copy_region *p);

} // namespace espryt
