## SPDX-License-Identifier: MIT
<%!
    def cell(t): return ' '.join(t.split()).replace('|', '\\|')
    def members(s):
        return ', '.join(f'`{f.name}`' for f in s.compared) or '-'
%>\
# The catalogue of the pipe

Generated from `src/pipe/pipe_def.py`. Fingerprint of the wire: `${c.digest(c.description(m))[:32]}`.

Wait classes: `none` nobody waits; `reply` the client waits for the answer; `present` bounded by the credit of the surface; `applied` the
client waits until the record was applied. Sizes are bytes of the payload, without the 8-byte header.

| op | call | table | class | wait | size | what it does | members | with |
|---|---|---|---|---|---|---|---|---|
% for k in m.calls:
<%
    extra = [f'tail `{t.name}` ({t.type} x {t.count})' for t in k.tails] + [f'span `{s}`' for s in k.spans]
    if k.archive: extra.append('shader archive')
    if k.rep: extra.append('answer ' + members(k.rep))
    if k.reply_bytes: extra.append('answer bytes')
    if k.root: extra.append('root call')
%>\
| ${k.op} | `${k.name}` | ${k.table} | ${k.cls} | ${k.wait} | ${k.payload.size} | ${cell(k.doc)} | ${members(k.payload)} | ${'; '.join(extra) or '-'} |
% endfor

${'##'} Reverse callbacks

| no | callback | what it tells | members | with |
|---|---|---|---|---|
% for k in m.callbacks:
| ${k.op} | `${k.name}` | ${cell(k.doc)} | ${members(k.payload)} | ${'; '.join('span `%s`' % s for s in k.spans) or '-'} |
% endfor

${'##'} Control plane

| no | message | what it does | members |
|---|---|---|---|
% for k in m.controls:
| ${k.op} | `${k.name}` | ${cell(k.doc)} | ${members(k.payload)} |
% endfor

${'##'} Which record carries which GL state

| GL state group | record | how |
|---|---|---|
% for g, r, d in m.coverages:
| ${g} | `${r}` | ${cell(d) or '-'} |
% endfor

${'##'} Input groups and the verbs that read them

| group | filled by | read by |
|---|---|---|
% for g in m.groups:
| ${g.name} | ${', '.join('`%s`' % k.name for k in m.calls if g.name in k.fills)} | ${', '.join('`%s`' % k.name for k in m.calls if g.name in k.reads) or '-'} |
% endfor

${'##'} Render state, by chunks

| subset | chunk | struct | offset | size | what |
|---|---|---|---|---|---|
% for k in m.chunks:
| ${k.subset} | ${k.name} | `${k.struct}` | ${k.offset} | ${k.size} | ${cell(k.doc)} |
% endfor

${'##'} Capability bits

| bit | name | what |
|---|---|---|
% for n, (name, doc) in enumerate(m.cap_bits):
| ${n} | `PIPE_CAP_${name}` | ${cell(doc)} |
% endfor

${'##'} Faults and refusals

% for e in ('pipe_fault', 'pipe_refusal'):
% for i in m.enums[e].items:
- `${m.enums[e].prefix}_${i.name}`: ${cell(i.doc)}
% endfor
% endfor
