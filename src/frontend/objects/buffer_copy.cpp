// SPDX-License-Identifier: MIT
// Copies, clears and read-back of buffers (GL 4.6 sections 6.2.1, 6.6, 6.7).
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/pixel.h"
#include "tracker/tracker.h"

#include <cstring>

namespace gl {
namespace {

// `part`: only the given range must not be mapped (clears), not all of the buffer
// (copies, read-back).
bool check_span(Context &ctx, const Buffer &b, GLintptr offset, GLsizeiptr size, const char *func,
                bool part = false) {
    if (offset < 0 || size < 0 || offset > b.size - size) {
        error(ctx, GL_INVALID_VALUE, "%s(offset %lld, size %lld of %lld)", func, (long long)offset,
              (long long)size, (long long)b.size);
        return false;
    }
    if (part ? b.blocked(offset, size) : b.mapped_blocking()) {
        error(ctx, GL_INVALID_OPERATION, "%s(buffer %u is mapped)", func, b.name);
        return false;
    }
    return true;
}

void copy(Context &ctx, Buffer &src, Buffer &dst, GLintptr from, GLintptr to, GLsizeiptr size,
          const char *func) {
    if (!check_span(ctx, src, from, size, func) || !check_span(ctx, dst, to, size, func))
        return;
    if (&src == &dst && from < to + size && to < from + size)
        return error(ctx, GL_INVALID_VALUE, "%s(ranges overlap)", func);
    if (size)
        st::buffer_copy(ctx, src, dst, from, to, size);
}

void clear(Context &ctx, Buffer &b, GLenum internal, GLintptr offset, GLsizeiptr size,
           GLenum format, GLenum type, const void *value, const char *func) {
    const FormatInfo *f = format_info(internal);
    pipe_format element =
        f && f->internal == internal ? pipe_format(buffer_element_format(*f)) : PIPE_FORMAT_NONE;
    if (element == PIPE_FORMAT_NONE)
        return error(ctx, GL_INVALID_ENUM, "%s(internal format %s)", func, enum_name(internal));
    FormatClass cls = transfer_class(format);
    if (cls != FormatClass::color && cls != FormatClass::color_integer)
        return error(ctx, GL_INVALID_VALUE, "%s(format %s)", func, enum_name(format));
    if (check_format_type(format, type) != GL_NO_ERROR)
        return error(ctx, GL_INVALID_VALUE, "%s(format %s, type %s)", func, enum_name(format),
                     enum_name(type));
    if (check_transfer_to(*f, format) != GL_NO_ERROR)
        return error(ctx, GL_INVALID_OPERATION, "%s(%s into %s)", func, enum_name(format),
                     enum_name(internal));
    if (!check_span(ctx, b, offset, size, func, true))
        return;
    unsigned bytes = unsigned(f->r + f->g + f->b + f->a) / 8;
    if (offset % bytes || size % bytes)
        return error(ctx, GL_INVALID_VALUE, "%s(offset or size is no multiple of %u)", func, bytes);
    if (!size)
        return;
    uint8_t pattern[16] = {};
    if (value) {
        PixelStore tight;
        tight.alignment = 1;
        TexelBlock dst{pattern, element, bytes, bytes};
        ClientPixels src{const_cast<void *>(value), format, type, &tight, 1};
        if (!pixels_unpack(dst, *f, src, 1, 1, 1))
            return error(ctx, GL_INVALID_OPERATION, "%s(no conversion of %s, %s)", func,
                         enum_name(format), enum_name(type));
    }
    b.written_in_map = true;
    st::buffer_clear(ctx, b, offset, size, pattern, bytes);
}

void read(Context &ctx, Buffer &b, GLintptr offset, GLsizeiptr size, void *out, const char *func) {
    if (check_span(ctx, b, offset, size, func) && size && out)
        st::buffer_readback(ctx, b, offset, size, out);
}
} // namespace

void GL_ENTRY(CopyBufferSubData)(Context &ctx, GLenum read, GLenum write, GLintptr from,
                                 GLintptr to, GLsizeiptr size) {
    Buffer *src = buffer_at_target(ctx, read, "glCopyBufferSubData");
    Buffer *dst = src ? buffer_at_target(ctx, write, "glCopyBufferSubData") : nullptr;
    if (dst)
        copy(ctx, *src, *dst, from, to, size, "glCopyBufferSubData");
}
void GL_ENTRY(CopyNamedBufferSubData)(Context &ctx, GLuint read, GLuint write, GLintptr from,
                                      GLintptr to, GLsizeiptr size) {
    Buffer *src = lookup_buffer_err(ctx, read, "glCopyNamedBufferSubData");
    Buffer *dst = src ? lookup_buffer_err(ctx, write, "glCopyNamedBufferSubData") : nullptr;
    if (dst)
        copy(ctx, *src, *dst, from, to, size, "glCopyNamedBufferSubData");
}

void GL_ENTRY(ClearBufferData)(Context &ctx, GLenum target, GLenum internal, GLenum format,
                               GLenum type, const void *value) {
    if (Buffer *b = buffer_at_target(ctx, target, "glClearBufferData", GL_INVALID_VALUE))
        clear(ctx, *b, internal, 0, b->size, format, type, value, "glClearBufferData");
}
void GL_ENTRY(ClearNamedBufferData)(Context &ctx, GLuint name, GLenum internal, GLenum format,
                                    GLenum type, const void *value) {
    if (Buffer *b = lookup_buffer_err(ctx, name, "glClearNamedBufferData"))
        clear(ctx, *b, internal, 0, b->size, format, type, value, "glClearNamedBufferData");
}
void GL_ENTRY(ClearBufferSubData)(Context &ctx, GLenum target, GLenum internal, GLintptr offset,
                                  GLsizeiptr size, GLenum format, GLenum type, const void *value) {
    if (Buffer *b = buffer_at_target(ctx, target, "glClearBufferSubData", GL_INVALID_VALUE))
        clear(ctx, *b, internal, offset, size, format, type, value, "glClearBufferSubData");
}
void GL_ENTRY(ClearNamedBufferSubData)(Context &ctx, GLuint name, GLenum internal, GLintptr offset,
                                       GLsizeiptr size, GLenum format, GLenum type,
                                       const void *value) {
    if (Buffer *b = lookup_buffer_err(ctx, name, "glClearNamedBufferSubData"))
        clear(ctx, *b, internal, offset, size, format, type, value, "glClearNamedBufferSubData");
}

void GL_ENTRY(GetBufferSubData)(Context &ctx, GLenum target, GLintptr offset, GLsizeiptr size,
                                void *out) {
    if (Buffer *b = buffer_at_target(ctx, target, "glGetBufferSubData"))
        read(ctx, *b, offset, size, out, "glGetBufferSubData");
}
void GL_ENTRY(GetNamedBufferSubData)(Context &ctx, GLuint name, GLintptr offset, GLsizeiptr size,
                                     void *out) {
    if (Buffer *b = lookup_buffer_err(ctx, name, "glGetNamedBufferSubData"))
        read(ctx, *b, offset, size, out, "glGetNamedBufferSubData");
}
} // namespace gl
