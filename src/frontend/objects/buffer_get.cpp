// SPDX-License-Identifier: MIT
// Parameters of buffers (GL 4.6 section 6.7).
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {
namespace {

bool parameter(Context &ctx, const Buffer &b, GLenum pname, GLint64 &v, const char *func) {
    switch (pname) {
    case GL_BUFFER_SIZE: v = b.size; return true;
    case GL_BUFFER_USAGE: v = b.usage; return true;
    case GL_BUFFER_ACCESS:
        v = !b.map ? GL_READ_WRITE
            : (b.map_access & (GL_MAP_READ_BIT | GL_MAP_WRITE_BIT)) == GL_MAP_READ_BIT
                ? GL_READ_ONLY
            : (b.map_access & (GL_MAP_READ_BIT | GL_MAP_WRITE_BIT)) == GL_MAP_WRITE_BIT
                ? GL_WRITE_ONLY
                : GL_READ_WRITE;
        return true;
    case GL_BUFFER_ACCESS_FLAGS: v = b.map_access; return true;
    case GL_BUFFER_MAPPED: v = b.mapped(); return true;
    case GL_BUFFER_MAP_OFFSET: v = b.map_offset; return true;
    case GL_BUFFER_MAP_LENGTH: v = b.map_length; return true;
    case GL_BUFFER_IMMUTABLE_STORAGE: v = b.immutable; return true;
    case GL_BUFFER_STORAGE_FLAGS: v = b.storage_flags; return true;
    default: error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname)); return false;
    }
}

template <class T> void get(Context &ctx, const Buffer *b, GLenum pname, T *out, const char *func) {
    GLint64 v = 0;
    if (b && parameter(ctx, *b, pname, v, func))
        *out = T(v);
}

void get_pointer(Context &ctx, const Buffer *b, GLenum pname, void **out, const char *func) {
    if (!b)
        return;
    if (pname != GL_BUFFER_MAP_POINTER)
        return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    *out = b->map;
}
} // namespace

void GL_ENTRY(GetBufferParameteriv)(Context &ctx, GLenum target, GLenum pname, GLint *out) {
    get(ctx, buffer_at_target(ctx, target, "glGetBufferParameteriv"), pname, out,
        "glGetBufferParameteriv");
}
void GL_ENTRY(GetBufferParameteri64v)(Context &ctx, GLenum target, GLenum pname, GLint64 *out) {
    get(ctx, buffer_at_target(ctx, target, "glGetBufferParameteri64v"), pname, out,
        "glGetBufferParameteri64v");
}
void GL_ENTRY(GetNamedBufferParameteriv)(Context &ctx, GLuint name, GLenum pname, GLint *out) {
    get(ctx, lookup_buffer_err(ctx, name, "glGetNamedBufferParameteriv"), pname, out,
        "glGetNamedBufferParameteriv");
}
void GL_ENTRY(GetNamedBufferParameteri64v)(Context &ctx, GLuint name, GLenum pname, GLint64 *out) {
    get(ctx, lookup_buffer_err(ctx, name, "glGetNamedBufferParameteri64v"), pname, out,
        "glGetNamedBufferParameteri64v");
}
void GL_ENTRY(GetBufferPointerv)(Context &ctx, GLenum target, GLenum pname, void **out) {
    get_pointer(ctx, buffer_at_target(ctx, target, "glGetBufferPointerv"), pname, out,
                "glGetBufferPointerv");
}
void GL_ENTRY(GetNamedBufferPointerv)(Context &ctx, GLuint name, GLenum pname, void **out) {
    get_pointer(ctx, lookup_buffer_err(ctx, name, "glGetNamedBufferPointerv"), pname, out,
                "glGetNamedBufferPointerv");
}
} // namespace gl
