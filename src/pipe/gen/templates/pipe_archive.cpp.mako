## SPDX-License-Identifier: MIT
${c.BANNER}
// Coding of the shader archive: members in order, little endian, unpadded; a string or vector is a
// 32-bit count and its elements. A count is checked against the bytes that are left before anything
// is allocated.
#include "pipe/pipe_archive.h"

#include <cstring>

namespace {

struct In {
    const uint8_t *at, *end;
    bool ok = true;

    size_t left() const { return static_cast<size_t>(end - at); }
    bool raw(void *to, size_t n) {
        if (!ok || n > left())
            return ok = false;
        if (n)
            memcpy(to, at, n);
        at += n;
        return true;
    }
    // Count of a vector whose elements take at least `least` bytes each.
    uint32_t count(size_t least) {
        uint32_t n = 0;
        if (!raw(&n, 4) || n > left() / least) {
            ok = false;
            return 0;
        }
        return n;
    }
};

using Out = std::vector<uint8_t>;

void put(Out &out, const void *from, size_t n) {
    const uint8_t *p = static_cast<const uint8_t *>(from);
    out.insert(out.end(), p, p + n);
}

void put_count(Out &out, size_t n) {
    uint32_t v = static_cast<uint32_t>(n);
    put(out, &v, 4);
}

<%!
    def least(f):
        if f.kind in ('str', 'vec', 'words', 'bytes'): return 4
        if f.kind == 'archive': return sum(least(g) for g in f.elem.fields)
        return f.size
%>\
% for a in m.archives.values():
void encode(Out &out, const ${a.name} &a) {
% for f in a.fields:
% if f.kind in ('str',):
    put_count(out, a.${f.name}.size());
    put(out, a.${f.name}.data(), a.${f.name}.size());
% elif f.kind in ('words', 'bytes') or (f.kind == 'vec' and f.elem.kind not in ('archive', 'str', 'vec')):
    put_count(out, a.${f.name}.size());
    put(out, a.${f.name}.data(), a.${f.name}.size() * sizeof(a.${f.name}[0]));
% elif f.kind == 'vec' and f.elem.kind == 'str':
    put_count(out, a.${f.name}.size());
    for (const auto &e : a.${f.name}) {
        put_count(out, e.size());
        put(out, e.data(), e.size());
    }
% elif f.kind == 'vec':
    put_count(out, a.${f.name}.size());
    for (const auto &e : a.${f.name})
        encode(out, e);
% elif f.kind == 'archive':
    encode(out, a.${f.name});
% else:
    put(out, &a.${f.name}, sizeof a.${f.name});
% endif
% endfor
}

void decode(In &in, ${a.name} &a) {
% for f in a.fields:
% if f.kind == 'str':
    a.${f.name}.resize(in.count(1));
    in.raw(a.${f.name}.data(), a.${f.name}.size());
% elif f.kind in ('words', 'bytes') or (f.kind == 'vec' and f.elem.kind not in ('archive', 'str', 'vec')):
    a.${f.name}.resize(in.count(sizeof(a.${f.name}[0])));
    in.raw(a.${f.name}.data(), a.${f.name}.size() * sizeof(a.${f.name}[0]));
% elif f.kind == 'vec' and f.elem.kind == 'str':
    a.${f.name}.resize(in.count(4));
    for (auto &e : a.${f.name}) {
        e.resize(in.count(1));
        in.raw(e.data(), e.size());
    }
% elif f.kind == 'vec':
    a.${f.name}.resize(in.count(${least(f.elem) if f.elem.kind != 'archive' else sum(least(g) for g in f.elem.elem.fields)}));
    for (auto &e : a.${f.name}) {
        if (!in.ok)
            return;
        decode(in, e);
    }
% elif f.kind == 'archive':
    decode(in, a.${f.name});
% else:
    in.raw(&a.${f.name}, sizeof a.${f.name});
% endif
% endfor
}

% endfor
} // namespace

void pipe_shader_archive_encode(const struct pipe_shader_archive &a, std::vector<uint8_t> &out) {
    encode(out, a);
}

bool pipe_shader_archive_decode(struct pipe_shader_archive &a, const void *bytes, size_t size) {
    In in{static_cast<const uint8_t *>(bytes), static_cast<const uint8_t *>(bytes) + size};
    decode(in, a);
    return in.ok && in.at == in.end;
}
