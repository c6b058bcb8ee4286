// SPDX-License-Identifier: MIT
// Framebuffer twins: building, draw-buffer permutation, binding.
#include "espryt_framebuffer.h"

#include <algorithm>

#include "espryt_query.h"
#include "util/log.h"

namespace espryt {

GLenum depth_stencil_point(uint32_t format) {
    const pipe_format_desc *d = pipe_format_describe(format);
    return d->is_depth && d->is_stencil ? GL_DEPTH_STENCIL_ATTACHMENT
           : d->is_stencil              ? GL_STENCIL_ATTACHMENT
           : d->is_depth                ? GL_DEPTH_ATTACHMENT
                                        : GL_COLOR_ATTACHMENT0;
}

bool attach(context *ctx, GLenum target, GLenum point, resource *r, uint32_t format, unsigned level,
            unsigned layer, bool layered) {
    const gles *gl = ctx->gl;
    if (r->target == GL_RENDERBUFFER) {
        gl->FramebufferRenderbuffer(target, point, GL_RENDERBUFFER, r->name.name);
        return true;
    }
    texture_ref t{r->name, r->target, nullptr};
    if (format != PIPE_FORMAT_NONE && format_of(format).internal != r->fmt->internal &&
        format_of(format).internal)
        t = texture_as(ctx, r, format, r->desc.target, 0, 0);
    if (!t.name.name)
        return false;
    if (layered && r->target != GL_TEXTURE_2D && r->target != GL_TEXTURE_2D_MULTISAMPLE) {
        if (!gl->FramebufferTexture)
            return false;
        gl->FramebufferTexture(target, point, t.name.name, static_cast<GLint>(level));
        return true;
    }
    switch (t.target) {
    case GL_TEXTURE_2D:
    case GL_TEXTURE_2D_MULTISAMPLE:
        gl->FramebufferTexture2D(target, point, t.target, t.name.name, static_cast<GLint>(level));
        break;
    case GL_TEXTURE_CUBE_MAP:
        gl->FramebufferTexture2D(target, point, GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer, t.name.name,
                                 static_cast<GLint>(level));
        break;
    default:
        gl->FramebufferTextureLayer(target, point, t.name.name, static_cast<GLint>(level),
                                    static_cast<GLint>(layer));
        break;
    }
    return true;
}

namespace {

void drop_refs(context *ctx, framebuffer *f) {
    for (unsigned i = 0; i < f->num_refs; i++)
        resource_unref(ctx, ctx->scr, f->refs[i]);
    f->num_refs = 0;
}

void drop_host(context *ctx, framebuffer *f) {
    for (host_name *n : {&f->draw, &f->read}) {
        if (!n->name || (n == &f->read && f->read == f->draw))
            continue;
        ctx->sh.forget_framebuffer(*n);
        ctx->gl->DeleteFramebuffers(1, &n->name);
    }
    f->draw = f->read = {};
    f->built = false;
}

host_name new_fbo(context *ctx) {
    host_name n;
    ctx->gl->GenFramebuffers(1, &n.name);
    n.serial = next_serial();
    return n;
}

// Attaches one surface view; surfaces of the default framebuffer come from lane_current.
bool attach_view(context *ctx, GLenum target, GLenum point, const pipe_surface_view &v, surface *s,
                 bool depth) {
    const gles *gl = ctx->gl;
    if (v.kind == PIPE_ATTACHMENT_SURFACE) {
        host_name n = s ? (depth ? s->depth : s->color) : host_name{};
        if (!n.name)
            return false;
        if (depth)
            point = depth_stencil_point(s->depth_format);
        gl->FramebufferRenderbuffer(target, point, GL_RENDERBUFFER, n.name);
        return true;
    }
    resource *r = find_resource(ctx, v.resource);
    return r && attach(ctx, target, point, r, v.format, v.level, v.layer, v.layered);
}

uint32_t view_format(context *ctx, const pipe_surface_view &v, surface *s, bool depth) {
    if (v.kind == PIPE_ATTACHMENT_NONE)
        return PIPE_FORMAT_NONE;
    if (v.kind == PIPE_ATTACHMENT_SURFACE)
        return s ? (depth ? s->depth_format : s->color_format) : uint32_t(PIPE_FORMAT_NONE);
    if (v.format != PIPE_FORMAT_NONE)
        return v.format;
    resource *r = find_resource(ctx, v.resource);
    return r ? r->desc.format : uint32_t(PIPE_FORMAT_NONE);
}

bool attach_depth_stencil(context *ctx, GLenum target, const framebuffer *f, surface *s) {
    const pipe_set_framebuffer_state &st = f->state;
    bool ok = true;
    if (st.depth.kind == PIPE_ATTACHMENT_SURFACE || st.stencil.kind == PIPE_ATTACHMENT_SURFACE) {
        if (s && s->depth.name)
            ok = attach_view(ctx, target, 0, st.depth.kind ? st.depth : st.stencil, s, true);
        return ok;
    }
    bool same = st.depth.kind && st.stencil.kind && st.depth.resource == st.stencil.resource &&
                st.depth.level == st.stencil.level && st.depth.layer == st.stencil.layer;
    if (same)
        return attach_view(ctx, target, GL_DEPTH_STENCIL_ATTACHMENT, st.depth, s, true);
    if (st.depth.kind)
        ok = attach_view(ctx, target, GL_DEPTH_ATTACHMENT, st.depth, s, true) && ok;
    if (st.stencil.kind)
        ok = attach_view(ctx, target, GL_STENCIL_ATTACHMENT, st.stencil, s, true) && ok;
    return ok;
}

unsigned layers_of(context *ctx, const pipe_surface_view &v) {
    const resource *r = v.layered ? find_resource(ctx, v.resource) : nullptr;
    return r ? r->level_depth(r->desc.target == PIPE_TEXTURE_3D ? v.level : 0) : 0;
}

// The host draws and clears as many layers as the least attachment has.
bool differ_in_layers(context *ctx, const framebuffer *f) {
    const pipe_set_framebuffer_state &st = f->state;
    unsigned least = ~0u, most = 0;
    auto count = [&](const pipe_surface_view &v) {
        if (const unsigned n = v.kind == PIPE_ATTACHMENT_TEXTURE ? layers_of(ctx, v) : 0) {
            least = std::min(least, n);
            most = std::max(most, n);
        }
    };
    for (unsigned i = 0; i < 8; i++) {
        if (f->output_format[i])
            count(st.color[st.draw_buffer[i]]);
    }
    count(st.depth);
    count(st.stencil);
    return most > least;
}

// GL called it complete. A refused attachment was reported when it was made.
bool status_ok(context *ctx, const framebuffer *f, const char *which) {
    GLenum status = ctx->gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (host_failed(ctx, "framebuffer"))
        return false;
    if (status == GL_FRAMEBUFFER_COMPLETE)
        return true;
    bool bad = false;
    for (unsigned i = 0; i < f->num_refs; i++)
        bad = bad || f->refs[i]->bad;
    if (!bad)
        log_warning("espryt", "the host's %s framebuffer is incomplete (0x%x)", which, status);
    return false;
}

void build_draw(context *ctx, framebuffer *f, surface *s) {
    const gles *gl = ctx->gl;
    const pipe_set_framebuffer_state &st = f->state;
    f->draw = new_fbo(ctx);
    ctx->sh.bind_framebuffer(GL_FRAMEBUFFER, f->draw);
    GLenum bufs[8];
    unsigned limit = ctx->scr->caps.max_color_buffers, n = 0;
    f->read_point = GL_NONE;
    f->alpha_one_mask = f->srgb_mask = 0;
    bool ok = true, any = false, moved = false;
    for (unsigned i = 0; i < 8; i++) {
        bufs[i] = GL_NONE;
        f->output_format[i] = PIPE_FORMAT_NONE;
        int a = st.draw_buffer[i];
        if (a < 0 || a >= 8 || i >= limit || !st.color[a].kind)
            continue;
        if (st.color[a].kind == PIPE_ATTACHMENT_SURFACE && !s)
            continue;
        ok =
            attach_view(ctx, GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, st.color[a], s, false) && ok;
        bufs[i] = GL_COLOR_ATTACHMENT0 + i;
        n = i + 1;
        any = true;
        moved = moved || static_cast<unsigned>(a) != i;
        f->output_format[i] = view_format(ctx, st.color[a], s, false);
        if (format_of(f->output_format[i]).alpha_is_one)
            f->alpha_one_mask |= 1u << i;
        if (pipe_format_describe(f->output_format[i])->is_srgb)
            f->srgb_mask |= 1u << i;
        if (a == st.read_buffer)
            f->read_point = GL_COLOR_ATTACHMENT0 + i;
    }
    if (moved)
        emulated(emulation::draw_buffers);
    bool has_ds = st.depth.kind || st.stencil.kind;
    ok = attach_depth_stencil(ctx, GL_FRAMEBUFFER, f, s) && ok;
    gl->DrawBuffers(static_cast<GLsizei>(n ? n : 1), bufs);
    gl->ReadBuffer(f->read_point);
    f->mixed_layers = differ_in_layers(ctx, f);
    if (!any && !has_ds) {
        gl->FramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH,
                                  static_cast<GLint>(st.width));
        gl->FramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT,
                                  static_cast<GLint>(st.height));
        gl->FramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_SAMPLES,
                                  st.samples > 1 ? st.samples : 0);
        if (ctx->has(feature::geometry_shader))
            gl->FramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_LAYERS,
                                      static_cast<GLint>(st.layers));
    }
    f->complete = status_ok(ctx, f, "draw") && ok;
}

