# SPDX-License-Identifier: MIT
"""One program on one display with one GL implementation: starts it, waits for steady pictures, closes it."""

import os
import re
import signal
import statistics
import struct
import subprocess
import tempfile
import time

import numpy

from . import screens
from .similarity import similarity

FONTS = '''<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir>HOME/fontcache</cachedir>
  <match target="font">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>
</fontconfig>
'''
GTK = '[Settings]\ngtk-enable-animations=false\ngtk-cursor-blink=false\ngtk-font-name=DejaVu Sans 10\ngtk-theme-name=Adwaita\n'
MESA = '/usr/share/glvnd/egl_vendor.d/50_mesa.json'
OURS = re.compile(r'\S*/lib(?:mgpipe|EGL_mgpipe|GLX_mgpipe)\.so\S*')
LOOK_EVERY = 0.25
FEW_FRAMES = 30  # what draws less stands still: its frames are as far apart as its changes


class Failure(Exception):
    """What a program did not do, in one line."""


class Target:
    """Who does the GL: 'llvmpipe', or a driver and a form of MGPipe."""

    def __init__(self, driver, form='', build='', more=None):
        self.driver, self.form, self.build, self.more = driver, form, build, more or {}
        self.name = f'{driver}-{form}' if form else driver

    def command(self, argv):
        if self.driver == 'llvmpipe':
            return argv
        return [os.path.join(self.build, 'src', 'targets', 'mgpipe'), 'run', f'--driver={self.driver}', f'--form={self.form}', '--', *argv]

    def environment(self, folder):
        if self.driver == 'llvmpipe':
            return {'__EGL_VENDOR_LIBRARY_FILENAMES': MESA, '__GLX_VENDOR_LIBRARY_NAME': 'mesa', 'LIBGL_ALWAYS_SOFTWARE': '1',
                    'GALLIUM_DRIVER': 'llvmpipe'}
        return {'MGPIPE_LOG': os.path.join(folder, 'mgpipe.log'), 'MGPIPE_STATS': os.path.join(folder, 'mgpipe.stats'),
                'MGPIPE_CACHE_DIR': os.path.join(folder, 'mgpipe.cache'), **self.more}


def clean_environment(home):
    """Nothing of the surroundings but the way to programs: no session, no sound, no network, fixed fonts and language."""
    runtime = os.path.join(home, 'runtime')
    os.makedirs(runtime, mode=0o700, exist_ok=True)
    os.makedirs(os.path.join(home, '.config'), exist_ok=True)
    fonts = os.path.join(home, 'fonts.conf')
    with open(fonts, 'w', encoding='utf-8') as f:
        f.write(FONTS.replace('HOME', home))
    for version in ('3', '4'):
        folder = os.path.join(home, '.config', f'gtk-{version}.0')
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, 'settings.ini'), 'w', encoding='utf-8') as f:
            f.write(GTK)
    nowhere = 'http://127.0.0.1:9'
    env = {'HOME': home, 'XDG_RUNTIME_DIR': runtime, 'FONTCONFIG_FILE': fonts, 'LANG': 'C.UTF-8', 'LC_ALL': 'C.UTF-8', 'TZ': 'UTC',
           'PATH': '/usr/bin:/bin:/usr/games', 'USER': 'user', 'SHELL': '/bin/sh', 'DBUS_SESSION_BUS_ADDRESS': 'unix:path=/nonexistent',
           'NO_AT_BRIDGE': '1', 'GTK_A11Y': 'none', 'GSETTINGS_BACKEND': 'memory', 'SDL_AUDIODRIVER': 'dummy', 'ALSOFT_DRIVERS': 'null',
           'PULSE_SERVER': 'unix:/nonexistent', 'http_proxy': nowhere, 'https_proxy': nowhere, 'QT_ENABLE_HIGHDPI_SCALING': '0',
           'XCURSOR_THEME': 'none'}
    for name in ('HOME', 'CONFIG_HOME', 'DATA_HOME', 'CACHE_HOME', 'STATE_HOME'):
        if name != 'HOME':
            env['XDG_' + name] = os.path.join(home, {'CONFIG': '.config', 'DATA': '.local/share', 'CACHE': '.cache',
                                                     'STATE': '.local/state'}[name.split('_')[0]])
    return env


