// SPDX-License-Identifier: MIT
// Transform feedback objects. The native capture begins with the first draw, when its program is
// current.
#include <algorithm>

#include "espryt_draw.h"
#include "espryt_provoking.h"
#include "espryt_query.h"
#include "espryt_scatter.h"
#include "util/log.h"

namespace espryt {

struct stream_output {
    host_name name;
    pipe_in_stream_output<pipe_so_target[PIPE_MAX_SO_BUFFERS]> targets;
    pipe_in_stream_output<uint32_t> num_targets;
    uint8_t mode = PIPE_PRIM_POINTS;
    bool active = false, begun = false, paused = false, native_paused = false, failed = false;
    host_name program;
    uint64_t vertices = 0; // of the capture that was ended last: what draws by count draw
    uint64_t counted = 0;  // of the one that was begun last
    scatter_capture scatter;
};

namespace {

void end(context *ctx, stream_output *so) {
    if (ctx->active_so == so)
        ctx->active_so = nullptr;
    if (so->begun) {
        ctx->sh.bind_transform_feedback(so->name);
        ctx->gl->EndTransformFeedback();
    }
    ctx->sh.bind_transform_feedback({});
    scatter_end(ctx, &so->scatter);
    ctx->gl->DeleteTransformFeedbacks(1, &so->name.name);
    delete so;
}

stream_output *get(context *ctx, pipe_handle h) {
    stream_output *so = ctx->stream_outputs.find(h);
    if (so || pipe_handle_is_null(h))
        return so;
    if (stream_output *old = ctx->stream_outputs.take_slot(h))
        end(ctx, old);
    so = new stream_output;
    if (!ctx->stream_outputs.insert(h, so)) {
        delete so;
        return nullptr;
    }
    ctx->gl->GenTransformFeedbacks(1, &so->name.name);
    so->name.serial = next_serial();
    return so;
}

void set_stream_output_targets(pipe_context *pc, const pipe_set_stream_output_targets *p,
                               const pipe_so_target *targets) {
    stream_output *so = get(to_context(pc), p->so);
    if (!so)
        return;
    so->num_targets = std::min<uint32_t>(p->count, PIPE_MAX_SO_BUFFERS);
    std::copy_n(targets, so->num_targets.peek(), so->targets.fill());
    verb_done(to_context(pc), "set_stream_output_targets");
}

void begin_stream_output(pipe_context *pc, const pipe_begin_stream_output *p) {
    context *ctx = to_context(pc);
    stream_output *so = get(ctx, p->so);
    if (!so)
        return;
    so->mode = p->mode;
    so->active = true;
    so->begun = so->paused = so->native_paused = so->failed = false;
    so->counted = 0;
    ctx->active_so = so;
}

void native_pause(context *ctx, stream_output *so, bool pause) {
    if (!so->begun || so->native_paused == pause)
        return;
    ctx->sh.bind_transform_feedback(so->name);
    if (!pause)
        ctx->sh.use_program(so->program);
    pause ? ctx->gl->PauseTransformFeedback() : ctx->gl->ResumeTransformFeedback();
    if (gles_fault_armed() && host_failed(ctx, "pause of a capture"))
        return;
    so->native_paused = pause;
}

// What a scattered capture has so far goes where it belongs; the host captures nothing now.
void flush_scatter(context *ctx, stream_output *so) {
    if (so->scatter.plan.stride)
        scatter_flush(ctx, &so->scatter, so->counted);
}

void end_stream_output(pipe_context *pc, const pipe_end_stream_output *p) {
    context *ctx = to_context(pc);
    stream_output *so = ctx->stream_outputs.find(p->so);
    if (!so)
        return;
    if (so->begun) {
        ctx->sh.bind_transform_feedback(so->name);
        ctx->gl->EndTransformFeedback();
        // An open capture would forbid what follows.
        if (gles_fault_armed() && host_failed(ctx, "end of a capture")) {
            ctx->sh.bind_transform_feedback(so->name);
            ctx->gl->EndTransformFeedback();
        }
    }
    flush_scatter(ctx, so);
    scatter_end(ctx, &so->scatter);
    if (so->active)
        so->vertices = p->has_client_count ? p->captured_vertices : so->counted;
    so->active = so->begun = false;
    if (ctx->active_so == so)
        ctx->active_so = nullptr;
    ctx->sh.bind_transform_feedback({});
    verb_done(ctx, "end_stream_output");
}

void pause_stream_output(pipe_context *pc, const pipe_pause_stream_output *p) {
    context *ctx = to_context(pc);
    stream_output *so = ctx->stream_outputs.find(p->so);
    if (!so)
        return;
    native_pause(ctx, so, true);
    flush_scatter(ctx, so);
    so->paused = true;
    if (ctx->active_so == so)
        ctx->active_so = nullptr; // another object may be used meanwhile
    verb_done(ctx, "pause_stream_output");
}

void resume_stream_output(pipe_context *pc, const pipe_resume_stream_output *p) {
    context *ctx = to_context(pc);
    stream_output *so = ctx->stream_outputs.find(p->so);
    if (!so)
        return;
    so->paused = false;
    ctx->active_so = so;
}

uint64_t captured(uint8_t mode, uint64_t n) {
    switch (mode) {
    case PIPE_PRIM_LINES: return n / 2 * 2;
    case PIPE_PRIM_LINE_STRIP: return n > 1 ? (n - 1) * 2 : 0;
    case PIPE_PRIM_LINE_LOOP: return n > 1 ? n * 2 : 0;
    case PIPE_PRIM_TRIANGLES: return n / 3 * 3;
    case PIPE_PRIM_TRIANGLE_STRIP:
    case PIPE_PRIM_TRIANGLE_FAN: return n > 2 ? (n - 2) * 3 : 0;
    default: return n;
    }
}

} // namespace

bool stream_output_lets_program(context *ctx, host_name program) {
    stream_output *so = ctx->active_so;
    if (!so || !so->begun || so->native_paused || so->program == program)
        return true;
    log_warning_once("espryt", "a draw with another program inside a capture was skipped");
    return false;
}

bool stream_output_draw(context *ctx) {
    stream_output *so = ctx->active_so;
    if (!so || so->failed)
        return true;
    if (so->begun) {
        native_pause(ctx, so, false);
        return true;
    }
    if (!ctx->bound_program || !ctx->bound_program->has_xfb) {
        so->failed = true;
        report_error(ctx, GL_INVALID_OPERATION,
                     "this capture has no host equivalent: nothing is written");
        return true;
    }
    ctx->sh.bind_transform_feedback(so->name);
    const scatter_plan &plan = ctx->bound_program->scatter;
    const unsigned corners = so->mode == PIPE_PRIM_POINTS ? 1 : so->mode == PIPE_PRIM_LINES ? 2 : 3;
    if (plan.stride &&
        !scatter_begin(ctx, &so->scatter, plan, &so->targets[0], so->num_targets, corners)) {
        scatter_end(ctx, &so->scatter);
        so->failed = true;
        return false;
    }
    for (uint32_t i = 0; !plan.stride && i < so->num_targets; i++) {
        resource *b = find_resource(ctx, so->targets[i].buffer);
        if (!b)
            continue;
        uint64_t offset = so->targets[i].offset, size = so->targets[i].size;
        if (offset >= b->desc.size)
            continue;
        size = std::min(size, b->desc.size - offset) & ~uint64_t(3);
        ctx->sh.bind_range(GL_TRANSFORM_FEEDBACK_BUFFER, i,
                           {b->name, static_cast<int64_t>(offset), static_cast<int64_t>(size)});
    }
    GLenum mode = so->mode == PIPE_PRIM_POINTS  ? GL_POINTS
                  : so->mode == PIPE_PRIM_LINES ? GL_LINES
                                                : GL_TRIANGLES;
    ctx->gl->BeginTransformFeedback(mode);
    if (host_failed(ctx, "begin of a capture")) {
        ctx->gl->EndTransformFeedback(); // in case it began all the same, into other buffers
        host_failed(ctx, "begin of a capture");
        so->failed = true;
        return false;
    }
    so->begun = true;
    so->program = {ctx->sh.program(), 0};
    for (const host_program *v = ctx->bound_program->variants; v; v = v->next) {
        if (v->name.name == so->program.name)
            so->program = v->name;
    }
    return true;
}

void stream_output_drawn(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                         const pipe_host_span *indices) {
    stream_output *so = ctx->active_so;
    if (!so || !so->begun)
        return;
    const bool scatters = so->scatter.plan.stride != 0;
    if (scatters && (p->flags & PIPE_DRAW_INDIRECT))
        log_warning_once("espryt", "an indirect draw into a capture with gaps or several varyings "
                                   "in several buffers writes nothing: its vertices are not "
                                   "counted");
    const bool restarts = scatters && p->index_size && (p->flags & PIPE_DRAW_RESTART);
    const unsigned corners = so->mode == PIPE_PRIM_POINTS ? 1 : so->mode == PIPE_PRIM_LINES ? 2 : 3;
    for (uint32_t i = 0; i < p->num_ranges; i++) {
        const uint64_t n = restarts ? restarted_primitives(ctx, p, ranges[i], indices) * corners
                                    : captured(p->mode, ranges[i].count);
        so->counted += n * p->instance_count;
    }
}

uint32_t stream_output_count(context *ctx, pipe_handle h) {
    stream_output *so = ctx->stream_outputs.find(h);
    return so ? static_cast<uint32_t>(so->vertices) : 0;
}

void stream_output_pause_internal(context *ctx, bool pause) {
    if (ctx->active_so && pause)
        native_pause(ctx, ctx->active_so, true); // the next draw resumes it
}

void stream_output_destroy(context *ctx, pipe_handle h) {
    if (stream_output *so = ctx->stream_outputs.take(h))
        end(ctx, so);
}

void stream_outputs_destroy(context *ctx) {
    ctx->stream_outputs.each([&](stream_output *so) {
        ctx->gl->DeleteTransformFeedbacks(1, &so->name.name);
        delete so;
    });
}

void init_stream_output_functions(screen *, context *c) {
    if (!c)
        return;
    c->set_stream_output_targets = set_stream_output_targets;
    c->begin_stream_output = begin_stream_output;
    c->end_stream_output = end_stream_output;
    c->pause_stream_output = pause_stream_output;
    c->resume_stream_output = resume_stream_output;
}

} // namespace espryt
