// SPDX-License-Identifier: MIT
// The client's screen table: generated entries, and those answered on this side.
#include "counters.h"
#include "lane.h"
#include "screen.h"

#include "pipe/pipe_archive.h"
#include "pipe_wire/emitter.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace remote {
namespace {

// The generated entries behind the ones below, all of them; which a screen has its own table says.
const pipe_screen emitted = [] {
    pipe_caps all{};
    memset(all.call_mask, 0xff, sizeof all.call_mask);
    pipe_screen table{};
    wire::fill_screen(&table, &all);
    return table;
}();

enum pipe_status get_caps(pipe_screen *screen, const pipe_get_caps *, pipe_get_caps_reply *out) {
    out->caps = screen->caps;
    return PIPE_OK;
}

// Size 0 tells the caller to use an ordinary pointer, which place() copies.
enum pipe_status stage_alloc(pipe_screen *s, const pipe_stage_alloc *p,
                             pipe_stage_alloc_reply *out) {
    *out = {};
    ClientScreen &screen = ClientScreen::of(s);
    Lane *lane = screen.find_lane(p->lane);
    uint64_t offset;
    if (!lane || !p->size || !lane->stage_alloc(p->size, p->alignment, &offset))
        return PIPE_OK;
    out->address = reinterpret_cast<uint64_t>(screen.connection().stage.data() + offset);
    out->offset = offset;
    out->size = p->size;
    out->seg = PIPE_SEG_STAGE;
    return PIPE_OK;
}

// What a window is called here means nothing to a server that does not share its display.
enum pipe_status surface_create(pipe_screen *s, const pipe_surface_create *p,
                                pipe_surface_create_reply *out) {
    if (p->native && !ClientScreen::of(s).shares_display())
        return PIPE_DECLINED;
    const enum pipe_status status = emitted.surface_create(s, p, out);
    if (status == PIPE_OK && p->kind == PIPE_SURFACE_KIND_FRAMES)
        ClientScreen::of(s).note_frames(p->surface, true);
    return status;
}

enum pipe_status surface_destroy(pipe_screen *s, const pipe_surface_destroy *p) {
    ClientScreen::of(s).note_frames(p->surface, false);
    return emitted.surface_destroy(s, p);
}

pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p) {
    return Lane::create(ClientScreen::of(screen), p);
}

void fence_create(pipe_context *ctx, const pipe_fence_create *p) {
    Lane::of(ctx).storage.flush(Lane::of(ctx));
    ClientScreen::of(ctx->screen).fence_add(p->fence);
    emitted.fence_create(ctx, p);
}

void fence_destroy(pipe_context *ctx, const pipe_fence_destroy *p) {
    ClientScreen::of(ctx->screen).fence_forget(p->fence);
    emitted.fence_destroy(ctx, p);
}

// The caller polls its own note of on_fence_signaled and comes here once in a while
// (MGPIPE_POLL_ESCALATE): answered here when the retirement was reported meanwhile, else by the
// server, so that a loop always makes progress.
enum pipe_status fence_status(pipe_context *ctx, const pipe_fence_status *p,
                              pipe_fence_status_reply *out) {
    ClientScreen &screen = ClientScreen::of(ctx->screen);
    Lane &lane = Lane::of(ctx);
    *out = {};
    if (!lane.lost()) {
        lane.publish();
        screen.collect_events();
    }
    out->signaled = screen.fence_known(p->fence) || lane.lost();
    if (out->signaled) {
        count_fence_local.add();
        return PIPE_OK;
    }
    count_fence_escalated.add();
    enum pipe_status status = emitted.fence_status(ctx, p, out);
    if (lane.lost()) {
        out->signaled = 1;
        return PIPE_OK;
    }
    if (status == PIPE_OK && out->signaled)
        screen.fence_signal(p->fence);
    return status;
}

