// SPDX-License-Identifier: MIT
// Stores that the program writes and reads while the host uses them. That the host's maps work is
// tried once, in both directions, before a program gets one.
#include "espryt_map.h"

#include "drivers_common/map_trial.h"

#include <algorithm>
#include <cstring>

#include "util/log.h"

namespace espryt {

namespace {

constexpr GLbitfield map_bits =
    GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT_EXT | GL_MAP_COHERENT_BIT_EXT;

uint8_t *map_all(context *ctx, uint64_t size) {
    return static_cast<uint8_t *>(
        ctx->gl->MapBufferRange(GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(size), map_bits));
}

// The host copies what was written to the map, and shows the copy there, while it stays mapped.
bool both_ways(const gles *gl, uint8_t *map) {
    constexpr uint32_t bytes = drivers_common::map_trial_bytes;
    return drivers_common::map_works_both_ways(map, [gl] {
        gl->CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, bytes, bytes);
        gl->Finish();
        return true;
    });
}

bool try_map(context *ctx) {
    const gles *gl = ctx->gl;
    constexpr uint64_t size = 4096;
    host_name b;
    gl->GenBuffers(1, &b.name);
    b.serial = next_serial();
    bool ok = false;
    if (b.name && ctx->sh.bind_buffer(GL_COPY_WRITE_BUFFER, b) &&
        ctx->sh.bind_buffer(GL_COPY_READ_BUFFER, b)) {
        gl->BufferStorageEXT(GL_COPY_WRITE_BUFFER, size, nullptr, map_bits);
        uint8_t *map = map_all(ctx, size);
        ok = map && both_ways(gl, map);
    }
    while (gl->GetError() != GL_NO_ERROR)
        ok = false;
    ctx->sh.forget_buffer(b);
    gl->DeleteBuffers(1, &b.name);
    return ok;
}

bool proved(context *ctx) {
    host *h = ctx->host;
    std::lock_guard<std::mutex> guard(h->map_mutex);
    if (!h->map_tried) {
        h->map_works = try_map(ctx);
        h->map_tried = true;
        log_info("espryt", "persistent maps of the host: tried, they %s",
                 h->map_works ? "work" : "do not work");
    }
    return h->map_works;
}

bool has_maps(context *ctx) {
    return ctx->has(feature::buffer_storage) && ctx->gl->BufferStorageEXT;
}

pipe_status map_persistent(pipe_context *pc, const pipe_map_persistent *p,
                           pipe_map_persistent_reply *out) {
    context *ctx = to_context(pc);
    const bool offered = out->address != 0; // memory of somebody else: nothing of ours imports it
    *out = {};
    if (offered || !has_maps(ctx) || !proved(ctx))
        return PIPE_DECLINED;
    resource *r = find_resource(ctx, p->resource);
    if (!r || !r->is_buffer() || !r->mappable)
        return PIPE_ERROR;
    if (!r->mapped) {
        if (!ctx->sh.bind_buffer(GL_COPY_WRITE_BUFFER, r->name))
            return PIPE_ERROR;
        r->mapped = map_all(ctx, r->desc.size);
        if (reinterpret_cast<uintptr_t>(r->mapped) % 64) { // GL_MIN_MAP_BUFFER_ALIGNMENT
            unmap(ctx->gl, GL_COPY_WRITE_BUFFER);
            r->mapped = nullptr;
            verb_done(ctx, "map_persistent");
            return PIPE_ERROR;
        }
        if (r->mapped)
            ctx->scr->num_mapped.fetch_add(1);
        else
            host_failed(ctx, "persistent map");
    }
    if (r->mapped) { // as every map waits for the commands so far
        flush_mapped(ctx);
        ctx->gl->Finish();
        out->address = reinterpret_cast<uint64_t>(r->mapped);
        out->size = r->desc.size;
    }
    verb_done(ctx, "map_persistent");
    return r->mapped ? PIPE_OK : PIPE_ERROR;
}

} // namespace

bool wants_map(context *ctx, const pipe_resource_desc &d) {
    constexpr uint32_t both = PIPE_STORAGE_IMMUTABLE | PIPE_STORAGE_PERSISTENT;
    return (d.storage & both) == both && has_maps(ctx);
}

void make_mappable(context *ctx, const pipe_resource_desc &d, const void *zeros) {
    ctx->gl->BufferStorageEXT(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(d.size), zeros,
                              map_bits | GL_DYNAMIC_STORAGE_BIT_EXT);
}

void read_mapped(context *ctx, const resource *r, uint64_t offset, uint64_t size, void *dst) {
    flush_mapped(ctx);
    ctx->gl->Finish();
    memcpy(dst, r->mapped + offset, size);
}

void flush_mapped(context *ctx) {
    if (ctx->shaders_wrote && ctx->scr->num_mapped.load(std::memory_order_relaxed))
        ctx->gl->MemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT);
}

void init_map_functions(screen *s) {
    s->map_persistent = map_persistent;
}

} // namespace espryt
