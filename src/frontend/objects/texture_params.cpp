// SPDX-License-Identifier: MIT
// glTexParameter* and its readers (GL 4.6 sections 8.10, 8.11.1).
#include "glapi/gl_api.h"
#include "objects/get.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

#include <algorithm>
#include <cmath>

namespace gl {
namespace {

// The values of one call, in both forms where the entry point has both.
struct Values {
    const GLfloat *f; // null: i is the source
    const GLint *i;
    bool pure, pure_unsigned, vector;
    bool named = false;
    GLint as_int(unsigned k = 0) const { return f ? round_to_int(double(f[k])) : i[k]; }
    GLenum as_enum(unsigned k = 0) const { return GLenum(as_int(k)); }
};

bool legal_swizzle(GLenum v) {
    return v == GL_RED || v == GL_GREEN || v == GL_BLUE || v == GL_ALPHA || v == GL_ZERO ||
           v == GL_ONE;
}

bool sampler_param(GLenum pname) {
    double out[4];
    int n;
    return get_sampler_param(SamplerParams{}, pname, out, n);
}

// ParamResult of the parameters that belong to textures only; `known` is cleared for others.
ParamResult set_own(Context &ctx, Texture &t, GLenum pname, const Values &v, const char *func,
                    bool &known) {
    const auto assign = [](auto &field, auto value) {
        if (field == value)
            return ParamResult::same;
        field = value;
        return ParamResult::changed;
    };
    const bool single_level = t.target == GL_TEXTURE_RECTANGLE || multisample_target(t.target);
    switch (pname) {
    case GL_TEXTURE_BASE_LEVEL:
        if (v.as_int() < 0)
            return error(ctx, GL_INVALID_VALUE, "%s(base level %d)", func, v.as_int()),
                   ParamResult::error;
        if (single_level && v.as_int() != 0)
            return error(ctx, GL_INVALID_OPERATION, "%s(base level of a %s)", func,
                         enum_name(t.target)),
                   ParamResult::error;
        return assign(t.base_level, v.as_int());
    case GL_TEXTURE_MAX_LEVEL:
        if (v.as_int() < 0)
            return error(ctx, GL_INVALID_VALUE, "%s(max level %d)", func, v.as_int()),
                   ParamResult::error;
        return assign(t.max_level, v.as_int());
    case GL_TEXTURE_SWIZZLE_R:
    case GL_TEXTURE_SWIZZLE_G:
    case GL_TEXTURE_SWIZZLE_B:
    case GL_TEXTURE_SWIZZLE_A:
        if (!legal_swizzle(v.as_enum()))
            return error(ctx, GL_INVALID_ENUM, "%s(swizzle %s)", func, enum_name(v.as_enum())),
                   ParamResult::error;
        return assign(t.swizzle[pname - GL_TEXTURE_SWIZZLE_R], v.as_enum());
    case GL_TEXTURE_SWIZZLE_RGBA: {
        if (!v.vector)
            return error(ctx, GL_INVALID_ENUM, "%s(GL_TEXTURE_SWIZZLE_RGBA needs the vector form)",
                         func),
                   ParamResult::error;
        std::array<GLenum, 4> s;
        for (unsigned k = 0; k < 4; k++) {
            s[k] = v.as_enum(k);
            if (!legal_swizzle(s[k]))
                return error(ctx, GL_INVALID_ENUM, "%s(swizzle %s)", func, enum_name(s[k])),
                       ParamResult::error;
        }
        return assign(t.swizzle, s);
    }
    case GL_DEPTH_STENCIL_TEXTURE_MODE:
        if (!ctx.has().stencil_texturing)
            break;
        if (v.as_enum() != GL_DEPTH_COMPONENT && v.as_enum() != GL_STENCIL_INDEX)
            return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(v.as_enum())),
                   ParamResult::error;
        return assign(t.depth_stencil_mode, v.as_enum());
    default: break;
    }
    known = false;
    return ParamResult::same;
}

void set_param(Context &ctx, Texture &t, GLenum pname, const Values &v, const char *func) {
    if (!v.vector && pname == GL_TEXTURE_BORDER_COLOR)
        return error(ctx, GL_INVALID_ENUM, "%s(GL_TEXTURE_BORDER_COLOR needs the vector form)",
                     func);
    bool known = true;
    ParamResult r = set_own(ctx, t, pname, v, func, known);
    if (!known) {
        // By name the target is the object's, not a wrong enum of the caller's.
        if (multisample_target(t.target) || t.target == GL_TEXTURE_BUFFER)
            return error(ctx,
                         v.named && sampler_param(pname) ? GL_INVALID_OPERATION : GL_INVALID_ENUM,
                         "%s(%s of a %s)", func, enum_name(pname), enum_name(t.target));
        r = set_sampler_param(ctx, t.sampler, pname, v.f, v.i, v.pure, v.pure_unsigned, func,
                              t.target == GL_TEXTURE_RECTANGLE);
    }
    if (r != ParamResult::changed)
        return;
    st::texture_params_changed(ctx, t);
    texture_changed(ctx, t);
}

void set_bound(Context &ctx, GLenum target, GLenum pname, const Values &v, const char *func) {
    if (target == GL_TEXTURE_BUFFER || tex_index(target) < 0)
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (Texture *t = bound_texture(ctx, target, func))
        set_param(ctx, *t, pname, v, func);
}

void set_named(Context &ctx, GLuint name, GLenum pname, const Values &v, const char *func) {
    Texture *t = lookup_texture_err(ctx, name, func);
    if (!t)
        return;
    if (t->target == GL_TEXTURE_BUFFER)
        return error(ctx, GL_INVALID_OPERATION, "%s(a buffer texture has no parameters)", func);
    Values values = v;
    values.named = true;
    set_param(ctx, *t, pname, values, func);
}

// False: no such name. Values as doubles; ints are exact.
bool get_param(const Texture &t, GLenum pname, double out[4], int &n) {
    n = 1;
    switch (pname) {
    case GL_TEXTURE_BASE_LEVEL: out[0] = t.base_level; return true;
    case GL_TEXTURE_MAX_LEVEL: out[0] = t.max_level; return true;
    case GL_TEXTURE_SWIZZLE_R:
    case GL_TEXTURE_SWIZZLE_G:
    case GL_TEXTURE_SWIZZLE_B:
    case GL_TEXTURE_SWIZZLE_A: out[0] = t.swizzle[pname - GL_TEXTURE_SWIZZLE_R]; return true;
    case GL_TEXTURE_SWIZZLE_RGBA:
        n = 4;
        for (unsigned k = 0; k < 4; k++)
            out[k] = t.swizzle[k];
        return true;
    case GL_DEPTH_STENCIL_TEXTURE_MODE: out[0] = t.depth_stencil_mode; return true;
    case GL_TEXTURE_IMMUTABLE_FORMAT: out[0] = t.immutable && !t.sibling; return true;
    case GL_TEXTURE_IMMUTABLE_LEVELS:
        out[0] = t.sibling ? 0 : t.origin ? t.origin->immutable_levels : t.immutable_levels;
        return true;
    case GL_TEXTURE_VIEW_MIN_LEVEL: out[0] = t.min_level; return true;
    case GL_TEXTURE_VIEW_NUM_LEVELS: out[0] = t.num_levels; return true;
    case GL_TEXTURE_VIEW_MIN_LAYER: out[0] = t.min_layer; return true;
    case GL_TEXTURE_VIEW_NUM_LAYERS: out[0] = t.num_layers; return true;
    case GL_IMAGE_FORMAT_COMPATIBILITY_TYPE: out[0] = t.image_format_compat; return true;
    case GL_TEXTURE_TARGET: out[0] = t.target; return true;
    default: return get_sampler_param(t.sampler, pname, out, n);
    }
}

template <class T> T convert(double v, GLenum pname) {
    if constexpr (std::is_floating_point_v<T>)
        return T(v);
    else if (pname == GL_TEXTURE_BORDER_COLOR)
        return T(norm_to_int(v));
    else
        return T(round_to_int(v));
}

template <class T>
void read_param(Context &ctx, Texture *t, GLenum pname, T *params, const char *func) {
    double v[4];
    int n = 0;
    if (!t)
        return;
    if (!get_param(*t, pname, v, n))
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    for (int k = 0; k < n; k++)
        params[k] = convert<T>(v[k], pname);
}

// The I forms return the border colour without conversion.
template <class T>
void read_pure(Context &ctx, Texture *t, GLenum pname, T *params, const char *func) {
    if (t && pname == GL_TEXTURE_BORDER_COLOR) {
        for (unsigned k = 0; k < 4; k++)
            params[k] = t->sampler.border_type == SamplerParams::border_float
                            ? T(t->sampler.border.f[k])
                            : T(t->sampler.border.u[k]);
        return;
    }
    if constexpr (std::is_same_v<T, GLuint>)
        read_param(ctx, t, pname, reinterpret_cast<GLint *>(params), func);
    else
        read_param(ctx, t, pname, params, func);
}

Texture *readable(Context &ctx, GLenum target, const char *func) {
    if (target == GL_TEXTURE_BUFFER || tex_index(target) < 0) {
        error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
        return nullptr;
    }
    return bound_texture(ctx, target, func);
}

Texture *readable_by_name(Context &ctx, GLuint name, const char *func) {
    Texture *t = lookup_texture_err(ctx, name, func);
    if (!t || t->target != GL_TEXTURE_BUFFER)
        return t;
    error(ctx, GL_INVALID_OPERATION, "%s(a buffer texture has no parameters)", func);
    return nullptr;
}

} // namespace

