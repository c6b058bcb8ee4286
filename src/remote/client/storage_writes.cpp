// SPDX-License-Identifier: MIT
// Writes of shaders; see storage_writes.h.
#include "storage_writes.h"

#include "lane.h"

#include <algorithm>

namespace remote {

// More than these are read with a question.
constexpr size_t most_writes = 64;

void StorageWrites::bind(const pipe_set_shader_buffers &p, const pipe_buffer_range *ranges) {
    if (p.cls == PIPE_BUFFER_CLASS_UNIFORM || p.start > PIPE_MAX_INDEXED_BUFFERS ||
        p.count > PIPE_MAX_INDEXED_BUFFERS - p.start)
        return;
    Class &c = bound_[p.cls == PIPE_BUFFER_CLASS_ATOMIC];
    std::copy_n(ranges, p.count, c.range.begin() + p.start);
    c.used = std::max(c.used, p.start + p.count);
}

void StorageWrites::note(const pipe_buffer_range &r) {
    for (Write &w : writes_)
        if (pipe_handle_equal(w.range.buffer, r.buffer) && w.range.offset == r.offset &&
            w.range.size == r.size) {
            w.readable = false;
            return;
        }
    if (writes_.size() < most_writes)
        writes_.push_back({r, false});
}

void StorageWrites::verb(Lane &lane) {
    Writebacks &all = lane.screen().writebacks();
    if (!all.any())
        return;
    for (const Class &c : bound_)
        for (uint32_t i = 0; i < c.used; i++) {
            const pipe_buffer_range &r = c.range[i];
            if (!pipe_handle_is_null(r.buffer) &&
                all.written(lane.slot(), r.buffer, r.offset, r.size))
                note(r);
        }
}

void StorageWrites::barrier(Lane &lane, enum pipe_barrier barriers) {
    if (writes_.empty() ||
        !(barriers & (PIPE_BARRIER_BUFFER_UPDATE | PIPE_BARRIER_CLIENT_MAPPED_BUFFER)))
        return;
    for (Write &w : writes_)
        w.readable = true;
    promise(lane, true);
}

void StorageWrites::promise(Lane &lane, bool early) {
    Writebacks &all = lane.screen().writebacks();
    std::erase_if(writes_, [&](const Write &w) {
        if (!w.readable || (early && !all.wants_early(w.range.buffer)))
            return false;
        Writebacks::Ranges parts;
        const size_t n = all.read_of(w.range.buffer, w.range.offset, w.range.size, parts);
        for (size_t i = 0; i < n; i++)
            lane.promise(w.range.buffer, parts[i].offset, parts[i].size, early);
        return true;
    });
}

} // namespace remote
