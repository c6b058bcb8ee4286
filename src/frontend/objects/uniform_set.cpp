// SPDX-License-Identifier: MIT
// glUniform* and glProgramUniform* (GL 4.6 section 7.6.1): compare first, write in place into the
// std140 image of the default block, and widen the dirty byte range. Samplers and images change a
// unit.
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <cstring>

namespace gl {
namespace {

struct Source {
    UniformBase base;
    uint8_t rows, cols; // components; columns of a matrix
    bool transpose;
    const void *data;
};

void touch(Program &p, uint32_t begin, uint32_t end) {
    p.globals_dirty_begin = std::min(p.globals_dirty_begin, begin);
    p.globals_dirty_end = std::max(p.globals_dirty_end, end);
}

// One column or vector; bool members take 0 or 1.
template <class T> bool put(uint8_t *to, const T *from, unsigned n) {
    if (!std::memcmp(to, from, n * sizeof(T)))
        return false;
    std::memcpy(to, from, n * sizeof(T));
    return true;
}

bool put_bools(uint8_t *to, const Source &s, const void *from, unsigned n) {
    GLuint v[4];
    for (unsigned i = 0; i < n; i++)
        v[i] = s.base == UniformBase::float_ ? static_cast<const GLfloat *>(from)[i] != 0
                                             : static_cast<const GLuint *>(from)[i] != 0;
    return put(to, v, n);
}

template <class T>
bool put_matrix(uint8_t *to, const ActiveUniform &u, const Source &s, const T *from) {
    bool changed = false;
    for (unsigned c = 0; c < u.cols; c++) {
        T column[4];
        for (unsigned r = 0; r < u.rows; r++)
            column[r] = s.transpose ? from[r * u.cols + c] : from[c * u.rows + r];
        changed |= put(to + c * unsigned(u.matrix_stride), column, u.rows);
    }
    return changed;
}

bool put_element(uint8_t *to, const ActiveUniform &u, const Source &s, const uint8_t *from) {
    if (u.base == UniformBase::bool_)
        return put_bools(to, s, from, u.rows);
    if (u.base == UniformBase::double_)
        return u.cols > 1 ? put_matrix(to, u, s, reinterpret_cast<const GLdouble *>(from))
                          : put(to, reinterpret_cast<const GLdouble *>(from), u.rows);
    return u.cols > 1 ? put_matrix(to, u, s, reinterpret_cast<const GLfloat *>(from))
                      : put(to, reinterpret_cast<const GLuint *>(from), u.rows);
}

void set_values(Context &ctx, Program &p, const ActiveUniform &u, uint32_t element, GLsizei count,
                const Source &s) {
    const unsigned bytes = unsigned(s.rows) * s.cols * (s.base == UniformBase::double_ ? 8 : 4);
    const uint32_t column = unsigned(u.rows) * (u.base == UniformBase::double_ ? 8 : 4);
    const uint32_t size = u.cols > 1 ? unsigned(u.matrix_stride) * (u.cols - 1u) + column : column;
    const auto *from = static_cast<const uint8_t *>(s.data);
    bool changed = false;
    for (GLsizei i = 0; i < count; i++, from += bytes) {
        const uint32_t at = uint32_t(u.offset) + (element + uint32_t(i)) * uint32_t(u.array_stride);
        if (at + size <= p.globals.size() && put_element(p.globals.data() + at, u, s, from)) {
            touch(p, at, at + size);
            changed = true;
        }
    }
    if (changed)
        object_changed(ctx, p, G::uniforms);
}

void set_units(Context &ctx, Program &p, const ActiveUniform &u, uint32_t element, GLsizei count,
               const Source &s, const char *func) {
    const bool sampler = u.kind == UniformKind::sampler;
    const GLint limit = sampler ? ctx.limits().combined_texture_units : ctx.limits().image_units;
    const auto *units = static_cast<const GLint *>(s.data);
    for (GLsizei i = 0; i < count; i++)
        if (units[i] < 0 || units[i] >= limit)
            return error(ctx, GL_INVALID_VALUE, "%s(unit %d)", func, units[i]);
    auto &slots = sampler ? p.sampler_unit : p.image_unit;
    bool changed = false;
    for (GLsizei i = 0; i < count; i++) {
        GLint &slot = slots[u.slot + element + GLuint(i)];
        changed |= slot != units[i];
        slot = units[i];
    }
    if (!changed)
        return;
    p.bindings_version++;
    object_changed(ctx, p, G::program_bindings);
    object_changed(ctx, p, sampler ? G::textures : G::images);
    if (sampler) {
        ctx.slots.textures.set_all();
        ctx.slots.samplers.set_all();
        object_changed(ctx, p, G::samplers);
    } else {
        ctx.slots.images.set_all();
    }
}

bool type_fits(const ActiveUniform &u, const Source &s) {
    if (u.kind == UniformKind::sampler || u.kind == UniformKind::image)
        return s.base == UniformBase::int_ && s.rows == 1 && s.cols == 1;
    if (u.rows != s.rows || u.cols != s.cols)
        return false;
    return u.base == s.base ||
           (u.base == UniformBase::bool_ && s.base != UniformBase::double_ && s.cols == 1);
}

void set(Context &ctx, Program *p, GLint location, GLsizei count, const Source &s,
         const char *func) {
    if (!p)
        return error(ctx, GL_INVALID_OPERATION, "%s(no program)", func);
    program_wait(ctx, *p);
    if (!p->linked || !p->link_status)
        return error(ctx, GL_INVALID_OPERATION, "%s(program %u is not linked)", func, p->name);
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(count %d)", func, count);
    if (location == -1)
        return;
    const LinkedProgram &l = *p->linked;
    if (location < 0 || size_t(location) >= l.locations.size() ||
        l.locations[size_t(location)].uniform == kNoUniform)
        return error(ctx, GL_INVALID_OPERATION, "%s(location %d)", func, location);
    const UniformLocation at = l.locations[size_t(location)];
    if (at.uniform == kInactiveUniform)
        return;
    const ActiveUniform &u = l.uniforms[at.uniform];
    if (!type_fits(u, s))
        return error(ctx, GL_INVALID_OPERATION, "%s(%s has type %s)", func, u.name->c_str(),
                     enum_name(u.type));
    if (count > 1 && !u.is_array)
        return error(ctx, GL_INVALID_OPERATION, "%s(count %d, %s is no array)", func, count,
                     u.name->c_str());
    count = std::min<GLsizei>(count, u.size - GLint(at.element));
    if (!count)
        return;
    if (u.kind == UniformKind::value)
        set_values(ctx, *p, u, at.element, count, s);
    else
        set_units(ctx, *p, u, at.element, count, s, func);
}

void set_named(Context &ctx, GLuint program, GLint location, GLsizei count, const Source &s,
               const char *func) {
    if (Program *p = lookup_program_err(ctx, program, func))
        set(ctx, p, location, count, s, func);
}
} // namespace

// NAME, C type, base
#define VECTORS(X)                                                                                 \
    X(f, GLfloat, float_)                                                                          \
    X(i, GLint, int_)                                                                              \
    X(ui, GLuint, uint_)                                                                           \
    X(d, GLdouble, double_)

#define SCALARS(S, T, B)                                                                           \
    void GL_ENTRY(Uniform1##S)(Context & ctx, GLint l, T x) {                                      \
        set(ctx, uniform_program(ctx), l, 1, {UniformBase::B, 1, 1, false, &x}, "glUniform1" #S);  \
    }                                                                                              \
    void GL_ENTRY(Uniform2##S)(Context & ctx, GLint l, T x, T y) {                                 \
        const T v[] = {x, y};                                                                      \
        set(ctx, uniform_program(ctx), l, 1, {UniformBase::B, 2, 1, false, v}, "glUniform2" #S);   \
    }                                                                                              \
    void GL_ENTRY(Uniform3##S)(Context & ctx, GLint l, T x, T y, T z) {                            \
        const T v[] = {x, y, z};                                                                   \
        set(ctx, uniform_program(ctx), l, 1, {UniformBase::B, 3, 1, false, v}, "glUniform3" #S);   \
    }                                                                                              \
    void GL_ENTRY(Uniform4##S)(Context & ctx, GLint l, T x, T y, T z, T w) {                       \
        const T v[] = {x, y, z, w};                                                                \
        set(ctx, uniform_program(ctx), l, 1, {UniformBase::B, 4, 1, false, v}, "glUniform4" #S);   \
    }                                                                                              \
    void GL_ENTRY(ProgramUniform1##S)(Context & ctx, GLuint p, GLint l, T x) {                     \
        set_named(ctx, p, l, 1, {UniformBase::B, 1, 1, false, &x}, "glProgramUniform1" #S);        \
    }                                                                                              \
    void GL_ENTRY(ProgramUniform2##S)(Context & ctx, GLuint p, GLint l, T x, T y) {                \
        const T v[] = {x, y};                                                                      \
        set_named(ctx, p, l, 1, {UniformBase::B, 2, 1, false, v}, "glProgramUniform2" #S);         \
    }                                                                                              \
    void GL_ENTRY(ProgramUniform3##S)(Context & ctx, GLuint p, GLint l, T x, T y, T z) {           \
        const T v[] = {x, y, z};                                                                   \
        set_named(ctx, p, l, 1, {UniformBase::B, 3, 1, false, v}, "glProgramUniform3" #S);         \
    }                                                                                              \
    void GL_ENTRY(ProgramUniform4##S)(Context & ctx, GLuint p, GLint l, T x, T y, T z, T w) {      \
        const T v[] = {x, y, z, w};                                                                \
        set_named(ctx, p, l, 1, {UniformBase::B, 4, 1, false, v}, "glProgramUniform4" #S);         \
    }
VECTORS(SCALARS)
GL_STAMPED(Uniform1f, Uniform2f, Uniform3f, Uniform4f, Uniform1i, Uniform2i, Uniform3i, Uniform4i)
GL_STAMPED(Uniform1ui, Uniform2ui, Uniform3ui, Uniform4ui, Uniform1d, Uniform2d, Uniform3d,
           Uniform4d)
GL_STAMPED(ProgramUniform1f, ProgramUniform2f, ProgramUniform3f, ProgramUniform4f)
GL_STAMPED(ProgramUniform1i, ProgramUniform2i, ProgramUniform3i, ProgramUniform4i)
GL_STAMPED(ProgramUniform1ui, ProgramUniform2ui, ProgramUniform3ui, ProgramUniform4ui)
GL_STAMPED(ProgramUniform1d, ProgramUniform2d, ProgramUniform3d, ProgramUniform4d)

#define ARRAY(N, S, T, B)                                                                          \
    void GL_ENTRY(Uniform##N##S##v)(Context & ctx, GLint l, GLsizei n, const T *v) {               \
        set(ctx, uniform_program(ctx), l, n, {UniformBase::B, N, 1, false, v},                     \
            "glUniform" #N #S "v");                                                                \
    }                                                                                              \
    void GL_ENTRY(ProgramUniform##N##S##v)(Context & ctx, GLuint p, GLint l, GLsizei n,            \
                                           const T *v) {                                           \
        set_named(ctx, p, l, n, {UniformBase::B, N, 1, false, v}, "glProgramUniform" #N #S "v");   \
    }
#define ARRAYS(S, T, B) ARRAY(1, S, T, B) ARRAY(2, S, T, B) ARRAY(3, S, T, B) ARRAY(4, S, T, B)
VECTORS(ARRAYS)
GL_STAMPED(Uniform1fv, Uniform2fv, Uniform3fv, Uniform4fv, Uniform1iv, Uniform2iv, Uniform3iv,
           Uniform4iv)
GL_STAMPED(Uniform1uiv, Uniform2uiv, Uniform3uiv, Uniform4uiv, Uniform1dv, Uniform2dv, Uniform3dv,
           Uniform4dv)
GL_STAMPED(ProgramUniform1fv, ProgramUniform2fv, ProgramUniform3fv, ProgramUniform4fv)
GL_STAMPED(ProgramUniform1iv, ProgramUniform2iv, ProgramUniform3iv, ProgramUniform4iv)
GL_STAMPED(ProgramUniform1uiv, ProgramUniform2uiv, ProgramUniform3uiv, ProgramUniform4uiv)
GL_STAMPED(ProgramUniform1dv, ProgramUniform2dv, ProgramUniform3dv, ProgramUniform4dv)

// Matrix CxR has C columns and R rows.
#define MATRIX(NAME, C, R, S, T, B)                                                                \
    void GL_ENTRY(UniformMatrix##NAME##S##v)(Context & ctx, GLint l, GLsizei n, GLboolean t,       \
                                             const T *v) {                                         \
        set(ctx, uniform_program(ctx), l, n, {UniformBase::B, R, C, t != 0, v},                    \
            "glUniformMatrix" #NAME #S "v");                                                       \
    }                                                                                              \
    void GL_ENTRY(ProgramUniformMatrix##NAME##S##v)(Context & ctx, GLuint p, GLint l, GLsizei n,   \
                                                    GLboolean t, const T *v) {                     \
        set_named(ctx, p, l, n, {UniformBase::B, R, C, t != 0, v},                                 \
                  "glProgramUniformMatrix" #NAME #S "v");                                          \
    }
#define MATRICES(S, T, B)                                                                          \
    MATRIX(2, 2, 2, S, T, B)                                                                       \
    MATRIX(3, 3, 3, S, T, B)                                                                       \
    MATRIX(4, 4, 4, S, T, B)                                                                       \
    MATRIX(2x3, 2, 3, S, T, B)                                                                     \
    MATRIX(3x2, 3, 2, S, T, B)                                                                     \
    MATRIX(2x4, 2, 4, S, T, B)                                                                     \
    MATRIX(4x2, 4, 2, S, T, B)                                                                     \
    MATRIX(3x4, 3, 4, S, T, B)                                                                     \
    MATRIX(4x3, 4, 3, S, T, B)
MATRICES(f, GLfloat, float_)
MATRICES(d, GLdouble, double_)
GL_STAMPED(UniformMatrix2fv, UniformMatrix3fv, UniformMatrix4fv, UniformMatrix2x3fv,
           UniformMatrix3x2fv)
GL_STAMPED(UniformMatrix2x4fv, UniformMatrix4x2fv, UniformMatrix3x4fv, UniformMatrix4x3fv)
GL_STAMPED(UniformMatrix2dv, UniformMatrix3dv, UniformMatrix4dv, UniformMatrix2x3dv,
           UniformMatrix3x2dv)
GL_STAMPED(UniformMatrix2x4dv, UniformMatrix4x2dv, UniformMatrix3x4dv, UniformMatrix4x3dv)
GL_STAMPED(ProgramUniformMatrix2fv, ProgramUniformMatrix3fv, ProgramUniformMatrix4fv,
           ProgramUniformMatrix2x3fv)
GL_STAMPED(ProgramUniformMatrix3x2fv, ProgramUniformMatrix2x4fv, ProgramUniformMatrix4x2fv,
           ProgramUniformMatrix3x4fv)
GL_STAMPED(ProgramUniformMatrix4x3fv, ProgramUniformMatrix2dv, ProgramUniformMatrix3dv,
           ProgramUniformMatrix4dv)
GL_STAMPED(ProgramUniformMatrix2x3dv, ProgramUniformMatrix3x2dv, ProgramUniformMatrix2x4dv,
           ProgramUniformMatrix4x2dv)
GL_STAMPED(ProgramUniformMatrix3x4dv, ProgramUniformMatrix4x3dv)

} // namespace gl
