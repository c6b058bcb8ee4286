// SPDX-License-Identifier: MIT
// Render state: the setters that record what was pushed, and its application at the verb.
#include "espryt_state.h"

#include <algorithm>
#include <cstring>

#include "drivers_common/viewports.h"
#include "espryt_fixed.h"
#include "espryt_passes.h"
#include "util/log.h"

namespace espryt {

GLenum blend_factor_of(uint8_t f) {
    static const GLenum map[] = {GL_ZERO,
                                 GL_ONE,
                                 GL_SRC_COLOR,
                                 GL_ONE_MINUS_SRC_COLOR,
                                 GL_DST_COLOR,
                                 GL_ONE_MINUS_DST_COLOR,
                                 GL_SRC_ALPHA,
                                 GL_ONE_MINUS_SRC_ALPHA,
                                 GL_DST_ALPHA,
                                 GL_ONE_MINUS_DST_ALPHA,
                                 GL_CONSTANT_COLOR,
                                 GL_ONE_MINUS_CONSTANT_COLOR,
                                 GL_CONSTANT_ALPHA,
                                 GL_ONE_MINUS_CONSTANT_ALPHA,
                                 GL_SRC_ALPHA_SATURATE,
                                 GL_SRC1_COLOR_EXT,
                                 GL_ONE_MINUS_SRC1_COLOR_EXT,
                                 GL_SRC1_ALPHA_EXT,
                                 GL_ONE_MINUS_SRC1_ALPHA_EXT};
    return map[f < sizeof(map) / sizeof(map[0]) ? f : 0];
}

GLenum equation_of(uint8_t e) {
    static const GLenum map[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN,
                                 GL_MAX};
    return map[e < 5 ? e : 0];
}

GLenum stencil_op_of(uint8_t o) {
    static const GLenum map[] = {GL_KEEP, GL_ZERO,      GL_REPLACE,   GL_INCR,
                                 GL_DECR, GL_INCR_WRAP, GL_DECR_WRAP, GL_INVERT};
    return map[o < 8 ? o : 0];
}

namespace {

// Storage with an alpha that the format lacks: destination alpha counts as one.
uint8_t without_dst_alpha(uint8_t f) {
    switch (f) {
    case PIPE_BLEND_FACTOR_DST_ALPHA: return PIPE_BLEND_FACTOR_ONE;
    case PIPE_BLEND_FACTOR_INV_DST_ALPHA: return PIPE_BLEND_FACTOR_ZERO;
    case PIPE_BLEND_FACTOR_SRC_ALPHA_SATURATE: return PIPE_BLEND_FACTOR_ZERO;
    default: return f;
    }
}

bool same_blend(const pipe_rt_blend &a, const pipe_rt_blend &b) {
    return !memcmp(&a, &b, sizeof(a));
}

void blend_target(context *ctx, unsigned i, const pipe_rt_blend &b) {
    const gles *gl = ctx->gl;
    b.enable ? gl->Enablei(GL_BLEND, i) : gl->Disablei(GL_BLEND, i);
    gl->BlendEquationSeparatei(i, equation_of(b.rgb_func), equation_of(b.alpha_func));
    gl->BlendFuncSeparatei(i, blend_factor_of(b.rgb_src), blend_factor_of(b.rgb_dst),
                           blend_factor_of(b.alpha_src), blend_factor_of(b.alpha_dst));
    gl->ColorMaski(i, b.colormask & 1, b.colormask >> 1 & 1, b.colormask >> 2 & 1,
                   b.colormask >> 3 & 1);
}

void apply_blend(context *ctx, const framebuffer *fb) {
    pipe_blend_state want = ctx->rs->state.blend;
    if (!want.independent) {
        for (unsigned i = 1; i < 8; i++)
            want.rt[i] = want.rt[0];
    }
    if (fb && fb->alpha_one_mask) {
        for (unsigned i = 0; i < 8; i++) {
            if (!(fb->alpha_one_mask >> i & 1) || !want.rt[i].enable)
                continue;
            emulated(emulation::dst_alpha_one);
            want.rt[i].rgb_src = without_dst_alpha(want.rt[i].rgb_src);
            want.rt[i].rgb_dst = without_dst_alpha(want.rt[i].rgb_dst);
        }
    }
    if (blends_alike(ctx)) {
        split_targets(ctx, fb, want);
        std::fill(std::begin(want.rt), std::end(want.rt), ctx->passes[0].blend);
    }
    pipe_blend_state &have = ctx->sh.state.blend;
    if (ctx->sh.state.known && !memcmp(&have, &want, sizeof(want)))
        return;
    bool uniform = true;
    for (unsigned i = 1; i < 8; i++)
        uniform = uniform && same_blend(want.rt[i], want.rt[0]);
    if (uniform) {
        set_all_targets(ctx, want.rt[0]);
    } else {
        unsigned n = std::min(8u, ctx->scr->caps.max_color_buffers);
        for (unsigned i = 0; i < n; i++) {
            if (!ctx->sh.state.known || !same_blend(have.rt[i], want.rt[i]))
                blend_target(ctx, i, want.rt[i]);
        }
    }
    ctx->sh.enable(GL_DITHER, want.dither);
    have = want;
}

void apply_depth_stencil(context *ctx) {
    const gles *gl = ctx->gl;
    const pipe_depth_stencil_state &w = ctx->rs->state.depth_stencil;
    pipe_depth_stencil_state &h = ctx->sh.state.depth_stencil;
    const pipe_stencil_ref &ref = ctx->dyn->stencil_ref;
    pipe_stencil_ref &href = ctx->sh.state.stencil_ref;
    bool known = ctx->sh.state.known;
    if (known && !memcmp(&w, &h, sizeof(w)) && !memcmp(&ref, &href, sizeof(ref)))
        return;
    ctx->sh.enable(GL_DEPTH_TEST, w.depth_enable);
    ctx->sh.depth_mask(w.depth_write);
    if (!known || w.depth_func != h.depth_func)
        gl->DepthFunc(GL_NEVER + w.depth_func);
    ctx->sh.enable(GL_STENCIL_TEST, w.stencil_enable);
    const pipe_stencil_face *faces[2] = {&w.front, &w.back}, *had[2] = {&h.front, &h.back};
    const GLenum names[2] = {GL_FRONT, GL_BACK};
    const uint8_t refs[2] = {ref.front, ref.back}, had_refs[2] = {href.front, href.back};
    for (int i = 0; i < 2; i++) {
        const pipe_stencil_face &a = *faces[i], &b = *had[i];
        if (!known || a.func != b.func || a.valuemask != b.valuemask || refs[i] != had_refs[i])
            gl->StencilFuncSeparate(names[i], GL_NEVER + a.func, refs[i], a.valuemask);
        if (!known || a.fail_op != b.fail_op || a.zfail_op != b.zfail_op ||
            a.zpass_op != b.zpass_op)
            gl->StencilOpSeparate(names[i], stencil_op_of(a.fail_op), stencil_op_of(a.zfail_op),
                                  stencil_op_of(a.zpass_op));
        ctx->sh.stencil_mask(names[i], a.writemask);
    }
    h = w;
    href = ref;
}

void apply_polygon(context *ctx, const pipe_raster_state &w) {
    const bool fills =
        w.fill_front == PIPE_POLYGON_MODE_FILL && w.fill_back == PIPE_POLYGON_MODE_FILL;
    const pipe_raster_state &h = ctx->sh.state.raster;
    if (ctx->sh.state.known ? h.fill_front == w.fill_front && h.fill_back == w.fill_back
                            : fills && !ctx->polygon_mode_used)
        return;
    ctx->polygon_mode_used = true;
    if (ctx->has(feature::polygon_mode) && ctx->gl->PolygonModeNV) {
        static const GLenum modes[] = {GL_FILL_NV, GL_LINE_NV, GL_POINT_NV};
        ctx->gl->PolygonModeNV(GL_FRONT_AND_BACK, modes[w.fill_front < 3 ? w.fill_front : 0]);
    }
}

void apply_raster(context *ctx) {
    const gles *gl = ctx->gl;
    const pipe_raster_state &w = ctx->rs->state.raster;
    pipe_raster_state &h = ctx->sh.state.raster;
    bool known = ctx->sh.state.known;
    if (known && !memcmp(&w, &h, sizeof(w)))
        return;
    ctx->sh.enable(GL_CULL_FACE, w.cull_face != PIPE_FACE_NONE);
    if (w.cull_face != PIPE_FACE_NONE && (!known || w.cull_face != h.cull_face))
        gl->CullFace(w.cull_face == PIPE_FACE_FRONT  ? GL_FRONT
                     : w.cull_face == PIPE_FACE_BACK ? GL_BACK
                                                     : GL_FRONT_AND_BACK);
    if (!known || w.front_ccw != h.front_ccw)
        gl->FrontFace(w.front_ccw ? GL_CCW : GL_CW);
    ctx->sh.enable(GL_RASTERIZER_DISCARD, w.discard);
    ctx->sh.enable(GL_POLYGON_OFFSET_FILL, w.offset_fill);
    if (ctx->has(feature::polygon_mode)) {
        ctx->sh.enable(GL_POLYGON_OFFSET_LINE_NV, w.offset_line);
        ctx->sh.enable(GL_POLYGON_OFFSET_POINT_NV, w.offset_point);
    }
    if (ctx->has(feature::depth_clamp))
        ctx->sh.enable(GL_DEPTH_CLAMP_EXT,
                       (w.depth_clamp_near || w.depth_clamp_far) && !clamps_depth(ctx));
    if (ctx->has(feature::clip_cull_distance)) {
        for (unsigned i = 0; i < 8; i++) {
            if (!known || ((w.clip_enable ^ h.clip_enable) >> i & 1))
                ctx->sh.enable(GL_CLIP_DISTANCE0_EXT + i, w.clip_enable >> i & 1);
        }
    }
    if (ctx->has(feature::clip_control) && gl->ClipControlEXT &&
        (!known || w.clip_halfz != h.clip_halfz || w.clip_upper_left != h.clip_upper_left))
        gl->ClipControlEXT(w.clip_upper_left ? GL_UPPER_LEFT_EXT : GL_LOWER_LEFT_EXT,
                           w.clip_halfz ? GL_ZERO_TO_ONE_EXT : GL_NEGATIVE_ONE_TO_ONE_EXT);
    if (ctx->has(feature::srgb_write_control))
        ctx->sh.enable(GL_FRAMEBUFFER_SRGB_EXT,
                       w.framebuffer_srgb || ctx->forced(emulation::decode_outputs));
    apply_polygon(ctx, w);
    h = w;
}

void apply_multisample(context *ctx, const framebuffer *fb) {
    const gles *gl = ctx->gl;
    const pipe_multisample_state &w = ctx->rs->state.multisample;
    const pipe_set_sample_state &s = ctx->sample;
    ctx->sh.enable(GL_SAMPLE_ALPHA_TO_COVERAGE,
                   w.enable && w.alpha_to_coverage && !(fb && covers_by_alpha(ctx, fb)));
    if (ctx->has(feature::multisample_compat)) {
        ctx->sh.enable(GL_MULTISAMPLE_EXT, w.enable);
        ctx->sh.enable(GL_SAMPLE_ALPHA_TO_ONE_EXT,
                       w.alpha_to_one && !(fb && replaces_alpha(ctx, fb)));
    }
    bool mask = (w.sample_mask_enable || s.mask_enable) && w.enable;
    ctx->sh.enable(GL_SAMPLE_MASK, mask);
    if (mask && (!ctx->sh.state.known || ctx->sh.state.sample_mask != s.mask[0])) {
        gl->SampleMaski(0, s.mask[0]);
        ctx->sh.state.sample_mask = s.mask[0];
    }
    ctx->sh.enable(GL_SAMPLE_COVERAGE, s.coverage_enable && w.enable);
    if (s.coverage_enable &&
        (ctx->sh.state.coverage != s.coverage_value ||
         ctx->sh.state.coverage_invert != s.coverage_invert || !ctx->sh.state.known)) {
        gl->SampleCoverage(s.coverage_value, s.coverage_invert);
        ctx->sh.state.coverage = s.coverage_value;
        ctx->sh.state.coverage_invert = s.coverage_invert;
    }
    if (ctx->has(feature::sample_shading) && gl->MinSampleShading) {
        ctx->sh.enable(GL_SAMPLE_SHADING, w.sample_shading && w.enable);
        if (w.sample_shading &&
            (!ctx->sh.state.known || ctx->sh.state.min_sample_shading != w.min_sample_shading)) {
            gl->MinSampleShading(w.min_sample_shading);
            ctx->sh.state.min_sample_shading = w.min_sample_shading;
        }
    }
}

// More than one viewport counts only for a program that chooses one.
bool many_viewports(context *ctx) {
    if (ctx->scr->caps.max_viewports <= 1)
        return false;
    const program *p = find_program(ctx, ctx->draw_program);
    return p && p->uses_viewport_index;
}

void apply_viewport(context *ctx) {
    if (many_viewports(ctx)) {
        float boxes[PIPE_MAX_VIEWPORTS][4], ranges[PIPE_MAX_VIEWPORTS][2];
        unsigned n = std::min<unsigned>(ctx->scr->caps.max_viewports, PIPE_MAX_VIEWPORTS);
        for (unsigned i = 0; i < n; i++) {
            const pipe_viewport &v = drivers_common::viewport_at(ctx->dyn, i);
            const float box[4] = {v.x, v.y, v.width, v.height};
            memcpy(boxes[i], box, sizeof(box));
            ranges[i][0] = v.near_depth;
            ranges[i][1] = v.far_depth;
        }
        ctx->sh.viewport_array(n, boxes[0], ranges[0]);
        return;
    }
    const pipe_viewport &v = ctx->dyn->viewport.viewport;
    const float box[4] = {v.x, v.y, v.width, v.height};
    ctx->sh.viewport(box);
    ctx->sh.depth_range(v.near_depth, v.far_depth);
}

void apply_first_scissor(context *ctx) {
    const pipe_scissor_state &s = ctx->dyn->scissor;
    bool on = s.enable_mask & 1;
    ctx->sh.enable(GL_SCISSOR_TEST, on);
    if (on) {
        const int box[4] = {s.scissor.x, s.scissor.y, s.scissor.width, s.scissor.height};
        ctx->sh.scissor(box);
    }
}

void apply_scissor(context *ctx) {
    const pipe_scissor_state &s = ctx->dyn->scissor;
    if (many_viewports(ctx)) {
        int boxes[PIPE_MAX_VIEWPORTS][4];
        unsigned n = std::min<unsigned>(ctx->scr->caps.max_viewports, PIPE_MAX_VIEWPORTS);
        for (unsigned i = 0; i < n; i++) {
            const pipe_scissor &r = drivers_common::scissor_at(ctx->dyn, i);
            const int box[4] = {r.x, r.y, r.width, r.height};
            memcpy(boxes[i], box, sizeof(box));
        }
        ctx->sh.scissor_array(n, boxes[0]);
        ctx->sh.enable_scissors(n, s.enable_mask);
        return;
    }
    apply_first_scissor(ctx);
}

void apply_dynamic(context *ctx) {
    const gles *gl = ctx->gl;
    auto &st = ctx->sh.state;
    const pipe_dynamic_state &d = ctx->dyn;
    if (!st.known || memcmp(st.blend_color, d.blend_color.color, sizeof(st.blend_color))) {
        memcpy(st.blend_color, d.blend_color.color, sizeof(st.blend_color));
        gl->BlendColor(st.blend_color[0], st.blend_color[1], st.blend_color[2], st.blend_color[3]);
    }
    if (!st.known || st.line_width != d.line_point.line_width) {
        st.line_width = d.line_point.line_width;
        if (st.line_width > 0)
            gl->LineWidth(st.line_width);
    }
    const pipe_polygon_offset &o = d.polygon_offset;
    const float want[3] = {o.scale, o.units, o.clamp};
    if (!st.known || memcmp(st.offset, want, sizeof(want))) {
        memcpy(st.offset, want, sizeof(want));
        if (o.clamp != 0 && ctx->has(feature::polygon_offset_clamp) && gl->PolygonOffsetClampEXT)
            gl->PolygonOffsetClampEXT(o.scale, o.units, o.clamp);
        else
            gl->PolygonOffset(o.scale, o.units);
    }
    if (ctx->has(feature::tessellation_shader) && gl->PatchParameteri &&
        (!st.known || st.patch_vertices != ctx->patch->vertices)) {
        st.patch_vertices = ctx->patch->vertices;
        if (st.patch_vertices)
            gl->PatchParameteri(GL_PATCH_VERTICES, static_cast<GLint>(st.patch_vertices));
    }
}

// --- setters -------------------------------------------------------------------------------------

void create_render_state(pipe_context *pc, const pipe_create_render_state *p,
                         const pipe_host_span *chunks) {
    context *ctx = to_context(pc);
    auto r = new render_state_cso{};
    if (const render_state_cso *base = ctx->render_states.find(p->base))
        r->state = base->state;
    if (!pipe_render_state_unpack(&r->state, p->chunk_mask, chunks->ptr, chunks->size))
        log_error("espryt", "create_render_state: chunks do not fit mask 0x%x", p->chunk_mask);
    if (render_state_cso *old = ctx->render_states.take_slot(p->cso)) {
        if (ctx->rs == old)
            ctx->rs = nullptr;
        delete old;
    }
    if (!ctx->render_states.insert(p->cso, r))
        delete r;
}

void bind_render_state(pipe_context *pc, const pipe_bind_render_state *p) {
    context *ctx = to_context(pc);
    ctx->rs = ctx->render_states.find(p->cso);
    ctx->dirty |= dirty_render_state;
}

void delete_render_state(pipe_context *pc, const pipe_delete_render_state *p) {
    context *ctx = to_context(pc);
    render_state_cso *r = ctx->render_states.take(p->cso);
    if (r && r == ctx->rs)
        ctx->rs = nullptr;
    delete r;
}

void set_dynamic_state(pipe_context *pc, const pipe_set_dynamic_state *p,
                       const pipe_host_span *chunks) {
    context *ctx = to_context(pc);
    if (!pipe_dynamic_state_unpack(&ctx->dyn.fill(), p->chunk_mask, chunks->ptr, chunks->size))
        log_error("espryt", "set_dynamic_state: chunks do not fit mask 0x%x", p->chunk_mask);
    ctx->dirty |= dirty_viewport | dirty_scissor | dirty_dynamic | dirty_render_state;
}

void set_sample_state(pipe_context *pc, const pipe_set_sample_state *p) {
    context *ctx = to_context(pc);
    ctx->sample = *p;
    ctx->dirty |= dirty_render_state;
}

void set_patch_state(pipe_context *pc, const pipe_set_patch_state *p) {
    context *ctx = to_context(pc);
    ctx->patch = *p;
    ctx->dirty |= dirty_dynamic;
}

void set_pixel_pack_state(pipe_context *pc, const pipe_set_pixel_pack_state *p) {
    to_context(pc)->pack = *p;
}

void set_sampler_views(pipe_context *pc, const pipe_set_sampler_views *p,
                       const pipe_texture_slot *slots) {
    context *ctx = to_context(pc);
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_TEXTURE_UNITS; i++)
        ctx->views.fill()[p->start + i] = slots[i];
    ctx->dirty |= dirty_textures;
}

void bind_sampler_states(pipe_context *pc, const pipe_bind_sampler_states *p,
                         const pipe_handle *samplers) {
    context *ctx = to_context(pc);
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_TEXTURE_UNITS; i++)
        ctx->samplers.fill()[p->start + i] = samplers[i];
    ctx->dirty |= dirty_textures;
}

