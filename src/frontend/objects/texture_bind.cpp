// SPDX-License-Identifier: MIT
// Texture units and their bindings (GL 4.6 section 8.1).
#include "glapi/gl_api.h"
#include "objects/texture_util.h"

namespace gl {
namespace {

void bind_unit(Context &ctx, unsigned unit, TexIndex index, Texture *t) {
    if (ctx.textures->unit[unit].tex[index].get() == t)
        return;
    Writer{ctx}(ctx.textures).unit[unit].tex[index] = Ref<Texture>(t);
    ctx.slots.textures.set(unit);
    note_bound(ctx, *t);
}

void bind_none(Context &ctx, unsigned unit) {
    for (unsigned i = 0; i < TEX_COUNT; i++)
        bind_unit(ctx, unit, TexIndex(i), ctx.group->default_texture[i].get());
}

} // namespace

void GL_ENTRY(ActiveTexture)(Context &ctx, GLenum texture) {
    const GLuint unit = texture - GL_TEXTURE0;
    if (unit >= GLuint(ctx.limits().combined_texture_units))
        return error(ctx, GL_INVALID_ENUM, "glActiveTexture(%s)", enum_name(texture));
    ctx.active_texture = unit;
}

void GL_ENTRY(BindTexture)(Context &ctx, GLenum target, GLuint name) {
    const int i = tex_index(target);
    if (i < 0 || (i == TEX_CUBE_ARRAY && !ctx.has().cube_array))
        return error(ctx, GL_INVALID_ENUM, "glBindTexture(target %s)", enum_name(target));
    if (name == 0)
        return bind_unit(ctx, ctx.active_texture, TexIndex(i),
                         ctx.group->default_texture[size_t(i)].get());
    Texture *t = lookup_texture(ctx, name);
    if (!t) {
        if (!ctx.group->textures.known(name))
            return error(ctx, GL_INVALID_OPERATION, "glBindTexture(texture %u was not generated)",
                         name);
        t = texture_make(ctx, name, target);
    }
    if (t->target != target)
        return error(ctx, GL_INVALID_OPERATION, "glBindTexture(texture %u is a %s)", name,
                     enum_name(t->target));
    bind_unit(ctx, ctx.active_texture, TexIndex(i), t);
}

void GL_ENTRY(BindTextureUnit)(Context &ctx, GLuint unit, GLuint name) {
    if (unit >= GLuint(ctx.limits().combined_texture_units))
        return error(ctx, GL_INVALID_VALUE, "glBindTextureUnit(unit %u)", unit);
    if (name == 0)
        return bind_none(ctx, unit);
    Texture *t = lookup_texture_err(ctx, name, "glBindTextureUnit");
    if (t)
        bind_unit(ctx, unit, t->index, t);
}

void GL_ENTRY(BindTextures)(Context &ctx, GLuint first, GLsizei count, const GLuint *textures) {
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "glBindTextures(count < 0)");
    if (uint64_t(first) + uint64_t(count) > uint64_t(ctx.limits().combined_texture_units))
        return error(ctx, GL_INVALID_OPERATION,
                     "glBindTextures(first + count above GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS)");
    for (GLsizei i = 0; i < count; i++) {
        const GLuint name = textures ? textures[i] : 0;
        if (name == 0) {
            bind_none(ctx, first + unsigned(i));
            continue;
        }
        Texture *t = lookup_texture(ctx, name);
        if (!t)
            error(ctx, GL_INVALID_OPERATION, "glBindTextures(textures[%d] = %u is not a texture)",
                  i, name);
        else
            bind_unit(ctx, first + unsigned(i), t->index, t);
    }
}
} // namespace gl
