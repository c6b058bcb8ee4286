// SPDX-License-Identifier: MIT
// glTexImage*, glTexSubImage* and proxies (GL 4.6 sections 8.5, 8.6, 8.22).
#include "glapi/gl_api.h"
#include "objects/egl_image.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

#include <algorithm>

namespace gl {
namespace {

struct ImageArgs {
    const char *func;
    GLenum target;
    GLint level;
    GLint internal;
    GLsizei w, h, d;
    GLint border;
    GLenum format, type;
    const void *pixels;
    unsigned dims;
};

bool cube_shape(GLenum target) {
    return is_face_target(target) || target == GL_PROXY_TEXTURE_CUBE_MAP ||
           target == GL_TEXTURE_CUBE_MAP_ARRAY || target == GL_PROXY_TEXTURE_CUBE_MAP_ARRAY;
}

// Target, level, border and sizes; the checks of the format come after.
bool check_shape(Context &ctx, const ImageArgs &a) {
    if (!target_has_dims(ctx, a.target, a.dims))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", a.func, enum_name(a.target)), false;
    if (a.level < 0 || a.level >= level_limit(ctx, a.target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", a.func, a.level), false;
    if (a.border != 0)
        return error(ctx, GL_INVALID_VALUE, "%s(border %d)", a.func, a.border), false;
    if (a.w < 0 || a.h < 0 || a.d < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(negative size)", a.func), false;
    if (cube_shape(a.target) && a.w != a.h)
        return error(ctx, GL_INVALID_VALUE, "%s(a cube face is square)", a.func), false;
    const bool cube_array =
        a.target == GL_TEXTURE_CUBE_MAP_ARRAY || a.target == GL_PROXY_TEXTURE_CUBE_MAP_ARRAY;
    if (cube_array && a.d % 6)
        return error(ctx, GL_INVALID_VALUE, "%s(depth %d is not a multiple of 6)", a.func, a.d),
               false;
    return true;
}

// The internal format; null after an error.
// A stencil-only format takes stencil pixels only; depth formats take depth or depth-stencil pixels
// (section 8.5).
GLenum check_pixels_for(const FormatInfo &f, GLenum format) {
    return f.depth() && format == GL_STENCIL_INDEX ? GLenum(GL_INVALID_OPERATION)
                                                   : check_transfer_to(f, format);
}

const FormatInfo *check_format(Context &ctx, const ImageArgs &a) {
    const GLenum bad = check_format_type(a.format, a.type);
    if (bad != GL_NO_ERROR) {
        error(ctx, bad, "%s(format %s, type %s)", a.func, enum_name(a.format), enum_name(a.type));
        return nullptr;
    }
    const FormatInfo *f = format_info(GLenum(a.internal), a.format, a.type);
    if (!f) {
        error(ctx, GL_INVALID_VALUE, "%s(internalformat %s)", a.func,
              enum_name(GLenum(a.internal)));
        return nullptr;
    }
    const GLenum mix = check_pixels_for(*f, a.format);
    if (mix != GL_NO_ERROR) {
        error(ctx, mix, "%s(format %s does not go with internalformat %s)", a.func,
              enum_name(a.format), enum_name(GLenum(a.internal)));
        return nullptr;
    }
    const bool volume = a.target == GL_TEXTURE_3D || a.target == GL_PROXY_TEXTURE_3D;
    if (!f->color() && volume) {
        error(ctx, GL_INVALID_OPERATION, "%s(depth or stencil format for a 3D texture)", a.func);
        return nullptr;
    }
    const GLenum no_blocks = blocks_only(*f) ? GLenum(GL_INVALID_OPERATION)
                             : f->compressed ? check_block_target(a.target, *f)
                                             : GLenum(GL_NO_ERROR);
    if (no_blocks != GL_NO_ERROR) {
        error(ctx, no_blocks, "%s(compressed internalformat %s)", a.func,
              enum_name(GLenum(a.internal)));
        return nullptr;
    }
    return f;
}

void answer_proxy(Context &ctx, const ImageArgs &a, const FormatInfo *f, bool fits) {
    TexImage &im = ctx.proxy_image(a.target, unsigned(a.level));
    im = TexImage{};
    if (!fits)
        return;
    im.format = f;
    im.internal_format = GLenum(a.internal);
    im.width = a.w;
    im.height = a.h;
    im.depth = a.d;
}

using st::PixelRect;

PixelRect unpack_rect(Context &ctx, GLenum format, GLenum type, const void *pixels) {
    return {format, type, &ctx.unpack->store, ctx.buffers->pixel_unpack.get(),
            const_cast<void *>(pixels)};
}

} // namespace

CubeSteps cube_steps(const PixelStore &s, GLsizei w, GLsizei h, GLsizei faces, GLenum format,
                     GLenum type) {
    const PixelLayout l = pixel_layout(s, 3, w, h, faces, format, type);
    return {l.first - pixel_layout(s, 2, w, h, 1, format, type).first, l.image_stride};
}

bool check_pixel_buffer(Context &ctx, const Buffer *b, const void *pixels, uint64_t bytes,
                        unsigned element, const char *func) {
    if (!b)
        return true;
    const uint64_t offset = reinterpret_cast<uintptr_t>(pixels);
    element = std::min(element, 4u); // the one type of eight bytes is two words
    if (b->mapped_blocking())
        return error(ctx, GL_INVALID_OPERATION, "%s(the pixel buffer is mapped)", func), false;
    if (element && offset % element)
        return error(ctx, GL_INVALID_OPERATION,
                     "%s(the offset is not a multiple of the type's size)", func),
               false;
    if (bytes && (offset + bytes < offset || offset + bytes > uint64_t(b->size)))
        return error(ctx, GL_INVALID_OPERATION, "%s(the pixel buffer is too small)", func), false;
    return true;
}

namespace {

bool check_unpack(Context &ctx, const char *func, unsigned dims, GLsizei w, GLsizei h, GLsizei d,
                  GLenum format, GLenum type, const void *pixels) {
    const Buffer *b = ctx.buffers->pixel_unpack.get();
    if (!b)
        return true;
    const PixelLayout l = pixel_layout(ctx.unpack->store, dims, w, h, d, format, type);
    return check_pixel_buffer(ctx, b, pixels, l.total, type_bytes(type), func);
}

void define_level(Context &ctx, Texture &t, const ImageArgs &a, const FormatInfo *f) {
    TexImage &im = t.image[face_of(a.target)][size_t(a.level)];
    im = TexImage{};
    im.format = f;
    im.internal_format = GLenum(a.internal);
    im.width = a.w;
    im.height = a.h;
    im.depth = a.d;
    st::texture_level_defined(ctx, t, face_of(a.target), unsigned(a.level));
    texture_storage_changed(ctx, t);
}

void tex_image(Context &ctx, const ImageArgs &a) {
    if (!check_shape(ctx, a))
        return;
    const FormatInfo *f = check_format(ctx, a);
    if (!f)
        return;
    const bool fits = size_within_limits(ctx, a.target, a.level, a.w, a.h, a.d);
    if (proxied_target(a.target))
        return answer_proxy(ctx, a, f, fits);
    if (!fits)
        return error(ctx, GL_INVALID_VALUE, "%s(%d x %d x %d is too large)", a.func, a.w, a.h, a.d);
    if (!check_unpack(ctx, a.func, a.dims, a.w, a.h, a.d, a.format, a.type, a.pixels))
        return;
    Texture *t = bound_texture(ctx, a.target, a.func);
    if (!t)
        return;
    if (!texture_may_change(ctx, *t, a.func))
        return;
    define_level(ctx, *t, a, f);
    if ((a.pixels || ctx.buffers->pixel_unpack) && a.w > 0 && a.h > 0 && a.d > 0)
        st::texture_subdata(ctx, *t, face_of(a.target), unsigned(a.level), {0, 0, 0, a.w, a.h, a.d},
                            {a.format, a.type, &ctx.unpack->store, ctx.buffers->pixel_unpack.get(),
                             const_cast<void *>(a.pixels)});
}

struct SubArgs {
    const char *func;
    GLint level;
    st::Box box;
    GLenum format, type;
    const void *pixels;
    unsigned dims;
};

bool inside(const Texture &t, const TexImage &im, const st::Box &b) {
    return b.x >= 0 && b.y >= 0 && b.z >= 0 && int64_t(b.x) + b.w <= im.width &&
           int64_t(b.y) + b.h <= im.height && int64_t(b.z) + b.d <= image_depth(t, im);
}

void tex_sub_image(Context &ctx, Texture &t, GLenum target, const SubArgs &a) {
    if (a.level < 0 || a.level >= level_limit(ctx, t.target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", a.func, a.level);
    if (a.box.w < 0 || a.box.h < 0 || a.box.d < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(negative size)", a.func);
    const GLenum bad = check_format_type(a.format, a.type);
    if (bad != GL_NO_ERROR)
        return error(ctx, bad, "%s(format %s, type %s)", a.func, enum_name(a.format),
                     enum_name(a.type));
    const TexImage *im = defined_image(ctx, t, target, a.level, a.func);
    if (!im)
        return;
    if (!check_whole_cube(ctx, t, target, a.level, a.func))
        return;
    const GLenum mix = check_pixels_for(*im->format, a.format);
    if (mix != GL_NO_ERROR)
        return error(ctx, mix, "%s(format %s does not go with the texture)", a.func,
                     enum_name(a.format));
    if (!inside(t, *im, a.box))
        return error(ctx, GL_INVALID_VALUE, "%s(the region leaves the level)", a.func);
    if (!check_whole_blocks(ctx, *im, a.box.x, a.box.y, a.box.w, a.box.h, a.func))
        return;
    if (!check_unpack(ctx, a.func, a.dims, a.box.w, a.box.h, a.box.d, a.format, a.type, a.pixels))
        return;
    if (a.box.w == 0 || a.box.h == 0 || a.box.d == 0 || (!a.pixels && !ctx.buffers->pixel_unpack))
        return;
    const PixelRect src = unpack_rect(ctx, a.format, a.type, a.pixels);
    if (t.target == GL_TEXTURE_CUBE_MAP && !is_face_target(target)) {
        // Direct state access: z counts faces.
        PixelRect face = src;
        const CubeSteps at =
            cube_steps(ctx.unpack->store, a.box.w, a.box.h, a.box.d, a.format, a.type);
        for (GLint k = 0; k < a.box.d; k++) {
            face.pixels = static_cast<uint8_t *>(src.pixels) + at.first + uint64_t(k) * at.face;
            st::texture_subdata(ctx, t, unsigned(a.box.z + k), unsigned(a.level),
                                {a.box.x, a.box.y, 0, a.box.w, a.box.h, 1}, face);
        }
        return;
    }
    st::texture_subdata(ctx, t, face_of(target), unsigned(a.level), a.box, src);
}

void sub_bound(Context &ctx, GLenum target, const SubArgs &a) {
    if (proxied_target(target) || !target_has_dims(ctx, target, a.dims))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", a.func, enum_name(target));
    if (Texture *t = bound_texture(ctx, target, a.func))
        tex_sub_image(ctx, *t, target, a);
}

void sub_named(Context &ctx, GLuint name, const SubArgs &a) {
    Texture *t = lookup_texture_err(ctx, name, a.func);
    if (!t)
        return;
    const bool cube = t->target == GL_TEXTURE_CUBE_MAP;
    if (!(cube ? a.dims == 3 : target_has_dims(ctx, t->target, a.dims)))
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is a %s)", a.func, name,
                     enum_name(t->target));
    tex_sub_image(ctx, *t, t->target, a);
}

} // namespace

TexImage *defined_image(Context &ctx, Texture &t, GLenum target, GLint level, const char *func) {
    TexImage &im = t.image[face_of(target)][size_t(level)];
    if (!im.defined()) {
        error(ctx, GL_INVALID_OPERATION, "%s(level %d is not defined)", func, level);
        return nullptr;
    }
    return &im;
}

void GL_ENTRY(TexImage1D)(Context &ctx, GLenum target, GLint level, GLint internalformat,
                          GLsizei width, GLint border, GLenum format, GLenum type,
                          const void *pixels) {
    tex_image(ctx, {"glTexImage1D", target, level, internalformat, width, 1, 1, border, format,
                    type, pixels, 1});
}

void GL_ENTRY(TexImage2D)(Context &ctx, GLenum target, GLint level, GLint internalformat,
                          GLsizei width, GLsizei height, GLint border, GLenum format, GLenum type,
                          const void *pixels) {
    tex_image(ctx, {"glTexImage2D", target, level, internalformat, width, height, 1, border, format,
                    type, pixels, 2});
}

void GL_ENTRY(TexImage3D)(Context &ctx, GLenum target, GLint level, GLint internalformat,
                          GLsizei width, GLsizei height, GLsizei depth, GLint border, GLenum format,
                          GLenum type, const void *pixels) {
    tex_image(ctx, {"glTexImage3D", target, level, internalformat, width, height, depth, border,
                    format, type, pixels, 3});
}

void GL_ENTRY(TexSubImage1D)(Context &ctx, GLenum target, GLint level, GLint x, GLsizei w,
                             GLenum format, GLenum type, const void *pixels) {
    sub_bound(ctx, target, {"glTexSubImage1D", level, {x, 0, 0, w, 1, 1}, format, type, pixels, 1});
}

void GL_ENTRY(TexSubImage2D)(Context &ctx, GLenum target, GLint level, GLint x, GLint y, GLsizei w,
                             GLsizei h, GLenum format, GLenum type, const void *pixels) {
    sub_bound(ctx, target, {"glTexSubImage2D", level, {x, y, 0, w, h, 1}, format, type, pixels, 2});
}

void GL_ENTRY(TexSubImage3D)(Context &ctx, GLenum target, GLint level, GLint x, GLint y, GLint z,
                             GLsizei w, GLsizei h, GLsizei d, GLenum format, GLenum type,
                             const void *pixels) {
    sub_bound(ctx, target, {"glTexSubImage3D", level, {x, y, z, w, h, d}, format, type, pixels, 3});
}

void GL_ENTRY(TextureSubImage1D)(Context &ctx, GLuint texture, GLint level, GLint x, GLsizei w,
                                 GLenum format, GLenum type, const void *pixels) {
    sub_named(ctx, texture,
              {"glTextureSubImage1D", level, {x, 0, 0, w, 1, 1}, format, type, pixels, 1});
}

void GL_ENTRY(TextureSubImage2D)(Context &ctx, GLuint texture, GLint level, GLint x, GLint y,
                                 GLsizei w, GLsizei h, GLenum format, GLenum type,
                                 const void *pixels) {
    sub_named(ctx, texture,
              {"glTextureSubImage2D", level, {x, y, 0, w, h, 1}, format, type, pixels, 2});
}

void GL_ENTRY(TextureSubImage3D)(Context &ctx, GLuint texture, GLint level, GLint x, GLint y,
                                 GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum format,
                                 GLenum type, const void *pixels) {
    sub_named(ctx, texture,
              {"glTextureSubImage3D", level, {x, y, z, w, h, d}, format, type, pixels, 3});
}
} // namespace gl
