#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each scenario sends through the pipe, counted, against tests/golden/scenario_counts.txt.

usage: golden_counts.py --build DIR [--update] [--self-test]

Every scenario runs alone on the noop driver in the monolith with MGPIPE_STATS: its pictures are wrong there, its records are
the real ones. A line of the golden file is `SCENARIO COUNTER=N ...`: constant state objects created and bound, sets sent and
suppressed, uploads and their regions, draws, ranges, round trips, and each call of the pipe. A change that sends more, or
merges less, shows up here. --update rewrites the file; --self-test is the negative control: with MGPIPE_DEBUG=nosuppress the
counts must differ.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
GOLDEN = os.path.join(ROOT, 'tests', 'golden', 'scenario_counts.txt')
COUNTERS = ('cso-creates', 'cso-binds', 'sets-sent', 'sets-suppressed', 'uploads', 'upload-regions', 'draw-records', 'draw-ranges',
            'round-trips')
# Other processes and threads: how often they poll is not the tracker's to decide; what the machine exports is not either.
LEFT_OUT = re.compile(r'^(process_|dma_buf_|context_|sharing_|sync_|query_poll|draw_multi_million|framebuffer_read_pixels_large|buffer_uploads_without|map_writes_of_threads|image_groups_on_threads)')
LINE = re.compile(r'^(\S+)\s+(\d+)$')


def environment(build):
    env = dict(os.environ)
    targets = os.path.join(build, 'src', 'targets')
    env['__EGL_VENDOR_LIBRARY_FILENAMES'] = os.path.join(targets, 'uninstalled.json')
    env['LD_LIBRARY_PATH'] = targets
    env['MGPIPE_DRIVER'], env['MGPIPE_FORM'] = 'noop', 'monolith'
    env['MGPIPE_MAPS'] = 'hash' # the same on every kernel
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    return env


def counts_of(program, name, env):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'stats')
        subprocess.run([program, name], env=dict(env, MGPIPE_STATS=path), capture_output=True, timeout=60, check=False)
        if not os.path.exists(path):
            return 'no statistics'
        found = {}
        with open(path, encoding='utf-8') as f:
            for line in f:
                m = LINE.match(line.strip())
                if m:
                    found[m.group(1)] = int(m.group(2))
    calls = sorted(k for k, v in found.items() if k.startswith('pipe.') and not k.endswith('.bytes') and v)
    return ' '.join(f'{k.removeprefix("pipe.")}={found.get(k, 0)}' for k in list(COUNTERS) + calls)


def collect(build, env, names):
    program = os.path.join(build, 'tests', 'scenarios', 'scenarios')
    if not names:
        listed = subprocess.run([program, '--list'], env=env, capture_output=True, text=True, check=True).stdout.split()
        names = [n for n in listed if not LEFT_OUT.match(n)]
    return {name: counts_of(program, name, env) for name in names}


def read_golden():
    golden = {}
    if os.path.exists(GOLDEN):
        with open(GOLDEN, encoding='utf-8') as f:
            for line in f:
                name, _, rest = line.strip().partition(' ')
                if rest and not name.startswith('#'):
                    golden[name] = rest
    return golden


def differences(golden, counts):
    """One line per scenario: which counters moved."""
    for name in sorted(set(golden) | set(counts)):
        old = dict(p.split('=') for p in golden.get(name, '').split())
        new = dict(p.split('=') for p in counts.get(name, '').split() if '=' in p)
        moved = [f'{k} {old.get(k, "-")} -> {new.get(k, "-")}' for k in sorted(set(old) | set(new)) if old.get(k) != new.get(k)]
        if moved:
            yield f'{name}: {", ".join(moved)}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    env = environment(options.build)
    if options.self_test:
        names = ['texture_several_units', 'state_toggles', 'state_same_sampler_again']
        plain = collect(options.build, env, names)
        loud = collect(options.build, dict(env, MGPIPE_DEBUG='nosuppress'), names)
        if not list(differences(plain, loud)):
            print('golden_counts: the control with nosuppress showed no difference')
            return 1
    counts = collect(options.build, env, None)
    if options.update:
        with open(GOLDEN, 'w', encoding='utf-8') as f:
            f.write('# What each scenario sends through the pipe. Rewritten by tests/gates/golden_counts.py --update.\n')
            f.writelines(f'{name} {counts[name]}\n' for name in sorted(counts))
    moved = list(differences(read_golden(), counts))
    for line in moved:
        print('fail ' + line)
    print(f'{len(counts) - len(moved)} passed, {len(moved)} failed, 0 skipped')
    return 1 if moved else 0


if __name__ == '__main__':
    sys.exit(main())
