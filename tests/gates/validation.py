#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Vulkan validation layer, with synchronization validation, says nothing about any scenario on Magma.

usage: validation.py --build DIR [--profile all-features|vk11-min]... [--self-test] [NAME...]

Runs the scenarios (or those named) with MGPIPE_DEBUG=validation, as the host is and with every optional feature hidden.
--self-test is the negative control: one deliberate error (MGPIPE_DEBUG=validate-corrupt) has to be heard.
"""

import argparse
import os
import re
import subprocess
import sys

MESSAGE = re.compile(r' magma-validate: (\S+): (.*)')
ABSENT = 'is not installed'
# (profile, message id): why it may stay.
ALLOWED = {}
PROFILES = {'all-features': {}, 'vk11-min': {'MGPIPE_HOST_HIDE': 'all'}}
LIMIT = 1500


def environment(build, debug, extra):
    env = dict(os.environ, MGPIPE_DRIVER='magma', MGPIPE_FORM='monolith', MGPIPE_DEBUG=debug, **extra)
    targets = os.path.join(build, 'src', 'targets')
    env['__EGL_VENDOR_LIBRARY_FILENAMES'] = os.path.join(targets, 'uninstalled.json')
    env['LD_LIBRARY_PATH'] = targets
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    return env


def run(build, debug, extra, names):
    """(messages of the layer by id, number of scenarios that ran)"""
    program = os.path.join(build, 'tests', 'scenarios', 'scenarios')
    done = subprocess.run([program, '--fork', *names], env=environment(build, debug, extra), capture_output=True,
                          text=True, errors='replace', timeout=LIMIT)
    if ABSENT in done.stderr:
        print('validation: the layer is not installed')
        sys.exit(1)
    found = {}
    for name, text in MESSAGE.findall(done.stderr):
        found.setdefault(name, text)
    return found, len(re.findall(r'^(?:ok|fail|skip) ', done.stdout, re.M))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--profile', action='append', choices=sorted(PROFILES))
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    passed = failed = 0
    if options.self_test:
        heard, _ = run(options.build, 'validate-corrupt', {}, ['query_any_samples'])
        if not heard:
            print('fail control: the deliberate error was not heard')
        passed, failed = passed + bool(heard), failed + (not heard)
    for profile in options.profile or PROFILES:
        found, ran = run(options.build, 'validation', PROFILES[profile], options.names)
        found = {n: t for n, t in found.items() if (profile, n) not in ALLOWED}
        for name, text in found.items():
            print(f'fail {profile}: {name}: {text[:300]}')
        if not ran:
            print(f'fail {profile}: no scenario ran')
        failed += len(found) + (not ran)
        passed += ran if not found else 0
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
