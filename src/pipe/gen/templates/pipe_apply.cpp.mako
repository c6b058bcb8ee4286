## SPDX-License-Identifier: MIT
${c.BANNER}
// Decoders: prove a record, then call the driver's entry.
#include "call_limits.h"
#include "reader.h"

#include "pipe/pipe_archive.h"
#include "pipe/pipe_state.h"

#include <cstring>

namespace wire {
namespace {

enum pipe_fault stop(Applier &a, enum pipe_fault fault, const char *call, const char *what) {
    snprintf(a.detail, sizeof a.detail, "%s: %s", call, what);
    return fault;
}

enum pipe_fault stop(Applier &a, const Reader &r, const char *call) {
    return stop(a, r.fault, call, r.what);
}

// Slots are array indices in a driver: bounded here, once for all.
inline bool slot_ok(pipe_handle h) {
    return h.slot < (1u << 22) ||
           (h.slot >= PIPE_COMPOSITE_SLOT_BASE && h.slot - PIPE_COMPOSITE_SLOT_BASE < (1u << 20));
}

enum class Made { ok, backwards, dead };

Made made(Applier &a, enum pipe_handle_kind kind, Generations *of, pipe_handle h) {
    if (!of || of->introduce(kind, h))
        return Made::ok;
    const bool several = of == a.group_generations && a.several_lanes &&
                         a.several_lanes->load(std::memory_order_relaxed);
    return several ? Made::dead : Made::backwards;
}

<%
    def member_of(k):
        path = k.makes.split('.')
        f = k.payload.member(path[0])
        for part in path[1:]:
            f = f.elem.member(part)
        return f

    def kind_named(name):
        for kind in m.kinds:
            if kind.name == name:
                return kind
        return None

    def made_kind(k):
        return 'PIPE_HANDLE_' + member_of(k).elem.upper()

    def made_scope(k):
        scope = kind_named(member_of(k).elem).scope
        return 'a.lane_generations' if scope == 'lane' else 'a.group_generations'

