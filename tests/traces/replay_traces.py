#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Replays the recordings of this folder and compares their pictures with those that are kept.

usage: tests/traces/replay_traces.py --build DIR [--drivers A,B] [--forms A,B] [--self-test] [--update] [NAME...]

Each recording must play on each driver and form. A picture holds the frames of one recording, one below the other; it fits
when at most 0.5% of its pixels are off by more than 8 of 255 in a channel. --self-test: recordings in another definition
must give the same pictures; damaged, forged and cut ones and a picture that differs must be found. --update records the
scenes again (trace_scenes, by both drivers in turn) and keeps their pictures.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
OFF, SHARE = 8, 0.005
# Not portable: by which driver, and how the other ones answer where they lack the format.
ONE_DRIVER = {'wider_formats': ('magma', r'no format R8_SRGB; R8G8B8\w*_SRGB stands for it'),
              'blocks': ('espryt', r'no format ETC2_RGB8, and no other one that holds it exactly')}


class Build:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.targets = os.path.join(self.folder, 'src', 'targets')
        self.env = dict(os.environ)
        self.env.update({'LD_LIBRARY_PATH': self.targets, 'MGPIPE_SERVER': os.path.join(self.targets, 'mgpiped'),
                         '__EGL_VENDOR_LIBRARY_FILENAMES': os.path.join(self.targets, 'uninstalled.json')})
        self.env.setdefault('MGPIPE_CACHE_DIR', os.path.join(self.folder, 'cache'))
        for name in ('MGPIPE_DRIVER', 'MGPIPE_FORM', 'MGPIPE_RECORD'):
            self.env.pop(name, None)

    def run(self, program, *arguments, **env):
        return subprocess.run([os.path.join(self.folder, program), *arguments], env=dict(self.env, **env), text=True,
                              capture_output=True, timeout=120)

    def replay(self, *arguments):
        return self.run('src/targets/mgpipe', 'replay', *arguments)

    def tool(self, *arguments):
        done = self.run('tests/traces/trace_tool', *arguments)
        if done.returncode:
            sys.exit(f'trace_tool {" ".join(arguments)}: {done.stderr}')


def strip_of(folder):
    frames = [numpy.asarray(Image.open(os.path.join(folder, name)).convert('RGB')) for name in sorted(os.listdir(folder))]
    return numpy.concatenate(frames) if frames else None


def kept(name):
    return numpy.asarray(Image.open(os.path.join(HERE, name + '.png')).convert('RGB'))


def difference(got, want):
    """Why the pictures do not fit; empty: they do."""
    if got is None or got.shape != want.shape:
        return f'{"no pictures" if got is None else got.shape} instead of {want.shape}'
    off = (numpy.abs(got.astype(int) - want.astype(int)).max(axis=2) > OFF).mean()
    return f'{off:.2%} of the pixels are off' if off > SHARE else ''


def play(build, recording, driver, form):
    """The pictures, what was said, the status."""
    with tempfile.TemporaryDirectory() as folder:
        done = build.replay(f'--driver={driver}', f'--form={form}', '-o', folder, recording)
        return strip_of(folder), done.stderr, done.returncode


def check(build, name, driver, form):
    got, said, status = play(build, recording_of(name), driver, form)
    by, answer = ONE_DRIVER.get(name, (driver, ''))
    if by != driver:
        lacks = 'this driver has no format' in said
        if lacks and not re.search(answer, said):
            return said.strip()
        if lacks and status:
            return '' if got is None else 'pictures of what was refused'
        said = ''
    return (f'status {status}: {said.strip()}' if status else said.strip()) or difference(got, kept(name))


def recording_of(name):
    return os.path.join(HERE, name + '.mgrec.zst')


def names_here():
    return sorted(f[:-len('.mgrec.zst')] for f in os.listdir(HERE) if f.endswith('.mgrec.zst'))


def check_all(build, names, drivers, forms):
    failed = 0
    jobs = [(name, driver, form) for name in names for driver in drivers for form in forms]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, problem in zip(jobs, pool.map(lambda job: check(build, *job), jobs)):
            failed += bool(problem)
            print(f'{"fail" if problem else "ok"} {"-".join(job)}{": " + problem if problem else ""}')
    return len(jobs) - failed, failed


def controls(build, names, drivers):
    """What must be found, and what must not."""
    with tempfile.TemporaryDirectory() as folder:
        def made(how, name):
            path = os.path.join(folder, f'{name}-{how}.mgrec')
            build.tool(how, recording_of(name), path)
            return path

        for i, name in enumerate(names):
            driver = ONE_DRIVER[name][0] if name in ONE_DRIVER else drivers[i % len(drivers)]
            got, said, status = play(build, made('restate', name), driver, 'monolith')
            yield f'restated-{name}', not status and not difference(got, kept(name)) and \
                'call_of_another_time exists no more' in said and 'draw_vbo.from_elsewhere exists no more' in said, said
        driver, name = drivers[0], 'buffers'
        # A recording of another definition is found forged where it is translated.
        for how, line in (('damage', 'is damaged'), ('forge', r'is refused: enum|does not translate: draw_vbo\.mode'), ('nest', 'of its layout is not sound'),
                          ('base', 'the base of chunks is no handle'), ('cut', 'was cut off')):
            got, said, status = play(build, made(how, name), driver, 'monolith')
            lines = [text for text in said.splitlines() if re.match(r'mgpipe replay: .*\.mgrec: (?!no picture: it has 0 frames)', text)]
            yield f'control-{how}', len(lines) == 1 and re.search(line, said) and bool(status) == (how != 'cut'), said
        got, said, status = play(build, recording_of(name), driver, 'monolith')
        yield 'control-picture', bool(difference(got, numpy.roll(kept(name), 16, axis=1))), said
        for what, text in (('no-file', 'No such file'), ('no-recording', 'not a recording')):
            path = os.path.join(folder, 'absent') if what == 'no-file' else os.path.join(HERE, name + '.png')
            done = build.replay(f'--driver={driver}', path)
            yield f'control-{what}', done.returncode == 1 and text in done.stderr and done.stderr.count('\n') == 1, done.stderr


