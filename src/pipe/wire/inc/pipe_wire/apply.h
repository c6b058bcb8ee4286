// SPDX-License-Identifier: MIT
// Applier: the server end of a lane. It takes a record that lies in private memory already (the
// caller copied it once), proves it, and calls the driver's table. Nothing here trusts the peer;
// whatever is wrong is returned as a fault with a text, and nothing was called then.
#pragma once

#include "pipe/pipe_tables.h"
#include "pipe_wire/wire.h"

namespace wire {

// What a record may name beside itself. Both return null when the bytes are not all inside the
// segment.
class Memory {
  public:
    virtual ~Memory() = default;
    virtual const void *readable(uint32_t seg, uint64_t offset, uint64_t size) = 0;
    virtual void *writable(uint32_t seg, uint64_t offset, uint64_t size) = 0;
};

struct Applier {
    pipe_screen *screen = nullptr;
    pipe_context *ctx = nullptr; // null: only root calls
    Memory *memory = nullptr;
    bool root = false; // root calls are allowed (control plane)

    // Results of the last record.
    bool answered = false; // it was of class reply: `status` is its answer
    enum pipe_status status = PIPE_OK;
    uint64_t missing = 0;  // calls whose entry was null
    char detail[160] = {}; // after a fault
};

// `record` is 8-byte aligned, private, `size` bytes of it are there.
enum pipe_fault apply(Applier &a, const uint8_t *record, uint64_t size);

// The same for an event record: calls the entry of `callbacks` (null entries are skipped).
enum pipe_fault apply_event(const pipe_callbacks *callbacks, void *data, const uint8_t *record,
                            uint64_t size);

} // namespace wire
