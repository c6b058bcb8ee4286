// SPDX-License-Identifier: MIT
// Texture names and objects (GL 4.6 section 8.1), targets, and what a change of a texture wakes.
#include "objects/texture.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

namespace gl {

Texture::~Texture() {
    st::texture_destroy(*this);
}

int tex_index(GLenum target) {
    switch (target) {
    case GL_TEXTURE_1D: return TEX_1D;
    case GL_TEXTURE_2D: return TEX_2D;
    case GL_TEXTURE_3D: return TEX_3D;
    case GL_TEXTURE_1D_ARRAY: return TEX_1D_ARRAY;
    case GL_TEXTURE_2D_ARRAY: return TEX_2D_ARRAY;
    case GL_TEXTURE_RECTANGLE: return TEX_RECT;
    case GL_TEXTURE_CUBE_MAP: return TEX_CUBE;
    case GL_TEXTURE_CUBE_MAP_ARRAY: return TEX_CUBE_ARRAY;
    case GL_TEXTURE_BUFFER: return TEX_BUFFER;
    case GL_TEXTURE_2D_MULTISAMPLE: return TEX_2D_MS;
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY: return TEX_2D_MS_ARRAY;
    default: return -1;
    }
}

GLenum tex_target(TexIndex i) {
    static constexpr GLenum targets[TEX_COUNT] = {GL_TEXTURE_1D,
                                                  GL_TEXTURE_2D,
                                                  GL_TEXTURE_3D,
                                                  GL_TEXTURE_1D_ARRAY,
                                                  GL_TEXTURE_2D_ARRAY,
                                                  GL_TEXTURE_RECTANGLE,
                                                  GL_TEXTURE_CUBE_MAP,
                                                  GL_TEXTURE_CUBE_MAP_ARRAY,
                                                  GL_TEXTURE_BUFFER,
                                                  GL_TEXTURE_2D_MULTISAMPLE,
                                                  GL_TEXTURE_2D_MULTISAMPLE_ARRAY};
    return targets[i];
}

bool layered_target(GLenum target) {
    switch (target) {
    case GL_TEXTURE_3D:
    case GL_TEXTURE_1D_ARRAY:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_CUBE_MAP:
    case GL_TEXTURE_CUBE_MAP_ARRAY:
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY: return true;
    default: return false;
    }
}

bool is_face_target(GLenum target) {
    return target >= GL_TEXTURE_CUBE_MAP_POSITIVE_X && target <= GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
}

GLenum proxied_target(GLenum target) {
    switch (target) {
    case GL_PROXY_TEXTURE_1D: return GL_TEXTURE_1D;
    case GL_PROXY_TEXTURE_2D: return GL_TEXTURE_2D;
    case GL_PROXY_TEXTURE_3D: return GL_TEXTURE_3D;
    case GL_PROXY_TEXTURE_1D_ARRAY: return GL_TEXTURE_1D_ARRAY;
    case GL_PROXY_TEXTURE_2D_ARRAY: return GL_TEXTURE_2D_ARRAY;
    case GL_PROXY_TEXTURE_RECTANGLE: return GL_TEXTURE_RECTANGLE;
    case GL_PROXY_TEXTURE_CUBE_MAP: return GL_TEXTURE_CUBE_MAP;
    case GL_PROXY_TEXTURE_CUBE_MAP_ARRAY: return GL_TEXTURE_CUBE_MAP_ARRAY;
    case GL_PROXY_TEXTURE_2D_MULTISAMPLE: return GL_TEXTURE_2D_MULTISAMPLE;
    case GL_PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY: return GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
    default: return 0;
    }
}

GLenum real_target(GLenum target) {
    const GLenum real = proxied_target(target);
    return real ? real : target;
}

unsigned face_of(GLenum target) {
    return is_face_target(target) ? target - GL_TEXTURE_CUBE_MAP_POSITIVE_X : 0;
}

bool target_has_dims(const Context &ctx, GLenum target, unsigned dims) {
    if (is_face_target(target))
        return dims == 2;
    switch (real_target(target)) {
    case GL_TEXTURE_1D: return dims == 1;
    case GL_TEXTURE_2D:
    case GL_TEXTURE_1D_ARRAY:
    case GL_TEXTURE_RECTANGLE: return dims == 2;
    case GL_TEXTURE_CUBE_MAP: return dims == 2 && target != GL_TEXTURE_CUBE_MAP;
    case GL_TEXTURE_3D:
    case GL_TEXTURE_2D_ARRAY: return dims == 3;
    case GL_TEXTURE_CUBE_MAP_ARRAY: return dims == 3 && ctx.has().cube_array;
    default: return false;
    }
}

GLenum check_block_target(GLenum target, const FormatInfo &f) {
    switch (real_target(target)) {
    case GL_TEXTURE_2D:
    case GL_TEXTURE_CUBE_MAP:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_CUBE_MAP_ARRAY: return GL_NO_ERROR;
    case GL_TEXTURE_3D: // BPTC, and ASTC slice by slice
        switch (f.internal) {
        case GL_COMPRESSED_RGBA_BPTC_UNORM:
        case GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM:
        case GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT:
        case GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT: return GL_NO_ERROR;
        default:
            if (s3tc_format(f))
                return GL_INVALID_ENUM; // as their extension says
            return astc_format(f) ? GL_NO_ERROR : GL_INVALID_OPERATION;
        }
    default: return is_face_target(target) ? GL_NO_ERROR : GL_INVALID_ENUM;
    }
}

bool multisample_target(GLenum target) {
    return target == GL_TEXTURE_2D_MULTISAMPLE || target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
}

Texture *lookup_texture(Context &ctx, GLuint name) {
    return name ? ctx.group->textures.find(name) : nullptr;
}

Texture *lookup_texture_err(Context &ctx, GLuint name, const char *func) {
    Texture *t = lookup_texture(ctx, name);
    if (!t)
        error(ctx, GL_INVALID_OPERATION, "%s(texture %u is not a texture)", func, name);
    return t;
}

Texture *bound_texture(Context &ctx, GLenum target, const char *func) {
    const int i = tex_index(is_face_target(target) ? GLenum(GL_TEXTURE_CUBE_MAP) : target);
    if (i < 0 || (i == TEX_CUBE_ARRAY && !ctx.has().cube_array)) {
        error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
        return nullptr;
    }
    return ctx.textures->unit[ctx.active_texture].tex[size_t(i)].get();
}

void texture_changed(Context &ctx, Texture &t) {
    t.version++;
    const auto &units = ctx.textures->unit;
    for (unsigned u = 0; u < units.size(); u++)
        if (units[u].tex[t.index].get() == &t)
            ctx.slots.textures.set(u);
    for (unsigned u = 0; u < kMaxImageUnits; u++)
        if (ctx.images->unit[u].texture.get() == &t) {
            ctx.slots.images.set(u);
            Writer{ctx}.mark(G::images);
        }
    object_changed(ctx, t, G::textures);
}

void texture_storage_changed(Context &ctx, Texture &t) {
    texture_changed(ctx, t);
    framebuffers_texture_changed(ctx, t);
}

static void set_target(Texture &t, GLenum target) {
    t.target = target;
    t.index = TexIndex(tex_index(target));
    if (t.index == TEX_RECT) {
        t.sampler.min_filter = GL_LINEAR;
        t.sampler.wrap_s = t.sampler.wrap_t = t.sampler.wrap_r = GL_CLAMP_TO_EDGE;
    }
    if (multisample_target(target)) { // sampled by fetches only; these are the defaults of Mesa
        t.sampler.min_filter = t.sampler.mag_filter = GL_NEAREST;
        t.sampler.wrap_s = t.sampler.wrap_t = t.sampler.wrap_r = GL_CLAMP_TO_EDGE;
    }
}

Texture *texture_make(Context &ctx, GLuint name, GLenum target) {
    auto *t = new Texture;
    t->group = ctx.group.get();
    set_target(*t, target);
    return ctx.group->textures.insert(name, t);
}

void GL_ENTRY(GenTextures)(Context &ctx, GLsizei n, GLuint *textures) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glGenTextures(n < 0)");
    ctx.group->textures.gen(unsigned(n), textures);
}

