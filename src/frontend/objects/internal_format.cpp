// SPDX-License-Identifier: MIT
// glGetInternalformat* (GL 4.6 section 22.3): sample counts from the driver, the rest from the
// format table.
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {
namespace {

bool legal_target(GLenum target) {
    switch (target) {
    case GL_RENDERBUFFER:
    case GL_TEXTURE_1D:
    case GL_TEXTURE_1D_ARRAY:
    case GL_TEXTURE_2D:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_3D:
    case GL_TEXTURE_CUBE_MAP:
    case GL_TEXTURE_CUBE_MAP_ARRAY:
    case GL_TEXTURE_RECTANGLE:
    case GL_TEXTURE_BUFFER:
    case GL_TEXTURE_2D_MULTISAMPLE:
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY: return true;
    default: return false;
    }
}

// Numbers of samples, largest first.
unsigned sample_list(Context &ctx, const FormatInfo &f, GLenum target, GLint64 *out, unsigned max) {
    bool multi = target == GL_RENDERBUFFER || target == GL_TEXTURE_2D_MULTISAMPLE ||
                 target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
    uint32_t mask = multi ? st::format_sample_mask(ctx, f, target) : 0;
    unsigned n = 0;
    for (unsigned s = 31; s >= 1; s--)
        if ((mask >> s & 1) && (s > 1 || target != GL_RENDERBUFFER) && n < max)
            out[n++] = s;
    return n;
}

GLenum component_type(const FormatInfo &f, bool present) {
    return present ? f.type : GLenum(GL_NONE);
}

// One value; false: the name is unknown.
bool value(Context &ctx, const FormatInfo *f, GLenum target, GLenum pname, GLint64 &v) {
    bool there = f && st::format_supported(ctx, *f, target, 0);
    v = 0;
    switch (pname) {
    case GL_INTERNALFORMAT_SUPPORTED: v = there; return true;
    case GL_INTERNALFORMAT_PREFERRED: v = there ? f->internal : 0; return true;
    case GL_INTERNALFORMAT_RED_SIZE: v = there ? f->r : 0; return true;
    case GL_INTERNALFORMAT_GREEN_SIZE: v = there ? f->g : 0; return true;
    case GL_INTERNALFORMAT_BLUE_SIZE: v = there ? f->b : 0; return true;
    case GL_INTERNALFORMAT_ALPHA_SIZE: v = there ? f->a : 0; return true;
    case GL_INTERNALFORMAT_DEPTH_SIZE: v = there ? f->d : 0; return true;
    case GL_INTERNALFORMAT_STENCIL_SIZE: v = there ? f->s : 0; return true;
    case GL_INTERNALFORMAT_SHARED_SIZE: v = there ? f->shared : 0; return true;
    case GL_INTERNALFORMAT_RED_TYPE: v = there ? component_type(*f, f->r) : 0; return true;
    case GL_INTERNALFORMAT_GREEN_TYPE: v = there ? component_type(*f, f->g) : 0; return true;
    case GL_INTERNALFORMAT_BLUE_TYPE: v = there ? component_type(*f, f->b) : 0; return true;
    case GL_INTERNALFORMAT_ALPHA_TYPE: v = there ? component_type(*f, f->a) : 0; return true;
    case GL_INTERNALFORMAT_DEPTH_TYPE: v = there ? component_type(*f, f->d) : 0; return true;
    case GL_INTERNALFORMAT_STENCIL_TYPE: v = there && f->s ? GL_UNSIGNED_INT : 0; return true;
    case GL_COLOR_COMPONENTS: v = there && f->color(); return true;
    case GL_DEPTH_COMPONENTS: v = there && f->depth(); return true;
    case GL_STENCIL_COMPONENTS: v = there && f->stencil(); return true;
    case GL_COLOR_RENDERABLE:
        v = there && f->color() && st::format_renderable(ctx, *f);
        return true;
    case GL_DEPTH_RENDERABLE: v = there && f->depth(); return true;
    case GL_STENCIL_RENDERABLE: v = there && f->stencil(); return true;
    case GL_FRAMEBUFFER_RENDERABLE:
        v = there && st::format_renderable(ctx, *f) ? GL_FULL_SUPPORT : GL_NONE;
        return true;
    case GL_FRAMEBUFFER_BLEND:
        v = there && f->color() && !f->integer() && st::format_renderable(ctx, *f) ? GL_FULL_SUPPORT
                                                                                   : GL_NONE;
        return true;
    case GL_FILTER:
        v = there && (f->flags & FormatInfo::filterable) ? GL_FULL_SUPPORT : GL_NONE;
        return true;
    case GL_MIPMAP:
        v = there && target != GL_RENDERBUFFER && target != GL_TEXTURE_RECTANGLE &&
            target != GL_TEXTURE_BUFFER;
        return true;
    case GL_COLOR_ENCODING:
        v = there && f->color() ? (f->srgb ? GL_SRGB : GL_LINEAR) : GL_NONE;
        return true;
    case GL_TEXTURE_COMPRESSED: v = there && f->compressed; return true;
    case GL_TEXTURE_COMPRESSED_BLOCK_WIDTH:
        v = there && f->compressed ? f->block_w : 0;
        return true;
    case GL_TEXTURE_COMPRESSED_BLOCK_HEIGHT:
        v = there && f->compressed ? f->block_h : 0;
        return true;
    case GL_TEXTURE_COMPRESSED_BLOCK_SIZE:
        v = there && f->compressed ? f->block_bytes : 0;
        return true;
    case GL_READ_PIXELS: v = there ? GL_FULL_SUPPORT : GL_NONE; return true;
    case GL_READ_PIXELS_FORMAT:
    case GL_TEXTURE_IMAGE_FORMAT:
    case GL_GET_TEXTURE_IMAGE_FORMAT: v = there ? f->transfer_format : 0; return true;
    case GL_READ_PIXELS_TYPE:
    case GL_TEXTURE_IMAGE_TYPE:
    case GL_GET_TEXTURE_IMAGE_TYPE: v = there ? f->transfer_type : 0; return true;
    case GL_VIEW_COMPATIBILITY_CLASS: v = there ? view_class(f->internal) : GL_NONE; return true;
    case GL_MAX_WIDTH:
        v = !there                          ? 0
            : target == GL_TEXTURE_BUFFER   ? ctx.limits().texture_buffer_size
            : target == GL_TEXTURE_3D       ? ctx.limits().texture_3d_size
            : target == GL_TEXTURE_CUBE_MAP ? ctx.limits().cube_size
                                            : ctx.limits().texture_size;
        return true;
    case GL_MAX_HEIGHT:
        v = !there || target == GL_TEXTURE_1D || target == GL_TEXTURE_1D_ARRAY ||
                    target == GL_TEXTURE_BUFFER
                ? 0
            : target == GL_TEXTURE_3D       ? ctx.limits().texture_3d_size
            : target == GL_TEXTURE_CUBE_MAP ? ctx.limits().cube_size
                                            : ctx.limits().texture_size;
        return true;
    case GL_MAX_DEPTH:
        v = there && target == GL_TEXTURE_3D ? ctx.limits().texture_3d_size : 0;
        return true;
    case GL_MAX_LAYERS:
        v = there && (target == GL_TEXTURE_1D_ARRAY || target == GL_TEXTURE_2D_ARRAY ||
                      target == GL_TEXTURE_CUBE_MAP_ARRAY ||
                      target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
                ? ctx.limits().array_layers
                : 0;
        return true;
    case GL_VERTEX_TEXTURE:
    case GL_FRAGMENT_TEXTURE:
    case GL_GEOMETRY_TEXTURE:
        v = there && target != GL_RENDERBUFFER ? GL_FULL_SUPPORT : GL_NONE;
        return true;
    case GL_SHADER_IMAGE_LOAD:
    case GL_SHADER_IMAGE_STORE:
        v = there && ctx.has().images && (f->flags & FormatInfo::image_store) ? GL_FULL_SUPPORT
                                                                              : GL_NONE;
        return true;
    default: return false;
    }
}

template <class T>
void get(Context &ctx, GLenum target, GLenum internal, GLenum pname, GLsizei count, T *out,
         const char *func) {
    if (!legal_target(target))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(count %d)", func, count);
    const FormatInfo *f = format_info(internal);
    GLint64 list[32];
    unsigned n = 1;
    if (pname == GL_SAMPLES || pname == GL_NUM_SAMPLE_COUNTS) {
        bool renderable =
            f && (!f->color() || (f->flags & FormatInfo::color_renderable)) && !f->compressed;
        if (!renderable && ctx.version < 43)
            return error(ctx, GL_INVALID_ENUM, "%s(%s is not renderable)", func,
                         enum_name(internal));
        n = renderable ? sample_list(ctx, *f, target, list, 32) : 0;
        if (pname == GL_NUM_SAMPLE_COUNTS) {
            list[0] = n;
            n = 1;
        }
    } else if (!value(ctx, f, target, pname, list[0])) {
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    }
    for (unsigned i = 0; i < n && i < unsigned(count); i++)
        out[i] = T(list[i]);
}
} // namespace

void GL_ENTRY(GetInternalformativ)(Context &ctx, GLenum target, GLenum internal, GLenum pname,
                                   GLsizei count, GLint *out) {
    get(ctx, target, internal, pname, count, out, "glGetInternalformativ");
}
void GL_ENTRY(GetInternalformati64v)(Context &ctx, GLenum target, GLenum internal, GLenum pname,
                                     GLsizei count, GLint64 *out) {
    get(ctx, target, internal, pname, count, out, "glGetInternalformati64v");
}
} // namespace gl
