// SPDX-License-Identifier: MIT
// Queries and conditional rendering. OpenGL ES has no exact sample counts: fragment shaders count
// themselves, after early tests; what cannot be counted so makes the result 1 where samples passed.
#include "espryt_query.h"

#include <algorithm>
#include <cstring>

#include "espryt_fixed.h"
#include "espryt_framebuffer.h"
#include "espryt_provoking.h"
#include "espryt_resource.h"
#include "util/futex.h"
#include "util/log.h"

namespace espryt {

namespace {

bool host_times(context *ctx) {
    return ctx->has(feature::timer_query) && !ctx->forced(emulation::timer_wait);
}

// When the host has done all that came before.
uint64_t finished_at(context *ctx) {
    emulated(emulation::timer_wait);
    ctx->gl->Finish();
    return util::now_ns();
}

GLenum target_of(context *ctx, const pipe_query_create &q) {
    if (q.index)
        return 0; // one vertex stream
    switch (q.type) {
    case PIPE_QUERY_TYPE_OCCLUSION_COUNTER:
    case PIPE_QUERY_TYPE_OCCLUSION_PREDICATE: return GL_ANY_SAMPLES_PASSED;
    case PIPE_QUERY_TYPE_OCCLUSION_PREDICATE_CONSERVATIVE:
        return GL_ANY_SAMPLES_PASSED_CONSERVATIVE;
    case PIPE_QUERY_TYPE_TIMESTAMP: return host_times(ctx) ? GL_TIMESTAMP_EXT : 0;
    case PIPE_QUERY_TYPE_TIME_ELAPSED: return host_times(ctx) ? GL_TIME_ELAPSED_EXT : 0;
    case PIPE_QUERY_TYPE_PRIMITIVES_GENERATED:
        return ctx->has(feature::geometry_shader) ? GL_PRIMITIVES_GENERATED : 0;
    case PIPE_QUERY_TYPE_PRIMITIVES_EMITTED: return GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN;
    default: return 0;
    }
}

// Somebody knows its result, the host or the CPU.
bool answered(const query *q) {
    return q->name.name || q->here || q->timed;
}

bool counts(const query *q) {
    return q->desc.type == PIPE_QUERY_TYPE_OCCLUSION_COUNTER && q->target;
}

void begin_count(context *ctx, query *q) {
    const gles *gl = ctx->gl;
    if (!q->counter.name) {
        gl->GenBuffers(1, &q->counter.name);
        q->counter.serial = next_serial();
    }
    const GLuint zero = 0;
    gl->BindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, q->counter.name);
    gl->BufferData(GL_ATOMIC_COUNTER_BUFFER, sizeof(zero), &zero, GL_DYNAMIC_READ);
    q->uncounted = false;
    ctx->counting = q;
}

void end_count(context *ctx) {
    ctx->counting = nullptr;
    ctx->gl->MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    ctx->gl->BindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, 0);
}

// `any`: whether samples passed at all.
uint64_t read_count(context *ctx, const query *q, bool any) {
    const gles *gl = ctx->gl;
    GLuint n = 0;
    if (ctx->sh.bind_buffer(GL_COPY_READ_BUFFER, q->counter)) {
        if (const void *map =
                gl->MapBufferRange(GL_COPY_READ_BUFFER, 0, sizeof(n), GL_MAP_READ_BIT)) {
            memcpy(&n, map, sizeof(n));
            unmap(gl, GL_COPY_READ_BUFFER);
        }
    }
    return q->uncounted && any ? std::max(1u, n) : n;
}

void drop_count(context *ctx, query *q) {
    if (ctx->counting == q)
        ctx->counting = nullptr;
    if (ctx->primitives == q)
        ctx->primitives = nullptr;
    if (!q->counter.name)
        return;
    ctx->sh.forget_buffer(q->counter);
    ctx->gl->DeleteBuffers(1, &q->counter.name);
    q->counter = {};
}

