// SPDX-License-Identifier: MIT
// Images of the display: textures that several share groups have in their tables. The twin is one,
// so are its storage and what the queue knows of it.
#pragma once

#include "pipe/pipe.h"

namespace magma {

struct share_group;

// Table entries (screen).
pipe_status image_create(pipe_context *ctx, const pipe_image_create *p);
pipe_status image_import(pipe_context *ctx, const pipe_image_import *p);
void image_destroy(pipe_context *ctx, const pipe_image_destroy *p);

// The images that this group made end; what others imported stays.
void end_images(const share_group &s);

} // namespace magma
