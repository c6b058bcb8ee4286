// SPDX-License-Identifier: MIT
// Clears and invalidation. Scissor and write masks are state that the clear reads, so it validates
// like a draw without a program.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

#include <algorithm>

namespace st {

static constexpr uint32_t kColors = (1u << PIPE_MAX_COLOR_BUFS) - 1;

// Draw buffers that exist, as a mask of outputs.
static uint32_t output_mask(const gl::Framebuffer &fb) {
    uint32_t m = 0;
    for (unsigned i = 0; i < PIPE_MAX_COLOR_BUFS; i++)
        if (fb.draw_index[i] >= 0 &&
            fb.color[unsigned(fb.draw_index[i])].kind != gl::Attachment::none)
            m |= 1u << i;
    return m;
}

// Those of them that take values of the type: integers go to their own kind only, floats to all.
static uint32_t output_mask(const gl::Framebuffer &fb, GLenum type) {
    uint32_t m = output_mask(fb);
    for (unsigned i = 0; type != GL_FLOAT && i < PIPE_MAX_COLOR_BUFS; i++)
        if (m & 1u << i && fb.color[unsigned(fb.draw_index[i])].format()->type != type)
            m &= ~(1u << i);
    return m;
}

// Colour masks are sent for the outputs of the framebuffer that is cleared; when that is not the
// bound one, the next draw needs its own.
static bool ready(gl::Context &c, Tracker &t, gl::Framebuffer &fb) {
    validate_verb(t, Verb::clear);
    if (&fb != c.draw_fb->fb.get()) {
        t.clear_fb = &fb;
        blend_atom::update(blend_atom::in(c), t);
        commit_render_state(t);
        c.dirty |= gl::bit(G::color_mask);
    }
    const bool clears = !t.condition_skips && !c.lost.load(std::memory_order_relaxed);
    if (clears) {
        resolve_framebuffer(t, fb);
        verify_state(t, Verb::clear, {&fb});
        fb.front_drawn |= gl::draws_front(fb);
    }
    t.clear_fb = nullptr;
    return clears;
}

// glClear writes a float colour to every draw buffer, also to integer ones (undefined by GL).
void clear(gl::Context &c, GLbitfield mask) {
    Tracker &t = of(c);
    gl::Framebuffer &fb = *c.draw_fb->fb;
    if (!ready(c, t, fb))
        return;
    const gl::ClearState &v = *c.clear;
    pipe_clear p{};
    p.framebuffer = resolve_framebuffer(t, fb);
    if (mask & GL_COLOR_BUFFER_BIT)
        p.mask |= output_mask(fb, v.color_type);
    if ((mask & GL_DEPTH_BUFFER_BIT) && fb.depth.kind != gl::Attachment::none)
        p.mask |= PIPE_BUFFER_DEPTH;
    if ((mask & GL_STENCIL_BUFFER_BIT) && fb.stencil.kind != gl::Attachment::none)
        p.mask |= PIPE_BUFFER_STENCIL;
    if (!p.mask)
        return;
    p.cls = v.color_type == GL_FLOAT ? PIPE_VALUE_FLOAT
            : v.color_type == GL_INT ? PIPE_VALUE_SINT
                                     : PIPE_VALUE_UINT;
    std::copy_n(v.color.begin(), 4, p.color.word);
    p.depth = float(v.depth);
    p.stencil = uint32_t(v.stencil) & 0xff;
    t.lane.emit<&pipe_context::clear>(&p);
}

void clear_buffer(gl::Context &c, gl::Framebuffer &fb, ClearType type, unsigned draw_buffer,
                  const ClearValue &v) {
    Tracker &t = of(c);
    if (!ready(c, t, fb))
        return;
    pipe_clear p{};
    p.framebuffer = resolve_framebuffer(t, fb);
    switch (type) {
    case ClearType::float_:
    case ClearType::int_:
    case ClearType::uint_:
        p.mask = output_mask(fb) & (1u << draw_buffer);
        p.cls = type == ClearType::float_ ? PIPE_VALUE_FLOAT
                : type == ClearType::int_ ? PIPE_VALUE_SINT
                                          : PIPE_VALUE_UINT;
        std::memcpy(p.color.word, v.u, sizeof(p.color.word));
        break;
    case ClearType::depth: p.mask = PIPE_BUFFER_DEPTH; break;
    case ClearType::stencil: p.mask = PIPE_BUFFER_STENCIL; break;
    case ClearType::depth_stencil: p.mask = PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL; break;
    }
    if (type >= ClearType::depth) {
        p.depth = float(std::clamp(v.ds.depth, 0.0, 1.0));
        // Float depth buffers take values outside of [0, 1].
        const gl::FormatInfo *f = fb.depth.format();
        if (f && f->type == GL_FLOAT)
            p.depth = float(v.ds.depth);
        p.stencil = uint32_t(v.ds.stencil) & 0xff;
        if (fb.depth.kind == gl::Attachment::none)
            p.mask &= ~uint32_t(PIPE_BUFFER_DEPTH);
        if (fb.stencil.kind == gl::Attachment::none)
            p.mask &= ~uint32_t(PIPE_BUFFER_STENCIL);
    }
    if (p.mask)
        t.lane.emit<&pipe_context::clear>(&p);
}

void invalidate_framebuffer(gl::Context &c, gl::Framebuffer &fb, uint32_t color_mask, bool depth,
                            bool stencil, const gl::Rect *area) {
    Tracker &t = of(c);
    pipe_invalidate_framebuffer p{};
    p.framebuffer = resolve_framebuffer(t, fb);
    p.mask = (color_mask & kColors) | (depth ? uint32_t(PIPE_BUFFER_DEPTH) : 0) |
             (stencil ? uint32_t(PIPE_BUFFER_STENCIL) : 0);
    if (area) {
        p.has_box = 1;
        p.box = pipe_scissor{area->x, area->y, area->w, area->h};
    }
    if (p.mask)
        t.lane.emit<&pipe_context::invalidate_framebuffer>(&p);
}

} // namespace st
