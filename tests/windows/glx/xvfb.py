#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command with an X server of its own, in each of the drivers and forms that are named.

usage: xvfb.py [--size=WxHxD] [--drivers=A,B] [--forms=A,B] -- COMMAND ARGS

Without --drivers and --forms the command runs once, in what the environment says. Its exit status is the worst of them.
"""

import argparse
import os
import shutil
import subprocess
import sys


def start(size):
    """The process and its display's name."""
    reading, writing = os.pipe()
    server = subprocess.Popen(['Xvfb', '-displayfd', str(writing), '-screen', '0', size, '-nolisten', 'tcp', '-noreset'],
                              pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.readline().strip()
    if not number:
        server.wait()
        sys.exit('xvfb.py: Xvfb did not start')
    return server, ':' + number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--size', default='1024x768x24')
    parser.add_argument('--drivers', default='')
    parser.add_argument('--forms', default='')
    parser.add_argument('command', nargs=argparse.REMAINDER)
    args = parser.parse_args()
    command = args.command[1:] if args.command[:1] == ['--'] else args.command
    if not shutil.which('Xvfb'):
        print('skip: Xvfb is not installed')
        sys.exit(77)  # Meson's word for it
    server, display = start(args.size)
    worst = 0
    try:
        for driver in args.drivers.split(','):
            for form in args.forms.split(','):
                env = dict(os.environ, DISPLAY=display)
                if driver:
                    env['MGPIPE_DRIVER'] = driver
                if form:
                    env['MGPIPE_FORM'] = form
                if driver or form:
                    print(f'-- {driver} {form}', flush=True)
                status = subprocess.run(command, env=env).returncode
                worst = max(worst, 1 if status < 0 else status)
    finally:
        server.terminate()
        server.wait()
    sys.exit(worst)


if __name__ == '__main__':
    main()
