## SPDX-License-Identifier: MIT
${c.BANNER}
// The definition as a text that recordings carry (record_layout.h).
#include "record_layout.h"

<%
    def kind_number(f):
        return f.type == 'u32' and 'pipe_handle_kind' in f.doc
    def member(f):
        t = 'enum:pipe_handle_kind' if kind_number(f) else f.type
        return f'.{t} {f.name} {f.offset} {f.count}'
    def members(s):
        return [member(f) for f in s.fields if not f.pad]
    used = {'pipe_handle_kind': m.enums['pipe_handle_kind']}
    archive_enums = [f for a in m.archives.values() for f in a.fields]
    for s in list(m.structs.values()) + [k.payload for k in m.calls] + [k.rep for k in m.calls if k.rep]:
        for f in s.fields:
            if f.kind == 'enum':
                used[f.elem.name] = f.elem
    for f in archive_enums:
        if f.kind == 'enum':
            used[f.elem.name] = f.elem
    lines = []
    for e in used.values():
        lines.append(f'enum {e.name} {e.width} {int(e.flags)} ' + ' '.join(f'{i.name}={i.value}' for i in e.items))
    for s in m.structs.values():
        lines.append(f'struct {s.name} {s.size}')
        lines += members(s)
    for k in m.chunks:
        lines.append(f'chunk {k.subset} {k.name} {k.struct}')
    for a in m.archives.values():
        lines.append(f'archive {a.name}')
        lines += [f'.{f.type} {f.name} 0 {f.count}' for f in a.fields]
    for k in m.calls:
        lines.append(f'call {k.name} {k.op} {k.payload.size}')
        lines += members(k.payload)
        lines += [f'tail {t.name} {t.type} {t.count}' for t in k.tails]
        lines += [f'span {s}' for s in k.spans]
        if k.archive:
            lines.append('coded pipe_shader_archive')
        if k.is_reply:
            lines.append(f'reply {k.rep.size if k.rep else 0} {int(k.reply_bytes)}')
%>\
namespace wrap {

const char *const record_layout_text =
% for line in lines:
    "${line}\n"
% endfor
    ;

} // namespace wrap
