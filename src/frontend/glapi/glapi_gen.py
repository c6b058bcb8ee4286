# SPDX-License-Identifier: MIT
"""Renders one template of frontend/glapi.

usage: glapi_gen.py --xml gl.xml --template T.mako --out FILE [--objects DIR --depfile FILE]

With --objects the sources there decide which commands are implemented; the folder itself and every file in it are written
to the depfile, so a new or changed file renders again. Output that did not change is not touched.
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from mako import exceptions                                                     # noqa: E402
from mako.template import Template                                              # noqa: E402

import glapi_model                                                              # noqa: E402


def write_if_changed(path, text):
    try:
        with open(path, encoding='utf-8') as f:
            if f.read() == text:
                return
    except OSError:
        pass
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def object_sources(folder):
    found = []
    for base, _, files in os.walk(folder):
        found += [os.path.join(base, f) for f in files if f.endswith('.cpp') and not f.startswith('.')]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser()
    for name in ('xml', 'template', 'out', 'objects', 'depfile'):
        parser.add_argument('--' + name, default=None)
    options = parser.parse_args()

    commands, enums = glapi_model.load(options.xml)
    sources = object_sources(options.objects) if options.objects else []
    implemented = glapi_model.scan_implemented(sources)
    known = {c.name for c in commands}
    # A name that is no command is a mistake in the sources: it would never be called.
    for name in sorted(implemented - known):
        print(f'glapi: GL_ENTRY({name}) is not a command of the registry (or is an alias)', file=sys.stderr)
    if implemented - known:
        return 1
    for command in commands:
        command.implemented = command.name in implemented

    template = os.path.abspath(options.template)
    banner = f'Generated from gl.xml, glapi_def.py and {os.path.basename(template)}; do not edit.'
    try:
        text = Template(filename=template, strict_undefined=True, output_encoding=None).render(
            commands=commands, enums=enums, banner=banner)
    except Exception:
        print(exceptions.text_error_template().render(), file=sys.stderr)
        return 1
    write_if_changed(options.out, text)

    if options.depfile:
        inputs = [options.objects] + sources
        with open(options.depfile, 'w', encoding='utf-8') as f:
            f.write(f'{options.out}: {" ".join(i.replace(" ", chr(92) + " ") for i in inputs)}\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
