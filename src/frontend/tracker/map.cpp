// SPDX-License-Identifier: MIT
// Buffer maps. A map that needs no old bytes gets a block of its own, which unmap sends; one that
// keeps old bytes works on the client's copy, read back once; a map for reading syncs. Persistent
// maps share the driver's store where it agrees, else changed blocks are pushed before each verb.
#include "tracker/tracker_private.h"

#include "objects/errors.h"

#include <algorithm>
#include <new>

namespace st {

namespace {

constexpr uint64_t kAlign =
    64; // GL_MIN_MAP_BUFFER_ALIGNMENT: pointer minus offset is a multiple of it

std::unique_ptr<uint8_t[]> allocate(uint64_t bytes) {
    return std::unique_ptr<uint8_t[]>(new (std::nothrow) uint8_t[bytes]);
}

uint8_t *aligned(uint8_t *p) {
    return reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(p) + kAlign - 1) &
                                       ~uintptr_t(kAlign - 1));
}

// The client's copy with valid bytes. Null when out of memory or the device is lost.
uint8_t *valid_copy(Tracker &t, gl::Buffer &b, BufferData &d) {
    if (!d.copy) {
        d.copy_block = allocate(uint64_t(b.size) + kAlign);
        if (!d.copy_block)
            return nullptr;
        d.copy = aligned(d.copy_block.get());
        d.copy_valid = false;
    }
    if (d.copy_valid)
        return d.copy;
    if (!d.undefined && !buffer_read(t, b, 0, uint64_t(b.size), d.copy))
        std::memset(d.copy, 0, size_t(b.size));
    d.copy_valid = true;
    return d.copy;
}

void *own_block(BufferData &d, GLintptr offset, GLsizeiptr length) {
    const uint64_t lead = uint64_t(offset) % kAlign;
    d.map_block = allocate(uint64_t(length) + lead + kAlign);
    return d.map_block ? aligned(d.map_block.get()) + lead : nullptr;
}

// Memory of a map that needs no old bytes and that unmap sends as one record.
void *staged_block(Tracker &t, BufferData &d, GLintptr offset, GLsizeiptr length) {
    d.map_lead = uint64_t(offset) % kAlign;
    if (!stage_take(t, uint64_t(length) + d.map_lead, d.map_stage))
        return nullptr;
    return d.map_stage.ptr + d.map_lead;
}

void *map_persistent(Tracker &t, gl::Buffer &b, BufferData &d, GLintptr offset, GLsizeiptr length,
                     GLbitfield access) {
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
    if (access & GL_MAP_READ_BIT) {
        std::lock_guard lock(t.group.mutex);
        t.group.persistent_reads.push_back(&b);
        t.group.num_persistent.fetch_add(1);
    }
    if (access & GL_MAP_WRITE_BIT) {
        d.pushed = allocate(uint64_t(length));
        if (!d.pushed)
            return nullptr;
        std::memcpy(d.pushed.get(), copy + offset, size_t(length));
        if (!(access & GL_MAP_FLUSH_EXPLICIT_BIT)) {
            std::lock_guard lock(t.group.mutex);
            t.group.persistent.push_back(&b);
            t.group.num_persistent.fetch_add(1);
        }
    }
    return copy + offset;
}

// Sends the blocks of a persistent map that differ from what was pushed last.
void push_blocks(Tracker &t, gl::Buffer &b) {
    BufferData &d = data_of(b);
    if (!d.pushed || !d.copy)
        return;
    static const uint64_t block =
        uint64_t(std::max<int64_t>(util::env_int(util::Env::MAP_BLOCK_KB), 1)) * 1024;
    const uint64_t size = uint64_t(b.map_length);
    const uint8_t *now = d.copy + b.map_offset;
    for (uint64_t at = 0; at < size; at += block) {
        const uint64_t n = std::min(block, size - at);
        if (std::memcmp(now + at, d.pushed.get() + at, n) == 0)
            continue;
        std::memcpy(d.pushed.get() + at, now + at, n);
        upload_bytes(t, b.handle, uint64_t(b.map_offset) + at, n, d.pushed.get() + at, 0);
        note_write(t, d.write);
    }
    d.undefined = false;
}

} // namespace

void *buffer_map(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr length,
                 GLbitfield access) {
    Tracker &t = of(c);
    BufferData &d = data_of(b);
    wait_for(t, d.write);
    void *p = nullptr;
    const bool whole_write =
        (access & (GL_MAP_INVALIDATE_RANGE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT)) &&
        !(access & GL_MAP_READ_BIT);
    const bool flushed_only =
        (access & GL_MAP_FLUSH_EXPLICIT_BIT) && (access & GL_MAP_UNSYNCHRONIZED_BIT);
    if (access & GL_MAP_PERSISTENT_BIT) {
        p = map_persistent(t, b, d, offset, length, access);
    } else if (access & GL_MAP_WRITE_BIT) {
        // An unsynchronized map without an invalidation still keeps the bytes that the program does
        // not write.
        if ((whole_write || flushed_only) && !(d.copy && d.copy_valid)) {
            // Several flushes would name the same memory several times.
            if (!(access & GL_MAP_FLUSH_EXPLICIT_BIT))
                p = staged_block(t, d, offset, length);
            if (!p)
                p = own_block(d, offset, length);
        } else if (uint8_t *copy = valid_copy(t, b, d)) {
            p = copy + offset;
        }
    } else {
        if (d.copy && d.copy_valid) {
            p = d.copy + offset;
        } else if ((p = own_block(d, offset, length)) && !d.undefined) {
            buffer_read(t, b, uint64_t(offset), uint64_t(length), p);
        }
    }
    if (!p)
        gl::error(c, GL_OUT_OF_MEMORY, "no memory for a map of %lld bytes", (long long)length);
    return p;
}

