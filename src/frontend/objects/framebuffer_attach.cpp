// SPDX-License-Identifier: MIT
// Attaching images to framebuffers (GL 4.6 section 9.2.7, 9.2.8), and what a change or death of an
// image does.
#include "glapi/gl_api.h"
#include "objects/framebuffer_util.h"
#include "objects/texture_util.h"

#include <algorithm>

namespace gl {
namespace {

bool same(const Attachment &a, const Attachment &b) {
    return a.kind == b.kind && a.layered == b.layered && a.face == b.face && a.level == b.level &&
           a.layer == b.layer && a.tex.get() == b.tex.get() && a.rb.get() == b.rb.get();
}

// The attachment points that an enum names; false after the error.
bool points(Context &ctx, Framebuffer &fb, GLenum attachment, const char *func,
            Attachment *out[2]) {
    out[0] = out[1] = nullptr;
    if (fb.is_default)
        return error(ctx, GL_INVALID_OPERATION, "%s(the default framebuffer)", func), false;
    const int color = color_index(attachment);
    if (color >= ctx.limits().color_attachments)
        return error(ctx, GL_INVALID_OPERATION, "%s(attachment %s)", func, enum_name(attachment)),
               false;
    if (color >= 0)
        out[0] = &fb.color[size_t(color)];
    else if (attachment == GL_DEPTH_ATTACHMENT)
        out[0] = &fb.depth;
    else if (attachment == GL_STENCIL_ATTACHMENT)
        out[0] = &fb.stencil;
    else if (attachment == GL_DEPTH_STENCIL_ATTACHMENT) {
        out[0] = &fb.depth;
        out[1] = &fb.stencil;
    } else
        return error(ctx, GL_INVALID_ENUM, "%s(attachment %s)", func, enum_name(attachment)), false;
    return true;
}

void attach(Context &ctx, Framebuffer &fb, Attachment *const at[2], const Attachment &a) {
    bool changed = false;
    for (unsigned k = 0; k < 2; k++)
        if (at[k] && !same(*at[k], a)) {
            *at[k] = a;
            changed = true;
        }
    if (!changed)
        return framebuffer_revisit(ctx, fb);
    if (a.tex)
        note_bound(ctx, *a.tex);
    if (a.rb)
        note_bound(ctx, *a.rb);
    framebuffer_changed(ctx, fb);
}

bool check_level(Context &ctx, const Texture &t, GLint level, const char *func) {
    if (level < 0 || level >= level_limit(ctx, t.target) ||
        (t.immutable && level >= std::max(t.immutable_levels, 1)))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", func, level), false;
    return true;
}

// Looks the texture up: `out` null with true means detach.
bool find_texture(Context &ctx, GLuint name, const char *func, Texture *&out,
                  GLenum unknown = GL_INVALID_OPERATION) {
    out = nullptr;
    if (!name)
        return true;
    out = lookup_texture(ctx, name);
    if (!out)
        return error(ctx, unknown, "%s(texture %u is not a texture)", func, name), false;
    return true;
}

Attachment texture_attachment(Texture *t, GLint level) {
    Attachment a;
    if (t) {
        a.kind = Attachment::texture;
        a.tex = Ref<Texture>(t);
        a.level = level;
    }
    return a;
}

// glFramebufferTexture: all layers.
void attach_whole(Context &ctx, Framebuffer *fb, GLenum attachment, GLuint name, GLint level,
                  const char *func) {
    Attachment *at[2];
    Texture *t;
    if (!fb || !points(ctx, *fb, attachment, func, at) ||
        !find_texture(ctx, name, func, t, GL_INVALID_VALUE))
        return;
    if (t && t->target == GL_TEXTURE_BUFFER)
        return error(ctx, GL_INVALID_OPERATION, "%s(a buffer texture)", func);
    if (t && !check_level(ctx, *t, level, func))
        return;
    Attachment a = texture_attachment(t, level);
    a.layered = t && layered_target(t->target);
    attach(ctx, *fb, at, a);
}

GLint layer_limit(Context &ctx, GLenum target) {
    switch (target) {
    case GL_TEXTURE_3D: return ctx.limits().texture_3d_size;
    case GL_TEXTURE_CUBE_MAP: return 6;
    default: return ctx.limits().array_layers;
    }
}

void attach_layer(Context &ctx, Framebuffer *fb, GLenum attachment, GLuint name, GLint level,
                  GLint layer, const char *func) {
    Attachment *at[2];
    Texture *t;
    if (!fb || !points(ctx, *fb, attachment, func, at) || !find_texture(ctx, name, func, t))
        return;
    if (!t)
        return attach(ctx, *fb, at, Attachment{});
    if (!layered_target(t->target))
        return error(ctx, GL_INVALID_OPERATION, "%s(a %s has no layers)", func,
                     enum_name(t->target));
    if (layer < 0 || layer >= layer_limit(ctx, t->target))
        return error(ctx, GL_INVALID_VALUE, "%s(layer %d)", func, layer);
    if (!check_level(ctx, *t, level, func))
        return;
    Attachment a = texture_attachment(t, level);
    if (t->target == GL_TEXTURE_CUBE_MAP)
        a.face = uint8_t(layer);
    else
        a.layer = layer;
    attach(ctx, *fb, at, a);
}

// glFramebufferTexture1D, 2D, 3D.
void attach_dims(Context &ctx, GLenum target, GLenum attachment, GLenum textarget, GLuint name,
                 GLint level, GLint layer, unsigned dims, const char *func) {
    Framebuffer *fb = bound_framebuffer(ctx, target, func);
    Attachment *at[2];
    Texture *t;
    if (!fb || !points(ctx, *fb, attachment, func, at) || !find_texture(ctx, name, func, t))
        return;
    if (!t)
        return attach(ctx, *fb, at, Attachment{});
    bool known = false;
    switch (textarget) {
    case GL_TEXTURE_1D: known = dims == 1; break;
    case GL_TEXTURE_3D: known = dims == 3; break;
    case GL_TEXTURE_2D:
    case GL_TEXTURE_RECTANGLE:
    case GL_TEXTURE_2D_MULTISAMPLE: known = dims == 2; break;
    default: known = dims == 2 && is_face_target(textarget);
    }
    if (!known)
        return error(ctx, tex_index(textarget) < 0 ? GL_INVALID_ENUM : GL_INVALID_OPERATION,
                     "%s(textarget %s)", func, enum_name(textarget));
    const GLenum want = is_face_target(textarget) ? GLenum(GL_TEXTURE_CUBE_MAP) : textarget;
    if (t->target != want)
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is a %s)", func, name,
                     enum_name(t->target));
    if (!check_level(ctx, *t, level, func))
        return;
    if (dims == 3 && (layer < 0 || layer >= ctx.limits().texture_3d_size))
        return error(ctx, GL_INVALID_VALUE, "%s(layer %d)", func, layer);
    Attachment a = texture_attachment(t, level);
    a.face = uint8_t(face_of(textarget));
    a.layer = layer;
    attach(ctx, *fb, at, a);
}

