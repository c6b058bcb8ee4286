// SPDX-License-Identifier: MIT
// Lanes: native contexts, make-current, flush and finish, reset status, debug markers, errors.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "espryt_blit.h"
#include "espryt_framebuffer.h"
#include "espryt_logic.h"
#include "espryt_program.h"
#include "espryt_query.h"
#include "espryt_map.h"
#include "espryt_resource.h"
#include "espryt_window.h"
#include "util/log.h"

namespace espryt {

namespace {

// The objects that every lane has, and what never changes afterwards.
void make_fixed_objects(context *ctx) {
    const gles *gl = ctx->gl;
    if (!ctx->vao.name)
        gl->GenVertexArrays(1, &ctx->vao.name);
    gl->BindVertexArray(ctx->vao.name);
    for (host_name &f : ctx->scratch_fbo) {
        if (f.name)
            continue;
        gl->GenFramebuffers(1, &f.name);
        f.serial = next_serial();
    }
}

void debug_checks(context *ctx, const char *verb) {
    const debug_flags &d = ctx->scr->debug;
    if (d.sync)
        ctx->gl->Finish();
    if (gles_fault_armed() || d.sync)
        host_failed(ctx, verb);
    if (!d.shadow || host_current() != ctx->native) // none is current at exit
        return;
    if (d.raw_bind && ctx->verbs == 1)
        ctx->sh.corrupt();
    ctx->sh.check(verb);
}

void lane_current(pipe_context *pc, const pipe_lane_current *p) {
    context *ctx = to_context(pc);
    if (p->release) {
        if (host_current() == ctx->native) {
            ctx->gl->Flush();
            host_make_current(ctx->host, EGL_NO_CONTEXT);
        }
        return;
    }
    if (!host_make_current(ctx->host, ctx->native) && !host_make_current(ctx->host, ctx->native)) {
        // Calls would go to no context or to another one.
        const pipe_callbacks *cb = ctx->scr->config.callbacks;
        pipe_on_device_lost lost{};
        lost.lane = ctx->lane;
        lost.status = PIPE_RESET_UNKNOWN;
        static const char reason[] = "the host's make-current failed";
        const pipe_host_span text = pipe_span(reason, sizeof(reason));
        if (cb && cb->on_device_lost)
            cb->on_device_lost(ctx->scr->config.data, &lost, &text);
        return;
    }
    if (!ctx->vao.name)
        make_fixed_objects(ctx);
    if (ctx->draw_surface != p->draw || ctx->read_surface != p->read) {
        ctx->draw_surface = p->draw;
        ctx->read_surface = p->read;
        default_framebuffer_changed(ctx);
    }
    const surface *drawn = find_surface(p->draw);
    window_leave(ctx, drawn ? drawn->window : nullptr);
    if (ctx->scr->num_lanes.load(std::memory_order_relaxed) > 1)
        ctx->sh.forget_bindings();
    dig_graves(ctx);
    verb_done(ctx, "lane_current");
}

void lane_wait(pipe_context *pc, const pipe_lane_wait *) {
    // Lanes publish by a native flush after object and data calls, so what the record names has
    // been handed to the host; a rebind makes the other context's writes visible here.
    context *ctx = to_context(pc);
    ctx->sh.forget_bindings();
    ctx->dirty |=
        dirty_textures | dirty_images | dirty_uniform | dirty_storage | dirty_vertex_buffers;
}

void lane_destroy(pipe_context *pc, const pipe_lane_destroy *) {
    context *ctx = to_context(pc);
    EGLContext before = host_current();
    host *before_host = host_of_current();
    if (host_make_current(ctx->host, ctx->native)) {
        framebuffers_destroy(ctx);
        queries_destroy(ctx);
        blit_tools_destroy(ctx);
        target_copies_destroy(ctx);
        for (host_name &f : ctx->scratch_fbo)
            ctx->gl->DeleteFramebuffers(1, &f.name);
        ctx->gl->DeleteVertexArrays(1, &ctx->vao.name);
        ctx->ring.destroy();
    }
    if (before == ctx->native || !before_host)
        host_make_current(ctx->host, EGL_NO_CONTEXT);
    else
        host_make_current(before_host, before);
    ctx->render_states.each([](render_state_cso *r) { delete r; });
    ctx->vertex_layouts.each([](vertex_elements *v) { delete v; });
    host_context_destroy(ctx->host, ctx->native);
    ctx->scr->num_lanes.fetch_sub(1);
    delete ctx;
}

pipe_status get_reset_status(pipe_context *pc, const pipe_get_reset_status *,
                             pipe_get_reset_status_reply *out) {
    context *ctx = to_context(pc);
    out->status = PIPE_RESET_NO_RESET;
    if (!ctx->gl->GetGraphicsResetStatus || !ctx->host->robust)
        return PIPE_OK;
    switch (ctx->gl->GetGraphicsResetStatus()) {
    case GL_GUILTY_CONTEXT_RESET: out->status = PIPE_RESET_GUILTY; break;
    case GL_INNOCENT_CONTEXT_RESET: out->status = PIPE_RESET_INNOCENT; break;
    case GL_UNKNOWN_CONTEXT_RESET: out->status = PIPE_RESET_UNKNOWN; break;
    default: break;
    }
    return PIPE_OK;
}

void flush(pipe_context *pc, const pipe_flush *) {
    context *ctx = to_context(pc);
    ctx->gl->Flush();
    flush_point(ctx, "flush");
}

pipe_status finish(pipe_context *pc, const pipe_finish *) {
    context *ctx = to_context(pc);
    flush_mapped(ctx);
    ctx->gl->Finish();
    flush_point(ctx, "finish");
    return PIPE_OK;
}

void flush_resource(pipe_context *pc, const pipe_flush_resource *) {
    context *ctx = to_context(pc);
    ctx->gl->Flush();
    verb_done(ctx, "flush_resource");
}

void debug_marker(pipe_context *pc, const pipe_debug_marker *p, const pipe_host_span *text) {
    context *ctx = to_context(pc);
    const gles *gl = ctx->gl;
    if (!ctx->has(feature::debug) || !gl->DebugMessageInsert || !gl->PushDebugGroup ||
        !gl->PopDebugGroup)
        return;
    std::string s(static_cast<const char *>(text->ptr ? text->ptr : ""),
                  text->ptr ? text->size : 0);
    GLsizei n = static_cast<GLsizei>(std::min<size_t>(s.size(), PIPE_MAX_LABEL - 1));
    if (p->kind == 0)
        gl->DebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_MARKER, 0,
                               GL_DEBUG_SEVERITY_NOTIFICATION, n, s.c_str());
    else if (p->kind == 1)
        gl->PushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, n, s.c_str());
    else if (p->kind == 2)
        gl->PopDebugGroup();
    verb_done(ctx, "debug_marker");
}

