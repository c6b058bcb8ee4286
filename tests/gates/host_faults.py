#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A failed host call is a skipped draw, one GL error and one log line: never a crash, never a hang.

usage: host_faults.py --build DIR [--driver espryt|magma]... [--every N] [--self-test]

Runs a small scene with MGPIPE_FAIL_HOST_CALL=n for n = 1, 2, ... until a run in which nothing was injected; --every N takes
only each N-th. A run may fail its scenario, but it must end by itself and without a signal, and must name the injected call.
--self-test is the negative control: a scene that ends by a signal must be reported.
"""

import argparse
import os
import re
import subprocess
import sys

SCENES = ['clear_texture_target', 'draw_elements_each_type', 'texture_2d', 'uniform_block_layouts', 'framebuffer_multisample_resolve',
          'buffer_map_write']
INJECTED = re.compile(r'injected fault|made to fail')
LIMIT = 60


def environment(build, driver):
    env = dict(os.environ)
    targets = os.path.join(build, 'src', 'targets')
    env['__EGL_VENDOR_LIBRARY_FILENAMES'] = os.path.join(targets, 'uninstalled.json')
    env['LD_LIBRARY_PATH'] = targets
    env['MGPIPE_DRIVER'], env['MGPIPE_FORM'] = driver, 'monolith'
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    return env


def run(command, env, n):
    """(problem or None, whether a fault was injected)"""
    try:
        done = subprocess.run(command, env=dict(env, MGPIPE_FAIL_HOST_CALL=str(n)), capture_output=True, text=True,
                              errors='replace', timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f'call {n}: still running after {LIMIT} s', True
    injected = [line for line in done.stderr.splitlines() if INJECTED.search(line)]
    where = injected[0][-100:] if injected else 'nothing injected'
    if done.returncode < 0:
        return f'call {n}: killed by signal {-done.returncode} ({where})', True
    return None, bool(injected)


def sweep(build, driver, every, command):
    """(runs, problems)"""
    env, problems, runs, n = environment(build, driver), [], 0, 1
    while True:
        problem, injected = run(command, env, n)
        runs += 1
        if problem:
            problems.append(problem)
        if not injected or len(problems) > 20 or runs > 5000:
            return runs, problems
        n += every


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', action='append', choices=('espryt', 'magma'))
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    if options.self_test:
        runs, problems = sweep(options.build, 'espryt', 1, ['sh', '-c', 'kill -SEGV $$'])
        if not problems:
            print('host_faults: the control was not reported')
            return 1
    failed = total = 0
    scene = [os.path.join(options.build, 'tests', 'scenarios', 'scenarios'), *SCENES]
    for driver in options.driver or ('espryt', 'magma'):
        runs, problems = sweep(options.build, driver, options.every, scene)
        total += runs
        failed += len(problems)
        for problem in problems:
            print(f'fail {driver}: {problem}')
        if runs < 5:
            print(f'fail {driver}: only {runs} runs: nothing was injected')
            failed += 1
    print(f'{total - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
