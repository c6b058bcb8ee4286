# SPDX-License-Identifier: MIT
"""The language of pipe_def.py: every function it may call, and the model they build.

pipe_def.py starts with `from pipe_model import *` and is pure data. load() runs it, proves it
(section "proofs" below) and hands the model to the templates. Whatever is wrong is printed, all of
it, and the build stops.
"""

import re
import sys

__all__ = [
    'enum', 'handle_kind', 'fmt', 'struct', 'call', 'callback', 'control', 'fault', 'refusal',
    'cap_bit', 'caps', 'input_group', 'coverage', 'chunk', 'archive_struct', 'constant',
]

SCALARS = {
    'u8': ('uint8_t', 1), 'u16': ('uint16_t', 2), 'u32': ('uint32_t', 4), 'u64': ('uint64_t', 8),
    'i8': ('int8_t', 1), 'i16': ('int16_t', 2), 'i32': ('int32_t', 4), 'i64': ('int64_t', 8),
    'f32': ('float', 4), 'f64': ('double', 8),
}
CLASSES = ('SCR', 'LANE', 'QRY', 'CSO', 'STATE', 'XFER', 'VERB')
WAITS = ('none', 'reply', 'present', 'applied')


class Model:
    def __init__(self):
        self.enums = {}
        self.kinds = []
        self.formats = []
        self.structs = {}
        self.calls = []
        self.callbacks = []
        self.controls = []
        self.faults = []
        self.refusals = []
        self.cap_bits = []
        self.caps = None
        self.groups = []
        self.coverages = []
        self.chunks = []
        self.archives = {}
        self.consts = []
        self.errors = []

    def error(self, where, what):
        self.errors.append(f'{where}: {what}')

    def call_named(self, name):
        return next((c for c in self.calls if c.name == name), None)

    def subset(self, subset):
        return [c for c in self.chunks if c.subset == subset]


class Item:
    def __init__(self, name, value, doc):
        self.name, self.value, self.doc = name, value, doc


class Enum:
    def __init__(self, name, doc, items, width, prefix, flags):
        self.name, self.doc, self.items = name, doc, items
        self.width, self.prefix, self.flags = width, prefix, flags
        self.ctype = f'uint{width}_t'


class Field:
    """One member: C type, dimensions, size, alignment, and (inside a struct) its offset."""

    def __init__(self, type_, name, dims, doc):
        self.type, self.name, self.dims, self.doc = type_, name, dims, doc
        self.offset = 0
        self.kind = ''      # scalar | handle | enum | struct | str | vec | words | bytes | archive
        self.elem = None    # Struct, Enum, Archive or element type name
        self.ctype = ''
        self.esize = self.align = 0

    @property
    def count(self):
        n = 1
        for d in self.dims:
            n *= d
        return n

    @property
    def size(self):
        return self.esize * self.count

    @property
    def pad(self):
        return self.name.startswith('pad')

    @property
    def decl(self):
        return f'{self.ctype} {self.name}' + ''.join(f'[{d}]' for d in self.dims)


class Struct:
    def __init__(self, name, doc, fields):
        self.name, self.doc, self.fields = name, doc, fields
        self.size, self.align = 0, 1

    @property
    def compared(self):
        return [f for f in self.fields if not f.pad]

    def member(self, name):
        return next((f for f in self.fields if f.name == name), None)


class Tail:
    def __init__(self, name, struct_, count):
        self.name, self.type, self.count = name, struct_, count
        self.ctype, self.esize, self.align, self.elem = '', 0, 1, None


class Call:
    """A row of the catalogue. `payload` and `rep` are Structs; `op` is the opcode."""

    @property
    def is_reply(self):
        return self.wait == 'reply'

    @property
    def ret(self):
        if self.name == 'lane_create':
            return 'struct pipe_context *'
        return 'enum pipe_status ' if self.is_reply else 'void '

    @property
    def first(self):
        return 'struct pipe_screen *screen' if self.root else 'struct pipe_context *ctx'

    @property
    def params(self):
        p = [self.first, f'const struct pipe_{self.name} *p']
        p += [f'const {t.ctype} *{t.name}' for t in self.tails]
        p += [f'const struct pipe_host_span *{s}' for s in self.spans]
        if self.archive:
            p.append(f'const struct pipe_shader_archive *{self.archive}')
        if self.rep:
            p.append(f'struct pipe_{self.name}_reply *out')
        if self.reply_bytes:
            p.append('const struct pipe_out_span *dst')
        return p

    @property
    def args(self):
        return [re.split(r'[ *]', p)[-1] for p in self.params]


