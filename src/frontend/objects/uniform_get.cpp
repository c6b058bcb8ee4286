// SPDX-License-Identifier: MIT
// glGetUniform* (GL 4.6 section 7.13): reads the client's image of the default block; never asks
// the driver.
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace gl {
namespace {

template <class T> T from_double(double v) {
    if constexpr (std::is_integral_v<T>) {
        v = std::nearbyint(v);
        if (v <= double(std::numeric_limits<T>::min()))
            return std::numeric_limits<T>::min();
        if (v >= double(std::numeric_limits<T>::max()))
            return std::numeric_limits<T>::max();
    }
    return T(v);
}

template <class T> T read_component(const ActiveUniform &u, const uint8_t *at) {
    GLuint word;
    std::memcpy(&word, at, 4);
    switch (u.base) {
    case UniformBase::float_: {
        float f;
        std::memcpy(&f, at, 4);
        return from_double<T>(f);
    }
    case UniformBase::double_: {
        double d;
        std::memcpy(&d, at, 8);
        return from_double<T>(d);
    }
    case UniformBase::int_: return T(GLint(word));
    default: return T(word);
    }
}

const ActiveUniform *find(Context &ctx, Program &p, GLint location, uint32_t &element,
                          const char *func) {
    program_wait(ctx, p);
    if (!p.link_status || !p.linked) {
        error(ctx, GL_INVALID_OPERATION, "%s(program %u is not linked)", func, p.name);
        return nullptr;
    }
    const LinkedProgram &l = *p.linked;
    if (location < 0 || size_t(location) >= l.locations.size() ||
        l.locations[size_t(location)].uniform >= kInactiveUniform) {
        error(ctx, GL_INVALID_OPERATION, "%s(location %d)", func, location);
        return nullptr;
    }
    element = l.locations[size_t(location)].element;
    return &l.uniforms[l.locations[size_t(location)].uniform];
}

template <class T>
void get(Context &ctx, GLuint name, GLint location, GLsizei size, T *out, const char *func) {
    Program *p = lookup_program_err(ctx, name, func);
    uint32_t element = 0;
    const ActiveUniform *u = p ? find(ctx, *p, location, element, func) : nullptr;
    if (!u)
        return;
    const unsigned n = unsigned(u->rows) * u->cols;
    if (size < 0 || size_t(size) < n * sizeof(T))
        return error(ctx, GL_INVALID_OPERATION, "%s(bufSize %d)", func, size);
    if (u->kind == UniformKind::sampler || u->kind == UniformKind::image) {
        *out = T(
            (u->kind == UniformKind::sampler ? p->sampler_unit : p->image_unit)[u->slot + element]);
        return;
    }
    const uint8_t *base = p->globals.data() + u->offset + element * unsigned(u->array_stride);
    const unsigned width = u->base == UniformBase::double_ ? 8 : 4;
    for (unsigned c = 0; c < u->cols; c++)
        for (unsigned r = 0; r < u->rows; r++)
            out[c * u->rows + r] = read_component<T>(
                *u, base + c * unsigned(std::max(u->matrix_stride, 0)) + r * width);
}

constexpr GLsizei kNoLimit = std::numeric_limits<GLsizei>::max();
} // namespace

void GL_ENTRY(GetUniformfv)(Context &ctx, GLuint p, GLint l, GLfloat *v) {
    get(ctx, p, l, kNoLimit, v, "glGetUniformfv");
}
void GL_ENTRY(GetUniformiv)(Context &ctx, GLuint p, GLint l, GLint *v) {
    get(ctx, p, l, kNoLimit, v, "glGetUniformiv");
}
void GL_ENTRY(GetUniformuiv)(Context &ctx, GLuint p, GLint l, GLuint *v) {
    get(ctx, p, l, kNoLimit, v, "glGetUniformuiv");
}
void GL_ENTRY(GetUniformdv)(Context &ctx, GLuint p, GLint l, GLdouble *v) {
    get(ctx, p, l, kNoLimit, v, "glGetUniformdv");
}
void GL_ENTRY(GetnUniformfv)(Context &ctx, GLuint p, GLint l, GLsizei n, GLfloat *v) {
    get(ctx, p, l, n, v, "glGetnUniformfv");
}
void GL_ENTRY(GetnUniformiv)(Context &ctx, GLuint p, GLint l, GLsizei n, GLint *v) {
    get(ctx, p, l, n, v, "glGetnUniformiv");
}
void GL_ENTRY(GetnUniformuiv)(Context &ctx, GLuint p, GLint l, GLsizei n, GLuint *v) {
    get(ctx, p, l, n, v, "glGetnUniformuiv");
}
void GL_ENTRY(GetnUniformdv)(Context &ctx, GLuint p, GLint l, GLsizei n, GLdouble *v) {
    get(ctx, p, l, n, v, "glGetnUniformdv");
}
void GL_ENTRY(GetnUniformfvARB)(Context &ctx, GLuint p, GLint l, GLsizei n, GLfloat *v) {
    get(ctx, p, l, n, v, "glGetnUniformfvARB");
}
void GL_ENTRY(GetnUniformivARB)(Context &ctx, GLuint p, GLint l, GLsizei n, GLint *v) {
    get(ctx, p, l, n, v, "glGetnUniformivARB");
}
void GL_ENTRY(GetnUniformuivARB)(Context &ctx, GLuint p, GLint l, GLsizei n, GLuint *v) {
    get(ctx, p, l, n, v, "glGetnUniformuivARB");
}
void GL_ENTRY(GetnUniformdvARB)(Context &ctx, GLuint p, GLint l, GLsizei n, GLdouble *v) {
    get(ctx, p, l, n, v, "glGetnUniformdvARB");
}
} // namespace gl
