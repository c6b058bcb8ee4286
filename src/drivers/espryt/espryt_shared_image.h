// SPDX-License-Identifier: MIT
// Images of the display: textures that several share groups have in their tables. The twin is one,
// and so is the host's texture: all native contexts of a display share objects.
#pragma once

#include "espryt_context.h"

namespace espryt {

void init_image_functions(screen *s);

// The images that this screen made end; what others imported stays.
void end_images(screen *s);

} // namespace espryt