M = Model()
# Control messages name these two before their items are declared.
for _name, _doc in (('pipe_fault', 'Why a session was ended by the server.'),
                    ('pipe_refusal', 'Why a handshake was refused.')):
    M.enums[_name] = Enum(_name, _doc, [Item('NONE', 0, 'none')], 32, _name.upper(), False)


# --- parsing helpers ---------------------------------------------------------------------------

def _lines(text):
    for line in text.strip().splitlines():
        line = line.strip()
        if line and not line.startswith('#'):
            body, _, doc = line.partition(';')
            yield body.strip(), doc.strip()


def _number(text, where):
    if text == 'PIPE_FORMAT_COUNT':
        return len(M.formats)
    if text == 'PIPE_FORMAT_COUNT':
        return len(M.formats) + 1
    try:
        return int(text, 0)
    except ValueError:
        for c in M.consts:
            if c.name == text:
                return c.value
        M.error(where, f'"{text}" is not a number')
        return 1


def _resolve(f, where, archive=False):
    t = f.type
    if t in SCALARS:
        f.kind, (f.ctype, f.esize) = 'scalar', SCALARS[t]
        f.align = f.esize
    elif t == 'pipe_handle' or t.startswith('handle:'):
        kind = t[7:] if ':' in t else 'any'
        f.kind, f.ctype, f.esize, f.align, f.elem = 'handle', 'struct pipe_handle', 8, 4, kind
        if kind not in ('any', '*') and not any(k.name == kind for k in M.kinds):
            M.error(where, f'{f.name}: no handle kind "{kind}"')
    elif t.startswith('enum:'):
        e = M.enums.get(t[5:])
        f.kind, f.elem = 'enum', e
        if e is None:
            M.error(where, f'{f.name}: no enum "{t[5:]}"')
            f.ctype, f.esize, f.align = 'uint32_t', 4, 4
        else:
            f.ctype, f.esize = e.ctype, e.width // 8
            f.align = f.esize
    elif archive and t in ('str', 'words', 'bytes'):
        f.kind = t
        f.ctype = {'str': 'std::string', 'words': 'std::vector<uint32_t>',
                   'bytes': 'std::vector<uint8_t>'}[t]
    elif archive and t.startswith('vec:'):
        f.kind = 'vec'
        inner = Field(t[4:], f.name, [], '')
        _resolve(inner, where, True)
        f.elem = inner
        f.ctype = f'std::vector<{inner.ctype}>'
    elif archive and t in M.archives:
        f.kind, f.elem, f.ctype = 'archive', M.archives[t], f'struct {t}'
    elif t in M.structs:
        s = M.structs[t]
        f.kind, f.ctype, f.esize, f.align, f.elem = 'struct', f'struct {t}', s.size, s.align, s
    else:
        M.error(where, f'{f.name}: unknown type "{t}"')
        f.kind, f.ctype, f.esize, f.align = 'scalar', 'uint32_t', 4, 4


_FIELD = re.compile(r'^(\S+)\s+([A-Za-z_]\w*)((?:\[[^\]]+\])*)$')


def _fields(text, where, archive=False):
    out, seen = [], set()
    for body, doc in _lines(text or ''):
        m = _FIELD.match(body)
        if not m:
            M.error(where, f'cannot read member "{body}"')
            continue
        dims = [_number(d, where) for d in re.findall(r'\[([^\]]+)\]', m.group(3))]
        f = Field(m.group(1), m.group(2), dims, doc)
        if f.name in seen:
            M.error(where, f'member "{f.name}" twice')
        seen.add(f.name)
        _resolve(f, where, archive)
        out.append(f)
    return out


