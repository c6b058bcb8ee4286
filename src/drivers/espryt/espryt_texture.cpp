// SPDX-License-Identifier: MIT
// Samplers, sampler views, texture parameters, and host views of textures.
#include "espryt_resource.h"

#include "espryt_border.h"

#include <algorithm>

#include "util/log.h"

namespace espryt {

namespace {

GLenum wrap_of(context *ctx, uint8_t w) {
    switch (w) {
    case PIPE_TEX_WRAP_CLAMP_TO_EDGE: return GL_CLAMP_TO_EDGE;
    case PIPE_TEX_WRAP_CLAMP_TO_BORDER:
        return emulates_borders(ctx) ? GL_CLAMP_TO_EDGE : GL_CLAMP_TO_BORDER;
    case PIPE_TEX_WRAP_MIRROR_REPEAT: return GL_MIRRORED_REPEAT;
    case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE:
        return ctx->has(feature::mirror_clamp) ? GL_MIRROR_CLAMP_TO_EDGE_EXT : GL_CLAMP_TO_EDGE;
    default: return GL_REPEAT;
    }
}

GLenum min_filter_of(const pipe_sampler_state &s) {
    bool linear = s.min_filter == PIPE_TEX_FILTER_LINEAR;
    switch (s.mip_filter) {
    case PIPE_TEX_MIP_NEAREST: return linear ? GL_LINEAR_MIPMAP_NEAREST : GL_NEAREST_MIPMAP_NEAREST;
    case PIPE_TEX_MIP_LINEAR: return linear ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST_MIPMAP_LINEAR;
    default: return linear ? GL_LINEAR : GL_NEAREST;
    }
}

void fill_sampler(context *ctx, GLuint n, const pipe_sampler_state &s) {
    const gles *gl = ctx->gl;
    auto set = [&](GLenum name, GLenum value) {
        gl->SamplerParameteri(n, name, static_cast<GLint>(value));
    };
    set(GL_TEXTURE_WRAP_S, wrap_of(ctx, s.wrap_s));
    set(GL_TEXTURE_WRAP_T, wrap_of(ctx, s.wrap_t));
    set(GL_TEXTURE_WRAP_R, wrap_of(ctx, s.wrap_r));
    set(GL_TEXTURE_MIN_FILTER, min_filter_of(s));
    set(GL_TEXTURE_MAG_FILTER, s.mag_filter == PIPE_TEX_FILTER_LINEAR ? GL_LINEAR : GL_NEAREST);
    set(GL_TEXTURE_COMPARE_MODE, s.compare_enable ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE);
    set(GL_TEXTURE_COMPARE_FUNC, GL_NEVER + s.compare_func);
    gl->SamplerParameterf(n, GL_TEXTURE_MIN_LOD, s.min_lod);
    gl->SamplerParameterf(n, GL_TEXTURE_MAX_LOD, s.max_lod);
    if (ctx->has(feature::anisotropy) && s.max_anisotropy > 1)
        gl->SamplerParameterf(n, GL_TEXTURE_MAX_ANISOTROPY_EXT,
                              std::min(s.max_anisotropy, ctx->host->info.limits.max_anisotropy));
    if (ctx->has(feature::srgb_decode) && !s.srgb_decode)
        set(GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT);
    if (ctx->has(feature::border_clamp)) {
        if (s.border_class == PIPE_VALUE_FLOAT)
            gl->SamplerParameterfv(n, GL_TEXTURE_BORDER_COLOR,
                                   reinterpret_cast<const float *>(s.border_color));
        else if (s.border_class == PIPE_VALUE_SINT && gl->SamplerParameterIiv)
            gl->SamplerParameterIiv(n, GL_TEXTURE_BORDER_COLOR,
                                    reinterpret_cast<const GLint *>(s.border_color));
        else if (gl->SamplerParameterIuiv)
            gl->SamplerParameterIuiv(n, GL_TEXTURE_BORDER_COLOR, s.border_color);
    }
}

void delete_sampler(context *ctx, sampler *s) {
    ctx->sh.forget_sampler(s->name);
    bury(ctx->scr, {grave::sampler, s->name.name, nullptr});
    delete s;
}

void create_sampler_state(pipe_context *pc, const pipe_create_sampler_state *p) {
    context *ctx = to_context(pc);
    auto s = new sampler;
    s->state = p->state;
    sampler_name(ctx, s);
    for (const uint8_t w : {p->state.wrap_s, p->state.wrap_t, p->state.wrap_r})
        if (w == PIPE_TEX_WRAP_CLAMP_TO_BORDER && emulates_borders(ctx))
            ctx->scr->border_samplers = true;
    if (p->state.lod_bias != 0)
        ctx->scr->biased_samplers = true;
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        if (sampler *old = ctx->scr->samplers.take_slot(p->sampler))
            delete_sampler(ctx, old);
        if (!ctx->scr->samplers.insert(p->sampler, s))
            delete_sampler(ctx, s);
    }
    ctx->dirty |= dirty_textures;
    verb_done(ctx, "create_sampler_state");
}

void delete_sampler_state(pipe_context *pc, const pipe_delete_sampler_state *p) {
    context *ctx = to_context(pc);
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        if (sampler *s = ctx->scr->samplers.take(p->sampler))
            delete_sampler(ctx, s);
    }
    ctx->dirty |= dirty_textures;
    verb_done(ctx, "delete_sampler_state");
}

