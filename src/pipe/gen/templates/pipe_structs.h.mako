## SPDX-License-Identifier: MIT
${c.BANNER}
// Value types: what payloads and tails are made of. No implicit padding; pad members must be zero.
#pragma once

#include "pipe/pipe_enums.h"
#include "pipe/pipe_format.h"
#include "pipe/pipe_handle.h"

#include <stddef.h>
#include <stdint.h>

% for s in m.structs.values():
% if s.name != 'pipe_caps' and s.name not in ('pipe_render_state', 'pipe_dynamic_state'):
${c.struct_text(s)}

% endif
% endfor
