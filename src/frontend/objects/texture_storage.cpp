// SPDX-License-Identifier: MIT
// Immutable storage (GL 4.6 section 8.19) and multisample storage (8.8).
#include "glapi/gl_api.h"
#include "objects/egl_image.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

namespace gl {
namespace {

bool storage_target(const Context &ctx, GLenum target, unsigned dims) {
    return target == GL_TEXTURE_CUBE_MAP
               ? dims == 2
               : !is_face_target(target) && target_has_dims(ctx, target, dims);
}

struct StorageArgs {
    const char *func;
    GLenum target;
    GLsizei levels;
    GLenum internal;
    GLsizei w, h, d, samples;
    bool fixed;
};

void fill_levels(Texture &t, const StorageArgs &a, const FormatInfo *f) {
    const unsigned faces = a.target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    GLsizei w = a.w, h = a.h, d = a.d;
    for (GLsizei level = 0; level < a.levels; level++) {
        for (unsigned face = 0; face < faces; face++) {
            TexImage &im = t.image[face][size_t(level)];
            im = TexImage{};
            im.format = f;
            im.internal_format = a.internal;
            im.width = w;
            im.height = h;
            im.depth = d;
            im.samples = a.samples;
            im.fixed_locations = a.fixed;
        }
        level_size(a.target, 1, w, h, d);
    }
    t.immutable = true;
    t.immutable_levels = a.levels;
    t.num_levels = a.levels;
    t.num_layers = a.target == GL_TEXTURE_CUBE_MAP   ? 6
                   : a.target == GL_TEXTURE_1D_ARRAY ? a.h
                   : a.target == GL_TEXTURE_3D       ? 1
                                                     : a.d;
}

// There was no memory for them.
void drop_levels(Texture &t) {
    for (auto &face : t.image)
        face.fill(TexImage{});
    t.immutable = false;
    t.immutable_levels = t.num_levels = t.num_layers = 0;
}

void make_storage(Context &ctx, Texture &t, const StorageArgs &a, const FormatInfo *f) {
    fill_levels(t, a, f);
    if (!st::texture_storage(ctx, t))
        drop_levels(t);
    texture_storage_changed(ctx, t);
}

const FormatInfo *sized_format(Context &ctx, const StorageArgs &a) {
    const FormatInfo *f = format_info(a.internal);
    const bool sized = f && f->internal == a.internal;
    if (!sized) {
        error(ctx, GL_INVALID_ENUM, "%s(internalformat %s is not sized)", a.func,
              enum_name(a.internal));
        return nullptr;
    }
    if (!f->color() && real_target(a.target) == GL_TEXTURE_3D) {
        error(ctx, GL_INVALID_OPERATION, "%s(depth or stencil format for a 3D texture)", a.func);
        return nullptr;
    }
    const GLenum no_blocks = f->compressed ? check_block_target(a.target, *f) : GL_NO_ERROR;
    if (no_blocks != GL_NO_ERROR) {
        error(ctx, no_blocks, "%s(compressed internalformat %s)", a.func, enum_name(a.internal));
        return nullptr;
    }
    return f;
}

void tex_storage(Context &ctx, Texture *t, const StorageArgs &a) {
    if (a.levels < 1 || a.w < 1 || a.h < 1 || a.d < 1)
        return error(ctx, GL_INVALID_VALUE, "%s(levels and sizes start at 1)", a.func);
    const FormatInfo *f = sized_format(ctx, a);
    if (!f)
        return;
    const GLenum target = real_target(a.target);
    if ((target == GL_TEXTURE_CUBE_MAP || target == GL_TEXTURE_CUBE_MAP_ARRAY) && a.w != a.h)
        return error(ctx, GL_INVALID_VALUE, "%s(a cube face is square)", a.func);
    if (target == GL_TEXTURE_CUBE_MAP_ARRAY && a.d % 6)
        return error(ctx, GL_INVALID_VALUE, "%s(depth %d is not a multiple of 6)", a.func, a.d);
    const bool fits = size_within_limits(ctx, a.target, 0, a.w, a.h, a.d);
    if (fits && a.levels > max_levels_for(target, a.w, a.h, a.d))
        return error(ctx, GL_INVALID_OPERATION, "%s(too many levels)", a.func);
    if (proxied_target(a.target)) {
        for (GLsizei level = 0; level < a.levels && level < GLsizei(kMaxTextureLevels); level++) {
            TexImage im;
            im.format = fits ? f : nullptr;
            im.internal_format = fits ? a.internal : 0;
            im.width = fits ? a.w : 0;
            im.height = fits ? a.h : 0;
            im.depth = fits ? a.d : 0;
            if (fits)
                level_size(target, level, im.width, im.height, im.depth);
            ctx.proxy_image(a.target, unsigned(level)) = im;
        }
        return;
    }
    if (!fits)
        return error(ctx, GL_INVALID_VALUE, "%s(%d x %d x %d is too large)", a.func, a.w, a.h, a.d);
    if (!t->name)
        return error(ctx, GL_INVALID_OPERATION, "%s(texture 0)", a.func);
    if (!texture_may_change(ctx, *t, a.func))
        return;
    make_storage(ctx, *t, a, f);
}

void storage_bound(Context &ctx, unsigned dims, const StorageArgs &a) {
    if (!storage_target(ctx, a.target, dims))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", a.func, enum_name(a.target));
    Texture *t = proxied_target(a.target) ? nullptr : bound_texture(ctx, a.target, a.func);
    if (t || proxied_target(a.target))
        tex_storage(ctx, t, a);
}

void storage_named(Context &ctx, GLuint name, unsigned dims, StorageArgs a) {
    Texture *t = lookup_texture_err(ctx, name, a.func);
    if (!t)
        return;
    a.target = t->target;
    if (!storage_target(ctx, a.target, dims))
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is a %s)", a.func, name,
                     enum_name(t->target));
    tex_storage(ctx, t, a);
}