    def lane_uses(k):
        """Handles of lane scope that the call names: their records have one order."""
        out = []
        if k.name == 'destroy_object':
            return out  # of any kind
        for f in k.payload.fields:
            if f.kind == 'handle' and not f.dims and f.name != k.makes:
                kind = kind_named(f.elem)
                if kind is not None and kind.scope == 'lane':
                    out.append(('PIPE_HANDLE_' + kind.name.upper(), f.name))
        return out
%>\
<%def name="validator(s)">\
% if c.has_checks(s):
[[maybe_unused]] bool valid(const ${s.name} &v) {
% for n, cond, name in c.checks(s, 'v'):
% if n:
    for (unsigned i = 0; i < ${n}; i++)
        if (${cond})
            return false;
% else:
    if (${cond})
        return false;
% endif
% endfor
    return true;
}

% endif
</%def>\
% for s in m.structs.values():
% if s.name != 'pipe_caps':
${validator(s)}\
% endif
% endfor
% for k in m.calls:
${validator(k.payload)}\
% endfor
% for k in m.calls:
% if 'L' not in k.flags and 'C' not in k.flags and k.name != 'get_caps':
<%
    spans = len(k.spans) + (1 if k.archive else 0)
    tabl = 'a.screen' if k.table == 'screen' else 'a.ctx'
    first = 'a.screen' if k.root else 'a.ctx'
    args = [first, 'p'] + [t.name for t in k.tails] + ['&' + s for s in k.spans]
    if k.archive: args.append('&archive')
    if k.rep: args.append('&out')
    if k.reply_bytes: args.append('&dst')
%>\
enum pipe_fault apply_${k.name}(Applier &a, const uint8_t *record, uint64_t size) {
    Reader r(record, size, a.memory, ${spans});
% if k.payload.fields:
    const auto *p = r.payload<pipe_${k.name}>();
% else:
    const pipe_${k.name} *p = nullptr;
% endif
% for t in k.tails:
    const auto *${t.name} = p ? r.tail<${t.ctype}>(p->${t.count}) : nullptr;
% endfor
% if spans or k.is_reply:
    r.begin_spans();
% endif
% for s in k.spans:
    pipe_host_span ${s} = r.span();
% endfor
% if k.archive:
    pipe_host_span coded = r.span();
% endif
% if k.is_reply:
    void *answer = nullptr;
% if k.reply_bytes:
    pipe_out_span dst{};
    r.answer(${k.rep.size if k.rep else 0}, &answer, &dst);
% else:
    r.answer(${k.rep.size if k.rep else 0}, &answer, nullptr);
% endif
% endif
    if (r.fault)
        return stop(a, r, "${k.name}");
% if c.has_checks(k.payload):
    if (!valid(*p))
        return stop(a, PIPE_FAULT_ENUM, "${k.name}", "value of an enum or a handle");
% endif
% for t in k.tails:
% if t.elem.kind == 'struct' and c.has_checks(t.elem.elem):
    for (uint32_t i = 0; i < p->${t.count}; i++)
        if (!valid(${t.name}[i]))
            return stop(a, PIPE_FAULT_ENUM, "${k.name}", "value in ${t.name}");
% elif t.elem.kind == 'handle':
    for (uint32_t i = 0; i < p->${t.count}; i++)
        if (!slot_ok(${t.name}[i]))
            return stop(a, PIPE_FAULT_SLOT, "${k.name}", "handle in ${t.name}");
% endif
% endfor
% if k.payload.fields:
    if (!limits_hold(${', '.join(['*p'] + [t.name for t in k.tails])}))
        return stop(a, PIPE_FAULT_COUNT, "${k.name}", "a limit of the catalogue");
% endif
% for kind, expr in lane_uses(k):
    if (a.lane_generations && !a.lane_generations->current(${kind}, p->${expr}))
        return stop(a, PIPE_FAULT_GENERATION, "${k.name}", "${expr} is of an older generation");
% endfor
% if k.makes:
    switch (made(a, ${made_kind(k)}, ${made_scope(k)}, p->${k.makes})) {
    case Made::ok: break;
    case Made::backwards:
        return stop(a, PIPE_FAULT_GENERATION, "${k.name}", "${k.makes} runs backwards");
    case Made::dead:
% if k.is_reply:
        a.answered = true;
        a.status = PIPE_ERROR;
% endif
        a.stale++;
        return PIPE_FAULT_NONE;
    }
% endif
% if k.archive:
    pipe_shader_archive archive;
    if (coded.ptr && !pipe_shader_archive_decode(archive, coded.ptr, coded.size))
        return stop(a, PIPE_FAULT_ARCHIVE, "${k.name}", "archive does not decode");
% endif
% if k.rep:
    pipe_${k.name}_reply out{};
% endif
    auto *entry = ${tabl} ? ${tabl}->${k.name} : nullptr;
% if k.is_reply:
    a.answered = true;
    a.status = entry ? entry(${', '.join(args)}) : PIPE_DECLINED;
% if k.rep:
    if (answer)
        memcpy(answer, &out, sizeof out);
% endif
% else:
    if (entry)
        entry(${', '.join(args)});
% endif
    a.missing += !entry;
    return PIPE_FAULT_NONE;
}

% endif
% endfor
using Apply = enum pipe_fault (*)(Applier &, const uint8_t *, uint64_t);

const Apply appliers[PIPE_OP_COUNT] = {
    nullptr,
% for k in m.calls:
% if 'L' not in k.flags and 'C' not in k.flags and k.name != 'get_caps':
    apply_${k.name},
% else:
    nullptr, // ${k.name}
% endif
% endfor
};

} // namespace

enum pipe_fault apply(Applier &a, const uint8_t *record, uint64_t size) {
    a.answered = false;
    a.status = PIPE_OK;
    if (size < sizeof(Header))
        return stop(a, PIPE_FAULT_RECORD_SIZE, "?", "no header");
    const Header *h = reinterpret_cast<const Header *>(record);
    if (h->size != size || size % 8)
        return stop(a, PIPE_FAULT_RECORD_SIZE, "?", "record size");
    if (h->op == 0 || h->op >= PIPE_OP_COUNT || !appliers[h->op])
        return stop(a, PIPE_FAULT_OPCODE, "?", "no such call");
    const CallInfo &info = call_info[h->op];
    if (info.root != a.root || (!info.root && !a.ctx))
        return stop(a, PIPE_FAULT_PROTOCOL, info.name, "call on the wrong plane");
    return appliers[h->op](a, record, size);
}

enum pipe_fault apply_event(const pipe_callbacks *callbacks, void *owner, const uint8_t *record, uint64_t size) {
    if (size < sizeof(Header))
        return PIPE_FAULT_RECORD_SIZE;
    const Header *h = reinterpret_cast<const Header *>(record);
    if (h->size != size || size % 8)
        return PIPE_FAULT_RECORD_SIZE;
    switch (h->op) {
% for k in m.callbacks:
    case PIPE_EVENT_${k.name.upper()}: {
        Reader r(record, size, nullptr, ${len(k.spans)});
        const auto *p = r.payload<pipe_${k.name}>();
        r.begin_spans();
% for s in k.spans:
        pipe_host_span ${s} = r.span();
% endfor
        if (r.fault)
            return r.fault;
        if (callbacks && callbacks->${k.name})
            callbacks->${k.name}(${', '.join(['owner', 'p'] + ['&' + s + '' for s in k.spans])});
        return PIPE_FAULT_NONE;
    }
% endfor
    default:
        return PIPE_FAULT_OPCODE;
    }
}

} // namespace wire