void query_create(pipe_context *pc, const pipe_query_create *p) {
    context *ctx = to_context(pc);
    auto q = new query;
    q->desc = *p;
    q->target = target_of(ctx, *p);
    q->here = p->type == PIPE_QUERY_TYPE_PRIMITIVES_GENERATED && !p->index &&
              (!q->target || ctx->forced(emulation::count_primitives));
    q->timed = (p->type == PIPE_QUERY_TYPE_TIMESTAMP || p->type == PIPE_QUERY_TYPE_TIME_ELAPSED) &&
               !q->target;
    if (q->target) {
        ctx->gl->GenQueries(1, &q->name.name);
        q->name.serial = next_serial();
    } else if (!answered(q)) {
        log_info("espryt", "query of type %u is not counted by the host", p->type);
    }
    if (query *old = ctx->queries.take_slot(p->query)) {
        drop_count(ctx, old);
        if (old->name.name)
            ctx->gl->DeleteQueries(1, &old->name.name);
        delete old;
    }
    if (!ctx->queries.insert(p->query, q)) {
        if (q->name.name)
            ctx->gl->DeleteQueries(1, &q->name.name);
        delete q;
    }
    verb_done(ctx, "query_create");
}

void query_begin(pipe_context *pc, const pipe_query_begin *p) {
    context *ctx = to_context(pc);
    query *q = ctx->queries.find(p->query);
    if (!q || !answered(q))
        return;
    q->known = q->ended = q->paused = q->uncounted = false;
    q->before = q->primitives = 0;
    if (q->here)
        ctx->primitives = q;
    if (q->timed)
        q->result = finished_at(ctx);
    if (!q->name.name) {
        q->active = true;
        return;
    }
    ctx->gl->BeginQuery(q->target, q->name.name);
    if (counts(q))
        begin_count(ctx, q);
    q->active = !host_failed(ctx, "begin of a query");
    verb_done(ctx, "query_begin");
}

void query_end(pipe_context *pc, const pipe_query_end *p) {
    context *ctx = to_context(pc);
    query *q = ctx->queries.find(p->query);
    if (!q || !answered(q) || !q->active)
        return;
    q->active = false;
    q->ended = true;
    if (q->here)
        ctx->primitives = nullptr;
    if (q->timed) {
        q->result = finished_at(ctx) - q->result;
        q->known = true;
    }
    if (!q->name.name)
        return;
    ctx->gl->EndQuery(q->target);
    if (counts(q))
        end_count(ctx);
    // An open query would forbid the next one.
    if (gles_fault_armed() && host_failed(ctx, "end of a query"))
        ctx->gl->EndQuery(q->target);
    verb_done(ctx, "query_end");
}

void query_counter(pipe_context *pc, const pipe_query_counter *p) {
    context *ctx = to_context(pc);
    query *q = ctx->queries.find(p->query);
    if (q && q->timed) {
        q->result = finished_at(ctx);
        q->known = q->ended = true;
        return;
    }
    if (!q || !q->name.name || !ctx->gl->QueryCounterEXT)
        return;
    q->known = false;
    q->ended = true;
    ctx->gl->QueryCounterEXT(q->name.name, GL_TIMESTAMP_EXT);
    verb_done(ctx, "query_counter");
}

bool any_samples(const query *q) {
    return q->target == GL_ANY_SAMPLES_PASSED || q->target == GL_ANY_SAMPLES_PASSED_CONSERVATIVE;
}

// The host's result with what was counted before the last pause.
uint64_t joined(const query *q, uint64_t result) {
    return any_samples(q) ? std::max(q->before, result) : q->before + result;
}

uint64_t fetch(context *ctx, query *q) {
    const gles *gl = ctx->gl;
    if (q->here && !q->uncounted) {
        q->known = true;
        q->result = q->primitives;
    }
    if (!q->known) {
        if (gl->GetQueryObjectui64vEXT && ctx->has(feature::timer_query)) {
            GLuint64 v = 0;
            gl->GetQueryObjectui64vEXT(q->name.name, GL_QUERY_RESULT, &v);
            q->result = v;
        } else {
            GLuint v = 0;
            gl->GetQueryObjectuiv(q->name.name, GL_QUERY_RESULT, &v);
            q->result = v;
        }
        q->result = joined(q, q->result);
        if (counts(q))
            q->result = read_count(ctx, q, q->result != 0);
        q->known = !host_failed(ctx, "query result");
    }
    return q->result;
}

