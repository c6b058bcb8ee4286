// SPDX-License-Identifier: MIT
// ${banner}
// The functions programs call, and the table that finds them by name.
#include "glapi/gl_api.h"
#include "glapi/glapi.h"
#include "glapi/glapi_private.h"

#include <new>

namespace glapi {

namespace {

<%
    # How a program finds out that its context is lost, and what it may poll meanwhile.
    works_when_lost = {'GetError', 'GetGraphicsResetStatus', 'GetGraphicsResetStatusARB', 'ClientWaitSync', 'GetSynciv', 'GetQueryObjectiv',
                       'GetQueryObjectuiv', 'GetQueryObjecti64v', 'GetQueryObjectui64v'}
    assert works_when_lost <= {c.name for c in commands}
%>\

% for c in commands:
<%
    sep = '' if c.ret.endswith('*') else ' '
    void = c.ret == 'void'
%>\
${c.ret}${sep}APIENTRY stub_${c.name}(${c.decl}) {
    gl::Context *ctx = current_context;
% if c.name in works_when_lost:
    if (!ctx) [[unlikely]]
        ctx = lost();
% endif
    if (!ctx) [[unlikely]]
        return no_context${'' if void else f'<{c.ret}>'}("gl${c.name}");
% if c.implemented:
    try {
        ${'' if void else 'return '}gl::${c.name}(*ctx${c.args});
    } catch (const std::bad_alloc &) {
        return out_of_memory${'' if void else f'<{c.ret}>'}(*ctx, "gl${c.name}");
    }
% else:
    gl::unimplemented(*ctx, "gl${c.name}");
% if not void:
    return 0;
% endif
% endif
}

% endfor
} // namespace

<%
    names = sorted((n, c) for c in commands for n in c.names)
    offset = 0
    offsets = []
    for n, c in names:
        offsets.append(offset)
        offset += len(n) + 3
%>\
// Sorted by strcmp; one block of text, so that a name costs no relocation.
static const char name_text[] =
% for n, c in names:
    "gl${n}\0"
% endfor
    ;

static const NameEntry name_entries[] = {
% for (n, c), o in zip(names, offsets):
    {${o}, reinterpret_cast<void (*)()>(stub_${c.name})},
% endfor
};

static const char *const missing_names[] = {
% for c in commands:
% if c.core and not c.implemented:
    "gl${c.name}",
% endif
% endfor
    nullptr,
};

const NameTable name_table = {name_text, name_entries, ${len(names)}};
const MissingTable missing_table = {missing_names, ${sum(1 for c in commands if c.core and not c.implemented)},
                                    ${sum(1 for c in commands if c.core)}};

} // namespace glapi
