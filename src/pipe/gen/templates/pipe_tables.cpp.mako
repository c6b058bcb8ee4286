## SPDX-License-Identifier: MIT
${c.BANNER}
// Which entries of the tables are there.
#include "pipe/pipe_tables.h"

void pipe_tables_call_mask(const struct pipe_screen *screen, const struct pipe_context *ctx,
                           uint64_t *mask, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        mask[i] = 0;
#define HAVE(table, entry, op)                                                                     ${'\\'}
    if (table && table->entry && ((op)-1) / 64 < words)                                                ${'\\'}
        mask[((op)-1) / 64] |= 1ull << (((op)-1) % 64);
% for k in m.calls:
    HAVE(${'screen' if k.table == 'screen' else 'ctx'}, ${k.name}, ${k.op})
% endfor
#undef HAVE
}
