## SPDX-License-Identifier: MIT
${c.BANNER}
// Probing entries and random senders, one pair per call.
#include "probe.h"

#include <cstring>

namespace probe {
namespace {

<%
    SKIP = ('lane_create', 'lane_destroy', 'get_caps', 'stage_alloc', 'lane_wait', 'present', 'fence_status', 'fence_wait')
    LIMIT = {'set_vertex_buffers': 'start', 'set_sampler_views': 'start', 'bind_sampler_states': 'start',
             'set_shader_images': 'start', 'set_shader_buffers': 'start'}
    calls = [k for k in m.calls if k.name not in ('lane_create', 'lane_destroy', 'get_caps', 'stage_alloc')]
    sent = [k for k in calls if not k.root and k.name not in SKIP and
            k.name not in ('map_persistent', 'unmap_persistent', 'buffer_subdata_resident', 'resource_flush_range',
                           'resource_import', 'resource_export', 'fence_import_fd', 'fence_export_fd')]
%>\
uint64_t digest_span(uint64_t d, const pipe_host_span *s) {
    if (!s || !s->ptr || !s->size)
        return digest_bytes(d, "none", 4);
    return digest_bytes(d, s->ptr, s->size);
}

// An answer follows from the digest: any peer can tell what it must be.
void answer_bytes(uint64_t d, void *p, uint64_t size) {
    Random r{d | 1};
    auto *b = static_cast<uint8_t *>(p);
    for (uint64_t i = 0; i < size; i++)
        b[i] = static_cast<uint8_t>(r.next());
}

pipe_status answer_status(uint64_t d) {
    return d % 7 == 0 ? PIPE_DECLINED : d % 11 == 0 ? PIPE_ERROR : PIPE_OK;
}

void saw(uint16_t op, uint64_t d) {
    std::lock_guard lock(log().mutex);
    log().calls.push_back({op, d});
}

// --- random values -------------------------------------------------------------------------------

[[maybe_unused]] pipe_handle random_handle(Random &r) {
    if (r.below(8) == 0)
        return {0, 0};
    const uint32_t slot = 1 + r.below(1000);
    return {slot, 1 + slot % 3}; // one generation for each slot: none runs backwards
}

% for s in list(m.structs.values()) + [k.payload for k in sent]:
% if s.name != 'pipe_caps' and s.fields:
[[maybe_unused]] void fill(${s.name} &v, Random &r) {
% for f in s.fields:
<%
    index = '[i]' if f.dims else ''
    each = f'for (unsigned i = 0; i < {f.dims[0]}; i++) ' if f.dims else ''
    if len(f.dims) > 1: raise Exception('2-D member: extend the test')
%>\
% if f.pad:
    memset(&v.${f.name}, 0, sizeof v.${f.name});
% elif f.kind == 'enum':
<%
    vals = [i.value for i in f.elem.items] or [0]
    allbits = 0
    for x in vals: allbits |= x
    e = f'r.next() & 0x{allbits:x}u' if f.elem.flags else f'r.below({max(vals) + 1})'
%>\
    ${each}v.${f.name}${index} = static_cast<${f.ctype}>(${e});
% elif f.kind == 'handle':
    ${each}v.${f.name}${index} = random_handle(r);
% elif f.kind == 'struct':
    ${each}fill(v.${f.name}${index}, r);
% elif f.type in ('f32', 'f64'):
    ${each}v.${f.name}${index} = static_cast<${f.ctype}>(static_cast<int32_t>(r.next())) / 256;
% else:
    ${each}v.${f.name}${index} = static_cast<${f.ctype}>(r.next());
% endif
% endfor
}

% endif
% endfor
// --- entries -------------------------------------------------------------------------------------

% for k in calls:
${c.signature('uint64_t digest_' + k.name, ['const pipe_%s *p' % k.name] + ['const %s *%s' % (t.ctype, t.name) for t in k.tails] + ['const pipe_host_span *' + s for s in k.spans] + (['const pipe_shader_archive *' + k.archive] if k.archive else []), 0, ' {')}
    uint64_t d = digest_bytes(${k.op}, p, ${k.payload.size});
% for t in k.tails:
    d = digest_bytes(d, ${t.name}, uint64_t(p->${t.count}) * sizeof *${t.name});
% endfor
% for s in k.spans:
    d = digest_span(d, ${s});
% endfor
% if k.archive:
    d ^= digest_archive(*${k.archive});
% endif
    return d;
}

${c.signature(k.ret + 'probe_' + k.name, k.params, 0, ' {')}
<% args = ['p'] + [t.name for t in k.tails] + list(k.spans) + ([k.archive] if k.archive else []) %>\
    [[maybe_unused]] uint64_t d = digest_${k.name}(${', '.join(args)});
% if k.name not in ('fence_status', 'query_available'):
    saw(${k.op}, d); // a server asks for fences and results by itself
% endif
% if k.is_reply:
% if k.name in ('fence_status', 'fence_wait'):
    out->signaled = 1;
    return PIPE_OK;
% else:
% if k.rep:
    answer_bytes(d + 1, out, sizeof *out);
% endif
% if k.reply_bytes:
    answer_bytes(d + 2, dst->ptr, dst->size);
% endif
    return ${'PIPE_OK' if k.root else 'answer_status(d)'};
% endif
% endif
}

