#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers that die under a program: with MGPIPE_RESPAWN=1 it draws what it would have drawn.

usage: respawn.py --build DIR [--driver NAME]... [--link NAME]... [--full] [--self-test]

Runs tests/respawn/respawn_scene.cpp in each link (spawn, stream: spawn without shared memory, unix, tcp), once in peace and once with its server killed at several moments. Every frame
must be equal, as many servers must have been killed as were asked for, as many must have been started, the program must have
seen no error, and the log must say once per death what only the GPU had. Then servers that cannot be replaced: the second
one never starts, or ends at once. The program must hear of that loss, and end.
--full: every moment on every driver and link. --self-test: without MGPIPE_RESPAWN the same kills must be reported as wrong, and a
picture that differs in one byte too.
"""

import argparse
import os
import re
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import with_server  # pylint: disable=wrong-import-position

MOMENTS = ('between', 'middle', 'reply', 'upload', 'fence', 'mapped', 'other', 'thread', 'swap')
LINKS = ('spawn', 'stream', 'unix', 'tcp')
FEW = {('magma', 'spawn'): ('between', 'middle', 'reply', 'upload'), ('espryt', 'spawn'): ('fence', 'mapped', 'other', 'thread'),
       ('magma', 'tcp'): ('upload', 'mapped', 'swap', 'thread')}
EVERY = 4  # frames from one kill to the next, as in the scene
DONE = re.compile(r'^frames (\d+) killed (\d+) wrong (\d+) queries-zero (\d+) error (0x[0-9a-f]+)$', re.M)
TOOK_OVER = re.compile(r'respawn: server \d+ is gone, server \d+ took over: (\d+) objects made again.*: (.*)$', re.M)
PICTURE = 2 * 128 * 128 * 4  # bytes of a frame: two contexts

# The server of a program whose second one fails.
ONCE = '''#!/bin/sh
if [ -e {mark} ]; then {then}; fi
touch {mark}
exec {server} "$@"
'''


class Seen:
    def __init__(self, status, output, log, pictures):
        self.status, self.log, self.pictures = status, log, pictures
        done = DONE.search(output)
        self.frames, self.killed, self.wrong = (int(done[i]) if done else -1 for i in (1, 2, 3))
        self.error = done[5] if done else 'none'
        self.respawns = TOOK_OVER.findall(log)


class Listener:
    """A server for the links that have one; `environment` is the program's."""

    def __init__(self, build, link):
        self.environment, self.place = {'MGPIPE_FORM': 'spawn', 'MGPIPE_DATA': 'stream' if link == 'stream' else 'any'}, None
        if link in ('unix', 'tcp'):
            self.place = with_server.Place(argparse.Namespace(build=build, link=link, delay=0, rate=0, forward=False))
            form, more = self.place.form()
            self.environment = dict(more, MGPIPE_FORM=form, RESPAWN_LISTENER=str(self.place.started[0].pid))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.place:
            self.place.close()


def scene(build, driver, frames, moments, folder, respawn='1', server=None, link='spawn'):
    targets = os.path.join(build, 'src', 'targets')
    with Listener(build, link) as listener:
        return run_scene(build, targets, driver, frames, moments, folder, respawn, server, listener.environment)


def run_scene(build, targets, driver, frames, moments, folder, respawn, server, link_environment):
    env = dict(os.environ, MGPIPE_DRIVER=driver, MGPIPE_RESPAWN=respawn, MGPIPE_LOG_LEVEL='warning',
               __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'),
               MGPIPE_SERVER=server or os.path.join(targets, 'mgpiped'), MGPIPE_CACHE_DIR=os.path.join(build, 'cache'))
    env['LD_LIBRARY_PATH'] = targets + (':' + env['LD_LIBRARY_PATH'] if env.get('LD_LIBRARY_PATH') else '')
    env.pop('MGPIPE_STATS', None)
    env.update(link_environment)
    out = os.path.join(folder, 'frames')
    done = subprocess.run([os.path.join(build, 'tests', 'respawn', 'respawn_scene'), out, str(frames), ','.join(moments)],
                          env=env, capture_output=True, text=True, errors='replace', timeout=300, check=False)
    with open(out, 'rb') as f:
        return Seen(done.returncode, done.stdout, done.stderr, f.read())