pipe_context *lane_create(pipe_screen *ps, const pipe_lane_create *p) {
    screen *s = to_screen(ps);
    EGLContext native = host_context_create(s->host, share_anchor(s->host));
    if (native == EGL_NO_CONTEXT)
        return nullptr;
    auto ctx = new context{};
    ctx->screen = s;
    ctx->lane = p->lane;
    ctx->scr = s;
    ctx->host = s->host;
    ctx->gl = s->gl;
    ctx->native = native;
    ctx->sh.init(s->host);
    ctx->ring.init(s->host, &ctx->sh);
    ctx->sample.fill().coverage_value = 1;
    ctx->sample.fill().mask[0] = ctx->sample.fill().mask[1] = ~0u;
    ctx->patch.fill().vertices = 3;
    for (pipe_attrib_value &v : ctx->attribs.fill())
        v.value[3] = 0x3f800000u;
    init_resource_functions(nullptr, ctx);
    init_texture_functions(nullptr, ctx);
    init_transfer_functions(nullptr, ctx);
    init_readback_functions(nullptr, ctx);
    init_program_functions(nullptr, ctx);
    init_state_functions(nullptr, ctx);
    init_vertex_functions(nullptr, ctx);
    init_framebuffer_functions(nullptr, ctx);
    init_draw_functions(nullptr, ctx);
    init_clear_functions(nullptr, ctx);
    init_blit_functions(nullptr, ctx);
    init_query_functions(nullptr, ctx);
    init_fence_functions(nullptr, ctx);
    init_surface_functions(nullptr, ctx);
    init_stream_output_functions(nullptr, ctx);
    init_context_functions(nullptr, ctx);
    s->num_lanes.fetch_add(1);
    gles_count_from_here();
    return ctx;
}

} // namespace

