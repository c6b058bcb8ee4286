// SPDX-License-Identifier: MIT
// Buffer binding points, single and indexed (GL 4.6 section 6.1, 6.1.1), and what deletion takes
// out of them.
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {
namespace {

Ref<Buffer> BufferBindings::*plain_point(GLenum target) {
    switch (target) {
    case GL_ARRAY_BUFFER: return &BufferBindings::array;
    case GL_COPY_READ_BUFFER: return &BufferBindings::copy_read;
    case GL_COPY_WRITE_BUFFER: return &BufferBindings::copy_write;
    case GL_PIXEL_PACK_BUFFER: return &BufferBindings::pixel_pack;
    case GL_PIXEL_UNPACK_BUFFER: return &BufferBindings::pixel_unpack;
    case GL_DRAW_INDIRECT_BUFFER: return &BufferBindings::draw_indirect;
    case GL_DISPATCH_INDIRECT_BUFFER: return &BufferBindings::dispatch_indirect;
    case GL_TEXTURE_BUFFER: return &BufferBindings::texture;
    case GL_QUERY_BUFFER: return &BufferBindings::query;
    case GL_PARAMETER_BUFFER: return &BufferBindings::parameter;
    case GL_TRANSFORM_FEEDBACK_BUFFER: return &BufferBindings::xfb;
    default: return nullptr;
    }
}

bool target_offered(const Context &ctx, GLenum target) {
    switch (target) {
    case GL_DRAW_INDIRECT_BUFFER: return ctx.has().draw_indirect;
    case GL_DISPATCH_INDIRECT_BUFFER: return ctx.has().compute;
    case GL_QUERY_BUFFER: return ctx.has().query_buffer;
    case GL_PARAMETER_BUFFER: return ctx.has().indirect_parameters;
    default: return true;
    }
}

void bind_generic(Context &ctx, GLenum target, Buffer *b) {
    Writer w(ctx);
    if (b)
        note_bound(ctx, *b);
    switch (target) {
    case GL_ELEMENT_ARRAY_BUFFER: {
        VertexArray &v = *ctx.vertex_array->vao;
        if (v.index_buffer == b)
            return;
        v.index_buffer = b;
        v.version++;
        if (b)
            note_buffer_use(*b, G::index_buffer);
        w.mark(G::index_buffer);
        return;
    }
    case GL_UNIFORM_BUFFER: w.quiet(ctx.ubo).generic = b; return;
    case GL_SHADER_STORAGE_BUFFER: w.quiet(ctx.ssbo).generic = b; return;
    case GL_ATOMIC_COUNTER_BUFFER: w.quiet(ctx.atomic).generic = b; return;
    default: {
        auto member = plain_point(target);
        if ((*ctx.buffers).*member == b)
            return;
        w(ctx.buffers).*member = b;
    }
    }
}

// --- indexed points ------------------------------------------------------------------------------

struct Indexed {
    GLenum target;
    unsigned count;
    unsigned offset_alignment, size_alignment;
};

bool indexed_target(Context &ctx, GLenum target, Indexed &out) {
    const Limits &l = ctx.limits();
    switch (target) {
    case GL_UNIFORM_BUFFER:
        out = {target, unsigned(l.uniform_bindings), unsigned(l.uniform_alignment), 1};
        break;
    case GL_SHADER_STORAGE_BUFFER:
        out = {target, unsigned(l.storage_bindings), unsigned(l.storage_alignment), 1};
        break;
    case GL_ATOMIC_COUNTER_BUFFER: out = {target, unsigned(l.atomic_bindings), 4, 1}; break;
    case GL_TRANSFORM_FEEDBACK_BUFFER: out = {target, unsigned(l.xfb_buffers), 4, 4}; break;
    default: return false;
    }
    return true;
}

void set_slot(Context &ctx, GLenum target, unsigned i, const BufferRange &r) {
    Writer w(ctx);
    if (r.buffer)
        note_bound(ctx, *r.buffer);
    G group = G::uniform_buffers;
    switch (target) {
    case GL_UNIFORM_BUFFER:
        if (ctx.ubo->slot[i] == r)
            return;
        w(ctx.ubo).slot[i] = r;
        ctx.slots.uniform_buffers.set(i);
        break;
    case GL_SHADER_STORAGE_BUFFER:
        group = G::storage_buffers;
        if (ctx.ssbo->slot[i] == r)
            return;
        w(ctx.ssbo).slot[i] = r;
        ctx.slots.storage_buffers.set(i);
        break;
    case GL_ATOMIC_COUNTER_BUFFER:
        group = G::atomic_buffers;
        if (ctx.atomic->slot[i] == r)
            return;
        w(ctx.atomic).slot[i] = r;
        ctx.slots.atomic_buffers.set(i);
        break;
    default: {
        group = G::xfb;
        TransformFeedback &x = *ctx.xfb->object;
        if (x.slot[i] == r)
            return;
        x.slot[i] = r;
        x.version++;
        w.mark(G::xfb);
    }
    }
    if (r.buffer)
        note_buffer_use(*r.buffer, group);
}

bool xfb_active(Context &ctx, GLenum target, const char *func) {
    if (target != GL_TRANSFORM_FEEDBACK_BUFFER || !ctx.xfb->object->active)
        return false;
    error(ctx, GL_INVALID_OPERATION, "%s(transform feedback is active)", func);
    return true;
}

const char *check_range(const Indexed &t, GLintptr offset, GLsizeiptr size) {
    if (offset < 0)
        return "negative offset";
    if (size <= 0)
        return "size not positive";
    if (offset % GLintptr(t.offset_alignment))
        return "offset not aligned";
    if (size % GLsizeiptr(t.size_alignment))
        return "size not aligned";
    return nullptr;
}

void bind_indexed(Context &ctx, GLenum target, GLuint index, GLuint name, bool whole,
                  GLintptr offset, GLsizeiptr size, const char *func) {
    Indexed t;
    if (!indexed_target(ctx, target, t))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (xfb_active(ctx, target, func))
        return;
    if (index >= t.count)
        return error(ctx, GL_INVALID_VALUE, "%s(index %u)", func, index);
    Buffer *b = nullptr;
    if (name) {
        if (!whole)
            if (const char *reason = check_range(t, offset, size))
                return error(ctx, GL_INVALID_VALUE, "%s(%s: %lld, %lld)", func, reason,
                             (long long)offset, (long long)size);
        b = create_or_find_buffer(ctx, name, func);
        if (!b)
            return;
    }
    BufferRange r{b, b && !whole ? offset : 0, b && !whole ? size : 0, !b || whole};
    bind_generic(ctx, target, b);
    set_slot(ctx, target, index, r);
}

void bind_multi(Context &ctx, GLenum target, GLuint first, GLsizei count, const GLuint *names,
                const GLintptr *offsets, const GLsizeiptr *sizes, bool ranges, const char *func) {
    Indexed t;
    if (!indexed_target(ctx, target, t))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (xfb_active(ctx, target, func))
        return;
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(count %d)", func, count);
    if (uint64_t(first) + uint64_t(count) > t.count)
        return error(ctx, GL_INVALID_OPERATION, "%s(%u + %d bindings of %u)", func, first, count,
                     t.count);
    for (GLsizei i = 0; i < count; i++) { // a bad binding is skipped, the others take effect
        Buffer *b = names && names[i] ? lookup_buffer(ctx, names[i]) : nullptr;
        if (names && names[i] && !b) {
            error(ctx, GL_INVALID_OPERATION, "%s(no buffer object %u)", func, names[i]);
            continue;
        }
        BufferRange r{b, 0, 0, true};
        if (b && ranges) {
            if (const char *reason = check_range(t, offsets[i], sizes[i])) {
                error(ctx, GL_INVALID_VALUE, "%s(%s)", func, reason);
                continue;
            }
            r.offset = offsets[i];
            r.size = sizes[i];
            r.whole = false;
        }
        set_slot(ctx, target, first + unsigned(i), r);
    }
}
} // namespace

const Ref<Buffer> *binding_point(Context &ctx, GLenum target) {
    switch (target) {
    case GL_ELEMENT_ARRAY_BUFFER: return &ctx.vertex_array->vao->index_buffer;
    case GL_UNIFORM_BUFFER: return &ctx.ubo->generic;
    case GL_SHADER_STORAGE_BUFFER: return ctx.has().storage_buffers ? &ctx.ssbo->generic : nullptr;
    case GL_ATOMIC_COUNTER_BUFFER:
        return ctx.has().atomic_counters ? &ctx.atomic->generic : nullptr;
    default: break;
    }
    auto member = plain_point(target);
    return member && target_offered(ctx, target) ? &((*ctx.buffers).*member) : nullptr;
}

void unbind_deleted_buffer(Context &ctx, Buffer &b) {
    Writer w(ctx);
    const BufferBindings &p = *ctx.buffers;
    for (auto member : {&BufferBindings::array, &BufferBindings::copy_read,
                        &BufferBindings::copy_write, &BufferBindings::pixel_pack,
                        &BufferBindings::pixel_unpack, &BufferBindings::draw_indirect,
                        &BufferBindings::dispatch_indirect, &BufferBindings::texture,
                        &BufferBindings::query, &BufferBindings::parameter, &BufferBindings::xfb})
        if (p.*member == &b)
            w(ctx.buffers).*member = nullptr;
    VertexArray &v = *ctx.vertex_array->vao;
    if (v.index_buffer == &b) {
        v.index_buffer.reset();
        v.version++;
        w.mark(G::index_buffer);
    }
    for (unsigned i = 0; i < kMaxVertexBindings; i++)
        if (v.binding[i].buffer == &b) {
            v.binding[i].buffer.reset();
            v.version++;
            ctx.slots.vertex_buffers.set(i);
            w.mark(G::vertex_array);
        }
    if (ctx.ubo->generic == &b)
        w.quiet(ctx.ubo).generic.reset();
    if (ctx.ssbo->generic == &b)
        w.quiet(ctx.ssbo).generic.reset();
    if (ctx.atomic->generic == &b)
        w.quiet(ctx.atomic).generic.reset();
    for (unsigned i = 0; i < kMaxUniformBuffers; i++)
        if (ctx.ubo->slot[i].buffer == &b)
            set_slot(ctx, GL_UNIFORM_BUFFER, i, {});
    for (unsigned i = 0; i < kMaxStorageBuffers; i++)
        if (ctx.ssbo->slot[i].buffer == &b)
            set_slot(ctx, GL_SHADER_STORAGE_BUFFER, i, {});
    for (unsigned i = 0; i < kMaxAtomicBuffers; i++)
        if (ctx.atomic->slot[i].buffer == &b)
            set_slot(ctx, GL_ATOMIC_COUNTER_BUFFER, i, {});
    for (unsigned i = 0; i < kMaxXfbBuffers; i++)
        if (ctx.xfb->object->slot[i].buffer == &b && !ctx.xfb->object->active)
            set_slot(ctx, GL_TRANSFORM_FEEDBACK_BUFFER, i, {});
}

void GL_ENTRY(BindBuffer)(Context &ctx, GLenum target, GLuint name) {
    if (!binding_point(ctx, target))
        return error(ctx, GL_INVALID_ENUM, "glBindBuffer(target %s)", enum_name(target));
    Buffer *b = nullptr;
    if (name && !(b = create_or_find_buffer(ctx, name, "glBindBuffer")))
        return;
    bind_generic(ctx, target, b);
}
void GL_ENTRY(BindBufferBase)(Context &ctx, GLenum target, GLuint index, GLuint name) {
    bind_indexed(ctx, target, index, name, true, 0, 0, "glBindBufferBase");
}
void GL_ENTRY(BindBufferRange)(Context &ctx, GLenum target, GLuint index, GLuint name,
                               GLintptr offset, GLsizeiptr size) {
    bind_indexed(ctx, target, index, name, false, offset, size, "glBindBufferRange");
}
// EXT_transform_feedback: from the offset to the end of the buffer.
void GL_ENTRY(BindBufferOffsetEXT)(Context &ctx, GLenum target, GLuint index, GLuint name,
                                   GLintptr offset) {
    if (target != GL_TRANSFORM_FEEDBACK_BUFFER)
        return error(ctx, GL_INVALID_ENUM, "glBindBufferOffsetEXT(target %s)", enum_name(target));
    const Buffer *b = name ? lookup_buffer(ctx, name) : nullptr;
    const GLsizeiptr left = b ? (b->size - offset) & ~GLsizeiptr(3) : 0;
    bind_indexed(ctx, target, index, name, false, offset, left, "glBindBufferOffsetEXT");
}
void GL_ENTRY(BindBuffersBase)(Context &ctx, GLenum target, GLuint first, GLsizei count,
                               const GLuint *names) {
    bind_multi(ctx, target, first, count, names, nullptr, nullptr, false, "glBindBuffersBase");
}
void GL_ENTRY(BindBuffersRange)(Context &ctx, GLenum target, GLuint first, GLsizei count,
                                const GLuint *names, const GLintptr *offsets,
                                const GLsizeiptr *sizes) {
    bind_multi(ctx, target, first, count, names, offsets, sizes, names != nullptr,
               "glBindBuffersRange");
}
} // namespace gl
