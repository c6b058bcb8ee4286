// SPDX-License-Identifier: MIT
// How a client offers memory for a persistent map: a segment whose last page takes the answer of
// map_persistent, and holds a mark when the call arrives. A server that does not see the mark does
// not see the client's memory.
#pragma once

#include "pipe/pipe.h"

#include <cstdint>

namespace remote {

constexpr uint64_t map_answer_bytes = 4096;

inline uint64_t map_mark(uint32_t seg, pipe_handle resource) {
    return 0x6d67706970656d61ull ^ pipe_handle_key(resource) ^ uint64_t(seg) << 32;
}

} // namespace remote
