// SPDX-License-Identifier: MIT
// See frames.h.
#include "frames.h"

#include "counters.h"

#include <zstd.h>

namespace remote {

FrameReader::~FrameReader() {
    ZSTD_freeDCtx(unpacker_);
}

const uint8_t *FrameReader::unpack(const Message &m, pipe_ctl_frame *frame) {
    if (!m.get(frame))
        return nullptr;
    const pipe_ctl_frame &f = *frame;
    const bool inside = f.x <= f.frame_width && f.width <= f.frame_width - f.x &&
                        f.y <= f.frame_height && f.height <= f.frame_height - f.y;
    const uint64_t size = uint64_t(f.width) * f.height * pixel_bytes;
    // A slice is one message, packed or not.
    if (inside && f.slot) { // the pixels are in memory of ours
        count_frame_bytes_received.add(m.bytes.size());
        return m.tail_size<pipe_ctl_frame>() == 0 ? m.bytes.data() : nullptr;
    }
    if (!inside || size > max_message || (size == 0) != (m.tail_size<pipe_ctl_frame>() == 0))
        return nullptr;
    count_frame_bytes_received.add(m.bytes.size());
    const uint8_t *tail = m.tail<pipe_ctl_frame>();
    const uint64_t tail_size = m.tail_size<pipe_ctl_frame>();
    if (f.encoding == PIPE_FRAME_ENCODING_RAW)
        return tail_size == size ? tail : nullptr;
    if (f.encoding != PIPE_FRAME_ENCODING_ZSTD || !size)
        return nullptr;
    if (!unpacker_ && !(unpacker_ = ZSTD_createDCtx()))
        return nullptr;
    unpacked_.resize(size);
    const size_t got = ZSTD_decompressDCtx(unpacker_, unpacked_.data(), size, tail, tail_size);
    return !ZSTD_isError(got) && got == size ? unpacked_.data() : nullptr;
}

} // namespace remote
