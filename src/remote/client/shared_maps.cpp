// SPDX-License-Identifier: MIT
// Offers of memory for persistent maps; see shared_maps.h.
#include "shared_maps.h"

#include "lane.h"

#include <cstring>

namespace remote {

uint8_t *SharedMaps::find(pipe_handle resource) {
    std::lock_guard lock(mutex_);
    auto it = memory_.find(pipe_handle_key(resource));
    return it == memory_.end() ? nullptr : it->second.data();
}

void SharedMaps::keep(pipe_handle resource, Segment memory) {
    std::lock_guard lock(mutex_);
    memory_[pipe_handle_key(resource)] = std::move(memory);
    any_.store(true, std::memory_order_release);
}

void SharedMaps::drop(pipe_handle resource) {
    if (!any_.load(std::memory_order_acquire))
        return;
    std::lock_guard lock(mutex_);
    memory_.erase(pipe_handle_key(resource));
    any_.store(!memory_.empty(), std::memory_order_release);
}

void SharedMaps::abandon() {
    for (auto &[key, segment] : memory_)
        segment.abandon();
    memory_.clear();
    any_.store(false);
}

enum pipe_status map_by_offer(EmitMap emit, pipe_context *ctx, const pipe_map_persistent *p,
                              pipe_map_persistent_reply *out) {
    Lane &lane = Lane::of(ctx);
    SharedMaps &maps = lane.screen().maps;
    const uint64_t size = out->size;
    if (uint8_t *known = maps.find(p->resource)) {
        // Asked again, the server waits for the commands so far.
        enum pipe_status status = emit(ctx, p, out);
        *out = {reinterpret_cast<uint64_t>(known), size};
        return status;
    }
    *out = {};
    const uint64_t pages = (size + map_answer_bytes - 1) & ~(map_answer_bytes - 1);
    if (!size || pages < size)
        return PIPE_ERROR;
    OneShot memory(lane.screen().connection(), pages + map_answer_bytes);
    if (!memory.id())
        return PIPE_ERROR;
    const uint64_t mark = map_mark(memory.id(), p->resource);
    memcpy(memory.data() + pages, &mark, sizeof mark);
    lane.answer_into(&memory, pages);
    enum pipe_status status = emit(ctx, p, out);
    lane.answer_into(nullptr, 0);
    if (status != PIPE_OK)
        return status;
    *out = {reinterpret_cast<uint64_t>(memory.data()), size};
    maps.keep(p->resource, memory.take());
    return PIPE_OK;
}

} // namespace remote
