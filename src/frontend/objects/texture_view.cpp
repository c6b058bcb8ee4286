// SPDX-License-Identifier: MIT
// Texture views (GL 4.6 section 8.18).
#include "glapi/gl_api.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

#include <algorithm>

namespace gl {
namespace {

// GL 4.6 table 8.20: which targets can view which.
bool compatible(GLenum origin, GLenum view) {
    switch (origin) {
    case GL_TEXTURE_1D:
    case GL_TEXTURE_1D_ARRAY: return view == GL_TEXTURE_1D || view == GL_TEXTURE_1D_ARRAY;
    case GL_TEXTURE_2D: return view == GL_TEXTURE_2D || view == GL_TEXTURE_2D_ARRAY;
    case GL_TEXTURE_3D: return view == GL_TEXTURE_3D;
    case GL_TEXTURE_RECTANGLE: return view == GL_TEXTURE_RECTANGLE;
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_CUBE_MAP:
    case GL_TEXTURE_CUBE_MAP_ARRAY:
        return view == GL_TEXTURE_2D || view == GL_TEXTURE_2D_ARRAY ||
               view == GL_TEXTURE_CUBE_MAP || view == GL_TEXTURE_CUBE_MAP_ARRAY;
    case GL_TEXTURE_2D_MULTISAMPLE:
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY:
        return view == GL_TEXTURE_2D_MULTISAMPLE || view == GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
    default: return false;
    }
}

bool one_layer(GLenum target) {
    return target == GL_TEXTURE_1D || target == GL_TEXTURE_2D || target == GL_TEXTURE_3D ||
           target == GL_TEXTURE_RECTANGLE || target == GL_TEXTURE_2D_MULTISAMPLE;
}

void fill_images(Texture &v, const Texture &o, const FormatInfo *f, GLenum internal) {
    const unsigned faces = v.target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    for (GLint level = 0; level < v.num_levels; level++) {
        const TexImage &src = o.image[0][size_t(v.min_level - o.min_level + level)];
        TexImage im = src;
        im.format = f;
        im.internal_format = internal;
        im.depth = v.target == GL_TEXTURE_3D ? src.depth : 1;
        if (v.target == GL_TEXTURE_1D_ARRAY)
            im.height = v.num_layers;
        else if (v.target == GL_TEXTURE_1D)
            im.height = 1;
        else if (v.target == GL_TEXTURE_2D_ARRAY || v.target == GL_TEXTURE_CUBE_MAP_ARRAY ||
                 v.target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
            im.depth = v.num_layers;
        for (unsigned face = 0; face < faces; face++)
            v.image[face][size_t(level)] = im;
    }
}

} // namespace

void GL_ENTRY(TextureView)(Context &ctx, GLuint texture, GLenum target, GLuint orig,
                           GLenum internal, GLuint min_level, GLuint num_levels, GLuint min_layer,
                           GLuint num_layers) {
    const char *func = "glTextureView";
    if (!ctx.has().texture_view)
        return error(ctx, GL_INVALID_OPERATION, "%s(the driver has no texture views)", func);
    Texture *o = lookup_texture(ctx, orig);
    if (!o || !texture)
        return error(ctx, GL_INVALID_VALUE, "%s(texture %u, origin %u)", func, texture, orig);
    if (!ctx.group->textures.known(texture))
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u was not generated)", func, texture);
    if (tex_index(target) < 0 || target == GL_TEXTURE_BUFFER)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (lookup_texture(ctx, texture))
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u already is a texture)", func,
                     texture);
    if (!o->immutable || o->sibling)
        return error(ctx, GL_INVALID_OPERATION, "%s(origin %u is not immutable)", func, orig);
    if (!compatible(o->target, target))
        return error(ctx, GL_INVALID_OPERATION, "%s(a %s cannot view a %s)", func,
                     enum_name(target), enum_name(o->target));
    const FormatInfo *f = format_info(internal), *of = o->image[0][0].format;
    const bool fits =
        f && f->internal == internal &&
        (internal == o->image[0][0].internal_format ||
         (view_class(internal) != GL_NONE && view_class(internal) == view_class(of->internal)));
    if (!fits)
        return error(ctx, GL_INVALID_OPERATION, "%s(internalformat %s)", func, enum_name(internal));
    if (min_level >= GLuint(o->num_levels) || min_layer >= GLuint(o->num_layers) || !num_levels ||
        !num_layers)
        return error(ctx, GL_INVALID_VALUE, "%s(level %u or layer %u)", func, min_level, min_layer);
    const GLint levels = GLint(std::min(num_levels, GLuint(o->num_levels) - min_level));
    const GLint layers = GLint(std::min(num_layers, GLuint(o->num_layers) - min_layer));
    if (one_layer(target) && num_layers != 1)
        return error(ctx, GL_INVALID_VALUE, "%s(a %s has one layer)", func, enum_name(target));
    if (target == GL_TEXTURE_CUBE_MAP && layers != 6)
        return error(ctx, GL_INVALID_VALUE, "%s(a cube map has six layers)", func);
    if (target == GL_TEXTURE_CUBE_MAP_ARRAY && layers % 6)
        return error(ctx, GL_INVALID_VALUE, "%s(layers %d of a cube map array)", func, layers);
    const TexImage &level = o->image[0][min_level];
    if ((target == GL_TEXTURE_CUBE_MAP || target == GL_TEXTURE_CUBE_MAP_ARRAY) &&
        level.width != level.height)
        return error(ctx, GL_INVALID_OPERATION, "%s(a cube face is square)", func);
    Texture *v = texture_make(ctx, texture, target);
    v->immutable = true;
    v->origin = o->origin ? o->origin : Ref<Texture>(o);
    v->min_level = o->min_level + GLint(min_level);
    v->min_layer = o->min_layer + GLint(min_layer);
    v->num_levels = levels;
    v->num_layers = layers;
    v->immutable_levels = levels;
    fill_images(*v, *v->origin, f, internal);
    st::texture_view(ctx, *v);
    texture_storage_changed(ctx, *v);
}
} // namespace gl
