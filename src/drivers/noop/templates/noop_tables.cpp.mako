// SPDX-License-Identifier: MIT
// Generated from src/pipe/pipe_def.py and noop_tables.cpp.mako; do not edit.
// Every entry of both tables: nothing happens, replies are zero, bytes asked for are zero. Entries with an answer of
// their own are in noop_screen.cpp, entries that the driver leaves null in noop_private.h.
#include <string.h>

#include "noop_private.h"

namespace noop {

<%
    # Answered in noop_screen.cpp.
    by_hand = {'get_caps', 'stage_alloc', 'lane_create', 'lane_destroy', 'surface_create', 'fence_status', 'fence_wait',
               'query_available', 'resource_import', 'resource_export', 'dmabuf_formats'}
    # There is nothing to share, so the frontend must not try.
    null = {'map_persistent', 'unmap_persistent', 'fence_import_fd', 'fence_export_fd'}
%>\
% for k in m.calls:
% if k.name not in by_hand and k.name not in null:
static ${c.signature(k.ret + k.name, k.params, 0, ' {')}
% if k.rep:
    memset(out, 0, sizeof *out);
% endif
% if k.reply_bytes:
    if (dst && dst->ptr)
        memset(dst->ptr, 0, dst->size);
% endif
% if k.is_reply:
    return PIPE_OK;
% endif
}

% endif
% endfor
void fill_screen(pipe_screen *screen) {
% for k in m.calls:
% if k.table == 'screen':
    screen->${k.name} = ${'nullptr' if k.name in null else k.name};
% endif
% endfor
}

void fill_context(pipe_context *ctx) {
% for k in m.calls:
% if k.table == 'context':
    ctx->${k.name} = ${'nullptr' if k.name in null else k.name};
% endif
% endfor
}

} // namespace noop
