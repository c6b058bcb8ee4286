// SPDX-License-Identifier: MIT
// Compressed images (GL 4.6 section 8.7): blocks in, blocks out. The tracker stores blocks where
// the driver has the format.
#include "glapi/gl_api.h"
#include "objects/egl_image.h"
#include "objects/pixel.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

#include <algorithm>

namespace gl {
namespace {

struct Args {
    const char *func;
    GLint level;
    st::Box box;
    GLenum format;
    GLsizei size;
    const void *data;
    unsigned dims;
};

const FormatInfo *specific_format(Context &ctx, GLenum internal, const char *func) {
    const FormatInfo *f = compressed_format(internal) ? format_info(internal) : nullptr;
    if (!f || !f->compressed) {
        error(ctx, GL_INVALID_ENUM, "%s(format %s is not a specific compressed format)", func,
              enum_name(internal));
        return nullptr;
    }
    return f;
}

bool check_skips(Context &ctx, const PixelStore &s, unsigned dims, const char *func) {
    if (!compressed_skips_fit(s, dims))
        return error(ctx, GL_INVALID_OPERATION, "%s(a skip cuts a block)", func), false;
    return true;
}

bool check_size(Context &ctx, const FormatInfo &f, const Args &a) {
    if (a.box.w < 0 || a.box.h < 0 || a.box.d < 0 || a.size < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(negative size)", a.func), false;
    if (uint64_t(a.size) != compressed_size(f, a.box.w, a.box.h, a.box.d))
        return error(ctx, GL_INVALID_VALUE, "%s(imageSize %d)", a.func, a.size), false;
    if (!check_skips(ctx, ctx.unpack->store, a.dims, a.func))
        return false;
    const PixelLayout l =
        compressed_layout(ctx.unpack->store, f, a.dims, a.box.w, a.box.h, a.box.d);
    return check_pixel_buffer(ctx, ctx.buffers->pixel_unpack.get(), a.data, l.total, 1, a.func);
}

void upload(Context &ctx, Texture &t, unsigned face, const Args &a) {
    if (a.size && (a.data || ctx.buffers->pixel_unpack))
        st::texture_compressed_subdata(ctx, t, face, unsigned(a.level), a.box, a.format, a.size,
                                       ctx.unpack->store, ctx.buffers->pixel_unpack.get(), a.data);
}

// Cube faces are square, and a cube map array has six for each of its layers.
bool shape_fits(GLenum target, const st::Box &b) {
    const GLenum real = real_target(target);
    const bool cube =
        is_face_target(target) || real == GL_TEXTURE_CUBE_MAP || real == GL_TEXTURE_CUBE_MAP_ARRAY;
    return (!cube || b.w == b.h) && (real != GL_TEXTURE_CUBE_MAP_ARRAY || b.d % 6 == 0);
}

void image(Context &ctx, GLenum target, GLint border, const Args &a) {
    if (!target_has_dims(ctx, target, a.dims))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", a.func, enum_name(target));
    const FormatInfo *f = specific_format(ctx, a.format, a.func);
    if (!f)
        return;
    const GLenum no_blocks = check_block_target(target, *f);
    if (no_blocks != GL_NO_ERROR)
        return error(ctx, no_blocks, "%s(a %s has no blocks of %s)", a.func, enum_name(target),
                     enum_name(a.format));
    if (a.level < 0 || a.level >= level_limit(ctx, target) || border)
        return error(ctx, GL_INVALID_VALUE, "%s(level %d, border %d)", a.func, a.level, border);
    if (!check_size(ctx, *f, a))
        return;
    const st::Box &b = a.box;
    if (!shape_fits(target, b))
        return error(ctx, GL_INVALID_VALUE, "%s(%d x %d x %d is no cube)", a.func, b.w, b.h, b.d);
    const bool fits = size_within_limits(ctx, target, a.level, b.w, b.h, b.d);
    const TexImage defined{f, a.format, b.w, b.h, b.d};
    if (proxied_target(target)) {
        ctx.proxy_image(target, unsigned(a.level)) = fits ? defined : TexImage{};
        return;
    }
    if (!fits)
        return error(ctx, GL_INVALID_VALUE, "%s(%d x %d x %d is too large)", a.func, b.w, b.h, b.d);
    Texture *t = bound_texture(ctx, target, a.func);
    if (!t)
        return;
    if (!texture_may_change(ctx, *t, a.func))
        return;
    t->image[face_of(target)][size_t(a.level)] = defined;
    st::texture_level_defined(ctx, *t, face_of(target), unsigned(a.level));
    texture_storage_changed(ctx, *t);
    upload(ctx, *t, face_of(target), a);
}

bool cuts_block(const TexImage &im, GLint x, GLint y, GLsizei w, GLsizei h) {
    const GLint bw = im.format->block_w, bh = im.format->block_h;
    return x % bw || y % bh || (w % bw && x + w != im.width) || (h % bh && y + h != im.height);
}

// Inside the level, and whole blocks.
bool check_region(Context &ctx, const Texture &t, const TexImage &im, const st::Box &b,
                  const char *func) {
    if (b.x < 0 || b.y < 0 || b.z < 0 || b.w < 0 || b.h < 0 || b.d < 0 ||
        int64_t(b.x) + b.w > im.width || int64_t(b.y) + b.h > im.height ||
        int64_t(b.z) + b.d > image_depth(t, im))
        return error(ctx, GL_INVALID_VALUE, "%s(the region leaves the level)", func), false;
    if (cuts_block(im, b.x, b.y, b.w, b.h))
        return error(ctx, GL_INVALID_OPERATION, "%s(the region cuts a block)", func), false;
    return true;
}

CubeSteps cube_steps(const PixelStore &s, const FormatInfo &f, const st::Box &b) {
    const PixelLayout l = compressed_layout(s, f, 3, b.w, b.h, b.d);
    return {l.first - compressed_layout(s, f, 2, b.w, b.h, 1).first, l.image_stride};
}

void sub_image(Context &ctx, Texture &t, GLenum target, const Args &a) {
    const FormatInfo *f = specific_format(ctx, a.format, a.func);
    if (!f)
        return;
    if (a.level < 0 || a.level >= level_limit(ctx, t.target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", a.func, a.level);
    const TexImage *im = defined_image(ctx, t, target, a.level, a.func);
    if (!im || !check_whole_cube(ctx, t, target, a.level, a.func))
        return;
    if (im->format->internal != f->internal)
        return error(ctx, GL_INVALID_OPERATION, "%s(the texture's format is %s)", a.func,
                     enum_name(im->format->internal));
    if (!check_size(ctx, *f, a))
        return;
    const st::Box &b = a.box;
    if (!check_region(ctx, t, *im, b, a.func))
        return;
    if (t.target != GL_TEXTURE_CUBE_MAP || is_face_target(target))
        return upload(ctx, t, face_of(target), a);
    Args face = a;
    face.size = a.size / (b.d ? b.d : 1);
    const CubeSteps at = cube_steps(ctx.unpack->store, *f, b);
    for (GLint k = 0; k < b.d; k++) {
        face.box = {b.x, b.y, 0, b.w, b.h, 1};
        face.data = static_cast<const uint8_t *>(a.data) + at.first + uint64_t(k) * at.face;
        upload(ctx, t, unsigned(b.z + k), face);
    }
}

void sub_bound(Context &ctx, GLenum target, const Args &a) {
    if (proxied_target(target) || !target_has_dims(ctx, target, a.dims))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", a.func, enum_name(target));
    if (Texture *t = bound_texture(ctx, target, a.func))
        sub_image(ctx, *t, target, a);
}

void sub_named(Context &ctx, GLuint name, const Args &a) {
    Texture *t = lookup_texture_err(ctx, name, a.func);
    if (!t)
        return;
    if (!target_has_dims(ctx, t->target, a.dims) &&
        !(a.dims == 3 && t->target == GL_TEXTURE_CUBE_MAP))
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is a %s)", a.func, name,
                     enum_name(t->target));
    sub_image(ctx, *t, t->target, a);
}

unsigned image_dims(const Texture &t) {
    switch (t.target) {
    case GL_TEXTURE_1D: return 1;
    case GL_TEXTURE_3D:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_CUBE_MAP_ARRAY: return 3;
    default: return 2;
    }
}

// Faces [box.z, box.z + box.d) of a cube.
void read_faces(Context &ctx, Texture &t, const FormatInfo &f, GLint level, const st::Box &box,
                Buffer *b, void *pixels) {
    const CubeSteps at = cube_steps(ctx.pack->store, f, box);
    for (GLint k = 0; k < box.d; k++)
        st::texture_get_compressed(
            ctx, t, unsigned(box.z + k), unsigned(level), {box.x, box.y, 0, box.w, box.h, 1}, b,
            static_cast<uint8_t *>(pixels) + at.first + uint64_t(k) * at.face);
}

// `size` -1: not checked.
void read(Context &ctx, Texture &t, GLenum target, GLint level, int64_t size, void *pixels,
          const char *func) {
    if (level < 0 || level >= level_limit(ctx, t.target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", func, level);
    const TexImage &im = t.image[face_of(target)][size_t(level)];
    if (!im.defined() || !im.format->compressed)
        return error(ctx, GL_INVALID_OPERATION, "%s(the level is not compressed)", func);
    if (!check_whole_cube(ctx, t, target, level, func))
        return;
    const bool cube = t.target == GL_TEXTURE_CUBE_MAP && !is_face_target(target);
    const unsigned dims = cube ? 3 : image_dims(t);
    const st::Box all{0, 0, 0, im.width, im.height, cube ? 6 : im.depth};
    const PixelStore &store = ctx.pack->store;
    if (!check_skips(ctx, store, dims, func))
        return;
    const uint64_t bytes = compressed_layout(store, *im.format, dims, all.w, all.h, all.d).total;
    Buffer *b = ctx.buffers->pixel_pack.get();
    if (!b && size >= 0 && bytes > uint64_t(size))
        return error(ctx, GL_INVALID_OPERATION, "%s(bufSize %lld is too small)", func,
                     (long long)size);
    if (!bytes || !check_pixel_buffer(ctx, b, pixels, bytes, 1, func) || (!b && !pixels))
        return;
    if (cube)
        return read_faces(ctx, t, *im.format, level, all, b, pixels);
    st::texture_get_compressed(ctx, t, face_of(target), unsigned(level), all, b, pixels);
}

void read_bound(Context &ctx, GLenum target, GLint level, int64_t size, void *pixels,
                const char *func) {
    if (!image_target(target))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (Texture *t = bound_texture(ctx, target, func))
        read(ctx, *t, target, level, size, pixels, func);
}

void read_region(Context &ctx, Texture &t, GLint level, const st::Box &box, GLsizei size,
                 void *pixels, const char *func) {
    if (t.target == GL_TEXTURE_BUFFER || multisample_target(t.target))
        return error(ctx, GL_INVALID_OPERATION, "%s(a %s has no image to read)", func,
                     enum_name(t.target));
    if (level < 0 || level >= level_limit(ctx, t.target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", func, level);
    const TexImage &im = t.image[0][size_t(level)];
    if (!im.defined() || !im.format->compressed)
        return error(ctx, GL_INVALID_OPERATION, "%s(the level is not compressed)", func);
    const bool cube = t.target == GL_TEXTURE_CUBE_MAP;
    if (!check_whole_cube(ctx, t, t.target, level, func))
        return;
    if (!check_region(ctx, t, im, box, func))
        return;
    const unsigned dims = cube ? 3 : image_dims(t);
    const PixelStore &store = ctx.pack->store;
    if (!check_skips(ctx, store, dims, func))
        return;
    const uint64_t bytes = compressed_layout(store, *im.format, dims, box.w, box.h, box.d).total;
    Buffer *b = ctx.buffers->pixel_pack.get();
    if (!b && (size < 0 || bytes > uint64_t(size)))
        return error(ctx, GL_INVALID_OPERATION, "%s(bufSize %d is too small)", func, size);
    if (!bytes || !check_pixel_buffer(ctx, b, pixels, bytes, 1, func) || (!b && !pixels))
        return;
    if (cube)
        return read_faces(ctx, t, *im.format, level, box, b, pixels);
    st::texture_get_compressed(ctx, t, 0, unsigned(level), box, b, pixels);
}

} // namespace

bool check_whole_blocks(Context &ctx, const TexImage &im, GLint x, GLint y, GLsizei w, GLsizei h,
                        const char *func) {
    if (!im.format->compressed)
        return true;
    const char *reason = blocks_only(*im.format)      ? "the format takes blocks only"
                         : cuts_block(im, x, y, w, h) ? "the region cuts a block"
                                                      : nullptr;
    if (reason)
        error(ctx, GL_INVALID_OPERATION, "%s(%s)", func, reason);
    return !reason;
}

void GL_ENTRY(CompressedTexImage1D)(Context &ctx, GLenum target, GLint level, GLenum f, GLsizei w,
                                    GLint border, GLsizei size, const void *data) {
    image(ctx, target, border,
          {"glCompressedTexImage1D", level, {0, 0, 0, w, 1, 1}, f, size, data, 1});
}
void GL_ENTRY(CompressedTexImage2D)(Context &ctx, GLenum target, GLint level, GLenum f, GLsizei w,
                                    GLsizei h, GLint border, GLsizei size, const void *data) {
    image(ctx, target, border,
          {"glCompressedTexImage2D", level, {0, 0, 0, w, h, 1}, f, size, data, 2});
}
void GL_ENTRY(CompressedTexImage3D)(Context &ctx, GLenum target, GLint level, GLenum f, GLsizei w,
                                    GLsizei h, GLsizei d, GLint border, GLsizei size,
                                    const void *data) {
    image(ctx, target, border,
          {"glCompressedTexImage3D", level, {0, 0, 0, w, h, d}, f, size, data, 3});
}
void GL_ENTRY(CompressedTexSubImage1D)(Context &ctx, GLenum target, GLint level, GLint x, GLsizei w,
                                       GLenum f, GLsizei size, const void *data) {
    sub_bound(ctx, target,
              {"glCompressedTexSubImage1D", level, {x, 0, 0, w, 1, 1}, f, size, data, 1});
}
void GL_ENTRY(CompressedTexSubImage2D)(Context &ctx, GLenum target, GLint level, GLint x, GLint y,
                                       GLsizei w, GLsizei h, GLenum f, GLsizei size,
                                       const void *data) {
    sub_bound(ctx, target,
              {"glCompressedTexSubImage2D", level, {x, y, 0, w, h, 1}, f, size, data, 2});
}
void GL_ENTRY(CompressedTexSubImage3D)(Context &ctx, GLenum target, GLint level, GLint x, GLint y,
                                       GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum f,
                                       GLsizei size, const void *data) {
    sub_bound(ctx, target,
              {"glCompressedTexSubImage3D", level, {x, y, z, w, h, d}, f, size, data, 3});
}
void GL_ENTRY(CompressedTextureSubImage1D)(Context &ctx, GLuint t, GLint level, GLint x, GLsizei w,
                                           GLenum f, GLsizei size, const void *data) {
    sub_named(ctx, t,
              {"glCompressedTextureSubImage1D", level, {x, 0, 0, w, 1, 1}, f, size, data, 1});
}
void GL_ENTRY(CompressedTextureSubImage2D)(Context &ctx, GLuint t, GLint level, GLint x, GLint y,
                                           GLsizei w, GLsizei h, GLenum f, GLsizei size,
                                           const void *data) {
    sub_named(ctx, t,
              {"glCompressedTextureSubImage2D", level, {x, y, 0, w, h, 1}, f, size, data, 2});
}
void GL_ENTRY(CompressedTextureSubImage3D)(Context &ctx, GLuint t, GLint level, GLint x, GLint y,
                                           GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum f,
                                           GLsizei size, const void *data) {
    sub_named(ctx, t,
              {"glCompressedTextureSubImage3D", level, {x, y, z, w, h, d}, f, size, data, 3});
}
void GL_ENTRY(GetCompressedTexImage)(Context &ctx, GLenum target, GLint level, void *pixels) {
    read_bound(ctx, target, level, -1, pixels, "glGetCompressedTexImage");
}
void GL_ENTRY(GetnCompressedTexImage)(Context &ctx, GLenum target, GLint level, GLsizei size,
                                      void *pixels) {
    read_bound(ctx, target, level, std::max(size, 0), pixels, "glGetnCompressedTexImage");
}
void GL_ENTRY(GetnCompressedTexImageARB)(Context &ctx, GLenum target, GLint level, GLsizei size,
                                         void *pixels) {
    read_bound(ctx, target, level, std::max(size, 0), pixels, "glGetnCompressedTexImageARB");
}
void GL_ENTRY(GetCompressedTextureImage)(Context &ctx, GLuint texture, GLint level, GLsizei size,
                                         void *pixels) {
    const char *func = "glGetCompressedTextureImage";
    if (Texture *t = lookup_texture_err(ctx, texture, func))
        read(ctx, *t, t->target, level, std::max(size, 0), pixels, func);
}
void GL_ENTRY(GetCompressedTextureSubImage)(Context &ctx, GLuint texture, GLint level, GLint x,
                                            GLint y, GLint z, GLsizei w, GLsizei h, GLsizei d,
                                            GLsizei size, void *pixels) {
    const char *func = "glGetCompressedTextureSubImage";
    if (Texture *t = lookup_texture_err(ctx, texture, func))
        read_region(ctx, *t, level, {x, y, z, w, h, d}, size, pixels, func);
}
} // namespace gl
