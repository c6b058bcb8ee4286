#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What one swap on Wayland costs, by the counters of both halves: one present and one blit where the driver shows the window; where
pixels go through shared memory, one read-back in monolith, and one frame that comes back by itself in the other forms.

usage: presents.py WL_WINDOWS    (driver and form from the environment)

The forms are each other's negative control; a window that the driver cannot show as it is asked to (opaque, of a config with
alpha) is one in every form.
"""

import os
import re
import subprocess
import sys

COUNTER = re.compile(r'stats: (\S+) +(\d+)')


def count(program, case, **more):
    """Counters of a case, those of both halves summed: the output ends with the last of them."""
    run = subprocess.run([program, case], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
                         env=dict(os.environ, MGPIPE_STATS='1', **more))
    counters = {}
    for name, value in COUNTER.findall(run.stdout):
        counters[name] = counters.get(name, 0) + int(value)
    return counters


def main():
    program, driver, form = sys.argv[1], os.environ['MGPIPE_DRIVER'], os.environ['MGPIPE_FORM']
    wrong, apart = 0, form != 'monolith'
    for case, frames, shown in (('one_frame_a_swap', 60, form != 'spawn'), ('opaque_when_asked', 1, False)):
        got = count(program, case)
        for name, want in (('pipe.present', frames if shown or apart else 0),
                           (driver + '.present_blits', frames if shown else 0),
                           ('pipe.read_pixels', 0 if shown or apart else frames),
                           ('server.frames', frames if apart and not shown else 0),
                           ('egl.frames_shown', frames if apart and not shown else 0)):
            good = got.get(name, 0) == want
            print(f'{"ok" if good else "fail"} {case}: {got.get(name, 0)} {name} for {frames} swaps')
            wrong += not good
    if form == 'spawn':
        # The server writes into the window's buffers; the control sends the same frames by messages.
        shared, sent = count(program, 'one_frame_a_swap'), count(program, 'one_frame_a_swap', MGPIPE_FRAMES='raw')
        for what, good in (
                (f'{shared.get("wire.frame_bytes", 0)} bytes of messages for 60 frames', 0 < shared.get('wire.frame_bytes', 0) < 60 * 1024),
                (f'{shared.get("server.frame_shared_bytes", 0)} bytes written by the server, {sent.get("server.frame_raw_bytes", 0)} in the control',
                 shared.get('server.frame_shared_bytes', 0) >= sent.get('server.frame_raw_bytes', 0) > 0),
                (f'control: {sent.get("wire.frame_bytes", 0)} bytes of messages', sent.get('wire.frame_bytes', 0) >= sent.get('server.frame_raw_bytes', 0)),
                (f'control: {sent.get("server.frame_shared_bytes", 0)} bytes written by the server', not sent.get('server.frame_shared_bytes', 0))):
            print(f'{"ok" if good else "fail"} frames in shared memory: {what}')
            wrong += not good
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
