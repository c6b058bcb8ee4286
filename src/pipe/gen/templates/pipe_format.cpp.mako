## SPDX-License-Identifier: MIT
${c.BANNER}
// The format table.
#include "pipe/pipe_format.h"

#include <string.h>

<%!
    LAYOUT = {'array': 'ARRAY', 'packed': 'PACKED', 'block': 'BLOCK', 'zs': 'ZS'}
    TYPE = {'n': 'UNORM', 's': 'SNORM', 'u': 'UINT', 'i': 'SINT', 'f': 'FLOAT', 'x': 'VOID'}
    def row(f):
        real = [ch for ch in f.channels if ch[1] != 'x' and ch[0] != 'x']
        depth = any(ch[0] == 'z' or ch[0] == 'd' for ch in real)
        stencil = any(ch[0] == 's' for ch in real)
        first = real[0][1] if real else 'x'
        names = [ch[0] for ch in f.channels]
        of = [names.index(n) if n in names else -1 for n in 'rgba']
        chans = ', '.join("{'%s', PIPE_CHANNEL_%s, %d, 0, %d}" % (n, TYPE[t], b, s)
                          for n, t, b, s in f.channels[:4])
        num = lambda b: '1' if b else '0'
        return (f'    {{PIPE_FORMAT_{f.name}, "{f.name}", {f.bytes}, {f.bw}, {f.bh}, '
                f'PIPE_FORMAT_LAYOUT_{LAYOUT[f.layout] if f.bytes else "NONE"}, {min(len(f.channels), 4)}, '
                f'{num("srgb" in f.tags)}, {num(depth)}, {num(stencil)}, '
                f'{num(bool(real) and all(ch[1] in "ui" for ch in real))}, {num(first in "sif")}, '
                f'{num(first == "s")}, {num(first == "f")}, {num(f.layout == "block")}, '
                f'{{{", ".join(map(str, of))}}}, {{{chans}}}}},')
%>
static const struct pipe_format_desc table[PIPE_FORMAT_COUNT] = {
% for f in m.formats:
${row(f)}
% endfor
};

const struct pipe_format_desc *pipe_format_describe(uint32_t format) {
    return &table[format < PIPE_FORMAT_COUNT ? format : 0];
}

const char *pipe_format_name(uint32_t format) {
    return pipe_format_describe(format)->name;
}

enum pipe_format pipe_format_from_name(const char *name) {
    for (const struct pipe_format_desc &d : table)
        if (!strcmp(d.name, name))
            return d.format;
    return PIPE_FORMAT_NONE;
}