void GL_ENTRY(TexParameterf)(Context &ctx, GLenum target, GLenum pname, GLfloat v) {
    set_bound(ctx, target, pname, {&v, nullptr, false, false, false}, "glTexParameterf");
}
void GL_ENTRY(TexParameteri)(Context &ctx, GLenum target, GLenum pname, GLint v) {
    set_bound(ctx, target, pname, {nullptr, &v, false, false, false}, "glTexParameteri");
}
void GL_ENTRY(TexParameterfv)(Context &ctx, GLenum target, GLenum pname, const GLfloat *v) {
    set_bound(ctx, target, pname, {v, nullptr, false, false, true}, "glTexParameterfv");
}
void GL_ENTRY(TexParameteriv)(Context &ctx, GLenum target, GLenum pname, const GLint *v) {
    set_bound(ctx, target, pname, {nullptr, v, false, false, true}, "glTexParameteriv");
}
void GL_ENTRY(TexParameterIiv)(Context &ctx, GLenum target, GLenum pname, const GLint *v) {
    set_bound(ctx, target, pname, {nullptr, v, true, false, true}, "glTexParameterIiv");
}
void GL_ENTRY(TexParameterIuiv)(Context &ctx, GLenum target, GLenum pname, const GLuint *v) {
    set_bound(ctx, target, pname, {nullptr, reinterpret_cast<const GLint *>(v), true, true, true},
              "glTexParameterIuiv");
}
void GL_ENTRY(TextureParameterf)(Context &ctx, GLuint texture, GLenum pname, GLfloat v) {
    set_named(ctx, texture, pname, {&v, nullptr, false, false, false}, "glTextureParameterf");
}
void GL_ENTRY(TextureParameteri)(Context &ctx, GLuint texture, GLenum pname, GLint v) {
    set_named(ctx, texture, pname, {nullptr, &v, false, false, false}, "glTextureParameteri");
}
void GL_ENTRY(TextureParameterfv)(Context &ctx, GLuint texture, GLenum pname, const GLfloat *v) {
    set_named(ctx, texture, pname, {v, nullptr, false, false, true}, "glTextureParameterfv");
}
void GL_ENTRY(TextureParameteriv)(Context &ctx, GLuint texture, GLenum pname, const GLint *v) {
    set_named(ctx, texture, pname, {nullptr, v, false, false, true}, "glTextureParameteriv");
}
void GL_ENTRY(TextureParameterIiv)(Context &ctx, GLuint texture, GLenum pname, const GLint *v) {
    set_named(ctx, texture, pname, {nullptr, v, true, false, true}, "glTextureParameterIiv");
}
void GL_ENTRY(TextureParameterIuiv)(Context &ctx, GLuint texture, GLenum pname, const GLuint *v) {
    set_named(ctx, texture, pname, {nullptr, reinterpret_cast<const GLint *>(v), true, true, true},
              "glTextureParameterIuiv");
}
void GL_ENTRY(GetTexParameterfv)(Context &ctx, GLenum target, GLenum pname, GLfloat *v) {
    read_param(ctx, readable(ctx, target, "glGetTexParameterfv"), pname, v, "glGetTexParameterfv");
}
void GL_ENTRY(GetTexParameteriv)(Context &ctx, GLenum target, GLenum pname, GLint *v) {
    read_param(ctx, readable(ctx, target, "glGetTexParameteriv"), pname, v, "glGetTexParameteriv");
}
void GL_ENTRY(GetTexParameterIiv)(Context &ctx, GLenum target, GLenum pname, GLint *v) {
    read_pure(ctx, readable(ctx, target, "glGetTexParameterIiv"), pname, v, "glGetTexParameterIiv");
}
void GL_ENTRY(GetTexParameterIuiv)(Context &ctx, GLenum target, GLenum pname, GLuint *v) {
    read_pure(ctx, readable(ctx, target, "glGetTexParameterIuiv"), pname, v,
              "glGetTexParameterIuiv");
}
void GL_ENTRY(GetTextureParameterfv)(Context &ctx, GLuint texture, GLenum pname, GLfloat *v) {
    read_param(ctx, readable_by_name(ctx, texture, "glGetTextureParameterfv"), pname, v,
               "glGetTextureParameterfv");
}
void GL_ENTRY(GetTextureParameteriv)(Context &ctx, GLuint texture, GLenum pname, GLint *v) {
    read_param(ctx, readable_by_name(ctx, texture, "glGetTextureParameteriv"), pname, v,
               "glGetTextureParameteriv");
}
void GL_ENTRY(GetTextureParameterIiv)(Context &ctx, GLuint texture, GLenum pname, GLint *v) {
    read_pure(ctx, readable_by_name(ctx, texture, "glGetTextureParameterIiv"), pname, v,
              "glGetTextureParameterIiv");
}
void GL_ENTRY(GetTextureParameterIuiv)(Context &ctx, GLuint texture, GLenum pname, GLuint *v) {
    read_pure(ctx, readable_by_name(ctx, texture, "glGetTextureParameterIuiv"), pname, v,
              "glGetTextureParameterIuiv");
}
} // namespace gl
