// SPDX-License-Identifier: MIT
// Framebuffer completeness (GL 4.6 section 9.4), attachments as images, the default framebuffer.
#include "glapi/gl_api.h"
#include "objects/framebuffer_util.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

#include <algorithm>

namespace gl {
namespace {

const TexImage *image_of(const Attachment &a) {
    if (a.kind != Attachment::texture || !a.tex || a.level < 0 ||
        a.level >= GLint(kMaxTextureLevels))
        return nullptr;
    const TexImage &im =
        a.tex->image[a.tex->target == GL_TEXTURE_CUBE_MAP ? a.face : 0][size_t(a.level)];
    return im.defined() ? &im : nullptr;
}

GLsizei layers_of(const Texture &t, const TexImage &im) {
    switch (t.target) {
    case GL_TEXTURE_CUBE_MAP: return 6;
    case GL_TEXTURE_1D_ARRAY: return im.height;
    default: return im.depth;
    }
}

// The image exists, is of the class the point needs, and lies in the texture (section 9.4.1).
bool attachment_complete(Context &ctx, const Attachment &a, bool want_color, bool want_depth) {
    const FormatInfo *f = a.format();
    if (!f || a.width() <= 0 || a.height() <= 0)
        return false;
    if (a.kind == Attachment::texture) {
        const TexImage *im = image_of(a);
        if (!a.layered && a.tex->target != GL_TEXTURE_CUBE_MAP && a.layer >= layers_of(*a.tex, *im))
            return false;
        if (a.tex->immutable && a.level >= a.tex->immutable_levels)
            return false;
        if (!a.tex->immutable && a.level != 0) {
            // A level other than the base must be part of a complete chain, or be the base level
            // (section 9.4.1).
            const bool in_range =
                a.level >= a.tex->base_level && unsigned(a.level) <= texture_last_level(*a.tex);
            if (!in_range && a.level != a.tex->base_level)
                return false;
        }
    }
    if (want_color)
        return f->color() && !f->compressed && (f->flags & FormatInfo::color_renderable) &&
               st::format_renderable(ctx, *f);
    return want_depth ? f->depth() : f->stencil();
}

struct Gathered {
    GLsizei width = 0, height = 0, layers = 0, samples = -1;
    GLenum layer_target = 0;
    bool any = false, layered = false, unlayered = false;
    int fixed = -1;
    GLenum problem = GL_FRAMEBUFFER_COMPLETE;
};

void gather(Gathered &g, const Attachment &a) {
    const GLsizei samples = a.samples();
    const bool fixed = a.kind == Attachment::texture ? image_of(a)->fixed_locations : true;
    g.width = g.any ? std::min(g.width, a.width()) : a.width();
    g.height = g.any ? std::min(g.height, a.height()) : a.height();
    if (a.layered)
        g.layers = g.layered ? std::min(g.layers, a.layers()) : a.layers();
    g.any = true;
    if (g.samples >= 0 && g.samples != samples)
        g.problem = GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE;
    if (g.fixed >= 0 && g.fixed != int(fixed) && samples > 0)
        g.problem = GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE;
    g.samples = samples;
    g.fixed = fixed;
    (a.layered ? g.layered : g.unlayered) = true;
    if (a.layered) {
        if (g.layer_target && g.layer_target != a.tex->target)
            g.problem = GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS;
        g.layer_target = a.tex->target;
    }
}

GLenum compute(Context &ctx, Framebuffer &fb) {
    Gathered g;
    for (const Attachment &a : fb.color) {
        if (a.kind == Attachment::none)
            continue;
        if (!attachment_complete(ctx, a, true, false))
            return GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT;
        gather(g, a);
    }
    const Attachment *zs[2] = {&fb.depth, &fb.stencil};
    for (unsigned k = 0; k < 2; k++) {
        if (zs[k]->kind == Attachment::none)
            continue;
        if (!attachment_complete(ctx, *zs[k], false, k == 0))
            return GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT;
        gather(g, *zs[k]);
    }
    if (!g.any) {
        if (fb.default_width <= 0 || fb.default_height <= 0)
            return GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT;
        fb.width = fb.default_width;
        fb.height = fb.default_height;
        fb.samples = fb.default_samples;
        fb.layers = fb.default_layers;
        return GL_FRAMEBUFFER_COMPLETE;
    }
    if (g.problem != GL_FRAMEBUFFER_COMPLETE)
        return g.problem;
    if (g.layered && g.unlayered)
        return GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS;
    // Depth and stencil must be one image: what every host can render (GL_FRAMEBUFFER_UNSUPPORTED
    // is the answer the specification has for it).
    if (fb.depth.kind != Attachment::none && fb.stencil.kind != Attachment::none) {
        const bool same =
            fb.depth.kind == fb.stencil.kind && fb.depth.tex.get() == fb.stencil.tex.get() &&
            fb.depth.rb.get() == fb.stencil.rb.get() && fb.depth.level == fb.stencil.level &&
            fb.depth.layer == fb.stencil.layer && fb.depth.face == fb.stencil.face;
        if (!same)
            return GL_FRAMEBUFFER_UNSUPPORTED;
    }
    fb.width = g.width;
    fb.height = g.height;
    fb.samples = std::max(0, g.samples);
    fb.layers = g.layered ? g.layers : 0;
    return GL_FRAMEBUFFER_COMPLETE;
}

void check_status(Context &ctx, Framebuffer *fb, GLenum &out) {
    out = fb ? framebuffer_status(ctx, *fb) : 0;
}

} // namespace

const FormatInfo *Attachment::format() const {
    if (kind == window)
        return window_format;
    if (kind == renderbuffer)
        return rb ? rb->format : nullptr;
    const TexImage *im = image_of(*this);
    return im ? im->format : nullptr;
}

GLsizei Attachment::width() const {
    if (kind == renderbuffer)
        return rb ? rb->width : 0;
    const TexImage *im = image_of(*this);
    return im ? im->width : 0;
}

GLsizei Attachment::height() const {
    if (kind == renderbuffer)
        return rb ? rb->height : 0;
    const TexImage *im = image_of(*this);
    if (!im)
        return 0;
    return tex->target == GL_TEXTURE_1D_ARRAY ? 1 : im->height;
}

GLsizei Attachment::samples() const {
    if (kind == renderbuffer)
        return rb ? rb->samples : 0;
    const TexImage *im = image_of(*this);
    return im ? im->samples : 0;
}

GLsizei Attachment::layers() const {
    const TexImage *im = image_of(*this);
    return im ? layers_of(*tex, *im) : 0;
}

static uint64_t image_stamp(const Framebuffer &fb) {
    uint64_t stamp = 0;
    const auto add = [&stamp](const Attachment &a) {
        stamp = stamp * 31 + (a.tex ? a.tex->version : a.rb ? a.rb->version : 0);
    };
    for (const Attachment &a : fb.color)
        add(a);
    add(fb.depth);
    add(fb.stencil);
    return stamp;
}

void framebuffer_revisit(Context &ctx, Framebuffer &fb) {
    if (fb.status_valid && fb.status_stamp != image_stamp(fb))
        framebuffer_changed(ctx, fb);
}

GLenum framebuffer_status(Context &ctx, Framebuffer &fb) {
    if (!fb.status_valid) {
        fb.status_stamp = image_stamp(fb);
        if (fb.is_default)
            fb.status = ctx.has_surface ? GL_FRAMEBUFFER_COMPLETE : GL_FRAMEBUFFER_UNDEFINED;
        else
            fb.status = compute(ctx, fb);
        fb.status_valid = true;
    }
    return fb.status;
}

bool require_complete(Context &ctx, Framebuffer &fb, const char *func) {
    if (framebuffer_status(ctx, fb) == GL_FRAMEBUFFER_COMPLETE)
        return true;
    error(ctx, GL_INVALID_FRAMEBUFFER_OPERATION, "%s(framebuffer %u: %s)", func, fb.name,
          enum_name(fb.status));
    return false;
}

namespace {

void fill_default(Context &ctx, Framebuffer &fb, const SurfaceInfo &s, bool exists) {
    fb.color = {};
    fb.depth = fb.stencil = {};
    if (exists) {
        fb.color[0].kind = Attachment::window;
        fb.color[0].window_format = format_info(s.color_format);
        if (s.depth_format != GL_NONE) {
            fb.depth.kind = Attachment::window;
            fb.depth.window_format = format_info(s.depth_format);
        }
        if (s.stencil_format != GL_NONE) {
            fb.stencil.kind = Attachment::window;
            fb.stencil.window_format = format_info(s.stencil_format);
        }
    }
    fb.double_buffered = s.double_buffered;
    fb.width = exists ? s.width : 0;
    fb.height = exists ? s.height : 0;
    fb.samples = exists ? s.samples : 0;
    fb.layers = 0;
    framebuffer_changed(ctx, fb);
}

void initial_buffers(Framebuffer &fb, bool exists) {
    const GLenum first = !exists              ? GLenum(GL_NONE)
                         : fb.double_buffered ? GLenum(GL_BACK)
                                              : GLenum(GL_FRONT);
    fb.draw_buffers = {};
    fb.draw_buffers[0] = fb.read_buffer = first;
    fb.draw_index.fill(-1);
    fb.draw_index[0] = fb.read_index = int8_t(exists ? 0 : -1);
}

} // namespace

void default_framebuffer_update(Context &ctx) {
    // Draw and read buffers get their initial values from the first surface, which may come after a
    // while without one.
    const auto update = [&ctx](Framebuffer &fb, const SurfaceInfo &s) {
        const bool first = !fb.had_surface;
        fill_default(ctx, fb, s, ctx.has_surface);
        if (first)
            initial_buffers(fb, ctx.has_surface);
        fb.had_surface = fb.had_surface || ctx.has_surface;
    };
    update(*ctx.default_draw_fb, ctx.draw_surface);
    if (ctx.default_read_fb.get() != ctx.default_draw_fb.get())
        update(*ctx.default_read_fb, ctx.read_surface);
}

GLenum GL_ENTRY(CheckFramebufferStatus)(Context &ctx, GLenum target) {
    GLenum status = 0;
    check_status(ctx, bound_framebuffer(ctx, target, "glCheckFramebufferStatus"), status);
    return status;
}

GLenum GL_ENTRY(CheckNamedFramebufferStatus)(Context &ctx, GLuint name, GLenum target) {
    const char *func = "glCheckNamedFramebufferStatus";
    GLenum status = 0;
    if (!bound_framebuffer(ctx, target, func))
        return 0;
    Framebuffer *zero =
        target == GL_READ_FRAMEBUFFER ? ctx.default_read_fb.get() : ctx.default_draw_fb.get();
    check_status(ctx, named_framebuffer(ctx, name, zero, func), status);
    return status;
}
} // namespace gl
