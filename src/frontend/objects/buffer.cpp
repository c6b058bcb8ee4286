// SPDX-License-Identifier: MIT
// Buffer objects: names, storage and data (GL 4.6 sections 6, 6.1, 6.2).
#include "objects/buffer.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

Buffer::~Buffer() {
    st::buffer_destroy(*this);
}

Buffer *lookup_buffer(Context &ctx, GLuint name) {
    return name ? ctx.group->buffers.find(name) : nullptr;
}

Buffer *lookup_buffer_err(Context &ctx, GLuint name, const char *func) {
    Buffer *b = lookup_buffer(ctx, name);
    if (!b)
        error(ctx, GL_INVALID_OPERATION, "%s(no buffer object %u)", func, name);
    return b;
}

static Buffer *new_buffer(Context &ctx, GLuint name) {
    auto *b = new Buffer;
    b->group = ctx.group.get();
    return ctx.group->buffers.insert(name, b);
}

Buffer *create_or_find_buffer(Context &ctx, GLuint name, const char *func) {
    if (Buffer *b = lookup_buffer(ctx, name))
        return b;
    if (!ctx.group->buffers.known(name)) {
        error(ctx, GL_INVALID_OPERATION, "%s(name %u was not generated)", func, name);
        return nullptr;
    }
    return new_buffer(ctx, name);
}

Buffer *buffer_at_target(Context &ctx, GLenum target, const char *func, GLenum unbound) {
    const Ref<Buffer> *p = binding_point(ctx, target);
    if (!p) {
        error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
        return nullptr;
    }
    if (!*p)
        error(ctx, unbound, "%s(no buffer bound to %s)", func, enum_name(target));
    return p->get();
}

// Every group that ever held the buffer resolves its slots again, here and in the other contexts.
void mark_buffer_storage(Context &ctx, Buffer &b) {
    b.version++;
    uint64_t groups = b.groups.load(std::memory_order_relaxed);
    if (groups & bit(G::vertex_array))
        ctx.slots.vertex_buffers.set_all();
    if (groups & bit(G::uniform_buffers))
        ctx.slots.uniform_buffers.set_all();
    if (groups & bit(G::storage_buffers))
        ctx.slots.storage_buffers.set_all();
    if (groups & bit(G::atomic_buffers))
        ctx.slots.atomic_buffers.set_all();
    if (groups & bit(G::textures))
        ctx.slots.textures.set_all();
    if (groups & bit(G::images))
        ctx.slots.images.set_all();
    for (; groups; groups &= groups - 1)
        object_changed(ctx, b, G(__builtin_ctzll(groups)));
}

// --- names ---------------------------------------------------------------------------------------

void GL_ENTRY(GenBuffers)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glGenBuffers(n %d)", n);
    ctx.group->buffers.gen(unsigned(n), names);
}

void GL_ENTRY(CreateBuffers)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glCreateBuffers(n %d)", n);
    ctx.group->buffers.gen(unsigned(n), names);
    for (GLsizei i = 0; i < n; i++)
        new_buffer(ctx, names[i]);
}

static void end_map(Context &ctx, Buffer &b) {
    if (!b.map)
        return;
    st::buffer_unmap(ctx, b);
    b.map = nullptr;
    b.map_offset = 0;
    b.map_length = 0;
    b.map_access = 0;
    object_changed(ctx, b, G::buffer_content);
}

void GL_ENTRY(DeleteBuffers)(Context &ctx, GLsizei n, const GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteBuffers(n %d)", n);
    for (GLsizei i = 0; i < n; i++) {
        Ref<Buffer> b = ctx.group->buffers.remove(names[i]);
        if (!b)
            continue;
        end_map(ctx, *b);
        unbind_deleted_buffer(ctx, *b);
    }
}

GLboolean GL_ENTRY(IsBuffer)(Context &ctx, GLuint name) {
    return lookup_buffer(ctx, name) != nullptr;
}

// --- storage -------------------------------------------------------------------------------------