void attach_renderbuffer(Context &ctx, Framebuffer *fb, GLenum attachment, GLenum rbtarget,
                         GLuint name, const char *func) {
    Attachment *at[2];
    if (!fb)
        return;
    if (rbtarget != GL_RENDERBUFFER)
        return error(ctx, GL_INVALID_ENUM, "%s(renderbuffertarget %s)", func, enum_name(rbtarget));
    if (!points(ctx, *fb, attachment, func, at))
        return;
    Attachment a;
    if (name) {
        Renderbuffer *r = lookup_renderbuffer(ctx, name);
        if (!r || !r->ever_bound)
            return error(ctx, GL_INVALID_OPERATION, "%s(renderbuffer %u does not exist)", func,
                         name);
        a.kind = Attachment::renderbuffer;
        a.rb = Ref<Renderbuffer>(r);
    }
    attach(ctx, *fb, at, a);
}

template <class F> void each_attachment(Framebuffer &fb, F f) {
    for (Attachment &a : fb.color)
        f(a);
    f(fb.depth);
    f(fb.stencil);
}

template <class Holds> void mark_holders(Context &ctx, Holds holds) {
    const auto visit = [&](Framebuffer *fb) {
        bool hit = false;
        each_attachment(*fb, [&](Attachment &a) { hit = hit || holds(a); });
        if (hit)
            framebuffer_changed(ctx, *fb);
    };
    ctx.framebuffers.each(visit);
}