void build_read(context *ctx, framebuffer *f, surface *s) {
    const pipe_set_framebuffer_state &st = f->state;
    int a = st.read_buffer;
    bool want = a >= 0 && a < 8 && st.color[a].kind;
    f->read_format = want ? view_format(ctx, st.color[a], s, false) : uint32_t(PIPE_FORMAT_NONE);
    f->read_samples = want ? std::max<uint8_t>(1, st.color[a].samples) : f->samples;
    bool same_surface =
        ctx->draw_surface == ctx->read_surface || st.color[0].kind != PIPE_ATTACHMENT_SURFACE;
    if ((!want || f->read_point != GL_NONE) && same_surface) {
        f->read = f->draw;
        f->readable = f->complete;
        return;
    }
    f->read = new_fbo(ctx);
    ctx->sh.bind_framebuffer(GL_FRAMEBUFFER, f->read);
    if (want)
        attach_view(ctx, GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, st.color[a], s, false);
    attach_depth_stencil(ctx, GL_FRAMEBUFFER, f, s);
    ctx->gl->ReadBuffer(want ? GL_COLOR_ATTACHMENT0 : GL_NONE);
    GLenum draw = want ? GL_COLOR_ATTACHMENT0 : GL_NONE;
    ctx->gl->DrawBuffers(1, &draw);
    f->readable = status_ok(ctx, f, "read");
}

