// SPDX-License-Identifier: MIT
// Interleaved captures taken apart.
#include "espryt_scatter.h"

#include <algorithm>

#include "espryt_blit_tools.h"
#include "espryt_resource.h"
#include "util/log.h"

namespace espryt {

namespace {

// One piece of every vertex: how = {words in all, words of the piece, first vertex, words of a
// vertex in the scratch buffer}, where = {first word in a scratch vertex, first word in the target,
// words of a target vertex}.
const char *const shader = "layout(local_size_x = 64) in;\n"
                           "layout(std430, binding = 0) readonly buffer From { uint from[]; };\n"
                           "layout(std430, binding = 1) writeonly buffer To { uint to[]; };\n"
                           "uniform ivec4 how;\nuniform ivec4 where;\n"
                           "void main() {\n"
                           "    int i = int(gl_GlobalInvocationID.x);\n"
                           "    if (i >= how.x)\n        return;\n"
                           "    int vertex = how.z + i / how.y, word = i % how.y;\n"
                           "    to[where.y + vertex * where.z + word] =\n"
                           "        from[where.x + vertex * how.w + word];\n}\n";

host_name scatter_program(context *ctx) {
    host_name &n = blit_tools(ctx)->scatter;
    if (!n.name)
        n = internal_compute(ctx, shader);
    return n;
}

// Vertices for which the buffer has room.
uint64_t room_for(const scatter_plan &plan, unsigned buffer, uint64_t size) {
    uint64_t end = 0;
    for (const scatter_plan::piece &p : plan.pieces) {
        if (p.buffer == buffer)
            end = std::max<uint64_t>(end, (p.to + p.words) * 4);
    }
    const uint64_t stride = plan.target_stride[buffer] * uint64_t(4);
    if (!end)
        return UINT64_MAX; // nothing goes there
    return size < end || !stride ? 0 : (size - end) / stride + 1;
}

} // namespace

bool plan_scatter(context *ctx, const program *p, scatter_plan *out) {
    const uint32_t between = 1u << PIPE_SHADER_GEOMETRY | 1u << PIPE_SHADER_TESS_EVAL;
    if (p->stage_mask & between)
        return false;
    scatter_plan plan;
    uint32_t ends[4] = {};
    for (const pipe_archive_xfb &x : p->archive.xfb) {
        if (x.buffer > 3 || x.offset % 4)
            return false;
        plan.pieces.push_back({x.buffer, plan.stride, x.offset / 4, x.components});
        plan.stride += x.components;
        ends[x.buffer] = std::max(ends[x.buffer], x.offset / 4 + x.components);
    }
    for (unsigned b = 0; b < 4; b++)
        plan.target_stride[b] = p->archive.xfb_stride[b] ? p->archive.xfb_stride[b] / 4 : ends[b];
    if (plan.stride > static_cast<uint32_t>(ctx->host->info.limits.max_tf_interleaved_components))
        return false;
    *out = std::move(plan);
    return true;
}

bool scatter_begin(context *ctx, scatter_capture *c, const scatter_plan &plan,
                   const pipe_so_target *targets, uint32_t num_targets, unsigned primitive) {
    const gles *gl = ctx->gl;
    emulated(emulation::capture_scatter);
    c->plan = plan;
    c->done = 0;
    c->capacity = UINT64_MAX;
    for (unsigned b = 0; b < 4; b++) {
        c->targets[b] = b < num_targets ? targets[b] : pipe_so_target{};
        const resource *r = find_resource(ctx, c->targets[b].buffer);
        uint64_t &size = c->targets[b].size;
        const uint64_t offset = c->targets[b].offset;
        size = r && offset < r->desc.size ? std::min(size, r->desc.size - offset) : 0;
        c->capacity = std::min(c->capacity, room_for(plan, b, size));
    }
    c->capacity -= c->capacity % primitive;
    const uint64_t bytes = std::max<uint64_t>(4, c->capacity * plan.stride * 4);
    c->scratch = {0, next_serial()};
    gl->GenBuffers(1, &c->scratch.name);
    if (ctx->sh.bind_buffer(GL_COPY_WRITE_BUFFER, c->scratch))
        gl->BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr,
                       GL_STREAM_COPY);
    if (host_failed(ctx, "scratch buffer of a capture"))
        return false;
    ctx->sh.bind_range(GL_TRANSFORM_FEEDBACK_BUFFER, 0,
                       {c->scratch, 0, static_cast<int64_t>(bytes)});
    return true;
}

void scatter_flush(context *ctx, scatter_capture *c, uint64_t captured) {
    const gles *gl = ctx->gl;
    const uint64_t n = std::min(captured, c->capacity);
    const host_name program = n > c->done ? scatter_program(ctx) : host_name{};
    if (!program.name)
        return;
    constexpr uint64_t most = 65535ull * 64; // words of one dispatch
    ctx->sh.use_program(program);
    const GLint how = gl->GetUniformLocation(program.name, "how");
    const GLint where = gl->GetUniformLocation(program.name, "where");
    const auto size = static_cast<int64_t>(c->capacity * c->plan.stride * 4);
    ctx->sh.bind_range(GL_SHADER_STORAGE_BUFFER, 0, {c->scratch, 0, size});
    for (const scatter_plan::piece &p : c->plan.pieces) {
        const resource *r = find_resource(ctx, c->targets[p.buffer].buffer);
        if (!r)
            continue;
        ctx->sh.bind_range(GL_SHADER_STORAGE_BUFFER, 1,
                           {r->name, 0, static_cast<int64_t>(r->desc.size & ~uint64_t(3))});
        const GLint at[4] = {static_cast<GLint>(p.from),
                             static_cast<GLint>(c->targets[p.buffer].offset / 4 + p.to),
                             static_cast<GLint>(c->plan.target_stride[p.buffer]), 0};
        gl->Uniform4iv(where, 1, at);
        for (uint64_t first = c->done; first < n; first += most / p.words) {
            const uint64_t words = std::min(n - first, most / p.words) * p.words;
            const GLint part[4] = {static_cast<GLint>(words), static_cast<GLint>(p.words),
                                   static_cast<GLint>(first), static_cast<GLint>(c->plan.stride)};
            gl->Uniform4iv(how, 1, part);
            gl->DispatchCompute(static_cast<GLuint>((words + 63) / 64), 1, 1);
        }
    }
    gl->MemoryBarrier(GL_ALL_BARRIER_BITS);
    // Deleted while it is bound, hosts differ in what else they unbind.
    ctx->sh.bind_range(GL_SHADER_STORAGE_BUFFER, 0, {});
    c->done = n;
    ctx->bound_program = nullptr;
    ctx->dirty |= dirty_storage | dirty_program;
    host_failed(ctx, "scatter of a capture");
}

void scatter_end(context *ctx, scatter_capture *c) {
    if (c->scratch.name) {
        ctx->sh.forget_buffer(c->scratch);
        ctx->gl->DeleteBuffers(1, &c->scratch.name);
    }
    *c = {};
}

} // namespace espryt