void set_shader_images(pipe_context *pc, const pipe_set_shader_images *p,
                       const pipe_shader_image *images) {
    context *ctx = to_context(pc);
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_IMAGE_UNITS; i++)
        ctx->images.fill()[p->start + i] = images[i];
    ctx->dirty |= dirty_images;
}

void set_shader_buffers(pipe_context *pc, const pipe_set_shader_buffers *p,
                        const pipe_buffer_range *ranges) {
    context *ctx = to_context(pc);
    if (p->cls > PIPE_BUFFER_CLASS_ATOMIC)
        return;
    for (uint32_t i = 0; i < p->count && p->start + i < PIPE_MAX_INDEXED_BUFFERS; i++)
        ctx->ranges.fill()[p->cls][p->start + i] = ranges[i];
    ctx->dirty |= p->cls == PIPE_BUFFER_CLASS_UNIFORM ? dirty_uniform : dirty_storage;
}

void set_indirect_buffers(pipe_context *pc, const pipe_set_indirect_buffers *p) {
    context *ctx = to_context(pc);
    ctx->draw_indirect = p->draw_indirect;
    ctx->dispatch_indirect = p->dispatch_indirect;
    ctx->parameter_buffer = p->parameter;
}

} // namespace

void apply_render_state(context *ctx, const framebuffer *fb) {
    if (!ctx->rs)
        return;
    apply_blend(ctx, fb);
    apply_depth_stencil(ctx);
    apply_raster(ctx);
    apply_multisample(ctx, fb);
    apply_viewport(ctx);
    apply_scissor(ctx);
    apply_dynamic(ctx);
    ctx->sh.state.known = true;
}

