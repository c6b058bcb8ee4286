// SPDX-License-Identifier: MIT
// The wire form of a call, and the two facts both ends must agree on about it: its layout and its
// wait class.
//
// A record is: Header | payload | tails, each at its own alignment | pad to 8 | one Span per host
// span that is there | one for the archive | a Reply when the call answers | inline bytes. Its size
// is a multiple of 8 and it is never split. Bit n of the flags tells that span n is there; the
// archive's bit follows the spans'. There is no sequence field: the ordinal of a record on its lane
// is its sequence.
#pragma once

#include "pipe/pipe_enums.h"
#include "pipe/pipe_host_span.h"

#include <cstdint>

namespace wire {

struct Header {
    uint16_t op; // pipe_op; 0: filler up to the end of the ring, not counted as a record
    uint16_t flags;
    uint32_t size; // bytes with this header
};
static_assert(sizeof(Header) == 8);

// Bytes in a segment. With PIPE_SEG_INLINE the offset counts from the start of the record.
struct Span {
    uint32_t seg;
    uint32_t flags; // 0
    uint64_t offset;
    uint64_t size;
};
static_assert(sizeof(Span) == 24);

// Where the answer goes: the reply struct, padded to 16, then the bytes.
struct Reply {
    uint32_t seg;
    uint32_t flags; // 0
    uint64_t offset;
    uint64_t size;
};
static_assert(sizeof(Reply) == 24);

// The record is too large for the ring: its one Span names the real record.
constexpr uint16_t flag_indirect = 0x8000;
// Segment numbers from here on are made for one large content each.
constexpr uint32_t seg_dynamic = 16;
constexpr uint64_t reply_alignment = 16;

constexpr uint64_t align_up(uint64_t n, uint64_t a) {
    return (n + a - 1) & ~(a - 1);
}

// A row of the catalogue.
struct CallInfo {
    const char *name;
    uint16_t payload_size;
    uint16_t reply_size;
    uint8_t cls;  // CallClass
    uint8_t wait; // pipe_wait
    uint8_t tails;
    uint8_t spans;
    bool screen; // entry of pipe_screen
    bool root;   // travels on the control plane
    bool local;  // never travels
    bool archive;
    bool reply_bytes;
    bool shared; // writes what other lanes of the group may use: published at once with several
                 // lanes
    bool flush_point; // publish behind it
};

enum CallClass : uint8_t { SCR, LANE, QRY, CSO, STATE, XFER, VERB };

extern const CallInfo call_info[];      // PIPE_OP_COUNT entries; [0] is the filler
extern const char *const event_names[]; // PIPE_EVENT_COUNT entries

// The wait class of a record; both sides decide with this function alone.
inline enum pipe_wait wait_class(uint16_t op) {
    return static_cast<enum pipe_wait>(call_info[op].wait);
}

// Fingerprint of everything the two ends must agree on (see pipe_c.py description()).
extern const uint64_t fingerprint[2];

const char *fault_name(enum pipe_fault fault);
const char *refusal_name(enum pipe_refusal refusal);

} // namespace wire
