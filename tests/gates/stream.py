#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A server that is far away: no frame of a steady scene asks it anything, and so none waits for the way there and back.

usage: stream.py --build DIR [--self-test]

The demo runs over tests/tools/relay.py with 20 ms each way. Its counters tell the round trips of the frames (none), the bytes and the
writes to the connection (a bounded number per frame), and that the relay was passed: the whole run takes at least the round trips that it
counts. --self-test: a run that waits for every record must be reported.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.path.dirname(HERE), 'tools')
DELAY_MS, FRAMES = 20, 60
# One batch and its end, or two where a batch ends inside a frame.
MOST_WRITES = 3


def counters(path):
    """{name: (total, median of a frame)}"""
    with open(path, encoding='utf-8') as f:
        rows = re.findall(r'(\S+)\s+(\d+)\s+per frame: median (\d+)', f.read())
    return {name: (int(total), int(median)) for name, total, median in rows}


def run(build, delay=DELAY_MS, frames=FRAMES, debug=''):
    """(counters of the client, seconds)"""
    targets = os.path.join(build, 'src', 'targets')
    with tempfile.TemporaryDirectory(prefix='mgpipe-stream-') as folder:
        stats = os.path.join(folder, 'stats')
        env = dict(os.environ, LD_LIBRARY_PATH=targets, MGPIPE_DRIVER='magma', MGPIPE_STATS=stats, MGPIPE_DEBUG=debug,
                   __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'))
        command = [os.path.join(TOOLS, 'with_server.py'), '--build', build, '--link', 'tcp', '--delay', str(delay),
                   os.path.join(targets, 'mgpipe'), 'gears', '--frames', str(frames), '--size', '64x64']
        start = time.monotonic()
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
        if done.returncode:
            sys.exit(f'the demo ended with {done.returncode}: {done.stdout}')
        took = time.monotonic() - start
        found = [f for f in os.listdir(folder) if counters(os.path.join(folder, f)).get('wire.records', (0, 0))[0]]
        if len(found) != 1:
            sys.exit(f'{len(found)} lists of counters')
        return counters(os.path.join(folder, found[0])), took


def complaints(found, took):
    lines = []
    for name in ('round-trips', 'wire.replies', 'wire.stage_waits', 'wire.ring_waits'):
        if found[name][1]:
            lines.append(f'{name}: {found[name][1]} in each frame')
    if not 1 <= found['stream.sends'][1] <= MOST_WRITES:
        lines.append(f'{found["stream.sends"][1]} writes to the connection in each frame')
    if not found['wire.replies'][0]:
        lines.append('nothing was ever asked: these are no counters of a client')
    if took < found['wire.replies'][0] * 2 * DELAY_MS / 1000:
        lines.append(f'{found["wire.replies"][0]} round trips in {took:.2f} s: that was not over the relay')
    return lines


def main():
    about, _, usage = __doc__.partition('usage: ')
    parser = argparse.ArgumentParser(usage=usage, description=about)
    parser.add_argument('--build', required=True)
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    failed = 0
    found, took = run(options.build)
    for line in complaints(found, took):
        print('fail far-away:', line)
        failed = 1
    print(f'stream: {found["stream.bytes"][1]} bytes in {found["stream.sends"][1]} writes per frame, {found["wire.replies"][0]} round trips '
          f'in all, {took:.2f} s')
    passed = 1 - failed
    if options.self_test:
        # Every record is waited for: what the gate must see.
        lines = complaints(*run(options.build, 2, 20, 'sync'))
        print('ok control' if lines else 'fail control: waits in every frame were not seen')
        passed, failed = passed + bool(lines), failed + (not lines)
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
