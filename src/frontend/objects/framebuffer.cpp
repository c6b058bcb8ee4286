// SPDX-License-Identifier: MIT
// Framebuffer names, bindings, draw and read buffers, parameters (GL 4.6
// sections 9.2, 17.4.1, 18.2.1).
#include "objects/framebuffer.h"

#include "glapi/gl_api.h"
#include "objects/framebuffer_util.h"
#include "tracker/tracker.h"

#include <algorithm>

namespace gl {

Framebuffer::~Framebuffer() {
    st::framebuffer_destroy(*this);
}

Framebuffer *lookup_framebuffer(Context &ctx, GLuint name) {
    return name ? ctx.framebuffers.find(name) : ctx.default_draw_fb.get();
}

void framebuffer_changed(Context &ctx, Framebuffer &fb) {
    fb.version++;
    fb.status_valid = false;
    if (ctx.draw_fb->fb.get() == &fb) {
        Writer{ctx}.mark(G::draw_framebuffer);
        Writer{ctx}.mark(G::uniforms); // gl_NumSamples
    }
    if (ctx.read_fb->fb.get() == &fb)
        Writer{ctx}.mark(G::read_framebuffer);
}

Framebuffer *bound_framebuffer(Context &ctx, GLenum target, const char *func) {
    switch (target) {
    case GL_FRAMEBUFFER:
    case GL_DRAW_FRAMEBUFFER: return ctx.draw_fb->fb.get();
    case GL_READ_FRAMEBUFFER: return ctx.read_fb->fb.get();
    default: error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target)); return nullptr;
    }
}

Framebuffer *named_framebuffer(Context &ctx, GLuint name, Framebuffer *zero, const char *func) {
    Framebuffer *fb = name ? ctx.framebuffers.find(name) : zero;
    if (!fb)
        error(ctx, GL_INVALID_OPERATION, "%s(framebuffer %u does not exist)", func, name);
    return fb;
}

int color_index(GLenum attachment) {
    return attachment >= GL_COLOR_ATTACHMENT0 && attachment <= GL_COLOR_ATTACHMENT31
               ? int(attachment - GL_COLOR_ATTACHMENT0)
               : -1;
}

int default_buffer_index(const Framebuffer &fb, GLenum buf) {
    switch (buf) {
    case GL_NONE: return -1;
    case GL_BACK:
    case GL_BACK_LEFT: return fb.double_buffered || buf == GL_BACK ? 0 : -1;
    case GL_FRONT:
    case GL_FRONT_LEFT:
    case GL_LEFT:
    case GL_FRONT_AND_BACK: return 0;
    default: return -2;
    }
}

bool draws_front(const Framebuffer &fb) {
    return fb.is_default &&
           std::any_of(fb.draw_buffers.begin(), fb.draw_buffers.end(), [&fb](GLenum buf) {
               return buf != GL_NONE &&
                      (!fb.double_buffered || (buf != GL_BACK && buf != GL_BACK_LEFT));
           });
}

