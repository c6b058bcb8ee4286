// SPDX-License-Identifier: MIT
// Vertex array objects: names, binding, element buffer (GL 4.6 section 10.3.1).
#include "objects/vertex_array.h"

#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

VertexArray::~VertexArray() {
    st::vertex_array_destroy(*this);
}

VertexArray *lookup_vao(Context &ctx, GLuint name) {
    VertexArray *v = name ? ctx.vertex_arrays.find(name) : nullptr;
    return v && v->ever_bound ? v : nullptr;
}

VertexArray *lookup_vao_err(Context &ctx, GLuint name, const char *func) {
    VertexArray *v = lookup_vao(ctx, name);
    if (!v)
        error(ctx, GL_INVALID_OPERATION, "%s(no vertex array object %u)", func, name);
    return v;
}

VertexArray *bound_vao(Context &ctx, const char *func) {
    VertexArray *v = ctx.vertex_array->vao.get();
    if (v->name)
        return v;
    error(ctx, GL_INVALID_OPERATION, "%s(no vertex array object is bound)", func);
    return nullptr;
}

static void bind(Context &ctx, VertexArray *v) {
    if (ctx.vertex_array->vao == v)
        return;
    Writer w(ctx);
    w(ctx.vertex_array).vao = v;
    w.mark(G::index_buffer);
    ctx.slots.vertex_buffers.set_all();
}

void GL_ENTRY(GenVertexArrays)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glGenVertexArrays(n %d)", n);
    ctx.vertex_arrays.gen(unsigned(n), names);
}

void GL_ENTRY(CreateVertexArrays)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glCreateVertexArrays(n %d)", n);
    ctx.vertex_arrays.gen(unsigned(n), names);
    for (GLsizei i = 0; i < n; i++)
        ctx.vertex_arrays.insert(names[i], new VertexArray)->ever_bound = true;
}

void GL_ENTRY(DeleteVertexArrays)(Context &ctx, GLsizei n, const GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteVertexArrays(n %d)", n);
    for (GLsizei i = 0; i < n; i++)
        if (Ref<VertexArray> v = ctx.vertex_arrays.remove(names[i]);
            v && ctx.vertex_array->vao == v)
            bind(ctx, ctx.default_vao.get());
}

GLboolean GL_ENTRY(IsVertexArray)(Context &ctx, GLuint name) {
    return lookup_vao(ctx, name) != nullptr;
}

void GL_ENTRY(BindVertexArray)(Context &ctx, GLuint name) {
    if (!name)
        return bind(ctx, ctx.default_vao.get());
    VertexArray *v = ctx.vertex_arrays.find(name);
    if (!v) {
        if (!ctx.vertex_arrays.known(name))
            return error(ctx, GL_INVALID_OPERATION, "glBindVertexArray(name %u was not generated)",
                         name);
        v = ctx.vertex_arrays.insert(name, new VertexArray);
    }
    v->ever_bound = true;
    bind(ctx, v);
}

void GL_ENTRY(VertexArrayElementBuffer)(Context &ctx, GLuint name, GLuint buffer) {
    VertexArray *v = lookup_vao_err(ctx, name, "glVertexArrayElementBuffer");
    if (!v)
        return;
    Buffer *b = nullptr;
    if (buffer && !(b = lookup_buffer_err(ctx, buffer, "glVertexArrayElementBuffer")))
        return;
    if (v->index_buffer == b)
        return;
    v->index_buffer = b;
    v->version++;
    if (b) {
        note_bound(ctx, *b);
        note_buffer_use(*b, G::index_buffer);
    }
    if (ctx.vertex_array->vao == v)
        Writer(ctx).mark(G::index_buffer);
}
} // namespace gl