def problems(peace, killed, frames, kills):
    """What is wrong with a run whose servers were killed, by the run in peace."""
    found = []
    if peace.status or peace.killed or peace.respawns or len(peace.pictures) != frames * PICTURE:
        found.append(f'the run in peace is none: status {peace.status}, {len(peace.respawns)} respawns')
    if killed.status or killed.wrong or killed.error != '0x0':
        found.append(f'the program saw it: status {killed.status}, {killed.wrong} wrong, error {killed.error}')
    if killed.killed != kills:
        found.append(f'{killed.killed} servers were killed, not {kills}')
    # Two share groups: each is made again.
    if len(killed.respawns) != 2 * kills:
        found.append(f'{len(killed.respawns)} share groups were made again, not {2 * kills}')
    if not any('texture' in lost for _, lost in killed.respawns):
        found.append('no line names the texture that only the GPU had')
    if len(killed.pictures) != len(peace.pictures):
        found.append('not as many frames')
    differ = [n for n in range(frames)
              if killed.pictures[n * PICTURE:(n + 1) * PICTURE] != peace.pictures[n * PICTURE:(n + 1) * PICTURE]]
    if differ:
        found.append(f'frames {differ} differ')
    return found


def failing_server(build, folder, then):
    path, mark = os.path.join(folder, 'server'), os.path.join(folder, 'started')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(ONCE.format(mark=mark, then=then, server=os.path.join(build, 'src', 'targets', 'mgpiped')))
    os.chmod(path, stat.S_IRWXU)
    return path


def run(options, folder):
    build = os.path.abspath(options.build)
    every = [(driver, link) for driver in ('magma', 'espryt') for link in LINKS]
    chosen = every if options.full or options.driver or options.link else FEW
    for driver, link in chosen:
        if (options.driver and driver not in options.driver) or (options.link and link not in options.link):
            continue
        moments = FEW.get((driver, link), MOMENTS) if not options.full else MOMENTS
        frames = EVERY * len(moments) + 2
        peace = scene(build, driver, frames, ['none'], folder, link=link)
        killed = scene(build, driver, frames, moments, folder, link=link)
        yield f'{driver} {link} {",".join(moments)}', problems(peace, killed, frames, len(moments))
        if options.self_test:
            spoilt = bytearray(killed.pictures)
            spoilt[-1] ^= 1
            killed.pictures = bytes(spoilt)
            yield f'{driver} {link} self-test: one byte', [] if problems(peace, killed, frames, len(moments)) else ['not reported']
    driver = (options.driver or ['magma'])[0]
    for name, then in (('never-starts', 'exit 1'), ('dies-at-once', '(sleep 0.02; kill -9 $$) & exec {server} "$@"')):
        then = then.replace('{server}', os.path.join(build, 'src', 'targets', 'mgpiped'))
        with tempfile.TemporaryDirectory() as own:
            lost = scene(build, driver, EVERY + 2, ['between'], folder, server=failing_server(build, own, then))
        told = lost.wrong > 0 and 'eglSwapBuffers' in lost.log and lost.log.count('the loss stands') == 2 and not lost.respawns
        yield f'{driver} {name}', [] if told else [f'{lost.wrong} wrong, status {lost.status}: {lost.log[-300:]}']
    if options.self_test:
        control = scene(build, driver, EVERY + 2, ['between'], folder, respawn='0')
        peace = scene(build, driver, EVERY + 2, ['none'], folder, respawn='0')
        yield f'{driver} self-test: no respawn', [] if problems(peace, control, EVERY + 2, 1) else ['not reported']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', action='append', choices=('magma', 'espryt'))
    parser.add_argument('--link', action='append', choices=LINKS)
    parser.add_argument('--full', action='store_true')
    parser.add_argument('--self-test', action='store_true')
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, found in run(parser.parse_args(), folder):
            print(f'ok {name}' if not found else f'fail {name}: {"; ".join(found)}', flush=True)
            passed, failed = passed + (not found), failed + bool(found)
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
