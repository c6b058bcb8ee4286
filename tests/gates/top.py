#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`mgpipe top` beside running programs, and beside pages that lie.

usage: top.py --build DIR [--driver NAME]... [--form NAME]... [--self-test]

In each driver and form: draws per frame as the program makes them, no round trip in steady frames, driver, form and server by
name; a stopped server is slow, a killed one lost; nobody counts once nobody watches. A page with a damaged header, too few
bytes, no seal, another owner or escape sequences for names is left out or made harmless. In a terminal (a pseudo terminal
here) it redraws, takes a new size and ends at q. --self-test is the negative control: the page that the damaged ones are made
from must be shown, and a program that reads pixels back must have round trips.
"""

import argparse
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import stats_page

DRAWS = 200
F_ADD_SEALS, SEALS = 1033, 0x1 | 0x2 | 0x4


class Failure(Exception):
    pass


def expect(what, got, wanted):
    if got != wanted:
        raise Failure(f'{what}: {got!r} instead of {wanted!r}')


class Bed:
    def __init__(self, build):
        self.build, self.targets = build, os.path.join(build, 'src', 'targets')
        self.command = os.path.join(self.targets, 'mgpipe')
        self.running = []

    def start(self, program, *arguments, **env):
        base = {k: v for k, v in os.environ.items() if not k.startswith('MGPIPE_') or k == 'MGPIPE_CACHE_DIR'}
        base.update(LD_LIBRARY_PATH=self.targets, MGPIPE_SERVER=os.path.join(self.targets, 'mgpiped'),
                    __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(self.targets, 'uninstalled.json'), **env)
        base.setdefault('XDG_RUNTIME_DIR', '/tmp')
        p = subprocess.Popen([os.path.join(self.build, *program), *arguments], env=base, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        self.running.append(p)
        return p

    def end(self):
        for p in self.running:
            p.kill()
            p.wait()
        self.running.clear()

    def top(self, *arguments, interval=0.4):
        done = subprocess.run([self.command, 'top', '--once', '--json', f'--interval={interval}', *arguments], capture_output=True,
                              text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        if done.stderr:
            raise Failure(f'top writes to standard error: {done.stderr}')
        return json.loads(done.stdout)['sessions']

    def session(self, pid, until=lambda s: True):
        """The one session of a program, once it is as it should be."""
        found = None
        for _ in range(40):
            all_ = self.top(f'--pid={pid}')
            found = all_[0] if len(all_) == 1 else None
            if found and found.get('seconds') and until(found):
                return found
            time.sleep(0.05)
        raise Failure(f'no such session: {found}')


def programs(bed, driver, form):
    p = bed.start(('tests', 'bench', 'steady_draw'), '--draws', str(DRAWS), '--frames', '100000000', '--change', 'ubo', '--report',
                  MGPIPE_DRIVER=driver, MGPIPE_FORM=form)
    s = bed.session(p.pid, lambda s: s['per_frame'])
    expect('program', s['program'], 'steady_draw')
    expect('driver and form', (s['driver'], s['form'], s['state']), (driver, form, 'running'))
    expect('draws per frame', s['per_frame']['draws'], DRAWS)
    expect('draw records per frame', s['per_frame']['draw_records'], DRAWS)
    expect('round trips', (s['per_frame']['round_trips'], s['per_frame']['round_trips_by_call']), (0, {}))
    crosses = form not in ('monolith', 'inproc')
    expect('has a server', s['server_pid'] is not None, crosses)
    if form != 'monolith' and not (2 * DRAWS <= s['per_frame']['records'] <= 2 * DRAWS + 10 and s['per_frame']['bytes']['ring'] > 1000):
        raise Failure(f'records: {s["per_frame"]}')
    if driver != 'noop' and not s['host_objects']:
        raise Failure('no host objects')
    for pid in [p.pid] + [s['server_pid']] * crosses:
        expect('counts while nobody watches', stats_page.read(pid)['on'], b'\0\0\0\0')
    if crosses:
        states(bed, p, s['server_pid'])


def states(bed, p, server):
    os.kill(server, signal.SIGSTOP)
    bed.session(p.pid, lambda s: s['state'] == 'slow')
    os.kill(server, signal.SIGCONT)
    bed.session(p.pid, lambda s: s['state'] == 'running')
    os.kill(server, signal.SIGKILL)
    bed.session(p.pid, lambda s: s['state'] == 'lost')


# --- pages that lie --------------------------------------------------------------------------------

def good_page():
    """Of this process."""
    page = bytearray(stats_page.PAGE_SIZE)
    stats_page.HEADER.pack_into(page, 0, b'MGPstats', 1, len(page), os.getpid(), 1, 0, 0, b'espryt', b'monolith', 0, 5, 0, 0, 0, 2, b'')
    stats_page.SLOT.pack_into(page, stats_page.SLOTS, b'draws', 7, 7, 0)
    stats_page.SLOT.pack_into(page, stats_page.SLOTS + stats_page.SLOT_SIZE, b'espryt.resources', 3, 3, 2)
    return page


def with_bytes(page, offset, data):
    page[offset:offset + len(data)] = data
    return page


DAMAGED = {
    'zeros': lambda page: bytearray(len(page)),
    'noise': lambda page: bytearray(i * 37 % 251 for i in range(len(page))),
    'another magic': lambda page: with_bytes(page, 0, b'MGPstatz'),
    'another version': lambda page: with_bytes(page, 8, struct.pack('=I', 2)),
    'another size': lambda page: with_bytes(page, 12, struct.pack('=I', 1 << 30)),
    'another owner': lambda page: with_bytes(page, 16, struct.pack('=I', 1)),
    'no role': lambda page: with_bytes(page, 20, struct.pack('=I', 77)),
    'too many slots': lambda page: with_bytes(page, 212, struct.pack('=I', 0xffffffff)),
    'too short': lambda page: page[:4096],
    'too long': lambda page: page + bytearray(4096),
    'empty': lambda page: bytearray(),
}
HARMLESS = {
    'no ends of texts': lambda page: with_bytes(page, 32, b'\xff' * 144),
    'escape sequences': lambda page: with_bytes(page, 32, b'\x1b[2J\x1b]0;x\x07"\\'),
    'names without ends': lambda page: with_bytes(page, stats_page.SLOTS, b'\x1b' * 40),
    'values that fall': lambda page: with_bytes(page, stats_page.SLOTS + 40, b'\xff' * 20),
    'an odd sequence': lambda page: with_bytes(page, 208, struct.pack('=I', 0xffffffff)),
}


def shown(bed, page, seal=True):
    fd = os.memfd_create('mgpipe-stats', os.MFD_CLOEXEC | getattr(os, 'MFD_ALLOW_SEALING', 2))
    try:
        os.write(fd, bytes(page))
        if seal:
            fcntl.fcntl(fd, F_ADD_SEALS, SEALS)
        text = subprocess.run([bed.command, 'top', '--once', '--interval=0.05'], capture_output=True, timeout=60, check=True).stdout
        if any(b < 32 and b != 10 or b > 126 for b in text):
            raise Failure('control characters reach the terminal')
        return [s for s in bed.top(interval=0.05) if s['pid'] == os.getpid()]
    finally:
        os.close(fd)


def lies(bed):
    for name, damage in DAMAGED.items():
        if shown(bed, damage(good_page())):
            raise Failure(f'{name}: shown')
    if shown(bed, good_page(), seal=False):
        raise Failure('no seal: shown')
    for name, damage in HARMLESS.items():
        expect(f'{name}: sessions', len(shown(bed, damage(good_page()))), 1)


# --- in a terminal ---------------------------------------------------------------------------------

def read_until(fd, wanted, seconds=10):
    text, end = b'', time.monotonic() + seconds
    while wanted not in text:
        ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise Failure(f'no {wanted!r} on the screen: {text[-300:]!r}')
        text += os.read(fd, 65536)
    return text


def terminal(bed):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 5, 40, 0, 0))
    before = termios.tcgetattr(slave)
    p = subprocess.Popen([bed.command, 'top', '--interval=0.1'], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    bed.running.append(p)
    first = read_until(master, b'\x1b[J')
    if any(len(line.split(b'\x1b')[0]) > 40 for line in first.split(b'\x1b[7m')[1].split(b'\r\n')):
        raise Failure('a line is wider than the terminal')
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 30, 150, 0, 0))
    p.send_signal(signal.SIGWINCH)
    read_until(master, b'RECORDS')   # the last column
    os.write(master, b'q')
    read_until(master, b'\x1b[?1049l')
    expect('status', p.wait(10), 0)
    expect('the terminal afterwards', termios.tcgetattr(slave), before)
    os.close(master)
    os.close(slave)


def usage(bed):
    for arguments in (['--nothing'], ['--interval=-1'], ['--interval=nan'], ['--pid=x'], ['--pid=']):
        expect(str(arguments), subprocess.run([bed.command, 'top', *arguments], capture_output=True, check=False).returncode, 2)
    stranger = subprocess.run([bed.command, 'top', '--once', '--interval=0.05', '--pid=1'], capture_output=True, text=True, check=False)
    expect('a process without a page', (stranger.returncode, stranger.stdout),
           (1, "process 1 does not draw with mgpipe, or is another user's\n"))


def controls(bed):
    expect('the page before its damage: sessions', len(shown(bed, good_page())), 1)
    p = bed.start(('tests', 'gates', 'rough_scene'), 'draw', '60', MGPIPE_DRIVER='noop', MGPIPE_FORM='spawn')
    s = bed.session(p.pid, lambda s: s['per_second']['draws'])
    if not s['per_second']['round_trips_by_call'].get('read_pixels'):
        raise Failure(f'a program that reads back has no round trips: {s["per_second"]}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', action='append')
    parser.add_argument('--form', action='append')
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    bed = Bed(os.path.abspath(options.build))
    cases = [(f'{d} {f}', lambda d=d, f=f: programs(bed, d, f)) for d in options.driver or ('noop', 'espryt', 'magma')
             for f in options.form or ('monolith', 'inproc', 'spawn')]
    cases += [('lies', lambda: lies(bed)), ('terminal', lambda: terminal(bed)), ('usage', lambda: usage(bed))]
    cases += [('controls', lambda: controls(bed))] if options.self_test else []
    failed = 0
    for name, case in cases:
        try:
            case()
            print(f'ok {name}')
        except Failure as e:
            failed += 1
            print(f'fail {name}: {e}')
        finally:
            bed.end()
    print(f'{len(cases) - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
