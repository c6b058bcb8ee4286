// SPDX-License-Identifier: MIT
// Buffer objects (GL 4.6 section 6). The bytes live behind the pipe; objects keep size, usage and
// map state.
#pragma once

#include "objects/ref.h"
#include "objects/tracked.h"
#include "pipe/pipe.h"

namespace gl {

struct Buffer : Object {
    ~Buffer() override; // st::buffer_destroy
    ShareGroup *group = nullptr;
    GLsizeiptr size = 0;
    GLenum usage = GL_STATIC_DRAW;
    GLbitfield storage_flags = 0; // mutable storage: MAP_READ|MAP_WRITE|DYNAMIC_STORAGE
    bool immutable = false;
    std::atomic<uint64_t> groups{
        0}; // state groups (bit(G)) that ever held it: who hears of new storage

    // map (one at a time)
    void *map = nullptr; // what the program got, or null
    GLintptr map_offset = 0;
    GLsizeiptr map_length = 0;
    GLbitfield map_access = 0;
    bool written_in_map = false; // bytes beside the map were written since: unmap keeps them
    bool mapped() const { return map != nullptr; }
    // A part of [offset, offset + length) is mapped, and not persistently.
    bool blocked(GLintptr offset, GLsizeiptr length) const {
        return mapped_blocking() && offset < map_offset + map_length &&
               map_offset < offset + length;
    }
    bool mapped_blocking() const {
        return map && !(map_access & GL_MAP_PERSISTENT_BIT);
    } // draws may not use it

    // tracker
    pipe_handle handle{};
    uint32_t version = 0; // moves when `handle` changes its storage
    void *tracker = nullptr;
};

Buffer *lookup_buffer(Context &ctx, GLuint name);                       // null when not an object
Buffer *lookup_buffer_err(Context &ctx, GLuint name, const char *func); // + GL_INVALID_OPERATION
// + errors for a bad target or no binding (a few commands name another error for the latter).
Buffer *buffer_at_target(Context &ctx, GLenum target, const char *func,
                         GLenum unbound = GL_INVALID_OPERATION);
Buffer *create_or_find_buffer(Context &ctx, GLuint name,
                              const char *func); // as glBindBuffer: known names become objects
// The point of a target that is not per vertex array or indexed-only; null for a bad target.
// ELEMENT_ARRAY gives the vertex array's.
const Ref<Buffer> *binding_point(Context &ctx, GLenum target);
inline void note_buffer_use(Buffer &b, G g) {
    if (!(b.groups.load(std::memory_order_relaxed) & bit(g)))
        b.groups.fetch_or(bit(g), std::memory_order_relaxed);
}
void unbind_deleted_buffer(Context &ctx, Buffer &b); // at delete: from all points of this context
void mark_buffer_storage(Context &ctx,
                         Buffer &b); // got a new storage: every group that may hold it
} // namespace gl