pipe_status query_available(pipe_context *pc, const pipe_query_available *p,
                            pipe_query_available_reply *out) {
    context *ctx = to_context(pc);
    query *q = ctx->queries.find(p->query);
    *out = {};
    if (!q || !answered(q) || !q->ended)
        return PIPE_DECLINED;
    GLuint ready = 1;
    ctx->gl->Flush();
    if (q->name.name)
        ctx->gl->GetQueryObjectuiv(q->name.name, GL_QUERY_RESULT_AVAILABLE, &ready);
    out->available = ready != 0;
    if (ready)
        out->result = fetch(ctx, q);
    verb_done(ctx, "query_available");
    return PIPE_OK;
}

pipe_status query_result(pipe_context *pc, const pipe_query_result *p,
                         pipe_query_result_reply *out) {
    context *ctx = to_context(pc);
    query *q = ctx->queries.find(p->query);
    *out = {};
    if (!q || !answered(q) || !q->ended)
        return PIPE_DECLINED;
    out->result = fetch(ctx, q);
    verb_done(ctx, "query_result");
    return q->known ? PIPE_OK : PIPE_DECLINED;
}

void query_destroy(pipe_context *pc, const pipe_query_destroy *p) {
    context *ctx = to_context(pc);
    query *q = ctx->queries.take(p->query);
    if (!q)
        return;
    if (ctx->condition.peek() == q) {
        ctx->condition = nullptr;
        ctx->conditional = ctx->condition_skips = false;
    }
    drop_count(ctx, q);
    if (q->name.name)
        ctx->gl->DeleteQueries(1, &q->name.name);
    delete q;
    verb_done(ctx, "query_destroy");
}

pipe_status query_timestamp(pipe_context *pc, const pipe_query_timestamp *,
                            pipe_query_timestamp_reply *out) {
    context *ctx = to_context(pc);
    *out = {};
    GLint64 now = 0;
    if (host_times(ctx))
        ctx->gl->GetInteger64v(GL_TIMESTAMP_EXT, &now);
    else
        now = static_cast<GLint64>(util::now_ns());
    out->timestamp = static_cast<uint64_t>(now);
    verb_done(ctx, "query_timestamp");
    return PIPE_OK;
}

void query_result_to_buffer(pipe_context *pc, const pipe_query_result_to_buffer *p) {
    context *ctx = to_context(pc);
    query *q = ctx->queries.find(p->query);
    resource *b = find_resource(ctx, p->buffer);
    if (!q || !answered(q) || !b)
        return;
    uint64_t value;
    GLuint ready = 1;
    if ((p->availability || !p->wait) && q->name.name)
        ctx->gl->GetQueryObjectuiv(q->name.name, GL_QUERY_RESULT_AVAILABLE, &ready);
    if (p->availability)
        value = ready;
    else if (!ready)
        return;
    else
        value = fetch(ctx, q);
    uint32_t small = static_cast<uint32_t>(value > 0xffffffffu ? 0xffffffffu : value);
    buffer_write(ctx, b, p->offset, p->is_64bit ? 8 : 4,
                 p->is_64bit ? static_cast<void *>(&value) : &small);
    verb_done(ctx, "query_result_to_buffer");
}

void set_render_condition(pipe_context *pc, const pipe_set_render_condition *p) {
    context *ctx = to_context(pc);
    ctx->condition = ctx->queries.find(p->query);
    ctx->conditional = ctx->condition && ctx->condition->name.name;
    ctx->condition_skips = false;
    if (ctx->conditional && p->inverted) {
        ctx->condition_skips = fetch(ctx, ctx->condition) != 0;
        ctx->conditional = false;
    }
}

} // namespace

