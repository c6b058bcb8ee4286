// SPDX-License-Identifier: MIT
// Renderbuffer objects (GL 4.6 section 9.2.4).
#include "objects/renderbuffer.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

Renderbuffer::~Renderbuffer() {
    st::renderbuffer_destroy(*this);
}

Renderbuffer *lookup_renderbuffer(Context &ctx, GLuint name) {
    return name ? ctx.group->renderbuffers.find(name) : nullptr;
}

namespace {

Renderbuffer *make(Context &ctx, GLuint name) {
    auto *r = new Renderbuffer;
    r->group = ctx.group.get();
    return ctx.group->renderbuffers.insert(name, r);
}

Renderbuffer *named(Context &ctx, GLuint name, const char *func) {
    Renderbuffer *r = lookup_renderbuffer(ctx, name);
    if (!r)
        error(ctx, GL_INVALID_OPERATION, "%s(renderbuffer %u does not exist)", func, name);
    return r;
}

Renderbuffer *bound(Context &ctx, GLenum target, const char *func) {
    if (target != GL_RENDERBUFFER) {
        error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
        return nullptr;
    }
    if (!ctx.renderbuffer)
        error(ctx, GL_INVALID_OPERATION, "%s(no renderbuffer is bound)", func);
    return ctx.renderbuffer.get();
}

void storage(Context &ctx, Renderbuffer *r, GLsizei samples, GLenum internal, GLsizei w, GLsizei h,
             const char *func) {
    if (!r)
        return;
    const FormatInfo *f = renderable_format(internal);
    if (!f)
        return error(ctx, GL_INVALID_ENUM, "%s(internalformat %s)", func, enum_name(internal));
    const Limits &l = ctx.limits();
    if (w < 0 || h < 0 || w > l.renderbuffer_size || h > l.renderbuffer_size)
        return error(ctx, GL_INVALID_VALUE, "%s(size %d x %d)", func, w, h);
    if (samples < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(samples %d)", func, samples);
    if (samples > (f->integer() && f->color() ? l.integer_samples : l.samples))
        return error(ctx, GL_INVALID_OPERATION, "%s(samples %d)", func, samples);
    r->format = f;
    r->internal_format = internal;
    r->width = w;
    r->height = h;
    r->samples = samples;
    r->version++;
    r->texture.reset();
    st::renderbuffer_storage(ctx, *r);
    framebuffers_renderbuffer_changed(ctx, *r);
}

void parameter(Context &ctx, const Renderbuffer *r, GLenum pname, GLint *v, const char *func) {
    if (!r)
        return;
    const FormatInfo none{};
    const FormatInfo &f = r->format ? *r->format : none;
    switch (pname) {
    case GL_RENDERBUFFER_WIDTH: *v = r->width; return;
    case GL_RENDERBUFFER_HEIGHT: *v = r->height; return;
    case GL_RENDERBUFFER_INTERNAL_FORMAT: *v = GLint(r->internal_format); return;
    case GL_RENDERBUFFER_SAMPLES: *v = r->samples; return;
    case GL_RENDERBUFFER_RED_SIZE: *v = f.r; return;
    case GL_RENDERBUFFER_GREEN_SIZE: *v = f.g; return;
    case GL_RENDERBUFFER_BLUE_SIZE: *v = f.b; return;
    case GL_RENDERBUFFER_ALPHA_SIZE: *v = f.a; return;
    case GL_RENDERBUFFER_DEPTH_SIZE: *v = f.d; return;
    case GL_RENDERBUFFER_STENCIL_SIZE: *v = f.s; return;
    default: error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    }
}

// `any_name`: a name that was not generated makes an object too.
void bind_name(Context &ctx, GLenum target, GLuint name, bool any_name, const char *func) {
    if (target != GL_RENDERBUFFER)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    Renderbuffer *r = lookup_renderbuffer(ctx, name);
    if (name && !r) {
        if (!any_name && !ctx.group->renderbuffers.known(name))
            return error(ctx, GL_INVALID_OPERATION, "%s(renderbuffer %u was not generated)", func,
                         name);
        r = make(ctx, name);
    }
    if (r)
        r->ever_bound = true;
    ctx.renderbuffer = Ref<Renderbuffer>(r);
}

} // namespace

void GL_ENTRY(GenRenderbuffers)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glGenRenderbuffers(n < 0)");
    ctx.group->renderbuffers.gen(unsigned(n), names);
}