def _layout(s):
    """Offsets without implicit padding: a member that would need some is an error."""
    off, align = 0, 1
    for f in s.fields:
        if off % f.align:
            M.error(s.name, f'{f.name} would lie at offset {off}, not a multiple of {f.align}: '
                            f'put {f.align - off % f.align} bytes of pad before it')
            off += f.align - off % f.align
        f.offset = off
        off += f.size
        align = max(align, f.align)
    if off % align:
        M.error(s.name, f'ends at {off}, not a multiple of {align}: '
                        f'put {align - off % align} bytes of pad at the end')
        off += align - off % align
    s.size, s.align = off, align
    return s


def _new(table, name, value, what):
    if name in table:
        M.error(name, f'{what} declared twice')
    table[name] = value
    return value


# --- the language ------------------------------------------------------------------------------

def constant(name, value, doc='', type_='u32'):
    """A named number (PIPE_MAX_...), usable as an array bound."""
    c = Item(name, value, doc)
    c.ctype = SCALARS[type_][0]
    if any(o.name == name for o in M.consts):
        M.error(name, 'constant twice')
    M.consts.append(c)


def enum(name, doc, items, width=32, prefix=None, flags=False):
    prefix = prefix or name.upper()
    out, nxt, seen = [], 0, set()
    for body, idoc in _lines(items):
        iname, _, value = body.partition('=')
        iname = iname.strip()
        if not re.match(r'^\w+$', iname):
            M.error(name, f'cannot read item "{body}"')
            continue
        n = _number(value.strip(), name) if value.strip() else nxt
        nxt = n + 1
        out.append(Item(iname, (1 << n) if flags else n, idoc))
        if iname in seen:
            M.error(name, f'item {iname} twice')
        seen.add(iname)
        if out[-1].value >= (1 << width):
            M.error(name, f'item {iname} does not fit {width} bits')
    return _new(M.enums, name, Enum(name, doc, out, width, prefix, flags), 'enum')


def _grow(enum_name, prefix, doc, item, idoc, start=0, width=32):
    e = M.enums.get(enum_name)
    if e is None:
        e = M.enums[enum_name] = Enum(enum_name, doc, [], width, prefix, False)
    e.items.append(Item(item, start + len(e.items), idoc))
    if any(i.name == item for i in e.items[:-1]):
        M.error(enum_name, f'item {item} twice')


class Kind:
    def __init__(self, name, scope, doc, value):
        self.name, self.scope, self.doc, self.value = name, scope, doc, value


def handle_kind(name, scope, doc):
    if scope not in ('group', 'lane', 'display'):
        M.error(name, f'scope "{scope}"')
    if not M.kinds:
        _grow('pipe_handle_kind', 'PIPE_HANDLE', 'What a handle names.', 'NONE', 'nothing')
    _grow('pipe_handle_kind', 'PIPE_HANDLE', '', name.upper(), f'{doc} ({scope} scope)')
    M.kinds.append(Kind(name, scope, doc, len(M.kinds) + 1))


class Format:
    pass


_COMP = re.compile(r'^([a-z])(\d+)([nsuifx])$')


def fmt(name, block_bytes, layout, comps):
    if not M.formats and name != 'NONE':
        fmt('NONE', 0, 'array', '')
    f = Format()
    f.name, f.bytes, f.layout, f.comps = name, block_bytes, layout, comps
    f.channels, f.tags, f.bw, f.bh = [], [], 1, 1
    shift = 0
    for w in comps.split():
        m = _COMP.match(w)
        b = re.match(r'^block(\d+)x(\d+)$', w)
        if b:
            f.bw, f.bh = int(b.group(1)), int(b.group(2))
        elif m:
            f.channels.append((m.group(1), m.group(3), int(m.group(2)), shift))
            shift += int(m.group(2))
        else:
            f.tags.append(w)
    if layout not in ('array', 'packed', 'block', 'zs'):
        M.error(name, f'layout "{layout}"')
    if layout != 'block' and shift > block_bytes * 8:
        M.error(name, f'{shift} bits in {block_bytes} bytes')
    _grow('pipe_format', 'PIPE_FORMAT', 'Formats of texels, vertices and texel blocks.', name, comps)
    f.value = len(M.formats)
    M.formats.append(f)


def struct(name, doc, fields):
    return _new(M.structs, name, _layout(Struct(name, doc, _fields(fields, name))), 'struct')


