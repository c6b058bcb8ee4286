#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command as a client of a server that is started for it, and ends with the command's status.

usage: with_server.py --build DIR --link unix|tcp|ssh|sshd [--delay MS] [--rate MBIT] [--forward] COMMAND [ARGUMENT...]

unix and tcp: one mgpiped that listens; MGPIPE_FORM and the token are in the command's environment. ssh: a shim in place of ssh that starts
the server here. sshd: a real one, with keys made for this; where it is not installed one line says so, which counts as a skip. --delay and --rate: tcp goes through tests/tools/relay.py. --forward: unix goes through a relay that passes no descriptors,
as ssh -L does.
"""

import argparse
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SSHD = '/usr/sbin/sshd'
SHIM = '#!/bin/sh\n# In place of ssh: the host is this one.\nshift\nexec "$@"\n'


def announced(process, pattern):
    for line in process.stdout:
        found = re.search(pattern, line)
        if found:
            return found.group(1)
    sys.exit(f'{process.args[0]} ended without "{pattern}"')


class Place:
    """A folder, and what runs for the command; all of it gone afterwards."""

    def __init__(self, options):
        self.options, self.started = options, []
        self.folder = tempfile.mkdtemp(prefix='mgpipe-link-')
        self.targets = os.path.join(options.build, 'src', 'targets')
        # A server has its own environment: neither the form nor the driver of its clients.
        self.env = {k: v for k, v in os.environ.items() if k not in ('MGPIPE_FORM', 'MGPIPE_DRIVER', 'MGPIPE_STATS', 'MGPIPE_DATA')}

    def start(self, command, pattern, **env):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(self.env, **env))
        self.started.append(process)
        return announced(process, pattern)

    def relay(self, to):
        options = self.options
        listen = f'unix:{self.folder}/relay' if to.startswith('unix:') else 'tcp:127.0.0.1:0'
        return self.start([sys.executable, os.path.join(HERE, 'relay.py'), listen, to, '--delay', str(options.delay), '--rate', str(options.rate)],
                          r'listening on (\S+)')

    def sshd(self):
        """More of the environment, for ssh:127.0.0.1."""
        with socket.socket() as s:
            s.bind(('127.0.0.1', 0))
            port = s.getsockname()[1]
        for key in ('host', 'user'):
            subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', f'{self.folder}/{key}'], check=True)
        with open(f'{self.folder}/config', 'w', encoding='utf-8') as f:
            f.write(f'ListenAddress 127.0.0.1\nPort {port}\nHostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/user.pub\n'
                    'StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\n')
        if os.getuid() == 0:
            os.makedirs('/run/sshd', mode=0o755, exist_ok=True)
        self.started.append(subprocess.Popen([SSHD, '-D', '-e', '-f', f'{self.folder}/config'], stderr=subprocess.DEVNULL, env=self.env))
        for _ in range(100):
            try:
                socket.create_connection(('127.0.0.1', port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        options = f'-p {port} -i {self.folder}/user -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR'
        return {'MGPIPE_SSH': f'ssh {options}', 'MGPIPE_SERVER': os.path.abspath(os.path.join(self.targets, 'mgpiped'))}

    def form(self):
        """(the form, more of the command's environment)"""
        if self.options.link == 'ssh':
            shim = os.path.join(self.folder, 'ssh')
            with open(shim, 'w', encoding='utf-8') as f:
                f.write(SHIM)
            os.chmod(shim, 0o700)
            return 'ssh:elsewhere', {'MGPIPE_SSH': shim, 'MGPIPE_SERVER': os.path.join(self.targets, 'mgpiped')}
        if self.options.link == 'sshd':
            return 'ssh:127.0.0.1', self.sshd()
        token = secrets.token_hex(16)
        listen = f'unix:{self.folder}/socket' if self.options.link == 'unix' else 'tcp:127.0.0.1:0'
        form = self.start([os.path.join(self.targets, 'mgpiped'), f'--listen={listen}'], r'listening on (\S+)', MGPIPE_TOKEN=token)
        if self.options.forward or self.options.delay or self.options.rate:
            form = self.relay(form)
        return form, {'MGPIPE_TOKEN': token}

    def close(self):
        for process in reversed(self.started):
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    about, _, usage = __doc__.partition('usage: ')
    parser = argparse.ArgumentParser(usage=usage, description=about)
    parser.add_argument('--build', required=True)
    parser.add_argument('--link', choices=('unix', 'tcp', 'ssh', 'sshd'), required=True)
    parser.add_argument('--delay', type=float, default=0)
    parser.add_argument('--rate', type=float, default=0)
    parser.add_argument('--forward', action='store_true')
    parser.add_argument('command', nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.link == 'sshd' and not (os.path.exists(SSHD) and shutil.which('ssh')):
        print('skip sshd: openssh-server is not installed\n0 passed, 0 failed, 1 skipped')
        return 0
    place = Place(options)
    try:
        form, env = place.form()
        return subprocess.run(options.command, env=dict(os.environ, MGPIPE_FORM=form, **env), check=False).returncode
    finally:
        place.close()


if __name__ == '__main__':
    sys.exit(main())
