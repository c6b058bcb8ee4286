#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves that every switch of src/util/inc/util/switches.h is read by something, and that nothing reads a variable that
the table does not have.

usage: check_switches.py [--self-test]

A use is Env::NAME or Debug::NAME, or, where util/env.h cannot be used, the text "MGPIPE_NAME" or the flag's text in
quotes. --self-test adds one switch that nothing reads, and one read of a variable that does not exist; both must be found.
"""

import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
TABLE = os.path.join('src', 'util', 'inc', 'util', 'switches.h')


def entries(text):
    """(variables, {flag identifier: flag text}) of the two lists."""
    variables, _, flags = text.partition('#define UTIL_DEBUG_FLAGS')
    return re.findall(r'^\s+X\((\w+),', variables, re.M), dict(re.findall(r'^\s+X\((\w+),\s*"([\w-]+)"', flags, re.M))


def sources():
    for base, dirs, files in os.walk(os.path.join(ROOT, 'src')):
        dirs.sort()
        for name in sorted(files):
            path = os.path.join(base, name)
            if name.endswith(('.cpp', '.h', '.mako')) and not path.endswith(TABLE):
                with open(path, encoding='utf-8') as f:
                    yield path, re.sub(r'//[^\n]*', '', f.read())


def check(table, files):
    variables, flags = entries(table)
    found = []
    everything = '\n'.join(text for _, text in files)
    for name in variables:
        # MGPIPE_DEBUG is the list of the flags.
        if not re.search(rf'\bEnv::{name}\b|"MGPIPE_{name}"', everything):
            found.append(f'MGPIPE_{name} is read by nothing')
    for name, text in flags.items():
        if not re.search(rf'\bDebug::{name}\b|"{re.escape(text)}"', everything):
            found.append(f'the debug flag {text} is read by nothing')
    for path, text in files:
        for name in re.findall(r'getenv\("MGPIPE_(\w+)"\)', text):
            if name not in variables:
                found.append(f'{os.path.relpath(path, ROOT)}: MGPIPE_{name} is not in the table')
    return found, len(variables) + len(flags)


def main():
    with open(os.path.join(ROOT, TABLE), encoding='utf-8') as f:
        table = f.read()
    files = list(sources())
    found, count = check(table, files)
    for line in found:
        print(line)
    if '--self-test' in sys.argv[1:]:
        spoiled = re.sub(r'(#define UTIL_\w+\(X\)\s*\\\n)', r'\1    X(nobody_reads, "nobody-reads", "") \\\n', table)
        more, _ = check(spoiled, files + [(os.path.join(ROOT, 'x.cpp'), 'getenv("MGPIPE_NOT_THERE")')])
        missed = [what for what in ('MGPIPE_nobody_reads is read', 'flag nobody-reads is read', 'MGPIPE_NOT_THERE is not')
                  if not any(what in line for line in more)]
        for what in missed:
            print(f'self-test: not found: {what}')
        if missed:
            return 1
    print(f'{count} switches, {len(found)} wrong')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
