// SPDX-License-Identifier: MIT
// Sampler objects (GL 4.6 section 8.2).
#include "objects/sampler.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/get.h"
#include "tracker/tracker.h"

#include <cmath>

namespace gl {

Sampler::~Sampler() {
    st::sampler_destroy(*this);
}

Sampler *lookup_sampler(Context &ctx, GLuint name) {
    return name ? ctx.group->samplers.find(name) : nullptr;
}

namespace {

// Sampler names are objects as soon as they are generated.
void make(Context &ctx, GLsizei n, GLuint *names, const char *func) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(n %d)", func, n);
    ctx.group->samplers.gen(unsigned(n), names);
    for (GLsizei i = 0; i < n; i++)
        ctx.group->samplers.insert(names[i], new Sampler);
}

void bind(Context &ctx, GLuint unit, Sampler *s) {
    if (ctx.samplers->unit[unit] == s)
        return;
    if (s)
        note_bound(ctx, *s);
    Writer{ctx}(ctx.samplers).unit[unit] = s;
    ctx.slots.samplers.set(unit);
}

bool known_param(const Context &ctx, GLenum pname) {
    double v[4];
    int n;
    if (pname == GL_TEXTURE_MAX_ANISOTROPY)
        return ctx.has().anisotropy;
    if (pname == GL_TEXTURE_CUBE_MAP_SEAMLESS)
        return ctx.has().seamless_per_texture;
    return get_sampler_param(SamplerParams{}, pname, v, n);
}

void set(Context &ctx, GLuint name, GLenum pname, const GLfloat *f, const GLint *i, bool vector,
         bool pure, bool is_unsigned, const char *func) {
    Sampler *s = lookup_sampler(ctx, name);
    if (!s)
        return error(ctx, GL_INVALID_OPERATION, "%s(no sampler object %u)", func, name);
    if (!known_param(ctx, pname) || (!vector && pname == GL_TEXTURE_BORDER_COLOR))
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    if (set_sampler_param(ctx, s->params, pname, f, i, pure, is_unsigned, func, false) !=
        ParamResult::changed)
        return;
    s->version++;
    if (!s->bound_lanes.load(std::memory_order_relaxed))
        return;
    for (unsigned u = 0; u < ctx.samplers->unit.size(); u++)
        if (ctx.samplers->unit[u] == s)
            ctx.slots.samplers.set(u);
    object_changed(ctx, *s, G::samplers);
}

template <class T>
void get(Context &ctx, GLuint name, GLenum pname, T *out, bool pure, const char *func) {
    Sampler *s = lookup_sampler(ctx, name);
    if (!s)
        return error(ctx, GL_INVALID_OPERATION, "%s(no sampler object %u)", func, name);
    double v[4];
    int n = 0;
    if (!known_param(ctx, pname) || !get_sampler_param(s->params, pname, v, n))
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    bool color = pname == GL_TEXTURE_BORDER_COLOR;
    for (int k = 0; k < n; k++) {
        if constexpr (std::is_floating_point_v<T>)
            out[k] = T(v[k]);
        else if (color && pure)
            out[k] = T(s->params.border.i[k]);
        else if (color && s->params.border_type == SamplerParams::border_float)
            out[k] = T(norm_to_int(v[k]));
        else
            out[k] = T(round_to_int(v[k]));
    }
}
} // namespace

void GL_ENTRY(GenSamplers)(Context &ctx, GLsizei n, GLuint *names) {
    make(ctx, n, names, "glGenSamplers");
}
void GL_ENTRY(CreateSamplers)(Context &ctx, GLsizei n, GLuint *names) {
    make(ctx, n, names, "glCreateSamplers");
}
void GL_ENTRY(DeleteSamplers)(Context &ctx, GLsizei n, const GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteSamplers(n %d)", n);
    for (GLsizei i = 0; i < n; i++)
        if (Ref<Sampler> s = ctx.group->samplers.remove(names[i]))
            for (unsigned u = 0; u < ctx.samplers->unit.size(); u++)
                if (ctx.samplers->unit[u] == s)
                    bind(ctx, u, nullptr);
}
GLboolean GL_ENTRY(IsSampler)(Context &ctx, GLuint name) {
    return lookup_sampler(ctx, name) != nullptr;
}

