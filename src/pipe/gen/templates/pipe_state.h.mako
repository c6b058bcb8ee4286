## SPDX-License-Identifier: MIT
${c.BANNER}
// The two halves of the render state, cut in chunks: the pipeline subset (identity of a render-state
// CSO) and the dynamic subset (set_dynamic_state). Chunk n of a mask is bit n of the enums
// pipe_rs_chunk and pipe_ds_chunk; on a wire the chunks of a mask follow each other in this order.
#pragma once

#include "pipe/pipe_structs.h"

% for name in ('pipe_render_state', 'pipe_dynamic_state'):
% if name in m.structs:
${c.struct_text(m.structs[name])}

% endif
% endfor
struct pipe_chunk_span {
    const char *name;
    uint16_t offset, size; // in pipe_render_state or pipe_dynamic_state
};

enum {
    PIPE_RS_CHUNK_COUNT = ${len(m.subset('pipeline'))},
    PIPE_DS_CHUNK_COUNT = ${len(m.subset('dynamic'))},
};

extern const struct pipe_chunk_span pipe_rs_chunk_spans[PIPE_RS_CHUNK_COUNT];
extern const struct pipe_chunk_span pipe_ds_chunk_spans[PIPE_DS_CHUNK_COUNT];

// Mask of the chunks that differ (members compared bitwise; padding must be zero).
uint32_t pipe_render_state_diff(const struct pipe_render_state *a, const struct pipe_render_state *b);
uint32_t pipe_dynamic_state_diff(const struct pipe_dynamic_state *a, const struct pipe_dynamic_state *b);

// Content hash of one chunk; the hash of a state is a mix of its chunk hashes, so that a changed chunk
// alone is hashed again.
uint64_t pipe_rs_chunk_hash(const struct pipe_render_state *s, unsigned chunk);
uint64_t pipe_ds_chunk_hash(const struct pipe_dynamic_state *s, unsigned chunk);

// Packs the chunks of `mask` back to back; returns the bytes written (at most sizeof the state).
uint32_t pipe_render_state_pack(const struct pipe_render_state *s, uint32_t mask, void *out);
uint32_t pipe_dynamic_state_pack(const struct pipe_dynamic_state *s, uint32_t mask, void *out);
// The inverse: overwrites the chunks of `mask`. False (nothing written) when `size` is not exactly what
// the mask asks for or the mask has unknown bits.
bool pipe_render_state_unpack(struct pipe_render_state *s, uint32_t mask, const void *in, uint64_t size);
bool pipe_dynamic_state_unpack(struct pipe_dynamic_state *s, uint32_t mask, const void *in, uint64_t size);
