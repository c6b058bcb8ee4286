// SPDX-License-Identifier: MIT
// Draws and dispatches whose parameters come from buffers or captures (GL 4.6
// sections 10.4, 13.3.3, 19), and memory barriers.
#include "glapi/gl_api.h"
#include "objects/draw.h"

namespace gl {
namespace {

// `bytes` at `offset` of the buffer: exists, fits, is not mapped, aligned to 4. False after an
// error.
bool check_source(Context &ctx, const Buffer *b, uint64_t offset, uint64_t bytes,
                  const char *func) {
    const char *reason = nullptr;
    if (offset & 3) {
        error(ctx, GL_INVALID_VALUE, "%s(offset %llu is not aligned)", func,
              (unsigned long long)offset);
        return false;
    }
    if (!b)
        reason = "no buffer is bound";
    else if (b->mapped_blocking())
        reason = "the buffer is mapped";
    else if (offset > uint64_t(b->size) || bytes > uint64_t(b->size) - offset)
        reason = "reads beyond the buffer";
    if (reason)
        error(ctx, GL_INVALID_OPERATION, "%s(%s)", func, reason);
    return !reason;
}

void indirect(Context &ctx, GLenum mode, GLenum type, const void *offset, GLsizei draws,
              GLsizei stride, bool counted, GLintptr count_offset, const char *func) {
    unsigned size = type ? index_bytes(type) : 0;
    if (type && !size)
        return error(ctx, GL_INVALID_ENUM, "%s(type %s)", func, enum_name(type));
    if (!mode_ok(ctx, mode, size != 0, func))
        return;
    if (size && ctx.client_indices)
        return error(ctx, GL_INVALID_OPERATION, "%s(no element array buffer)", func);
    if (draws < 0 || stride < 0 || (stride & 3))
        return error(ctx, GL_INVALID_VALUE, "%s(drawcount %d, stride %d)", func, draws, stride);
    unsigned block = size ? 20 : 16;
    uint64_t step = stride ? uint64_t(stride) : block;
    uint64_t bytes = draws ? step * uint64_t(draws - 1) + block : 0;
    Buffer *b = ctx.buffers->draw_indirect.get(),
           *counts = counted ? ctx.buffers->parameter.get() : nullptr;
    if (!check_source(ctx, b, uint64_t(uintptr_t(offset)), bytes, func))
        return;
    if (counted && !check_source(ctx, counts, uint64_t(count_offset), 4, func))
        return;
    if (!draws)
        return;
    st::IndirectDraw info{mode,
                          uint8_t(size),
                          b,
                          uint64_t(uintptr_t(offset)),
                          uint32_t(draws),
                          uint32_t(step),
                          counts,
                          uint64_t(count_offset)};
    if (!st::draw_indirect(ctx, info))
        error(ctx, GL_INVALID_OPERATION, "%s(not supported by the driver)", func);
}

void from_capture(Context &ctx, GLenum mode, GLuint name, GLuint stream, GLsizei instances,
                  const char *func) {
    TransformFeedback *x = name ? lookup_xfb(ctx, name) : ctx.default_xfb.get();
    if (!x)
        return error(ctx, GL_INVALID_VALUE, "%s(no transform feedback object %u)", func, name);
    if (stream >= GLuint(ctx.limits().vertex_streams))
        return error(ctx, GL_INVALID_VALUE, "%s(stream %u)", func, stream);
    if (instances < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(instances %d)", func, instances);
    if (!mode_ok(ctx, mode, false, func))
        return;
    if (!x->ended_once)
        return error(ctx, GL_INVALID_OPERATION, "%s(nothing was captured into object %u)", func,
                     name);
    if (instances && !st::draw_transform_feedback(ctx, mode, *x, stream, uint32_t(instances)))
        error(ctx, GL_INVALID_OPERATION, "%s(not supported by the driver)", func);
}

bool compute_ready(Context &ctx, const char *func) {
    const char *reason = nullptr;
    if (!ctx.has().compute) {
        reason = "not supported";
    } else {
        const Program *p = program_at(ctx, Stage::compute);
        if (!p || !p->linked)
            reason = "no program with a compute stage";
    }
    if (reason)
        error(ctx, GL_INVALID_OPERATION, "%s(%s)", func, reason);
    return !reason;
}
} // namespace

void GL_ENTRY(DrawArraysIndirect)(Context &ctx, GLenum mode, const void *offset) {
    indirect(ctx, mode, 0, offset, 1, 0, false, 0, "glDrawArraysIndirect");
}
void GL_ENTRY(DrawElementsIndirect)(Context &ctx, GLenum mode, GLenum type, const void *offset) {
    indirect(ctx, mode, type ? type : 1, offset, 1, 0, false, 0, "glDrawElementsIndirect");
}
void GL_ENTRY(MultiDrawArraysIndirect)(Context &ctx, GLenum mode, const void *offset, GLsizei draws,
                                       GLsizei stride) {
    indirect(ctx, mode, 0, offset, draws, stride, false, 0, "glMultiDrawArraysIndirect");
}
void GL_ENTRY(MultiDrawElementsIndirect)(Context &ctx, GLenum mode, GLenum type, const void *offset,
                                         GLsizei draws, GLsizei stride) {
    indirect(ctx, mode, type ? type : 1, offset, draws, stride, false, 0,
             "glMultiDrawElementsIndirect");
}
void GL_ENTRY(MultiDrawArraysIndirectCount)(Context &ctx, GLenum mode, const void *offset,
                                            GLintptr count, GLsizei max, GLsizei stride) {
    if (!ctx.has().indirect_parameters)
        return error(ctx, GL_INVALID_OPERATION, "glMultiDrawArraysIndirectCount(not supported)");
    indirect(ctx, mode, 0, offset, max, stride, true, count, "glMultiDrawArraysIndirectCount");
}
void GL_ENTRY(MultiDrawElementsIndirectCount)(Context &ctx, GLenum mode, GLenum type,
                                              const void *offset, GLintptr count, GLsizei max,
                                              GLsizei stride) {
    if (!ctx.has().indirect_parameters)
        return error(ctx, GL_INVALID_OPERATION, "glMultiDrawElementsIndirectCount(not supported)");
    indirect(ctx, mode, type ? type : 1, offset, max, stride, true, count,
             "glMultiDrawElementsIndirectCount");
}

void GL_ENTRY(DrawTransformFeedback)(Context &ctx, GLenum mode, GLuint name) {
    from_capture(ctx, mode, name, 0, 1, "glDrawTransformFeedback");
}
void GL_ENTRY(DrawTransformFeedbackInstanced)(Context &ctx, GLenum mode, GLuint name,
                                              GLsizei instances) {
    from_capture(ctx, mode, name, 0, instances, "glDrawTransformFeedbackInstanced");
}
void GL_ENTRY(DrawTransformFeedbackStream)(Context &ctx, GLenum mode, GLuint name, GLuint stream) {
    from_capture(ctx, mode, name, stream, 1, "glDrawTransformFeedbackStream");
}
void GL_ENTRY(DrawTransformFeedbackStreamInstanced)(Context &ctx, GLenum mode, GLuint name,
                                                    GLuint stream, GLsizei instances) {
    from_capture(ctx, mode, name, stream, instances, "glDrawTransformFeedbackStreamInstanced");
}

void GL_ENTRY(DispatchCompute)(Context &ctx, GLuint x, GLuint y, GLuint z) {
    if (!compute_ready(ctx, "glDispatchCompute"))
        return;
    const GLint *max = ctx.limits().compute_count;
    if (x > GLuint(max[0]) || y > GLuint(max[1]) || z > GLuint(max[2]))
        return error(ctx, GL_INVALID_VALUE, "glDispatchCompute(%u x %u x %u groups)", x, y, z);
    if (x && y && z && !st::dispatch(ctx, x, y, z))
        error(ctx, GL_INVALID_OPERATION, "glDispatchCompute(not supported by the driver)");
}
void GL_ENTRY(DispatchComputeIndirect)(Context &ctx, GLintptr offset) {
    if (!compute_ready(ctx, "glDispatchComputeIndirect"))
        return;
    if (offset < 0)
        return error(ctx, GL_INVALID_VALUE, "glDispatchComputeIndirect(offset %lld)",
                     (long long)offset);
    Buffer *b = ctx.buffers->dispatch_indirect.get();
    if (check_source(ctx, b, uint64_t(offset), 12, "glDispatchComputeIndirect") &&
        !st::dispatch_indirect(ctx, *b, uint64_t(offset)))
        error(ctx, GL_INVALID_OPERATION, "glDispatchComputeIndirect(not supported by the driver)");
}

void GL_ENTRY(MemoryBarrier)(Context &ctx, GLbitfield barriers) {
    constexpr GLbitfield legal =
        GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT | GL_UNIFORM_BARRIER_BIT |
        GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_COMMAND_BARRIER_BIT |
        GL_PIXEL_BUFFER_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT |
        GL_FRAMEBUFFER_BARRIER_BIT | GL_TRANSFORM_FEEDBACK_BARRIER_BIT |
        GL_ATOMIC_COUNTER_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT |
        GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT | GL_QUERY_BUFFER_BARRIER_BIT;
    if (barriers != GL_ALL_BARRIER_BITS && (barriers & ~legal))
        return error(ctx, GL_INVALID_VALUE, "glMemoryBarrier(0x%x)", barriers);
    st::memory_barrier(ctx, barriers, false);
}
void GL_ENTRY(MemoryBarrierByRegion)(Context &ctx, GLbitfield barriers) {
    constexpr GLbitfield legal = GL_UNIFORM_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT |
                                 GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT |
                                 GL_ATOMIC_COUNTER_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT;
    if (barriers != GL_ALL_BARRIER_BITS && (barriers & ~legal))
        return error(ctx, GL_INVALID_VALUE, "glMemoryBarrierByRegion(0x%x)", barriers);
    st::memory_barrier(ctx, barriers, true);
}
void GL_ENTRY(TextureBarrier)(Context &ctx) {
    if (!ctx.has().texture_barrier)
        return error(ctx, GL_INVALID_OPERATION, "glTextureBarrier(not supported)");
    st::texture_barrier(ctx);
}
} // namespace gl