void take_refs(context *ctx, framebuffer *f) {
    auto take = [&](const pipe_surface_view &v) {
        resource *r = v.kind == PIPE_ATTACHMENT_TEXTURE || v.kind == PIPE_ATTACHMENT_RENDERBUFFER
                          ? ctx->scr->resources.find(v.resource)
                          : nullptr;
        if (r && f->num_refs < 11) {
            resource_ref(r);
            f->refs[f->num_refs++] = r;
        }
    };
    for (const pipe_surface_view &v : f->state->color)
        take(v);
    take(f->state->depth);
    take(f->state->stencil);
}

bool prepare(context *ctx, framebuffer *f) {
    surface *draw_s = find_surface(ctx->draw_surface), *read_s = find_surface(ctx->read_surface);
    uint32_t serials[2] = {draw_s ? draw_s->serial : 0, read_s ? read_s->serial : 0};
    uint32_t epoch = ctx->scr->attach_epoch.load(std::memory_order_relaxed);
    bool is_default = f == ctx->default_fb;
    if (f->built && f->attach_epoch == epoch &&
        (!is_default || (f->surface_serial[0] == serials[0] && f->surface_serial[1] == serials[1])))
        return f->complete;
    drop_host(ctx, f);
    f->samples = std::max<uint8_t>(1, f->state->samples);
    if (is_default && draw_s) {
        f->width = draw_s->width;
        f->height = draw_s->height;
        f->samples = static_cast<uint8_t>(std::max(1u, draw_s->samples));
    } else if (!is_default) {
        f->width = f->state->width;
        f->height = f->state->height;
    }
    build_draw(ctx, f, draw_s);
    build_read(ctx, f, read_s);
    if (is_default && read_s)
        f->read_samples = static_cast<uint8_t>(std::max(1u, read_s->samples));
    f->depth_format = view_format(ctx, f->state->depth, draw_s, true);
    f->stencil_format = view_format(ctx, f->state->stencil, draw_s, true);
    f->built = !ctx->host_oom; // else tried again at the next use
    f->attach_epoch = epoch;
    f->surface_serial[0] = serials[0];
    f->surface_serial[1] = serials[1];
    return f->complete;
}

void set_framebuffer_state(pipe_context *pc, const pipe_set_framebuffer_state *p) {
    context *ctx = to_context(pc);
    framebuffer *f;
    if (pipe_handle_is_default_framebuffer(p->framebuffer)) {
        default_framebuffer_changed(ctx);
        f = ctx->default_fb;
    } else {
        f = ctx->framebuffers.find(p->framebuffer);
        if (!f) {
            if (framebuffer *old = ctx->framebuffers.take_slot(p->framebuffer)) {
                drop_host(ctx, old);
                drop_refs(ctx, old);
                delete old;
            }
            f = new framebuffer;
            if (!ctx->framebuffers.insert(p->framebuffer, f)) {
                delete f;
                return;
            }
        }
    }
    drop_host(ctx, f);
    drop_refs(ctx, f);
    f->state = *p;
    take_refs(ctx, f);
    ctx->dirty |= dirty_framebuffer;
    verb_done(ctx, "set_framebuffer_state");
}

