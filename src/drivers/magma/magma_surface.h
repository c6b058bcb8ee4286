// SPDX-License-Identifier: MIT
// Surfaces. Each is driver memory, rendered without a flip: one colour image and, when asked for,
// one depth-stencil image; a window has beside them what shows them. Display scope: the table is
// one for the process.
#pragma once

#include "magma_resource.h"

#include <mutex>

namespace magma {

class window;

struct surface {
    host_device *dev = nullptr;
    std::mutex mutex; // of the members below, but for reads on the thread of a root call
    pipe_surface_create desc = {};
    resource_ref color, depth;
    storage_ref resolved;            // of multisampled frames that are copied
    std::shared_ptr<window> shown;   // windows, until they are destroyed
    std::atomic<uint64_t> serial{0}; // moves at resize
};

std::shared_ptr<surface> find_surface(pipe_handle h);

// A framebuffer twin whose attachments are the buffers of the surface.
struct framebuffer;
std::shared_ptr<framebuffer> surface_framebuffer(context &c, const std::shared_ptr<surface> &s);
// The default framebuffers of a lane follow surfaces that were resized.
void follow_surfaces(context &c);

pipe_status surface_create(pipe_screen *s, const pipe_surface_create *p,
                           pipe_surface_create_reply *out);
pipe_status surface_resize(pipe_screen *s, const pipe_surface_resize *p);
pipe_status surface_destroy(pipe_screen *s, const pipe_surface_destroy *p);
void present(pipe_context *ctx, const pipe_present *p, const pipe_scissor *damage);
void set_swap_interval(pipe_context *ctx, const pipe_set_swap_interval *p);

} // namespace magma
