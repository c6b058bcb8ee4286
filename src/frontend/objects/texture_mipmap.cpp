// SPDX-License-Identifier: MIT
// glGenerateMipmap (GL 4.6 section 8.14.4), invalidation (8.20) and clears (8.21) of texture
// images.
#include "glapi/gl_api.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

namespace gl {
namespace {

bool mipmap_target(Context &ctx, GLenum target) {
    switch (target) {
    case GL_TEXTURE_1D:
    case GL_TEXTURE_2D:
    case GL_TEXTURE_3D:
    case GL_TEXTURE_1D_ARRAY:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_CUBE_MAP: return true;
    case GL_TEXTURE_CUBE_MAP_ARRAY: return ctx.has().cube_array;
    default: return false;
    }
}

// Levels base+1 .. p of a mutable texture take the sizes and format of the base.
bool define_levels(Context &ctx, Texture &t) {
    if (t.immutable)
        return false;
    const unsigned faces = t.target == GL_TEXTURE_CUBE_MAP ? 6 : 1, last = texture_last_level(t);
    bool changed = false;
    for (unsigned f = 0; f < faces; f++) {
        const TexImage base = t.image[f][size_t(t.base_level)];
        GLsizei w = base.width, h = base.height, d = base.depth;
        for (unsigned level = unsigned(t.base_level) + 1; level <= last; level++) {
            level_size(t.target, 1, w, h, d);
            TexImage &im = t.image[f][level];
            if (im.defined() && im.width == w && im.height == h && im.depth == d &&
                im.internal_format == base.internal_format)
                continue;
            im = base;
            im.width = w;
            im.height = h;
            im.depth = d;
            st::texture_level_defined(ctx, t, f, level);
            changed = true;
        }
    }
    return changed;
}

void generate(Context &ctx, Texture *t, const char *func) {
    if (!t)
        return;
    if (t->base_level >= GLint(kMaxTextureLevels) || !texture_base_complete(*t)) {
        if (t->target == GL_TEXTURE_CUBE_MAP || t->target == GL_TEXTURE_CUBE_MAP_ARRAY)
            error(ctx, GL_INVALID_OPERATION, "%s(the cube map is not complete)", func);
        return;
    }
    const FormatInfo &f = *t->base().format;
    const bool filterable = f.color() ? !f.integer() && !blocks_only(f) : f.depth() && !f.stencil();
    if (!filterable)
        return error(ctx, GL_INVALID_OPERATION, "%s(%s cannot be filtered)", func,
                     enum_name(f.internal));
    if (define_levels(ctx, *t))
        texture_storage_changed(ctx, *t);
    st::texture_generate_mipmap(ctx, *t);
}

Texture *image_of(Context &ctx, GLuint name, GLint level, const char *func) {
    Texture *t = lookup_texture_err(ctx, name, func);
    if (!t)
        return nullptr;
    if (t->target == GL_TEXTURE_BUFFER) {
        error(ctx, GL_INVALID_OPERATION, "%s(a buffer texture)", func);
        return nullptr;
    }
    if (level < 0 || level >= level_limit(ctx, t->target)) {
        error(ctx, GL_INVALID_VALUE, "%s(level %d)", func, level);
        return nullptr;
    }
    return t;
}

bool box_inside(const Texture &t, const TexImage &im, const st::Box &b) {
    return b.x >= 0 && b.y >= 0 && b.z >= 0 && b.w >= 0 && b.h >= 0 && b.d >= 0 &&
           int64_t(b.x) + b.w <= im.width && int64_t(b.y) + b.h <= im.height &&
           int64_t(b.z) + b.d <= image_depth(t, im);
}

void clear_image(Context &ctx, Texture *t, GLint level, const st::Box *box, GLenum format,
                 GLenum type, const void *data, const char *func) {
    if (!t)
        return;
    const TexImage *im = defined_image(ctx, *t, t->target, level, func);
    if (!im || !check_whole_cube(ctx, *t, t->target, level, func))
        return;
    if (im->format->compressed)
        return error(ctx, GL_INVALID_OPERATION, "%s(a compressed texture)", func);
    const GLenum bad = check_format_type(format, type);
    if (bad != GL_NO_ERROR)
        return error(ctx, bad, "%s(format %s, type %s)", func, enum_name(format), enum_name(type));
    const FormatClass cls = transfer_class(format);
    const bool zs_match =
        cls != FormatClass::depth_stencil || (im->format->depth() && im->format->stencil());
    const bool ds_texture =
        im->format->depth() && im->format->stencil() && cls != FormatClass::depth_stencil;
    if (check_transfer_to(*im->format, format) != GL_NO_ERROR || !zs_match || ds_texture)
        return error(ctx, GL_INVALID_OPERATION, "%s(format %s does not go with the texture)", func,
                     enum_name(format));
    const st::Box b = box ? *box : st::Box{0, 0, 0, im->width, im->height, image_depth(*t, *im)};
    if (!box_inside(*t, *im, b))
        return error(ctx, GL_INVALID_OPERATION, "%s(the region leaves the level)", func);
    if (!b.w || !b.h || !b.d)
        return;
    const auto clear = [&](unsigned face, const st::Box &part) {
        if (!st::texture_clear(ctx, *t, face, unsigned(level), part, format, type, data))
            error(ctx, GL_INVALID_OPERATION, "%s(the driver cannot clear this texture)", func);
    };
    if (t->target != GL_TEXTURE_CUBE_MAP)
        return clear(0, b);
    for (GLint f = b.z; f < b.z + b.d; f++)
        clear(unsigned(f), {b.x, b.y, 0, b.w, b.h, 1});
}

} // namespace

void GL_ENTRY(GenerateMipmap)(Context &ctx, GLenum target) {
    const char *func = "glGenerateMipmap";
    if (!mipmap_target(ctx, target))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    generate(ctx, bound_texture(ctx, target, func), func);
}

void GL_ENTRY(GenerateTextureMipmap)(Context &ctx, GLuint texture) {
    const char *func = "glGenerateTextureMipmap";
    Texture *t = lookup_texture_err(ctx, texture, func);
    if (t && !mipmap_target(ctx, t->target))
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is a %s)", func, texture,
                     enum_name(t->target));
    generate(ctx, t, func);
}

