// SPDX-License-Identifier: MIT
// The value table behind glGet*: one row per name says where the value lives; the five typed entry
// points convert by GL 4.6 section 2.2.2.
#pragma once

#include "objects/gltypes.h"

#include <span>

namespace gl {

struct Value { // what a row produced
    enum Kind : uint8_t {
        bool_,
        int_,
        enum_,
        int64_,
        float_,
        double_,
        norm
    } kind = int_;     // norm: float that converts to integer by the full range
    uint8_t count = 0; // 0: an empty list
    union {
        int64_t i[16];
        double d[16];
    };
};
// Versions of GLSL that glShaderSource takes, the newest first; "" is 1.10 (GL 4.6 section 22.2).
std::span<const char *const> shading_languages(const Context &ctx);

bool get_value(Context &ctx, GLenum pname, Value &out); // false: GL_INVALID_ENUM
bool get_indexed(Context &ctx, GLenum pname, GLuint index, Value &out, GLenum &err);
void store(const Value &v, GLboolean *out);
void store(const Value &v, GLint *out);
void store(const Value &v, GLint64 *out);
void store(const Value &v, GLfloat *out);
void store(const Value &v, GLdouble *out);
GLint round_to_int(double d); // saturates
// A normalised value as a colour getter of integers returns it: [-1, 1] over the whole range.
GLint norm_to_int(double d);
} // namespace gl
