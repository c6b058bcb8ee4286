// SPDX-License-Identifier: MIT
// Persistent maps. They share the driver's store where it agrees. Else the program works on the
// client's copy: changed blocks are pushed before each verb, and what the GPU may have written is
// pulled when the program learns that commands are complete (a fence that signaled, a finish).
#include "tracker/verify_upload.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace st {

namespace {

void list(Tracker &t, gl::Buffer &b) {
    std::lock_guard lock(t.group.persistent_mutex);
    data_of(b).listed = true;
    t.group.persistent.push_back(&b);
    t.group.num_persistent.store(uint32_t(t.group.persistent.size()));
}

void push_range(Tracker &t, gl::Buffer &b, BufferData &d, uint64_t at, uint64_t size) {
    std::memcpy(d.pushed.get() + at, d.copy + b.map_offset + at, size);
    // The program may write on meanwhile: its bytes are not compared.
    due_bytes(t, b, uint64_t(b.map_offset) + at, size, nullptr, false);
    upload_bytes(t, b.handle, uint64_t(b.map_offset) + at, size, d.pushed.get() + at, 0);
    note_write(t, d.write);
}

// Exactly the bytes that the program changed: between them may stand what the GPU wrote.
void push_runs(Tracker &t, gl::Buffer &b, BufferData &d, uint64_t at, uint64_t end) {
    const uint8_t *now = d.copy + b.map_offset, *base = d.pushed.get();
    while (at < end) {
        if (now[at] == base[at]) {
            at++;
            continue;
        }
        uint64_t stop = at + 1;
        while (stop < end && now[stop] != base[stop])
            stop++;
        push_range(t, b, d, at, stop - at);
        at = stop;
    }
}

// Sends what differs from what was pushed last. Under persistent_mutex.
void push_blocks(Tracker &t, gl::Buffer &b) {
    BufferData &d = data_of(b);
    if (!d.pushed || !d.copy)
        return;
    static const uint64_t block = uint64_t(util::env_int(util::Env::MAP_BLOCK_KB)) * 1024;
    const uint64_t size = uint64_t(b.map_length), lead = uint64_t(b.map_offset);
    for (uint64_t at = 0; at < size; at += block) {
        const uint64_t n = std::min(block, size - at);
        if (std::memcmp(d.copy + lead + at, d.pushed.get() + at, n) == 0)
            continue;
        if (copy_valid(d, lead + at, n))
            push_range(t, b, d, at, n);
        else
            push_runs(t, b, d, at, at + n);
    }
    d.undefined = false;
}

// `got` is what the store holds, `pushed` what it held when both sides agreed. A byte that the
// program changed meanwhile stays and goes with the next push.
void merge(uint8_t *now, uint8_t *pushed, const uint8_t *got, uint64_t size) {
    constexpr uint64_t step = 64;
    for (uint64_t at = 0; at < size; at += step) {
        const uint64_t n = std::min(step, size - at);
        if (std::memcmp(pushed + at, got + at, n) == 0)
            continue;
        for (uint64_t i = at; i < at + n; i++) {
            if (pushed[i] == got[i])
                continue;
            if (now[i] == pushed[i])
                now[i] = got[i];
            pushed[i] = got[i];
        }
    }
}

// Under persistent_mutex.
void pull(Tracker &t, gl::Buffer &b) {
    BufferData &d = data_of(b);
    const uint64_t begin = d.stale_begin, end = d.stale_end;
    if (!d.copy || begin >= end)
        return;
    if (!d.pushed) {
        if (store_read(t, b, begin, end - begin, d.copy + begin))
            copy_synced(t, d);
        return;
    }
    std::unique_ptr<uint8_t[]> got(new (std::nothrow) uint8_t[end - begin]);
    if (!got || !store_read(t, b, begin, end - begin, got.get()))
        return;
    const uint64_t map_begin = std::clamp(uint64_t(b.map_offset), begin, end);
    const uint64_t map_end = std::clamp(uint64_t(b.map_offset + b.map_length), begin, end);
    std::memcpy(d.copy + begin, got.get(), map_begin - begin);
    if (map_begin < map_end)
        merge(d.copy + map_begin, d.pushed.get() + (map_begin - uint64_t(b.map_offset)),
              got.get() + (map_begin - begin), map_end - map_begin);
    std::memcpy(d.copy + map_end, got.get() + (map_end - begin), end - map_end);
    copy_synced(t, d);
}

} // namespace

