// SPDX-License-Identifier: MIT
// The sampler parameters that textures and sampler objects share: legal values, conversion, getters
// (GL 4.6 table 8.18).
#include "objects/sampler.h"

#include "objects/context.h"
#include "objects/get.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gl {
namespace {

// The value of a call in one of its two forms.
struct Arg {
    const GLfloat *f;
    const GLint *i;
    GLenum as_enum() const {
        return f ? GLenum(std::lround(std::clamp(*f, -1.0f, 4.0e9f))) : GLenum(*i);
    }
    float as_float() const { return f ? *f : float(*i); }
};

bool legal_min(GLenum v, bool rect) {
    switch (v) {
    case GL_NEAREST:
    case GL_LINEAR: return true;
    case GL_NEAREST_MIPMAP_NEAREST:
    case GL_LINEAR_MIPMAP_NEAREST:
    case GL_NEAREST_MIPMAP_LINEAR:
    case GL_LINEAR_MIPMAP_LINEAR: return !rect;
    default: return false;
    }
}

bool legal_wrap(const Context &ctx, GLenum v, bool rect) {
    switch (v) {
    case GL_CLAMP_TO_EDGE:
    case GL_CLAMP_TO_BORDER: return true;
    case GL_REPEAT:
    case GL_MIRRORED_REPEAT: return !rect;
    case GL_MIRROR_CLAMP_TO_EDGE: return !rect && ctx.has().mirror_clamp;
    default: return false;
    }
}

template <class T> ParamResult assign(T &member, T value) {
    if (member == value)
        return ParamResult::same;
    member = value;
    return ParamResult::changed;
}

ParamResult bad_enum(Context &ctx, const char *func, GLenum pname, GLenum value) {
    error(ctx, GL_INVALID_ENUM, "%s(%s, %s)", func, enum_name(pname), enum_name(value));
    return ParamResult::error;
}

ParamResult set_border(SamplerParams &s, const Arg &a, bool pure, bool is_unsigned) {
    SamplerParams next = s;
    next.border_type = !pure         ? SamplerParams::border_float
                       : is_unsigned ? SamplerParams::border_uint
                                     : SamplerParams::border_int;
    for (unsigned k = 0; k < 4; k++) {
        if (a.f)
            next.border.f[k] = a.f[k];
        else if (pure)
            next.border.i[k] = a.i[k];
        else
            next.border.f[k] = float(std::max(a.i[k] / 2147483647.0, -1.0));
    }
    if (next.border_type == s.border_type && !memcmp(&next.border, &s.border, sizeof s.border))
        return ParamResult::same;
    s = next;
    return ParamResult::changed;
}
} // namespace

