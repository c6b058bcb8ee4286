// SPDX-License-Identifier: MIT
// Multisample chunk and the sample mask. Without samples nothing of it has an effect, so it is sent
// as if it were off.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

namespace st {

void multisample_atom::update(in view, Tracker &t) {
    const gl::MultisampleState &m = view.get<&gl::Context::multisample>();
    const gl::Framebuffer &fb = *view.get<&gl::Context::draw_fb>().fb;
    pipe_multisample_state s{};
    if (fb.samples > 1) {
        s.enable = m.enabled;
        s.alpha_to_coverage = m.enabled && m.alpha_to_coverage;
        s.alpha_to_one = m.enabled && m.alpha_to_one;
        s.sample_mask_enable = m.enabled && m.mask_enabled;
        s.sample_shading = m.enabled && m.sample_shading;
        s.min_sample_shading = s.sample_shading ? m.min_sample_shading : 0.0f;
    }
    set_rs_chunk(t, PIPE_RS_CHUNK_MULTISAMPLE, t.rs.multisample, s);
}

void sample_state_atom::update(in view, Tracker &t) {
    const gl::MultisampleState &m = view.get<&gl::Context::multisample>();
    const gl::Framebuffer &fb = *view.get<&gl::Context::draw_fb>().fb;
    const bool on = fb.samples > 1 && m.enabled;
    pipe_set_sample_state s{};
    s.mask_enable = on && m.mask_enabled;
    s.mask[0] = s.mask_enable ? m.mask[0] : ~0u;
    s.mask[1] = s.mask_enable ? m.mask[1] : ~0u;
    s.coverage_enable = on && m.coverage;
    s.coverage_value = s.coverage_enable ? m.coverage_value : 1.0f;
    s.coverage_invert = s.coverage_enable && m.coverage_invert;
    if (!t.sent.sample_valid || changed(t, t.sent.sample, s)) {
        t.sent.sample = s;
        t.sent.sample_valid = true;
        t.lane.emit<&pipe_context::set_sample_state>(&s);
    }
}

} // namespace st
