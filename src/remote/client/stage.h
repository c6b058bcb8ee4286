// SPDX-License-Identifier: MIT
// Stage memory: the bytes that travel beside records. The segment is cut in equal blocks; a lane
// takes runs of blocks and fills them linearly, without a lock, and gets a run back for others once
// the server has applied the last record that named it. A run never moves and is never read by this
// side again.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "segment.h"

namespace remote {

// The pool of blocks. Any thread.
class Stage {
  public:
    void attach(Segment *segment);
    uint8_t *data() const { return data_; }
    uint64_t size() const { return size_; }
    uint64_t block_size() const { return block_size_; }
    // Contents above this take a segment of their own.
    uint64_t max_content() const { return size_ / 4; }

    bool take(uint32_t blocks, uint32_t *first);
    void give(uint32_t first, uint32_t blocks);

  private:
    std::mutex mutex_;
    uint8_t *data_ = nullptr;
    uint64_t size_ = 0, block_size_ = 0;
    std::vector<bool> used_;
    uint32_t next_ = 0;
};

// One lane's share. The lane's thread only.
class StageLane {
  public:
    explicit StageLane(Stage &stage) : stage_(stage) {}
    ~StageLane();

    // Memory for the record with this ordinal; false: nothing free now. `applied` is the server's
    // progress.
    bool alloc(uint64_t size, uint64_t alignment, uint64_t ordinal, uint64_t applied,
               uint64_t *offset);
    // Memory that a later record will name (stage_alloc): kept until then.
    bool hold(uint64_t size, uint64_t alignment, uint64_t applied, uint64_t *offset);
    // The record with this ordinal names held memory.
    void use(uint64_t offset, uint64_t ordinal);
    // Some run waits for the server (so waiting for it can help).
    bool waits_for_server() const { return !closed_.empty(); }
    // Forgets everything without giving it back (forked child).
    void abandon();

  private:
    struct Run {
        uint32_t first = 0, blocks = 0, held = 0;
        uint64_t last = 0; // ordinal of the last record that names it
    };
    Run *grab(uint64_t size, uint64_t alignment, uint64_t applied, uint64_t *offset);
    void reclaim(uint64_t applied);

    Stage &stage_;
    Run current_;
    uint64_t used_ = 0; // bytes of the current run
    std::deque<Run> closed_;
};

} // namespace remote
