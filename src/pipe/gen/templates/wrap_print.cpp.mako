## SPDX-License-Identifier: MIT
${c.BANNER}
// Calls as text, and the comparison of two views of a call.
#include "pipe_wrap/wrap.h"

#include "pipe/pipe_compare.h"

#include "pipe_wire/wire.h"

#include <cstdio>
#include <cstring>

namespace wrap {
namespace {

<%
    seen = set()
    used = {}
    for s in list(m.structs.values()) + [k.payload for k in m.calls]:
        for f in s.fields:
            if f.kind == 'enum' and f.elem: used[f.elem.name] = f.elem
%>\
% for e in used.values():
% if e.name != 'pipe_format':
[[maybe_unused]] void name_${e.name}(std::string &out, uint32_t v) {
% if e.flags:
    const char *bar = "";
% for i in e.items:
    if (v & ${'0x%xu' % i.value}) {
        out += bar;
        out += "${i.name}";
        bar = "|";
    }
% endfor
    if (!v)
        out += '0';
% else:
    switch (v) {
% for i in e.items:
    case ${i.value}:
        out += "${i.name}";
        return;
% endfor
    }
    out += std::to_string(v);
% endif
}

% endif
% endfor
void print(std::string &out, pipe_handle h) {
    char text[32];
    snprintf(text, sizeof text, "%u.%u", h.slot, h.gen);
    out += text;
}

[[maybe_unused]] void number(std::string &out, double v) {
    char text[32];
    snprintf(text, sizeof text, "%g", v);
    out += text;
}

[[maybe_unused]] void number(std::string &out, uint64_t v) {
    out += std::to_string(v);
}

[[maybe_unused]] void number(std::string &out, int64_t v) {
    out += std::to_string(v);
}

% for s in list(m.structs.values()) + [k.payload for k in m.calls]:
% if s.name != 'pipe_caps' and s.fields:
[[maybe_unused]] void print(std::string &out, [[maybe_unused]] const ${s.name} &v) {
    out += '{';
<% n = 0 %>\
% for f in s.compared:
    out += "${' ' if n else ''}${f.name}=${'[' if f.dims else ''}";
<%
    n = n + 1
    expr = f'v.{f.name}' + ('' if not f.dims else '[i]')
    if len(f.dims) > 1: expr = f'(&v.{f.name}' + '[0]' * len(f.dims) + ')[i]'
    cast = 'double' if f.type in ('f32', 'f64') else ('int64_t' if f.type[0] == 'i' and f.type in ('i8','i16','i32','i64') else 'uint64_t')
%>\
% if f.dims:
    for (unsigned i = 0; i < ${f.count}; i++) {
        if (i)
            out += ' ';
% endif
% if f.kind in ('struct', 'handle'):
    print(out, ${expr});
% elif f.kind == 'enum' and f.elem.name == 'pipe_format':
    out += pipe_format_name(${expr});
% elif f.kind == 'enum':
    name_${f.elem.name}(out, ${expr});
% else:
    number(out, static_cast<${cast}>(${expr}));
% endif
% if f.dims:
    }
    out += ']';
% endif
% endfor
    out += '}';
}

% endif
% endfor
template <typename T> void print_tail(std::string &out, const char *name, const CallView::Tail &t) {
    constexpr uint64_t most = 64;
    out += ' ';
    out += name;
    out += "=[";
    const T *v = static_cast<const T *>(t.data);
    for (uint64_t i = 0; i < t.count && i < most; i++) {
        if (i)
            out += ' ';
        print(out, v[i]);
    }
    if (t.count > most)
        out += " ... " + std::to_string(t.count);
    out += ']';
}

void print_span(std::string &out, const char *name, const pipe_host_span *s) {
    if (!s || !s->ptr)
        return;
    char text[64];
    snprintf(text, sizeof text, " %s=%llu bytes", name, static_cast<unsigned long long>(s->size));
    out += text;
}

template <typename T> std::string tail_difference(const char *name, const CallView::Tail &a, const CallView::Tail &b) {
    if (a.count != b.count)
        return std::string(name) + ".count";
    for (uint64_t i = 0; i < a.count; i++)
        if (const char *d = pipe_difference(static_cast<const T *>(a.data)[i], static_cast<const T *>(b.data)[i]))
            return std::string(name) + "[" + std::to_string(i) + "]." + d;
    return {};
}

std::string span_difference(const char *name, const pipe_host_span *a, const pipe_host_span *b) {
    uint64_t na = a && a->ptr ? a->size : 0, nb = b && b->ptr ? b->size : 0;
    if (na != nb)
        return std::string(name) + ".size";
    if (na && memcmp(a->ptr, b->ptr, na))
        return std::string(name) + ".bytes";
    return {};
}

} // namespace

void print_call(std::string &out, const CallView &c) {
    out += wire::call_info[c.op].name;
    switch (c.op) {
% for k in m.calls:
    case ${k.op}:
% if k.payload.fields:
        print(out, *static_cast<const pipe_${k.name} *>(c.payload));
% endif
% for i, t in enumerate(k.tails):
        print_tail<${t.ctype}>(out, "${t.name}", c.tails[${i}]);
% endfor
% for i, s in enumerate(k.spans):
        print_span(out, "${s}", c.spans[${i}]);
% endfor
        break;
% endfor
    }
    if (c.dst)
        out += " dst=" + std::to_string(c.dst->size) + " bytes";
    if (c.has_status)
        out += c.status == PIPE_OK ? " -> ok" : c.status == PIPE_DECLINED ? " -> declined" : " -> error";
}

std::string difference(const CallView &a, const CallView &b) {
    if (a.op != b.op)
        return std::string(wire::call_info[a.op].name) + ".op";
    std::string found;
    switch (a.op) {
% for k in m.calls:
    case ${k.op}:
% if k.payload.fields:
        if (const char *d = pipe_difference(*static_cast<const pipe_${k.name} *>(a.payload),
                                            *static_cast<const pipe_${k.name} *>(b.payload)))
            found = d;
% endif
% for i, t in enumerate(k.tails):
        if (found.empty())
            found = tail_difference<${t.ctype}>("${t.name}", a.tails[${i}], b.tails[${i}]);
% endfor
% for i, s in enumerate(k.spans):
        if (found.empty())
            found = span_difference("${s}", a.spans[${i}], b.spans[${i}]);
% endfor
        break;
% endfor
    }
    if (found.empty() && a.archive && b.archive) {
        std::vector<uint8_t> x, y;
        pipe_shader_archive_encode(*a.archive, x);
        pipe_shader_archive_encode(*b.archive, y);
        if (x != y)
            found = "archive";
    }
    return found.empty() ? found : wire::call_info[a.op].name + ("." + found);
}

} // namespace wrap
