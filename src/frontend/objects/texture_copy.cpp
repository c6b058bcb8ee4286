// SPDX-License-Identifier: MIT
// Copies from the framebuffer (GL 4.6 section 8.6) and between images (18.3.2).
#include "glapi/gl_api.h"
#include "objects/egl_image.h"
#include "objects/framebuffer_util.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

#include <algorithm>

namespace gl {
namespace {

// The base format of the copy must be within what the read buffer has (section 8.6.1).
bool base_covered(const FormatInfo &dst, const FormatInfo &src) {
    const auto mask = [](GLenum base) {
        return base == GL_RED ? 1u : base == GL_RG ? 3u : base == GL_RGB ? 7u : 15u;
    };
    if (!dst.color())
        return (!dst.depth() || src.depth()) && (!dst.stencil() || src.stencil());
    return src.color() && !(mask(dst.base) & ~mask(src.base));
}

// What a copy into a texture of `dst` reads; null after an error.
const FormatInfo *check_source(Context &ctx, const FormatInfo &dst, const char *func) {
    Framebuffer &fb = *ctx.read_fb->fb;
    if (!require_complete(ctx, fb, func))
        return nullptr;
    if (fb.samples > 0) {
        error(ctx, GL_INVALID_OPERATION, "%s(the read framebuffer is multisampled)", func);
        return nullptr;
    }
    const FormatInfo *src = !dst.color() ? (dst.depth() ? fb.depth.format() : fb.stencil.format())
                            : fb.read_index >= 0 ? fb.color[size_t(fb.read_index)].format()
                                                 : nullptr;
    const bool half = !dst.color() && dst.depth() && dst.stencil() && !fb.stencil.format();
    if (!src || half || !base_covered(dst, *src)) {
        error(ctx, GL_INVALID_OPERATION, "%s(the read buffer lacks what the texture needs)", func);
        return nullptr;
    }
    const bool integer = dst.color() && (src->integer() || dst.integer());
    if (integer && src->type != dst.type) {
        error(ctx, GL_INVALID_OPERATION, "%s(integer and other colours do not mix)", func);
        return nullptr;
    }
    return src;
}

// Pixels outside the framebuffer are undefined: nothing is copied for them.
void copy_clipped(Context &ctx, Texture &t, unsigned face, GLint level, GLint dx, GLint dy,
                  GLint dz, GLint x, GLint y, GLsizei w, GLsizei h) {
    Framebuffer &fb = *ctx.read_fb->fb;
    const int64_t x0 = std::max(x, 0), x1 = std::min<int64_t>(int64_t(x) + w, fb.width);
    const int64_t y0 = std::max(y, 0), y1 = std::min<int64_t>(int64_t(y) + h, fb.height);
    if (x0 < x1 && y0 < y1)
        st::texture_copy_from_framebuffer(ctx, t, face, unsigned(level), GLint(dx + (x0 - x)),
                                          GLint(dy + (y0 - y)), dz, fb, GLint(x0), GLint(y0),
                                          GLsizei(x1 - x0), GLsizei(y1 - y0));
}

bool copy_target(const Context &ctx, GLenum target, unsigned dims) {
    return !proxied_target(target) && target_has_dims(ctx, target, dims);
}

void copy_tex_image(Context &ctx, GLenum target, GLint level, GLenum internal, GLint x, GLint y,
                    GLsizei w, GLsizei h, GLint border, unsigned dims, const char *func) {
    if (!copy_target(ctx, target, dims))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (level < 0 || level >= level_limit(ctx, target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", func, level);
    if (border)
        return error(ctx, GL_INVALID_VALUE, "%s(border %d)", func, border);
    const FormatInfo *f = format_info(internal);
    if (!f)
        return error(ctx, GL_INVALID_ENUM, "%s(internalformat %s)", func, enum_name(internal));
    if (blocks_only(*f))
        return error(ctx, GL_INVALID_OPERATION, "%s(internalformat %s takes blocks only)", func,
                     enum_name(internal));
    if (f->compressed && check_block_target(target, *f) != GL_NO_ERROR)
        return error(ctx, GL_INVALID_ENUM, "%s(compressed internalformat %s)", func,
                     enum_name(internal));
    if (w < 0 || h < 0 || !size_within_limits(ctx, target, level, w, h, 1) ||
        (is_face_target(target) && w != h))
        return error(ctx, GL_INVALID_VALUE, "%s(size %d x %d)", func, w, h);
    if (!check_source(ctx, *f, func))
        return;
    Texture *t = bound_texture(ctx, target, func);
    if (!t)
        return;
    if (!texture_may_change(ctx, *t, func))
        return;
    TexImage &im = t->image[face_of(target)][size_t(level)];
    im = TexImage{};
    im.format = f;
    im.internal_format = internal;
    im.width = w;
    im.height = h;
    im.depth = 1;
    st::texture_level_defined(ctx, *t, face_of(target), unsigned(level));
    texture_storage_changed(ctx, *t);
    copy_clipped(ctx, *t, face_of(target), level, 0, 0, 0, x, y, w, h);
}

void copy_sub(Context &ctx, Texture &t, GLenum target, GLint level, GLint dx, GLint dy, GLint dz,
              GLint x, GLint y, GLsizei w, GLsizei h, const char *func) {
    if (level < 0 || level >= level_limit(ctx, t.target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", func, level);
    if (w < 0 || h < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(negative size)", func);
    const TexImage *im = defined_image(ctx, t, target, level, func);
    if (!im || !check_whole_cube(ctx, t, target, level, func) ||
        !check_source(ctx, *im->format, func))
        return;
    if (dx < 0 || dy < 0 || dz < 0 || int64_t(dx) + w > im->width || int64_t(dy) + h > im->height ||
        dz >= image_depth(t, *im))
        return error(ctx, GL_INVALID_VALUE, "%s(the region leaves the level)", func);
    if (!check_whole_blocks(ctx, *im, dx, dy, w, h, func))
        return;
    const bool dsa_cube = t.target == GL_TEXTURE_CUBE_MAP && !is_face_target(target);
    copy_clipped(ctx, t, dsa_cube ? unsigned(dz) : face_of(target), level, dx, dy,
                 dsa_cube ? 0 : dz, x, y, w, h);
}

void copy_sub_bound(Context &ctx, GLenum target, GLint level, GLint dx, GLint dy, GLint dz, GLint x,
                    GLint y, GLsizei w, GLsizei h, unsigned dims, const char *func) {
    if (!copy_target(ctx, target, dims))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (Texture *t = bound_texture(ctx, target, func))
        copy_sub(ctx, *t, target, level, dx, dy, dz, x, y, w, h, func);
}

void copy_sub_named(Context &ctx, GLuint name, GLint level, GLint dx, GLint dy, GLint dz, GLint x,
                    GLint y, GLsizei w, GLsizei h, unsigned dims, const char *func) {
    Texture *t = lookup_texture_err(ctx, name, func);
    if (!t)
        return;
    if (!copy_target(ctx, t->target, dims) && !(dims == 3 && t->target == GL_TEXTURE_CUBE_MAP))
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is a %s)", func, name,
                     enum_name(t->target));
    copy_sub(ctx, *t, t->target, level, dx, dy, dz, x, y, w, h, func);
}

// --- glCopyImageSubData --------------------------------------------------------------------------

struct CopySide {
    st::ImageRef ref;
    const FormatInfo *format;
    GLsizei width, height, depth, samples;
};

bool side(Context &ctx, GLuint name, GLenum target, GLint level, GLint x, GLint y, GLint z,
          CopySide &s) {
    const char *func = "glCopyImageSubData";
    if (target == GL_RENDERBUFFER) {
        Renderbuffer *r = lookup_renderbuffer(ctx, name);
        if (!r && !ctx.group->renderbuffers.known(name))
            return error(ctx, GL_INVALID_VALUE, "%s(renderbuffer %u)", func, name), false;
        if (!r || !r->format)
            return error(ctx, GL_INVALID_OPERATION, "%s(renderbuffer %u has no storage)", func,
                         name),
                   false;
        if (level != 0)
            return error(ctx, GL_INVALID_VALUE, "%s(level %d of a renderbuffer)", func, level),
                   false;
        s = {{nullptr, r, 0, 0, x, y, z}, r->format, r->width, r->height, 1, r->samples};
        return true;
    }
    if (tex_index(target) < 0 || target == GL_TEXTURE_BUFFER)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target)), false;
    Texture *t = lookup_texture(ctx, name);
    if (!t && ctx.group->textures.known(name)) // no bind made it a texture yet
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is not complete)", func, name),
               false;
    if (!t)
        return error(ctx, GL_INVALID_VALUE, "%s(texture %u)", func, name), false;
    if (t->target != target)
        return error(ctx, GL_INVALID_ENUM, "%s(texture %u is a %s)", func, name,
                     enum_name(t->target)),
               false;
    if (level < 0 || level >= level_limit(ctx, target) ||
        (t->immutable && level >= t->immutable_levels))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", func, level), false;
    // Complete but for what the filters ask of the format.
    SamplerParams filters;
    filters.mag_filter = GL_NEAREST;
    filters.min_filter = t->sampler.min_filter == GL_NEAREST || t->sampler.min_filter == GL_LINEAR
                             ? GL_NEAREST
                             : GL_NEAREST_MIPMAP_NEAREST;
    if (!texture_complete(*t, filters) ||
        (level != t->base_level && !t->immutable && unsigned(level) > texture_last_level(*t)))
        return error(ctx, GL_INVALID_OPERATION, "%s(texture %u is not complete)", func, name),
               false;
    const TexImage &im = t->image[0][size_t(level)];
    if (!im.defined())
        return error(ctx, GL_INVALID_VALUE, "%s(level %d is not defined)", func, level), false;
    // z counts the layers of every array, of one-dimensional ones too (section 18.3.2).
    const bool lines = t->index == TEX_1D_ARRAY;
    s = {{t, nullptr, 0, unsigned(level), x, y, z}, im.format, im.width, lines ? 1 : im.height,
         lines ? im.height : image_depth(*t, im),   im.samples};
    return true;
}

unsigned block_bytes(const FormatInfo &f) {
    if (f.compressed)
        return f.block_bytes;
    return unsigned(f.r + f.g + f.b + f.a + f.d + f.s + f.shared) / 8;
}

// Blocks that the driver lacks live in the tracker, which reads and writes textures only: the
// renderbuffer's side of such a copy is a texture for the while.
Ref<Texture> texture_like(Context &ctx, const CopySide &s) {
    Ref<Texture> t(new Texture);
    t->group = ctx.group.get();
    t->target = GL_TEXTURE_2D;
    t->index = TEX_2D;
    TexImage &im = t->image[0][0];
    im.format = s.format;
    im.internal_format = s.format->internal;
    im.width = s.width;
    im.height = s.height;
    im.depth = 1;
    t->immutable = true;
    t->immutable_levels = t->num_levels = t->num_layers = 1;
    return st::texture_storage(ctx, *t) ? t : Ref<Texture>();
}

bool copy_images(Context &ctx, const CopySide &src, const CopySide &dst, GLsizei w, GLsizei h,
                 GLsizei d, GLsizei dw, GLsizei dh) {
    const auto in = [](const Ref<Texture> &t, const st::ImageRef &at) {
        return st::ImageRef{t.get(), nullptr, 0, 0, at.x, at.y, 0};
    };
    if (src.ref.rb && dst.format->compressed) {
        const Ref<Texture> t = texture_like(ctx, src);
        return t && st::copy_image(ctx, src.ref, in(t, src.ref), w, h, d) &&
               st::copy_image(ctx, in(t, src.ref), dst.ref, w, h, d);
    }
    if (dst.ref.rb && src.format->compressed) {
        const Ref<Texture> t = texture_like(ctx, dst);
        return t && st::copy_image(ctx, src.ref, in(t, dst.ref), w, h, d) &&
               st::copy_image(ctx, in(t, dst.ref), dst.ref, dw, dh, d);
    }
    return st::copy_image(ctx, src.ref, dst.ref, w, h, d);
}

bool region_inside(const CopySide &s, GLsizei w, GLsizei h, GLsizei d) {
    const st::ImageRef &r = s.ref;
    return r.x >= 0 && r.y >= 0 && r.z >= 0 && int64_t(r.x) + w <= s.width &&
           int64_t(r.y) + h <= s.height && int64_t(r.z) + d <= s.depth;
}

} // namespace

void GL_ENTRY(CopyTexImage1D)(Context &ctx, GLenum target, GLint level, GLenum internal, GLint x,
                              GLint y, GLsizei w, GLint border) {
    copy_tex_image(ctx, target, level, internal, x, y, w, 1, border, 1, "glCopyTexImage1D");
}
void GL_ENTRY(CopyTexImage2D)(Context &ctx, GLenum target, GLint level, GLenum internal, GLint x,
                              GLint y, GLsizei w, GLsizei h, GLint border) {
    copy_tex_image(ctx, target, level, internal, x, y, w, h, border, 2, "glCopyTexImage2D");
}
void GL_ENTRY(CopyTexSubImage1D)(Context &ctx, GLenum target, GLint level, GLint dx, GLint x,
                                 GLint y, GLsizei w) {
    copy_sub_bound(ctx, target, level, dx, 0, 0, x, y, w, 1, 1, "glCopyTexSubImage1D");
}
void GL_ENTRY(CopyTexSubImage2D)(Context &ctx, GLenum target, GLint level, GLint dx, GLint dy,
                                 GLint x, GLint y, GLsizei w, GLsizei h) {
    copy_sub_bound(ctx, target, level, dx, dy, 0, x, y, w, h, 2, "glCopyTexSubImage2D");
}
void GL_ENTRY(CopyTexSubImage3D)(Context &ctx, GLenum target, GLint level, GLint dx, GLint dy,
                                 GLint dz, GLint x, GLint y, GLsizei w, GLsizei h) {
    copy_sub_bound(ctx, target, level, dx, dy, dz, x, y, w, h, 3, "glCopyTexSubImage3D");
}
void GL_ENTRY(CopyTextureSubImage1D)(Context &ctx, GLuint texture, GLint level, GLint dx, GLint x,
                                     GLint y, GLsizei w) {
    copy_sub_named(ctx, texture, level, dx, 0, 0, x, y, w, 1, 1, "glCopyTextureSubImage1D");
}
void GL_ENTRY(CopyTextureSubImage2D)(Context &ctx, GLuint texture, GLint level, GLint dx, GLint dy,
                                     GLint x, GLint y, GLsizei w, GLsizei h) {
    copy_sub_named(ctx, texture, level, dx, dy, 0, x, y, w, h, 2, "glCopyTextureSubImage2D");
}
void GL_ENTRY(CopyTextureSubImage3D)(Context &ctx, GLuint texture, GLint level, GLint dx, GLint dy,
                                     GLint dz, GLint x, GLint y, GLsizei w, GLsizei h) {
    copy_sub_named(ctx, texture, level, dx, dy, dz, x, y, w, h, 3, "glCopyTextureSubImage3D");
}

void GL_ENTRY(CopyImageSubData)(Context &ctx, GLuint src_name, GLenum src_target, GLint src_level,
                                GLint sx, GLint sy, GLint sz, GLuint dst_name, GLenum dst_target,
                                GLint dst_level, GLint dx, GLint dy, GLint dz, GLsizei w, GLsizei h,
                                GLsizei d) {
    const char *func = "glCopyImageSubData";
    CopySide src, dst;
    if (!side(ctx, src_name, src_target, src_level, sx, sy, sz, src) ||
        !side(ctx, dst_name, dst_target, dst_level, dx, dy, dz, dst))
        return;
    if (w < 0 || h < 0 || d < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(negative size)", func);
    // As many blocks in texels of the destination, whose last block may leave the level.
    const auto scaled = [](GLsizei n, unsigned from, unsigned to, GLint at, GLsizei size) {
        const int64_t texels = (int64_t(n) + from - 1) / from * to, left = int64_t(size) - at;
        return GLsizei(std::min<int64_t>(
            left < texels && left > texels - int64_t(to) ? left : texels, INT32_MAX));
    };
    const GLsizei dw = scaled(w, src.format->block_w, dst.format->block_w, dx, dst.width);
    const GLsizei dh = scaled(h, src.format->block_h, dst.format->block_h, dy, dst.height);
    if (!region_inside(src, w, h, d) || !region_inside(dst, dw, dh, d))
        return error(ctx, GL_INVALID_VALUE, "%s(the region leaves an image)", func);
    const bool aligned = sx % src.format->block_w == 0 && sy % src.format->block_h == 0 &&
                         dx % dst.format->block_w == 0 && dy % dst.format->block_h == 0,
               whole = (w % src.format->block_w == 0 || int64_t(sx) + w == src.width) &&
                       (h % src.format->block_h == 0 || int64_t(sy) + h == src.height);
    if (!aligned || !whole)
        return error(ctx, GL_INVALID_VALUE, "%s(the region cuts a block)", func);
    const bool same_class =
        src.format->internal == dst.format->internal ||
        (view_class(src.format->internal) != GL_NONE &&
         view_class(src.format->internal) == view_class(dst.format->internal)) ||
        (src.format->compressed != dst.format->compressed &&
         block_bytes(*src.format) == block_bytes(*dst.format));
    if (!same_class)
        return error(ctx, GL_INVALID_OPERATION, "%s(%s and %s are not compatible)", func,
                     enum_name(src.format->internal), enum_name(dst.format->internal));
    if (src.samples != dst.samples)
        return error(ctx, GL_INVALID_OPERATION, "%s(sample counts %d and %d)", func, src.samples,
                     dst.samples);
    if (w && h && d && !copy_images(ctx, src, dst, w, h, d, dw, dh))
        error(ctx, GL_INVALID_OPERATION, "%s(the driver cannot copy these images)", func);
}
} // namespace gl
