#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What one swap costs, by the counters of both halves: one present and one blit, no read-back, in the mode of its interval.

usage: presents.py X11_WINDOWS    (driver and form from the environment)

Negative controls: a program that also flushes a single-buffered window shows more often than it swaps, one that reads pixels
reads back, and the other interval is another mode.
"""

import os
import re
import subprocess
import sys

FRAMES = 20
COUNTER = re.compile(r'stats: (\S+) +(\d+)')


def count(program, interval, *extra):
    """Counters of a run, those of both halves summed: the output ends with the last of them."""
    run = subprocess.run([program, '--show', str(FRAMES), str(interval), *extra], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=100, env=dict(os.environ, MGPIPE_STATS='1'))
    counters = {}
    for name, value in COUNTER.findall(run.stdout):
        counters[name] = counters.get(name, 0) + int(value)
    return counters


def main():
    program, driver = sys.argv[1], os.environ['MGPIPE_DRIVER']
    faults = []

    def expect(what, holds):
        print(('ok ' if holds else 'fail ') + what)
        if not holds:
            faults.append(what)

    waits = [driver + '.present_fifo', driver + '.present_fifo_relaxed']
    at_once = [driver + '.present_immediate', driver + '.present_mailbox']
    for interval in (0, 1, 3):
        got = count(program, interval)
        presents, blits = got.get('pipe.present', 0), got.get(driver + '.present_blits', 0)
        expect(f'interval {interval}: {presents} presents for {FRAMES} swaps', presents == FRAMES)
        expect(f'interval {interval}: {blits} blits for {FRAMES} swaps', blits == FRAMES)
        expect(f'interval {interval}: no read-back', got.get('pipe.read_pixels', 0) == 0)
        shown, other = (sum(got.get(name, 0) for name in names) for names in
                        ((waits, at_once) if interval else (at_once, waits)))
        expect(f'interval {interval}: {shown} frames in its mode, {other} in the other', shown == FRAMES and other == 0)
        # The host of these tests keeps no interval above 1.
        paced = got.get(driver + '.presents_paced', 0)
        expect(f'interval {interval}: {paced} frames waited for by the driver', paced == (FRAMES if interval > 1 else 0))
    expect('control: a flush of a single-buffered window shows as well',
           count(program, 0, 'flush').get('pipe.present', 0) == 2 * FRAMES)
    for extra in ('idle', 'front'):
        presents = count(program, 0, extra).get('pipe.present', 0)
        expect(f'{extra}: {presents} presents for {FRAMES} frames: a flush shows only what was drawn in front since', presents == FRAMES)
    expect('control: a program that reads pixels is seen to', count(program, 0, 'read').get('pipe.read_pixels', 0) == FRAMES)
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
