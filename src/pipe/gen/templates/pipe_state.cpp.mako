## SPDX-License-Identifier: MIT
${c.BANNER}
// Chunk tables, differences, hashes and packing of the render state.
#include "pipe/pipe_state.h"

#include "util/hash.h"

#include <string.h>

% for pre, subset in (('rs', 'pipeline'), ('ds', 'dynamic')):
const struct pipe_chunk_span pipe_${pre}_chunk_spans[] = {
% for k in m.subset(subset):
    {"${k.name}", ${k.offset}, ${k.size}},
% endfor
};

% endfor
namespace {

uint32_t diff(const struct pipe_chunk_span *spans, unsigned n, const void *a, const void *b) {
    uint32_t mask = 0;
    for (unsigned i = 0; i < n; i++)
        if (memcmp((const char *)a + spans[i].offset, (const char *)b + spans[i].offset, spans[i].size))
            mask |= 1u << i;
    return mask;
}

uint32_t pack(const struct pipe_chunk_span *spans, unsigned n, const void *s, uint32_t mask, void *out) {
    uint32_t at = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!(mask & (1u << i)))
            continue;
        memcpy((char *)out + at, (const char *)s + spans[i].offset, spans[i].size);
        at += spans[i].size;
    }
    return at;
}

bool unpack(const struct pipe_chunk_span *spans, unsigned n, void *s, uint32_t mask, const void *in,
            uint64_t size) {
    uint64_t want = 0;
    if (n < 32 && (mask >> n))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (mask & (1u << i))
            want += spans[i].size;
    if (want != size)
        return false;
    uint32_t at = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!(mask & (1u << i)))
            continue;
        memcpy((char *)s + spans[i].offset, (const char *)in + at, spans[i].size);
        at += spans[i].size;
    }
    return true;
}

} // namespace

% for pre, name, cnt in (('rs', 'pipe_render_state', 'PIPE_RS_CHUNK_COUNT'), ('ds', 'pipe_dynamic_state', 'PIPE_DS_CHUNK_COUNT')):
uint32_t ${name}_diff(const struct ${name} *a, const struct ${name} *b) {
    return diff(pipe_${pre}_chunk_spans, ${cnt}, a, b);
}

uint64_t pipe_${pre}_chunk_hash(const struct ${name} *s, unsigned chunk) {
    const struct pipe_chunk_span &c = pipe_${pre}_chunk_spans[chunk];
    return util::hash64((const char *)s + c.offset, c.size, chunk);
}

uint32_t ${name}_pack(const struct ${name} *s, uint32_t mask, void *out) {
    return pack(pipe_${pre}_chunk_spans, ${cnt}, s, mask, out);
}

bool ${name}_unpack(struct ${name} *s, uint32_t mask, const void *in, uint64_t size) {
    return unpack(pipe_${pre}_chunk_spans, ${cnt}, s, mask, in, size);
}

% endfor
