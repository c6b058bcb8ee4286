// SPDX-License-Identifier: MIT
// Reads of buffers that nobody waits for: a resource_readback with this flag, whose answer lies in
// a segment that the client has for it. When the bytes are there, or will not come, the server says
// so with on_buffer_writeback, which has no content: the same buffer and offset, and the size,
// or 0. Each such record is answered once, those of a lane in their order.
#pragma once

#include "pipe_wire/wire.h"

namespace remote {

constexpr uint16_t flag_unasked = 0x4000;

struct UnaskedRead {
    wire::Header head;
    pipe_resource_readback call;
    wire::Reply place;
};
static_assert(sizeof(UnaskedRead) ==
              sizeof(wire::Header) + sizeof(pipe_resource_readback) + sizeof(wire::Reply));

} // namespace remote