void GL_ENTRY(InvalidateTexImage)(Context &ctx, GLuint texture, GLint level) {
    Texture *t = lookup_texture(ctx, texture);
    if (!t || level < 0 || level >= level_limit(ctx, t->target))
        return error(ctx, GL_INVALID_VALUE, "glInvalidateTexImage(texture %u, level %d)", texture,
                     level);
    st::texture_invalidate(ctx, *t, unsigned(level), nullptr);
}

void GL_ENTRY(InvalidateTexSubImage)(Context &ctx, GLuint texture, GLint level, GLint x, GLint y,
                                     GLint z, GLsizei w, GLsizei h, GLsizei d) {
    Texture *t = lookup_texture(ctx, texture);
    if (!t || level < 0 || level >= level_limit(ctx, t->target))
        return error(ctx, GL_INVALID_VALUE, "glInvalidateTexSubImage(texture %u, level %d)",
                     texture, level);
    const st::Box b{x, y, z, w, h, d};
    const TexImage &im = t->image[0][size_t(level)];
    if (im.defined() && !box_inside(*t, im, b))
        return error(ctx, GL_INVALID_VALUE, "glInvalidateTexSubImage(the region leaves the level)");
    st::texture_invalidate(ctx, *t, unsigned(level), &b);
}

void GL_ENTRY(ClearTexImage)(Context &ctx, GLuint texture, GLint level, GLenum format, GLenum type,
                             const void *data) {
    const char *func = "glClearTexImage";
    clear_image(ctx, image_of(ctx, texture, level, func), level, nullptr, format, type, data, func);
}

void GL_ENTRY(ClearTexSubImage)(Context &ctx, GLuint texture, GLint level, GLint x, GLint y,
                                GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum format,
                                GLenum type, const void *data) {
    const char *func = "glClearTexSubImage";
    const st::Box b{x, y, z, w, h, d};
    clear_image(ctx, image_of(ctx, texture, level, func), level, &b, format, type, data, func);
}
} // namespace gl
