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

void present_frame(gl::Context &c, const pipe_present &p) {
    Tracker &t = of(c);
    if (!pipe_handle_is_null(p.target)) // nobody reads
        return present(c, p, nullptr);
    gl::Framebuffer &fb = *c.default_draw_fb;
    const int8_t kept = fb.read_index;
    const bool apart = !pipe_handle_equal(c.draw_surface.handle, c.read_surface.handle);
    const auto surfaces = [&](pipe_handle read) {
        pipe_lane_current current{};
        current.draw = c.draw_surface.handle;
        current.read = read;
        t.lane.emit<&pipe_context::lane_current>(&current);
        gl::framebuffer_changed(c, fb);
        gl::framebuffer_changed(c, *c.default_read_fb);
    };
    const auto read_from = [&](int8_t index) {
        if (fb.read_index == index)
            return;
        fb.read_index = index;
        gl::framebuffer_changed(c, fb);
    };
    if (apart)
        surfaces(c.draw_surface.handle);
    read_from(0);
    resolve_framebuffer(t, fb);
    present(c, p, nullptr);
    read_from(kept);
    if (apart)
        surfaces(c.read_surface.handle);
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
