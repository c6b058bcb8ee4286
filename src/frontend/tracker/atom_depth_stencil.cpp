// SPDX-License-Identifier: MIT
// Depth-stencil chunk, and the stencil references.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

#include <algorithm>

namespace st {

static uint8_t stencil_op(GLenum op) {
    switch (op) {
    case GL_ZERO: return PIPE_STENCIL_OP_ZERO;
    case GL_REPLACE: return PIPE_STENCIL_OP_REPLACE;
    case GL_INCR: return PIPE_STENCIL_OP_INCR;
    case GL_DECR: return PIPE_STENCIL_OP_DECR;
    case GL_INCR_WRAP: return PIPE_STENCIL_OP_INCR_WRAP;
    case GL_DECR_WRAP: return PIPE_STENCIL_OP_DECR_WRAP;
    case GL_INVERT: return PIPE_STENCIL_OP_INVERT;
    }
    return PIPE_STENCIL_OP_KEEP;
}

static uint8_t compare(GLenum f) {
    return uint8_t(f - GL_NEVER);
}

static pipe_stencil_face face(const gl::StencilFace &f, bool test) {
    pipe_stencil_face o{};
    // The write mask also counts for clears, whether the test is on or not.
    o.writemask = uint8_t(f.write_mask);
    o.func = PIPE_COMPARE_ALWAYS;
    if (!test)
        return o;
    o.func = compare(f.func);
    o.fail_op = stencil_op(f.fail);
    o.zfail_op = stencil_op(f.zfail);
    o.zpass_op = stencil_op(f.zpass);
    o.valuemask = uint8_t(f.value_mask);
    return o;
}

void depth_stencil_atom::update(in view, Tracker &t) {
    const gl::DepthState &depth = view.get<&gl::Context::depth>();
    const gl::StencilState &stencil = view.get<&gl::Context::stencil>();
    const gl::Framebuffer &fb = *view.get<&gl::Context::draw_fb>().fb;
    const bool has_depth = fb.depth.kind != gl::Attachment::none;
    const bool has_stencil = fb.stencil.kind != gl::Attachment::none;

    pipe_depth_stencil_state d{};
    d.depth_enable = has_depth && depth.test;
    d.depth_write = depth.write;
    d.depth_func = d.depth_enable ? compare(depth.func) : uint8_t(PIPE_COMPARE_ALWAYS);
    d.stencil_enable = has_stencil && stencil.test;
    d.front = face(stencil.face[0], d.stencil_enable);
    d.back = face(stencil.face[1], d.stencil_enable);
    set_rs_chunk(t, PIPE_RS_CHUNK_DEPTH_STENCIL, t.rs.depth_stencil, d);
}

// References are clamped to the bits of a stencil buffer when they are used (GL 4.6
// section 17.3.3).
void stencil_ref_atom::update(in view, Tracker &t) {
    const gl::StencilState &s = view.get<&gl::Context::stencil>();
    pipe_stencil_ref r{};
    if (s.test) {
        r.front = uint8_t(std::clamp(s.face[0].ref, 0, 255));
        r.back = uint8_t(std::clamp(s.face[1].ref, 0, 255));
    }
    set_ds_chunk(t, PIPE_DS_CHUNK_STENCIL_REF, t.ds.stencil_ref, r);
}

} // namespace st
