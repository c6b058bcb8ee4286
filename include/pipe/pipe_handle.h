// SPDX-License-Identifier: MIT
// Handles: how the two halves name objects. A handle is minted by the client, slot dense per kind
// from 1; `gen` moves only when a slot is reused. {0,0} is null; as a framebuffer {0,1} is the
// default framebuffer of the lane's surface. A server resolves a handle by indexing an array with
// the slot and comparing the generation; a stale handle resolves to nothing.
#pragma once

#include <stdint.h>

struct pipe_handle {
    uint32_t slot;
    uint32_t gen;
};
static_assert(sizeof(struct pipe_handle) == 8);

static inline bool pipe_handle_is_null(struct pipe_handle h) {
    return h.slot == 0 && h.gen == 0;
}

static inline bool pipe_handle_equal(struct pipe_handle a, struct pipe_handle b) {
    return a.slot == b.slot && a.gen == b.gen;
}

static inline struct pipe_handle pipe_null_handle(void) {
    return pipe_handle{0, 0};
}

// The default framebuffer of the lane's surface.
static inline struct pipe_handle pipe_default_framebuffer(void) {
    return pipe_handle{0, 1};
}

static inline bool pipe_handle_is_default_framebuffer(struct pipe_handle h) {
    return h.slot == 0 && h.gen == 1;
}

static inline uint64_t pipe_handle_key(struct pipe_handle h) {
    return (uint64_t)h.gen << 32 | h.slot;
}

#ifdef __cplusplus
inline bool operator==(const pipe_handle &a, const pipe_handle &b) {
    return a.slot == b.slot && a.gen == b.gen;
}
inline bool operator!=(const pipe_handle &a, const pipe_handle &b) {
    return !(a == b);
}
#endif