void report_error(context *ctx, GLenum error, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ctx->host_oom = nullptr;
    if (ctx->reported) {
        log_info("espryt", "%s", text);
        return;
    }
    ctx->reported = true;
    log_warning("espryt", "%s", text);
    const pipe_callbacks *cb = ctx->scr->config.callbacks;
    if (!cb || !cb->on_gl_error)
        return;
    pipe_on_gl_error e{};
    e.lane = ctx->lane;
    e.error = error;
    pipe_host_span message = pipe_span(text, strlen(text) + 1);
    cb->on_gl_error(ctx->scr->config.data, &e, &message);
}

bool host_failed(context *ctx, const char *what) {
    GLenum e = ctx->gl->GetError();
    // A lost context answers with an error for ever.
    for (int i = 0; i < 16 && ctx->gl->GetError() != GL_NO_ERROR; i++) {
    }
    if (ctx->sh.take_refusal())
        e = GL_OUT_OF_MEMORY;
    if (e == GL_NO_ERROR)
        return false;
    log_info("espryt", "host error 0x%x: %s", e, what);
    if (e == GL_OUT_OF_MEMORY) {
        ctx->host_oom = what;
        ctx->lost_calls = true;
        host_state_unknown(ctx);
    }
    return true;
}

void host_state_unknown(context *ctx) {
    ctx->sh.forget_all();
    make_fixed_objects(ctx);
    ctx->bound_program = nullptr;
    ctx->bound_globals_serial = 0;
    ctx->dirty = dirty_all;
    ctx->scr->attach_epoch.fetch_add(1);
}

namespace {

// The share group's part of it, outside of any other use of the tables.
void object_state_unknown(context *ctx) {
    std::lock_guard<std::mutex> guard(ctx->scr->lock);
    ctx->scr->resources.each([](resource *r) {
        r->applied.forget();
        for (host_view &v : r->views)
            v.applied.forget();
    });
    ctx->scr->samplers.each([](sampler *s) { s->filled = false; });
    ctx->scr->programs.each([](program *p) {
        for (host_program *v = p->variants; v; v = v->next)
            v->forget_values();
    });
    blit_tools_destroy(ctx);
    target_copies_destroy(ctx);
}

} // namespace

void verb_done(context *ctx, const char *verb) {
    const debug_flags &d = ctx->scr->debug;
    ctx->verbs++;
    if (d.checks)
        debug_checks(ctx, verb);
    if (ctx->lost_calls) {
        host_state_unknown(ctx);
        object_state_unknown(ctx);
        ctx->lost_calls = false;
    }
    if (ctx->host_oom) {
        report_error(ctx, GL_OUT_OF_MEMORY, "%s failed: the host is out of memory (%s)", verb,
                     ctx->host_oom);
    }
    ctx->reported = false;
}

void flush_point(context *ctx, const char *what) {
    host_failed(ctx, what);
    verb_done(ctx, what);
}

void init_context_functions(screen *s, context *c) {
    if (s)
        s->lane_create = lane_create;
    if (!c)
        return;
    c->lane_current = lane_current;
    c->lane_wait = lane_wait;
    c->lane_destroy = lane_destroy;
    c->get_reset_status = get_reset_status;
    c->flush = flush;
    c->finish = finish;
    c->flush_resource = flush_resource;
    c->debug_marker = debug_marker;
}

} // namespace espryt