namespace {

Framebuffer *make(Context &ctx, GLuint name) {
    return ctx.framebuffers.insert(name, new Framebuffer);
}

void bind(Context &ctx, GLenum target, Framebuffer *draw, Framebuffer *read) {
    Writer w(ctx);
    if (target != GL_READ_FRAMEBUFFER && ctx.draw_fb->fb.get() != draw) {
        w(ctx.draw_fb).fb = Ref<Framebuffer>(draw);
        w.mark(G::uniforms); // gl_NumSamples
    }
    if (target != GL_DRAW_FRAMEBUFFER && ctx.read_fb->fb.get() != read)
        w(ctx.read_fb).fb = Ref<Framebuffer>(read);
}

// --- draw and read buffers -----------------------------------------------------------------------

// GL 4.6 table 17.4. Returns the error for `buf` as one element of a draw-buffers list, or
// GL_NO_ERROR.
GLenum draw_buffer_error(Context &ctx, const Framebuffer &fb, GLenum buf, bool list) {
    if (buf == GL_NONE)
        return GL_NO_ERROR;
    // These name several buffers, which one element of a list cannot, whatever is bound.
    if (list && (buf == GL_FRONT || buf == GL_LEFT || buf == GL_RIGHT || buf == GL_FRONT_AND_BACK))
        return GL_INVALID_ENUM;
    if (!fb.is_default) {
        const int i = color_index(buf);
        if (i >= 0)
            return i < ctx.limits().color_attachments ? GL_NO_ERROR : GL_INVALID_OPERATION;
        return default_buffer_index(fb, buf) == -2 && buf != GL_RIGHT && buf != GL_FRONT_RIGHT &&
                       buf != GL_BACK_RIGHT
                   ? GL_INVALID_ENUM
                   : GL_INVALID_OPERATION;
    }
    if (color_index(buf) >= 0)
        return GL_INVALID_OPERATION;
    switch (buf) {
    case GL_FRONT:
    case GL_LEFT:
    case GL_FRONT_AND_BACK:
    case GL_BACK:
    case GL_FRONT_LEFT: return GL_NO_ERROR;
    case GL_BACK_LEFT: return fb.double_buffered ? GL_NO_ERROR : GL_INVALID_OPERATION;
    case GL_RIGHT:
    case GL_FRONT_RIGHT:
    case GL_BACK_RIGHT: return GL_INVALID_OPERATION;
    default: return GL_INVALID_ENUM;
    }
}

int resolve_buffer(const Framebuffer &fb, GLenum buf) {
    if (buf == GL_NONE)
        return -1;
    return fb.is_default ? std::max(-1, default_buffer_index(fb, buf)) : color_index(buf);
}

void set_draw_buffers(Context &ctx, Framebuffer &fb, const GLenum *bufs, unsigned n) {
    std::array<GLenum, kMaxDrawBuffers> next{};
    std::copy(bufs, bufs + n, next.begin());
    if (next == fb.draw_buffers)
        return;
    fb.draw_buffers = next;
    for (unsigned i = 0; i < kMaxDrawBuffers; i++)
        fb.draw_index[i] = int8_t(resolve_buffer(fb, next[i]));
    framebuffer_changed(ctx, fb);
}

void draw_buffer(Context &ctx, Framebuffer *fb, GLenum buf, const char *func) {
    if (!fb)
        return;
    const GLenum bad = draw_buffer_error(ctx, *fb, buf, false);
    if (bad != GL_NO_ERROR)
        return error(ctx, bad, "%s(%s)", func, enum_name(buf));
    set_draw_buffers(ctx, *fb, &buf, 1);
}

void draw_buffers(Context &ctx, Framebuffer *fb, GLsizei n, const GLenum *bufs, const char *func) {
    if (!fb)
        return;
    if (n < 0 || n > ctx.limits().draw_buffers)
        return error(ctx, GL_INVALID_VALUE, "%s(n %d)", func, n);
    for (GLsizei i = 0; i < n; i++) {
        const GLenum bad = draw_buffer_error(ctx, *fb, bufs[i], true);
        if (bad != GL_NO_ERROR)
            return error(ctx, bad, "%s(%s)", func, enum_name(bufs[i]));
        if (bufs[i] == GL_BACK && n > 1)
            return error(ctx, GL_INVALID_OPERATION, "%s(GL_BACK beside other buffers)", func);
        if (bufs[i] != GL_NONE && std::find(bufs, bufs + i, bufs[i]) != bufs + i)
            return error(ctx, GL_INVALID_OPERATION, "%s(%s twice)", func, enum_name(bufs[i]));
    }
    set_draw_buffers(ctx, *fb, bufs, unsigned(n));
}

void read_buffer(Context &ctx, Framebuffer *fb, GLenum buf, const char *func) {
    if (!fb)
        return;
    GLenum bad = draw_buffer_error(ctx, *fb, buf, false);
    if (buf == GL_FRONT_AND_BACK)
        bad = GL_INVALID_ENUM;
    if (bad != GL_NO_ERROR)
        return error(ctx, bad, "%s(%s)", func, enum_name(buf));
    if (fb->read_buffer == buf)
        return;
    fb->read_buffer = buf;
    fb->read_index = int8_t(resolve_buffer(*fb, buf));
    framebuffer_changed(ctx, *fb);
}

// --- parameters ----------------------------------------------------------------------------------

void set_parameter(Context &ctx, Framebuffer *fb, GLenum pname, GLint v, const char *func) {
    if (!fb)
        return;
    if (fb->is_default)
        return error(ctx, GL_INVALID_OPERATION, "%s(the default framebuffer)", func);
    const Limits &l = ctx.limits();
    const auto set = [&](GLsizei &field, GLint max) {
        if (v < 0 || v > max)
            return error(ctx, GL_INVALID_VALUE, "%s(%s %d)", func, enum_name(pname), v);
        field = v;
        framebuffer_changed(ctx, *fb);
    };
    switch (pname) {
    case GL_FRAMEBUFFER_DEFAULT_WIDTH: return set(fb->default_width, l.framebuffer_width);
    case GL_FRAMEBUFFER_DEFAULT_HEIGHT: return set(fb->default_height, l.framebuffer_height);
    case GL_FRAMEBUFFER_DEFAULT_LAYERS: return set(fb->default_layers, l.framebuffer_layers);
    case GL_FRAMEBUFFER_DEFAULT_SAMPLES: return set(fb->default_samples, l.framebuffer_samples);
    case GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS:
        fb->default_fixed_locations = v != 0;
        return framebuffer_changed(ctx, *fb);
    default: error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    }
}

// `any_name`: a name that was not generated makes an object too.
void bind_name(Context &ctx, GLenum target, GLuint name, bool any_name, const char *func) {
    if (target != GL_FRAMEBUFFER && target != GL_DRAW_FRAMEBUFFER && target != GL_READ_FRAMEBUFFER)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (name == 0)
        return bind(ctx, target, ctx.default_draw_fb.get(), ctx.default_read_fb.get());
    Framebuffer *fb = ctx.framebuffers.find(name);
    if (!fb) {
        if (!any_name && !ctx.framebuffers.known(name))
            return error(ctx, GL_INVALID_OPERATION, "%s(framebuffer %u was not generated)", func,
                         name);
        fb = make(ctx, name);
    }
    fb->ever_bound = true;
    framebuffer_revisit(ctx, *fb);
    bind(ctx, target, fb, fb);
}

} // namespace

