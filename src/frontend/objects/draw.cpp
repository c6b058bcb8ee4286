// SPDX-License-Identifier: MIT
// Draws whose parameters come from the program's memory (GL 4.6 section 10.4).
#include "objects/draw.h"

#include "glapi/gl_api.h"

namespace gl {

void mode_error(Context &ctx, GLenum mode, bool indexed, const char *func) {
    if (mode > GL_PATCHES || (mode > GL_TRIANGLE_FAN && mode < GL_LINES_ADJACENCY) ||
        (mode == GL_PATCHES && !ctx.has().tessellation))
        return error(ctx, GL_INVALID_ENUM, "%s(mode %s)", func, enum_name(mode));
    if (ctx.draw_error == GL_NO_ERROR)
        return;
    const Context::DrawCheck &c = ctx.draw_check;
    const char *reason = ctx.draw_error == GL_CONTEXT_LOST ? "the context is lost"
                         : !c.framebuffer                  ? "the framebuffer is incomplete"
                         : !ctx.vertex_array->vao->name    ? "no vertex array object is bound"
                         : !c.arrays                       ? "a vertex buffer is mapped"
                         : indexed && !c.indexed           ? "the element array buffer is mapped"
                         : !c.program ? "the program cannot be used in this state"
                                      : "the mode does not go with the program or the capture";
    error(ctx, ctx.draw_error, "%s(%s)", func, reason);
}

namespace {

[[gnu::cold]] void bad_value(Context &ctx, const char *func, const char *what, GLint value) {
    error(ctx, GL_INVALID_VALUE, "%s(%s %d)", func, what, value);
}

inline void arrays(Context &ctx, GLenum mode, GLint first, GLsizei count, GLsizei instances,
                   GLuint base_instance, const char *func) {
    if (first < 0) // ahead of the state, of which contexts without a vertex array object have none
        return bad_value(ctx, func, "first", first);
    if (!mode_ok(ctx, mode, false, func))
        return;
    if (count < 0)
        return bad_value(ctx, func, "count", count);
    if (instances < 0)
        return bad_value(ctx, func, "instances", instances);
    if (!count || !instances)
        return;
    st::DrawInfo info{.mode = mode,
                      .first = uint32_t(first),
                      .count = uint32_t(count),
                      .instances = uint32_t(instances),
                      .base_instance = base_instance};
    st::draw(ctx, info);
}

inline bool elements_ok(Context &ctx, GLenum mode, GLsizei count, GLenum type, unsigned &size,
                        const char *func) {
    if (!mode_ok(ctx, mode, true, func))
        return false;
    size = index_bytes(type);
    if (!size) {
        error(ctx, GL_INVALID_ENUM, "%s(type %s)", func, enum_name(type));
        return false;
    }
    if (count < 0) {
        bad_value(ctx, func, "count", count);
        return false;
    }
    return true;
}

// Offsets that are no multiple of the index size are undefined in GL; they are rounded down.
inline uint32_t first_index(const void *offset, unsigned size) {
    return uint32_t(uintptr_t(offset) / size);
}

// Core contexts too take indices from the program's memory, as the drivers do that programs are
// written on: the specification names no error.
[[gnu::cold]] void client_elements(Context &ctx, st::DrawInfo &info, const void *indices,
                                   const char *func) {
    if (!indices)
        return error(ctx, GL_INVALID_OPERATION, "%s(no element array buffer and no indices)", func);
    info.first = 0;
    info.user_indices = indices;
    st::draw(ctx, info);
}

inline void elements(Context &ctx, GLenum mode, GLsizei count, GLenum type, const void *offset,
                     GLsizei instances, GLint base_vertex, GLuint base_instance, const char *func) {
    unsigned size;
    if (!elements_ok(ctx, mode, count, type, size, func))
        return;
    if (instances < 0)
        return bad_value(ctx, func, "instances", instances);
    if (!count || !instances)
        return;
    st::DrawInfo info{.mode = mode,
                      .first = first_index(offset, size),
                      .count = uint32_t(count),
                      .instances = uint32_t(instances),
                      .base_instance = base_instance,
                      .base_vertex = base_vertex,
                      .index_size = uint8_t(size)};
    if (ctx.client_indices) [[unlikely]]
        return client_elements(ctx, info, offset, func);
    st::draw(ctx, info);
}

inline void range_elements(Context &ctx, GLenum mode, GLuint start, GLuint end, GLsizei count,
                           GLenum type, const void *offset, GLint base_vertex, const char *func) {
    unsigned size;
    if (!elements_ok(ctx, mode, count, type, size, func))
        return;
    if (end < start)
        return error(ctx, GL_INVALID_VALUE, "%s(end %u before start %u)", func, end, start);
    if (!count)
        return;
    st::DrawInfo info{.mode = mode,
                      .first = first_index(offset, size),
                      .count = uint32_t(count),
                      .base_vertex = base_vertex,
                      .index_size = uint8_t(size),
                      .has_range = true,
                      .min_index = start,
                      .max_index = end};
    if (ctx.client_indices) [[unlikely]]
        return client_elements(ctx, info, offset, func);
    st::draw(ctx, info);
}

// Ranges of a multi-draw on the stack while they are few.
struct Ranges {
    st::DrawRange small[128];
    std::vector<st::DrawRange> large;
    st::DrawRange *data;
    explicit Ranges(GLsizei n) : data(small) {
        if (n > 128) {
            large.resize(size_t(n));
            data = large.data();
        }
    }
};

[[gnu::cold]] void multi_client_elements(Context &ctx, st::DrawInfo &info, const GLsizei *counts,
                                         const void *const *indices, GLsizei draws,
                                         const GLint *base_vertices, const char *func) {
    for (GLsizei i = 0; i < draws; i++) {
        if (!counts[i])
            continue;
        info.count = uint32_t(counts[i]);
        info.base_vertex = base_vertices ? base_vertices[i] : 0;
        info.draw_id = uint32_t(i);
        client_elements(ctx, info, indices[i], func);
    }
}

void multi_elements(Context &ctx, GLenum mode, const GLsizei *counts, GLenum type,
                    const void *const *offsets, GLsizei draws, const GLint *base_vertices,
                    const char *func) {
    unsigned size;
    if (!elements_ok(ctx, mode, 0, type, size, func))
        return;
    if (draws < 0)
        return bad_value(ctx, func, "drawcount", draws);
    for (GLsizei i = 0; i < draws; i++)
        if (counts[i] < 0)
            return bad_value(ctx, func, "count", counts[i]);
    if (!draws)
        return;
    st::DrawInfo info{.mode = mode, .first = 0, .count = 0, .index_size = uint8_t(size)};
    if (ctx.client_indices) [[unlikely]]
        return multi_client_elements(ctx, info, counts, offsets, draws, base_vertices, func);
    Ranges r(draws);
    for (GLsizei i = 0; i < draws; i++)
        r.data[i] = {first_index(offsets[i], size), uint32_t(counts[i]),
                     base_vertices ? base_vertices[i] : 0};
    st::multi_draw(ctx, info, r.data, uint32_t(draws));
}
} // namespace

void GL_ENTRY(DrawArrays)(Context &ctx, GLenum mode, GLint first, GLsizei count) {
    arrays(ctx, mode, first, count, 1, 0, "glDrawArrays");
}
void GL_ENTRY(DrawArraysInstanced)(Context &ctx, GLenum mode, GLint first, GLsizei count,
                                   GLsizei instances) {
    arrays(ctx, mode, first, count, instances, 0, "glDrawArraysInstanced");
}
void GL_ENTRY(DrawArraysInstancedBaseInstance)(Context &ctx, GLenum mode, GLint first,
                                               GLsizei count, GLsizei instances, GLuint base) {
    if (base && !ctx.has().base_instance)
        return error(ctx, GL_INVALID_OPERATION, "glDrawArraysInstancedBaseInstance(not supported)");
    arrays(ctx, mode, first, count, instances, base, "glDrawArraysInstancedBaseInstance");
}
void GL_ENTRY(DrawElements)(Context &ctx, GLenum mode, GLsizei count, GLenum type,
                            const void *offset) {
    elements(ctx, mode, count, type, offset, 1, 0, 0, "glDrawElements");
}
void GL_ENTRY(DrawElementsInstanced)(Context &ctx, GLenum mode, GLsizei count, GLenum type,
                                     const void *offset, GLsizei instances) {
    elements(ctx, mode, count, type, offset, instances, 0, 0, "glDrawElementsInstanced");
}
void GL_ENTRY(DrawElementsBaseVertex)(Context &ctx, GLenum mode, GLsizei count, GLenum type,
                                      const void *offset, GLint base_vertex) {
    elements(ctx, mode, count, type, offset, 1, base_vertex, 0, "glDrawElementsBaseVertex");
}
void GL_ENTRY(DrawElementsInstancedBaseVertex)(Context &ctx, GLenum mode, GLsizei count,
                                               GLenum type, const void *offset, GLsizei instances,
                                               GLint base_vertex) {
    elements(ctx, mode, count, type, offset, instances, base_vertex, 0,
             "glDrawElementsInstancedBaseVertex");
}
void GL_ENTRY(DrawElementsInstancedBaseInstance)(Context &ctx, GLenum mode, GLsizei count,
                                                 GLenum type, const void *offset, GLsizei instances,
                                                 GLuint base) {
    if (base && !ctx.has().base_instance)
        return error(ctx, GL_INVALID_OPERATION,
                     "glDrawElementsInstancedBaseInstance(not supported)");
    elements(ctx, mode, count, type, offset, instances, 0, base,
             "glDrawElementsInstancedBaseInstance");
}
void GL_ENTRY(DrawElementsInstancedBaseVertexBaseInstance)(Context &ctx, GLenum mode, GLsizei count,
                                                           GLenum type, const void *offset,
                                                           GLsizei instances, GLint base_vertex,
                                                           GLuint base) {
    if (base && !ctx.has().base_instance)
        return error(ctx, GL_INVALID_OPERATION,
                     "glDrawElementsInstancedBaseVertexBaseInstance(not supported)");
    elements(ctx, mode, count, type, offset, instances, base_vertex, base,
             "glDrawElementsInstancedBaseVertexBaseInstance");
}
void GL_ENTRY(DrawRangeElements)(Context &ctx, GLenum mode, GLuint start, GLuint end, GLsizei count,
                                 GLenum type, const void *offset) {
    range_elements(ctx, mode, start, end, count, type, offset, 0, "glDrawRangeElements");
}
void GL_ENTRY(DrawRangeElementsBaseVertex)(Context &ctx, GLenum mode, GLuint start, GLuint end,
                                           GLsizei count, GLenum type, const void *offset,
                                           GLint base_vertex) {
    range_elements(ctx, mode, start, end, count, type, offset, base_vertex,
                   "glDrawRangeElementsBaseVertex");
}

void GL_ENTRY(MultiDrawArrays)(Context &ctx, GLenum mode, const GLint *firsts,
                               const GLsizei *counts, GLsizei draws) {
    if (!mode_ok(ctx, mode, false, "glMultiDrawArrays"))
        return;
    if (draws < 0)
        return bad_value(ctx, "glMultiDrawArrays", "drawcount", draws);
    for (GLsizei i = 0; i < draws; i++) {
        if (counts[i] < 0)
            return bad_value(ctx, "glMultiDrawArrays", "count", counts[i]);
        if (firsts[i] < 0)
            return bad_value(ctx, "glMultiDrawArrays", "first", firsts[i]);
    }
    if (!draws)
        return;
    Ranges r(draws);
    for (GLsizei i = 0; i < draws; i++)
        r.data[i] = {uint32_t(firsts[i]), uint32_t(counts[i]), 0};
    st::DrawInfo info{.mode = mode, .first = 0, .count = 0};
    st::multi_draw(ctx, info, r.data, uint32_t(draws));
}
void GL_ENTRY(MultiDrawElements)(Context &ctx, GLenum mode, const GLsizei *counts, GLenum type,
                                 const void *const *offsets, GLsizei draws) {
    multi_elements(ctx, mode, counts, type, offsets, draws, nullptr, "glMultiDrawElements");
}
void GL_ENTRY(MultiDrawElementsBaseVertex)(Context &ctx, GLenum mode, const GLsizei *counts,
                                           GLenum type, const void *const *offsets, GLsizei draws,
                                           const GLint *base_vertices) {
    multi_elements(ctx, mode, counts, type, offsets, draws, base_vertices,
                   "glMultiDrawElementsBaseVertex");
}
} // namespace gl
