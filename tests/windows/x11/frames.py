#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a window costs whose frames come back from the server: bytes of what changed and no more, no round trip, the picture that
the monolith shows.

usage: frames.py X11_WINDOWS    (driver from the environment; MGPIPE_FORM names the form that is measured)

Negative controls: a program that changes everything sends everything, and one that reads pixels asks the server each frame.
"""

import os
import re
import subprocess
import sys

COUNTER = re.compile(r'stats: (\S+) +(\d+)')
PICTURE = re.compile(r'^picture (\S+)$', re.M)
WHOLE, TILE = 600 * 400 * 4, 64 * 64 * 4


def run(program, *args, **env):
    """Counters of both halves, summed, and the sum of the picture."""
    out = subprocess.run([program, *args], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
                         env=dict(os.environ, MGPIPE_STATS='1', **env)).stdout
    counters = {}
    for name, value in COUNTER.findall(out):
        counters[name] = counters.get(name, 0) + int(value)
    return counters, PICTURE.findall(out)


def main():
    program, faults = sys.argv[1], []

    def expect(what, holds):
        print(('ok ' if holds else 'fail ') + what)
        if not holds:
            faults.append(what)

    for change, each in (('tile', TILE), ('nothing', 0), ('all', WHOLE)):
        wanted = run(program, '--change', '20', change, MGPIPE_FORM='monolith')[1]
        for packed in ('raw', 'zstd'):
            got, picture = run(program, '--change', '20', change, MGPIPE_FRAMES=packed)
            more, _ = run(program, '--change', '40', change, MGPIPE_FRAMES=packed)
            sent = more.get('wire.frame_bytes', 0) - got.get('wire.frame_bytes', 0)
            title = f'{change} as {packed}'
            expect(f'{title}: the picture of the monolith', picture == wanted and len(wanted) == 1)
            expect(f'{title}: {got.get("egl.frames_shown", 0)} frames for 20 swaps', got.get('egl.frames_shown', 0) == 20)
            # Beside what changed, headers; zstd makes little of plain colours.
            least, most = (20 * each, 20 * (each + 512)) if packed == 'raw' else (0, 20 * (each // 8 + 512))
            expect(f'{title}: {sent} bytes for 20 frames', least < sent <= most)
            round_trips = more.get('wire.replies', 0) - got.get('wire.replies', 0)
            expect(f'{title}: {round_trips} round trips in 20 frames', round_trips == 0)
        if os.environ['MGPIPE_FORM'].startswith('unix:'):
            # Left alone, the server writes into memory of the window's.
            got, picture = run(program, '--change', '20', change)
            expect(f'{change} in shared memory: the picture of the monolith', picture == wanted)
            expect(f'{change} in shared memory: {got.get("egl.frames_shown", 0)} frames for 20 swaps', got.get('egl.frames_shown', 0) == 20)
            sent = got.get('wire.frame_bytes', 0)
            expect(f'{change} in shared memory: {sent} bytes for 20 frames', 0 < sent < 20 * 1024)
    asks = [run(program, '--show', str(frames), '0', 'read', MGPIPE_FRAMES='raw')[0].get('wire.replies', 0) for frames in (20, 40)]
    expect(f'control: {asks[1] - asks[0]} round trips of a program that reads in 20 frames', asks[1] - asks[0] == 20)
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