void GL_ENTRY(CreateRenderbuffers)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glCreateRenderbuffers(n < 0)");
    ctx.group->renderbuffers.gen(unsigned(n), names);
    for (GLsizei i = 0; i < n; i++)
        make(ctx, names[i])->ever_bound = true;
}

void GL_ENTRY(BindRenderbuffer)(Context &ctx, GLenum target, GLuint name) {
    bind_name(ctx, target, name, false, "glBindRenderbuffer");
}
// EXT_framebuffer_object: a name need not be generated.
void GL_ENTRY(BindRenderbufferEXT)(Context &ctx, GLenum target, GLuint name) {
    bind_name(ctx, target, name, true, "glBindRenderbufferEXT");
}

void GL_ENTRY(DeleteRenderbuffers)(Context &ctx, GLsizei n, const GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteRenderbuffers(n < 0)");
    for (GLsizei i = 0; i < n; i++) {
        Ref<Renderbuffer> r =
            names[i] ? ctx.group->renderbuffers.remove(names[i]) : Ref<Renderbuffer>();
        if (!r)
            continue;
        if (ctx.renderbuffer.get() == r.get())
            ctx.renderbuffer.reset();
        detach_deleted_renderbuffer(ctx, *r);
    }
}

GLboolean GL_ENTRY(IsRenderbuffer)(Context &ctx, GLuint name) {
    const Renderbuffer *r = lookup_renderbuffer(ctx, name);
    return r && r->ever_bound;
}

void GL_ENTRY(RenderbufferStorage)(Context &ctx, GLenum target, GLenum internal, GLsizei w,
                                   GLsizei h) {
    storage(ctx, bound(ctx, target, "glRenderbufferStorage"), 0, internal, w, h,
            "glRenderbufferStorage");
}
void GL_ENTRY(RenderbufferStorageMultisample)(Context &ctx, GLenum target, GLsizei samples,
                                              GLenum internal, GLsizei w, GLsizei h) {
    storage(ctx, bound(ctx, target, "glRenderbufferStorageMultisample"), samples, internal, w, h,
            "glRenderbufferStorageMultisample");
}
void GL_ENTRY(NamedRenderbufferStorage)(Context &ctx, GLuint name, GLenum internal, GLsizei w,
                                        GLsizei h) {
    storage(ctx, named(ctx, name, "glNamedRenderbufferStorage"), 0, internal, w, h,
            "glNamedRenderbufferStorage");
}
void GL_ENTRY(NamedRenderbufferStorageMultisample)(Context &ctx, GLuint name, GLsizei samples,
                                                   GLenum internal, GLsizei w, GLsizei h) {
    storage(ctx, named(ctx, name, "glNamedRenderbufferStorageMultisample"), samples, internal, w, h,
            "glNamedRenderbufferStorageMultisample");
}
void GL_ENTRY(GetRenderbufferParameteriv)(Context &ctx, GLenum target, GLenum pname, GLint *v) {
    parameter(ctx, bound(ctx, target, "glGetRenderbufferParameteriv"), pname, v,
              "glGetRenderbufferParameteriv");
}
void GL_ENTRY(GetNamedRenderbufferParameteriv)(Context &ctx, GLuint name, GLenum pname, GLint *v) {
    parameter(ctx, named(ctx, name, "glGetNamedRenderbufferParameteriv"), pname, v,
              "glGetNamedRenderbufferParameteriv");
}
} // namespace gl
