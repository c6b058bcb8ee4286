// SPDX-License-Identifier: MIT
// Texture completeness (GL 4.6 section 8.17), extents of levels, and the limits of sizes.
#include "objects/texture_util.h"

#include <algorithm>

namespace gl {

void level_size(GLenum target, GLint level, GLsizei &w, GLsizei &h, GLsizei &d) {
    w = std::max(1, w >> level);
    if (target != GL_TEXTURE_1D_ARRAY)
        h = std::max(1, h >> level);
    if (target == GL_TEXTURE_3D)
        d = std::max(1, d >> level);
}

int max_levels_for(GLenum target, GLsizei w, GLsizei h, GLsizei d) {
    if (target == GL_TEXTURE_RECTANGLE || target == GL_TEXTURE_BUFFER || multisample_target(target))
        return 1;
    GLsizei top = w;
    if (target != GL_TEXTURE_1D && target != GL_TEXTURE_1D_ARRAY)
        top = std::max(top, h);
    if (target == GL_TEXTURE_3D)
        top = std::max(top, d);
    int n = 1;
    while (top > 1) {
        top >>= 1;
        n++;
    }
    return n;
}

int level_limit(Context &ctx, GLenum target) {
    const Limits &l = ctx.limits();
    switch (real_target(target)) {
    case GL_TEXTURE_3D: return max_levels_for(GL_TEXTURE_3D, l.texture_3d_size, 1, 1);
    case GL_TEXTURE_RECTANGLE:
    case GL_TEXTURE_BUFFER:
    case GL_TEXTURE_2D_MULTISAMPLE:
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY: return 1;
    case GL_TEXTURE_2D:
    case GL_TEXTURE_1D:
    case GL_TEXTURE_1D_ARRAY:
    case GL_TEXTURE_2D_ARRAY:
        return std::min<int>(kMaxTextureLevels,
                             max_levels_for(GL_TEXTURE_2D, l.texture_size, 1, 1));
    default:
        return std::min<int>(kMaxTextureLevels, max_levels_for(GL_TEXTURE_2D, l.cube_size, 1, 1));
    }
}

TexImage &Context::proxy_image(GLenum target, unsigned level) {
    return proxies[size_t(tex_index(proxied_target(target)))]
                  [level < kMaxTextureLevels ? level : 0];
}

bool size_within_limits(Context &ctx, GLenum target, GLint level, GLsizei w, GLsizei h, GLsizei d) {
    const Limits &l = ctx.limits();
    const auto shrunk = [level](GLint max) { return std::max(1, max >> level); };
    switch (real_target(target)) {
    case GL_TEXTURE_1D: return w <= shrunk(l.texture_size);
    case GL_TEXTURE_1D_ARRAY: return w <= shrunk(l.texture_size) && h <= l.array_layers;
    case GL_TEXTURE_3D: return std::max({w, h, d}) <= shrunk(l.texture_3d_size);
    case GL_TEXTURE_RECTANGLE: return std::max(w, h) <= l.rectangle_size;
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY:
        return std::max(w, h) <= shrunk(l.texture_size) && d <= l.array_layers;
    case GL_TEXTURE_CUBE_MAP_ARRAY:
        return std::max(w, h) <= shrunk(l.cube_size) && d <= l.array_layers;
    case GL_TEXTURE_2D:
    case GL_TEXTURE_2D_MULTISAMPLE: return std::max(w, h) <= shrunk(l.texture_size);
    default: return std::max(w, h) <= shrunk(l.cube_size);
    }
}

GLsizei image_depth(const Texture &t, const TexImage &im) {
    return t.target == GL_TEXTURE_CUBE_MAP ? 6 : im.depth;
}

namespace {

bool cube_face_matches(const Texture &t, unsigned level, const TexImage &want) {
    for (unsigned f = 0; f < 6; f++) {
        const TexImage &im = t.image[f][level];
        if (!im.defined() || im.width != want.width || im.height != want.height ||
            im.internal_format != want.internal_format || im.width != im.height)
            return false;
    }
    return true;
}

bool cube_level_complete(const Texture &t, unsigned level) {
    return t.image[0][level].defined() && cube_face_matches(t, level, t.image[0][level]);
}

bool level_matches(const Texture &t, unsigned level, GLsizei w, GLsizei h, GLsizei d,
                   const TexImage &base) {
    const unsigned faces = t.target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    for (unsigned f = 0; f < faces; f++) {
        const TexImage &im = t.image[f][level];
        if (!im.defined() || im.width != w || im.height != h || im.depth != d ||
            im.internal_format != base.internal_format)
            return false;
    }
    return true;
}

// GL 4.6 section 8.17: nearest filtering is all that integer and (without comparison) stencil
// textures allow.
bool filter_allowed(const Texture &t, const FormatInfo &f, const SamplerParams &s) {
    const bool stencil = f.stencil() && (!f.depth() || t.depth_stencil_mode == GL_STENCIL_INDEX);
    if (!f.integer() && !stencil)
        return true;
    return s.mag_filter == GL_NEAREST &&
           (s.min_filter == GL_NEAREST || s.min_filter == GL_NEAREST_MIPMAP_NEAREST);
}

} // namespace

bool check_whole_cube(Context &ctx, const Texture &t, GLenum target, GLint level,
                      const char *func) {
    if (t.target != GL_TEXTURE_CUBE_MAP || is_face_target(target) ||
        cube_level_complete(t, unsigned(level)))
        return true;
    error(ctx, GL_INVALID_OPERATION, "%s(the cube map is not complete)", func);
    return false;
}

unsigned texture_last_level(const Texture &t) {
    const GLint top = t.immutable ? t.immutable_levels - 1 : GLint(kMaxTextureLevels) - 1;
    GLint base = std::clamp(t.base_level, 0, top);
    const TexImage &b = t.image[0][size_t(base)];
    if (!b.defined())
        return unsigned(base);
    GLint p = base + max_levels_for(t.target, b.width, b.height, b.depth) - 1;
    GLint max = t.immutable ? std::clamp(t.max_level, base, top) : std::min(t.max_level, top);
    return unsigned(std::max(base, std::min(p, max)));
}

bool texture_base_complete(const Texture &t) {
    if (t.target == GL_TEXTURE_BUFFER)
        return t.buffer.get() != nullptr;
    if (t.immutable)
        return true;
    if (t.base_level < 0 || t.base_level > t.max_level || t.base_level >= GLint(kMaxTextureLevels))
        return false;
    const TexImage &b = t.base();
    if (!b.defined() || b.width <= 0 || b.height <= 0 || b.depth <= 0)
        return false;
    return t.target != GL_TEXTURE_CUBE_MAP || cube_face_matches(t, unsigned(t.base_level), b);
}

bool texture_complete(const Texture &t, const SamplerParams &s) {
    if (!texture_base_complete(t))
        return false;
    if (t.target == GL_TEXTURE_BUFFER || multisample_target(t.target))
        return true;
    const GLint top = t.immutable ? t.immutable_levels - 1 : GLint(kMaxTextureLevels) - 1;
    const GLint first = std::clamp(t.base_level, 0, top);
    const TexImage &base = t.image[0][size_t(first)];
    if (!filter_allowed(t, *base.format, s))
        return false;
    const bool mipmapped = s.min_filter != GL_NEAREST && s.min_filter != GL_LINEAR;
    if (!mipmapped || t.immutable)
        return true;
    const unsigned last = texture_last_level(t);
    for (unsigned level = unsigned(first); level <= last; level++) {
        GLsizei w = base.width, h = base.height, d = base.depth;
        level_size(t.target, GLint(level) - first, w, h, d);
        if (!level_matches(t, level, w, h, d, base))
            return false;
    }
    return true;
}
} // namespace gl
