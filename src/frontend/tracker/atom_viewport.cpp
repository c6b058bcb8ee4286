// SPDX-License-Identifier: MIT
// Viewports with their depth ranges, and scissors.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

namespace st {

static pipe_viewport to_pipe(const gl::ViewportRect &r) {
    return pipe_viewport{r.x, r.y, r.w, r.h, float(r.near), float(r.far)};
}

void viewport_atom::update(in view, Tracker &t) {
    const gl::ViewportState &v = view.get<&gl::Context::viewport>();
    pipe_viewport_state s{};
    // Programs that never index viewports pay for one: the others equal it.
    s.count = 1;
    for (unsigned i = 1; i < PIPE_MAX_VIEWPORTS; i++)
        if (!(v.vp[i] == v.vp[0]))
            s.count = PIPE_MAX_VIEWPORTS;
    s.viewport = to_pipe(v.vp[0]);
    pipe_viewport_array rest{};
    for (unsigned i = 1; i < s.count; i++)
        rest.viewport[i - 1] = to_pipe(v.vp[i]);
    set_ds_chunk(t, PIPE_DS_CHUNK_VIEWPORT, t.ds.viewport, s);
    set_ds_chunk(t, PIPE_DS_CHUNK_VIEWPORT_ARRAY, t.ds.viewport_array, rest);
}

// A rectangle without its enable has no effect.
void scissor_atom::update(in view, Tracker &t) {
    const gl::ScissorState &v = view.get<&gl::Context::scissor>();
    pipe_scissor_state s{};
    pipe_scissor_array rest{};
    s.enable_mask = v.enabled;
    for (unsigned i : util::bits(v.enabled)) {
        if (i >= PIPE_MAX_VIEWPORTS)
            break;
        pipe_scissor &out = i ? rest.scissor[i - 1] : s.scissor;
        out = pipe_scissor{v.rect[i].x, v.rect[i].y, v.rect[i].w, v.rect[i].h};
        s.written_mask |= 1u << i;
    }
    set_ds_chunk(t, PIPE_DS_CHUNK_SCISSOR, t.ds.scissor, s);
    set_ds_chunk(t, PIPE_DS_CHUNK_SCISSOR_ARRAY, t.ds.scissor_array, rest);
}

} // namespace st