void delete_view(context *ctx, sampler_view *v) {
    if (v->texture)
        resource_unref(ctx, ctx->scr,
                       v->texture); // a host view of its own belongs to the texture's list
    delete v;
}

void create_sampler_view(pipe_context *pc, const pipe_create_sampler_view *p) {
    context *ctx = to_context(pc);
    auto v = new sampler_view;
    v->desc = *p;
    v->texture = ctx->scr->resources.find(p->texture);
    if (v->texture)
        resource_ref(v->texture);
    std::lock_guard<std::mutex> guard(ctx->scr->lock);
    if (sampler_view *old = ctx->scr->views.take_slot(p->view))
        delete_view(ctx, old);
    if (!ctx->scr->views.insert(p->view, v))
        delete_view(ctx, v);
    ctx->dirty |= dirty_textures;
}

void delete_sampler_view(pipe_context *pc, const pipe_delete_sampler_view *p) {
    context *ctx = to_context(pc);
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        if (sampler_view *v = ctx->scr->views.take(p->view))
            delete_view(ctx, v);
    }
    ctx->dirty |= dirty_textures;
    verb_done(ctx, "delete_sampler_view");
}

void set_texture_params(pipe_context *pc, const pipe_set_texture_params *p) {
    context *ctx = to_context(pc);
    if (resource *r = ctx->scr->resources.find(p->params.texture)) {
        r->params = p->params;
        r->has_params = true;
    }
    ctx->dirty |= dirty_textures;
}

GLint swizzle_of(uint8_t s) {
    static const GLint map[] = {GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE};
    return map[s < 6 ? s : 0];
}

} // namespace

host_name sampler_name(context *ctx, sampler *s) {
    if (s->filled)
        return s->name;
    if (!s->name.name) {
        ctx->gl->GenSamplers(1, &s->name.name);
        s->name.serial = next_serial();
    }
    if (s->name.name) {
        fill_sampler(ctx, s->name.name, s->state);
        s->filled = true;
    }
    return s->name;
}

texture_ref texture_as(context *ctx, resource *r, uint32_t format, uint8_t target,
                       unsigned first_layer, unsigned num_layers) {
    const host_format &f = format_of(format);
    GLenum host = host_target(target);
    bool is_3d = r->desc.target == PIPE_TEXTURE_3D;
    unsigned layers = is_3d ? 1 : r->level_depth(0);
    bool cut = !is_3d && (first_layer != 0 || (num_layers && num_layers != layers));
    bool same_format = f.internal == r->fmt->internal || !f.internal;
    if ((same_format && host == r->target && !cut) || r->target == GL_TEXTURE_BUFFER ||
        r->target == GL_RENDERBUFFER)
        return {r->name, r->target, &r->applied};
    const bool of_image =
        r->image != EGL_NO_IMAGE_KHR || (r->owner && r->owner->image != EGL_NO_IMAGE_KHR);
    if (of_image && host != r->target)
        return {};
    if (of_image || !ctx->has(feature::texture_view)) {
        log_warning_once("espryt",
                         "a texture view is shown as its texture: the host has no texture_view%s",
                         of_image ? " of an image" : "");
        return host == r->target ? texture_ref{r->name, r->target, &r->applied} : texture_ref{};
    }
    host_view want{same_format ? r->fmt->internal : f.internal,
                   host,
                   static_cast<uint16_t>(first_layer),
                   static_cast<uint16_t>(num_layers ? num_layers : layers - first_layer),
                   {},
                   {}};
    std::lock_guard<std::mutex> guard(ctx->host->view_lock);
    for (host_view &v : r->views) {
        if (v.internal == want.internal && v.target == want.target &&
            v.first_layer == want.first_layer && v.num_layers == want.num_layers)
            return {v.name, v.target, &v.applied};
    }
    ctx->gl->GenTextures(1, &want.name.name);
    want.name.serial = next_serial();
    ctx->gl->TextureViewEXT(want.name.name, host, r->name.name, want.internal, 0,
                            r->desc.levels ? r->desc.levels : 1, want.first_layer, want.num_layers);
    if (host_failed(ctx, "texture view")) {
        ctx->gl->DeleteTextures(1, &want.name.name);
        return {};
    }
    r->views.push_back(want);
    return {want.name, host, &r->views.back().applied};
}