def _tails(tails, where, payload):
    out = []
    for name, type_, count in tails:
        t = Tail(name, type_, count)
        probe = Field(type_, name, [], '')
        _resolve(probe, where)
        t.ctype, t.esize, t.align, t.elem = probe.ctype, probe.esize, probe.align, probe
        m = payload.member(count)
        if m is None or m.kind != 'scalar' or m.dims or m.type not in ('u8', 'u16', 'u32'):
            M.error(where, f'tail {name}: count member "{count}" is not an unsigned member')
        out.append(t)
    return out


def call(name, table, cls, doc, fields, *, wait='none', tails=(), spans=(), archive=None,
         reply=None, reply_bytes=False, root=False, flags=(), fills=None, per=None, makes=None, reads=(),
         stats=None):
    """`fills`: the input group that the call fills. `per`: the member that names what the filled state belongs to
    (an object, a class of binding points); without it: the lane. `makes`: the member whose handle the call introduces
    (or makes anew): its generation never runs backwards."""
    c = Call()
    c.name, c.table, c.cls, c.doc, c.wait = name, table, cls, doc, wait
    c.payload = _layout(Struct(f'pipe_{name}', doc, _fields(fields, name)))
    c.tails = _tails(tails, name, c.payload)
    c.spans = [spans] if isinstance(spans, str) else list(spans)
    c.archive, c.reply_bytes, c.root = archive, reply_bytes, root
    c.rep = None
    if reply:
        c.rep = _layout(Struct(f'pipe_{name}_reply', f'Answer of {name}.', _fields(reply, name)))
    c.flags = (flags,) if isinstance(flags, str) else tuple(flags)
    c.fills = [fills] if isinstance(fills, str) else list(fills or ())
    c.reads = [reads] if isinstance(reads, str) else list(reads)
    c.stats = stats
    c.per = per
    c.makes = makes
    c.op = len(M.calls) + 1
    if table not in ('screen', 'context'):
        M.error(name, f'table "{table}"')
    if cls not in CLASSES:
        M.error(name, f'class "{cls}"')
    if wait not in WAITS:
        M.error(name, f'wait class "{wait}"')
    if (reply or reply_bytes) and wait != 'reply':
        M.error(name, 'answers something, so its wait class must be "reply"')
    if any(c.name == o.name for o in M.calls):
        M.error(name, 'call declared twice')
    if root and table != 'screen':
        M.error(name, 'only screen entries are root entries')
    M.calls.append(c)


def callback(name, doc, fields, spans=()):
    c = Call()
    c.name, c.doc = name, doc
    c.payload = _layout(Struct(f'pipe_{name}', doc, _fields(fields, name)))
    c.spans = [spans] if isinstance(spans, str) else list(spans)
    c.op = len(M.callbacks) + 1
    M.callbacks.append(c)


def control(name, doc, fields, tail_bytes=False):
    c = Call()
    c.name, c.doc, c.tail_bytes = name, doc, tail_bytes
    c.payload = _layout(Struct(f'pipe_ctl_{name}', doc, _fields(fields, name)))
    c.op = len(M.controls) + 1
    M.controls.append(c)


def fault(name, doc):
    _grow('pipe_fault', 'PIPE_FAULT', '', name, doc)
    M.faults.append(name)


def refusal(name, doc):
    _grow('pipe_refusal', 'PIPE_REFUSAL', '', name, doc)
    M.refusals.append(name)


def cap_bit(name, doc):
    _grow('pipe_cap', 'PIPE_CAP', 'Bit numbers of pipe_caps.features.', name, doc)
    M.cap_bits.append((name, doc))


def caps(fields):
    M.caps = _layout(Struct('pipe_caps', 'What a screen can do; frozen when it is created.',
                            _fields(fields, 'pipe_caps')))
    M.structs['pipe_caps'] = M.caps


class Group:
    def __init__(self, name, sticky, initial, doc, value):
        self.name, self.sticky, self.initial, self.doc, self.value = name, sticky, initial, doc, value


def input_group(name, sticky, initial, doc):
    """`sticky`: a fill serves every later verb, not only the next one. `initial`: there is a value (nothing bound, a
    default) before the first fill."""
    _grow('pipe_input', 'PIPE_INPUT', 'Groups of pushed state that verbs read.', name.upper(), doc)
    M.groups.append(Group(name, bool(sticky), bool(initial), doc, len(M.groups)))


def coverage(gl_group, record, doc):
    M.coverages.append((gl_group, record, doc))


