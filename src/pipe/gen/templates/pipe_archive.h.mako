## SPDX-License-Identifier: MIT
${c.BANNER}
// The reflection archive that travels with the SPIR-V of a linked program. Values only: it may be kept,
// copied and encoded. encode/decode are deterministic; decode bounds every count by what is left of
// the input before it allocates.
#pragma once

#include "pipe/pipe_enums.h"
#include "pipe/pipe_format.h"
#include "pipe/pipe_structs.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

% for a in m.archives.values():
${c.comment(a.doc)}
struct ${a.name} {
% for f in a.fields:
<%
    init = '{}' if f.dims or f.kind in ('struct', 'handle') else (' = 0' if f.kind in ('scalar', 'enum') else '')
    decl = f'    {f.decl}{init};'
    doc = (f.elem.name + (': ' if f.doc else '') if f.kind == 'enum' and f.elem else '') + f.doc
%>\
% if doc and len(decl) + 4 + len(doc) <= 100:
${decl} // ${doc}
% elif doc:
${c.comment(doc, 4)}
${decl}
% else:
${decl}
% endif
% endfor
};

% endfor
% if m.archives:
// Appends the encoding of `a` to `out`.
void pipe_shader_archive_encode(const struct pipe_shader_archive &a, std::vector<uint8_t> &out);
// False when the bytes are not exactly one archive; `a` is then unspecified.
bool pipe_shader_archive_decode(struct pipe_shader_archive &a, const void *bytes, size_t size);
% endif
