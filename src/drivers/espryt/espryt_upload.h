// SPDX-License-Identifier: MIT
// Upload ring: host-visible memory for bytes that one verb needs (user indices, the default uniform
// block, rewritten indices). Cut in segments; a segment is written again only when the host has
// passed the fence that its last use left. One per lane.
#pragma once

#include <cstdint>
#include <vector>

#include "espryt_host.h"
#include "espryt_shadow.h"

namespace espryt {

class upload_ring {
  public:
    // Nothing is allocated before first use.
    void init(host *h, shadow *sh);
    void destroy();

    struct slice {
        host_name buffer;
        int64_t offset = 0;
        uint8_t *ptr = nullptr; // null: out of memory
    };
    // Room for `size` bytes; write through `ptr`, then call done() before the host reads.
    // `alignment`: a power of two.
    slice alloc(uint64_t size, uint64_t alignment);
    void done();
    // Shorthand: alloc, copy, done. offset < 0 on failure.
    slice put(const void *data, uint64_t size, uint64_t alignment);
    // Moves when a segment is entered again: a slice of an older epoch that is still bound must be
    // put again.
    uint32_t epoch() const { return epoch_; }

  private:
    static constexpr int64_t segment_size = 1 << 20;
    static constexpr unsigned num_segments = 4;
    host *h_ = nullptr;
    shadow *sh_ = nullptr;
    host_name buffer_, big_;
    uint8_t *map_ = nullptr; // persistent map, or null: mapped per slice
    GLsync fences_[num_segments] = {};
    unsigned segment_ = 0;
    int64_t head_ = 0;
    uint32_t epoch_ = 1;
    GLenum mapped_ = 0;
    bool make();
    slice map_slice(host_name b, int64_t offset, uint64_t size);
};

} // namespace espryt