class Session:
    """The run of one program. Use in a `with`; what went wrong is raised as Failure."""

    def __init__(self, program, platform, target, preload=None):
        """`preload`: the library that notes the times of frames."""
        self.program, self.target = program, target
        self.scratch = tempfile.TemporaryDirectory(prefix='mgpipe-program-')
        self.screen, self.process = screens.PLATFORMS[platform](program.SCREEN), None
        if program.POINTER:
            self.screen.client.park_pointer(*program.POINTER)
        folder = self.scratch.name
        env = dict(clean_environment(folder), **self.screen.env, **target.environment(folder))
        env.update(program.environment(platform))
        if preload:
            env.update(LD_PRELOAD=preload, FRAME_TIMES=os.path.join(folder, 'frame_times'))
        self.output = os.path.join(folder, 'output')
        with open(self.output, 'wb') as output:
            self.process = subprocess.Popen(target.command(program.command(folder, platform)), env=env, stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=output, cwd=folder, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.signal(signal.SIGKILL)
            self.process.wait()
        self.screen.close()
        self.scratch.cleanup()

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def read(self, name):
        try:
            with open(os.path.join(self.scratch.name, name), encoding='utf-8', errors='replace') as f:
                return f.read()
        except OSError:
            return ''

    def last_words(self):
        words = [line for line in (self.read('output') + self.read('mgpipe.log')).split('\n') if line.strip()]
        return ' | '.join(words[-4:])[-400:]

    def check_alive(self):
        if self.process.poll() is not None:
            raise Failure(f'ended with status {self.process.returncode}: {self.last_words()}')

    def steady_picture(self, patience=1):
        """The first picture that stays for a while, `patience` times the usual one, and that the description calls a picture."""
        since, last = time.monotonic(), None
        end = since + self.program.LIMIT
        while time.monotonic() < end:
            time.sleep(LOOK_EVERY)
            self.check_alive()
            picture, now = self.screen.picture(), time.monotonic()
            for x, y, width, height in self.program.CLOCKS:
                picture[y:y + height, x:x + width] = 0
            if last is None or not self.same(picture, last):
                last, since = picture, now
            elif now - since >= patience * self.program.STEADY and self.program.is_ready(picture):
                return picture
        colors = len(numpy.unique(last.reshape(-1, 3), axis=0))
        kind = 'a moving picture' if time.monotonic() - since < patience * self.program.STEADY else f'not the picture that is expected ({colors} colours)'
        raise Failure(f'{kind} after {self.program.LIMIT} s: {self.last_words()}', last)

    def same(self, a, b):
        return numpy.array_equal(a, b) or bool(self.program.MOVES and similarity(a, b) >= self.program.MOVES)

    def libraries(self):
        """Names of our libraries that the program or one of its children has mapped."""
        found = set()
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                if os.getpgid(int(pid)) == self.process.pid:
                    with open(f'/proc/{pid}/maps', encoding='utf-8', errors='replace') as f:
                        found |= {os.path.basename(m).split('.')[0] for m in OURS.findall(f.read())}
            except (OSError, ProcessLookupError):
                continue
        return found

    def check_libraries(self):
        found = self.libraries()
        if bool(found) != (self.target.driver != 'llvmpipe'):
            raise Failure('runs on MGPipe' if found else f'does not run on MGPipe: {self.last_words()}')
        return found

    def frame_ms(self):
        """Median milliseconds from one swap to the next; None where there were too few."""
        try:
            with open(os.path.join(self.scratch.name, 'frame_times'), 'rb') as f:
                data = f.read()
        except OSError:
            return None
        starts = sorted(start for start, _ in struct.iter_unpack('=QQ', data[:len(data) // 16 * 16]))
        if len(starts) <= FEW_FRAMES:
            return None
        return statistics.median(b - a for a, b in zip(starts, starts[1:])) / 1e6

    def quit(self):
        """As a person would close it; returns the frames that were presented, None where the program tells nothing."""
        asked = self.program.CLOSE == 'ask' and self.screen.ask_to_close()
        if not asked:
            self.signal(signal.SIGTERM)
        try:
            status = self.process.wait(self.program.LIMIT)
        except subprocess.TimeoutExpired:
            raise Failure('does not end when asked to') from None
        if status not in ((0,) if asked else (0, -signal.SIGTERM, 128 + signal.SIGTERM, *self.program.STATUS)):
            raise Failure(f'ended with status {status} when closed: {self.last_words()}')
        frames = re.findall(r'^frames (\d+)', self.read('mgpipe.stats'), re.M)
        return max(map(int, frames)) if frames else None
