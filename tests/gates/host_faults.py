#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A failed host call is a skipped draw, one error and one log line; later frames are right again.

usage: host_faults.py --build DIR [--driver espryt|magma]... [--every N] [--from N] [--to N] [--self-test]

Runs tests/gates/fault_scene.cpp with MGPIPE_FAIL_HOST_CALL=n for n = 1, 2, ... until a run in which nothing was injected;
--every N takes only each N-th. Of each run is asserted: it ends by itself with status 0; the program was told of exactly one
failure (GL_OUT_OF_MEMORY, or EGL_BAD_ALLOC while it sets up); every frame but the one with the error has the right picture;
one line of the log besides the injection's says what failed. A driver may instead get by without the failed call: then
every picture is right, nothing was told, and at most one line was logged.
--self-test judges runs that each break one rule: every one must be reported.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
import os
import re
import subprocess
import sys

INJECTED = re.compile(r'injected fault|made to fail')
LINE = re.compile(r'^mgpipe\[\d+\] (?:warning|error) \S+: (.*)')
FRAME = re.compile(r'^frame (\d+) picture ([0-9a-f]+) errors(.*)$', re.M)
SETUP = re.compile(r'^setup (.+) error (0x[0-9a-f]+)$', re.M)
SAYS = re.compile(r'fail|refuse|no memory|out of|no storage|cannot|no host|made no|lost', re.I)
RIGHT_KIND = {'0x505', '0x3003'}  # GL_OUT_OF_MEMORY, EGL_BAD_ALLOC
LIMIT = 60
FRAMES = 5


class Outcome:
    """What one run left behind: exit status (None: time-out), what it printed, what was logged."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err
        lines = [m.group(1) for m in map(LINE.match, err.splitlines()) if m]
        self.injected = next((text for text in lines if INJECTED.search(text)), None)
        self.logged = [text for text in lines if not INJECTED.search(text)]


def judge(run, reference):
    """(what is wrong or None, whether the driver got by without the call)"""
    if run.status is None:
        return f'still running after {LIMIT} s', False
    if run.status < 0:
        return f'killed by signal {-run.status}', False
    if run.status or not run.out.rstrip().endswith('end'):
        return f'ended with status {run.status}: {run.out.strip().splitlines()[-1:]}', False
    frames = FRAME.findall(run.out)
    if len(frames) != FRAMES:
        return f'{len(frames)} frames', False
    told = [error for _, error in SETUP.findall(run.out)]
    for number, picture, errors in frames:
        told += errors.split()
        if not errors.strip() and picture != reference:
            return f'frame {number} is wrong and nothing was told; logged: {run.logged}', False
    if len(run.logged) > 1:
        return f'{len(run.logged)} lines logged: {run.logged}', False
    if not told:
        return None, True
    if len(told) > 1 or told[0] not in RIGHT_KIND:
        return f'errors {told}', False
    if not run.logged or not SAYS.search(run.logged[0]):
        return f'told {told} but logged {run.logged}', False
    return None, False


def environment(build, driver):
    env = dict(os.environ)
    targets = os.path.join(build, 'src', 'targets')
    env['__EGL_VENDOR_LIBRARY_FILENAMES'] = os.path.join(targets, 'uninstalled.json')
    env['LD_LIBRARY_PATH'] = targets
    env['MGPIPE_DRIVER'], env['MGPIPE_FORM'] = driver, 'monolith'
    env.pop('MGPIPE_LOG_LEVEL', None)
    env.setdefault('MGPIPE_CACHE_DIR', os.path.join(build, 'cache'))
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    return env


def run(build, driver, n):
    scene = os.path.join(build, 'tests', 'gates', 'fault_scene')
    try:
        done = subprocess.run([scene], env=dict(environment(build, driver), MGPIPE_FAIL_HOST_CALL=str(n)),
                              capture_output=True, text=True, errors='replace', timeout=LIMIT)
    except subprocess.TimeoutExpired as e:
        def text(t):
            return t.decode(errors='replace') if isinstance(t, bytes) else t or ''
        return Outcome(None, text(e.stdout), text(e.stderr))
    return Outcome(done.returncode, done.stdout, done.stderr)


def sweep(build, driver, options):
    """(runs, of them recovered, problems)"""
    clean = run(build, driver, 0)
    pictures = {picture for _, picture, _ in FRAME.findall(clean.out)}
    if clean.status or len(pictures) != 1 or clean.injected or clean.logged:
        return 1, 0, [f'the run without a fault is not clean: {clean.status} {clean.out} {clean.err[-600:]}']
    reference, problems, runs, recovered, n = pictures.pop(), [], 0, 0, options.first
    jobs = max(2, os.cpu_count() or 2)
    with ThreadPoolExecutor(jobs) as pool:
        while True:
            numbers = range(n, n + options.every * jobs * 2, options.every)
            for k, outcome in zip(numbers, pool.map(lambda k: run(build, driver, k), numbers)):
                if outcome.injected is None or k > options.last:
                    return runs, recovered, problems
                problem, by_itself = judge(outcome, reference)
                runs += 1
                recovered += by_itself
                if problem:
                    problems.append(f'call {k} ({outcome.injected}): {problem}')
            n = numbers[-1] + options.every


def controls():
    """Names of broken runs that judge() lets pass, and of good ones that it does not."""
    frames = [f'frame {i} picture aa errors' for i in range(FRAMES)]
    told = [*frames[:2], frames[2] + ' 0x505', *frames[3:], 'end']
    line = 'mgpipe[1] warning espryt: draw_vbo: the host refused a call\n'
    runs = {
        'crash': Outcome(-11, '', line),
        'hang': Outcome(None, '', line),
        'status': Outcome(1, '\n'.join(told), line),
        'silent': Outcome(0, '\n'.join([*frames[:2], frames[2].replace('aa', 'bb'), *frames[3:], 'end']), line),
        'wrong afterwards': Outcome(0, '\n'.join([*told[:4], told[4].replace('aa', 'bb'), 'end']), line),
        'two errors': Outcome(0, '\n'.join([*told[:3], told[3] + ' 0x505', *told[4:]]), line),
        'wrong kind': Outcome(0, '\n'.join(told).replace('0x505', '0x502'), line),
        'no line': Outcome(0, '\n'.join(told), ''),
        'two lines': Outcome(0, '\n'.join(told), line * 2),
        'a line that says nothing': Outcome(0, '\n'.join(told), 'mgpipe[1] warning espryt: hello\n'),
        'stopped early': Outcome(0, '\n'.join(told[:-2] + ['end']), line),
    }
    passed = [name for name, outcome in runs.items() if judge(outcome, 'aa')[0] is None]
    if judge(Outcome(0, '\n'.join(told), line), 'aa') != (None, False):
        passed.append('the good run')
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', action='append', choices=('espryt', 'magma'))
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--from', type=int, default=1, dest='first')
    parser.add_argument('--to', type=int, default=100000, dest='last')
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    failed = total = 0
    if options.self_test:
        for name in controls():
            print(f'fail control: {name}')
            failed += 1
            total += 1
    for driver in options.driver or ('espryt', 'magma'):
        runs, recovered, problems = sweep(options.build, driver, options)
        total += runs
        failed += len(problems)
        for problem in problems:
            print(f'fail {driver}: {problem}')
        if runs < 5 and options.first == 1:
            print(f'fail {driver}: only {runs} runs: nothing was injected')
            failed += 1
        print(f'{driver}: {runs} runs, {recovered} got by without the call', flush=True)
    print(f'{total - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