bool counts_samples(context *ctx, const program *p, const framebuffer *fb) {
    // A capture goes on with the program it began with.
    bool can = fb && fb->samples <= 1 && !ctx->active_so && !clamps_depth(ctx);
    for (const pipe_archive_stage &s : p->archive.stages) {
        if (s.stage == PIPE_SHADER_FRAGMENT && !s.spirv.empty())
            can = can && !s.uses_discard && !s.writes_depth && !s.uses_sample_mask;
    }
    const bool discards =
        !ctx->has(feature::clip_cull_distance) || ctx->forced(emulation::clip_discard);
    can = can && !(discards && clip_distances(p->archive));
    if (can) {
        emulated(emulation::count_fragments);
        return true;
    }
    ctx->counting->uncounted = true;
    log_warning_once(
        "espryt", "samples of a draw with discard, depth output, sample masks, a "
                  "capture or a multisample target are not counted: the host has no sample counts");
    return false;
}

void count_primitives(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                      const pipe_indirect *in, const pipe_host_span *indices) {
    const program *twin = find_program(ctx, ctx->draw_program);
    const uint32_t between = 1u << PIPE_SHADER_GEOMETRY | 1u << PIPE_SHADER_TESS_EVAL;
    if (!twin || (twin->stage_mask & between)) { // such a host counts
        ctx->primitives->uncounted = true;
        return;
    }
    emulated(emulation::count_primitives);
    uint64_t n = 0;
    if (p->flags & PIPE_DRAW_INDIRECT) {
        const uint32_t stride = in->stride ? in->stride : p->index_size ? 20 : 16;
        resource *b = find_resource(ctx, in->buffer);
        for (uint32_t i = 0; b && i < std::max(1u, in->max_draws); i++) {
            uint32_t words[2] = {}; // count, instances
            if (!buffer_read(ctx, b, in->offset + uint64_t(i) * stride, sizeof(words), words))
                break;
            n += primitives_in(p->mode, words[0]) * words[1];
        }
    } else if (p->flags & PIPE_DRAW_SO_COUNT) {
        n = primitives_in(p->mode, stream_output_count(ctx, p->so)) * p->instance_count;
    } else {
        for (uint32_t i = 0; i < p->num_ranges; i++)
            n += p->index_size && (p->flags & PIPE_DRAW_RESTART)
                     ? restarted_primitives(ctx, p, ranges[i], indices)
                     : primitives_in(p->mode, ranges[i].count);
        n *= p->instance_count;
    }
    ctx->primitives->primitives += n;
}

void queries_pause(context *ctx) {
    ctx->queries.each([&](query *q) {
        if (!q->active || !(any_samples(q) || q->target == GL_PRIMITIVES_GENERATED))
            return;
        GLuint v = 0;
        ctx->gl->EndQuery(q->target);
        ctx->gl->GetQueryObjectuiv(q->name.name, GL_QUERY_RESULT, &v);
        q->before = joined(q, v);
        q->paused = true;
    });
}

void queries_resume(context *ctx) {
    ctx->queries.each([&](query *q) {
        if (!q->active || !q->paused)
            return;
        ctx->gl->BeginQuery(q->target, q->name.name);
        q->paused = false;
    });
}

bool condition_begin(context *ctx) {
    query *q = ctx->condition;
    if (!q || q->active || q->before || !ctx->has(feature::conditional_render) ||
        !ctx->gl->BeginConditionalRenderNV)
        return false;
    ctx->gl->BeginConditionalRenderNV(q->name.name, GL_QUERY_WAIT_NV);
    return true;
}

void queries_destroy(context *ctx) {
    ctx->queries.each([&](query *q) {
        drop_count(ctx, q);
        if (q->name.name)
            ctx->gl->DeleteQueries(1, &q->name.name);
        delete q;
    });
    stream_outputs_destroy(ctx);
}

void init_query_functions(screen *, context *c) {
    if (!c)
        return;
    c->query_create = query_create;
    c->query_begin = query_begin;
    c->query_end = query_end;
    c->query_available = query_available;
    c->query_result = query_result;
    c->query_destroy = query_destroy;
    c->query_counter = query_counter;
    c->query_timestamp = query_timestamp;
    c->query_result_to_buffer = query_result_to_buffer;
    c->set_render_condition = set_render_condition;
}

} // namespace espryt