void GL_ENTRY(BindSampler)(Context &ctx, GLuint unit, GLuint name) {
    if (unit >= ctx.samplers->unit.size())
        return error(ctx, GL_INVALID_VALUE, "glBindSampler(unit %u)", unit);
    Sampler *s = lookup_sampler(ctx, name);
    if (name && !s)
        return error(ctx, GL_INVALID_OPERATION, "glBindSampler(no sampler object %u)", name);
    bind(ctx, unit, s);
}
void GL_ENTRY(BindSamplers)(Context &ctx, GLuint first, GLsizei count, const GLuint *names) {
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "glBindSamplers(count %d)", count);
    if (uint64_t(first) + uint64_t(count) > ctx.samplers->unit.size())
        return error(ctx, GL_INVALID_OPERATION, "glBindSamplers(%u + %d units)", first, count);
    for (GLsizei i = 0; i < count; i++) {
        GLuint name = names ? names[i] : 0;
        Sampler *s = lookup_sampler(ctx, name);
        if (name && !s)
            error(ctx, GL_INVALID_OPERATION, "glBindSamplers(no sampler object %u)", name);
        else
            bind(ctx, first + GLuint(i), s);
    }
}

void GL_ENTRY(SamplerParameterf)(Context &ctx, GLuint name, GLenum pname, GLfloat v) {
    set(ctx, name, pname, &v, nullptr, false, false, false, "glSamplerParameterf");
}
void GL_ENTRY(SamplerParameteri)(Context &ctx, GLuint name, GLenum pname, GLint v) {
    set(ctx, name, pname, nullptr, &v, false, false, false, "glSamplerParameteri");
}
void GL_ENTRY(SamplerParameterfv)(Context &ctx, GLuint name, GLenum pname, const GLfloat *v) {
    set(ctx, name, pname, v, nullptr, true, false, false, "glSamplerParameterfv");
}
void GL_ENTRY(SamplerParameteriv)(Context &ctx, GLuint name, GLenum pname, const GLint *v) {
    set(ctx, name, pname, nullptr, v, true, false, false, "glSamplerParameteriv");
}
void GL_ENTRY(SamplerParameterIiv)(Context &ctx, GLuint name, GLenum pname, const GLint *v) {
    set(ctx, name, pname, nullptr, v, true, true, false, "glSamplerParameterIiv");
}
void GL_ENTRY(SamplerParameterIuiv)(Context &ctx, GLuint name, GLenum pname, const GLuint *v) {
    set(ctx, name, pname, nullptr, reinterpret_cast<const GLint *>(v), true, true, true,
        "glSamplerParameterIuiv");
}
void GL_ENTRY(GetSamplerParameterfv)(Context &ctx, GLuint name, GLenum pname, GLfloat *out) {
    get(ctx, name, pname, out, false, "glGetSamplerParameterfv");
}
void GL_ENTRY(GetSamplerParameteriv)(Context &ctx, GLuint name, GLenum pname, GLint *out) {
    get(ctx, name, pname, out, false, "glGetSamplerParameteriv");
}
void GL_ENTRY(GetSamplerParameterIiv)(Context &ctx, GLuint name, GLenum pname, GLint *out) {
    get(ctx, name, pname, out, true, "glGetSamplerParameterIiv");
}
void GL_ENTRY(GetSamplerParameterIuiv)(Context &ctx, GLuint name, GLenum pname, GLuint *out) {
    get(ctx, name, pname, out, true, "glGetSamplerParameterIuiv");
}
} // namespace gl
