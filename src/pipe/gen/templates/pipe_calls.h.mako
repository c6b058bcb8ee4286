## SPDX-License-Identifier: MIT
${c.BANNER}
// Payload of every call: what crosses, in the order of the catalogue (the opcode). A call may carry, besides
// its payload, tails (arrays whose count is a payload member), host spans (bytes), the shader archive,
// and it may answer. pipe_tables.h has the entries.
#pragma once

#include "pipe/pipe_caps.h"
#include "pipe/pipe_structs.h"
#include "pipe/pipe_state.h"

enum pipe_op {
    PIPE_OP_NONE = 0,
% for k in m.calls:
    PIPE_OP_${k.name.upper()} = ${k.op},
% endfor
    PIPE_OP_COUNT = ${len(m.calls) + 1},
};

% for k in m.calls:
${c.struct_text(k.payload)}
% if k.rep:
${c.struct_text(k.rep)}
% endif

% endfor