namespace {
bool legal_usage(GLenum u) {
    switch (u) {
    case GL_STREAM_DRAW:
    case GL_STREAM_READ:
    case GL_STREAM_COPY:
    case GL_STATIC_DRAW:
    case GL_STATIC_READ:
    case GL_STATIC_COPY:
    case GL_DYNAMIC_DRAW:
    case GL_DYNAMIC_READ:
    case GL_DYNAMIC_COPY: return true;
    default: return false;
    }
}

void data(Context &ctx, Buffer &b, GLsizeiptr size, const void *bytes, GLenum usage,
          const char *func) {
    if (size < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(size %lld)", func, (long long)size);
    if (!legal_usage(usage))
        return error(ctx, GL_INVALID_ENUM, "%s(usage %s)", func, enum_name(usage));
    if (b.immutable)
        return error(ctx, GL_INVALID_OPERATION, "%s(storage of buffer %u is immutable)", func,
                     b.name);
    end_map(ctx, b);
    b.size = size;
    b.usage = usage;
    b.storage_flags = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_DYNAMIC_STORAGE_BIT;
    if (!st::buffer_storage(ctx, b, bytes))
        b.size = 0;
    mark_buffer_storage(ctx, b);
}

void storage(Context &ctx, Buffer &b, GLsizeiptr size, const void *bytes, GLbitfield flags,
             const char *func) {
    constexpr GLbitfield legal = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT |
                                 GL_MAP_COHERENT_BIT | GL_DYNAMIC_STORAGE_BIT |
                                 GL_CLIENT_STORAGE_BIT;
    if (size <= 0)
        return error(ctx, GL_INVALID_VALUE, "%s(size %lld)", func, (long long)size);
    if (flags & ~legal)
        return error(ctx, GL_INVALID_VALUE, "%s(flags 0x%x)", func, flags);
    if ((flags & GL_MAP_PERSISTENT_BIT) && !(flags & (GL_MAP_READ_BIT | GL_MAP_WRITE_BIT)))
        return error(ctx, GL_INVALID_VALUE, "%s(persistent without read or write)", func);
    if ((flags & GL_MAP_COHERENT_BIT) && !(flags & GL_MAP_PERSISTENT_BIT))
        return error(ctx, GL_INVALID_VALUE, "%s(coherent without persistent)", func);
    if (b.immutable)
        return error(ctx, GL_INVALID_OPERATION, "%s(storage of buffer %u is immutable)", func,
                     b.name);
    end_map(ctx, b);
    b.size = size;
    b.usage = GL_DYNAMIC_DRAW;
    b.storage_flags = flags;
    b.immutable = true;
    if (!st::buffer_storage(ctx, b, bytes)) {
        b.size = 0;
        b.immutable = false;
    }
    mark_buffer_storage(ctx, b);
}

void sub_data(Context &ctx, Buffer &b, GLintptr offset, GLsizeiptr size, const void *bytes,
              const char *func) {
    if (offset < 0 || size < 0 || offset > b.size - size)
        return error(ctx, GL_INVALID_VALUE, "%s(offset %lld, size %lld of %lld)", func,
                     (long long)offset, (long long)size, (long long)b.size);
    if (b.blocked(offset, size))
        return error(ctx, GL_INVALID_OPERATION, "%s(buffer %u is mapped)", func, b.name);
    if (b.immutable && !(b.storage_flags & GL_DYNAMIC_STORAGE_BIT))
        return error(ctx, GL_INVALID_OPERATION, "%s(buffer %u lacks GL_DYNAMIC_STORAGE_BIT)", func,
                     b.name);
    if (!size || !bytes)
        return;
    b.written_in_map = true;
    st::buffer_subdata(ctx, b, offset, size, bytes);
}

void invalidate(Context &ctx, GLuint name, bool whole, GLintptr offset, GLsizeiptr length,
                const char *func) {
    Buffer *b = lookup_buffer(ctx, name);
    if (!b)
        return error(ctx, GL_INVALID_VALUE, "%s(no buffer object %u)", func, name);
    if (whole)
        length = b->size;
    if (offset < 0 || length < 0 || offset > b->size - length)
        return error(ctx, GL_INVALID_VALUE, "%s(offset %lld, length %lld)", func, (long long)offset,
                     (long long)length);
    if (whole ? b->mapped_blocking() : b->blocked(offset, length))
        return error(ctx, GL_INVALID_OPERATION, "%s(buffer %u is mapped)", func, name);
    if (length)
        st::buffer_invalidate(ctx, *b, offset, length);
}
} // namespace

void GL_ENTRY(BufferData)(Context &ctx, GLenum target, GLsizeiptr size, const void *bytes,
                          GLenum usage) {
    if (Buffer *b = buffer_at_target(ctx, target, "glBufferData"))
        data(ctx, *b, size, bytes, usage, "glBufferData");
}
void GL_ENTRY(NamedBufferData)(Context &ctx, GLuint name, GLsizeiptr size, const void *bytes,
                               GLenum usage) {
    if (Buffer *b = lookup_buffer_err(ctx, name, "glNamedBufferData"))
        data(ctx, *b, size, bytes, usage, "glNamedBufferData");
}
void GL_ENTRY(BufferStorage)(Context &ctx, GLenum target, GLsizeiptr size, const void *bytes,
                             GLbitfield flags) {
    if (Buffer *b = buffer_at_target(ctx, target, "glBufferStorage"))
        storage(ctx, *b, size, bytes, flags, "glBufferStorage");
}
void GL_ENTRY(NamedBufferStorage)(Context &ctx, GLuint name, GLsizeiptr size, const void *bytes,
                                  GLbitfield flags) {
    if (Buffer *b = lookup_buffer_err(ctx, name, "glNamedBufferStorage"))
        storage(ctx, *b, size, bytes, flags, "glNamedBufferStorage");
}
void GL_ENTRY(BufferSubData)(Context &ctx, GLenum target, GLintptr offset, GLsizeiptr size,
                             const void *bytes) {
    if (Buffer *b = buffer_at_target(ctx, target, "glBufferSubData"))
        sub_data(ctx, *b, offset, size, bytes, "glBufferSubData");
}
void GL_ENTRY(NamedBufferSubData)(Context &ctx, GLuint name, GLintptr offset, GLsizeiptr size,
                                  const void *bytes) {
    if (Buffer *b = lookup_buffer_err(ctx, name, "glNamedBufferSubData"))
        sub_data(ctx, *b, offset, size, bytes, "glNamedBufferSubData");
}
void GL_ENTRY(InvalidateBufferData)(Context &ctx, GLuint name) {
    invalidate(ctx, name, true, 0, 0, "glInvalidateBufferData");
}
void GL_ENTRY(InvalidateBufferSubData)(Context &ctx, GLuint name, GLintptr offset,
                                       GLsizeiptr length) {
    invalidate(ctx, name, false, offset, length, "glInvalidateBufferSubData");
}
} // namespace gl
