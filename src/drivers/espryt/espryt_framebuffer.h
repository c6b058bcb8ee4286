// SPDX-License-Identifier: MIT
// Framebuffer twins: one host framebuffer for drawing, with attachments permuted so that draw
// buffer n is attachment n (OpenGL ES allows nothing else), and one for reading when the first has
// no attachment that is read.
#pragma once

#include "espryt_resource.h"

namespace espryt {

struct window;

// A renderbuffer that multisampled ones are resolved to.
struct resolved_buffer {
    host_name name;
    uint32_t width = 0, height = 0, format = 0;
};

struct surface {
    host_name color, depth;           // renderbuffers
    resolved_buffer resolved;         // of frames that are copied
    espryt::window *window = nullptr; // that shows it; null: a pbuffer
    uint32_t color_format = 0, depth_format = 0;
    uint32_t width = 0, height = 0, samples = 0, serial = 0;
};

struct framebuffer {
    pipe_in_framebuffer<pipe_set_framebuffer_state> state;
    host_name draw, read; // equal when one serves both
    GLenum read_point = GL_NONE;
    bool built = false, complete = false, readable = false;
    uint32_t attach_epoch = 0, surface_serial[2] = {0, 0};
    resource *refs[11] = {}; // one reference each
    unsigned num_refs = 0;
    uint32_t output_format[8] = {}; // pipe_format behind draw buffer n, NONE: nothing
    uint32_t read_format = 0, depth_format = 0, stencil_format = 0;
    uint8_t read_samples = 1, samples = 1;
    bool mixed_layers = false;      // layered attachments that differ in their layers
    uint8_t srgb_mask = 0;          // draw buffers of sRGB formats
    uint8_t alpha_one_mask = 0;     // draw buffers whose storage has an alpha the format lacks
    uint32_t width = 0, height = 0; // of the default framebuffer's surface
};

surface *find_surface(pipe_handle h);
// The twin of a handle ({0,1}: the default framebuffer), null when unknown.
framebuffer *find_framebuffer(context *ctx, pipe_handle h);
// Builds what is missing and binds. False, with one log line, when the host cannot use it.
bool bind_draw_framebuffer(context *ctx, framebuffer *f);
bool bind_read_framebuffer(context *ctx, framebuffer *f);
void default_framebuffer_changed(context *ctx);
void framebuffers_destroy(context *ctx);

// Binds a draw framebuffer that has one attachment of `f`: the one behind draw buffer `output`, at
// the same place, or with -1 depth and stencil. False: refused.
bool bind_lone_attachment(context *ctx, const framebuffer *f, int output);
void release_lone_attachment(context *ctx, int output);

// Attaches a level and layer (or all layers) of a resource to the framebuffer bound to `target`.
bool attach(context *ctx, GLenum target, GLenum point, resource *r, uint32_t format, unsigned level,
            unsigned layer, bool layered);
GLenum depth_stencil_point(uint32_t format);

} // namespace espryt