template <class Holds> void detach_bound(Context &ctx, Holds holds) {
    for (Framebuffer *fb : {ctx.draw_fb->fb.get(), ctx.read_fb->fb.get()}) {
        bool hit = false;
        each_attachment(*fb, [&](Attachment &a) {
            if (holds(a)) {
                a = Attachment{};
                hit = true;
            }
        });
        if (hit)
            framebuffer_changed(ctx, *fb);
    }
}

} // namespace

void framebuffers_texture_changed(Context &ctx, const Texture &t) {
    mark_holders(ctx, [&t](const Attachment &a) { return a.tex.get() == &t; });
}

void framebuffers_renderbuffer_changed(Context &ctx, const Renderbuffer &rb) {
    mark_holders(ctx, [&rb](const Attachment &a) { return a.rb.get() == &rb; });
}

void detach_deleted_texture(Context &ctx, const Texture &t) {
    detach_bound(ctx, [&t](const Attachment &a) { return a.tex.get() == &t; });
}

void detach_deleted_renderbuffer(Context &ctx, const Renderbuffer &rb) {
    detach_bound(ctx, [&rb](const Attachment &a) { return a.rb.get() == &rb; });
}

void GL_ENTRY(FramebufferTexture)(Context &ctx, GLenum target, GLenum attachment, GLuint texture,
                                  GLint level) {
    attach_whole(ctx, bound_framebuffer(ctx, target, "glFramebufferTexture"), attachment, texture,
                 level, "glFramebufferTexture");
}
void GL_ENTRY(NamedFramebufferTexture)(Context &ctx, GLuint fb, GLenum attachment, GLuint texture,
                                       GLint level) {
    const char *func = "glNamedFramebufferTexture";
    attach_whole(ctx, named_framebuffer(ctx, fb, nullptr, func), attachment, texture, level, func);
}
void GL_ENTRY(FramebufferTextureLayer)(Context &ctx, GLenum target, GLenum attachment,
                                       GLuint texture, GLint level, GLint layer) {
    const char *func = "glFramebufferTextureLayer";
    attach_layer(ctx, bound_framebuffer(ctx, target, func), attachment, texture, level, layer,
                 func);
}
void GL_ENTRY(NamedFramebufferTextureLayer)(Context &ctx, GLuint fb, GLenum attachment,
                                            GLuint texture, GLint level, GLint layer) {
    const char *func = "glNamedFramebufferTextureLayer";
    attach_layer(ctx, named_framebuffer(ctx, fb, nullptr, func), attachment, texture, level, layer,
                 func);
}
void GL_ENTRY(FramebufferTexture1D)(Context &ctx, GLenum target, GLenum attachment,
                                    GLenum textarget, GLuint texture, GLint level) {
    attach_dims(ctx, target, attachment, textarget, texture, level, 0, 1, "glFramebufferTexture1D");
}
void GL_ENTRY(FramebufferTexture2D)(Context &ctx, GLenum target, GLenum attachment,
                                    GLenum textarget, GLuint texture, GLint level) {
    attach_dims(ctx, target, attachment, textarget, texture, level, 0, 2, "glFramebufferTexture2D");
}
void GL_ENTRY(FramebufferTexture3D)(Context &ctx, GLenum target, GLenum attachment,
                                    GLenum textarget, GLuint texture, GLint level, GLint layer) {
    attach_dims(ctx, target, attachment, textarget, texture, level, layer, 3,
                "glFramebufferTexture3D");
}
void GL_ENTRY(FramebufferRenderbuffer)(Context &ctx, GLenum target, GLenum attachment,
                                       GLenum rbtarget, GLuint rb) {
    const char *func = "glFramebufferRenderbuffer";
    attach_renderbuffer(ctx, bound_framebuffer(ctx, target, func), attachment, rbtarget, rb, func);
}
void GL_ENTRY(NamedFramebufferRenderbuffer)(Context &ctx, GLuint fb, GLenum attachment,
                                            GLenum rbtarget, GLuint rb) {
    const char *func = "glNamedFramebufferRenderbuffer";
    attach_renderbuffer(ctx, named_framebuffer(ctx, fb, nullptr, func), attachment, rbtarget, rb,
                        func);
}
} // namespace gl
