# SPDX-License-Identifier: MIT
"""Frozen text: opcodes (append-only) and the generated code of a few calls.

check_golden.py [--update | --control]. A difference in generated.txt is no error of the definition: look at it, then
run with --update. opcodes.txt only ever grows. --control checks a definition with two calls swapped and one whose draw
range has another member: both texts must differ, so it fails.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GEN = os.path.join(ROOT, 'src', 'pipe', 'gen')
sys.path.insert(0, GEN)
sys.dont_write_bytecode = True

import pipe_c        # noqa: E402
import pipe_model    # noqa: E402

FUNCTIONS = {
    'pipe_emit.cpp.mako': ['emit_draw_vbo', 'emit_bind_render_state', 'emit_read_pixels', 'emit_present',
                           'send_on_gl_error'],
    'pipe_apply.cpp.mako': ['apply_draw_vbo', 'apply_bind_render_state', 'apply_read_pixels'],
}


def function(text, name):
    m = re.search(r'^\S[^\n]*\b' + name + r'\((?:.|\n)*?^}\n', text, re.M)
    return m.group(0) if m else f'{name}: not generated\n'


def generated(model):
    from mako.lookup import TemplateLookup
    lookup = TemplateLookup(directories=[os.path.join(GEN, 'templates')], input_encoding='utf-8',
                            strict_undefined=True)
    out = []
    for s in ('pipe_draw_range', 'pipe_region'):
        out.append(pipe_c.struct_text(model.structs[s]) + '\n')
    for template, names in FUNCTIONS.items():
        text = lookup.get_template(template).render(m=model, c=pipe_c)
        out += [function(text, n) for n in names]
    return '\n'.join(out)


def opcodes(model):
    return ''.join(f'{c.op} {c.name}\n' for c in model.calls)


def read(name):
    path = os.path.join(HERE, name)
    return open(path, encoding='utf-8').read() if os.path.exists(path) else ''


def write(name, text):
    with open(os.path.join(HERE, name), 'w', encoding='utf-8') as f:
        f.write(text)


def main():
    model = pipe_model.load(os.path.join(ROOT, 'src', 'pipe', 'pipe_def.py'))
    update = '--update' in sys.argv
    if '--control' in sys.argv:
        model.calls[3], model.calls[4] = model.calls[4], model.calls[3]
        model.calls[3].op, model.calls[4].op = 4, 5
        model.structs['pipe_draw_range'].fields[0].name = 'first'
    bad = 0
    ops, pinned = opcodes(model), read('opcodes.txt')
    if not ops.startswith(pinned):
        for a, b in zip(pinned.splitlines(), ops.splitlines()):
            if a != b:
                print(f'opcodes.txt: pinned "{a}", the definition has "{b}": opcodes are append-only')
                break
        else:
            print('opcodes.txt: pinned calls are missing from the definition')
        bad = 1
    elif update:
        write('opcodes.txt', ops)
    elif ops != pinned:
        print('opcodes.txt: new calls are not pinned yet; run check_golden.py --update')
        bad += 1
    text = generated(model)
    if update:
        write('generated.txt', text)
    elif text != read('generated.txt'):
        import difflib
        diff = difflib.unified_diff(read('generated.txt').splitlines(), text.splitlines(), 'generated.txt',
                                    'generator', lineterm='')
        print('\n'.join(list(diff)[:60]))
        bad += 1
    if '--control' in sys.argv:
        print(f'{bad} of 2 differences found')
        return bad == 2
    return bad


if __name__ == '__main__':
    sys.exit(main())
