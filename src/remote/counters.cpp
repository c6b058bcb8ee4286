// SPDX-License-Identifier: MIT
// Definitions of the transport's counters.
#include "counters.h"

#include "pipe/pipe_calls.h"
#include "pipe_wire/wire.h"

#include <array>
#include <memory>
#include <mutex>
#include <string>

namespace remote {

util::Counter count_records("wire.records", "records emitted");
util::Counter count_record_bytes("wire.record_bytes", "bytes of records emitted");
util::Counter count_stage_bytes("wire.stage_bytes", "content bytes through stage memory");
util::Counter count_copied_bytes("wire.copied_bytes",
                                 "content bytes copied into stage memory or a segment");
util::Counter count_segment_bytes("wire.segment_bytes",
                                  "content bytes through segments of their own");
util::Counter count_largest_record("wire.largest_record", "largest record in bytes");
util::Counter count_replies("wire.replies", "round trips");
util::Counter count_reply_bytes("wire.reply_bytes", "bytes of answers");
util::Counter count_present_waits("wire.credit_waits", "presents that waited for their credit");
util::Counter count_ring_wraps("wire.ring_wraps", "times the command ring wrapped");
util::Counter count_ring_waits("wire.ring_waits", "waits for ring space");
util::Counter count_bells("wire.bells", "wake-ups sent to the server");
util::Counter count_parks("wire.parks", "times a client wait parked");
util::Counter count_stage_held("wire.stage_held", "bytes of stage memory in use");
util::Counter count_segments("segments", "pieces of shared memory mapped");
util::Counter count_waiting("wire.waiting", "threads that wait for the server now");
util::Counter count_stage_waits("wire.stage_waits", "waits for stage memory");
util::Counter count_fence_local("wire.fence_local", "fence polls answered by the client");
util::Counter count_fence_escalated("wire.fence_escalated", "fence polls that asked the server");
util::Counter count_fence_reported("wire.fence_reported", "fences that the server reported");
util::Counter count_query_reported("wire.query_reported", "results that the server reported");
util::Counter count_writebacks("writebacks.arrived", "ranges of buffers that came by themselves");
util::Counter count_writebacks_read("writebacks.read", "reads of them, without a round trip");
util::Counter count_writeback_waits("writebacks.waits", "reads that waited for one on its way");
util::Counter count_events("wire.events", "reverse events");
util::Counter count_event_bytes("wire.event_bytes", "bytes of reverse events");
util::Counter count_events_dropped("wire.events_dropped", "reverse events that found no room");
util::Counter count_event_waits("server.event_waits", "reverse events that waited for room");
util::Counter count_stream_bytes("stream.bytes", "bytes sent on a stream");
util::Counter count_stream_sends("stream.sends", "times that a stream was written to");
util::Counter count_applied("server.records", "records applied");
util::Counter count_apply_batches("server.batches", "batches applied");
util::Counter count_apply_parks("server.parks", "times an apply thread parked");
util::Counter count_apply_bells("server.bells", "wake-ups sent to the client");
util::Counter count_missing_entries("server.missing", "calls whose driver entry is null");
util::Counter count_frames("server.frames", "frames that were sent back");
util::Counter count_frame_copies("server.frame_copies",
                                 "frames that were copied to dma-bufs of their window");
util::Counter count_frame_messages("server.frame_messages", "messages that they took");
util::Counter count_frame_bytes("server.frame_bytes", "bytes of these messages");
util::Counter count_frame_raw_bytes("server.frame_raw_bytes", "bytes of changed pixels in them");
util::Counter count_frame_shared_bytes("server.frame_shared_bytes",
                                       "bytes of frames written into memory of the client");
util::Counter count_frame_bytes_received("wire.frame_bytes", "bytes of frames that came back");

struct ReplyCounter {
    explicit ReplyCounter(const char *call)
        : name(std::string("wire.reply.") + call),
          counter(name.c_str(), "round trips of this call") {}
    std::string name;
    util::Counter counter;
};

void count_reply_of(uint16_t op) {
    if (!util::stats_on() || op >= PIPE_OP_COUNT)
        return;
    // A counter is made at the first reply of its call, so that the report lists only calls that
    // wait.
    static std::mutex mutex;
    static std::array<ReplyCounter *, PIPE_OP_COUNT> by_call{};
    std::lock_guard lock(mutex);
    if (!by_call[op])
        by_call[op] = new ReplyCounter(wire::call_info[op].name);
    by_call[op]->counter.add();
}

} // namespace remote
