#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads into pixel buffers wait for nothing, their bytes come by themselves, and an upload of any size needs no memory of its size.

usage: bytes.py --build DIR [--driver espryt|magma] [--form monolith|inproc|spawn] [--mib N] [--self-test]
       bytes.py --build DIR --measure

200 glReadPixels into buffers, each followed by a fence, make as many round trips as 20 do; every buffer that is mapped
then makes one more. A program that reads with two buffers in turn and maps the one that it filled a frame ago makes no round trip
for it, in spawn and over tcp: 60 frames make as many as 20 do, whether they are filled by glReadPixels, by glGetTexImage or by shaders. An upload of N MiB (default 200) in one call lets the client grow by less than 64 MiB and arrives.
--self-test is the negative control: mapped buffers, buffers that are new in each frame and shaders' writes without a barrier for readers must be
noticed as round trips, data that is kept as growth.
--measure prints the cost of persistent maps per draw (processor time of the program's thread) by means, form and size,
as in docs/performance.md: median of five, and the ratio to a draw from a buffer that is not mapped.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

GROWTH_KIB = 64 << 10
KINDS = 'pixels', 'image', 'storage' # what brings bytes into the buffers of turns()


def scene(options, driver, form, *arguments, link=None, counter='round-trips', **more):
    """Output of the scene and its round trips. `link`: over a server of its own."""
    targets = os.path.join(options.build, 'src', 'targets')
    env = dict(os.environ, MGPIPE_DRIVER=driver, MGPIPE_FORM=form, LD_LIBRARY_PATH=targets, LP_NUM_THREADS='1',
               MGPIPE_SERVER=os.path.join(targets, 'mgpiped'), MGPIPE_CACHE_DIR=os.path.join(options.build, 'cache'),
               __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'), **more)
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    with tempfile.TemporaryDirectory() as folder:
        if not options.measure:
            env['MGPIPE_STATS'] = os.path.join(folder, 'stats')
        command = [os.path.join(options.build, 'tests', 'gates', 'bytes_scene'), *map(str, arguments)]
        if link:
            tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools', 'with_server.py')
            command = [sys.executable, tool, '--build', options.build, '--link', link, *command]
        done = subprocess.run(command, env=env,
                              capture_output=True, text=True, errors='replace', timeout=300)
        if done.returncode:
            sys.exit(f'bytes: {arguments}: status {done.returncode}: {(done.stdout + done.stderr)[-400:]}')
        trips = 0
        if not options.measure:
            with open(env['MGPIPE_STATS'], encoding='utf-8') as f:
                trips = sum(int(n) for n in re.findall(rf'^{counter}\s+(\d+)', f.read(), re.M))
    return done.stdout, trips


def reads(options, maps=0):
    few = scene(options, options.driver, options.form, 'pack', 20, 0)[1]
    many = scene(options, options.driver, options.form, 'pack', 200, maps)[1]
    print(f'round trips: {few} with 20 reads, {many} with 200 and {maps} maps')
    return many - few


def turns(options, link=None, kind='pixels'):
    """Round trips, as the wire counts them, of 40 frames more."""
    few, many = (scene(options, options.driver, options.form, 'turn', frames, kind, link=link, counter='wire\\.replies')[1]
                 for frames in (20, 60))
    print(f'buffers in turn{" over " + link if link else ""}{", " + kind}: {few} round trips in 20 frames, {many} in 60')
    return many - few


def growth(options, mib):
    text = scene(options, options.driver, options.form, 'upload', mib)[0]
    print(text.strip())
    return int(re.search(r'grew (-?\d+) KiB', text)[1])


def check(options):
    bad = []
    if reads(options):
        bad.append('reads into pixel buffers wait')
    if reads(options, 7) != 7:
        bad.append('a map is not one round trip')
    if options.form == 'spawn' and any(turns(options, link, kind) for kind in KINDS for link in (None, 'tcp')):
        bad.append('bytes of buffers that are read in each frame do not come by themselves')
    # A driver in this process keeps the buffer itself.
    keeps = options.mib << 10 if options.form != 'spawn' else 0
    if growth(options, options.mib) > keeps + GROWTH_KIB:
        bad.append('an upload needs memory of its size')
    for text in bad:
        print('fail', text)
    print(f'{4 - len(bad)} passed, {len(bad)} failed, 0 skipped')
    return 1 if bad else 0


def control(options):
    noticed = reads(options, 7) > 0
    if options.form == 'spawn':
        noticed = all(turns(options, kind=kind) >= 40 for kind in ('fresh', 'storage-quiet')) and noticed
    options.form = 'monolith' # where the buffer itself is in this process
    noticed = growth(options, options.mib) > GROWTH_KIB and noticed
    print('ok control' if noticed else 'fail control: neither waits nor growth are noticed')
    return 0 if noticed else 1


def measure(options):
    def draw(driver, form, kib, pages, means):
        draws = 40 if kib > 8192 else 400
        found = [int(re.search(r': (\d+) ns', scene(options, driver, form, 'map', kib, pages, draws, MGPIPE_MAPS=means)[0])[1])
                 for _ in range(5)]
        return statistics.median(found)
    for driver in ('magma', 'espryt'):
        for form in ('monolith', 'spawn'):
            base = draw(driver, form, 64, -1, 'any')
            print(f'{driver} {form}: a draw without a map {base} ns')
            for kib in (64, 1024, 65536):
                for pages in (0, 1, kib // 4):
                    row = []
                    for means in ('hash', 'scan', 'shared'):
                        if means == 'shared' and (driver, form) == ('espryt', 'spawn'):
                            continue
                        ns = draw(driver, form, kib, pages, means)
                        row.append(f'{means} {ns} ns ({ns / base:.1f})')
                    print(f'{driver} {form} {kib} KiB, {pages} pages: {", ".join(row)}', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', default='magma')
    parser.add_argument('--form', default='spawn')
    parser.add_argument('--mib', type=int, default=200)
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('--measure', action='store_true')
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.measure:
        return measure(options)
    return control(options) if options.self_test else check(options)


if __name__ == '__main__':
    sys.exit(main())
