// SPDX-License-Identifier: MIT
// Applier: the server end of a lane. It takes a record that lies in private memory already (the
// caller copied it once), proves it, and calls the driver's table. Nothing here trusts the peer;
// whatever is wrong is returned as a fault with a text, and nothing was called then.
#pragma once

#include "pipe/pipe_tables.h"
#include "pipe_wire/wire.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace wire {

// What a record may name beside itself. Both return null when the bytes are not all inside the
// segment.
class Memory {
  public:
    virtual ~Memory() = default;
    virtual const void *readable(uint32_t seg, uint64_t offset, uint64_t size) = 0;
    virtual void *writable(uint32_t seg, uint64_t offset, uint64_t size) = 0;
};

// The youngest generation that each slot has seen, by kind of handle. A slot is used again with the
// next generation, so one that runs backwards is a peer's mistake: the driver would take a dead
// name for a living object. Not locked; MGPIPE_DEBUG=gencheck-off makes everything pass.
class Generations {
  public:
    Generations();
    // False: older than what the slot has seen. A younger one is remembered.
    bool introduce(enum pipe_handle_kind kind, pipe_handle h);
    // False: older than what the slot has seen.
    bool current(enum pipe_handle_kind kind, pipe_handle h) const;

  private:
    static constexpr unsigned kinds = PIPE_HANDLE_IMAGE + 1;
    // Composite shaders have an index range of their own.
    std::vector<uint32_t> &table(enum pipe_handle_kind kind, uint32_t *slot);
    std::vector<uint32_t> seen_[kinds], composites_;
    bool off_;
};

struct Applier {
    pipe_screen *screen = nullptr;
    pipe_context *ctx = nullptr; // null: only root calls
    Memory *memory = nullptr;
    bool root = false; // root calls are allowed (control plane)
    // Of the share group and of the lane; null: not checked.
    Generations *group_generations = nullptr, *lane_generations = nullptr;
    // The group has several lanes. Without a wait their records have no order, so an old generation
    // is no fault then: the object died on another lane before this one made it.
    const std::atomic<bool> *several_lanes = nullptr;

    // Results of the last record.
    bool answered = false; // it was of class reply: `status` is its answer
    enum pipe_status status = PIPE_OK;
    uint64_t missing = 0;  // calls whose entry was null
    uint64_t stale = 0;    // calls dropped because their object had died
    char detail[160] = {}; // after a fault
};

// `record` is 8-byte aligned, private, `size` bytes of it are there.
enum pipe_fault apply(Applier &a, const uint8_t *record, uint64_t size);

// The same for an event record: calls the entry of `callbacks` (null entries are skipped).
enum pipe_fault apply_event(const pipe_callbacks *callbacks, void *data, const uint8_t *record,
                            uint64_t size);

} // namespace wire
