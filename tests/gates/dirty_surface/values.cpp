// SPDX-License-Identifier: MIT
// Rows of uniforms and current attribute values: every form of each family.
#include "surface.h"

namespace surface {
namespace {

const GLfloat f[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
const GLdouble d[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
const GLint i[4] = {1, 2, 3, 4};
const GLuint u[4] = {1, 2, 3, 4};
const GLshort sh[4] = {1, 2, 3, 4};
const GLushort us[4] = {1, 2, 3, 4};
const GLbyte b[4] = {1, 2, 3, 4};
const GLubyte ub[4] = {1, 2, 3, 4};

#define CALL(entry, ...)                                                                           \
    Row {                                                                                          \
#entry, nullptr, [](Scene & s) { gl::entry(s.c, __VA_ARGS__); }, nullptr                   \
    }
// A family over one to four components: location base + n - 1.
#define FAMILY(suffix, base, array, a, b_, c_, d_)                                                 \
    CALL(Uniform1##suffix, base, a), CALL(Uniform2##suffix, base + 1, a, b_),                      \
        CALL(Uniform3##suffix, base + 2, a, b_, c_),                                               \
        CALL(Uniform4##suffix, base + 3, a, b_, c_, d_),                                           \
        CALL(Uniform1##suffix##v, base, 1, array), CALL(Uniform2##suffix##v, base + 1, 1, array),  \
        CALL(Uniform3##suffix##v, base + 2, 1, array),                                             \
        CALL(Uniform4##suffix##v, base + 3, 1, array),                                             \
        CALL(ProgramUniform1##suffix, s.program_name, base, a),                                    \
        CALL(ProgramUniform2##suffix, s.program_name, base + 1, a, b_),                            \
        CALL(ProgramUniform3##suffix, s.program_name, base + 2, a, b_, c_),                        \
        CALL(ProgramUniform4##suffix, s.program_name, base + 3, a, b_, c_, d_),                    \
        CALL(ProgramUniform1##suffix##v, s.program_name, base, 1, array),                          \
        CALL(ProgramUniform2##suffix##v, s.program_name, base + 1, 1, array),                      \
        CALL(ProgramUniform3##suffix##v, s.program_name, base + 2, 1, array),                      \
        CALL(ProgramUniform4##suffix##v, s.program_name, base + 3, 1, array)

const Add scalars{FAMILY(f, 0, f, 1, 2, 3, 4), FAMILY(i, 4, i, 1, 2, 3, 4),
                  FAMILY(ui, 8, u, 1, 2, 3, 4), FAMILY(d, 21, d, 1, 2, 3, 4)};

#define MATRIX(shape, n)                                                                           \
    CALL(UniformMatrix##shape##fv, 12 + n, 1, GL_FALSE, f),                                        \
        CALL(ProgramUniformMatrix##shape##fv, s.program_name, 12 + n, 1, GL_FALSE, f),             \
        CALL(UniformMatrix##shape##dv, 25 + n, 1, GL_FALSE, d),                                    \
        CALL(ProgramUniformMatrix##shape##dv, s.program_name, 25 + n, 1, GL_FALSE, d)

const Add matrices{MATRIX(2, 0),   MATRIX(2x3, 1), MATRIX(2x4, 2), MATRIX(3x2, 3), MATRIX(3, 4),
                   MATRIX(3x4, 5), MATRIX(4x2, 6), MATRIX(4x3, 7), MATRIX(4, 8)};

#define ATTRIB(suffix, array, a, b_, c_, d_)                                                       \
    CALL(VertexAttrib1##suffix, 1, a), CALL(VertexAttrib2##suffix, 1, a, b_),                      \
        CALL(VertexAttrib3##suffix, 1, a, b_, c_), CALL(VertexAttrib4##suffix, 1, a, b_, c_, d_),  \
        CALL(VertexAttrib1##suffix##v, 1, array), CALL(VertexAttrib2##suffix##v, 1, array),        \
        CALL(VertexAttrib3##suffix##v, 1, array), CALL(VertexAttrib4##suffix##v, 1, array)

const Add attribs{ATTRIB(f, f, 1, 2, 3, 4),       ATTRIB(d, d, 1, 2, 3, 4),
                  ATTRIB(s, sh, 1, 2, 3, 4),      CALL(VertexAttrib4bv, 1, b),
                  CALL(VertexAttrib4iv, 1, i),    CALL(VertexAttrib4ubv, 1, ub),
                  CALL(VertexAttrib4usv, 1, us),  CALL(VertexAttrib4uiv, 1, u),
                  CALL(VertexAttrib4Nbv, 1, b),   CALL(VertexAttrib4Niv, 1, i),
                  CALL(VertexAttrib4Nsv, 1, sh),  CALL(VertexAttrib4Nub, 1, 1, 2, 3, 4),
                  CALL(VertexAttrib4Nubv, 1, ub), CALL(VertexAttrib4Nuiv, 1, u),
                  CALL(VertexAttrib4Nusv, 1, us)};

const Add integer_attribs{CALL(VertexAttribI1i, 1, 1),        CALL(VertexAttribI2i, 1, 1, 2),
                          CALL(VertexAttribI3i, 1, 1, 2, 3),  CALL(VertexAttribI4i, 1, 1, 2, 3, 4),
                          CALL(VertexAttribI1ui, 1, 1),       CALL(VertexAttribI2ui, 1, 1, 2),
                          CALL(VertexAttribI3ui, 1, 1, 2, 3), CALL(VertexAttribI4ui, 1, 1, 2, 3, 4),
                          CALL(VertexAttribI1iv, 1, i),       CALL(VertexAttribI2iv, 1, i),
                          CALL(VertexAttribI3iv, 1, i),       CALL(VertexAttribI4iv, 1, i),
                          CALL(VertexAttribI1uiv, 1, u),      CALL(VertexAttribI2uiv, 1, u),
                          CALL(VertexAttribI3uiv, 1, u),      CALL(VertexAttribI4uiv, 1, u),
                          CALL(VertexAttribI4bv, 1, b),       CALL(VertexAttribI4sv, 1, sh),
                          CALL(VertexAttribI4ubv, 1, ub),     CALL(VertexAttribI4usv, 1, us)};

const Add long_attribs{CALL(VertexAttribL1d, 1, 1),       CALL(VertexAttribL2d, 1, 1, 2),
                       CALL(VertexAttribL3d, 1, 1, 2, 3), CALL(VertexAttribL4d, 1, 1, 2, 3, 4),
                       CALL(VertexAttribL1dv, 1, d),      CALL(VertexAttribL2dv, 1, d),
                       CALL(VertexAttribL3dv, 1, d),      CALL(VertexAttribL4dv, 1, d)};

#define PACKED(n)                                                                                  \
    CALL(VertexAttribP##n##ui, 1, GL_UNSIGNED_INT_2_10_10_10_REV, GL_FALSE, 5), Row {              \
        "VertexAttribP" #n "uiv", nullptr,                                                         \
            [](Scene &s) {                                                                         \
                const GLuint v = 5;                                                                \
                gl::VertexAttribP##n##uiv(s.c, 1, GL_UNSIGNED_INT_2_10_10_10_REV, GL_FALSE, &v);   \
            },                                                                                     \
            nullptr                                                                                \
    }
const Add packed{PACKED(1), PACKED(2), PACKED(3), PACKED(4)};

} // namespace
} // namespace surface
