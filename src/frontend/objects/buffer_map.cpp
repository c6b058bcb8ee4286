// SPDX-License-Identifier: MIT
// Mapping of buffers (GL 4.6 section 6.3).
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {
namespace {

constexpr GLbitfield kAccess = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT |
                               GL_MAP_INVALIDATE_BUFFER_BIT | GL_MAP_FLUSH_EXPLICIT_BIT |
                               GL_MAP_UNSYNCHRONIZED_BIT | GL_MAP_PERSISTENT_BIT |
                               GL_MAP_COHERENT_BIT;

// The whole of the rules of glMapBufferRange; false after an error.
bool check_map(Context &ctx, const Buffer &b, GLintptr offset, GLsizeiptr length, GLbitfield access,
               const char *func) {
    if (offset < 0 || length < 0 || offset > b.size - length) {
        error(ctx, GL_INVALID_VALUE, "%s(offset %lld, length %lld of %lld)", func,
              (long long)offset, (long long)length, (long long)b.size);
        return false;
    }
    if (access & ~kAccess) {
        error(ctx, GL_INVALID_VALUE, "%s(access 0x%x)", func, access);
        return false;
    }
    const char *reason = nullptr;
    constexpr GLbitfield not_for_reads =
        GL_MAP_INVALIDATE_RANGE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT | GL_MAP_UNSYNCHRONIZED_BIT;
    constexpr GLbitfield need_storage =
        GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    if (length == 0)
        reason = "length 0";
    else if (b.mapped())
        reason = "already mapped";
    else if (!(access & (GL_MAP_READ_BIT | GL_MAP_WRITE_BIT)))
        reason = "neither read nor write";
    else if ((access & GL_MAP_READ_BIT) && (access & not_for_reads))
        reason = "read with invalidate or unsynchronized";
    else if ((access & GL_MAP_FLUSH_EXPLICIT_BIT) && !(access & GL_MAP_WRITE_BIT))
        reason = "explicit flush without write";
    else if ((access & need_storage) & ~b.storage_flags)
        reason = "access that the storage flags do not allow";
    if (!reason)
        return true;
    error(ctx, GL_INVALID_OPERATION, "%s(%s)", func, reason);
    return false;
}

void *map(Context &ctx, Buffer &b, GLintptr offset, GLsizeiptr length, GLbitfield access,
          const char *func) {
    if (!check_map(ctx, b, offset, length, access, func))
        return nullptr;
    void *p = st::buffer_map(ctx, b, offset, length, access);
    if (!p)
        return nullptr;
    b.map = p;
    b.map_offset = offset;
    b.map_length = length;
    b.map_access = access;
    b.written_in_map = false;
    if (!(access & GL_MAP_PERSISTENT_BIT))
        object_changed(ctx, b, G::buffer_content);
    return p;
}

void *map_whole(Context &ctx, Buffer &b, GLenum access, const char *func) {
    GLbitfield bits = 0;
    switch (access) {
    case GL_READ_ONLY: bits = GL_MAP_READ_BIT; break;
    case GL_WRITE_ONLY: bits = GL_MAP_WRITE_BIT; break;
    case GL_READ_WRITE: bits = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT; break;
    default: error(ctx, GL_INVALID_ENUM, "%s(access %s)", func, enum_name(access)); return nullptr;
    }
    if (b.size == 0 && !b.mapped()) {
        error(ctx, GL_OUT_OF_MEMORY, "%s(buffer %u has no storage)", func, b.name);
        return nullptr;
    }
    return map(ctx, b, 0, b.size, bits, func);
}

GLboolean unmap(Context &ctx, Buffer &b, const char *func) {
    if (!b.map) {
        error(ctx, GL_INVALID_OPERATION, "%s(buffer %u is not mapped)", func, b.name);
        return GL_FALSE;
    }
    bool kept = st::buffer_unmap(ctx, b);
    bool blocking = b.mapped_blocking();
    b.map = nullptr;
    b.map_offset = 0;
    b.map_length = 0;
    b.map_access = 0;
    if (blocking)
        object_changed(ctx, b, G::buffer_content);
    return kept;
}

void flush_range(Context &ctx, Buffer &b, GLintptr offset, GLsizeiptr length, const char *func) {
    if (offset < 0 || length < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(offset %lld, length %lld)", func, (long long)offset,
                     (long long)length);
    if (!b.map || !(b.map_access & GL_MAP_FLUSH_EXPLICIT_BIT))
        return error(ctx, GL_INVALID_OPERATION, "%s(buffer %u is not mapped for explicit flushes)",
                     func, b.name);
    if (offset > b.map_length - length)
        return error(ctx, GL_INVALID_VALUE, "%s(offset %lld, length %lld of a map of %lld)", func,
                     (long long)offset, (long long)length, (long long)b.map_length);
    if (length)
        st::buffer_flush_range(ctx, b, b.map_offset + offset, length);
}
} // namespace

void *GL_ENTRY(MapBuffer)(Context &ctx, GLenum target, GLenum access) {
    Buffer *b = buffer_at_target(ctx, target, "glMapBuffer");
    return b ? map_whole(ctx, *b, access, "glMapBuffer") : nullptr;
}
void *GL_ENTRY(MapNamedBuffer)(Context &ctx, GLuint name, GLenum access) {
    Buffer *b = lookup_buffer_err(ctx, name, "glMapNamedBuffer");
    return b ? map_whole(ctx, *b, access, "glMapNamedBuffer") : nullptr;
}
void *GL_ENTRY(MapBufferRange)(Context &ctx, GLenum target, GLintptr offset, GLsizeiptr length,
                               GLbitfield access) {
    Buffer *b = buffer_at_target(ctx, target, "glMapBufferRange");
    return b ? map(ctx, *b, offset, length, access, "glMapBufferRange") : nullptr;
}
void *GL_ENTRY(MapNamedBufferRange)(Context &ctx, GLuint name, GLintptr offset, GLsizeiptr length,
                                    GLbitfield access) {
    Buffer *b = lookup_buffer_err(ctx, name, "glMapNamedBufferRange");
    return b ? map(ctx, *b, offset, length, access, "glMapNamedBufferRange") : nullptr;
}
GLboolean GL_ENTRY(UnmapBuffer)(Context &ctx, GLenum target) {
    Buffer *b = buffer_at_target(ctx, target, "glUnmapBuffer");
    return b ? unmap(ctx, *b, "glUnmapBuffer") : GL_FALSE;
}
GLboolean GL_ENTRY(UnmapNamedBuffer)(Context &ctx, GLuint name) {
    Buffer *b = lookup_buffer_err(ctx, name, "glUnmapNamedBuffer");
    return b ? unmap(ctx, *b, "glUnmapNamedBuffer") : GL_FALSE;
}
void GL_ENTRY(FlushMappedBufferRange)(Context &ctx, GLenum target, GLintptr offset,
                                      GLsizeiptr length) {
    if (Buffer *b = buffer_at_target(ctx, target, "glFlushMappedBufferRange"))
        flush_range(ctx, *b, offset, length, "glFlushMappedBufferRange");
}
void GL_ENTRY(FlushMappedNamedBufferRange)(Context &ctx, GLuint name, GLintptr offset,
                                           GLsizeiptr length) {
    if (Buffer *b = lookup_buffer_err(ctx, name, "glFlushMappedNamedBufferRange"))
        flush_range(ctx, *b, offset, length, "glFlushMappedNamedBufferRange");
}
} // namespace gl
