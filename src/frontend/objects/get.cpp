// SPDX-License-Identifier: MIT
// The five typed getters and their conversions (GL 4.6 section 2.2.2, 22.1).
#include "objects/get.h"

#include "glapi/gl_api.h"
#include "objects/context.h"

#include <algorithm>
#include <cmath>

namespace gl {

unsigned compressed_format_list(Context &ctx, GLint *out);

GLint round_to_int(double d) {
    if (!(d > -2147483648.0))
        return INT32_MIN;
    return d >= 2147483647.0 ? INT32_MAX : GLint(std::lround(d));
}

GLint norm_to_int(double d) {
    return GLint(std::clamp(d, -1.0, 1.0) * 2147483647.0);
}

static bool is_real(const Value &v) {
    return v.kind == Value::float_ || v.kind == Value::double_ || v.kind == Value::norm;
}

// Depths, colours and the like spread over the whole range of an integer.
static int64_t real_to_int(const Value &v, unsigned i, double scale) {
    if (v.kind != Value::norm)
        return scale > 1e12 ? int64_t(std::llround(std::clamp(v.d[i], -9.2e18, 9.2e18)))
                            : round_to_int(v.d[i]);
    double d = std::clamp(v.d[i], -1.0, 1.0);
    return scale > 1e12
               ? int64_t(std::clamp(d * scale, -9.2233720368547748e18, 9.2233720368547748e18))
               : round_to_int(d * scale);
}

void store(const Value &v, GLboolean *out) {
    for (unsigned i = 0; i < v.count; i++)
        out[i] = is_real(v) ? v.d[i] != 0 : v.i[i] != 0;
}
void store(const Value &v, GLint *out) {
    for (unsigned i = 0; i < v.count; i++)
        out[i] = is_real(v) ? GLint(real_to_int(v, i, 2147483647.0))
                 : v.kind == Value::int64_
                     ? GLint(std::clamp<int64_t>(v.i[i], INT32_MIN, INT32_MAX))
                     : GLint(v.i[i]);
}
void store(const Value &v, GLint64 *out) {
    for (unsigned i = 0; i < v.count; i++)
        out[i] = is_real(v) ? real_to_int(v, i, 9223372036854775807.0) : v.i[i];
}
void store(const Value &v, GLfloat *out) {
    for (unsigned i = 0; i < v.count; i++)
        out[i] = is_real(v) ? GLfloat(v.d[i]) : GLfloat(v.i[i]);
}
void store(const Value &v, GLdouble *out) {
    for (unsigned i = 0; i < v.count; i++)
        out[i] = is_real(v) ? v.d[i] : GLdouble(v.i[i]);
}

template <class T> static void get(Context &ctx, GLenum pname, T *out, const char *func) {
    if (pname == GL_COMPRESSED_TEXTURE_FORMATS) {
        GLint list[64];
        unsigned n = compressed_format_list(ctx, list);
        for (unsigned i = 0; i < n; i++)
            out[i] = std::is_same_v<T, GLboolean> ? T(list[i] != 0) : T(list[i]);
        return;
    }
    const bool read_pair =
        pname == GL_IMPLEMENTATION_COLOR_READ_FORMAT || pname == GL_IMPLEMENTATION_COLOR_READ_TYPE;
    if (read_pair && ctx.read_fb->fb->read_buffer == GL_NONE)
        return error(ctx, GL_INVALID_OPERATION, "%s(%s: no read buffer)", func, enum_name(pname));
    Value v;
    if (!get_value(ctx, pname, v))
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    store(v, out);
}

void GL_ENTRY(GetBooleanv)(Context &ctx, GLenum pname, GLboolean *out) {
    get(ctx, pname, out, "glGetBooleanv");
}
void GL_ENTRY(GetIntegerv)(Context &ctx, GLenum pname, GLint *out) {
    get(ctx, pname, out, "glGetIntegerv");
}
void GL_ENTRY(GetInteger64v)(Context &ctx, GLenum pname, GLint64 *out) {
    get(ctx, pname, out, "glGetInteger64v");
}
void GL_ENTRY(GetFloatv)(Context &ctx, GLenum pname, GLfloat *out) {
    get(ctx, pname, out, "glGetFloatv");
}
void GL_ENTRY(GetDoublev)(Context &ctx, GLenum pname, GLdouble *out) {
    get(ctx, pname, out, "glGetDoublev");
}
} // namespace gl
