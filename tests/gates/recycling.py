#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Handle recycling: the scenarios that use a slot again pass, and some are red when generations stand still.

usage: recycling.py --build DIR [--driver NAME]...

With MGPIPE_DEBUG=gencheck-off a slot keeps its generation when it is used again, and nobody compares: what was suppressed,
cached or bound for the dead object then serves the new one. Magma binds twins, so it shows; espryt resolves its handles at
each verb, and a framebuffer, a query or a context is made anew by the records that its slot's next life begins with.
"""

import argparse
import os
import re
import subprocess
import sys


# Kinds whose scenario must be red without generations.
RED = {'magma': ('buffer', 'program', 'texture')}


def run(build, driver, flag, names):
    env = dict(os.environ, MGPIPE_DRIVER=driver, MGPIPE_FORM='monolith', MGPIPE_DEBUG=flag)
    targets = os.path.join(build, 'src', 'targets')
    env['__EGL_VENDOR_LIBRARY_FILENAMES'] = os.path.join(targets, 'uninstalled.json')
    env['LD_LIBRARY_PATH'] = targets
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    program = os.path.join(build, 'tests', 'scenarios', 'scenarios')
    done = subprocess.run([program, '--fork', *names], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors='replace', timeout=600, check=False)
    return dict(reversed(m) for m in re.findall(r'^(ok|fail|skip) (\w+)', done.stdout, re.M))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', action='append')
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    listed = subprocess.run([os.path.join(build, 'tests', 'scenarios', 'scenarios'), '--list'], stdout=subprocess.PIPE, text=True,
                            check=True).stdout.split()
    names = [n for n in listed if n.endswith('_recycling')]
    passed = failed = 0
    for driver in options.driver or ('espryt', 'magma'):
        checked, unchecked = run(build, driver, '', names), run(build, driver, 'gencheck-off', names)
        for name in names:
            red = name.removesuffix('_handle_recycling') in RED.get(driver, ())
            good = checked.get(name) == 'ok' and (unchecked.get(name) == 'fail' or not red)
            passed, failed = passed + good, failed + (not good)
            print(f'{"ok" if good else "fail"} {driver} {name}: {checked.get(name)}, without generations {unchecked.get(name)}')
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed or not names else 0


if __name__ == '__main__':
    sys.exit(main())
