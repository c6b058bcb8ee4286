// SPDX-License-Identifier: MIT
// Surfaces: a pair of renderbuffers in the host's share group, so any lane may draw to it; a window
// shows them when they are presented. Surface handles belong to the display: one table per process.
#include <algorithm>
#include <mutex>

#include "espryt_anchor.h"
#include "espryt_framebuffer.h"
#include "espryt_window.h"

#include "drivers_common/pacing.h"
#include "util/log.h"

namespace espryt {

namespace {

drivers_common::slot_table<surface> &table() {
    static auto *t = new drivers_common::slot_table<surface>; // leaked: outlives every screen
    return *t;
}
std::mutex table_lock;

GLuint make(const gles *gl, uint32_t format, const surface *s) {
    GLuint n = 0;
    const host_format &f = format_of(format);
    if (!f.internal)
        return 0;
    GLint bound = 0;
    gl->GetIntegerv(GL_RENDERBUFFER_BINDING, &bound);
    gl->GenRenderbuffers(1, &n);
    gl->BindRenderbuffer(GL_RENDERBUFFER, n);
    int w = static_cast<int>(std::max(1u, s->width)), h = static_cast<int>(std::max(1u, s->height));
    if (s->samples > 1)
        gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, static_cast<int>(s->samples),
                                           f.internal, w, h);
    else
        gl->RenderbufferStorage(GL_RENDERBUFFER, f.internal, w, h);
    gl->BindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(bound));
    if (gl->GetError() == GL_NO_ERROR)
        return n;
    gl->BindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(bound));
    gl->DeleteRenderbuffers(1, &n);
    return 0;
}

bool make_buffers(screen *s, surface *f) {
    anchor_scope scope(s->host);
    if (!scope.ok)
        return false;
    const gles *gl = s->gl;
    for (host_name *n : {&f->color, &f->depth}) {
        if (n->name)
            gl->DeleteRenderbuffers(1, &n->name);
        *n = {};
    }
    f->color = {make(gl, f->color_format, f), next_serial()};
    if (f->depth_format != PIPE_FORMAT_NONE)
        f->depth = {make(gl, f->depth_format, f), next_serial()};
    f->serial = next_serial();
    gl->Flush();
    if (gl->GetError() != GL_NO_ERROR || !f->color.name ||
        (f->depth_format != PIPE_FORMAT_NONE && !f->depth.name)) {
        // The client says it: it knows whether a smaller one is tried next.
        log_info("espryt", "no storage for a surface of %ux%u", f->width, f->height);
        return false;
    }
    return true;
}

void drop(screen *s, surface *f) {
    if (!f)
        return;
    anchor_scope scope(s->host);
    for (host_name *n : {&f->color, &f->depth, &f->resolved.name}) {
        if (n->name && scope.ok)
            s->gl->DeleteRenderbuffers(1, &n->name);
    }
    if (f->window)
        window_close(f->window, s->gl);
    delete f;
}

pipe_status surface_create(pipe_screen *ps, const pipe_surface_create *p,
                           pipe_surface_create_reply *out) {
    screen *s = to_screen(ps);
    window *shows = nullptr;
    // Frames are read by whoever sends them.
    if (p->kind != PIPE_SURFACE_KIND_PBUFFER && p->kind != PIPE_SURFACE_KIND_FRAMES) {
        if (p->kind != PIPE_SURFACE_KIND_WINDOW || p->platform != s->host->platform ||
            !(shows = window_open(s->host, p->native, p->color_format, p->srgb)))
            return PIPE_DECLINED;
    }
    auto f = new surface;
    f->window = shows;
    f->color_format = p->color_format;
    f->depth_format = p->depth_format;
    f->width = p->width;
    f->height = p->height;
    f->samples = p->samples;
    surface *old = nullptr;
    bool made = make_buffers(s, f);
    if (made) {
        std::lock_guard<std::mutex> guard(table_lock);
        old = table().take_slot(p->surface);
        made = table().insert(p->surface, f);
    }
    for (surface *gone : {old, made ? nullptr : f})
        drop(s, gone);
    if (!made)
        return PIPE_ERROR;
    out->width = p->width;
    out->height = p->height;
    return PIPE_OK;
}

pipe_status surface_resize(pipe_screen *ps, const pipe_surface_resize *p) {
    surface *f = find_surface(p->surface);
    if (!f)
        return PIPE_ERROR;
    f->width = p->width;
    f->height = p->height;
    return make_buffers(to_screen(ps), f) ? PIPE_OK : PIPE_ERROR;
}

pipe_status surface_destroy(pipe_screen *ps, const pipe_surface_destroy *p) {
    screen *s = to_screen(ps);
    surface *f;
    {
        std::lock_guard<std::mutex> guard(table_lock);
        f = table().take(p->surface);
    }
    if (!f)
        return PIPE_ERROR;
    drop(s, f);
    return PIPE_OK;
}

// A pbuffer's contents simply stay. The flush gives other lanes and processes the frame.
void present(pipe_context *pc, const pipe_present *p, const pipe_scissor *damage) {
    context *ctx = to_context(pc);
    surface *s = find_surface(p->surface);
    resource *to = nullptr;
    if (!pipe_handle_is_null(p->target))
        to = find_resource(ctx, p->target);
    if (s && to && to->name.name)
        surface_copy(ctx, s, to);
    else if (s && s->window)
        window_present(ctx, s->window, s, drivers_common::legal_interval(p->interval), damage,
                       p->num_rects);
    else
        ctx->gl->Flush();
    flush_point(ctx, "present");
}

void set_swap_interval(pipe_context *, const pipe_set_swap_interval *) {
    // Comes with each present.
}

} // namespace

surface *find_surface(pipe_handle h) {
    return pipe_handle_is_null(h) ? nullptr : table().find(h);
}

void init_surface_functions(screen *s, context *c) {
    if (s) {
        s->surface_create = surface_create;
        s->surface_resize = surface_resize;
        s->surface_destroy = surface_destroy;
    }
    if (c) {
        c->present = present;
        c->set_swap_interval = set_swap_interval;
    }
}

} // namespace espryt
