// SPDX-License-Identifier: MIT
// Blend chunk: equations, factors, colour masks, logic op; and the blend constant.
#include "tracker/atoms.h"
#include "tracker/render_state.h"

namespace st {

static uint8_t factor(GLenum f) {
    switch (f) {
    case GL_ZERO: return PIPE_BLEND_FACTOR_ZERO;
    case GL_ONE: return PIPE_BLEND_FACTOR_ONE;
    case GL_SRC_COLOR: return PIPE_BLEND_FACTOR_SRC_COLOR;
    case GL_ONE_MINUS_SRC_COLOR: return PIPE_BLEND_FACTOR_INV_SRC_COLOR;
    case GL_DST_COLOR: return PIPE_BLEND_FACTOR_DST_COLOR;
    case GL_ONE_MINUS_DST_COLOR: return PIPE_BLEND_FACTOR_INV_DST_COLOR;
    case GL_SRC_ALPHA: return PIPE_BLEND_FACTOR_SRC_ALPHA;
    case GL_ONE_MINUS_SRC_ALPHA: return PIPE_BLEND_FACTOR_INV_SRC_ALPHA;
    case GL_DST_ALPHA: return PIPE_BLEND_FACTOR_DST_ALPHA;
    case GL_ONE_MINUS_DST_ALPHA: return PIPE_BLEND_FACTOR_INV_DST_ALPHA;
    case GL_CONSTANT_COLOR: return PIPE_BLEND_FACTOR_CONST_COLOR;
    case GL_ONE_MINUS_CONSTANT_COLOR: return PIPE_BLEND_FACTOR_INV_CONST_COLOR;
    case GL_CONSTANT_ALPHA: return PIPE_BLEND_FACTOR_CONST_ALPHA;
    case GL_ONE_MINUS_CONSTANT_ALPHA: return PIPE_BLEND_FACTOR_INV_CONST_ALPHA;
    case GL_SRC_ALPHA_SATURATE: return PIPE_BLEND_FACTOR_SRC_ALPHA_SATURATE;
    case GL_SRC1_COLOR: return PIPE_BLEND_FACTOR_SRC1_COLOR;
    case GL_ONE_MINUS_SRC1_COLOR: return PIPE_BLEND_FACTOR_INV_SRC1_COLOR;
    case GL_SRC1_ALPHA: return PIPE_BLEND_FACTOR_SRC1_ALPHA;
    case GL_ONE_MINUS_SRC1_ALPHA: return PIPE_BLEND_FACTOR_INV_SRC1_ALPHA;
    }
    return PIPE_BLEND_FACTOR_ONE;
}

static uint8_t equation(GLenum e) {
    switch (e) {
    case GL_FUNC_SUBTRACT: return PIPE_BLEND_SUBTRACT;
    case GL_FUNC_REVERSE_SUBTRACT: return PIPE_BLEND_REVERSE_SUBTRACT;
    case GL_MIN: return PIPE_BLEND_MIN;
    case GL_MAX: return PIPE_BLEND_MAX;
    }
    return PIPE_BLEND_ADD;
}

static bool is_min_max(uint8_t func) {
    return func == PIPE_BLEND_MIN || func == PIPE_BLEND_MAX;
}

// Factors of MIN and MAX have no effect; neither has anything of a target that does not blend.
static pipe_rt_blend target(const gl::BlendTarget &b, bool enable, uint8_t mask) {
    pipe_rt_blend o{};
    o.colormask = mask;
    o.rgb_src = o.alpha_src = PIPE_BLEND_FACTOR_ONE;
    if (!enable || !b.enabled || !mask)
        return o;
    o.enable = 1;
    o.rgb_func = equation(b.eq_rgb);
    o.alpha_func = equation(b.eq_alpha);
    if (!is_min_max(o.rgb_func)) {
        o.rgb_src = factor(b.src_rgb);
        o.rgb_dst = factor(b.dst_rgb);
    }
    if (!is_min_max(o.alpha_func)) {
        o.alpha_src = factor(b.src_alpha);
        o.alpha_dst = factor(b.dst_alpha);
    }
    return o;
}

// The format that output `i` is written to, or null.
static const gl::FormatInfo *output_format(const gl::Framebuffer &fb, unsigned i) {
    const int index = fb.draw_index[i];
    return index < 0 ? nullptr : fb.color[unsigned(index)].format();
}

void blend_atom::update(in view, Tracker &t) {
    const gl::BlendState &blend = view.get<&gl::Context::blend>();
    const gl::ColorMaskState &masks = view.get<&gl::Context::color_mask>();
    const gl::LogicOpState &logic = view.get<&gl::Context::logic_op>();
    const gl::Framebuffer &fb = t.clear_fb ? *t.clear_fb : *view.get<&gl::Context::draw_fb>().fb;

    pipe_blend_state b{};
    b.logicop_enable = logic.enabled;
    b.logicop = logic.enabled ? uint8_t(logic.op - GL_CLEAR) : uint8_t(PIPE_LOGIC_OP_COPY);
    b.dither = blend.dither;
    bool first = true;
    for (unsigned i = 0; i < PIPE_MAX_COLOR_BUFS; i++) {
        const gl::FormatInfo *f = output_format(fb, i);
        // An output that nothing takes equals the first one, so that its settings make no new
        // state.
        if (!f) {
            b.rt[i] = i ? b.rt[0] : target(blend.rt[0], false, 0);
            continue;
        }
        b.rt[i] = target(blend.rt[i], !f->integer() && !logic.enabled, masks.mask[i]);
        if (first) {
            for (unsigned j = 0; j < i; j++)
                b.rt[j] = b.rt[i];
            first = false;
        }
        if (std::memcmp(&b.rt[i], &b.rt[0], sizeof(b.rt[0])) != 0)
            b.independent = 1;
    }
    set_rs_chunk(t, PIPE_RS_CHUNK_BLEND, t.rs.blend, b);
}

void blend_color_atom::update(in view, Tracker &t) {
    const std::array<float, 4> &c = view.get<&gl::Context::blend_color>();
    pipe_blend_color b{{c[0], c[1], c[2], c[3]}};
    set_ds_chunk(t, PIPE_DS_CHUNK_BLEND_COLOR, t.ds.blend_color, b);
}

} // namespace st