enum pipe_status fence_wait(pipe_context *ctx, const pipe_fence_wait *p,
                            pipe_fence_wait_reply *out) {
    ClientScreen &screen = ClientScreen::of(ctx->screen);
    Lane &lane = Lane::of(ctx);
    *out = {};
    if (!lane.lost()) {
        lane.publish();
        screen.collect_events();
    }
    if (screen.fence_known(p->fence) || lane.lost()) {
        out->signaled = 1;
        return PIPE_OK;
    }
    if (p->timeout_ns == 0) {
        // A poll in another dress.
        pipe_fence_status poll{p->fence};
        pipe_fence_status_reply answer{};
        enum pipe_status status = fence_status(ctx, &poll, &answer);
        out->signaled = answer.signaled;
        return status;
    }
    enum pipe_status status = emitted.fence_wait(ctx, p, out);
    if (lane.lost()) {
        out->signaled = 1;
        return PIPE_OK;
    }
    if (status == PIPE_OK && out->signaled)
        screen.fence_signal(p->fence);
    return status;
}

// An address of the driver means nothing here, unless it runs in this process.
enum pipe_status map_persistent(pipe_context *ctx, const pipe_map_persistent *p,
                                pipe_map_persistent_reply *out) {
    ClientScreen::of(ctx->screen).writebacks().ban(p->resource);
    return map_by_offer(emitted.map_persistent, ctx, p, out);
}

// Shaders write to the store of a texture buffer.
void resource_create(pipe_context *ctx, const pipe_resource_create *p) {
    ClientScreen::of(ctx->screen).writebacks().ban(p->desc.buffer);
    emitted.resource_create(ctx, p);
}

void resource_respecify(pipe_context *ctx, const pipe_resource_respecify *p) {
    Writebacks &writebacks = ClientScreen::of(ctx->screen).writebacks();
    writebacks.ban(p->desc.buffer);
    writebacks.written(Lane::of(ctx).slot(), p->desc.resource, 0, PIPE_WHOLE_SIZE);
    emitted.resource_respecify(ctx, p);
}

void resource_invalidate(pipe_context *ctx, const pipe_resource_invalidate *p) {
    ClientScreen::of(ctx->screen)
        .writebacks()
        .written(Lane::of(ctx).slot(), p->resource, 0, PIPE_WHOLE_SIZE);
    emitted.resource_invalidate(ctx, p);
}

void resource_destroy(pipe_context *ctx, const pipe_resource_destroy *p) {
    emitted.resource_destroy(ctx, p);
    ClientScreen::of(ctx->screen).maps.drop(p->resource);
    ClientScreen::of(ctx->screen).writebacks().drop(p->resource);
}

void create_shader_state(pipe_context *ctx, const pipe_create_shader_state *p,
                         const pipe_shader_archive *archive) {
    if (std::any_of(archive->stages.begin(), archive->stages.end(),
                    [](const auto &s) { return s.writes_memory != 0; }))
        ClientScreen::of(ctx->screen).note_writer(p->shader, p->serial > 1);
    emitted.create_shader_state(ctx, p, archive);
}

void delete_shader_state(pipe_context *ctx, const pipe_delete_shader_state *p) {
    ClientScreen::of(ctx->screen).forget_program(p->shader);
    emitted.delete_shader_state(ctx, p);
}

// Descriptors travel beside the record, which has no number of ours in it.
enum pipe_status resource_import(pipe_screen *screen, const pipe_resource_import *p) {
    RootEmitter &root = ClientScreen::of(screen).root();
    const std::lock_guard lock(root.importing);
    if (p->num_planes > std::size(p->fd) || !root.put_beside(p->fd, p->num_planes))
        return PIPE_ERROR;
    pipe_resource_import record = *p;
    std::fill(std::begin(record.fd), std::end(record.fd), -1);
    const enum pipe_status status = emitted.resource_import(screen, &record);
    root.put_beside(nullptr, 0); // where it was not sent
    return status;
}

