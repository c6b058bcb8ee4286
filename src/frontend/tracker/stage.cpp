// SPDX-License-Identifier: MIT
// Memory that the driver (or the way to it) offers for bytes of a later record, so that they are
// written once, where they are read.
#include "tracker/tracker_private.h"

namespace st {

util::Counter stat_staged_bytes("upload-staged-bytes",
                                "bytes of uploads written straight into stage memory");

// Below this a copy costs less than a block of its own.
constexpr uint64_t kStageLeast = 64 << 10;

bool stage_take(Tracker &t, uint64_t size, StageBlock &out) {
    out = {};
    pipe_screen *screen = t.group.screen;
    if (!screen->stage_alloc || size < kStageLeast || size > t.chunk_bytes)
        return false;
    pipe_stage_alloc p{};
    p.size = size;
    p.alignment = 64;
    p.lane = t.lane_handle.slot;
    pipe_stage_alloc_reply r{};
    if (screen->stage_alloc(screen, &p, &r) != PIPE_OK || r.size < size)
        return false;
    out.ptr = reinterpret_cast<uint8_t *>(uintptr_t(r.address));
    out.offset = r.offset;
    out.seg = r.seg;
    out.size = size;
    out.owner = &t;
    stat_staged_bytes.add(size);
    return true;
}

pipe_host_span stage_span(const StageBlock &block, uint64_t lead, uint64_t size) {
    // A driver knows its memory by the name it gave; in the stage segment an offset is a place.
    const uint64_t offset = block.seg == PIPE_SEG_STAGE ? block.offset + lead : block.offset;
    return {block.ptr + lead, offset, size, block.seg, 0};
}

} // namespace st