void GL_ENTRY(GenFramebuffers)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glGenFramebuffers(n < 0)");
    ctx.framebuffers.gen(unsigned(n), names);
}

void GL_ENTRY(CreateFramebuffers)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glCreateFramebuffers(n < 0)");
    ctx.framebuffers.gen(unsigned(n), names);
    for (GLsizei i = 0; i < n; i++)
        make(ctx, names[i])->ever_bound = true;
}

void GL_ENTRY(BindFramebuffer)(Context &ctx, GLenum target, GLuint name) {
    bind_name(ctx, target, name, false, "glBindFramebuffer");
}
// EXT_framebuffer_object: a name need not be generated.
void GL_ENTRY(BindFramebufferEXT)(Context &ctx, GLenum target, GLuint name) {
    bind_name(ctx, target, name, true, "glBindFramebufferEXT");
}

void GL_ENTRY(DeleteFramebuffers)(Context &ctx, GLsizei n, const GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteFramebuffers(n < 0)");
    for (GLsizei i = 0; i < n; i++) {
        Ref<Framebuffer> fb = names[i] ? ctx.framebuffers.remove(names[i]) : Ref<Framebuffer>();
        if (!fb)
            continue;
        if (ctx.draw_fb->fb.get() == fb.get())
            bind(ctx, GL_DRAW_FRAMEBUFFER, ctx.default_draw_fb.get(), nullptr);
        if (ctx.read_fb->fb.get() == fb.get())
            bind(ctx, GL_READ_FRAMEBUFFER, nullptr, ctx.default_read_fb.get());
    }
}

GLboolean GL_ENTRY(IsFramebuffer)(Context &ctx, GLuint name) {
    const Framebuffer *fb = name ? ctx.framebuffers.find(name) : nullptr;
    return fb && fb->ever_bound;
}

void GL_ENTRY(DrawBuffer)(Context &ctx, GLenum buf) {
    draw_buffer(ctx, ctx.draw_fb->fb.get(), buf, "glDrawBuffer");
}
void GL_ENTRY(ReadBuffer)(Context &ctx, GLenum buf) {
    read_buffer(ctx, ctx.read_fb->fb.get(), buf, "glReadBuffer");
}
void GL_ENTRY(DrawBuffers)(Context &ctx, GLsizei n, const GLenum *bufs) {
    draw_buffers(ctx, ctx.draw_fb->fb.get(), n, bufs, "glDrawBuffers");
}
void GL_ENTRY(NamedFramebufferDrawBuffer)(Context &ctx, GLuint name, GLenum buf) {
    const char *func = "glNamedFramebufferDrawBuffer";
    draw_buffer(ctx, named_framebuffer(ctx, name, ctx.default_draw_fb.get(), func), buf, func);
}
void GL_ENTRY(NamedFramebufferDrawBuffers)(Context &ctx, GLuint name, GLsizei n,
                                           const GLenum *bufs) {
    const char *func = "glNamedFramebufferDrawBuffers";
    draw_buffers(ctx, named_framebuffer(ctx, name, ctx.default_draw_fb.get(), func), n, bufs, func);
}
void GL_ENTRY(NamedFramebufferReadBuffer)(Context &ctx, GLuint name, GLenum buf) {
    const char *func = "glNamedFramebufferReadBuffer";
    read_buffer(ctx, named_framebuffer(ctx, name, ctx.default_read_fb.get(), func), buf, func);
}
void GL_ENTRY(FramebufferParameteri)(Context &ctx, GLenum target, GLenum pname, GLint v) {
    set_parameter(ctx, bound_framebuffer(ctx, target, "glFramebufferParameteri"), pname, v,
                  "glFramebufferParameteri");
}
void GL_ENTRY(NamedFramebufferParameteri)(Context &ctx, GLuint name, GLenum pname, GLint v) {
    const char *func = "glNamedFramebufferParameteri";
    set_parameter(ctx, named_framebuffer(ctx, name, ctx.default_draw_fb.get(), func), pname, v,
                  func);
}
} // namespace gl
