## SPDX-License-Identifier: MIT
${c.BANNER}
// What a screen can do. Filled once by the driver, then frozen for the life of the screen.
#pragma once

#include "pipe/pipe_structs.h"

% if m.caps:
${c.struct_text(m.caps)}

% if m.caps.member('features') and not m.caps.member('features').dims:
static inline bool pipe_caps_has(const struct pipe_caps *c, enum pipe_cap bit) {
    return (c->features >> bit) & 1;
}

% elif m.caps.member('features'):
static inline bool pipe_caps_has(const struct pipe_caps *c, enum pipe_cap bit) {
    return (c->features[bit / ${m.caps.member('features').esize * 8}] >> (bit % ${m.caps.member('features').esize * 8})) & 1;
}

% endif
% if m.caps.member('call_mask') and m.caps.member('call_mask').dims:
static inline bool pipe_caps_has_call(const struct pipe_caps *c, uint32_t op) {
    return (c->call_mask[(op - 1) / 64] >> ((op - 1) % 64)) & 1;
}

static inline void pipe_caps_drop_call(struct pipe_caps *c, uint32_t op) {
    c->call_mask[(op - 1) / 64] &= ~(1ull << ((op - 1) % 64));
}

% endif
% endif
