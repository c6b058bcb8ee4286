// SPDX-License-Identifier: MIT
// Buffer maps. A map that needs no old bytes gets a block of its own, which unmap sends; one that
// keeps old bytes works on the client's copy, read back once; a map for reading syncs.
#include "tracker/verify_upload.h"

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

// The map's memory is not `copy`, which therefore lags behind what the map sends.
void sent_beside_copy(Tracker &t, gl::Buffer &b, GLintptr offset, GLsizeiptr length) {
    BufferData &d = data_of(b);
    if (d.map_block || d.map_stage.ptr)
        copy_stale(t, b, uint64_t(offset), uint64_t(length));
}

} // namespace

uint8_t *valid_copy(Tracker &t, gl::Buffer &b, BufferData &d) {
    if (!d.copy) {
        d.copy_block = allocate(uint64_t(b.size) + kAlign);
        if (!d.copy_block)
            return nullptr;
        d.copy = aligned(d.copy_block.get());
        copy_stale(t, b, 0, uint64_t(b.size));
    }
    const uint64_t size = d.stale_end - d.stale_begin;
    uint8_t *stale = d.copy + d.stale_begin;
    if (size && (d.undefined || !store_read(t, b, d.stale_begin, size, stale)))
        std::memset(stale, 0, size_t(size));
    copy_synced(t, d);
    return d.copy;
}

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
        p = map_persistent(t, b, offset, length, access);
    } else if (access & GL_MAP_WRITE_BIT) {
        // An unsynchronized map without an invalidation still keeps the bytes that the program does
        // not write.
        if ((whole_write || flushed_only) && !copy_valid(d, 0, uint64_t(b.size))) {
            // Several flushes would name the same memory several times.
            if (!(access & GL_MAP_FLUSH_EXPLICIT_BIT))
                p = staged_block(t, d, offset, length);
            if (!p)
                p = own_block(d, offset, length);
        } else if (uint8_t *copy = valid_copy(t, b, d)) {
            p = copy + offset;
        }
    } else {
        if (copy_valid(d, uint64_t(offset), uint64_t(length))) {
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
    if (b.map_access & GL_MAP_PERSISTENT_BIT)
        return flush_persistent(t, b, offset, length);
    sent_beside_copy(t, b, offset, length);
    const auto *bytes = static_cast<const uint8_t *>(b.map) + (offset - b.map_offset);
    due_bytes(t, b, uint64_t(offset), uint64_t(length), bytes, false);
    // Only the first flush of a map may drop the rest of the buffer.
    upload_bytes(t, b.handle, uint64_t(offset), uint64_t(length), bytes,
                 map_flags(b) & ~uint32_t(PIPE_SUBDATA_DISCARD_WHOLE));
    d.undefined = false;
    note_write(t, d.write);
}

static void send_staged(Tracker &t, gl::Buffer &b, BufferData &d) {
    const uint64_t size = uint64_t(b.map_length);
    pipe_host_span span = stage_span(d.map_stage, d.map_lead, size);
    if (span.seg == PIPE_SEG_STAGE && d.map_stage.owner != &t)
        span = pipe_span(b.map, size); // memory of another lane: its record cannot be ours
    d.map_stage = {};
    d.undefined = false;
    due_bytes(t, b, uint64_t(b.map_offset), size, b.map,
              b.map_access & GL_MAP_INVALIDATE_BUFFER_BIT);
    upload_span(t, b.handle, uint64_t(b.map_offset), span, map_flags(b));
}

bool buffer_unmap(gl::Context &c, gl::Buffer &b) {
    Tracker &t = of(c);
    BufferData &d = data_of(b);
    const bool writes = b.map_access & GL_MAP_WRITE_BIT;
    if (b.map_access & GL_MAP_PERSISTENT_BIT) {
        unmap_persistent(t, b);
        return true;
    }
    if (writes && !(b.map_access & GL_MAP_FLUSH_EXPLICIT_BIT))
        sent_beside_copy(t, b, b.map_offset, b.map_length);
    if (d.map_stage.ptr) {
        send_staged(t, b, d);
        note_write(t, d.write);
    } else if (writes && !(b.map_access & GL_MAP_FLUSH_EXPLICIT_BIT)) {
        due_bytes(t, b, uint64_t(b.map_offset), uint64_t(b.map_length), b.map,
                  b.map_access & GL_MAP_INVALIDATE_BUFFER_BIT);
        upload_bytes(t, b.handle, uint64_t(b.map_offset), uint64_t(b.map_length), b.map,
                     map_flags(b));
        d.undefined = false;
        note_write(t, d.write);
    }
    d.map_block.reset();
    return !c.lost.load(std::memory_order_relaxed);
}

} // namespace st