uint8_t decoded_targets(context *ctx, const framebuffer *fb) {
    if (!fb->srgb_mask || !ctx->rs || ctx->rs->state.raster.framebuffer_srgb) [[likely]]
        return 0;
    return ctx->has(feature::srgb_write_control) && !ctx->forced(emulation::decode_outputs)
               ? 0
               : fb->srgb_mask;
}

void set_all_targets(context *ctx, const pipe_rt_blend &b) {
    const gles *gl = ctx->gl;
    pipe_blend_state &have = ctx->sh.state.blend;
    const pipe_rt_blend h = have.rt[0];
    bool all = !ctx->sh.state.known;
    for (unsigned i = 1; i < 8; i++)
        all = all || !same_blend(have.rt[i], h);
    if (all || h.enable != b.enable)
        b.enable ? gl->Enable(GL_BLEND) : gl->Disable(GL_BLEND);
    if (all || h.rgb_func != b.rgb_func || h.alpha_func != b.alpha_func)
        gl->BlendEquationSeparate(equation_of(b.rgb_func), equation_of(b.alpha_func));
    if (all || h.rgb_src != b.rgb_src || h.rgb_dst != b.rgb_dst || h.alpha_src != b.alpha_src ||
        h.alpha_dst != b.alpha_dst)
        gl->BlendFuncSeparate(blend_factor_of(b.rgb_src), blend_factor_of(b.rgb_dst),
                              blend_factor_of(b.alpha_src), blend_factor_of(b.alpha_dst));
    if (all || h.colormask != b.colormask)
        gl->ColorMask(b.colormask & 1, b.colormask >> 1 & 1, b.colormask >> 2 & 1,
                      b.colormask >> 3 & 1);
    std::fill(std::begin(have.rt), std::end(have.rt), b);
}

