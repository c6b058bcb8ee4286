# SPDX-License-Identifier: MIT
"""Negative controls of the generator: each proof of pipe_model.py is seen red for the reason it exists."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GEN = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'src', 'pipe', 'gen')

START = '''
from pipe_model import *
handle_kind('thing', 'group', 'A thing.')
input_group('a', True, True, 'group a')
struct('pipe_pair', 'Two.', """
u32 x ;
u32 y ;
""")
call('fill_a', 'context', 'STATE', 'Fills.', """
u32 n ;
u32 pad0 ;
""", tails=(('pairs', 'pipe_pair', 'n'),), fills='a')
'''

CASES = [
    ('sound', '', None),
    ('implicit padding', 'struct("pipe_bad", "Bad.", """\nu8 a ;\nu32 b ;\n""")', 'would lie at offset 1'),
    ('padding at the end', 'struct("pipe_bad", "Bad.", """\nu32 a ;\nu8 b ;\n""")', 'ends at 5'),
    ('unknown type', 'struct("pipe_bad", "Bad.", """\nu33 a ;\n""")', 'unknown type'),
    ('unknown handle kind', 'struct("pipe_bad", "Bad.", """\nhandle:nothing a ;\n""")', 'no handle kind'),
    ('member twice', 'struct("pipe_bad", "Bad.", """\nu32 a ;\nu32 a ;\n""")', 'twice'),
    ('call twice', 'call("fill_a", "context", "STATE", "Again.", "u32 n ;")', 'declared twice'),
    ('tail without a count', 'call("b", "context", "STATE", "B.", "u32 n ;", tails=(("t", "pipe_pair", "m"),))',
     'count member'),
    ('answer without a wait', 'call("b", "context", "STATE", "B.", "u32 n ;", reply="u32 r ;")', 'must be "reply"'),
    ('unknown group', 'call("b", "context", "VERB", "B.", "u32 n ;", reads=("zz",))', 'no input group'),
    ('group that nothing fills', 'input_group("b", True, True, "group b")', 'no call fills'),
    ('state group without a record', 'coverage("blend", "", "")', 'without a record'),
    ('coverage by a call that is not there', 'coverage("blend", "set_blend", "")', 'does not exist'),
    ('coverage by a member that is not there', 'coverage("blend", "fill_a.m", "")', 'no such member'),
    ('root call of a context', 'call("b", "context", "LANE", "B.", "u32 n ;", root=True)', 'root'),
    ('enum that does not fit', 'enum("pipe_e", "E.", "A = 256 ;", width=8)', 'does not fit'),
    ('state of a member that is not there', 'call("b", "context", "STATE", "B.", "u32 n ;", fills="a", per="m")', 'fills nothing per'),
    ('handle of a member that is not there', 'call("b", "context", "CSO", "B.", "u32 n ;", makes="m")', 'makes no'),
    ('C name twice', 'enum("pipe_e", "E.", "A ;", prefix="P")\nenum("pipe_f", "F.", "A ;", prefix="P")', 'C name'),
]


# What both ends must agree on is in the fingerprint, what they need not is not.
FINGERPRINT = (
    ('two members of equal width swapped', 'u32 x ;\nu32 y ;', 'u32 y ;\nu32 x ;', True),
    ('another name', 'u32 y ;', 'u32 z ;', True),
    ('another type of equal width', 'u32 y ;', 'f32 y ;', True),
    ('another text', 'Two.', 'A pair.', False),
)


def fingerprint(text):
    with tempfile.NamedTemporaryFile('w', suffix='.py', delete=False) as f:
        f.write(text)
    code = (f'import sys; sys.path.insert(0, {GEN!r}); import pipe_model, pipe_c; '
            f'print(pipe_c.digest(pipe_c.description(pipe_model.load({f.name!r}))))')
    r = subprocess.run([sys.executable, '-B', '-c', code], capture_output=True, text=True)
    os.unlink(f.name)
    return r.stdout.strip() or r.stderr


def run(text):
    with tempfile.NamedTemporaryFile('w', suffix='.py', delete=False) as f:
        f.write(text)
    code = f'import sys; sys.path.insert(0, {GEN!r}); import pipe_model; pipe_model.load({f.name!r})'
    r = subprocess.run([sys.executable, '-B', '-c', code], capture_output=True, text=True)
    os.unlink(f.name)
    return r.returncode, r.stderr


def main():
    bad = 0
    for name, text, expected in CASES:
        rc, err = run(START + text + '\n')
        ok = rc == 0 if expected is None else rc != 0 and expected in err
        if not ok:
            bad += 1
            print(f'{name}: expected {expected!r}, got exit {rc}: {err.strip()}')
    caps = START + "caps('u32 n ;')\n"
    first = fingerprint(caps)
    for name, old, new, moves in FINGERPRINT:
        if len(first) != 64 or old not in caps or (fingerprint(caps.replace(old, new)) != first) != moves:
            bad += 1
            print(f'fingerprint, {name}: it {"stayed" if moves else "moved"} ({first[-80:]})')
    print(f'{len(CASES) + len(FINGERPRINT)} cases, {bad} wrong')
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