texture_object_state view_state(const sampler_view *v) {
    const resource *r = v->texture;
    texture_object_state s;
    unsigned last = v->desc.first_level + (v->desc.num_levels ? v->desc.num_levels - 1u : 1000u);
    s.base = v->desc.first_level;
    s.max = static_cast<uint16_t>(last);
    if (r->has_params) {
        s.base = std::max(s.base, r->params->base_level);
        s.max = std::min(s.max, r->params->max_level);
    }
    bool alpha_one = format_of(v->desc.format).alpha_is_one;
    for (int i = 0; i < 4; i++) {
        uint8_t c = v->desc.swizzle[i];
        s.swizzle[i] = alpha_one && c == PIPE_SWIZZLE_ALPHA ? uint8_t(PIPE_SWIZZLE_ONE) : c;
    }
    const pipe_format_desc *d = r->describe();
    s.stencil =
        d->is_stencil && d->is_depth &&
        (v->desc.aspect == PIPE_ASPECT_STENCIL || (r->has_params && r->params->stencil_mode));
    return s;
}

int accessible_levels(const sampler_view *v) {
    const texture_object_state s = view_state(v);
    const int last = std::min<int>(s.max, std::max<int>(1, v->texture->desc.levels) - 1);
    return std::max(0, last - s.base + 1);
}

void apply_texture_state(context *ctx, const texture_ref &t, const texture_object_state &want) {
    const gles *gl = ctx->gl;
    texture_object_state *have = t.state;
    GLenum target = t.target;
    if (!memcmp(have, &want, sizeof(want)) || target == GL_TEXTURE_BUFFER)
        return;
    if (!ctx->sh.bind_scratch_texture(target, t.name))
        return;
    bool multisample =
        target == GL_TEXTURE_2D_MULTISAMPLE || target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
    if (have->base != want.base && !multisample)
        gl->TexParameteri(target, GL_TEXTURE_BASE_LEVEL, want.base);
    if (have->max != want.max && !multisample)
        gl->TexParameteri(target, GL_TEXTURE_MAX_LEVEL, want.max);
    static const GLenum names[] = {GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_SWIZZLE_G, GL_TEXTURE_SWIZZLE_B,
                                   GL_TEXTURE_SWIZZLE_A};
    for (int i = 0; i < 4; i++) {
        if (have->swizzle[i] != want.swizzle[i])
            gl->TexParameteri(target, names[i], swizzle_of(want.swizzle[i]));
    }
    if (have->stencil != want.stencil)
        gl->TexParameteri(target, GL_DEPTH_STENCIL_TEXTURE_MODE,
                          want.stencil ? GL_STENCIL_INDEX : GL_DEPTH_COMPONENT);
    *have = want;
}

void end_sampler_views(screen *s) {
    s->views.each([&](sampler_view *v) {
        if (v->texture)
            resource_unref(nullptr, s, v->texture);
        delete v;
    });
}

void init_texture_functions(screen *s, context *c) {
    if (s) {
        s->create_sampler_state = create_sampler_state;
        s->delete_sampler_state = delete_sampler_state;
        s->create_sampler_view = create_sampler_view;
        s->delete_sampler_view = delete_sampler_view;
    }
    if (c)
        c->set_texture_params = set_texture_params;
}

} // namespace espryt