void GL_ENTRY(CreateTextures)(Context &ctx, GLenum target, GLsizei n, GLuint *textures) {
    const int i = tex_index(target);
    if (i < 0 || (i == TEX_CUBE_ARRAY && !ctx.has().cube_array))
        return error(ctx, GL_INVALID_ENUM, "glCreateTextures(target %s)", enum_name(target));
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glCreateTextures(n < 0)");
    ctx.group->textures.gen(unsigned(n), textures);
    for (GLsizei k = 0; k < n; k++)
        texture_make(ctx, textures[k], target);
}

void unbind_deleted_texture(Context &ctx, Texture &t) {
    const auto &units = ctx.textures->unit;
    for (unsigned u = 0; u < units.size(); u++)
        if (units[u].tex[t.index].get() == &t) {
            Writer{ctx}(ctx.textures).unit[u].tex[t.index] = ctx.group->default_texture[t.index];
            ctx.slots.textures.set(u);
        }
    for (unsigned u = 0; u < kMaxImageUnits; u++)
        if (ctx.images->unit[u].texture.get() == &t) {
            Writer{ctx}(ctx.images).unit[u] = ImageUnit{};
            ctx.slots.images.set(u);
        }
    detach_deleted_texture(ctx, t);
}

void GL_ENTRY(DeleteTextures)(Context &ctx, GLsizei n, const GLuint *textures) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteTextures(n < 0)");
    for (GLsizei i = 0; i < n; i++) {
        Ref<Texture> t = ctx.group->textures.remove(textures[i]);
        if (!t)
            continue;
        unbind_deleted_texture(ctx, *t);
    }
}

GLboolean GL_ENTRY(IsTexture)(Context &ctx, GLuint name) {
    return lookup_texture(ctx, name) != nullptr;
}
} // namespace gl
