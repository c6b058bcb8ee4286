# SPDX-License-Identifier: MIT
"""Helpers of the templates: how a thing of the model is written in C++."""

import hashlib
import textwrap

WIDTH = 100

BANNER = '''// SPDX-License-Identifier: MIT
// Generated from src/pipe/pipe_def.py by src/pipe/gen/pipe_gen.py. Do not edit.
'''


def comment(text, indent=0, lead='// '):
    pre = ' ' * indent + lead
    lines = textwrap.wrap(' '.join(text.split()), WIDTH - len(pre)) or ['']
    return '\n'.join((pre + line).rstrip() for line in lines)


def member(f, indent=4):
    """One member with its documentation behind it, or above it when that is too long."""
    decl = ' ' * indent + f.decl + ';'
    doc = f.doc
    if f.kind == 'enum' and f.elem is not None:
        doc = f'{f.elem.name}{" bits" if f.elem.flags else ""}' + (f': {doc}' if doc else '')
    elif f.kind == 'handle':
        doc = f.elem + (f': {doc}' if doc else '')
    if not doc:
        return decl
    if len(decl) + 4 + len(doc) <= WIDTH:
        return f'{decl} // {doc}'
    return comment(doc, indent) + '\n' + decl


def struct_text(s):
    """Definition of a value type or payload, with the asserts that pin its layout."""
    if not s.fields:
        return (comment(s.doc) + f'\nstruct {s.name} {{\n    uint8_t pad_empty[8]; // no members\n}};'
                f'\nstatic_assert(sizeof(struct {s.name}) == 8);')
    out = [comment(s.doc), f'struct {s.name} {{']
    out += [member(f) for f in s.fields]
    out.append('};')
    out.append(f'static_assert(sizeof(struct {s.name}) == {s.size});')
    for f in s.fields:
        out.append(f'static_assert(offsetof(struct {s.name}, {f.name}) == {f.offset});')
    return '\n'.join(out)


def signature(head, params, indent=0, end=';'):
    """`head(params)end`, broken behind commas at the line width."""
    pre = ' ' * indent
    line = pre + head + '(' + ', '.join(params) + ')' + end
    if len(line) <= WIDTH:
        return line
    out, cur = [], pre + head + '('
    for i, p in enumerate(params):
        piece = p + (', ' if i + 1 < len(params) else ')' + end)
        if len(cur) + len(piece.rstrip()) > WIDTH and cur.strip():
            out.append(cur.rstrip())
            cur = pre + '    '
        cur += piece
    out.append(cur.rstrip())
    return '\n'.join(out)


def enum_text(e):
    out = [comment(e.doc), f'enum {e.name} {{']
    for i in e.items:
        value = f'0x{i.value:x}u' if e.flags else f'{i.value}'
        line = f'    {e.prefix}_{i.name} = {value},'
        out.append(f'{line} // {i.doc}' if i.doc and len(line) + 4 + len(i.doc) <= WIDTH else
                   (comment(i.doc, 4) + '\n' + line if i.doc else line))
    out.append('};')
    return '\n'.join(out)


def align_up(n, a):
    return (n + a - 1) // a * a


# --- layout fingerprint --------------------------------------------------------------------------

def _describe(prefix, s):
    for f in s.fields:
        t = f.type if f.kind != 'enum' or f.elem is None else f'u{f.elem.width}'
        yield f'{prefix}{f.name} {t} {list(f.dims)} @{f.offset} +{f.size}'


def _describe_archive(s):
    for f in s.fields:
        yield f'  {f.name} {f.type} {list(f.dims)}'


def description(m):
    """Canonical text of everything both ends must agree on; its hash is the fingerprint."""
    out = ['mgpipe wire 1', 'header u16 op u16 flags u32 size', 'span u32 seg u32 flags u64 offset u64 size',
           'reply u32 seg u32 flags u64 offset u64 size']
    for s in m.structs.values():
        out.append(f'struct {s.name} {s.size}')
        out += _describe('  ', s)
    for c in m.calls:
        out.append(f'call {c.op} {c.name} {c.table} {c.cls} wait={c.wait} root={int(c.root)} '
                   f'flags={",".join(c.flags)} size={c.payload.size}')
        out += _describe('  ', c.payload)
        out += [f'  tail {t.name} {t.type} by {t.count} of {t.esize}' for t in c.tails]
        out += [f'  span {s}' for s in c.spans]
        if c.archive:
            out.append('  archive')
        if c.rep:
            out.append(f'  reply {c.rep.size}')
            out += _describe('  reply.', c.rep)
        if c.reply_bytes:
            out.append('  reply bytes')
    for c in m.callbacks:
        out.append(f'callback {c.op} {c.name} size={c.payload.size}')
        out += _describe('  ', c.payload)
        out += [f'  span {s}' for s in c.spans]
    for c in m.controls:
        out.append(f'control {c.op} {c.name} size={c.payload.size} tail={int(c.tail_bytes)}')
        out += _describe('  ', c.payload)
    for e in m.enums.values():
        out.append(f'enum {e.name} {e.width} ' + ','.join(f'{i.name}={i.value}' for i in e.items))
    for k in m.chunks:
        out.append(f'chunk {k.subset} {k.name} {k.struct} @{k.offset} +{k.size}')
    for f in m.formats:
        out.append(f'format {f.value} {f.name} {f.bytes} {f.layout} {f.comps}')
    for a in m.archives.values():
        out.append(f'archive {a.name}')
        out += _describe_archive(a)
    return '\n'.join(out) + '\n'


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


# --- checks of peer data -------------------------------------------------------------------------

def checks(s, expr):
    """C++ conditions that are true when an enum or handle member of `expr` holds nonsense."""
    out = []
    for f in s.fields:
        if f.pad:
            continue
        cond = None
        item = f'{expr}.{f.name}'
        index = '' if not f.dims else '[i]'
        if f.kind == 'enum' and f.elem is not None and f.elem.items:
            values = [i.value for i in f.elem.items]
            if f.elem.flags:
                mask = 0
                for v in values:
                    mask |= v
                if mask != (1 << f.elem.width) - 1:
                    cond = f'({item}{index} & ~0x{mask:x}u) != 0'
            elif max(values) < (1 << f.elem.width) - 1:
                cond = f'{item}{index} > {max(values)}u'
        elif f.kind == 'handle':
            cond = f'!slot_ok({item}{index})'
        elif f.kind == 'struct' and has_checks(f.elem):
            cond = f'!valid({item}{index})'
        if cond:
            out.append((f.dims[0] if f.dims else 0, cond, f.name))
    return out


def has_checks(s):
    return bool(checks(s, 'v'))