void destroy(pipe_screen *screen) {
    delete &ClientScreen::of(screen);
}

void drain_events(pipe_screen *screen) {
    ClientScreen::of(screen).deliver_events();
}

// Calls whose meaning is memory or a descriptor of the caller's own process.
void hide_local_calls(pipe_caps *caps, bool descriptors_cross) {
    for (uint32_t op :
         {PIPE_OP_UNMAP_PERSISTENT, PIPE_OP_BUFFER_SUBDATA_RESIDENT, PIPE_OP_RESOURCE_FLUSH_RANGE,
          PIPE_OP_FENCE_IMPORT_FD, PIPE_OP_FENCE_EXPORT_FD})
        pipe_caps_drop_call(caps, op);
    if (!descriptors_cross) {
        pipe_caps_drop_call(caps, PIPE_OP_RESOURCE_IMPORT);
        pipe_caps_drop_call(caps, PIPE_OP_RESOURCE_EXPORT);
        pipe_caps_drop_call(caps, PIPE_OP_DMABUF_FORMATS);
        caps->features[PIPE_CAP_DMABUF_IMPORT / 64] &= ~(1ull << (PIPE_CAP_DMABUF_IMPORT % 64));
    }
    // The server orders lanes itself, whatever its driver has.
    caps->call_mask[(PIPE_OP_LANE_WAIT - 1) / 64] |= 1ull << ((PIPE_OP_LANE_WAIT - 1) % 64);
}

void fill_table(ClientScreen *screen) {
    const bool elsewhere = screen->connection().form != Form::inproc;
    hide_local_calls(&screen->caps, !screen->connection().stream);
    wire::fill_screen(screen, &screen->caps);
    screen->resource_create = screen->resource_create ? resource_create : nullptr;
    screen->resource_respecify = screen->resource_respecify ? resource_respecify : nullptr;
    screen->resource_invalidate = screen->resource_invalidate ? resource_invalidate : nullptr;
    screen->resource_destroy = screen->resource_destroy ? resource_destroy : nullptr;
    screen->create_shader_state = create_shader_state;
    screen->delete_shader_state = delete_shader_state;
    if (screen->resource_import)
        screen->resource_import = resource_import;
    const bool sees_us = !screen->connection().stream;
    if (elsewhere && sees_us && screen->map_persistent && screen->resource_destroy) {
        screen->map_persistent = map_persistent;
    } else if (elsewhere) {
        screen->map_persistent = nullptr;
    }
    screen->get_caps = get_caps;
    screen->stage_alloc = stage_alloc;
    screen->lane_create = lane_create;
    if (screen->surface_create)
        screen->surface_create = surface_create;
    if (screen->surface_destroy)
        screen->surface_destroy = surface_destroy;
    screen->destroy = destroy;
    screen->drain_events = drain_events;
    if (screen->fence_create) {
        screen->fence_create = fence_create;
        screen->fence_destroy = fence_destroy;
        screen->fence_status = fence_status;
        screen->fence_wait = fence_wait;
    }
}

} // namespace

pipe_screen *create_screen(const Options &options, const pipe_screen_config *config) {
    std::shared_ptr<Connection> connection = Connection::get(options, config);
    if (!connection)
        return nullptr;
    auto screen = std::make_unique<ClientScreen>(connection, config);
    if (!screen->open())
        return nullptr;
    fill_table(screen.get());
    return screen.release();
}

bool lost(const pipe_screen *screen) {
    return static_cast<const ClientScreen *>(screen)->connection().lost();
}

bool share_frames(const FrameShare &share) {
    return Connection::share_frames(share);
}

uint64_t present_credit(const pipe_screen *screen) {
    return static_cast<const ClientScreen *>(screen)->connection().present_credit();
}

uint32_t server_pid(const pipe_screen *screen) {
    return static_cast<const ClientScreen *>(screen)->connection().server_pid;
}

} // namespace remote
