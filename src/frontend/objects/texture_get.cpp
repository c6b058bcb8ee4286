// SPDX-License-Identifier: MIT
// Texture image queries (GL 4.6 section 8.11): level parameters and texels.
#include "glapi/gl_api.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

namespace gl {

bool image_target(GLenum target) {
    switch (target) {
    case GL_TEXTURE_1D:
    case GL_TEXTURE_2D:
    case GL_TEXTURE_3D:
    case GL_TEXTURE_1D_ARRAY:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_RECTANGLE:
    case GL_TEXTURE_CUBE_MAP_ARRAY: return true;
    default: return is_face_target(target);
    }
}

namespace {

GLint component_type(const FormatInfo &f, unsigned bits) {
    return bits ? GLint(f.type) : GL_NONE;
}

// A value of an image; false: no such name.
bool level_value(const TexImage &im, GLenum pname, GLint &v) {
    const FormatInfo none{};
    const FormatInfo &f = im.format ? *im.format : none;
    const bool d = f.d != 0;
    switch (pname) {
    case GL_TEXTURE_WIDTH: v = im.width; return true;
    case GL_TEXTURE_HEIGHT: v = im.height; return true;
    case GL_TEXTURE_DEPTH: v = im.depth; return true;
    case GL_TEXTURE_INTERNAL_FORMAT:
        v = GLint(im.format ? im.internal_format : GLenum(GL_RGBA));
        return true;
    case GL_TEXTURE_RED_SIZE: v = f.r; return true;
    case GL_TEXTURE_GREEN_SIZE: v = f.g; return true;
    case GL_TEXTURE_BLUE_SIZE: v = f.b; return true;
    case GL_TEXTURE_ALPHA_SIZE: v = f.a; return true;
    case GL_TEXTURE_DEPTH_SIZE: v = f.d; return true;
    case GL_TEXTURE_STENCIL_SIZE: v = f.s; return true;
    case GL_TEXTURE_SHARED_SIZE: v = f.shared; return true;
    case GL_TEXTURE_RED_TYPE: v = component_type(f, f.r); return true;
    case GL_TEXTURE_GREEN_TYPE: v = component_type(f, f.g); return true;
    case GL_TEXTURE_BLUE_TYPE: v = component_type(f, f.b); return true;
    case GL_TEXTURE_ALPHA_TYPE: v = component_type(f, f.a); return true;
    case GL_TEXTURE_DEPTH_TYPE: v = d ? GLint(f.type) : GL_NONE; return true;
    case GL_TEXTURE_COMPRESSED: v = f.compressed; return true;
    case GL_TEXTURE_SAMPLES: v = im.samples; return true;
    case GL_TEXTURE_FIXED_SAMPLE_LOCATIONS: v = im.fixed_locations; return true;
    default: return false;
    }
}

bool buffer_value(const Texture &t, GLenum pname, GLint &v) {
    const FormatInfo none{};
    const FormatInfo &f = t.buffer_format ? *t.buffer_format : none;
    TexImage im;
    im.format = &f;
    im.internal_format = t.buffer_internal_format;
    const GLsizeiptr bytes = !t.buffer ? 0 : t.buffer_size < 0 ? t.buffer->size : t.buffer_size;
    const unsigned texel = unsigned(f.r + f.g + f.b + f.a) / 8;
    im.width = texel && t.buffer ? GLsizei(bytes / texel) : 0;
    im.height = im.depth = t.buffer ? 1 : 0;
    switch (pname) {
    case GL_TEXTURE_BUFFER_DATA_STORE_BINDING:
        v = t.buffer ? GLint(t.buffer->name) : 0;
        return true;
    case GL_TEXTURE_BUFFER_OFFSET: v = GLint(t.buffer_offset); return true;
    case GL_TEXTURE_BUFFER_SIZE: v = GLint(bytes); return true;
    default: return level_value(im, pname, v);
    }
}

void level_parameter(Context &ctx, const Texture *t, GLenum target, GLint level, GLenum pname,
                     GLint *out, const char *func) {
    const GLenum limit_target = t ? t->target : target;
    if (level < 0 || level >= level_limit(ctx, limit_target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", func, level);
    GLint v = 0;
    bool known;
    if (t && t->target == GL_TEXTURE_BUFFER) {
        if (pname == GL_TEXTURE_COMPRESSED_IMAGE_SIZE)
            return error(ctx, GL_INVALID_OPERATION, "%s(a buffer texture)", func);
        known = buffer_value(*t, pname, v);
    } else {
        const TexImage &im =
            t ? t->image[face_of(target)][size_t(level)] : ctx.proxy_image(target, unsigned(level));
        known = level_value(im, pname, v);
        if (!known && pname == GL_TEXTURE_COMPRESSED_IMAGE_SIZE) {
            if (!im.format || !im.format->compressed || !t)
                return error(ctx, GL_INVALID_OPERATION, "%s(the level is not compressed)", func);
            v = GLint(compressed_size(*im.format, im.width, im.height, im.depth));
            known = true;
        } else if (!known &&
                   (pname == GL_TEXTURE_BUFFER_DATA_STORE_BINDING ||
                    pname == GL_TEXTURE_BUFFER_OFFSET || pname == GL_TEXTURE_BUFFER_SIZE)) {
            known = true;
        }
    }
    if (!known)
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    *out = v;
}

void level_bound(Context &ctx, GLenum target, GLint level, GLenum pname, GLint *out,
                 const char *func) {
    if (proxied_target(target))
        return level_parameter(ctx, nullptr, target, level, pname, out, func);
    if (target == GL_TEXTURE_CUBE_MAP || (tex_index(target) < 0 && !is_face_target(target)))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (const Texture *t = bound_texture(ctx, target, func))
        level_parameter(ctx, t, target, level, pname, out, func);
}

// --- texels --------------------------------------------------------------------------------------

struct ReadArgs {
    const char *func;
    GLint level;
    GLenum format, type;
    int64_t size; // of the client memory; -1: not checked
    void *pixels;
};

// The face of a cube map is an image of two dimensions, the whole one of three.
unsigned read_dims(const Texture &t, GLenum target) {
    switch (t.target) {
    case GL_TEXTURE_1D: return 1;
    case GL_TEXTURE_CUBE_MAP: return is_face_target(target) ? 2 : 3;
    case GL_TEXTURE_3D:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_CUBE_MAP_ARRAY: return 3;
    default: return 2;
    }
}

bool check_transfer(Context &ctx, const ReadArgs &a) {
    const GLenum bad = check_format_type(a.format, a.type);
    if (bad != GL_NO_ERROR)
        error(ctx, bad, "%s(format %s, type %s)", a.func, enum_name(a.format), enum_name(a.type));
    return bad == GL_NO_ERROR;
}

bool check_read(Context &ctx, const Texture &t, GLenum target, const TexImage &im, const st::Box &b,
                const ReadArgs &a) {
    const FormatInfo &f = *im.format;
    const FormatClass cls = transfer_class(a.format);
    const bool fits = cls == FormatClass::depth_stencil
                          ? f.depth() && f.stencil()
                          : check_transfer_to(f, a.format) == GL_NO_ERROR;
    if (!fits)
        return error(ctx, GL_INVALID_OPERATION, "%s(format %s does not go with the texture)",
                     a.func, enum_name(a.format)),
               false;
    const PixelLayout l =
        pixel_layout(ctx.pack->store, read_dims(t, target), b.w, b.h, b.d, a.format, a.type);
    if (a.size >= 0 && !ctx.buffers->pixel_pack && l.total > uint64_t(a.size))
        return error(ctx, GL_INVALID_OPERATION, "%s(bufSize %lld is too small)", a.func,
                     (long long)a.size),
               false;
    return check_pixel_buffer(ctx, ctx.buffers->pixel_pack.get(), a.pixels, l.total,
                              type_bytes(a.type), a.func);
}

st::PixelRect pack_rect(Context &ctx, const ReadArgs &a) {
    return {a.format, a.type, &ctx.pack->store, ctx.buffers->pixel_pack.get(), a.pixels};
}

void read_box(Context &ctx, Texture &t, GLenum target, const st::Box &b, const ReadArgs &a) {
    if (b.w == 0 || b.h == 0 || b.d == 0 || (!a.pixels && !ctx.buffers->pixel_pack))
        return;
    if (t.target != GL_TEXTURE_CUBE_MAP || is_face_target(target)) {
        st::texture_get_image(ctx, t, face_of(target), unsigned(a.level), b, pack_rect(ctx, a));
        return;
    }
    const CubeSteps at = cube_steps(ctx.pack->store, b.w, b.h, b.d, a.format, a.type);
    ReadArgs face = a;
    for (GLint k = 0; k < b.d; k++) {
        face.pixels = static_cast<uint8_t *>(a.pixels) + at.first + uint64_t(k) * at.face;
        st::texture_get_image(ctx, t, unsigned(b.z + k), unsigned(a.level),
                              {b.x, b.y, 0, b.w, b.h, 1}, pack_rect(ctx, face));
    }
}

void get_image(Context &ctx, Texture &t, GLenum target, const ReadArgs &a) {
    if (a.level < 0 || a.level >= level_limit(ctx, t.target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", a.func, a.level);
    if (t.target == GL_TEXTURE_BUFFER || multisample_target(t.target))
        return error(ctx, GL_INVALID_OPERATION, "%s(a %s has no image to read)", a.func,
                     enum_name(t.target));
    if (!check_whole_cube(ctx, t, target, a.level, a.func))
        return;
    const TexImage &im = t.image[face_of(target)][size_t(a.level)];
    if (!check_transfer(ctx, a) || !im.defined()) // an empty level has no texels
        return;
    const bool whole_cube = t.target == GL_TEXTURE_CUBE_MAP && !is_face_target(target);
    const st::Box b{0, 0, 0, im.width, im.height, whole_cube ? 6 : im.depth};
    if (check_read(ctx, t, target, im, b, a))
        read_box(ctx, t, target, b, a);
}

void get_bound(Context &ctx, GLenum target, const ReadArgs &a) {
    if (!image_target(target))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", a.func, enum_name(target));
    if (Texture *t = bound_texture(ctx, target, a.func))
        get_image(ctx, *t, target, a);
}

} // namespace

void GL_ENTRY(GetTexLevelParameteriv)(Context &ctx, GLenum target, GLint level, GLenum pname,
                                      GLint *params) {
    level_bound(ctx, target, level, pname, params, "glGetTexLevelParameteriv");
}

void GL_ENTRY(GetTexLevelParameterfv)(Context &ctx, GLenum target, GLint level, GLenum pname,
                                      GLfloat *params) {
    GLint v = 0x7fffffff;
    level_bound(ctx, target, level, pname, &v, "glGetTexLevelParameterfv");
    if (v != 0x7fffffff)
        *params = GLfloat(v);
}

void GL_ENTRY(GetTextureLevelParameteriv)(Context &ctx, GLuint texture, GLint level, GLenum pname,
                                          GLint *params) {
    if (const Texture *t = lookup_texture_err(ctx, texture, "glGetTextureLevelParameteriv"))
        level_parameter(ctx, t, t->target, level, pname, params, "glGetTextureLevelParameteriv");
}

void GL_ENTRY(GetTextureLevelParameterfv)(Context &ctx, GLuint texture, GLint level, GLenum pname,
                                          GLfloat *params) {
    GLint v = 0x7fffffff;
    if (const Texture *t = lookup_texture_err(ctx, texture, "glGetTextureLevelParameterfv"))
        level_parameter(ctx, t, t->target, level, pname, &v, "glGetTextureLevelParameterfv");
    if (v != 0x7fffffff)
        *params = GLfloat(v);
}

void GL_ENTRY(GetTexImage)(Context &ctx, GLenum target, GLint level, GLenum format, GLenum type,
                           void *pixels) {
    get_bound(ctx, target, {"glGetTexImage", level, format, type, -1, pixels});
}

void GL_ENTRY(GetnTexImage)(Context &ctx, GLenum target, GLint level, GLenum format, GLenum type,
                            GLsizei size, void *pixels) {
    get_bound(ctx, target, {"glGetnTexImage", level, format, type, std::max(size, 0), pixels});
}

void GL_ENTRY(GetnTexImageARB)(Context &ctx, GLenum target, GLint level, GLenum format, GLenum type,
                               GLsizei size, void *pixels) {
    get_bound(ctx, target, {"glGetnTexImageARB", level, format, type, std::max(size, 0), pixels});
}

void GL_ENTRY(GetTextureImage)(Context &ctx, GLuint texture, GLint level, GLenum format,
                               GLenum type, GLsizei size, void *pixels) {
    if (Texture *t = lookup_texture_err(ctx, texture, "glGetTextureImage"))
        get_image(ctx, *t, t->target,
                  {"glGetTextureImage", level, format, type, std::max(size, 0), pixels});
}

void GL_ENTRY(GetTextureSubImage)(Context &ctx, GLuint texture, GLint level, GLint x, GLint y,
                                  GLint z, GLsizei w, GLsizei h, GLsizei d, GLenum format,
                                  GLenum type, GLsizei size, void *pixels) {
    const ReadArgs a{"glGetTextureSubImage", level, format, type, std::max(size, 0), pixels};
    Texture *t = lookup_texture_err(ctx, texture, a.func);
    if (!t)
        return;
    if (t->target == GL_TEXTURE_BUFFER || multisample_target(t->target))
        return error(ctx, GL_INVALID_OPERATION, "%s(a %s has no image to read)", a.func,
                     enum_name(t->target));
    if (level < 0 || level >= level_limit(ctx, t->target))
        return error(ctx, GL_INVALID_VALUE, "%s(level %d)", a.func, level);
    const TexImage *im = &t->image[0][size_t(level)]; // undefined levels are 0 x 0 x 0
    if (!check_whole_cube(ctx, *t, t->target, level, a.func))
        return;
    if (x < 0 || y < 0 || z < 0 || w < 0 || h < 0 || d < 0 || int64_t(x) + w > im->width ||
        int64_t(y) + h > im->height || int64_t(z) + d > image_depth(*t, *im))
        return error(ctx, GL_INVALID_VALUE, "%s(the region leaves the level)", a.func);
    if (!check_transfer(ctx, a) || !im->defined())
        return;
    const st::Box b{x, y, z, w, h, d};
    if (check_read(ctx, *t, t->target, *im, b, a))
        read_box(ctx, *t, t->target, b, a);
}
} // namespace gl
