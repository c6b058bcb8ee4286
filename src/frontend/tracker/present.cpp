// SPDX-License-Identifier: MIT
// Showing a surface, and reading one for a window system that takes pixels.
#include "tracker/tracker_private.h"

namespace st {

void present(gl::Context &c, const pipe_present &p, const pipe_scissor *damage) {
    Tracker &t = of(c);
    push_persistent(t);
    t.lane.emit<&pipe_context::present>(&p, damage);
    t.group.flushed[c.lane_index].store(t.lane.ctx->ordinal, std::memory_order_release);
    drain_events(c);
}

bool read_surface(gl::Context &c, GLenum type, void *pixels) {
    gl::Framebuffer &fb = *c.default_draw_fb;
    const int8_t kept = fb.read_index;
    const auto read_from = [&](int8_t index) {
        if (fb.read_index == index)
            return;
        fb.read_index = index;
        gl::framebuffer_changed(c, fb);
    };
    push_persistent(of(c));
    read_from(0);
    const gl::PixelStore tight;
    const bool done =
        read_pixels(c, fb, 0, 0, fb.width, fb.height, {GL_BGRA, type, &tight, nullptr, pixels});
    read_from(kept);
    return done;
}

} // namespace st
