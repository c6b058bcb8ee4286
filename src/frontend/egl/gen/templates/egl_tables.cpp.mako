// SPDX-License-Identifier: MIT
${banner}
// Entry points by name, the stubs with which the dispatch library reaches our extension functions, and the extension
// strings.
#include "egl_tables.h"

#include "egl_api.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

namespace egl {

namespace {

using Proc = __eglMustCastToProperFunctionPointerType;

struct Entry {
    const char *name;
    Proc proc;
};

// What the functions throw ends here: the callers are C.
% for c in model.implemented:
${c.ret} EGLAPIENTRY entry_${c.short}(${c.decls}) {
    try {
        return api::${c.short}(${c.args});
    } catch (const std::bad_alloc &) {
        out_of_memory("${c.name}");
% if c.ret != 'void':
        return static_cast<${c.ret}>(0);
% endif
    }
}

% endfor
// Sorted by name.
const Entry entries[] = {
% for c in model.commands:
    {"${c.name}", reinterpret_cast<Proc>(&entry_${(model.known[c.alias] if c.alias else c).short})},
% endfor
};

enum StubIndex {
% for c in model.dispatched:
    stub_${c.short},
% endfor
    stub_count,
};

// Index of each stub's function in the dispatch library's table; -1 until the library has told it.
int stub_slot[stub_count] = {${', '.join('-1' for _ in model.dispatched)}};

% for c in model.dispatched:
${c.ret} EGLAPIENTRY dispatch_${c.short}(${c.decls}) {
    using Function = ${c.ret}(EGLAPIENTRY *)(${c.decls});
    auto function = reinterpret_cast<Function>(
        find_vendor_by_${c.vendor_from}(${c.params[0].name}, stub_slot[stub_${c.short}]));
% if c.ret == 'void':
    if (function)
        function(${c.args});
% else:
    return function ? function(${c.args}) : static_cast<${c.ret}>(0);
% endif
}

% endfor
const Entry stubs[] = {
% for c in model.dispatched:
    {"${c.name}", reinterpret_cast<Proc>(&dispatch_${c.short})},
% endfor
};

template <size_t N> const Entry *find(const Entry (&table)[N], const char *name) {
    auto less = [](const Entry &entry, const char *key) { return std::strcmp(entry.name, key) < 0; };
    const Entry *found = std::lower_bound(std::begin(table), std::end(table), name, less);
    return found != std::end(table) && !std::strcmp(found->name, name) ? found : nullptr;
}

} // namespace

void *find_entry(const char *name) {
    const Entry *entry = find(entries, name);
    return entry ? reinterpret_cast<void *>(entry->proc) : nullptr;
}

void *find_stub(const char *name) {
    const Entry *entry = find(stubs, name);
    return entry ? reinterpret_cast<void *>(entry->proc) : nullptr;
}

void set_stub_slot(const char *name, int slot) {
    const Entry *entry = find(stubs, name);
    if (entry)
        stub_slot[entry - stubs] = slot;
}

<%def name="string(name, extensions)">\
<%
    everywhere = [e for e in extensions if e not in egl_def.X11_ONLY + egl_def.WAYLAND_ONLY]
    parts = [(macro, [e for e in extensions if e in only]) for macro, only in
             (('X11', egl_def.X11_ONLY), ('WAYLAND', egl_def.WAYLAND_ONLY))]
%>\
const char *const ${name} = "${' '.join(everywhere)}"
% for macro, names in parts:
% if names:
#ifdef MGPIPE_HAVE_${macro}
    " ${' '.join(names)}"
#endif
% endif
% endfor
    ;
</%def>\
${string('client_extensions', egl_def.CLIENT_EXTENSIONS)}
${string('platform_extensions', egl_def.PLATFORM_EXTENSIONS)}
${string('display_extensions', egl_def.DISPLAY_EXTENSIONS)}
${string('image_extensions', egl_def.IMAGE_EXTENSIONS)}
${string('dma_buf_extensions', egl_def.DMA_BUF_EXTENSIONS)}
${string('device_extensions', egl_def.DEVICE_EXTENSIONS)}
} // namespace egl