GLint max_samples_of(Context &ctx, const FormatInfo &f) {
    const Limits &l = ctx.limits();
    return !f.color() ? l.depth_samples : f.integer() ? l.integer_samples : l.color_samples;
}

// `immutable`: glTexStorage*Multisample.
void multisample_storage(Context &ctx, Texture *t, const StorageArgs &a, bool immutable) {
    if (a.samples < 1)
        return error(ctx, GL_INVALID_VALUE, "%s(samples %d)", a.func, a.samples);
    if (immutable ? (a.w < 1 || a.h < 1 || a.d < 1) : (a.w < 0 || a.h < 0 || a.d < 0))
        return error(ctx, GL_INVALID_VALUE, "%s(size)", a.func);
    const FormatInfo *f = renderable_format(a.internal);
    if (!f || (immutable && f->internal != a.internal)) {
        const FormatInfo *known = format_info(a.internal);
        const bool sized = known && !known->compressed && known->internal == a.internal;
        return error(ctx, sized ? GL_INVALID_OPERATION : GL_INVALID_ENUM,
                     "%s(internalformat %s cannot be rendered)", a.func, enum_name(a.internal));
    }
    const bool fits = size_within_limits(ctx, a.target, 0, a.w, a.h, a.d);
    const bool samples_fit = a.samples <= max_samples_of(ctx, *f);
    if (proxied_target(a.target)) {
        TexImage im;
        if (fits && samples_fit) {
            im.format = f;
            im.internal_format = a.internal;
            im.width = a.w;
            im.height = a.h;
            im.depth = a.d;
            im.samples = a.samples;
            im.fixed_locations = a.fixed;
        }
        ctx.proxy_image(a.target, 0) = im;
        return;
    }
    if (!fits)
        return error(ctx, GL_INVALID_VALUE, "%s(too large)", a.func);
    if (!samples_fit)
        return error(ctx, GL_INVALID_OPERATION, "%s(samples %d are more than %d)", a.func,
                     a.samples, max_samples_of(ctx, *f));
    if (t->immutable || (immutable && !t->name))
        return error(ctx, GL_INVALID_OPERATION, "%s(%s)", a.func,
                     t->immutable ? "the texture is immutable" : "texture 0");
    StorageArgs b = a;
    b.levels = 1;
    fill_levels(*t, b, f);
    t->immutable = immutable;
    t->immutable_levels = immutable ? 1 : 0;
    if (a.w && a.h && a.d && !st::texture_storage(ctx, *t))
        drop_levels(*t);
    texture_storage_changed(ctx, *t);
}

void ms_bound(Context &ctx, const StorageArgs &a, bool array, bool immutable) {
    const GLenum want = array ? GL_TEXTURE_2D_MULTISAMPLE_ARRAY : GL_TEXTURE_2D_MULTISAMPLE;
    const GLenum proxy =
        array ? GL_PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY : GL_PROXY_TEXTURE_2D_MULTISAMPLE;
    if (a.target != want && a.target != proxy)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", a.func, enum_name(a.target));
    Texture *t = a.target == want ? bound_texture(ctx, a.target, a.func) : nullptr;
    if (t || a.target == proxy)
        multisample_storage(ctx, t, a, immutable);
}

