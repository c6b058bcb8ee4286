## SPDX-License-Identifier: MIT
${c.BANNER}
// Every enumeration of the pipe. A struct stores an enum in the fixed width that its member says.
#pragma once

#include <stdint.h>

% for k in m.consts:
<% line = 'constexpr %s %s = %s%s;' % (k.ctype, k.name, hex(k.value) if k.value > 65535 else k.value, 'u' if k.ctype[0] == 'u' else '') %>\
${line}${' // ' + k.doc if k.doc and len(line) + 4 + len(k.doc) <= 100 else ''}
% endfor

% for e in m.enums.values():
% if e.name != 'pipe_format':
${c.enum_text(e)}

% endif
% endfor