% endfor
// --- senders -------------------------------------------------------------------------------------

template <typename T> void fill_all(std::vector<T> &v, Random &r) {
    for (T &t : v)
        fill(t, r);
}
[[maybe_unused]] void fill_all(std::vector<pipe_handle> &v, Random &r) {
    for (pipe_handle &h : v)
        h = random_handle(r);
}

std::vector<uint8_t> content(Random &r) {
    static const uint32_t sizes[] = {0, 1, 7, 64, 255, 256, 257, 5000, 70000};
    std::vector<uint8_t> v(sizes[r.below(9)]);
    for (uint8_t &b : v)
        b = static_cast<uint8_t>(r.next());
    return v;
}

% for k in sent:
Seen send_${k.name}(pipe_context *ctx, Random &r, unsigned *wrong) {
    pipe_${k.name} p{};
% if k.payload.fields:
    fill(p, r);
% endif
% if k.name in LIMIT:
    p.start = r.below(16);
% endif
% for t in k.tails:
    p.${t.count} = static_cast<decltype(p.${t.count})>(r.below(${2 if t.name == 'indirect' else 4}));
    std::vector<${t.ctype}> ${t.name}(p.${t.count});
    fill_all(${t.name}, r);
% endfor
% if k.name == 'create_vertex_elements':
    for (auto &e : elements) {
        e.location %= 32;
        e.binding %= 32;
        e.size = static_cast<uint8_t>(1 + e.size % 4);
    }
% elif k.name == 'set_vertex_attrib_defaults':
    for (auto &v : values)
        v.index %= 32;
% elif k.name == 'draw_vbo':
    p.index_size = static_cast<uint8_t>(1 << r.below(3));
% elif k.name == 'create_render_state':
    p.chunk_mask &= (1u << PIPE_RS_CHUNK_COUNT) - 1;
% elif k.name == 'set_dynamic_state':
    p.chunk_mask &= (1u << PIPE_DS_CHUNK_COUNT) - 1;
% elif k.name == 'clear_buffer':
    p.pattern_size = 1 + r.below(16);
% endif
% for s in k.spans:
    std::vector<uint8_t> ${s}_bytes = content(r);
    pipe_host_span ${s} = pipe_span(${s}_bytes.data(), ${s}_bytes.size());
% endfor
% if k.archive:
    pipe_shader_archive ${k.archive};
    fill_archive(${k.archive}, r);
% endif
<%
    args = ['&p'] + [t.name + '.data()' for t in k.tails] + ['&' + s for s in k.spans] + (['&' + k.archive] if k.archive else [])
    table = 'ctx->screen' if k.table == 'screen' else 'ctx'
    more = (['&out'] if k.rep else []) + (['&dst'] if k.reply_bytes else [])
%>\
    uint64_t d = digest_${k.name}(${', '.join(args)});
% if k.is_reply:
% if k.rep:
    pipe_${k.name}_reply out{}, expected{};
    answer_bytes(d + 1, &expected, sizeof expected);
% endif
% if k.reply_bytes:
    std::vector<uint8_t> bytes(1 + r.below(9000)), expected_bytes(bytes.size());
    pipe_out_span dst{bytes.data(), bytes.size()};
    answer_bytes(d + 2, expected_bytes.data(), expected_bytes.size());
% endif
    pipe_status status = ${table}->${k.name}(${', '.join(['ctx'] + args + more)});
    *wrong += status != answer_status(d);
    if (status == PIPE_OK) {
% if k.rep:
        *wrong += memcmp(&out, &expected, sizeof out) != 0;
% endif
% if k.reply_bytes:
        *wrong += bytes != expected_bytes;
% endif
    }
% else:
    (void)wrong;
    ${table}->${k.name}(${', '.join(['ctx'] + args)});
% endif
    return {${k.op}, d};
}

