// SPDX-License-Identifier: MIT
// Current attribute values: all glVertexAttrib* (GL 4.6 section 10.2.1).
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <cmath>
#include <cstring>

namespace gl {
namespace {

bool check(Context &ctx, GLuint index, const char *func) {
    if (index < GLuint(ctx.limits().vertex_attribs))
        return true;
    error(ctx, GL_INVALID_VALUE, "%s(attribute %u)", func, index);
    return false;
}

void put(Context &ctx, GLuint index, AttribType type, const void *words, size_t bytes) {
    const CurrentAttrib &now = ctx.current->a[index];
    if (now.type == type && !memcmp(&now.v, words, bytes))
        return;
    CurrentAttrib &c = Writer{ctx}(ctx.current).a[index];
    c.type = type;
    memcpy(&c.v, words, bytes);
}
void put_f(Context &ctx, GLuint index, float x, float y, float z, float w, const char *func) {
    float v[4] = {x, y, z, w};
    if (check(ctx, index, func))
        put(ctx, index, AttribType::float_, v, sizeof v);
}
void put_i(Context &ctx, GLuint index, GLint x, GLint y, GLint z, GLint w, const char *func) {
    GLint v[4] = {x, y, z, w};
    if (check(ctx, index, func))
        put(ctx, index, AttribType::int_, v, sizeof v);
}
void put_u(Context &ctx, GLuint index, GLuint x, GLuint y, GLuint z, GLuint w, const char *func) {
    GLuint v[4] = {x, y, z, w};
    if (check(ctx, index, func))
        put(ctx, index, AttribType::uint_, v, sizeof v);
}
void put_d(Context &ctx, GLuint index, double x, double y, double z, double w, const char *func) {
    double v[4] = {x, y, z, w};
    if (check(ctx, index, func))
        put(ctx, index, AttribType::double_, v, sizeof v);
}

// Fixed point to float, GL 4.6 equations 2.1 and 2.2.
template <class T> float norm(T v) {
    constexpr double top = double(std::numeric_limits<T>::max());
    double d = double(v) / top;
    return float(d < -1 ? -1 : d);
}

float small_float(unsigned bits, unsigned mantissa_bits) {
    unsigned mantissa = bits & ((1u << mantissa_bits) - 1), exponent = bits >> mantissa_bits;
    float m = float(mantissa) / float(1u << mantissa_bits);
    if (exponent == 0)
        return std::ldexp(m, -14);
    if (exponent == 31)
        return mantissa ? NAN : INFINITY;
    return std::ldexp(1 + m, int(exponent) - 15);
}

// The packed forms; `n` components of the word, the rest 0, 0, 0, 1.
void put_packed(Context &ctx, GLuint index, unsigned n, GLenum type, GLboolean normalized,
                GLuint word, const char *func) {
    float v[4] = {0, 0, 0, 1};
    if (type == GL_UNSIGNED_INT_10F_11F_11F_REV && n <= 3) {
        float all[3] = {small_float(word & 0x7ff, 6), small_float(word >> 11 & 0x7ff, 6),
                        small_float(word >> 22, 5)};
        for (unsigned i = 0; i < n && i < 3; i++)
            v[i] = all[i];
    } else if (type == GL_UNSIGNED_INT_2_10_10_10_REV || type == GL_INT_2_10_10_10_REV) {
        for (unsigned i = 0; i < n; i++) {
            unsigned width = i == 3 ? 2 : 10, raw = word >> (i * 10) & ((1u << width) - 1);
            if (type == GL_UNSIGNED_INT_2_10_10_10_REV) {
                v[i] = normalized ? float(raw) / float((1u << width) - 1) : float(raw);
            } else {
                int s = int(raw << (32 - width)) >> (32 - width);
                v[i] = normalized ? std::max(-1.0f, float(s) / float((1 << (width - 1)) - 1))
                                  : float(s);
            }
        }
    } else {
        return error(ctx, GL_INVALID_ENUM, "%s(type %s)", func, enum_name(type));
    }
    put_f(ctx, index, v[0], v[1], v[2], v[3], func);
}
} // namespace

// One set of 1 to 4 components, by value and by pointer. T: parameter type, put: where it goes, S:
// type of a component there.
#define FORMS(base, suffix, T, put, S)                                                             \
    void base##1##suffix(Context &ctx, GLuint i, T x) {                                            \
        put(ctx, i, S(x), 0, 0, 1, "gl" #base "1" #suffix);                                        \
    }                                                                                              \
    void base##2##suffix(Context &ctx, GLuint i, T x, T y) {                                       \
        put(ctx, i, S(x), S(y), 0, 1, "gl" #base "2" #suffix);                                     \
    }                                                                                              \
    void base##3##suffix(Context &ctx, GLuint i, T x, T y, T z) {                                  \
        put(ctx, i, S(x), S(y), S(z), 1, "gl" #base "3" #suffix);                                  \
    }                                                                                              \
    void base##4##suffix(Context &ctx, GLuint i, T x, T y, T z, T w) {                             \
        put(ctx, i, S(x), S(y), S(z), S(w), "gl" #base "4" #suffix);                               \
    }                                                                                              \
    void base##1##suffix##v(Context &ctx, GLuint i, const T *v) {                                  \
        put(ctx, i, S(v[0]), 0, 0, 1, "gl" #base "1" #suffix "v");                                 \
    }                                                                                              \
    void base##2##suffix##v(Context &ctx, GLuint i, const T *v) {                                  \
        put(ctx, i, S(v[0]), S(v[1]), 0, 1, "gl" #base "2" #suffix "v");                           \
    }                                                                                              \
    void base##3##suffix##v(Context &ctx, GLuint i, const T *v) {                                  \
        put(ctx, i, S(v[0]), S(v[1]), S(v[2]), 1, "gl" #base "3" #suffix "v");                     \
    }                                                                                              \
    void base##4##suffix##v(Context &ctx, GLuint i, const T *v) {                                  \
        put(ctx, i, S(v[0]), S(v[1]), S(v[2]), S(v[3]), "gl" #base "4" #suffix "v");               \
    }

FORMS(VertexAttrib, s, GLshort, put_f, float)
GL_STAMPED(VertexAttrib1s, VertexAttrib2s, VertexAttrib3s, VertexAttrib4s, VertexAttrib1sv,
           VertexAttrib2sv, VertexAttrib3sv, VertexAttrib4sv)
FORMS(VertexAttrib, f, GLfloat, put_f, float)
GL_STAMPED(VertexAttrib1f, VertexAttrib2f, VertexAttrib3f, VertexAttrib4f, VertexAttrib1fv,
           VertexAttrib2fv, VertexAttrib3fv, VertexAttrib4fv)
FORMS(VertexAttrib, d, GLdouble, put_f, float)
GL_STAMPED(VertexAttrib1d, VertexAttrib2d, VertexAttrib3d, VertexAttrib4d, VertexAttrib1dv,
           VertexAttrib2dv, VertexAttrib3dv, VertexAttrib4dv)
FORMS(VertexAttribI, i, GLint, put_i, GLint)
GL_STAMPED(VertexAttribI1i, VertexAttribI2i, VertexAttribI3i, VertexAttribI4i)
GL_STAMPED(VertexAttribI1iv, VertexAttribI2iv, VertexAttribI3iv, VertexAttribI4iv)
FORMS(VertexAttribI, ui, GLuint, put_u, GLuint)
GL_STAMPED(VertexAttribI1ui, VertexAttribI2ui, VertexAttribI3ui, VertexAttribI4ui)
GL_STAMPED(VertexAttribI1uiv, VertexAttribI2uiv, VertexAttribI3uiv, VertexAttribI4uiv)
FORMS(VertexAttribL, d, GLdouble, put_d, double)
GL_STAMPED(VertexAttribL1d, VertexAttribL2d, VertexAttribL3d, VertexAttribL4d)
GL_STAMPED(VertexAttribL1dv, VertexAttribL2dv, VertexAttribL3dv, VertexAttribL4dv)

// Four components by pointer only: converted, normalised, integer.
#define VEC4(name, T, put, S)                                                                      \
    void name(Context &ctx, GLuint i, const T *v) {                                                \
        put(ctx, i, S(v[0]), S(v[1]), S(v[2]), S(v[3]), "gl" #name);                               \
    }
VEC4(VertexAttrib4bv, GLbyte, put_f, float)
VEC4(VertexAttrib4iv, GLint, put_f, float)
VEC4(VertexAttrib4ubv, GLubyte, put_f, float)
VEC4(VertexAttrib4usv, GLushort, put_f, float)
VEC4(VertexAttrib4uiv, GLuint, put_f, float)
GL_STAMPED(VertexAttrib4bv, VertexAttrib4iv, VertexAttrib4ubv, VertexAttrib4usv, VertexAttrib4uiv)
VEC4(VertexAttrib4Nbv, GLbyte, put_f, norm)
VEC4(VertexAttrib4Nsv, GLshort, put_f, norm)
VEC4(VertexAttrib4Niv, GLint, put_f, norm)
VEC4(VertexAttrib4Nubv, GLubyte, put_f, norm)
VEC4(VertexAttrib4Nusv, GLushort, put_f, norm)
VEC4(VertexAttrib4Nuiv, GLuint, put_f, norm)
GL_STAMPED(VertexAttrib4Nbv, VertexAttrib4Nsv, VertexAttrib4Niv, VertexAttrib4Nubv,
           VertexAttrib4Nusv, VertexAttrib4Nuiv)
VEC4(VertexAttribI4bv, GLbyte, put_i, GLint)
VEC4(VertexAttribI4sv, GLshort, put_i, GLint)
VEC4(VertexAttribI4ubv, GLubyte, put_u, GLuint)
VEC4(VertexAttribI4usv, GLushort, put_u, GLuint)
GL_STAMPED(VertexAttribI4bv, VertexAttribI4sv, VertexAttribI4ubv, VertexAttribI4usv)

void GL_ENTRY(VertexAttrib4Nub)(Context &ctx, GLuint i, GLubyte x, GLubyte y, GLubyte z,
                                GLubyte w) {
    put_f(ctx, i, norm(x), norm(y), norm(z), norm(w), "glVertexAttrib4Nub");
}

#define PACKED(n)                                                                                  \
    void VertexAttribP##n##ui(Context &ctx, GLuint i, GLenum type, GLboolean normalized,           \
                              GLuint v) {                                                          \
        if (check(ctx, i, "glVertexAttribP" #n "ui"))                                              \
            put_packed(ctx, i, n, type, normalized, v, "glVertexAttribP" #n "ui");                 \
    }                                                                                              \
    void VertexAttribP##n##uiv(Context &ctx, GLuint i, GLenum type, GLboolean normalized,          \
                               const GLuint *v) {                                                  \
        if (check(ctx, i, "glVertexAttribP" #n "uiv"))                                             \
            put_packed(ctx, i, n, type, normalized, *v, "glVertexAttribP" #n "uiv");               \
    }
PACKED(1)
PACKED(2)
PACKED(3)
PACKED(4)
GL_STAMPED(VertexAttribP1ui, VertexAttribP2ui, VertexAttribP3ui, VertexAttribP4ui)
GL_STAMPED(VertexAttribP1uiv, VertexAttribP2uiv, VertexAttribP3uiv, VertexAttribP4uiv)
} // namespace gl