ParamResult set_sampler_param(Context &ctx, SamplerParams &s, GLenum pname, const GLfloat *f,
                              const GLint *i, bool pure, bool pure_unsigned, const char *func,
                              bool is_rect) {
    Arg a{f, i};
    GLenum e = pname == GL_TEXTURE_BORDER_COLOR ? 0 : a.as_enum();
    switch (pname) {
    case GL_TEXTURE_MIN_FILTER:
        return legal_min(e, is_rect) ? assign(s.min_filter, e) : bad_enum(ctx, func, pname, e);
    case GL_TEXTURE_MAG_FILTER:
        return e == GL_NEAREST || e == GL_LINEAR ? assign(s.mag_filter, e)
                                                 : bad_enum(ctx, func, pname, e);
    case GL_TEXTURE_WRAP_S:
        return legal_wrap(ctx, e, is_rect) ? assign(s.wrap_s, e) : bad_enum(ctx, func, pname, e);
    case GL_TEXTURE_WRAP_T:
        return legal_wrap(ctx, e, is_rect) ? assign(s.wrap_t, e) : bad_enum(ctx, func, pname, e);
    case GL_TEXTURE_WRAP_R:
        return legal_wrap(ctx, e, is_rect) ? assign(s.wrap_r, e) : bad_enum(ctx, func, pname, e);
    case GL_TEXTURE_COMPARE_MODE:
        return e == GL_NONE || e == GL_COMPARE_REF_TO_TEXTURE ? assign(s.compare_mode, e)
                                                              : bad_enum(ctx, func, pname, e);
    case GL_TEXTURE_COMPARE_FUNC:
        return e >= GL_NEVER && e <= GL_ALWAYS ? assign(s.compare_func, e)
                                               : bad_enum(ctx, func, pname, e);
    case GL_TEXTURE_SRGB_DECODE_EXT:
        return e == GL_DECODE_EXT || e == GL_SKIP_DECODE_EXT ? assign(s.srgb_decode, e)
                                                             : bad_enum(ctx, func, pname, e);
    case GL_TEXTURE_MIN_LOD: return assign(s.min_lod, a.as_float());
    case GL_TEXTURE_MAX_LOD: return assign(s.max_lod, a.as_float());
    case GL_TEXTURE_LOD_BIAS: return assign(s.lod_bias, a.as_float());
    case GL_TEXTURE_MAX_ANISOTROPY:
        if (!ctx.has().anisotropy)
            break;
        if (!(a.as_float() >= 1)) {
            error(ctx, GL_INVALID_VALUE, "%s(anisotropy %g)", func, double(a.as_float()));
            return ParamResult::error;
        }
        return assign(s.max_anisotropy, std::min(a.as_float(), ctx.limits().anisotropy));
    case GL_TEXTURE_CUBE_MAP_SEAMLESS:
        if (!ctx.has().seamless_per_texture)
            break;
        if (e != GL_TRUE && e != GL_FALSE) {
            error(ctx, GL_INVALID_VALUE, "%s(%s, %u)", func, enum_name(pname), e);
            return ParamResult::error;
        }
        return assign(s.seamless, e == GL_TRUE);
    case GL_TEXTURE_BORDER_COLOR: return set_border(s, a, pure, pure_unsigned);
    default: break;
    }
    error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    return ParamResult::error;
}

bool get_sampler_param(const SamplerParams &s, GLenum pname, double out[4], int &n) {
    n = 1;
    switch (pname) {
    case GL_TEXTURE_MIN_FILTER: out[0] = s.min_filter; return true;
    case GL_TEXTURE_MAG_FILTER: out[0] = s.mag_filter; return true;
    case GL_TEXTURE_WRAP_S: out[0] = s.wrap_s; return true;
    case GL_TEXTURE_WRAP_T: out[0] = s.wrap_t; return true;
    case GL_TEXTURE_WRAP_R: out[0] = s.wrap_r; return true;
    case GL_TEXTURE_COMPARE_MODE: out[0] = s.compare_mode; return true;
    case GL_TEXTURE_COMPARE_FUNC: out[0] = s.compare_func; return true;
    case GL_TEXTURE_SRGB_DECODE_EXT: out[0] = s.srgb_decode; return true;
    case GL_TEXTURE_MIN_LOD: out[0] = double(s.min_lod); return true;
    case GL_TEXTURE_MAX_LOD: out[0] = double(s.max_lod); return true;
    case GL_TEXTURE_LOD_BIAS: out[0] = double(s.lod_bias); return true;
    case GL_TEXTURE_MAX_ANISOTROPY: out[0] = double(s.max_anisotropy); return true;
    case GL_TEXTURE_CUBE_MAP_SEAMLESS: out[0] = s.seamless; return true;
    case GL_TEXTURE_BORDER_COLOR:
        n = 4;
        for (unsigned k = 0; k < 4; k++)
            out[k] = s.border_type == SamplerParams::border_float ? double(s.border.f[k])
                     : s.border_type == SamplerParams::border_int ? double(s.border.i[k])
                                                                  : double(s.border.u[k]);
        return true;
    default: return false;
    }
}
} // namespace gl
