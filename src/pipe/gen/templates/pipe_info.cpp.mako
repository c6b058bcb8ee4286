## SPDX-License-Identifier: MIT
${c.BANNER}
// The catalogue as data, names of faults, and the fingerprint of the layout.
#include "pipe_wire/wire.h"

<%
    text = c.description(m)
    dig = c.digest(text)
    def info(k):
        wait = 'PIPE_WAIT_' + k.wait.upper()
        shared = k.table == 'screen' or k.cls in ('XFER', 'CSO')
        point = k.wait != 'none' or k.name in ('flush', 'lane_current', 'set_swap_interval', 'fence_create')
        b = lambda v: 'true' if v else 'false'
        return (f'    {{"{k.name}", {k.payload.size}, {k.rep.size if k.rep else 0}, {k.cls}, {wait}, {len(k.tails)}, '
                f'{len(k.spans)}, {b(k.table == "screen")}, {b(k.root)}, {b("L" in k.flags)}, {b(k.archive)}, '
                f'{b(k.reply_bytes)}, {b(shared)}, {b(point)}}},')
%>
namespace wire {

// name, payload, reply, class, wait, tails, spans, screen, root, local, archive, bytes, shared, flush point
const CallInfo call_info[] = {
    {"filler", 0, 0, LANE, PIPE_WAIT_NONE, 0, 0, false, false, false, false, false, false, false},
% for k in m.calls:
${info(k)}
% endfor
};

const char *const event_names[] = {
    "filler",
% for k in m.callbacks:
    "${k.name}",
% endfor
};

const uint64_t fingerprint[2] = {0x${dig[:16]}ull, 0x${dig[16:32]}ull};

const char *fault_name(enum pipe_fault fault) {
    switch (fault) {
% for i in m.enums['pipe_fault'].items:
    case PIPE_FAULT_${i.name}:
        return "${i.name.lower()}";
% endfor
    }
    return "unknown";
}

const char *refusal_name(enum pipe_refusal refusal) {
    switch (refusal) {
% for i in m.enums['pipe_refusal'].items:
    case PIPE_REFUSAL_${i.name}:
        return "${i.name.lower()}";
% endfor
    }
    return "unknown";
}

} // namespace wire
