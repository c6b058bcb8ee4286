// SPDX-License-Identifier: MIT
// Indexed state (GL 4.6 section 22.1): glGetIntegeri_v and its relatives.
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/get.h"

namespace gl {

bool capability_value_indexed(const Context &ctx, GLenum cap, GLuint index, bool &value,
                              bool &bad_index);

namespace {

void put(Value &v, Value::Kind kind, std::initializer_list<int64_t> list) {
    v.kind = kind;
    v.count = 0;
    for (int64_t x : list)
        v.i[v.count++] = x;
}
void put_real(Value &v, Value::Kind kind, std::initializer_list<double> list) {
    v.kind = kind;
    v.count = 0;
    for (double x : list)
        v.d[v.count++] = x;
}
template <class T> int64_t name_of(const Ref<T> &r) {
    return r ? r->name : 0;
}

// Which part of a buffer range: 0 binding, 1 start, 2 size.
struct RangeName {
    GLenum name;
    GLenum target;
    int part;
};
const RangeName range_names[] = {
    {GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER, 0},
    {GL_UNIFORM_BUFFER_START, GL_UNIFORM_BUFFER, 1},
    {GL_UNIFORM_BUFFER_SIZE, GL_UNIFORM_BUFFER, 2},
    {GL_SHADER_STORAGE_BUFFER_BINDING, GL_SHADER_STORAGE_BUFFER, 0},
    {GL_SHADER_STORAGE_BUFFER_START, GL_SHADER_STORAGE_BUFFER, 1},
    {GL_SHADER_STORAGE_BUFFER_SIZE, GL_SHADER_STORAGE_BUFFER, 2},
    {GL_ATOMIC_COUNTER_BUFFER_BINDING, GL_ATOMIC_COUNTER_BUFFER, 0},
    {GL_ATOMIC_COUNTER_BUFFER_START, GL_ATOMIC_COUNTER_BUFFER, 1},
    {GL_ATOMIC_COUNTER_BUFFER_SIZE, GL_ATOMIC_COUNTER_BUFFER, 2},
    {GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, GL_TRANSFORM_FEEDBACK_BUFFER, 0},
    {GL_TRANSFORM_FEEDBACK_BUFFER_START, GL_TRANSFORM_FEEDBACK_BUFFER, 1},
    {GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, GL_TRANSFORM_FEEDBACK_BUFFER, 2},
};

const BufferRange *range_at(Context &ctx, GLenum target, GLuint index) {
    const Limits &l = ctx.limits();
    switch (target) {
    case GL_UNIFORM_BUFFER:
        return index < GLuint(l.uniform_bindings) ? &ctx.ubo->slot[index] : nullptr;
    case GL_SHADER_STORAGE_BUFFER:
        return index < GLuint(l.storage_bindings) ? &ctx.ssbo->slot[index] : nullptr;
    case GL_ATOMIC_COUNTER_BUFFER:
        return index < GLuint(l.atomic_bindings) ? &ctx.atomic->slot[index] : nullptr;
    default: return index < GLuint(l.xfb_buffers) ? &ctx.xfb->object->slot[index] : nullptr;
    }
}

// nullptr: no such name. `limit`: how many indices it has.
bool blend_value(Context &ctx, GLenum pname, GLuint index, Value &v, GLuint &limit) {
    limit = GLuint(ctx.limits().draw_buffers);
    const BlendTarget &t = ctx.blend->rt[index < kMaxDrawBuffers ? index : 0];
    switch (pname) {
    case GL_BLEND_SRC_RGB: put(v, Value::enum_, {t.src_rgb}); return true;
    case GL_BLEND_DST_RGB: put(v, Value::enum_, {t.dst_rgb}); return true;
    case GL_BLEND_SRC_ALPHA: put(v, Value::enum_, {t.src_alpha}); return true;
    case GL_BLEND_DST_ALPHA: put(v, Value::enum_, {t.dst_alpha}); return true;
    case GL_BLEND_EQUATION_RGB: put(v, Value::enum_, {t.eq_rgb}); return true;
    case GL_BLEND_EQUATION_ALPHA: put(v, Value::enum_, {t.eq_alpha}); return true;
    case GL_COLOR_WRITEMASK: {
        uint8_t m = ctx.color_mask->mask[index < kMaxDrawBuffers ? index : 0];
        put(v, Value::bool_, {m & 1, m >> 1 & 1, m >> 2 & 1, m >> 3 & 1});
        return true;
    }
    default: return false;
    }
}

bool view_value(Context &ctx, GLenum pname, GLuint index, Value &v, GLuint &limit) {
    limit = GLuint(ctx.limits().viewports);
    unsigned i = index < kMaxViewports ? index : 0;
    const ViewportRect &p = ctx.viewport->vp[i];
    const Rect &r = ctx.scissor->rect[i];
    switch (pname) {
    case GL_VIEWPORT:
        put_real(v, Value::float_, {double(p.x), double(p.y), double(p.w), double(p.h)});
        return true;
    case GL_DEPTH_RANGE: put_real(v, Value::norm, {p.near, p.far}); return true;
    case GL_SCISSOR_BOX: put(v, Value::int_, {r.x, r.y, r.w, r.h}); return true;
    default: return false;
    }
}

bool unit_value(Context &ctx, GLenum pname, GLuint index, Value &v, GLuint &limit) {
    static const struct {
        GLenum name;
        TexIndex tex;
    } binding[] = {{GL_TEXTURE_BINDING_1D, TEX_1D},
                   {GL_TEXTURE_BINDING_2D, TEX_2D},
                   {GL_TEXTURE_BINDING_3D, TEX_3D},
                   {GL_TEXTURE_BINDING_1D_ARRAY, TEX_1D_ARRAY},
                   {GL_TEXTURE_BINDING_2D_ARRAY, TEX_2D_ARRAY},
                   {GL_TEXTURE_BINDING_RECTANGLE, TEX_RECT},
                   {GL_TEXTURE_BINDING_CUBE_MAP, TEX_CUBE},
                   {GL_TEXTURE_BINDING_CUBE_MAP_ARRAY, TEX_CUBE_ARRAY},
                   {GL_TEXTURE_BINDING_BUFFER, TEX_BUFFER},
                   {GL_TEXTURE_BINDING_2D_MULTISAMPLE, TEX_2D_MS},
                   {GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY, TEX_2D_MS_ARRAY}};
    limit = GLuint(ctx.limits().combined_texture_units);
    for (const auto &b : binding)
        if (b.name == pname) {
            put(v, Value::int_,
                {index < limit ? name_of(ctx.textures->unit[index].tex[b.tex]) : 0});
            return true;
        }
    if (pname == GL_SAMPLER_BINDING) {
        put(v, Value::int_, {index < limit ? name_of(ctx.samplers->unit[index]) : 0});
        return true;
    }
    limit = GLuint(ctx.limits().image_units);
    const ImageUnit &u = ctx.images->unit[index < kMaxImageUnits ? index : 0];
    switch (pname) {
    case GL_IMAGE_BINDING_NAME: put(v, Value::int_, {name_of(u.texture)}); return true;
    case GL_IMAGE_BINDING_LEVEL: put(v, Value::int_, {u.level}); return true;
    case GL_IMAGE_BINDING_LAYERED: put(v, Value::bool_, {u.layered}); return true;
    case GL_IMAGE_BINDING_LAYER: put(v, Value::int_, {u.layer}); return true;
    case GL_IMAGE_BINDING_ACCESS: put(v, Value::enum_, {u.access}); return true;
    case GL_IMAGE_BINDING_FORMAT: put(v, Value::enum_, {u.format}); return true;
    default: return false;
    }
}

bool other_value(Context &ctx, GLenum pname, GLuint index, Value &v, GLuint &limit) {
    const VertexArray &a = *ctx.vertex_array->vao;
    const VertexBinding &b = a.binding[index < kMaxVertexBindings ? index : 0];
    limit = GLuint(ctx.limits().attrib_bindings);
    switch (pname) {
    case GL_VERTEX_BINDING_OFFSET: put(v, Value::int64_, {b.offset}); return true;
    case GL_VERTEX_BINDING_STRIDE: put(v, Value::int_, {b.stride}); return true;
    case GL_VERTEX_BINDING_DIVISOR: put(v, Value::int_, {b.divisor}); return true;
    case GL_VERTEX_BINDING_BUFFER: put(v, Value::int_, {name_of(b.buffer)}); return true;
    case GL_SAMPLE_MASK_VALUE:
        limit = GLuint(ctx.limits().sample_mask_words);
        put(v, Value::int_,
            {GLint(ctx.multisample->mask[index < kMaxSampleMaskWords ? index : 0])});
        return true;
    case GL_MAX_COMPUTE_WORK_GROUP_COUNT:
        limit = 3;
        put(v, Value::int_, {ctx.limits().compute_count[index < 3 ? index : 0]});
        return true;
    case GL_MAX_COMPUTE_WORK_GROUP_SIZE:
        limit = 3;
        put(v, Value::int_, {ctx.limits().compute_size[index < 3 ? index : 0]});
        return true;
    default: return false;
    }
}
} // namespace

bool get_indexed(Context &ctx, GLenum pname, GLuint index, Value &out, GLenum &err) {
    err = GL_NO_ERROR;
    bool on = false, bad = false;
    GLuint limit = 0;
    for (const RangeName &r : range_names)
        if (r.name == pname) {
            const BufferRange *b = range_at(ctx, r.target, index);
            if (!b)
                err = GL_INVALID_VALUE;
            else if (r.part == 0)
                put(out, Value::int_, {name_of(b->buffer)});
            else
                put(out, Value::int64_, {r.part == 1 ? b->offset : b->size});
            return b != nullptr;
        }
    if (blend_value(ctx, pname, index, out, limit) || view_value(ctx, pname, index, out, limit) ||
        unit_value(ctx, pname, index, out, limit) || other_value(ctx, pname, index, out, limit)) {
        if (index >= limit)
            err = GL_INVALID_VALUE;
    } else if (capability_value_indexed(ctx, pname, index, on, bad)) {
        if (bad)
            err = GL_INVALID_VALUE;
        else
            put(out, Value::bool_, {on});
    } else {
        err = GL_INVALID_ENUM;
    }
    return err == GL_NO_ERROR;
}

template <class T>
static void get(Context &ctx, GLenum pname, GLuint index, T *out, const char *func) {
    Value v;
    GLenum err;
    if (get_indexed(ctx, pname, index, v, err))
        store(v, out);
    else
        error(ctx, err, "%s(%s, index %u)", func, enum_name(pname), index);
}

void GL_ENTRY(GetBooleani_v)(Context &ctx, GLenum pname, GLuint index, GLboolean *out) {
    get(ctx, pname, index, out, "glGetBooleani_v");
}
void GL_ENTRY(GetIntegeri_v)(Context &ctx, GLenum pname, GLuint index, GLint *out) {
    get(ctx, pname, index, out, "glGetIntegeri_v");
}
void GL_ENTRY(GetInteger64i_v)(Context &ctx, GLenum pname, GLuint index, GLint64 *out) {
    get(ctx, pname, index, out, "glGetInteger64i_v");
}
void GL_ENTRY(GetFloati_v)(Context &ctx, GLenum pname, GLuint index, GLfloat *out) {
    get(ctx, pname, index, out, "glGetFloati_v");
}
void GL_ENTRY(GetDoublei_v)(Context &ctx, GLenum pname, GLuint index, GLdouble *out) {
    get(ctx, pname, index, out, "glGetDoublei_v");
}
} // namespace gl
