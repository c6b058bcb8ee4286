## SPDX-License-Identifier: MIT
${c.BANNER}
// Messages of the control plane (handshake, segments, lanes, faults); src/remote alone uses them.
#pragma once

#include "pipe/pipe_structs.h"

enum pipe_ctl {
    PIPE_CTL_NONE = 0,
% for k in m.controls:
    PIPE_CTL_${k.name.upper()} = ${k.op},${' // variable bytes follow' if k.tail_bytes else ''}
% endfor
    PIPE_CTL_COUNT = ${len(m.controls) + 1},
};

% for k in m.controls:
${c.struct_text(k.payload)}

% endfor
