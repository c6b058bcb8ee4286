// SPDX-License-Identifier: MIT
// What the transport counts (MGPIPE_STATS); each half counts its own end.
#pragma once

#include "util/stats.h"

namespace remote {

extern util::Counter count_copied_bytes, count_records, count_record_bytes, count_stage_bytes,
    count_segment_bytes;
extern util::Counter count_largest_record, count_replies, count_reply_bytes, count_present_waits;
extern util::Counter count_ring_wraps, count_ring_waits, count_bells, count_parks, count_waiting,
    count_stage_held, count_segments, count_stage_waits;
extern util::Counter count_fence_local, count_fence_escalated, count_fence_reported,
    count_query_reported, count_events, count_event_bytes, count_events_dropped, count_event_waits;
extern util::Counter count_applied, count_apply_batches, count_apply_parks, count_apply_bells,
    count_missing_entries;
extern util::Counter count_writebacks, count_writebacks_read, count_writeback_waits;
extern util::Counter count_frames, count_frame_copies, count_frame_messages, count_frame_bytes,
    count_frame_raw_bytes, count_frame_shared_bytes, count_frame_bytes_received;
extern util::Counter count_stream_bytes, count_stream_sends;

// Replies by call; an array as long as the catalogue.
void count_reply_of(uint16_t op);

} // namespace remote
