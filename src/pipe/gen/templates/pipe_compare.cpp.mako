## SPDX-License-Identifier: MIT
${c.BANNER}
// Comparators; see pipe_compare.h.
#include "pipe/pipe_compare.h"

#include "util/thread_slot.h"

#include <cstdio>
#include <cstring>

namespace {

// The path is built from the innermost member outwards.
struct Path {
    char text[256];
};
util::ThreadSlot<Path> paths;

const char *leaf(const char *name) {
    Path &path = paths.get();
    snprintf(path.text, sizeof path.text, "%s", name);
    return path.text;
}

const char *leaf(const char *name, unsigned i) {
    Path &path = paths.get();
    snprintf(path.text, sizeof path.text, "%s[%u]", name, i);
    return path.text;
}

[[maybe_unused]] const char *under(const char *name, const char *inner) {
    Path path;
    snprintf(path.text, sizeof path.text, "%s.%s", name, inner);
    paths.get() = path;
    return paths.get().text;
}

[[maybe_unused]] const char *under(const char *name, unsigned i, const char *inner) {
    Path path;
    snprintf(path.text, sizeof path.text, "%s[%u].%s", name, i, inner);
    paths.get() = path;
    return paths.get().text;
}

template <typename T> bool same(const T &a, const T &b) {
    return memcmp(&a, &b, sizeof a) == 0; // scalars only: no padding, floats by their bits
}

} // namespace

const char *pipe_difference(const struct pipe_handle &a, const struct pipe_handle &b) {
    return a == b ? nullptr : leaf("handle");
}

% for s in list(m.structs.values()) + [k.payload for k in m.calls]:
% if s.fields:
const char *pipe_difference([[maybe_unused]] const struct ${s.name} &a, [[maybe_unused]] const struct ${s.name} &b) {
% for f in s.compared:
% if f.kind == 'struct' and f.dims:
    for (unsigned i = 0; i < ${f.count}; i++)
        if (const char *d = pipe_difference(a.${f.name}[i], b.${f.name}[i]))
            return under("${f.name}", i, d);
% elif f.kind == 'struct':
    if (const char *d = pipe_difference(a.${f.name}, b.${f.name}))
        return under("${f.name}", d);
% elif f.dims:
    for (unsigned i = 0; i < ${f.count}; i++)
        if (!same((&a.${f.name}${'[0]' * len(f.dims)})[i], (&b.${f.name}${'[0]' * len(f.dims)})[i]))
            return leaf("${f.name}", i);
% else:
    if (!same(a.${f.name}, b.${f.name}))
        return leaf("${f.name}");
% endif
% endfor
    return nullptr;
}

% endif
% endfor