void apply_clear_mask(context *ctx, unsigned output) {
    if (!ctx->rs || !blends_alike(ctx))
        return;
    const pipe_blend_state &b = ctx->rs->state.blend;
    pipe_rt_blend now = ctx->sh.state.blend.rt[0];
    now.colormask = b.rt[b.independent ? output : 0].colormask;
    set_all_targets(ctx, now);
}

// Masks, scissor and discard; samples, viewports and the rest do not reach a clear.
void apply_clear_state(context *ctx, const framebuffer *fb) {
    if (!ctx->rs)
        return;
    apply_blend(ctx, fb);
    apply_depth_stencil(ctx);
    apply_raster(ctx);
    apply_first_scissor(ctx);    // whatever the program of a draw would choose
    ctx->dirty |= dirty_scissor; // which may want all of them
}

void init_state_functions(screen *, context *c) {
    if (!c)
        return;
    c->create_render_state = create_render_state;
    c->bind_render_state = bind_render_state;
    c->delete_render_state = delete_render_state;
    c->set_dynamic_state = set_dynamic_state;
    c->set_sample_state = set_sample_state;
    c->set_patch_state = set_patch_state;
    c->set_pixel_pack_state = set_pixel_pack_state;
    c->set_sampler_views = set_sampler_views;
    c->bind_sampler_states = bind_sampler_states;
    c->set_shader_images = set_shader_images;
    c->set_shader_buffers = set_shader_buffers;
    c->set_indirect_buffers = set_indirect_buffers;
}

} // namespace espryt
