// SPDX-License-Identifier: MIT
// Framebuffer queries (GL 4.6 section 9.2.3) and sample positions.
#include "glapi/gl_api.h"
#include "objects/framebuffer_util.h"

namespace gl {
namespace {

// Null after the error; `none` stands for an attachment point that has nothing.
const Attachment *point(Context &ctx, const Framebuffer &fb, GLenum attachment, const char *func) {
    if (fb.is_default) {
        switch (attachment) {
        case GL_FRONT:
        case GL_FRONT_LEFT:
        case GL_BACK:
        case GL_BACK_LEFT: return &fb.color[0];
        case GL_FRONT_RIGHT:
        case GL_BACK_RIGHT: return &fb.color[7];
        case GL_DEPTH: return &fb.depth;
        case GL_STENCIL: return &fb.stencil;
        default:
            error(ctx, GL_INVALID_ENUM, "%s(attachment %s)", func, enum_name(attachment));
            return nullptr;
        }
    }
    const int color = color_index(attachment);
    if (color >= 0 && color < ctx.limits().color_attachments)
        return &fb.color[size_t(color)];
    switch (attachment) {
    case GL_DEPTH_ATTACHMENT:
    case GL_DEPTH_STENCIL_ATTACHMENT: return &fb.depth;
    case GL_STENCIL_ATTACHMENT: return &fb.stencil;
    default: break;
    }
    error(ctx, color >= 0 ? GL_INVALID_OPERATION : GL_INVALID_ENUM, "%s(attachment %s)", func,
          enum_name(attachment));
    return nullptr;
}

// Names that describe the format: shared by all kinds of attachment.
bool format_value(const Attachment &a, GLenum attachment, GLenum pname, GLint &v) {
    const FormatInfo none{};
    const FormatInfo &f = a.format() ? *a.format() : none;
    switch (pname) {
    case GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE: v = f.r; return true;
    case GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE: v = f.g; return true;
    case GL_FRAMEBUFFER_ATTACHMENT_BLUE_SIZE: v = f.b; return true;
    case GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE: v = f.a; return true;
    case GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE: v = f.d; return true;
    case GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE: v = f.s; return true;
    case GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE:
        v = attachment == GL_STENCIL_ATTACHMENT || attachment == GL_STENCIL ? GL_UNSIGNED_INT
                                                                            : GLint(f.type);
        return true;
    case GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING: v = f.srgb ? GL_SRGB : GL_LINEAR; return true;
    default: return false;
    }
}

bool texture_value(const Attachment &a, GLenum pname, GLint &v) {
    switch (pname) {
    case GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL: v = a.level; return true;
    case GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE:
        v = a.tex && a.tex->target == GL_TEXTURE_CUBE_MAP && !a.layered
                ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + a.face
                : 0;
        return true;
    case GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER: v = a.layer; return true;
    case GL_FRAMEBUFFER_ATTACHMENT_LAYERED: v = a.layered; return true;
    default: return false;
    }
}

void attachment_parameter(Context &ctx, const Framebuffer *fb, GLenum attachment, GLenum pname,
                          GLint *out, const char *func) {
    if (!fb)
        return;
    const Attachment *a = point(ctx, *fb, attachment, func);
    if (!a)
        return;
    if (attachment == GL_DEPTH_STENCIL_ATTACHMENT) {
        if (fb->depth.tex.get() != fb->stencil.tex.get() ||
            fb->depth.rb.get() != fb->stencil.rb.get())
            return error(ctx, GL_INVALID_OPERATION, "%s(depth and stencil are different images)",
                         func);
        if (pname == GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE)
            return error(ctx, GL_INVALID_OPERATION, "%s(component type of depth-stencil)", func);
    }
    if (pname == GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE) {
        static constexpr GLint types[] = {GL_NONE, GL_TEXTURE, GL_RENDERBUFFER,
                                          GL_FRAMEBUFFER_DEFAULT};
        *out = types[a->kind];
        return;
    }
    if (pname == GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME && a->kind != Attachment::window) {
        *out = a->tex ? GLint(a->tex->name) : a->rb ? GLint(a->rb->name) : 0;
        return;
    }
    GLint v = 0;
    const bool format_name = format_value(*a, attachment, pname, v);
    const bool texture_name = !format_name && texture_value(*a, pname, v);
    if (a->kind == Attachment::none && (format_name || texture_name))
        return error(ctx, GL_INVALID_OPERATION, "%s(nothing is attached)", func);
    if (!format_name && !(texture_name && a->kind == Attachment::texture))
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    *out = v;
}

void parameter(Context &ctx, Framebuffer *fb, GLenum pname, GLint *out, const char *func) {
    if (!fb)
        return;
    const bool user_only =
        pname == GL_FRAMEBUFFER_DEFAULT_WIDTH || pname == GL_FRAMEBUFFER_DEFAULT_HEIGHT ||
        pname == GL_FRAMEBUFFER_DEFAULT_LAYERS || pname == GL_FRAMEBUFFER_DEFAULT_SAMPLES ||
        pname == GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS;
    if (user_only && fb->is_default)
        return error(ctx, GL_INVALID_OPERATION, "%s(%s of the default framebuffer)", func,
                     enum_name(pname));
    const bool complete = framebuffer_status(ctx, *fb) == GL_FRAMEBUFFER_COMPLETE;
    switch (pname) {
    case GL_FRAMEBUFFER_DEFAULT_WIDTH: *out = fb->default_width; return;
    case GL_FRAMEBUFFER_DEFAULT_HEIGHT: *out = fb->default_height; return;
    case GL_FRAMEBUFFER_DEFAULT_LAYERS: *out = fb->default_layers; return;
    case GL_FRAMEBUFFER_DEFAULT_SAMPLES: *out = fb->default_samples; return;
    case GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS: *out = fb->default_fixed_locations; return;
    case GL_DOUBLEBUFFER: *out = fb->is_default && fb->double_buffered; return;
    case GL_STEREO: *out = 0; return;
    case GL_SAMPLES: *out = complete ? fb->samples : 0; return;
    case GL_SAMPLE_BUFFERS: *out = complete && fb->samples > 0; return;
    case GL_IMPLEMENTATION_COLOR_READ_FORMAT:
    case GL_IMPLEMENTATION_COLOR_READ_TYPE: {
        const FormatInfo *f =
            fb->read_index >= 0 ? fb->color[size_t(fb->read_index)].format() : nullptr;
        if (!complete || !f)
            return error(ctx, GL_INVALID_OPERATION, "%s(no read buffer)", func);
        *out = GLint(pname == GL_IMPLEMENTATION_COLOR_READ_FORMAT ? f->transfer_format
                                                                  : f->transfer_type);
        return;
    }
    default: error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    }
}

} // namespace

void GL_ENTRY(GetFramebufferAttachmentParameteriv)(Context &ctx, GLenum target, GLenum attachment,
                                                   GLenum pname, GLint *params) {
    const char *func = "glGetFramebufferAttachmentParameteriv";
    attachment_parameter(ctx, bound_framebuffer(ctx, target, func), attachment, pname, params,
                         func);
}
void GL_ENTRY(GetNamedFramebufferAttachmentParameteriv)(Context &ctx, GLuint fb, GLenum attachment,
                                                        GLenum pname, GLint *params) {
    const char *func = "glGetNamedFramebufferAttachmentParameteriv";
    attachment_parameter(ctx, named_framebuffer(ctx, fb, ctx.default_draw_fb.get(), func),
                         attachment, pname, params, func);
}
void GL_ENTRY(GetFramebufferParameteriv)(Context &ctx, GLenum target, GLenum pname, GLint *params) {
    const char *func = "glGetFramebufferParameteriv";
    parameter(ctx, bound_framebuffer(ctx, target, func), pname, params, func);
}
void GL_ENTRY(GetNamedFramebufferParameteriv)(Context &ctx, GLuint fb, GLenum pname,
                                              GLint *params) {
    const char *func = "glGetNamedFramebufferParameteriv";
    parameter(ctx, named_framebuffer(ctx, fb, ctx.default_draw_fb.get(), func), pname, params,
              func);
}
} // namespace gl