class Chunk:
    def __init__(self, name, subset, struct_, doc):
        self.name, self.subset, self.struct, self.doc = name, subset, struct_, doc
        self.bit, self.offset, self.size = 0, 0, 0


def chunk(name, subset, struct_, doc):
    if subset not in ('pipeline', 'dynamic'):
        M.error(name, f'subset "{subset}"')
    if struct_ not in M.structs:
        M.error(name, f'no struct "{struct_}"')
        return
    c = Chunk(name, subset, struct_, doc)
    c.bit = len(M.subset(subset))
    M.chunks.append(c)
    what, pre = (('pipe_rs_chunk', 'PIPE_RS_CHUNK') if subset == 'pipeline'
                 else ('pipe_ds_chunk', 'PIPE_DS_CHUNK'))
    _grow(what, pre, f'Chunks of the {subset} subset (bit numbers).', name.upper(), doc)


def archive_struct(name, doc, fields):
    return _new(M.archives, name, Struct(name, doc, _fields(fields, name, True)), 'archive struct')


# --- proofs ------------------------------------------------------------------------------------

def _finish():
    for subset, name in (('pipeline', 'pipe_render_state'), ('dynamic', 'pipe_dynamic_state')):
        chunks = M.subset(subset)
        if not chunks:
            continue
        fields = '\n'.join(f'{c.struct} {c.name} ; {c.doc}' for c in chunks)
        s = _layout(Struct(name, f'All chunks of the {subset} subset, in order.',
                           _fields(fields, name)))
        if name in M.structs:
            M.error(name, 'is generated from the chunks; do not declare it')
        M.structs[name] = s
        for c, f in zip(chunks, s.fields):
            c.offset, c.size = f.offset, f.size


def _prove():
    c_names = set()
    for e in M.enums.values():
        for i in e.items:
            full = f'{e.prefix}_{i.name}'
            if full in c_names:
                M.error(e.name, f'C name {full} twice')
            c_names.add(full)
    for c in M.calls:
        if c.payload.align > 8:
            M.error(c.name, 'alignment above 8')
        if len(c.spans) + (1 if c.archive else 0) > 8:
            M.error(c.name, 'more than 8 spans')
        for g in c.fills + c.reads:
            if not any(g == x.name for x in M.groups):
                M.error(c.name, f'no input group "{g}"')
        if c.makes and c.payload.member(c.makes.split('.')[0]) is None:
            M.error(c.name, f'makes no "{c.makes}"')
        if c.per and (not c.fills or c.payload.member(c.per.split('.')[0]) is None):
            M.error(c.name, f'fills nothing per "{c.per}"')
    for g in M.groups:
        if not any(g.name in c.fills for c in M.calls):
            M.error(g.name, 'input group that no call fills')
    if M.archives and list(M.archives)[-1] != 'pipe_shader_archive':
        M.error('archive', 'the last archive_struct must be pipe_shader_archive')
    seen = set()
    for gl, record, _ in M.coverages:
        if gl in seen:
            M.error(gl, 'GL state group covered twice')
        seen.add(gl)
        if not record:
            M.error(gl, 'GL state group without a record')
            continue
        name, _, member = record.partition('.')
        c = M.call_named(name)
        if c is None:
            M.error(gl, f'coverage names a call "{name}" that does not exist')
        elif member and not _has_member(c, member):
            M.error(gl, f'coverage names "{record}": no such member')


def _has_member(c, member):
    first = member.split('.')[0]
    if c.payload.member(first) or any(t.name == first for t in c.tails) or first in c.spans:
        return True
    if first == c.archive:
        return True
    # A chunk of the state object that the call carries counts as its member.
    return any(k.name == first for k in M.chunks)


def check():
    """Runs the proofs; returns the errors as text lines (empty = sound)."""
    _finish()
    _prove()
    return M.errors


def load(path):
    with open(path, encoding='utf-8') as f:
        exec(compile(f.read(), path, 'exec'), {'__name__': 'pipe_def', '__file__': path})
    errors = check()
    if errors:
        for e in errors:
            print(f'pipe_def: error: {e}', file=sys.stderr)
        print(f'pipe_def: {len(errors)} error(s)', file=sys.stderr)
        sys.exit(1)
    return M
