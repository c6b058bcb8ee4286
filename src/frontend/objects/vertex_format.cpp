// SPDX-License-Identifier: MIT
// Vertex attribute formats, bindings, divisors and enables, by pointer, by binding point and by
// name (GL 4.6 sections 10.3.2 to 10.3.4).
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {
namespace {

void touched(Context &ctx, VertexArray &v, unsigned binding) {
    v.version++;
    if (ctx.vertex_array->vao != &v)
        return;
    ctx.slots.vertex_buffers.set(binding);
    Writer(ctx).mark(G::vertex_array);
}

bool check_attrib(Context &ctx, GLuint index, const char *func) {
    if (index < GLuint(ctx.limits().vertex_attribs))
        return true;
    error(ctx, GL_INVALID_VALUE, "%s(attribute %u)", func, index);
    return false;
}
bool check_binding(Context &ctx, GLuint index, const char *func) {
    if (index < GLuint(ctx.limits().attrib_bindings))
        return true;
    error(ctx, GL_INVALID_VALUE, "%s(binding %u)", func, index);
    return false;
}

enum Form : uint8_t { form_float, form_int, form_long };

bool legal_type(Form form, GLenum type) {
    switch (type) {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE:
    case GL_SHORT:
    case GL_UNSIGNED_SHORT:
    case GL_INT:
    case GL_UNSIGNED_INT: return form != form_long;
    case GL_DOUBLE: return form != form_int;
    case GL_HALF_FLOAT:
    case GL_FLOAT:
    case GL_FIXED:
    case GL_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_10F_11F_11F_REV: return form == form_float;
    default: return false;
    }
}

bool check_format(Context &ctx, Form form, GLint size, GLenum type, GLboolean normalized,
                  const char *func) {
    bool bgra = form == form_float && size == GL_BGRA;
    if ((size < 1 || size > 4) && !bgra) {
        error(ctx, GL_INVALID_VALUE, "%s(size %d)", func, size);
        return false;
    }
    if (!legal_type(form, type)) {
        error(ctx, GL_INVALID_ENUM, "%s(type %s)", func, enum_name(type));
        return false;
    }
    bool ten = type == GL_INT_2_10_10_10_REV || type == GL_UNSIGNED_INT_2_10_10_10_REV;
    const char *reason = nullptr;
    if (bgra && type != GL_UNSIGNED_BYTE && !ten)
        reason = "GL_BGRA with this type";
    else if (bgra && !normalized)
        reason = "GL_BGRA must be normalized";
    else if (ten && size != 4 && !bgra)
        reason = "2_10_10_10 needs size 4";
    else if (type == GL_UNSIGNED_INT_10F_11F_11F_REV && size != 3)
        reason = "10F_11F_11F needs size 3";
    if (reason)
        error(ctx, GL_INVALID_OPERATION, "%s(%s)", func, reason);
    return !reason;
}

unsigned element_bytes(GLint size, GLenum type) {
    switch (type) {
    case GL_BYTE:
    case GL_UNSIGNED_BYTE: return size == GL_BGRA ? 4 : unsigned(size);
    case GL_SHORT:
    case GL_UNSIGNED_SHORT:
    case GL_HALF_FLOAT: return unsigned(size) * 2;
    case GL_DOUBLE: return unsigned(size) * 8;
    case GL_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_2_10_10_10_REV:
    case GL_UNSIGNED_INT_10F_11F_11F_REV: return 4;
    default: return unsigned(size) * 4;
    }
}

void set_format(Context &ctx, VertexArray &v, GLuint index, Form form, GLint size, GLenum type,
                GLboolean normalized, GLuint offset) {
    VertexAttrib &a = v.attrib[index];
    VertexAttrib next = a;
    next.bgra = size == GL_BGRA;
    next.size = next.bgra ? 4 : uint8_t(size);
    next.type = type;
    next.normalized = form == form_float && normalized;
    next.integer = form == form_int;
    next.long_ = form == form_long;
    next.relative_offset = offset;
    if (a.bgra == next.bgra && a.size == next.size && a.type == next.type &&
        a.normalized == next.normalized && a.integer == next.integer && a.long_ == next.long_ &&
        a.relative_offset == next.relative_offset)
        return;
    a = next;
    touched(ctx, v, a.binding);
}

void set_attrib_binding(Context &ctx, VertexArray &v, GLuint index, GLuint binding) {
    if (v.attrib[index].binding == binding)
        return;
    v.attrib[index].binding = uint8_t(binding);
    touched(ctx, v, binding);
}

void set_buffer(Context &ctx, VertexArray &v, GLuint binding, Buffer *b, GLintptr offset,
                GLsizei stride) {
    VertexBinding &s = v.binding[binding];
    if (s.buffer == b && s.offset == offset && s.stride == stride)
        return;
    s.buffer = b;
    s.offset = offset;
    s.stride = stride;
    if (b) {
        note_bound(ctx, *b);
        note_buffer_use(*b, G::vertex_array);
    }
    touched(ctx, v, binding);
}

void set_divisor(Context &ctx, VertexArray &v, GLuint binding, GLuint divisor) {
    if (v.binding[binding].divisor == divisor)
        return;
    v.binding[binding].divisor = divisor;
    touched(ctx, v, binding);
}

void set_enabled(Context &ctx, VertexArray &v, GLuint index, bool on) {
    VertexAttrib &a = v.attrib[index];
    if (a.enabled == on)
        return;
    a.enabled = on;
    v.enabled = on ? v.enabled | 1u << index : v.enabled & ~(1u << index);
    touched(ctx, v, a.binding);
}

void pointer(Context &ctx, Form form, GLuint index, GLint size, GLenum type, GLboolean normalized,
             GLsizei stride, const void *ptr, const char *func) {
    if (!check_attrib(ctx, index, func))
        return;
    if (stride < 0 || (ctx.version >= 44 && stride > ctx.limits().attrib_stride))
        return error(ctx, GL_INVALID_VALUE, "%s(stride %d)", func, stride);
    if (!check_format(ctx, form, size, type, normalized, func))
        return;
    VertexArray *v = bound_vao(ctx, func);
    if (!v)
        return;
    Buffer *b = ctx.buffers->array.get();
    if (!b && ptr)
        return error(ctx, GL_INVALID_OPERATION, "%s(no array buffer is bound)", func);
    set_format(ctx, *v, index, form, size, type, normalized, 0);
    v->attrib[index].pointer_stride = stride;
    v->attrib[index].pointer = ptr;
    set_attrib_binding(ctx, *v, index, index);
    set_buffer(ctx, *v, index, b, GLintptr(ptr),
               stride ? stride : GLsizei(element_bytes(size, type)));
}

void format(Context &ctx, VertexArray *v, Form form, GLuint index, GLint size, GLenum type,
            GLboolean normalized, GLuint offset, const char *func) {
    if (!v || !check_attrib(ctx, index, func) ||
        !check_format(ctx, form, size, type, normalized, func))
        return;
    if (offset > GLuint(ctx.limits().attrib_relative_offset))
        return error(ctx, GL_INVALID_VALUE, "%s(relative offset %u)", func, offset);
    set_format(ctx, *v, index, form, size, type, normalized, offset);
}

void vertex_buffer(Context &ctx, VertexArray *v, GLuint binding, GLuint name, GLintptr offset,
                   GLsizei stride, bool may_create, const char *func) {
    if (!v || !check_binding(ctx, binding, func))
        return;
    if (offset < 0 || stride < 0 || (ctx.version >= 44 && stride > ctx.limits().attrib_stride))
        return error(ctx, GL_INVALID_VALUE, "%s(offset %lld, stride %d)", func, (long long)offset,
                     stride);
    Buffer *b = nullptr;
    if (name && !(b = may_create ? create_or_find_buffer(ctx, name, func)
                                 : lookup_buffer_err(ctx, name, func)))
        return;
    set_buffer(ctx, *v, binding, b, offset, stride);
}

void vertex_buffers(Context &ctx, VertexArray *v, GLuint first, GLsizei count, const GLuint *names,
                    const GLintptr *offsets, const GLsizei *strides, const char *func) {
    if (!v)
        return;
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(count %d)", func, count);
    if (uint64_t(first) + uint64_t(count) > uint64_t(ctx.limits().attrib_bindings))
        return error(ctx, GL_INVALID_OPERATION, "%s(%u + %d bindings)", func, first, count);
    for (GLsizei i = 0; i < count; i++) {
        GLuint slot = first + GLuint(i);
        if (!names || !names[i]) {
            set_buffer(ctx, *v, slot, nullptr, 0, 16);
            continue;
        }
        if (offsets[i] < 0 || strides[i] < 0 || strides[i] > ctx.limits().attrib_stride) {
            error(ctx, GL_INVALID_VALUE, "%s(offset or stride of binding %u)", func, slot);
            continue;
        }
        if (Buffer *b = lookup_buffer_err(ctx, names[i], func))
            set_buffer(ctx, *v, slot, b, offsets[i], strides[i]);
    }
}
} // namespace

// --- pointers ------------------------------------------------------------------------------------

void GL_ENTRY(VertexAttribPointer)(Context &ctx, GLuint index, GLint size, GLenum type,
                                   GLboolean normalized, GLsizei stride, const void *ptr) {
    pointer(ctx, form_float, index, size, type, normalized, stride, ptr, "glVertexAttribPointer");
}
void GL_ENTRY(VertexAttribIPointer)(Context &ctx, GLuint index, GLint size, GLenum type,
                                    GLsizei stride, const void *ptr) {
    pointer(ctx, form_int, index, size, type, GL_FALSE, stride, ptr, "glVertexAttribIPointer");
}
void GL_ENTRY(VertexAttribLPointer)(Context &ctx, GLuint index, GLint size, GLenum type,
                                    GLsizei stride, const void *ptr) {
    pointer(ctx, form_long, index, size, type, GL_FALSE, stride, ptr, "glVertexAttribLPointer");
}

// --- formats -------------------------------------------------------------------------------------

void GL_ENTRY(VertexAttribFormat)(Context &ctx, GLuint index, GLint size, GLenum type,
                                  GLboolean normalized, GLuint offset) {
    format(ctx, bound_vao(ctx, "glVertexAttribFormat"), form_float, index, size, type, normalized,
           offset, "glVertexAttribFormat");
}
void GL_ENTRY(VertexAttribIFormat)(Context &ctx, GLuint index, GLint size, GLenum type,
                                   GLuint offset) {
    format(ctx, bound_vao(ctx, "glVertexAttribIFormat"), form_int, index, size, type, GL_FALSE,
           offset, "glVertexAttribIFormat");
}
void GL_ENTRY(VertexAttribLFormat)(Context &ctx, GLuint index, GLint size, GLenum type,
                                   GLuint offset) {
    format(ctx, bound_vao(ctx, "glVertexAttribLFormat"), form_long, index, size, type, GL_FALSE,
           offset, "glVertexAttribLFormat");
}
void GL_ENTRY(VertexArrayAttribFormat)(Context &ctx, GLuint vao, GLuint index, GLint size,
                                       GLenum type, GLboolean normalized, GLuint offset) {
    format(ctx, lookup_vao_err(ctx, vao, "glVertexArrayAttribFormat"), form_float, index, size,
           type, normalized, offset, "glVertexArrayAttribFormat");
}
void GL_ENTRY(VertexArrayAttribIFormat)(Context &ctx, GLuint vao, GLuint index, GLint size,
                                        GLenum type, GLuint offset) {
    format(ctx, lookup_vao_err(ctx, vao, "glVertexArrayAttribIFormat"), form_int, index, size, type,
           GL_FALSE, offset, "glVertexArrayAttribIFormat");
}
void GL_ENTRY(VertexArrayAttribLFormat)(Context &ctx, GLuint vao, GLuint index, GLint size,
                                        GLenum type, GLuint offset) {
    format(ctx, lookup_vao_err(ctx, vao, "glVertexArrayAttribLFormat"), form_long, index, size,
           type, GL_FALSE, offset, "glVertexArrayAttribLFormat");
}

// --- binding points ------------------------------------------------------------------------------

void GL_ENTRY(VertexAttribBinding)(Context &ctx, GLuint index, GLuint binding) {
    VertexArray *v = bound_vao(ctx, "glVertexAttribBinding");
    if (v && check_attrib(ctx, index, "glVertexAttribBinding") &&
        check_binding(ctx, binding, "glVertexAttribBinding"))
        set_attrib_binding(ctx, *v, index, binding);
}
void GL_ENTRY(VertexArrayAttribBinding)(Context &ctx, GLuint vao, GLuint index, GLuint binding) {
    VertexArray *v = lookup_vao_err(ctx, vao, "glVertexArrayAttribBinding");
    if (v && check_attrib(ctx, index, "glVertexArrayAttribBinding") &&
        check_binding(ctx, binding, "glVertexArrayAttribBinding"))
        set_attrib_binding(ctx, *v, index, binding);
}
void GL_ENTRY(BindVertexBuffer)(Context &ctx, GLuint binding, GLuint name, GLintptr offset,
                                GLsizei stride) {
    vertex_buffer(ctx, bound_vao(ctx, "glBindVertexBuffer"), binding, name, offset, stride, true,
                  "glBindVertexBuffer");
}
void GL_ENTRY(VertexArrayVertexBuffer)(Context &ctx, GLuint vao, GLuint binding, GLuint name,
                                       GLintptr offset, GLsizei stride) {
    vertex_buffer(ctx, lookup_vao_err(ctx, vao, "glVertexArrayVertexBuffer"), binding, name, offset,
                  stride, false, "glVertexArrayVertexBuffer");
}
void GL_ENTRY(BindVertexBuffers)(Context &ctx, GLuint first, GLsizei count, const GLuint *names,
                                 const GLintptr *offsets, const GLsizei *strides) {
    vertex_buffers(ctx, bound_vao(ctx, "glBindVertexBuffers"), first, count, names, offsets,
                   strides, "glBindVertexBuffers");
}
void GL_ENTRY(VertexArrayVertexBuffers)(Context &ctx, GLuint vao, GLuint first, GLsizei count,
                                        const GLuint *names, const GLintptr *offsets,
                                        const GLsizei *strides) {
    vertex_buffers(ctx, lookup_vao_err(ctx, vao, "glVertexArrayVertexBuffers"), first, count, names,
                   offsets, strides, "glVertexArrayVertexBuffers");
}
void GL_ENTRY(VertexBindingDivisor)(Context &ctx, GLuint binding, GLuint divisor) {
    VertexArray *v = bound_vao(ctx, "glVertexBindingDivisor");
    if (v && check_binding(ctx, binding, "glVertexBindingDivisor"))
        set_divisor(ctx, *v, binding, divisor);
}
void GL_ENTRY(VertexArrayBindingDivisor)(Context &ctx, GLuint vao, GLuint binding, GLuint divisor) {
    VertexArray *v = lookup_vao_err(ctx, vao, "glVertexArrayBindingDivisor");
    if (v && check_binding(ctx, binding, "glVertexArrayBindingDivisor"))
        set_divisor(ctx, *v, binding, divisor);
}
void GL_ENTRY(VertexAttribDivisor)(Context &ctx, GLuint index, GLuint divisor) {
    if (!check_attrib(ctx, index, "glVertexAttribDivisor"))
        return;
    if (VertexArray *v = bound_vao(ctx, "glVertexAttribDivisor")) {
        set_attrib_binding(ctx, *v, index, index);
        set_divisor(ctx, *v, index, divisor);
    }
}

// --- enables -------------------------------------------------------------------------------------

// Without a vertex array object too: OpenGL 3.3 names no error, and the Khronos suite does it.
void GL_ENTRY(EnableVertexAttribArray)(Context &ctx, GLuint index) {
    if (check_attrib(ctx, index, "glEnableVertexAttribArray"))
        set_enabled(ctx, *ctx.vertex_array->vao, index, true);
}
void GL_ENTRY(DisableVertexAttribArray)(Context &ctx, GLuint index) {
    if (check_attrib(ctx, index, "glDisableVertexAttribArray"))
        set_enabled(ctx, *ctx.vertex_array->vao, index, false);
}
void GL_ENTRY(EnableVertexArrayAttrib)(Context &ctx, GLuint vao, GLuint index) {
    if (VertexArray *v = lookup_vao_err(ctx, vao, "glEnableVertexArrayAttrib"))
        if (check_attrib(ctx, index, "glEnableVertexArrayAttrib"))
            set_enabled(ctx, *v, index, true);
}
void GL_ENTRY(DisableVertexArrayAttrib)(Context &ctx, GLuint vao, GLuint index) {
    if (VertexArray *v = lookup_vao_err(ctx, vao, "glDisableVertexArrayAttrib"))
        if (check_attrib(ctx, index, "glDisableVertexArrayAttrib"))
            set_enabled(ctx, *v, index, false);
}
} // namespace gl