void *map_persistent(Tracker &t, gl::Buffer &b, GLintptr offset, GLsizeiptr length,
                     GLbitfield access) {
    BufferData &d = data_of(b);
    if (!d.shared) {
        pipe_map_persistent p{b.handle};
        pipe_map_persistent_reply r{};
        stat_round_trips.add();
        if (t.lane.emit<&pipe_screen::map_persistent>(&p, &r) == PIPE_OK && r.address &&
            r.size >= uint64_t(b.size))
            d.shared = reinterpret_cast<void *>(uintptr_t(r.address));
    }
    if (d.shared)
        return static_cast<uint8_t *>(d.shared) + offset;
    uint8_t *copy = valid_copy(t, b, d);
    if (!copy)
        return nullptr;
    if (access & GL_MAP_WRITE_BIT) {
        d.pushed.reset(new (std::nothrow) uint8_t[uint64_t(length)]);
        if (!d.pushed)
            return nullptr;
        std::memcpy(d.pushed.get(), copy + offset, size_t(length));
    }
    list(t, b);
    return copy + offset;
}

void unmap_persistent(Tracker &t, gl::Buffer &b) {
    BufferData &d = data_of(b);
    const bool writes = b.map_access & GL_MAP_WRITE_BIT;
    if (d.shared) {
        if (!writes)
            return;
        pipe_resource_flush_range p{b.handle, uint64_t(b.map_offset), uint64_t(b.map_length)};
        t.lane.emit<&pipe_context::resource_flush_range>(&p);
        return;
    }
    if (writes && !(b.map_access & GL_MAP_FLUSH_EXPLICIT_BIT)) {
        std::lock_guard lock(t.group.persistent_mutex);
        push_blocks(t, b);
    }
    forget_persistent(t.group, b);
    d.pushed.reset();
}

void flush_persistent(Tracker &t, gl::Buffer &b, GLintptr offset, GLsizeiptr length) {
    BufferData &d = data_of(b);
    if (d.shared) {
        pipe_resource_flush_range p{b.handle, uint64_t(offset), uint64_t(length)};
        t.lane.emit<&pipe_context::resource_flush_range>(&p);
        note_write(t, d.write);
        return;
    }
    std::lock_guard lock(t.group.persistent_mutex);
    push_range(t, b, d, uint64_t(offset - b.map_offset), uint64_t(length));
    d.undefined = false;
}

void write_persistent(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size,
                      const void *bytes) {
    BufferData &d = data_of(b);
    std::lock_guard lock(t.group.persistent_mutex);
    const auto *from = static_cast<const uint8_t *>(bytes);
    std::memcpy(d.copy + offset, from, size);
    const uint64_t begin = std::max(offset, uint64_t(b.map_offset));
    const uint64_t end = std::min(offset + size, uint64_t(b.map_offset + b.map_length));
    if (d.pushed && begin < end)
        std::memcpy(d.pushed.get() + (begin - uint64_t(b.map_offset)), from + (begin - offset),
                    end - begin);
}

void forget_persistent(Group &g, gl::Buffer &b) {
    if (!data_of(b).listed)
        return;
    std::lock_guard lock(g.persistent_mutex);
    data_of(b).listed = false;
    std::erase(g.persistent, &b);
    g.num_persistent.store(uint32_t(g.persistent.size()));
}

void push_persistent(Tracker &t) {
    if (t.group.num_persistent.load(std::memory_order_relaxed) == 0)
        return;
    const uint64_t me = uint64_t(1) << t.c.lane_index;
    std::lock_guard lock(t.group.persistent_mutex);
    for (gl::Buffer *b : t.group.persistent)
        if (b->map && !(b->map_access & GL_MAP_FLUSH_EXPLICIT_BIT) &&
            (b->bound_lanes.load(std::memory_order_relaxed) & me))
            push_blocks(t, *b);
}

void pull_persistent(Tracker &t) {
    if (t.group.num_persistent.load(std::memory_order_relaxed) == 0)
        return;
    std::lock_guard lock(t.group.persistent_mutex);
    for (gl::Buffer *b : t.group.persistent)
        if (b->map)
            pull(t, *b);
}

} // namespace st
