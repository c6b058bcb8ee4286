#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program whose driver is in a service that knows no display.

usage: served.py unix|tcp -- PROGRAM ARGS    (MGPIPE_SERVER and the rest from the environment)
"""

import os
import re
import subprocess
import sys
import tempfile

TOKEN = 'a-token-of-tests-0123456789'
LISTENS = re.compile(r'listening on (\S+)')


def main():
    kind, command = sys.argv[1], sys.argv[sys.argv.index('--') + 1:]
    with tempfile.TemporaryDirectory() as folder:
        env = {k: v for k, v in os.environ.items() if k not in ('DISPLAY', 'WAYLAND_DISPLAY', 'MGPIPE_FORM', 'MGPIPE_FRAMES')}
        env['MGPIPE_TOKEN'] = TOKEN
        listen = f'unix:{folder}/s' if kind == 'unix' else 'tcp:127.0.0.1:0'
        server = subprocess.Popen([env['MGPIPE_SERVER'], '--listen=' + listen], env=env, stdout=subprocess.PIPE, text=True)
        try:
            form = LISTENS.search(server.stdout.readline()).group(1)
            return subprocess.run(command, env=dict(os.environ, MGPIPE_FORM=form, MGPIPE_TOKEN=TOKEN)).returncode
        finally:
            server.terminate()
            server.wait()


if __name__ == '__main__':
    sys.exit(main())
