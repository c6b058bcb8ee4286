// SPDX-License-Identifier: MIT
// Bytes beside a call. For a driver `ptr` is readable for the duration of the call, whatever `seg`
// says. With seg == PIPE_SEG_DRIVER `ptr` lies in memory that this driver's own stage_alloc
// returned, which it may use in place, and `offset` is the one of that answer. On a wire the
// pointer does not exist: the bytes lie at `offset` of segment `seg`.
#pragma once

#include <stdint.h>

struct pipe_host_span {
    const void *ptr; // null: no bytes
    uint64_t offset;
    uint64_t size;
    uint32_t seg;   // pipe_segment; 0 for an ordinary pointer
    uint32_t flags; // 0
};

// Where a call that answers bytes puts them. The callee writes exactly `size` bytes, or none unless
// it answers PIPE_OK.
struct pipe_out_span {
    void *ptr;
    uint64_t size;
};

static inline struct pipe_host_span pipe_span(const void *ptr, uint64_t size) {
    return pipe_host_span{ptr, 0, size, 0, 0};
}
