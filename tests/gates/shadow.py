#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Espryt's host state is what its shadow says, after each verb of every scenario.

usage: shadow.py --build DIR [--self-test] [SCENARIO...]

Runs the scenarios (all, or the named ones) on Espryt with MGPIPE_DEBUG=shadow: every one passes and no line names a
difference. --self-test is the negative control: one bind behind the shadow's back (rawbind) must be reported.
"""

import argparse
import os
import re
import subprocess
import sys

DIFFERENCE = re.compile(r'espryt: shadow: (.*)')
TOTAL = re.compile(r'^(\d+) passed, (\d+) failed, (\d+) skipped\s*$', re.M)


def run(build, flags, names):
    env = dict(os.environ, MGPIPE_DRIVER='espryt', MGPIPE_FORM='monolith', MGPIPE_DEBUG=flags)
    targets = os.path.join(build, 'src', 'targets')
    env['__EGL_VENDOR_LIBRARY_FILENAMES'] = os.path.join(targets, 'uninstalled.json')
    env['LD_LIBRARY_PATH'] = targets
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    program = os.path.join(build, 'tests', 'scenarios', 'scenarios')
    done = subprocess.run([program, '--fork', *names], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', timeout=1800)
    return done.stdout, DIFFERENCE.findall(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    failed = 0
    if options.self_test:
        _, found = run(options.build, 'shadow,rawbind', ['draw_arrays'])
        if not any('array buffer' in line for line in found):
            print(f'fail control: a bind behind the shadow was not reported: {found[:3]}')
            failed += 1
    output, found = run(options.build, 'shadow', options.names)
    for line in sorted(set(found))[:20]:
        print(f'fail {line}')
    totals = TOTAL.findall(output)
    passed, broken, skipped = (int(n) for n in totals[-1]) if totals else (0, 1, 0)
    print('\n'.join(line for line in output.splitlines() if line.startswith(('fail ', 'skip '))))
    failed += broken + len(set(found)) + (passed == 0)
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
