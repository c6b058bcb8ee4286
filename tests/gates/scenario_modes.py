#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All scenarios under a condition that must not change them, and proof that the condition was there.

usage: scenario_modes.py --build DIR --mode small|audit|maps-hash|maps-scan|maps-shared --driver espryt|magma|noop --form monolith|inproc|spawn [--self-test] [NAME...]

small: rings and stage as small as they may be (64 KiB, 1 MiB, 16 KiB for events). A run in which the command ring never
       wrapped, or nobody ever waited for its space or for stage memory, proves nothing and fails.
audit: MGPIPE_DEBUG=audit. Calls on the wrong thread fail the run, and so does a run in which no call was looked at.
maps-hash, maps-scan, maps-shared: MGPIPE_MAPS, over the scenarios of maps unless others are named. A run in which the
       means found nothing (hash, scan), or no map was shared (shared), fails; where the system tells no written pages, scan
       is skipped.
Prints the lines of the scenarios and `N passed, N failed, N skipped`, the proofs among them.
--self-test is the negative control: small with rings of the usual size, audit with one call that seems to come from the
wrong thread, maps by another means. The proofs must fail.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

SMALL = {'MGPIPE_RING_KB': '64', 'MGPIPE_STAGE_KB': '1024', 'MGPIPE_EVENT_KB': '16'}
PROOFS = {
    'small': ('wire.ring_wraps', 'wire.ring_waits', 'wire.stage_waits'),
    'audit': ('audit.calls',),
    'maps-hash': ('maps.compared_bytes', 'maps.pushed_bytes'),
    'maps-scan': ('maps.scans', 'maps.pushed_bytes'),
    'maps-shared': ('maps.shared',),
}
SETTINGS = {'small': SMALL, 'audit': {'MGPIPE_DEBUG': 'audit'},
            **{f'maps-{means}': {'MGPIPE_MAPS': means} for means in ('hash', 'scan', 'shared')}}
# What was not shared is compared, without a question.
SPOILED = {'small': {}, 'audit': {'MGPIPE_DEBUG': 'audit,audit-corrupt'},
           'maps-hash': {'MGPIPE_MAPS': 'shared'}, 'maps-scan': {'MGPIPE_MAPS': 'hash'}, 'maps-shared': {'MGPIPE_MAPS': 'hash'}}
MAP_NAMES = re.compile(r'^(map_|persistent_|buffer_map|buffer_persistent|buffer_storage|stream_persistent)')
CONTROL_NAMES = ('buffer_sub_data', 'clear_color_masked', 'query_any_samples', 'texture_several_units')
NO_PAGES = 'this system does not tell written pages'
TOTAL = re.compile(r'^(\d+) passed, (\d+) failed, (\d+) skipped$', re.M)
COUNTER = re.compile(r'^(\S+)\s+(\d+)\b')
REFUSED = re.compile(r'^mgpipe\S*\[\d+\] error audit: (.*)$', re.M)


def environment(build, driver, form, more, stats):
    env = dict(os.environ)
    targets = os.path.join(build, 'src', 'targets')
    env.update({'__EGL_VENDOR_LIBRARY_FILENAMES': os.path.join(targets, 'uninstalled.json'), 'LD_LIBRARY_PATH': targets,
                'MGPIPE_SERVER': os.path.join(targets, 'mgpiped'), 'MGPIPE_CACHE_DIR': os.path.join(build, 'cache'),
                'MGPIPE_DRIVER': driver, 'MGPIPE_FORM': form, 'MGPIPE_STATS': stats})
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    env.update(more)
    return env


def totals(path):
    """Sum of each counter over all processes that reported."""
    found = {}
    if os.path.exists(path):
        with open(path, encoding='utf-8') as f:
            for line in f:
                m = COUNTER.match(line)
                if m:
                    found[m.group(1)] = found.get(m.group(1), 0) + int(m.group(2))
    return found


def run(options, more, names):
    """Output of the scenarios and what is wrong with the proofs."""
    program = os.path.join(options.build, 'tests', 'scenarios', 'scenarios')
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, 'stats')
        env = environment(options.build, options.driver, options.form, more, stats)
        done = subprocess.run([program, '--fork', *names], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors='replace', timeout=1800, check=False)
        counted = totals(stats)
    wrong = [f'{name} is 0: the run proves nothing' for name in PROOFS[options.mode] if not counted.get(name)]
    wrong += [f'audit: {line}' for line in REFUSED.findall(done.stdout)]
    shown = ', '.join(f'{name} {counted.get(name, 0)}' for name in PROOFS[options.mode])
    return done.stdout, wrong, shown


def map_names(build):
    done = subprocess.run([os.path.join(build, 'tests', 'scenarios', 'scenarios'), '--list'], stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in done.stdout.split() if MAP_NAMES.match(name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--mode', required=True, choices=sorted(SETTINGS))
    parser.add_argument('--driver', default='espryt')
    parser.add_argument('--form', default='spawn')
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    control_names = options.names or CONTROL_NAMES
    if options.mode.startswith('maps-'):
        options.names = options.names or map_names(options.build)
        control_names = ['map_writes_of_many_sizes', 'persistent_read_of_copies_and_clears']
    if options.self_test:
        _, wrong, shown = run(options, SPOILED[options.mode], control_names)
        if not wrong:
            print(f'fail self-test: the proofs of {options.mode} hold without it ({shown})')
            return 1
        print(f'self-test: found, {wrong[0]}')
    output, wrong, shown = run(options, SETTINGS[options.mode], options.names)
    if options.mode == 'maps-scan' and NO_PAGES in output:
        print(f'skip maps-scan: {NO_PAGES}\n0 passed, 0 failed, 1 skipped')
        return 0
    found = TOTAL.findall(output)
    passed, failed, skipped = (int(n) for n in found[-1]) if found else (0, 1, 0)
    sys.stdout.write(TOTAL.sub('', output))
    for line in wrong:
        print(f'fail {options.mode}: {line}')
    print(shown)
    proofs = len(PROOFS[options.mode])
    bad = min(len(wrong), proofs)
    print(f'{passed + proofs - bad} passed, {failed + len(wrong)} failed, {skipped} skipped')
    return 1 if failed or wrong else 0


if __name__ == '__main__':
    sys.exit(main())
