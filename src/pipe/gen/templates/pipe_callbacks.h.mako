## SPDX-License-Identifier: MIT
${c.BANNER}
// The reverse table: what a driver tells the frontend. Entries may be null. A driver calls them from the
// thread that runs the lane, never under one of its own locks that a table call also takes; spans
// are readable during the call only.
#pragma once

#include "pipe/pipe_host_span.h"
#include "pipe/pipe_structs.h"

enum pipe_event {
    PIPE_EVENT_NONE = 0,
% for k in m.callbacks:
    PIPE_EVENT_${k.name.upper()} = ${k.op},
% endfor
    PIPE_EVENT_COUNT = ${len(m.callbacks) + 1},
};

% for k in m.callbacks:
${c.struct_text(k.payload)}

% endfor
struct pipe_callbacks {
% for k in m.callbacks:
${c.comment(k.doc, 4)}
${c.signature('void (*%s)' % k.name, ['void *owner', 'const struct pipe_%s *p' % k.name] + ['const struct pipe_host_span *' + s for s in k.spans], 4)}
% endfor
};
