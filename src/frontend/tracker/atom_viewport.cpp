// SPDX-License-Identifier: MIT
// Viewports with their depth ranges, and scissors.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

namespace st {

static bool same(const gl::ViewportRect &a, const gl::ViewportRect &b) {
    return a == b;
}

void viewport_atom::update(in view, Tracker &t) {
    const gl::ViewportState &v = view.get<&gl::Context::viewport>();
    pipe_viewport_state s{};
    // Programs that never index viewports pay for one: the others equal it.
    s.count = 1;
    for (unsigned i = 1; i < PIPE_MAX_VIEWPORTS; i++)
        if (!same(v.vp[i], v.vp[0]))
            s.count = i + 1;
    if (s.count > 1)
        s.count = PIPE_MAX_VIEWPORTS;
    for (unsigned i = 0; i < PIPE_MAX_VIEWPORTS; i++) {
        const gl::ViewportRect &p = v.vp[i];
        s.viewport[i] = pipe_viewport{p.x, p.y, p.w, p.h, float(p.near), float(p.far)};
    }
    set_ds_chunk(t, PIPE_DS_CHUNK_VIEWPORT, t.ds.viewport, s);
}

// A rectangle without its enable has no effect.
void scissor_atom::update(in view, Tracker &t) {
    const gl::ScissorState &v = view.get<&gl::Context::scissor>();
    pipe_scissor_state s{};
    s.enable_mask = v.enabled;
    for (unsigned i : util::bits(v.enabled)) {
        if (i >= PIPE_MAX_VIEWPORTS)
            break;
        s.scissor[i] = pipe_scissor{v.rect[i].x, v.rect[i].y, v.rect[i].w, v.rect[i].h};
        s.written_mask |= 1u << i;
    }
    set_ds_chunk(t, PIPE_DS_CHUNK_SCISSOR, t.ds.scissor, s);
}

} // namespace st