% endfor
using Send = Seen (*)(pipe_context *, Random &, unsigned *);
const Send senders[] = {
% for k in sent:
    send_${k.name},
% endfor
};

// Calls that a server makes by itself too are answered but not logged.
void note(std::vector<Seen> &out, const Seen &seen) {
    if (seen.op != PIPE_OP_QUERY_AVAILABLE)
        out.push_back(seen);
}

} // namespace

std::vector<Seen> send_random(pipe_context *ctx, Random &random, unsigned count, unsigned *wrong) {
    std::vector<Seen> out;
    for (unsigned i = 0; i < count; i++)
        note(out, senders[random.below(sizeof senders / sizeof *senders)](ctx, random, wrong));
    return out;
}

std::vector<Seen> send_each(pipe_context *ctx, Random &random, unsigned *wrong) {
    std::vector<Seen> out;
    for (Send s : senders)
        note(out, s(ctx, random, wrong));
    return out;
}

// --- archive -------------------------------------------------------------------------------------

namespace {

std::string random_name(Random &r) {
    std::string s(r.below(20), 'a');
    for (char &ch : s)
        ch = static_cast<char>('a' + r.below(26));
    return s;
}

% for a in m.archives.values():
void fill(${a.name} &a, Random &r) {
% for f in a.fields:
% if f.kind == 'str':
    a.${f.name} = random_name(r);
% elif f.kind in ('words', 'bytes') or (f.kind == 'vec' and f.elem.kind == 'scalar'):
    a.${f.name}.resize(r.below(50));
    for (auto &e : a.${f.name})
        e = static_cast<std::decay_t<decltype(e)>>(r.next());
% elif f.kind == 'vec' and f.elem.kind == 'str':
    a.${f.name}.resize(r.below(4));
    for (auto &e : a.${f.name})
        e = random_name(r);
% elif f.kind == 'vec':
    a.${f.name}.resize(r.below(4));
    for (auto &e : a.${f.name})
        fill(e, r);
% elif f.kind in ('archive', 'struct'):
    fill(a.${f.name}, r);
% elif f.kind in ('scalar', 'enum'):
% if f.dims:
    for (auto &e : a.${f.name})
        e = static_cast<std::decay_t<decltype(e)>>(r.below(200));
% else:
    a.${f.name} = static_cast<${f.ctype}>(r.below(200));
% endif
% endif
% endfor
}

uint64_t digest(uint64_t d, const ${a.name} &a) {
% for f in a.fields:
% if f.kind in ('str', 'words', 'bytes') or (f.kind == 'vec' and f.elem.kind == 'scalar'):
    d = digest_bytes(d + a.${f.name}.size(), a.${f.name}.data(), a.${f.name}.size() * sizeof(a.${f.name}[0]));
% elif f.kind == 'vec' and f.elem.kind == 'str':
    for (const auto &e : a.${f.name})
        d = digest_bytes(d + e.size(), e.data(), e.size());
% elif f.kind == 'vec':
    d += a.${f.name}.size();
    for (const auto &e : a.${f.name})
        d = digest(d, e);
% elif f.kind == 'archive':
    d = digest(d, a.${f.name});
% else:
    d = digest_bytes(d, &a.${f.name}, sizeof a.${f.name});
% endif
% endfor
    return d;
}

% endfor
} // namespace

void fill_archive(pipe_shader_archive &a, Random &random) {
    fill(a, random);
}

uint64_t digest_archive(const pipe_shader_archive &a) {
    return digest(1, a);
}

void fill_screen(pipe_screen *screen) {
% for k in calls:
% if k.table == 'screen':
    screen->${k.name} = probe_${k.name};
% endif
% endfor
}

void fill_context(pipe_context *ctx) {
% for k in calls:
% if k.table == 'context':
    ctx->${k.name} = probe_${k.name};
% endif
% endfor
}

} // namespace probe
