// SPDX-License-Identifier: MIT
// Image units (GL 4.6 section 8.26).
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {
namespace {

bool legal_image_format(GLenum format) {
    const FormatInfo *f = format_info(format);
    return f && f->internal == format && (f->flags & FormatInfo::image_store);
}

void set(Context &ctx, GLuint unit, const ImageUnit &n) {
    const ImageUnit &o = ctx.images->unit[unit];
    if (o.texture == n.texture && o.level == n.level && o.layer == n.layer &&
        o.layered == n.layered && o.access == n.access && o.format == n.format)
        return;
    if (n.texture)
        note_bound(ctx, *n.texture);
    Writer{ctx}(ctx.images).unit[unit] = n;
    ctx.slots.images.set(unit);
}
} // namespace

void GL_ENTRY(BindImageTexture)(Context &ctx, GLuint unit, GLuint texture, GLint level,
                                GLboolean layered, GLint layer, GLenum access, GLenum format) {
    if (unit >= GLuint(ctx.limits().image_units))
        return error(ctx, GL_INVALID_VALUE, "glBindImageTexture(unit %u)", unit);
    if (level < 0 || layer < 0)
        return error(ctx, GL_INVALID_VALUE, "glBindImageTexture(level %d, layer %d)", level, layer);
    if (access != GL_READ_ONLY && access != GL_WRITE_ONLY && access != GL_READ_WRITE)
        return error(ctx, GL_INVALID_ENUM, "glBindImageTexture(access %s)", enum_name(access));
    if (!legal_image_format(format))
        return error(ctx, GL_INVALID_VALUE, "glBindImageTexture(format %s)", enum_name(format));
    ImageUnit n;
    if (texture) {
        Texture *t = lookup_texture(ctx, texture);
        if (!t)
            return error(ctx, GL_INVALID_VALUE, "glBindImageTexture(no texture object %u)",
                         texture);
        n.texture = t;
        n.level = level;
        n.layered = layered && layered_target(t->target);
        n.layer = layered_target(t->target) ? layer : 0;
    }
    n.access = access;
    n.format = format;
    set(ctx, unit, n);
}

void GL_ENTRY(BindImageTextures)(Context &ctx, GLuint first, GLsizei count,
                                 const GLuint *textures) {
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "glBindImageTextures(count %d)", count);
    if (uint64_t(first) + uint64_t(count) > uint64_t(ctx.limits().image_units))
        return error(ctx, GL_INVALID_OPERATION, "glBindImageTextures(%u + %d units)", first, count);
    for (GLsizei i = 0; i < count; i++) {
        GLuint name = textures ? textures[i] : 0;
        ImageUnit n;
        if (name) {
            Texture *t = lookup_texture(ctx, name);
            GLenum format = !t                               ? 0
                            : t->target == GL_TEXTURE_BUFFER ? t->buffer_internal_format
                                                             : t->image[0][0].internal_format;
            if (!t || !legal_image_format(format)) {
                error(ctx, GL_INVALID_OPERATION, "glBindImageTextures(texture %u)", name);
                continue;
            }
            n.texture = t;
            n.layered = layered_target(t->target);
            n.access = GL_READ_WRITE;
            n.format = format;
        }
        set(ctx, first + GLuint(i), n);
    }
}
} // namespace gl
