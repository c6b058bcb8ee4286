// SPDX-License-Identifier: MIT
// Blits, mipmap generation and framebuffer-to-texture copies.
#include "espryt_blit.h"

#include <algorithm>

#include "espryt_blit_draw.h"
#include "espryt_draw.h"
#include "espryt_mipmap.h"
#include "espryt_transfer.h"
#include "util/log.h"

namespace espryt {

namespace {

// OpenGL ES always decodes and encodes; GL does with sRGB writes on.
bool host_converts(context *ctx, const framebuffer *src, const framebuffer *dst) {
    if ((ctx->has(feature::srgb_write_control) && !ctx->forced(emulation::decode_outputs)) ||
        (ctx->rs && ctx->rs->state.raster.framebuffer_srgb))
        return false;
    const bool coded = pipe_format_describe(src->read_format)->is_srgb;
    return std::any_of(std::begin(dst->output_format), std::end(dst->output_format),
                       [&](uint32_t f) { return f && pipe_format_describe(f)->is_srgb != coded; });
}

bool host_blits_color(context *ctx, const framebuffer *src, const framebuffer *dst,
                      const blit_rect &s, const blit_rect &d) {
    if (dst->samples > 1 || ctx->forced(emulation::shader_blit) || host_converts(ctx, src, dst))
        return false;
    if (src->read_samples <= 1)
        return true;
    bool same = s.x0 == d.x0 && s.y0 == d.y0 && s.x1 == d.x1 && s.y1 == d.y1;
    for (uint32_t f : dst->output_format) {
        if (f && format_of(f).internal != format_of(src->read_format).internal)
            return false;
    }
    return same;
}

void blit_color(context *ctx, framebuffer *src, framebuffer *dst, const blit_rect &s,
                const blit_rect &d, bool linear) {
    const pipe_format_desc *f = pipe_format_describe(src->read_format);
    if (f->is_integer)
        linear = false;
    if (host_blits_color(ctx, src, dst, s, d)) {
        ctx->gl->BlitFramebuffer(s.x0, s.y0, s.x1, s.y1, d.x0, d.y0, d.x1, d.y1,
                                 GL_COLOR_BUFFER_BIT, linear ? GL_LINEAR : GL_NEAREST);
        if (!host_failed(ctx, "blit"))
            return;
    }
    const blit_value v = !f->is_integer ? blit_value::color
                         : f->is_signed ? blit_value::icolor
                                        : blit_value::ucolor;
    if (!ctx->host_oom && !draw_blit(ctx, src, dst, s, d, v, linear) && !ctx->host_oom)
        log_warning_once("espryt", "a colour blit from %s was refused",
                         pipe_format_name(src->read_format));
}

void blit_depth_stencil(context *ctx, framebuffer *src, framebuffer *dst, const blit_rect &s,
                        const blit_rect &d, GLbitfield mask) {
    if (dst->samples <= 1 && !ctx->forced(emulation::shader_blit)) {
        ctx->gl->BlitFramebuffer(s.x0, s.y0, s.x1, s.y1, d.x0, d.y0, d.x1, d.y1, mask, GL_NEAREST);
        if (!host_failed(ctx, "depth-stencil blit") || ctx->host_oom)
            return;
    }
    if ((mask & GL_STENCIL_BUFFER_BIT) &&
        !draw_blit(ctx, src, dst, s, d, blit_value::stencil, false) && !ctx->host_oom)
        log_warning_once("espryt", "a stencil blit was refused");
    if ((mask & GL_DEPTH_BUFFER_BIT) && !draw_blit(ctx, src, dst, s, d, blit_value::depth, false) &&
        !ctx->host_oom)
        log_warning_once("espryt", "a depth blit was refused");
}

// Cuts what is copied along one axis to what lies in both images and in [least, most) of the
// destination.
void clip_axis(int *from, int *to, int *size, unsigned from_size, unsigned to_size, int least,
               int most) {
    most = std::min(most, static_cast<int>(to_size));
    const int before = std::max({0, -*from, std::max(least, 0) - *to});
    *from += before;
    *to += before;
    *size -= before;
    *size = std::min({*size, static_cast<int>(from_size) - *from, most - *to});
}

// Multisample to multisample, same format, size and direction: texels and samples move as they are.
bool blit_by_copy(context *ctx, framebuffer *src, framebuffer *dst, const blit_rect &s,
                  const blit_rect &d, uint32_t mask) {
    if (dst->samples <= 1 || src->samples != dst->samples || !ctx->has(feature::copy_image) ||
        ctx->forced(emulation::shader_blit) || s.w() != d.w() || s.h() != d.h() ||
        (s.x1 < s.x0) != (d.x1 < d.x0) || (s.y1 < s.y0) != (d.y1 < d.y0))
        return false;
    const pipe_scissor_state &cut = ctx->dyn->scissor;
    const bool on = cut.enable_mask & 1;
    const int left = on ? cut.scissor.x : 0, low = on ? cut.scissor.y : 0;
    const int right = on ? left + static_cast<int>(cut.scissor.width) : INT32_MAX;
    const int high = on ? low + static_cast<int>(cut.scissor.height) : INT32_MAX;
    int x = std::min(s.x0, s.x1), y = std::min(s.y0, s.y1);
    int to_x = std::min(d.x0, d.x1), to_y = std::min(d.y0, d.y1), w = s.w(), h = s.h();
    clip_axis(&x, &to_x, &w, src->width, dst->width, left, right);
    clip_axis(&y, &to_y, &h, src->height, dst->height, low, high);
    if (w <= 0 || h <= 0)
        return true;
    const uint32_t both = PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL;
    auto copy = [&](const pipe_surface_view &a, const pipe_surface_view &b) {
        resource *from = find_resource(ctx, a.resource), *to = find_resource(ctx, b.resource);
        if (!from || !to || from->fmt->internal != to->fmt->internal)
            return false;
        const pipe_format_desc *f = from->describe();
        if (f->is_depth && f->is_stencil && (mask & both) != both)
            return false; // the other one stays
        ctx->gl->CopyImageSubData(from->name.name, from->target, a.level, x, y,
                                  static_cast<GLint>(a.layer), to->name.name, to->target, b.level,
                                  to_x, to_y, static_cast<GLint>(b.layer), w, h, 1);
        return !host_failed(ctx, "multisample copy");
    };
    bool ok = true;
    if ((mask & PIPE_BUFFER_COLOR0) && src->state->read_buffer >= 0) {
        for (int8_t a : dst->state->draw_buffer) {
            if (a >= 0 && a < 8)
                ok = copy(src->state->color[src->state->read_buffer], dst->state->color[a]) && ok;
        }
    }
    if (mask & (PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL))
        ok = copy(src->state->depth.kind ? src->state->depth : src->state->stencil,
                  dst->state->depth.kind ? dst->state->depth : dst->state->stencil) &&
             ok;
    return ok;
}

void blit(pipe_context *pc, const pipe_blit *p) {
    context *ctx = to_context(pc);
    if (ctx->condition_skips)
        return;
    framebuffer *src = find_framebuffer(ctx, p->src), *dst = find_framebuffer(ctx, p->dst);
    const blit_rect s{p->src_box.x0, p->src_box.y0, p->src_box.x1, p->src_box.y1};
    const blit_rect d{p->dst_box.x0, p->dst_box.y0, p->dst_box.x1, p->dst_box.y1};
    bool ready = bind_draw_framebuffer(ctx, dst) && bind_read_framebuffer(ctx, src);
    // Building one may have bound both targets.
    ready = ready && bind_draw_framebuffer(ctx, dst) && bind_read_framebuffer(ctx, src);
    if (ready && ctx->rs)
        apply_clear_state(ctx, dst);
    if (ready && !setup_failed(ctx, "blit")) {
        condition_scope condition(ctx);
        ctx->dirty |= dirty_framebuffer;
        if (!blit_by_copy(ctx, src, dst, s, d, p->mask)) {
            GLbitfield zs = (p->mask & PIPE_BUFFER_DEPTH ? GL_DEPTH_BUFFER_BIT : 0) |
                            (p->mask & PIPE_BUFFER_STENCIL ? GL_STENCIL_BUFFER_BIT : 0);
            if (zs)
                blit_depth_stencil(ctx, src, dst, s, d, zs);
            if (zs && (p->mask & PIPE_BUFFER_COLOR0)) {
                bind_draw_framebuffer(ctx, dst);
                bind_read_framebuffer(ctx, src);
            }
            if ((p->mask & PIPE_BUFFER_COLOR0) && src->read_format)
                blit_color(ctx, src, dst, s, d, p->filter == PIPE_TEX_FILTER_LINEAR);
        }
    }
    verb_done(ctx, "blit");
}

void generate_mipmap(pipe_context *pc, const pipe_generate_mipmap *p) {
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->texture);
    if (!r || r->is_buffer() || r->target == GL_RENDERBUFFER || p->last_level <= p->base_level)
        return;
    if (r->describe()->is_depth) {
        if (!draw_depth_levels(ctx, r, p))
            log_warning("espryt", "no mipmaps for %s on this host",
                        pipe_format_name(r->desc.format));
        verb_done(ctx, "generate_mipmap");
        return;
    }
    if (!(r->fmt->caps & PIPE_FORMAT_CAP_MIPMAP) || ctx->forced(emulation::mipmap_convert)) {
        if (!convert_levels(ctx, r, p) && !ctx->host_oom)
            log_warning("espryt", "no mipmaps for %s on this host",
                        pipe_format_name(r->desc.format));
        verb_done(ctx, "generate_mipmap");
        return;
    }
    texture_ref t{r->name, r->target, &r->applied};
    unsigned layers = r->desc.target == PIPE_TEXTURE_3D ? 1 : r->level_depth(0);
    bool other = p->format && format_of(p->format).internal != r->fmt->internal;
    if (other || (p->num_layers && p->num_layers != layers && r->desc.target != PIPE_TEXTURE_3D))
        t = texture_as(ctx, r, p->format, r->desc.target, p->first_layer, p->num_layers);
    if (!t.name.name)
        return;
    texture_object_state want;
    if (t.state->known())
        want = *t.state;
    want.base = static_cast<uint16_t>(p->base_level);
    want.max = static_cast<uint16_t>(p->last_level);
    apply_texture_state(ctx, t, want);
    if (ctx->sh.bind_scratch_texture(t.target, t.name)) {
        const bool skip = skips_decode(ctx, r) && ctx->has(feature::srgb_decode);
        if (skip)
            ctx->gl->TexParameteri(t.target, GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT);
        ctx->gl->GenerateMipmap(t.target);
        if (skip)
            ctx->gl->TexParameteri(t.target, GL_TEXTURE_SRGB_DECODE_EXT, GL_DECODE_EXT);
    }
    ctx->dirty |= dirty_textures; // base and maximum level are the view's again at the next draw
    if (host_failed(ctx, "mipmap generation") && !ctx->host_oom && !convert_levels(ctx, r, p))
        log_warning("espryt", "no mipmaps for %s on this host", pipe_format_name(r->desc.format));
    verb_done(ctx, "generate_mipmap");
}

// Texels read from the framebuffer and uploaded: formats that the host draws nothing to.
bool copy_by_read(context *ctx, framebuffer *src, resource *r,
                  const pipe_copy_framebuffer_to_texture *p) {
    const unsigned texel = r->describe()->block_bytes;
    pipe_region g{};
    g.box = {p->dst_x, p->dst_y, p->dst_z, static_cast<int>(p->width), static_cast<int>(p->height),
             1};
    g.row_stride = p->width * texel;
    g.slice_stride = g.row_stride * p->height;
    std::vector<uint8_t> bytes(g.slice_stride);
    return bind_read_framebuffer(ctx, src) &&
           read_color(ctx, src->read_format, p->x, p->y, p->width, p->height,
                      {bytes.data(), bytes.size(), r->desc.format, g.row_stride}) &&
           upload_region(ctx, r, p->level, g, bytes.data(), bytes.size());
}

void copy_framebuffer_to_texture(pipe_context *pc, const pipe_copy_framebuffer_to_texture *p) {
    context *ctx = to_context(pc);
    const gles *gl = ctx->gl;
    framebuffer *src = find_framebuffer(ctx, p->framebuffer);
    resource *r = find_resource(ctx, p->texture);
    if (!r || r->is_buffer() || !bind_read_framebuffer(ctx, src))
        return;
    bool zs = p->mask & (PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL);
    GLbitfield mask = zs ? (p->mask & PIPE_BUFFER_DEPTH ? GL_DEPTH_BUFFER_BIT : 0) |
                               (p->mask & PIPE_BUFFER_STENCIL ? GL_STENCIL_BUFFER_BIT : 0)
                         : GL_COLOR_BUFFER_BIT;
    auto w = static_cast<GLint>(p->width), h = static_cast<GLint>(p->height);
    ctx->sh.enable(GL_SCISSOR_TEST, false);
    ctx->dirty |= dirty_scissor | dirty_framebuffer;
    bool ok = false;
    if (r->fmt->caps & (PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_DEPTH_STENCIL)) {
        GLenum point = depth_stencil_point(r->desc.format);
        ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
        attach(ctx, GL_DRAW_FRAMEBUFFER, point, r, PIPE_FORMAT_NONE, p->level,
               static_cast<unsigned>(p->dst_z), false);
        const GLenum buffer = zs ? GL_NONE : GL_COLOR_ATTACHMENT0;
        gl->DrawBuffers(1, &buffer);
        if (ctx->has(feature::srgb_write_control))
            ctx->sh.enable(GL_FRAMEBUFFER_SRGB_EXT, false);
        gl->BlitFramebuffer(p->x, p->y, p->x + w, p->y + h, p->dst_x, p->dst_y, p->dst_x + w,
                            p->dst_y + h, mask, GL_NEAREST);
        ok = !host_failed(ctx, "copy to texture");
        gl->FramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, point, GL_RENDERBUFFER, 0);
        ctx->sh.state.known = false;
    }
    if (!ok && !zs && !ctx->host_oom && ctx->sh.bind_scratch_texture(r->target, r->name)) {
        auto level = static_cast<GLint>(p->level);
        if (r->target == GL_TEXTURE_2D)
            gl->CopyTexSubImage2D(GL_TEXTURE_2D, level, p->dst_x, p->dst_y, p->x, p->y, w, h);
        else if (r->target == GL_TEXTURE_CUBE_MAP)
            gl->CopyTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + static_cast<GLenum>(p->dst_z),
                                  level, p->dst_x, p->dst_y, p->x, p->y, w, h);
        else
            gl->CopyTexSubImage3D(r->target, level, p->dst_x, p->dst_y, p->dst_z, p->x, p->y, w, h);
        ok = !host_failed(ctx, "copy to texture");
    }
    if (!ok && !zs && !ctx->host_oom)
        ok = copy_by_read(ctx, src, r, p);
    if (!ok && !ctx->host_oom)
        log_warning_once("espryt", "a copy to a texture of %s was refused",
                         pipe_format_name(r->desc.format));
    verb_done(ctx, "copy_framebuffer_to_texture");
}

} // namespace

void init_blit_functions(screen *, context *c) {
    if (!c)
        return;
    c->blit = blit;
    c->generate_mipmap = generate_mipmap;
    c->copy_framebuffer_to_texture = copy_framebuffer_to_texture;
}

} // namespace espryt