static uint32_t map_flags(const gl::Buffer &b) {
    uint32_t f = 0;
    if (b.map_access & GL_MAP_UNSYNCHRONIZED_BIT)
        f |= PIPE_SUBDATA_UNSYNCHRONIZED;
    if ((b.map_access & GL_MAP_INVALIDATE_BUFFER_BIT) && !b.written_in_map)
        f |= PIPE_SUBDATA_DISCARD_WHOLE;
    else if (b.map_access & GL_MAP_INVALIDATE_RANGE_BIT)
        f |= PIPE_SUBDATA_DISCARD_RANGE;
    return f;
}

void buffer_flush_range(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr length) {
    Tracker &t = of(c);
    BufferData &d = data_of(b);
    if (d.shared) {
        pipe_resource_flush_range p{b.handle, uint64_t(offset), uint64_t(length)};
        t.lane.emit<&pipe_context::resource_flush_range>(&p);
        note_write(t, d.write);
        return;
    }
    const auto *bytes = static_cast<const uint8_t *>(b.map) + (offset - b.map_offset);
    // Only the first flush of a map may drop the rest of the buffer.
    upload_bytes(t, b.handle, uint64_t(offset), uint64_t(length), bytes,
                 map_flags(b) & ~uint32_t(PIPE_SUBDATA_DISCARD_WHOLE));
    d.undefined = false;
    note_write(t, d.write);
}

void forget_persistent(Group &g, gl::Buffer &b) {
    if (!g.num_persistent.load(std::memory_order_relaxed))
        return;
    std::lock_guard lock(g.mutex);
    std::erase(g.persistent, &b);
    std::erase(g.persistent_reads, &b);
    g.num_persistent.store(uint32_t(g.persistent.size() + g.persistent_reads.size()));
}

static void send_staged(Tracker &t, gl::Buffer &b, BufferData &d) {
    const uint64_t size = uint64_t(b.map_length);
    pipe_host_span span = stage_span(d.map_stage, d.map_lead, size);
    if (span.seg == PIPE_SEG_STAGE && d.map_stage.owner != &t)
        span = pipe_span(b.map, size); // memory of another lane: its record cannot be ours
    d.map_stage = {};
    d.undefined = false;
    upload_span(t, b.handle, uint64_t(b.map_offset), span, map_flags(b));
}

bool buffer_unmap(gl::Context &c, gl::Buffer &b) {
    Tracker &t = of(c);
    BufferData &d = data_of(b);
    const bool writes = b.map_access & GL_MAP_WRITE_BIT;
    if (b.map_access & GL_MAP_PERSISTENT_BIT) {
        if (!d.shared && writes && !(b.map_access & GL_MAP_FLUSH_EXPLICIT_BIT))
            push_blocks(t, b);
        forget_persistent(t.group, b);
        if (d.shared && writes) {
            pipe_resource_flush_range p{b.handle, uint64_t(b.map_offset), uint64_t(b.map_length)};
            t.lane.emit<&pipe_context::resource_flush_range>(&p);
        }
        d.pushed.reset();
        return true;
    }
    if (d.map_stage.ptr) {
        send_staged(t, b, d);
        note_write(t, d.write);
    } else if (writes && !(b.map_access & GL_MAP_FLUSH_EXPLICIT_BIT)) {
        upload_bytes(t, b.handle, uint64_t(b.map_offset), uint64_t(b.map_length), b.map,
                     map_flags(b));
        d.undefined = false;
        note_write(t, d.write);
    }
    d.map_block.reset();
    return !c.lost.load(std::memory_order_relaxed);
}

void push_persistent(Tracker &t) {
    if (t.group.num_persistent.load(std::memory_order_relaxed) == 0)
        return;
    std::vector<gl::Buffer *> maps;
    {
        std::lock_guard lock(t.group.mutex);
        maps = t.group.persistent;
    }
    const uint64_t me = uint64_t(1) << t.c.lane_index;
    for (gl::Buffer *b : maps)
        if (b->map && (b->bound_lanes.load(std::memory_order_relaxed) & me))
            push_blocks(t, *b);
}

void pull_persistent(Tracker &t) {
    if (t.group.num_persistent.load(std::memory_order_relaxed) == 0)
        return;
    std::vector<gl::Buffer *> maps;
    {
        std::lock_guard lock(t.group.mutex);
        maps = t.group.persistent_reads;
    }
    for (gl::Buffer *b : maps) {
        BufferData &d = data_of(*b);
        if (!b->map || d.copy_valid || !d.copy)
            continue;
        // What the program wrote meanwhile goes first, so that reading back does not lose it.
        push_blocks(t, *b);
        d.copy_valid = buffer_read(t, *b, 0, uint64_t(b->size), d.copy);
        if (d.pushed)
            std::memcpy(d.pushed.get(), d.copy + b->map_offset, size_t(b->map_length));
    }
}

} // namespace st
