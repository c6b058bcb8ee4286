// SPDX-License-Identifier: MIT
// The client's memory of persistent maps that the server's driver uses too.
#pragma once

#include "map_offer.h"
#include "segment.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace remote {

class Lane;

// By resource of one share group. Any thread.
class SharedMaps {
  public:
    uint8_t *find(pipe_handle resource);
    void keep(pipe_handle resource, Segment memory);
    // The resource has died. Cheap while there are no maps.
    void drop(pipe_handle resource);
    // In a forked child, which has no such memory.
    void abandon();
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

  private:
    std::mutex mutex_;
    std::unordered_map<uint64_t, Segment> memory_;
    std::atomic<bool> any_{false};
};

// The call with an offer of memory: `emit` is the generated entry, `out->size` the size of the
// buffer. The answer's address is the client's. Statuses of magma_map.h; an offer that the server
// does not see is declined.
using EmitMap = enum pipe_status (*)(pipe_context *, const pipe_map_persistent *,
                                     pipe_map_persistent_reply *);
enum pipe_status map_by_offer(EmitMap emit, pipe_context *ctx, const pipe_map_persistent *p,
                              pipe_map_persistent_reply *out);

} // namespace remote