void bind_framebuffers(pipe_context *pc, const pipe_bind_framebuffers *p) {
    context *ctx = to_context(pc);
    ctx->draw_fb = p->draw;
    ctx->read_fb = p->read;
    ctx->dirty |= dirty_framebuffer | dirty_render_state | dirty_scissor;
}

void destroy_object(pipe_context *pc, const pipe_destroy_object *p) {
    context *ctx = to_context(pc);
    if (p->kind == PIPE_HANDLE_STREAM_OUTPUT)
        stream_output_destroy(ctx, p->object);
    else if (p->kind != PIPE_HANDLE_FRAMEBUFFER)
        return;
    else if (framebuffer *f = ctx->framebuffers.take(p->object)) {
        drop_host(ctx, f);
        drop_refs(ctx, f);
        delete f;
    }
    verb_done(ctx, "destroy_object");
}

} // namespace

framebuffer *find_framebuffer(context *ctx, pipe_handle h) {
    if (pipe_handle_is_default_framebuffer(h)) {
        if (!ctx->default_fb)
            default_framebuffer_changed(ctx);
        return ctx->default_fb;
    }
    return ctx->framebuffers.find(h);
}

void default_framebuffer_changed(context *ctx) {
    if (!ctx->default_fb) {
        ctx->default_fb = new framebuffer;
        pipe_set_framebuffer_state &st = ctx->default_fb->state.fill();
        st.framebuffer = pipe_default_framebuffer();
        st.color[0].kind = st.depth.kind = st.stencil.kind = PIPE_ATTACHMENT_SURFACE;
        std::fill(std::begin(st.draw_buffer), std::end(st.draw_buffer), int8_t(-1));
        st.draw_buffer[0] = 0;
        st.read_buffer = 0;
        st.complete = 1;
    }
    drop_host(ctx, ctx->default_fb);
    ctx->dirty |= dirty_framebuffer;
}

bool bind_draw_framebuffer(context *ctx, framebuffer *f) {
    if (!f || !prepare(ctx, f))
        return false;
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, f->draw);
    return true;
}

bool bind_read_framebuffer(context *ctx, framebuffer *f) {
    if (!f)
        return false;
    prepare(ctx, f);
    if (!f->read.name || !f->readable)
        return false;
    ctx->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, f->read);
    return true;
}

void framebuffers_destroy(context *ctx) {
    ctx->framebuffers.each([&](framebuffer *f) {
        drop_host(ctx, f);
        drop_refs(ctx, f);
        delete f;
    });
    if (ctx->default_fb) {
        drop_host(ctx, ctx->default_fb);
        drop_refs(ctx, ctx->default_fb);
        delete ctx->default_fb;
        ctx->default_fb = nullptr;
    }
}

bool bind_lone_attachment(context *ctx, const framebuffer *f, int output) {
    const gles *gl = ctx->gl;
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, ctx->scratch_fbo[1]);
    GLenum bufs[8] = {};
    bool ok;
    if (output < 0) {
        ok = attach_depth_stencil(ctx, GL_DRAW_FRAMEBUFFER, f, nullptr);
        gl->DrawBuffers(1, bufs);
    } else {
        const auto i = static_cast<unsigned>(output);
        bufs[i] = GL_COLOR_ATTACHMENT0 + i;
        ok = attach_view(ctx, GL_DRAW_FRAMEBUFFER, bufs[i],
                         f->state->color[f->state->draw_buffer[i]], nullptr, false);
        gl->DrawBuffers(output + 1, bufs);
    }
    return ok && gl->CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

void release_lone_attachment(context *ctx, int output) {
    const GLenum point = output < 0 ? GL_DEPTH_STENCIL_ATTACHMENT
                                    : GL_COLOR_ATTACHMENT0 + static_cast<unsigned>(output);
    ctx->gl->FramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, point, GL_RENDERBUFFER, 0);
}

void init_framebuffer_functions(screen *s, context *c) {
    if (s)
        s->destroy_object = destroy_object;
    if (!c)
        return;
    c->set_framebuffer_state = set_framebuffer_state;
    c->bind_framebuffers = bind_framebuffers;
}

} // namespace espryt