def recorder(build, driver):
    """What the recorder does around a program."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'a.mgrec')
        done = build.run('src/targets/mgpipe', 'record', '-o', path, f'--driver={driver}', '--', os.path.join(build.targets, 'mgpipe'),
                         'gears', '--frames', '2', '--size', '64x64', '--png', os.path.join(folder, 'gears.png'))
        done = build.replay(f'--driver={driver}', '--check', path)
        yield 'record-check', done.returncode == 0 and '1 answers compared, 0 differ' in done.stdout, done.stdout + done.stderr
        lie = os.path.join(folder, 'lie.mgrec')
        build.tool('lie', path, lie)
        done = build.replay(f'--driver={driver}', '--check', lie)
        yield 'control-answer', done.returncode == 1 and '1 answers compared, 1 differ' in done.stdout, done.stdout + done.stderr
        # A file that is there is not written.
        with open(path, 'rb') as f:
            before = f.read()
        done = build.run('tests/traces/trace_scenes', 'buffers', MGPIPE_DRIVER=driver, MGPIPE_RECORD=path)
        with open(path, 'rb') as f:
            same = f.read() == before
        others = [name for name in os.listdir(folder) if re.fullmatch(r'a\.mgrec\.\d+', name)]
        got = play(build, os.path.join(folder, others[0]), driver, 'monolith')[0] if others else None
        yield 'record-taken', same and len(others) == 1 and not difference(got, kept('buffers')), done.stderr
        # What a killed program drew is there.
        path = os.path.join(folder, 'killed.mgrec.zst')
        killed = subprocess.Popen([os.path.join(build.targets, 'mgpipe'), 'gears', '--frames', '1000000', '--size', '64x64'],
                                  env=dict(build.env, MGPIPE_DRIVER=driver, MGPIPE_RECORD=path), stdout=subprocess.DEVNULL)
        for _ in range(300):
            time.sleep(0.1)
            if os.path.exists(path) and os.path.getsize(path) > 45000:
                break
        killed.kill()
        killed.wait()
        done = build.replay('--driver=noop', '--stats', path)
        frames = re.match(r'(\d+) frames', done.stdout)
        yield 'record-killed', done.returncode == 0 and 'was cut off' in done.stderr and frames and int(frames[1]) > 10, \
            done.stdout[:200] + done.stderr


def self_test(build, names, drivers):
    passed = failed = 0
    for name, good, said in (*controls(build, names, drivers), *recorder(build, drivers[-1])):
        passed, failed = passed + bool(good), failed + (not good)
        print(f'ok {name}' if good else f'fail {name}: {said.strip()[-400:]}')
    return passed, failed


def update(build, names, drivers):
    scenes = build.run('tests/traces/trace_scenes', '--list', MGPIPE_DRIVER=drivers[0]).stdout.split()
    for i, name in enumerate(sorted(scenes)):
        if names and name not in names:
            continue
        driver = ONE_DRIVER[name][0] if name in ONE_DRIVER else drivers[i % len(drivers)]
        with tempfile.TemporaryDirectory() as folder:
            raw = os.path.join(folder, 'raw')
            done = build.run('tests/traces/trace_scenes', name, MGPIPE_DRIVER=driver,
                             MGPIPE_RECORD=raw if name in ONE_DRIVER else 'portable:' + raw)
            if done.returncode:
                sys.exit(f'{name}: {done.stderr}')
            build.tool('pack', raw, recording_of(name))
            pictures = os.path.join(folder, 'pictures')
            build.replay(f'--driver={driver}', '-o', pictures, raw)
            Image.fromarray(strip_of(pictures)).save(os.path.join(HERE, name + '.png'), optimize=True)
            print(f'{name}: {os.path.getsize(recording_of(name))} bytes, {len(os.listdir(pictures))} frames')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    parser.add_argument('--drivers', default='espryt,magma')
    parser.add_argument('--forms', default='monolith')
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('names', nargs='*')
    a = parser.parse_args()
    build, drivers = Build(a.build), a.drivers.split(',')
    if a.update:
        return update(build, a.names, drivers)
    names = a.names or names_here()
    passed, failed = check_all(build, names, drivers, a.forms.split(','))
    if a.self_test:
        more, fewer = self_test(build, names, drivers)
        passed, failed = passed + more, failed + fewer
    if not a.names and len(names) < 12:
        failed += 1
        print(f'fail {len(names)} recordings, not twelve')
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
