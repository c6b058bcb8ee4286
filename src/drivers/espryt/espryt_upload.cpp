// SPDX-License-Identifier: MIT
// The upload ring, persistent where the host has buffer storage, mapped unsynchronised per slice
// where it has not.
#include "espryt_upload.h"

#include "espryt_resource.h"

#include <cstring>

namespace espryt {

void upload_ring::init(host *h, shadow *sh) {
    h_ = h;
    sh_ = sh;
}

bool upload_ring::make() {
    const gles *gl = &h_->gl;
    gl->GenBuffers(1, &buffer_.name);
    if (!buffer_.name)
        return false;
    buffer_.serial = next_serial();
    if (!sh_->bind_buffer(GL_COPY_WRITE_BUFFER, buffer_)) {
        destroy();
        return false;
    }
    const int64_t size = segment_size * num_segments;
    if (h_->has(feature::buffer_storage) && gl->BufferStorageEXT) {
        const GLbitfield bits =
            GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT_EXT | GL_MAP_COHERENT_BIT_EXT;
        gl->BufferStorageEXT(GL_COPY_WRITE_BUFFER, size, nullptr, bits);
        map_ = static_cast<uint8_t *>(gl->MapBufferRange(GL_COPY_WRITE_BUFFER, 0, size, bits));
        if (!map_) {
            destroy();
            return false;
        }
    } else {
        gl->BufferData(GL_COPY_WRITE_BUFFER, size, nullptr, GL_STREAM_DRAW);
    }
    return true;
}

void upload_ring::destroy() {
    const gles *gl = &h_->gl;
    for (GLsync &f : fences_) {
        if (f)
            gl->DeleteSync(f);
        f = nullptr;
    }
    for (host_name *b : {&buffer_, &big_}) {
        if (b->name) {
            sh_->forget_buffer(*b);
            gl->DeleteBuffers(1, &b->name);
        }
        *b = {};
    }
    map_ = nullptr;
}

upload_ring::slice upload_ring::map_slice(host_name b, int64_t offset, uint64_t size) {
    if (!sh_->bind_buffer(GL_COPY_WRITE_BUFFER, b))
        return {};
    void *p = h_->gl.MapBufferRange(GL_COPY_WRITE_BUFFER, offset, static_cast<GLsizeiptr>(size),
                                    GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT |
                                        GL_MAP_UNSYNCHRONIZED_BIT);
    if (p)
        mapped_ = GL_COPY_WRITE_BUFFER;
    return {b, offset, static_cast<uint8_t *>(p)};
}

upload_ring::slice upload_ring::alloc(uint64_t size, uint64_t alignment) {
    const gles *gl = &h_->gl;
    if (size > segment_size) { // a store of its own, orphaned at every use
        if (!big_.name) {
            gl->GenBuffers(1, &big_.name);
            big_.serial = next_serial();
        }
        if (!sh_->bind_buffer(GL_COPY_WRITE_BUFFER, big_))
            return {};
        gl->BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(size), nullptr,
                       GL_STREAM_DRAW);
        epoch_++;
        return map_slice(big_, 0, size);
    }
    if (!buffer_.name && !make())
        return {};
    int64_t a = static_cast<int64_t>(alignment), at = (head_ + a - 1) & ~(a - 1);
    int64_t end = (static_cast<int64_t>(segment_) + 1) * segment_size;
    if (at + static_cast<int64_t>(size) > end) {
        fences_[segment_] = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        segment_ = (segment_ + 1) % num_segments;
        epoch_++;
        at = static_cast<int64_t>(segment_) * segment_size;
        if (GLsync f = fences_[segment_]) {
            GLenum r = gl->ClientWaitSync(f, GL_SYNC_FLUSH_COMMANDS_BIT, 10'000'000'000ull);
            if (r != GL_ALREADY_SIGNALED && r != GL_CONDITION_SATISFIED)
                gl->Finish(); // the segment is the host's until it has read it
            gl->DeleteSync(f);
            fences_[segment_] = nullptr;
        }
    }
    head_ = at + static_cast<int64_t>(size);
    if (map_)
        return {buffer_, at, map_ + at};
    return map_slice(buffer_, at, size ? size : 1);
}

void upload_ring::done() {
    if (mapped_) {
        unmap(&h_->gl, mapped_);
        mapped_ = 0;
    }
}

upload_ring::slice upload_ring::put(const void *data, uint64_t size, uint64_t alignment) {
    slice s = alloc(size, alignment);
    if (s.ptr) {
        memcpy(s.ptr, data, size);
        done();
    }
    return s;
}

} // namespace espryt
