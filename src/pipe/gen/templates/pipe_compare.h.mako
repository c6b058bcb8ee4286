## SPDX-License-Identifier: MIT
${c.BANNER}
// Equality of every value type and payload, member by member: floats by their bits, padding ignored.
#pragma once

#include "pipe/pipe_calls.h"

// Name of the first member that differs ("color[3].format"), null when equal. The text lives until the next call on
// this thread.
% for s in list(m.structs.values()) + [k.payload for k in m.calls]:
% if s.fields:
const char *pipe_difference(const struct ${s.name} &a, const struct ${s.name} &b);
% endif
% endfor
const char *pipe_difference(const struct pipe_handle &a, const struct pipe_handle &b);
