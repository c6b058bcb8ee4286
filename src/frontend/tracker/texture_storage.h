// SPDX-License-Identifier: MIT
// Resources behind textures and renderbuffers, for the files of this folder that make or read them.
#pragma once

#include "tracker/tracker_private.h"

namespace st {

// Mints desc.resource and sends it. False after GL_OUT_OF_MEMORY.
bool create_resource(Tracker &t, pipe_resource_desc &desc, bool want_ack);
unsigned max_levels(const pipe_resource_desc &d);

// Views of a texture die before their owner: takes all of them out of the cache and deletes them.
void forget_views(Group &g, gl::Texture &tex, TextureData &d);
void release_own_sampler(Group &g, TextureData &d);

// A buffer texture whose buffer got its first store later than glTexBuffer.
void resolve_buffer_texture(Tracker &t, gl::Texture &tex);

// Dimensions of an image of the texture in client memory: a face of a cube map has two.
unsigned image_dims(const gl::Texture &tex);

} // namespace st
