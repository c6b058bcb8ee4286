// SPDX-License-Identifier: MIT
${banner}
// Entry points by name, the stubs with which the dispatch library reaches our extension functions, and the extension
// string.
#include "glx_tables.h"

#include "glx_api.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

namespace glx {

namespace {

struct Entry {
    const char *name;
    __GLXextFuncPtr proc;
};

// What the functions throw ends here: the callers are C.
% for c in model.implemented:
<% dpy = c.params[0].name if c.params and c.params[0].type == 'Display *' else 'nullptr' %>\
${c.ret} entry_${c.short}(${c.decls}) {
    try {
        return api::${c.short}(${c.args});
    } catch (const std::bad_alloc &) {
        out_of_memory(${dpy}, "${c.name}");
% if c.ret != 'void':
        return ${c.failure};
% endif
    }
}

% endfor
// Sorted by name.
const Entry entries[] = {
% for c in model.commands:
    {"${c.name}", reinterpret_cast<__GLXextFuncPtr>(&entry_${(model.known[c.alias] if c.alias else c).short})},
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
${c.ret} dispatch_${c.short}(${c.decls}) {
    using Function = ${c.ret} (*)(${c.decls});
    const Found found = find_vendor_by_${c.vendor_from}(${', '.join(c.vendor_args + ['stub_slot[stub_' + c.short + ']'])});
    auto function = reinterpret_cast<Function>(found.function);
% if c.ret == 'void':
    if (function)
        function(${c.args});
% if c.mapping[0] == 'unmap':
    unmap_${c.mapping[1]}(${c.params[0].name}, ${c.params[1].name});
% endif
% elif c.mapping[0] == 'map':
    ${c.ret} made = function ? function(${c.args}) : ${c.failure};
% if c.mapping[1] == 'fbconfigs':
    return map_fbconfigs(${c.params[0].name}, made, ${c.params[-1].name}, found.vendor);
% else:
    return map_${c.mapping[1]}(${c.params[0].name}, made, found.vendor);
% endif
% else:
    return function ? function(${c.args}) : ${c.failure};
% endif
}

% endfor
const Entry stubs[] = {
% for c in model.dispatched:
    {"${c.name}", reinterpret_cast<__GLXextFuncPtr>(&dispatch_${c.short})},
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

const char *const extensions = "${' '.join(glx_def.EXTENSIONS)}";

} // namespace glx
