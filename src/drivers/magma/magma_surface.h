// SPDX-License-Identifier: MIT
// Surfaces. A pbuffer is driver memory, rendered without a flip: one colour image and, when asked
// for, one depth-stencil image. Display scope: the table is one for the process.
#pragma once

#include "magma_resource.h"

namespace magma {

struct surface {
    host_device *dev = nullptr;
    pipe_surface_create desc = {};
    resource_ref color, depth;
    uint64_t serial = 0; // moves at resize
};

std::shared_ptr<surface> find_surface(pipe_handle h);

// A framebuffer twin whose attachments are the buffers of the surface.
struct framebuffer;
std::shared_ptr<framebuffer> surface_framebuffer(context &c, const std::shared_ptr<surface> &s);

pipe_status surface_create(pipe_screen *s, const pipe_surface_create *p,
                           pipe_surface_create_reply *out);
pipe_status surface_resize(pipe_screen *s, const pipe_surface_resize *p);
pipe_status surface_destroy(pipe_screen *s, const pipe_surface_destroy *p);
void present(pipe_context *ctx, const pipe_present *p, const pipe_scissor *damage);
void set_swap_interval(pipe_context *ctx, const pipe_set_swap_interval *p);

} // namespace magma
