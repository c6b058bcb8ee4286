// SPDX-License-Identifier: MIT
// clear, invalidate_framebuffer, clear_buffer, clear_texture.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "drivers_common/format_convert.h"
#include "espryt_blit_tools.h"
#include "espryt_draw.h"
#include "espryt_query.h"
#include "espryt_transfer.h"
#include "util/log.h"

namespace espryt {

namespace {

// What the host, which encodes, has to be given so that this is stored.
float decoded(float stored) {
    return stored > 0.04045f ? std::pow((stored + 0.055f) / 1.055f, 2.4f) : stored / 12.92f;
}

// The host refuses a clear whose value class is not the buffer's; GL calls the result undefined, so
// convert.
void clear_color(context *ctx, const framebuffer *fb, unsigned i, const pipe_clear *p) {
    const gles *gl = ctx->gl;
    apply_clear_mask(ctx, i);
    const pipe_format_desc *d = pipe_format_describe(fb->output_format[i]);
    bool sint = d->is_integer && d->is_signed, uint = d->is_integer && !d->is_signed;
    float f[4];
    memcpy(f, p->color.word, sizeof(f));
    if (sint) {
        GLint v[4];
        for (int c = 0; c < 4; c++)
            v[c] = p->cls == PIPE_VALUE_FLOAT ? GLint(f[c]) : GLint(p->color.word[c]);
        gl->ClearBufferiv(GL_COLOR, static_cast<GLint>(i), v);
    } else if (uint) {
        GLuint v[4];
        for (int c = 0; c < 4; c++)
            v[c] = p->cls == PIPE_VALUE_FLOAT ? GLuint(std::max(0.0f, f[c])) : p->color.word[c];
        gl->ClearBufferuiv(GL_COLOR, static_cast<GLint>(i), v);
    } else {
        if (p->cls == PIPE_VALUE_SINT) {
            for (int c = 0; c < 4; c++)
                f[c] = static_cast<float>(int32_t(p->color.word[c]));
        } else if (p->cls == PIPE_VALUE_UINT) {
            for (int c = 0; c < 4; c++)
                f[c] = static_cast<float>(p->color.word[c]);
        }
        if (decoded_targets(ctx, fb) >> i & 1) {
            for (int c = 0; c < 3; c++)
                f[c] = decoded(f[c]);
        }
        gl->ClearBufferfv(GL_COLOR, static_cast<GLint>(i), f);
    }
}

void clear_depth_stencil(context *ctx, const pipe_clear *p) {
    const bool depth = p->mask & PIPE_BUFFER_DEPTH, stencil = p->mask & PIPE_BUFFER_STENCIL;
    const auto s = static_cast<GLint>(p->stencil);
    if (depth && stencil)
        ctx->gl->ClearBufferfi(GL_DEPTH_STENCIL, 0, p->depth, s);
    else if (depth)
        ctx->gl->ClearBufferfv(GL_DEPTH, 0, &p->depth);
    else if (stencil)
        ctx->gl->ClearBufferiv(GL_STENCIL, 0, &s);
}

// One attachment at a time: the host clears as many layers as the least attachment has, GL all of
// each.
void clear_each(context *ctx, const framebuffer *fb, const pipe_clear *p) {
    emulated(emulation::layered_clear);
    for (int i = -1; i < 8; i++) {
        if (i < 0 ? !(p->mask & (PIPE_BUFFER_DEPTH | PIPE_BUFFER_STENCIL))
                  : !(p->mask >> i & 1) || fb->output_format[i] == PIPE_FORMAT_NONE)
            continue;
        if (bind_lone_attachment(ctx, fb, i)) {
            if (i < 0)
                clear_depth_stencil(ctx, p);
            else
                clear_color(ctx, fb, static_cast<unsigned>(i), p);
        }
        release_lone_attachment(ctx, i);
    }
}

void clear(pipe_context *pc, const pipe_clear *p) {
    context *ctx = to_context(pc);
    if (ctx->condition_skips)
        return;
    framebuffer *fb = find_framebuffer(ctx, p->framebuffer);
    bool ready = bind_draw_framebuffer(ctx, fb);
    if (ready && ctx->rs)
        apply_clear_state(ctx, fb);
    if (ready && !setup_failed(ctx, "clear state")) {
        condition_scope condition(ctx);
        const bool each =
            fb->mixed_layers || (ctx->forced(emulation::layered_clear) && fb != ctx->default_fb);
        for (unsigned i = 0; i < 8 && !each; i++) {
            if ((p->mask >> i & 1) && fb->output_format[i] != PIPE_FORMAT_NONE)
                clear_color(ctx, fb, i, p);
        }
        if (each)
            clear_each(ctx, fb, p);
        else
            clear_depth_stencil(ctx, p);
        ctx->dirty |= dirty_framebuffer; // the next draw binds its own again
    }
    verb_done(ctx, "clear");
}

void invalidate_framebuffer(pipe_context *pc, const pipe_invalidate_framebuffer *p) {
    context *ctx = to_context(pc);
    framebuffer *fb = find_framebuffer(ctx, p->framebuffer);
    if (!bind_draw_framebuffer(ctx, fb))
        return;
    GLenum list[10];
    GLsizei n = 0;
    for (unsigned i = 0; i < 8;
         i++) { // COLORn is attachment n; its place on the host is the draw buffer that names it
        for (unsigned o = 0; o < 8; o++) {
            if ((p->mask >> i & 1) && fb->state->draw_buffer[o] == static_cast<int>(i) &&
                fb->output_format[o])
                list[n++] = GL_COLOR_ATTACHMENT0 + o;
        }
    }
    if (p->mask & PIPE_BUFFER_DEPTH)
        list[n++] = GL_DEPTH_ATTACHMENT;
    if (p->mask & PIPE_BUFFER_STENCIL)
        list[n++] = GL_STENCIL_ATTACHMENT;
    if (n && p->has_box)
        ctx->gl->InvalidateSubFramebuffer(GL_DRAW_FRAMEBUFFER, n, list, p->box.x, p->box.y,
                                          p->box.width, p->box.height);
    else if (n)
        ctx->gl->InvalidateFramebuffer(GL_DRAW_FRAMEBUFFER, n, list);
    ctx->dirty |= dirty_framebuffer;
    verb_done(ctx, "invalidate_framebuffer");
}

void clear_buffer(pipe_context *pc, const pipe_clear_buffer *p) {
    context *ctx = to_context(pc);
    resource *b = find_resource(ctx, p->buffer);
    if (!b || !p->pattern_size || p->pattern_size > 16 || p->offset > b->desc.size ||
        p->size > b->desc.size - p->offset)
        return;
    std::vector<uint8_t> bytes(p->size);
    for (uint64_t at = 0; at < p->size; at += p->pattern_size)
        memcpy(bytes.data() + at, p->pattern, std::min<uint64_t>(p->pattern_size, p->size - at));
    buffer_write(ctx, b, p->offset, p->size, bytes.data());
    verb_done(ctx, "clear_buffer");
}

// One texel of the resource's format (depth and stencil: as they cross) to the bound attachment.
void clear_to_texel(context *ctx, const resource *r, const uint8_t *texel, bool decode) {
    const gles *gl = ctx->gl;
    const pipe_format_desc *d = r->describe();
    if (d->is_depth || d->is_stencil) {
        float depth;
        memcpy(&depth, texel, 4);
        const GLint stencil = texel[4];
        if (d->is_depth && d->is_stencil)
            gl->ClearBufferfi(GL_DEPTH_STENCIL, 0, depth, stencil);
        else if (d->is_depth)
            gl->ClearBufferfv(GL_DEPTH, 0, &depth);
        else
            gl->ClearBufferiv(GL_STENCIL, 0, &stencil);
        return;
    }
    union {
        GLfloat f[4];
        GLint i[4];
        GLuint u[4];
    } v = {};
    const uint32_t wide = !d->is_integer ? PIPE_FORMAT_R32G32B32A32_FLOAT
                          : d->is_signed ? PIPE_FORMAT_R32G32B32A32_SINT
                                         : PIPE_FORMAT_R32G32B32A32_UINT;
    uint8_t from[16];
    memcpy(from, texel, sizeof(from));
    drivers_common::convert_texels({reinterpret_cast<uint8_t *>(&v), wide, 16, 16},
                                   {from, r->desc.format, 16, 16}, 1, 1, 1);
    for (int c = 0; decode && c < 3; c++)
        v.f[c] = decoded(v.f[c]);
    if (!d->is_integer)
        gl->ClearBufferfv(GL_COLOR, 0, v.f);
    else if (d->is_signed)
        gl->ClearBufferiv(GL_COLOR, 0, v.i);
    else
        gl->ClearBufferuiv(GL_COLOR, 0, v.u);
}

// A texture of several samples takes no texels: its layers are cleared as attachments.
void clear_samples(context *ctx, resource *r, const pipe_clear_texture *p) {
    const gles *gl = ctx->gl;
    const pipe_box &b = p->box;
    const pipe_format_desc *d = r->describe();
    const bool zs = d->is_depth || d->is_stencil;
    const GLenum point = zs ? depth_stencil_point(r->desc.format) : GL_COLOR_ATTACHMENT0;
    const GLenum buffer = zs ? GL_NONE : point;
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    gl->DrawBuffers(1, &buffer);
    begin_internal(ctx, b.x, b.y, b.width, b.height);
    const int box[4] = {b.x, b.y, b.width, b.height};
    ctx->sh.enable(GL_SCISSOR_TEST, true);
    ctx->sh.scissor(box);
    ctx->sh.depth_mask(true);
    ctx->sh.stencil_mask(GL_FRONT, ~0u);
    ctx->sh.stencil_mask(GL_BACK, ~0u);
    const bool raw = ctx->has(feature::srgb_write_control);
    if (raw)
        ctx->sh.enable(GL_FRAMEBUFFER_SRGB_EXT, false); // the texel is what is stored
    for (int z = b.z; z < b.z + b.depth; z++)
        if (attach(ctx, GL_DRAW_FRAMEBUFFER, point, r, PIPE_FORMAT_NONE, p->level,
                   static_cast<unsigned>(z), false))
            clear_to_texel(ctx, r, p->texel, d->is_srgb && !raw);
    gl->FramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, point, GL_RENDERBUFFER, 0);
    end_internal(ctx);
}

void clear_texture(pipe_context *pc, const pipe_clear_texture *p) {
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->texture);
    if (!r || r->is_buffer() || r->target == GL_RENDERBUFFER)
        return;
    const pipe_box &b = p->box;
    if (r->desc.samples > 1) {
        clear_samples(ctx, r, p);
        verb_done(ctx, "clear_texture");
        return;
    }
    const pipe_format_desc *d = r->describe();
    bool zs = d->is_depth || d->is_stencil;
    uint8_t texel[16];
    memcpy(texel, p->texel, sizeof(texel));
    if (zs) {
        drivers_common::convert_texels(
            {texel, r->desc.format, 16, 16},
            {const_cast<uint8_t *>(p->texel), PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, 16, 16}, 1, 1, 1);
    }
    if (ctx->has(feature::clear_texture) && !r->fmt->widened && r->fmt->format && !zs &&
        !ctx->forced(emulation::clear_by_upload)) {
        int z = r->desc.target == PIPE_TEXTURE_CUBE || r->level_depth(p->level) > 1 ? b.z : 0;
        ctx->gl->ClearTexSubImageEXT(r->name.name, static_cast<GLint>(p->level), b.x, b.y, z,
                                     b.width, b.height, b.depth, r->fmt->format, r->fmt->type,
                                     texel);
    } else {
        emulated(emulation::clear_by_upload);
        uint64_t n = uint64_t(b.width) * uint64_t(b.height) * uint64_t(b.depth);
        std::vector<uint8_t> bytes(n * d->block_bytes);
        for (uint64_t i = 0; i < n; i++)
            memcpy(bytes.data() + i * d->block_bytes, texel, d->block_bytes);
        pipe_region region{b, 0, static_cast<uint32_t>(b.width) * d->block_bytes,
                           static_cast<uint32_t>(b.width * b.height) * d->block_bytes};
        upload_region(ctx, r, p->level, region, bytes.data(), bytes.size());
    }
    verb_done(ctx, "clear_texture");
}

} // namespace

void init_clear_functions(screen *, context *c) {
    if (!c)
        return;
    c->clear = clear;
    c->invalidate_framebuffer = invalidate_framebuffer;
    c->clear_buffer = clear_buffer;
    c->clear_texture = clear_texture;
}

} // namespace espryt