void ms_named(Context &ctx, GLuint name, StorageArgs a, bool array) {
    Texture *t = lookup_texture_err(ctx, name, a.func);
    if (!t)
        return;
    a.target = array ? GL_TEXTURE_2D_MULTISAMPLE_ARRAY : GL_TEXTURE_2D_MULTISAMPLE;
    if (t->target != a.target)
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is a %s)", a.func, name,
                     enum_name(t->target));
    multisample_storage(ctx, t, a, true);
}

} // namespace

void GL_ENTRY(TexStorage1D)(Context &ctx, GLenum target, GLsizei levels, GLenum f, GLsizei w) {
    storage_bound(ctx, 1, {"glTexStorage1D", target, levels, f, w, 1, 1, 0, true});
}
void GL_ENTRY(TexStorage2D)(Context &ctx, GLenum target, GLsizei levels, GLenum f, GLsizei w,
                            GLsizei h) {
    storage_bound(ctx, 2, {"glTexStorage2D", target, levels, f, w, h, 1, 0, true});
}
void GL_ENTRY(TexStorage3D)(Context &ctx, GLenum target, GLsizei levels, GLenum f, GLsizei w,
                            GLsizei h, GLsizei d) {
    storage_bound(ctx, 3, {"glTexStorage3D", target, levels, f, w, h, d, 0, true});
}
void GL_ENTRY(TextureStorage1D)(Context &ctx, GLuint texture, GLsizei levels, GLenum f, GLsizei w) {
    storage_named(ctx, texture, 1, {"glTextureStorage1D", 0, levels, f, w, 1, 1, 0, true});
}
void GL_ENTRY(TextureStorage2D)(Context &ctx, GLuint texture, GLsizei levels, GLenum f, GLsizei w,
                                GLsizei h) {
    storage_named(ctx, texture, 2, {"glTextureStorage2D", 0, levels, f, w, h, 1, 0, true});
}
void GL_ENTRY(TextureStorage3D)(Context &ctx, GLuint texture, GLsizei levels, GLenum f, GLsizei w,
                                GLsizei h, GLsizei d) {
    storage_named(ctx, texture, 3, {"glTextureStorage3D", 0, levels, f, w, h, d, 0, true});
}
void GL_ENTRY(TexImage2DMultisample)(Context &ctx, GLenum target, GLsizei samples, GLenum f,
                                     GLsizei w, GLsizei h, GLboolean fixed) {
    ms_bound(ctx, {"glTexImage2DMultisample", target, 1, f, w, h, 1, samples, fixed != 0}, false,
             false);
}
void GL_ENTRY(TexImage3DMultisample)(Context &ctx, GLenum target, GLsizei samples, GLenum f,
                                     GLsizei w, GLsizei h, GLsizei d, GLboolean fixed) {
    ms_bound(ctx, {"glTexImage3DMultisample", target, 1, f, w, h, d, samples, fixed != 0}, true,
             false);
}
void GL_ENTRY(TexStorage2DMultisample)(Context &ctx, GLenum target, GLsizei samples, GLenum f,
                                       GLsizei w, GLsizei h, GLboolean fixed) {
    ms_bound(ctx, {"glTexStorage2DMultisample", target, 1, f, w, h, 1, samples, fixed != 0}, false,
             true);
}
void GL_ENTRY(TexStorage3DMultisample)(Context &ctx, GLenum target, GLsizei samples, GLenum f,
                                       GLsizei w, GLsizei h, GLsizei d, GLboolean fixed) {
    ms_bound(ctx, {"glTexStorage3DMultisample", target, 1, f, w, h, d, samples, fixed != 0}, true,
             true);
}
void GL_ENTRY(TextureStorage2DMultisample)(Context &ctx, GLuint texture, GLsizei samples, GLenum f,
                                           GLsizei w, GLsizei h, GLboolean fixed) {
    ms_named(ctx, texture, {"glTextureStorage2DMultisample", 0, 1, f, w, h, 1, samples, fixed != 0},
             false);
}
void GL_ENTRY(TextureStorage3DMultisample)(Context &ctx, GLuint texture, GLsizei samples, GLenum f,
                                           GLsizei w, GLsizei h, GLsizei d, GLboolean fixed) {
    ms_named(ctx, texture, {"glTextureStorage3DMultisample", 0, 1, f, w, h, d, samples, fixed != 0},
             true);
}
} // namespace gl
