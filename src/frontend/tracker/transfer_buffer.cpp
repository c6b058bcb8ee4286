// SPDX-License-Identifier: MIT
// Buffer storage and data. Bytes go to the driver at the call; a client copy exists only from the
// first map that needs old bytes.
#include "tracker/verify_upload.h"

#include "objects/errors.h"

#include <algorithm>
#include <new>

namespace st {

BufferData &data_of(gl::Buffer &b) {
    if (!b.tracker)
        b.tracker = new BufferData;
    return *static_cast<BufferData *>(b.tracker);
}

pipe_handle buffer_handle(Tracker &t, gl::Buffer *b) {
    if (!b || pipe_handle_is_null(b->handle))
        return pipe_null_handle();
    wait_for(t, data_of(*b).write);
    return b->handle;
}

static uint8_t usage_of(GLenum usage) {
    switch (usage) {
    case GL_STREAM_DRAW:
    case GL_STREAM_COPY: return PIPE_USAGE_STREAM;
    case GL_DYNAMIC_DRAW:
    case GL_DYNAMIC_COPY: return PIPE_USAGE_DYNAMIC;
    case GL_STREAM_READ:
    case GL_STATIC_READ:
    case GL_DYNAMIC_READ: return PIPE_USAGE_STAGING;
    }
    return PIPE_USAGE_DEFAULT;
}

static uint32_t storage_of(const gl::Buffer &b) {
    uint32_t s = b.immutable ? PIPE_STORAGE_IMMUTABLE : 0;
    auto map = [&](GLbitfield gl_bit, uint32_t bit) {
        if (b.storage_flags & gl_bit)
            s |= bit;
    };
    map(GL_DYNAMIC_STORAGE_BIT, PIPE_STORAGE_DYNAMIC);
    map(GL_MAP_READ_BIT, PIPE_STORAGE_MAP_READ);
    map(GL_MAP_WRITE_BIT, PIPE_STORAGE_MAP_WRITE);
    map(GL_MAP_PERSISTENT_BIT, PIPE_STORAGE_PERSISTENT);
    map(GL_MAP_COHERENT_BIT, PIPE_STORAGE_COHERENT);
    map(GL_CLIENT_STORAGE_BIT, PIPE_STORAGE_CLIENT);
    return s;
}

void upload_span(Tracker &t, pipe_handle buffer, uint64_t offset, const pipe_host_span &bytes,
                 uint32_t flags) {
    pipe_resource_subdata s{};
    s.resource = buffer;
    s.offset = offset;
    s.size = bytes.size;
    s.flags = flags;
    t.lane.emit<&pipe_context::resource_subdata>(&s, static_cast<const pipe_region *>(nullptr),
                                                 &bytes);
    stat_uploads.add();
    stat_upload_bytes.add(bytes.size);
}

void upload_bytes(Tracker &t, pipe_handle buffer, uint64_t offset, uint64_t size, const void *bytes,
                  uint32_t flags) {
    const auto *p = static_cast<const uint8_t *>(bytes);
    while (size) {
        const uint64_t n = std::min(size, t.chunk_bytes);
        upload_span(t, buffer, offset, pipe_span(p, n), flags);
        offset += n;
        p += n;
        size -= n;
        flags &= ~uint32_t(PIPE_SUBDATA_DISCARD_WHOLE);
    }
}

bool buffer_storage(gl::Context &c, gl::Buffer &b, const void *data) {
    Tracker &t = of(c);
    BufferData &d = data_of(b);
    const uint64_t limit = t.group.screen->caps.max_buffer_size;
    if (limit && uint64_t(b.size) > limit) {
        gl::error(c, GL_OUT_OF_MEMORY, "a buffer of %lld bytes is above the host's limit",
                  (long long)b.size);
        return false;
    }
    pipe_resource_desc desc{};
    desc.target = PIPE_BUFFER;
    desc.usage = usage_of(b.usage);
    desc.size = b.size ? uint64_t(b.size)
                       : 4; // a host has no empty buffers; ranges still know the real size
    desc.storage = storage_of(b);
    desc.samples = 1;
    desc.bind = PIPE_BIND_VERTEX_BUFFER | PIPE_BIND_INDEX_BUFFER | PIPE_BIND_CONSTANT_BUFFER |
                PIPE_BIND_SHADER_BUFFER | PIPE_BIND_INDIRECT_BUFFER | PIPE_BIND_STREAM_OUTPUT |
                PIPE_BIND_TEXTURE_BUFFER_STORE | PIPE_BIND_PIXEL_BUFFER;
    desc.gl_name = b.name;
    drop_copy(d);
    d.shared = nullptr;
    d.undefined = data == nullptr;
    if (!pipe_handle_is_null(b.handle)) {
        wait_for(t, d.write);
        desc.resource = b.handle;
        pipe_resource_respecify p{};
        p.desc = desc;
        t.lane.emit<&pipe_screen::resource_respecify>(&p);
    } else {
        desc.resource = to_pipe(t.group.resources.mint());
        if (pipe_handle_is_null(desc.resource)) {
            gl::error(c, GL_OUT_OF_MEMORY, "no handle is left for a buffer");
            return false;
        }
        pipe_resource_create p{};
        p.desc = desc;
        p.want_ack = b.immutable;
        b.handle = desc.resource;
        t.lane.emit<&pipe_screen::resource_create>(&p);
    }
    b.version++;
    if (data && b.size) {
        due_bytes(t, b, 0, uint64_t(b.size), data, true);
        upload_bytes(t, b.handle, 0, uint64_t(b.size), data, PIPE_SUBDATA_DISCARD_WHOLE);
    }
    note_write(t, d.write);
    return true;
}

void buffer_subdata(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr size,
                    const void *data) {
    Tracker &t = of(c);
    BufferData &d = data_of(b);
    if (pipe_handle_is_null(b.handle) || size <= 0)
        return;
    wait_for(t, d.write);
    if (d.listed)
        write_persistent(t, b, uint64_t(offset), uint64_t(size), data);
    else if (d.copy)
        std::memcpy(d.copy + offset, data, size_t(size));
    d.undefined = false;
    due_bytes(t, b, uint64_t(offset), uint64_t(size), data, size == b.size);
    // The program keeps the address of a shared store.
    const bool whole = size == b.size && !d.shared;
    upload_bytes(t, b.handle, uint64_t(offset), uint64_t(size), data,
                 whole ? PIPE_SUBDATA_DISCARD_WHOLE : 0);
    note_write(t, d.write);
}

// Of one range: several become their hull.
void copy_stale(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size) {
    BufferData &d = data_of(b);
    const uint64_t end = std::min(offset + size, uint64_t(b.size));
    if (!d.copy || offset >= end)
        return;
    std::unique_lock lock(t.group.persistent_mutex, std::defer_lock);
    if (d.listed)
        lock.lock();
    const bool none = d.stale_begin >= d.stale_end;
    d.stale_begin = none ? offset : std::min(d.stale_begin, offset);
    d.stale_end = none ? end : std::max(d.stale_end, end);
    d.stale_lanes |= uint64_t(1) << t.c.lane_index;
}

// What was read comes after this lane's commands; those of other lanes may still run.
void copy_synced(Tracker &t, BufferData &d) {
    if (d.stale_lanes & ~(uint64_t(1) << t.c.lane_index))
        return;
    d.stale_begin = d.stale_end = d.stale_lanes = 0;
}

void buffer_gpu_written(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size) {
    BufferData &d = data_of(b);
    d.undefined = false;
    if (d.copy)
        copy_stale(t, b, offset, size);
}

void buffer_gpu_written(Tracker &t, const gl::BufferRange &r) {
    if (gl::Buffer *b = r.buffer.get())
        buffer_gpu_written(t, *b, r.whole ? 0 : uint64_t(r.offset),
                           uint64_t(r.whole ? b->size : r.size));
}

void buffer_copy(gl::Context &c, gl::Buffer &src, gl::Buffer &dst, GLintptr src_offset,
                 GLintptr dst_offset, GLsizeiptr size) {
    Tracker &t = of(c);
    pipe_resource_copy_region p{};
    p.src = buffer_handle(t, &src);
    p.dst = buffer_handle(t, &dst);
    if (pipe_handle_is_null(p.src) || pipe_handle_is_null(p.dst) || size <= 0)
        return;
    push_persistent(t);
    p.src_offset = uint64_t(src_offset);
    p.dst_offset = uint64_t(dst_offset);
    p.size = uint64_t(size);
    buffer_gpu_written(t, dst, p.dst_offset, p.size);
    t.lane.emit<&pipe_context::resource_copy_region>(&p);
    note_write(t, data_of(dst).write);
}

void buffer_clear(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr size,
                  const void *pattern, unsigned pattern_size) {
    Tracker &t = of(c);
    if (pipe_handle_is_null(buffer_handle(t, &b)) || size <= 0)
        return;
    BufferData &d = data_of(b);
    if (t.lane.has<&pipe_context::clear_buffer>()) {
        pipe_clear_buffer p{};
        p.buffer = b.handle;
        p.offset = uint64_t(offset);
        p.size = uint64_t(size);
        p.pattern_size = pattern_size;
        std::memcpy(p.pattern, pattern, std::min<size_t>(pattern_size, sizeof(p.pattern)));
        buffer_gpu_written(t, b, p.offset, p.size);
        t.lane.emit<&pipe_context::clear_buffer>(&p);
        note_write(t, d.write);
        return;
    }
    std::vector<uint8_t> bytes((size_t(size)));
    for (size_t i = 0; i < bytes.size(); i += pattern_size)
        std::memcpy(bytes.data() + i, pattern, std::min<size_t>(pattern_size, bytes.size() - i));
    buffer_subdata(c, b, offset, size, bytes.data());
}

bool buffer_read(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size, void *out) {
    const BufferData &d = data_of(b);
    if (!copy_valid(d, offset, size))
        return store_read(t, b, offset, size, out);
    std::memcpy(out, d.copy + offset, size);
    return true;
}

bool store_read(Tracker &t, gl::Buffer &b, uint64_t offset, uint64_t size, void *out) {
    if (pipe_handle_is_null(b.handle) || !size)
        return false;
    wait_for(t, data_of(b).write);
    stat_gpu_write_syncs.add();
    auto *p = static_cast<uint8_t *>(out);
    while (size) {
        const uint64_t n = std::min(size, t.chunk_bytes);
        pipe_resource_readback r{b.handle, offset, n};
        const pipe_out_span dst{p, n};
        stat_round_trips.add();
        if (t.lane.emit<&pipe_context::resource_readback>(&r, &dst) != PIPE_OK)
            return false;
        offset += n;
        p += n;
        size -= n;
    }
    return true;
}

bool buffer_readback(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr size, void *out) {
    Tracker &t = of(c);
    push_persistent(t);
    return buffer_read(t, b, uint64_t(offset), uint64_t(size), out);
}

void buffer_invalidate(gl::Context &c, gl::Buffer &b, GLintptr offset, GLsizeiptr length) {
    Tracker &t = of(c);
    if (pipe_handle_is_null(b.handle))
        return;
    pipe_resource_invalidate p{};
    p.resource = b.handle;
    p.offset = uint64_t(offset);
    p.size = uint64_t(length);
    t.lane.emit<&pipe_screen::resource_invalidate>(&p);
}

void buffer_destroy(gl::Buffer &b) {
    auto *d = static_cast<BufferData *>(b.tracker);
    if (b.group && b.group->tracker) {
        Group &g = *b.group->tracker;
        if (d)
            forget_persistent(g, b);
        kill_handle(g, PIPE_HANDLE_RESOURCE, b.handle);
    }
    delete d;
    b.tracker = nullptr;
}

} // namespace st
