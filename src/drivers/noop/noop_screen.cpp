// SPDX-License-Identifier: MIT
// The few entries of the noop driver that have an answer.
#include "noop_public.h"

#include <new>

#include "noop_private.h"

#include "pipe/pipe_fourcc.h"

#include <algorithm>
#include <iterator>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace noop {

enum pipe_status get_caps(pipe_screen *screen, const pipe_get_caps *, pipe_get_caps_reply *out) {
    out->caps = screen->caps;
    return PIPE_OK;
}

// No memory of our own: the client uses ordinary pointers.
enum pipe_status stage_alloc(pipe_screen *, const pipe_stage_alloc *, pipe_stage_alloc_reply *out) {
    *out = {};
    return PIPE_OK;
}

pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p) {
    auto *ctx = new (std::nothrow) pipe_context{};
    if (!ctx)
        return nullptr;
    ctx->screen = screen;
    ctx->lane = p->lane;
    fill_context(ctx);
    return ctx;
}

void lane_destroy(pipe_context *ctx, const pipe_lane_destroy *) {
    delete ctx;
}

// A window of Wayland belongs to the connection that made it.
enum pipe_status surface_create(pipe_screen *, const pipe_surface_create *p,
                                pipe_surface_create_reply *out) {
    if (p->kind == PIPE_SURFACE_KIND_WINDOW && p->platform == PIPE_PLATFORM_WAYLAND)
        return PIPE_DECLINED;
    out->width = p->width;
    out->height = p->height;
    return PIPE_OK;
}

// Any memory passes for a dma-buf here, so that the way to a driver can be tested everywhere.
enum pipe_status resource_import(pipe_screen *, const pipe_resource_import *p) {
    const bool linear = p->modifier == pipe_modifier_linear || p->modifier == pipe_modifier_none;
    if (!linear || p->num_planes != 1 || p->desc.format != pipe_format_of_fourcc(p->fourcc))
        return PIPE_DECLINED;
    struct stat memory;
    if (fstat(p->fd[0], &memory) || !S_ISREG(memory.st_mode) ||
        !pipe_import_fits(*p, static_cast<uint64_t>(memory.st_size)))
        return PIPE_ERROR;
    return PIPE_OK;
}

// Nothing is ever drawn there.
enum pipe_status resource_export(pipe_screen *, const pipe_resource_export *p,
                                 pipe_resource_export_reply *out) {
    *out = {};
    const uint64_t *end = p->modifier + p->num_modifiers;
    if (std::find(p->modifier, end, pipe_modifier_linear) == end)
        return PIPE_DECLINED;
    out->stride = p->desc.width * pipe_format_describe(p->desc.format)->block_bytes;
    out->modifier = pipe_modifier_linear;
    out->fd = memfd_create("noop-export", MFD_CLOEXEC);
    if (out->fd < 0)
        return PIPE_ERROR;
    if (ftruncate(out->fd, off_t(out->stride) * p->desc.height) == 0)
        return PIPE_OK;
    close(out->fd);
    return PIPE_ERROR;
}

enum pipe_status dmabuf_formats(pipe_screen *, const pipe_dmabuf_formats *p,
                                pipe_dmabuf_formats_reply *out) {
    *out = {};
    const auto rows = pipe_fourcc_rows();
    out->total = static_cast<uint32_t>(rows.size());
    for (size_t i = p->first; i < rows.size() && out->count < std::size(out->pair); i++)
        out->pair[out->count++] = {rows[i].fourcc, 1, pipe_modifier_linear};
    return PIPE_OK;
}

enum pipe_status fence_status(pipe_context *, const pipe_fence_status *,
                              pipe_fence_status_reply *out) {
    *out = {};
    out->signaled = 1;
    return PIPE_OK;
}

enum pipe_status fence_wait(pipe_context *, const pipe_fence_wait *, pipe_fence_wait_reply *out) {
    *out = {};
    out->signaled = 1;
    return PIPE_OK;
}

enum pipe_status query_available(pipe_context *, const pipe_query_available *,
                                 pipe_query_available_reply *out) {
    *out = {};
    out->available = 1;
    return PIPE_OK;
}

static void destroy(pipe_screen *screen) {
    delete screen;
}

} // namespace noop

struct pipe_screen *noop_create_screen(const struct pipe_screen_config *) {
    auto *screen = new pipe_screen{};
    noop::fill_screen(screen);
    screen->destroy = noop::destroy;
    noop::fill_caps(&screen->caps);
    pipe_context ctx = {};
    noop::fill_context(&ctx);
    pipe_tables_call_mask(screen, &ctx, screen->caps.call_mask, sizeof screen->caps.call_mask / 8);
    return screen;
}
