// SPDX-License-Identifier: MIT
// Presents that the server has not finished, by surface: what the credit of a surface is counted
// by. A surface is known by its whole handle, so neither a slot's next owner nor another surface
// ever counts for it. Any thread.
#pragma once

#include "pipe/pipe_handle.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace remote {

// How many presents of a surface may be unfinished over a connection whose answers take so long: as
// many more as frames of 8 ms fit into that time, so that no frame waits for the way there and
// back; 8 at most, since each is a frame of delay where the server is the slower one.
uint64_t credit_over(uint64_t credit, uint64_t round_trip_ns);

class Presents {
  public:
    // How far the server is with the records of a lane; outlives the lane.
    struct Progress {
        std::mutex mutex;
        const std::atomic<uint64_t> *applied = nullptr; // null: the lane has ended
        bool reached(uint64_t ordinal) {
            std::lock_guard lock(mutex);
            return !applied || applied->load(std::memory_order_acquire) >= ordinal;
        }
        void end() {
            std::lock_guard lock(mutex);
            applied = nullptr;
        }
    };
    using ProgressRef = std::shared_ptr<Progress>;

    // Whether fewer than `credit` presents of the surface are unfinished. If not, `*oldest` is the
    // record of `lane` that is to be waited for, or 0 when that is another lane's.
    bool room(pipe_handle surface, uint64_t credit, const ProgressRef &lane, uint64_t *oldest);
    // The record of `lane` with this ordinal will present it.
    void add(pipe_handle surface, const ProgressRef &lane, uint64_t ordinal);

  private:
    struct Point {
        ProgressRef lane;
        uint64_t ordinal;
    };
    using Points = std::vector<Point>; // as many as the credit, the oldest first
    static void drop_finished(Points &points);

    std::mutex mutex_;
    std::unordered_map<uint64_t, Points> surfaces_; // by pipe_handle_key()
};

} // namespace remote
