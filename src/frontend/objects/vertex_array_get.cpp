// SPDX-License-Identifier: MIT
// Queries of vertex arrays and current attribute values (GL 4.6 section 10.5).
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/get.h"

#include <cmath>

namespace gl {
namespace {

// One value of an attribute of `v`; false after an error.
bool attrib_value(Context &ctx, const VertexArray &v, GLuint index, GLenum pname, GLint64 &out,
                  const char *func) {
    const VertexAttrib &a = v.attrib[index];
    const VertexBinding &b = v.binding[a.binding];
    switch (pname) {
    case GL_VERTEX_ATTRIB_ARRAY_ENABLED: out = a.enabled; return true;
    case GL_VERTEX_ATTRIB_ARRAY_SIZE: out = a.bgra ? GLint64(GL_BGRA) : a.size; return true;
    case GL_VERTEX_ATTRIB_ARRAY_STRIDE: out = a.pointer_stride; return true;
    case GL_VERTEX_ATTRIB_ARRAY_TYPE: out = a.type; return true;
    case GL_VERTEX_ATTRIB_ARRAY_NORMALIZED: out = a.normalized; return true;
    case GL_VERTEX_ATTRIB_ARRAY_INTEGER: out = a.integer; return true;
    case GL_VERTEX_ATTRIB_ARRAY_LONG: out = a.long_; return true;
    case GL_VERTEX_ATTRIB_ARRAY_DIVISOR: out = b.divisor; return true;
    case GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING: out = b.buffer ? b.buffer->name : 0; return true;
    case GL_VERTEX_ATTRIB_BINDING: out = a.binding; return true;
    case GL_VERTEX_ATTRIB_RELATIVE_OFFSET: out = a.relative_offset; return true;
    default: error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname)); return false;
    }
}

bool check_index(Context &ctx, GLuint index, const char *func) {
    if (index < GLuint(ctx.limits().vertex_attribs))
        return true;
    error(ctx, GL_INVALID_VALUE, "%s(attribute %u)", func, index);
    return false;
}

double component(const CurrentAttrib &c, unsigned i) {
    switch (c.type) {
    case AttribType::float_: return double(c.v.f[i]);
    case AttribType::int_: return c.v.i[i];
    case AttribType::uint_: return c.v.u[i];
    default: return c.v.d[i];
    }
}

template <class T>
void get_attrib(Context &ctx, GLuint index, GLenum pname, T *out, const char *func) {
    if (!check_index(ctx, index, func))
        return;
    if (pname == GL_CURRENT_VERTEX_ATTRIB) {
        for (unsigned i = 0; i < 4; i++) {
            double d = component(ctx.current->a[index], i);
            if constexpr (std::is_integral_v<T>)
                out[i] = T(std::llround(d));
            else
                out[i] = T(d);
        }
        return;
    }
    GLint64 v = 0;
    if (attrib_value(ctx, *ctx.vertex_array->vao, index, pname, v, func))
        *out = T(v);
}

void get_array_indexed(Context &ctx, GLuint vao, GLuint index, GLenum pname, GLint64 *out,
                       const char *func) {
    VertexArray *v = lookup_vao_err(ctx, vao, func);
    if (!v || !check_index(ctx, index, func))
        return;
    if (pname == GL_VERTEX_BINDING_OFFSET) {
        *out = v->binding[index].offset;
        return;
    }
    GLint64 value = 0;
    if (attrib_value(ctx, *v, index, pname, value, func))
        *out = value;
}
} // namespace

void GL_ENTRY(GetVertexAttribfv)(Context &ctx, GLuint index, GLenum pname, GLfloat *out) {
    get_attrib(ctx, index, pname, out, "glGetVertexAttribfv");
}
void GL_ENTRY(GetVertexAttribdv)(Context &ctx, GLuint index, GLenum pname, GLdouble *out) {
    get_attrib(ctx, index, pname, out, "glGetVertexAttribdv");
}
void GL_ENTRY(GetVertexAttribiv)(Context &ctx, GLuint index, GLenum pname, GLint *out) {
    get_attrib(ctx, index, pname, out, "glGetVertexAttribiv");
}
void GL_ENTRY(GetVertexAttribLdv)(Context &ctx, GLuint index, GLenum pname, GLdouble *out) {
    get_attrib(ctx, index, pname, out, "glGetVertexAttribLdv");
}
void GL_ENTRY(GetVertexAttribIiv)(Context &ctx, GLuint index, GLenum pname, GLint *out) {
    if (pname != GL_CURRENT_VERTEX_ATTRIB)
        return get_attrib(ctx, index, pname, out, "glGetVertexAttribIiv");
    if (check_index(ctx, index, "glGetVertexAttribIiv"))
        for (unsigned i = 0; i < 4; i++)
            out[i] = ctx.current->a[index].v.i[i];
}
void GL_ENTRY(GetVertexAttribIuiv)(Context &ctx, GLuint index, GLenum pname, GLuint *out) {
    if (pname != GL_CURRENT_VERTEX_ATTRIB)
        return get_attrib(ctx, index, pname, out, "glGetVertexAttribIuiv");
    if (check_index(ctx, index, "glGetVertexAttribIuiv"))
        for (unsigned i = 0; i < 4; i++)
            out[i] = ctx.current->a[index].v.u[i];
}
void GL_ENTRY(GetVertexAttribPointerv)(Context &ctx, GLuint index, GLenum pname, void **out) {
    if (!check_index(ctx, index, "glGetVertexAttribPointerv"))
        return;
    if (pname != GL_VERTEX_ATTRIB_ARRAY_POINTER)
        return error(ctx, GL_INVALID_ENUM, "glGetVertexAttribPointerv(%s)", enum_name(pname));
    *out = const_cast<void *>(ctx.vertex_array->vao->attrib[index].pointer);
}

void GL_ENTRY(GetVertexArrayiv)(Context &ctx, GLuint vao, GLenum pname, GLint *out) {
    VertexArray *v = lookup_vao_err(ctx, vao, "glGetVertexArrayiv");
    if (!v)
        return;
    if (pname != GL_ELEMENT_ARRAY_BUFFER_BINDING)
        return error(ctx, GL_INVALID_ENUM, "glGetVertexArrayiv(%s)", enum_name(pname));
    *out = v->index_buffer ? GLint(v->index_buffer->name) : 0;
}
void GL_ENTRY(GetVertexArrayIndexediv)(Context &ctx, GLuint vao, GLuint index, GLenum pname,
                                       GLint *out) {
    GLint64 v = *out;
    get_array_indexed(ctx, vao, index, pname, &v, "glGetVertexArrayIndexediv");
    *out = GLint(v);
}
void GL_ENTRY(GetVertexArrayIndexed64iv)(Context &ctx, GLuint vao, GLuint index, GLenum pname,
                                         GLint64 *out) {
    if (pname != GL_VERTEX_BINDING_OFFSET)
        return error(ctx, GL_INVALID_ENUM, "glGetVertexArrayIndexed64iv(%s)", enum_name(pname));
    get_array_indexed(ctx, vao, index, pname, out, "glGetVertexArrayIndexed64iv");
}
} // namespace gl
