// SPDX-License-Identifier: MIT
// Buffer textures (GL 4.6 section 8.9).
#include "glapi/gl_api.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

namespace gl {
namespace {

// `size` -1: the whole buffer.
void attach(Context &ctx, Texture *t, GLenum internal, GLuint name, GLintptr offset,
            GLsizeiptr size, bool range, const char *func) {
    if (!t)
        return;
    const FormatInfo *f = format_info(internal);
    const bool three = f && f->base == GL_RGB; // GL_ARB_texture_buffer_object_rgb32
    if (!f || f->internal != internal || !(f->flags & FormatInfo::texture_buffer) ||
        (three && !ctx.has().texture_buffer_rgb32))
        return error(ctx, GL_INVALID_ENUM, "%s(internalformat %s)", func, enum_name(internal));
    Buffer *b = name ? lookup_buffer(ctx, name) : nullptr;
    if (name && !b)
        return error(ctx, GL_INVALID_OPERATION, "%s(buffer %u does not exist)", func, name);
    if (b && range) {
        if (offset < 0 || size <= 0 || offset > b->size - size)
            return error(ctx, GL_INVALID_VALUE, "%s(range %lld + %lld)", func,
                         static_cast<long long>(offset), static_cast<long long>(size));
        if (offset % ctx.limits().texture_buffer_alignment)
            return error(ctx, GL_INVALID_VALUE, "%s(offset %lld is not aligned)", func,
                         static_cast<long long>(offset));
    }
    t->buffer = Ref<Buffer>(b);
    t->buffer_format = f;
    t->buffer_internal_format = internal;
    t->buffer_offset = b ? offset : 0;
    t->buffer_size = b ? size : 0;
    if (b)
        note_bound(ctx, *b);
    st::texture_buffer_changed(ctx, *t);
    texture_changed(ctx, *t);
}

Texture *bound(Context &ctx, GLenum target, const char *func) {
    if (target != GL_TEXTURE_BUFFER) {
        error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
        return nullptr;
    }
    return bound_texture(ctx, target, func);
}

Texture *named(Context &ctx, GLuint name, const char *func) {
    Texture *t = lookup_texture_err(ctx, name, func);
    if (t && t->target != GL_TEXTURE_BUFFER) {
        error(ctx, GL_INVALID_OPERATION, "%s(texture %u is a %s)", func, name,
              enum_name(t->target));
        return nullptr;
    }
    return t;
}

} // namespace

void GL_ENTRY(TexBuffer)(Context &ctx, GLenum target, GLenum internal, GLuint buffer) {
    attach(ctx, bound(ctx, target, "glTexBuffer"), internal, buffer, 0, -1, false, "glTexBuffer");
}
void GL_ENTRY(TexBufferRange)(Context &ctx, GLenum target, GLenum internal, GLuint buffer,
                              GLintptr offset, GLsizeiptr size) {
    attach(ctx, bound(ctx, target, "glTexBufferRange"), internal, buffer, offset, size, true,
           "glTexBufferRange");
}
void GL_ENTRY(TextureBuffer)(Context &ctx, GLuint texture, GLenum internal, GLuint buffer) {
    attach(ctx, named(ctx, texture, "glTextureBuffer"), internal, buffer, 0, -1, false,
           "glTextureBuffer");
}
void GL_ENTRY(TextureBufferRange)(Context &ctx, GLuint texture, GLenum internal, GLuint buffer,
                                  GLintptr offset, GLsizeiptr size) {
    attach(ctx, named(ctx, texture, "glTextureBufferRange"), internal, buffer, offset, size, true,
           "glTextureBufferRange");
}
} // namespace gl
