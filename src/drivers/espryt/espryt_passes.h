// SPDX-License-Identifier: MIT
// Blending and masks per target on a host that has one state for all: the draw is repeated, each
// time into the draw buffers that share a state, from the same depth and stencil.
#pragma once

#include "espryt_framebuffer.h"

namespace espryt {

bool blends_alike(context *ctx);
// Fills ctx->passes from what each draw buffer of `fb` (may be null) is asked for; at least one.
void split_targets(context *ctx, const framebuffer *fb, const pipe_blend_state &want);

// Around the draws of ctx->passes. Queries and captures see the first one alone.
class target_passes {
  public:
    target_passes(context *ctx, framebuffer *fb);
    ~target_passes();
    // Before draw n.
    void begin(unsigned n);

  private:
    void copy_depth_stencil(host_name from, host_name to);
    void select(uint8_t outputs);
    context *ctx_;
    framebuffer *fb_;
    host_name saved_, saved_fbo_; // depth and stencil before the first draw
    GLbitfield aspects_ = 0;
    GLuint spare_counter_ = 0;
};

} // namespace espryt
