// SPDX-License-Identifier: MIT
// The share group: creation, debug flags, deferred deletion of host objects.
#include "espryt_screen.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "drivers_common/pacing.h"
#include "espryt_anchor.h"
#include "espryt_caps.h"
#include "espryt_context.h"
#include "espryt_dmabuf.h"
#include "espryt_program.h"
#include "espryt_public.h"
#include "espryt_resource.h"
#include "espryt_shared_image.h"
#include "util/env.h"
#include "util/log.h"
#include "util/options.h"

namespace espryt {

drivers_common::emulation_row emulations[] = {
#define X(id, name, help) {name, help, {"espryt.emulated." name, help}},
    ESPRYT_EMULATIONS(X)
#undef X
};

namespace {

// The client's list travels in `options` ("MGPIPE_DEBUG=a,b"); without one the environment of this
// process counts.
void parse_debug(const char *options, debug_flags *d) {
    uint64_t bits = util::debug_flags;
    std::string list;
    if (const auto given = util::option(options, "MGPIPE_DEBUG")) {
        list = *given;
        bits = util::debug_parse(list);
    } else {
        list = util::env_text(util::Env::DEBUG);
    }
    auto has = [&](util::Debug flag) { return (bits >> static_cast<unsigned>(flag) & 1) != 0; };
    d->shadow = has(util::Debug::shadow);
    d->raw_bind = has(util::Debug::rawbind);
    d->sync = has(util::Debug::sync);
    d->checks = d->shadow || d->sync || gles_fault_armed();
    const std::span<const drivers_common::emulation_row> all(emulations);
    d->force = drivers_common::forced_emulations(all.first(32), list) |
               uint64_t(drivers_common::forced_emulations(all.subspan(32), list)) << 32;
}

void delete_now(const gles *gl, const grave &g) {
    switch (g.kind) {
    case grave::buffer: gl->DeleteBuffers(1, &g.name); break;
    case grave::texture: gl->DeleteTextures(1, &g.name); break;
    case grave::renderbuffer: gl->DeleteRenderbuffers(1, &g.name); break;
    case grave::framebuffer: gl->DeleteFramebuffers(1, &g.name); break;
    case grave::sampler: gl->DeleteSamplers(1, &g.name); break;
    case grave::program: gl->DeleteProgram(g.name); break;
    case grave::query: gl->DeleteQueries(1, &g.name); break;
    case grave::sync: gl->DeleteSync(g.sync_object); break;
    }
}

pipe_status get_caps(pipe_screen *s, const pipe_get_caps *, pipe_get_caps_reply *out) {
    out->caps = s->caps;
    return PIPE_OK;
}

pipe_status memory_info(pipe_screen *, const pipe_memory_info *, pipe_memory_info_reply *out) {
    memset(out, 0, sizeof(*out));
    return PIPE_DECLINED;
}

void destroy(pipe_screen *ps) {
    screen *s = to_screen(ps);
    // Objects that the client never deleted go with the anchor context current.
    std::optional<anchor_scope> scope(std::in_place, s->host);
    const bool ok = scope->ok;
    end_images(s);
    end_sampler_views(s);
    end_fences(s);
    s->resources.each([&](resource *r) { resource_unref(nullptr, s, r); });
    s->samplers.each([&](sampler *x) {
        bury(s, {grave::sampler, x->name.name, nullptr});
        delete x;
    });
    s->programs.each([&](program *p) { bury_program(s, p); });
    for (const grave &g : s->graves) {
        if (ok)
            delete_now(s->gl, g);
    }
    scope.reset();
    host *h = s->host;
    delete s;
    host_close(h);
}

void fill_tables(screen *s, context *c) {
    init_resource_functions(s, c);
    init_image_functions(s);
    init_dmabuf_functions(s);
    init_map_functions(s);
    init_texture_functions(s, c);
    init_transfer_functions(s, c);
    init_readback_functions(s, c);
    init_program_functions(s, c);
    init_state_functions(s, c);
    init_vertex_functions(s, c);
    init_framebuffer_functions(s, c);
    init_draw_functions(s, c);
    init_clear_functions(s, c);
    init_blit_functions(s, c);
    init_query_functions(s, c);
    init_fence_functions(s, c);
    init_surface_functions(s, c);
    init_stream_output_functions(s, c);
    init_context_functions(s, c);
}

} // namespace

EGLContext share_anchor(host *h) {
    const std::lock_guard lock(h->anchor_mutex);
    if (!h->anchored)
        h->anchor = host_context_create(h, EGL_NO_CONTEXT);
    h->anchored = true;
    return h->anchor;
}

void bury(screen *s, grave g) {
    if (host_of_current() == s->host) {
        delete_now(s->gl, g);
        return;
    }
    std::lock_guard<std::mutex> guard(s->grave_lock);
    s->graves.push_back(g);
    s->has_graves = true;
}

void dig_graves(context *ctx) {
    screen *s = ctx->scr;
    if (!s->has_graves.load(std::memory_order_relaxed))
        return;
    std::vector<grave> list;
    {
        std::lock_guard<std::mutex> guard(s->grave_lock);
        list.swap(s->graves);
        s->has_graves = false;
    }
    for (const grave &g : list)
        delete_now(s->gl, g);
}

} // namespace espryt

const char *espryt_emulation_help() {
    static const std::string text = drivers_common::emulation_help(espryt::emulations);
    return text.c_str();
}

struct pipe_screen *espryt_create_screen(const struct pipe_screen_config *config) {
    using namespace espryt;
    host *h = config ? host_open(config->platform, config->display_name, config->native_display)
                     : host_open(PIPE_PLATFORM_NONE, nullptr, 0);
    if (!h)
        return nullptr;
    EGLContext anchor = share_anchor(h);
    if (anchor == EGL_NO_CONTEXT) {
        host_close(h);
        return nullptr;
    }
    auto s = new screen{};
    parse_debug(config ? config->options : nullptr, &s->debug);
    const bool widen = s->debug.force >> unsigned(emulation::wide_format) & 1;
    [[maybe_unused]] static const bool probed = [h, widen] {
        const anchor_scope scope(h);
        if (scope.ok)
            formats_probe(h, widen);
        return true;
    }();
    s->host = h;
    s->gl = &h->gl;
    if (config)
        s->config = *config;
    s->frames_in_flight = drivers_common::frames_in_flight(config ? config->options : nullptr);
    fill_caps(h, &s->caps);
    s->destroy = destroy;
    s->get_caps = get_caps;
    s->memory_info = memory_info;
    // stage_alloc stays null: a host copies from a mapped buffer no faster than from a pointer, and
    // then once more (docs/drivers/espryt.md).
    auto tables = std::make_unique<context>();
    fill_tables(s, tables.get());
    pipe_tables_call_mask(s, tables.get(), s->caps.call_mask, 4);
    return s;
}
