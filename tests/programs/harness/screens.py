# SPDX-License-Identifier: MIT
"""Displays of our own: Xvfb, whose picture is read from its memory, and a weston that draws there."""

import os
import struct
import subprocess
import tempfile
import time

import numpy

from . import xclient


def decode_xwd(data):
    """The bytes of an XWD file of 24 bits in 32 as height x width x 3."""
    header = struct.unpack('>25I', data[:100])
    size, width, height, bits, pitch, colors = header[0], header[4], header[5], header[11], header[12], header[19]
    if bits != 32:
        raise ValueError(f'{bits} bits for a pixel')
    pixels = numpy.frombuffer(data, numpy.uint8, pitch * height, size + 12 * colors).reshape(height, pitch)
    bgrx = pixels[:, :4 * width].reshape(height, width, 4)
    order = [2, 1, 0] if header[7] == 0 else [1, 2, 3]
    return bgrx[..., order].copy()


def stop(process):
    if process:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Screen:
    """A display with one process behind it. `env` is what its clients need."""

    def __init__(self, size):
        self.size, self.env, self.process = size, {}, None
        self.folder = tempfile.TemporaryDirectory(prefix='mgpipe-screen-')

    def start(self, command, **how):
        log = open(os.path.join(self.folder.name, 'log'), 'wb')
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **how)
        log.close()

    def failed(self):
        with open(os.path.join(self.folder.name, 'log'), encoding='utf-8', errors='replace') as f:
            return OSError('the display does not start: ' + f.read()[-300:])

    def close(self):
        stop(self.process)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class X11(Screen):
    """Without a window manager: programs lie where they want, at the left upper corner as a rule."""

    def __init__(self, size):
        super().__init__(size)
        ends = os.pipe()
        self.start(['Xvfb', '-displayfd', str(ends[1]), '-screen', '0', f'{size[0]}x{size[1]}x24', '-fbdir', self.folder.name,
                    '-nolisten', 'tcp', '-nocursor', '-noreset'], pass_fds=ends[1:])
        os.close(ends[1])
        with os.fdopen(ends[0]) as f:
            number = f.readline().strip()
        if not number:
            raise self.failed()
        self.env = {'DISPLAY': f':{number}'}
        self.client = xclient.Client(f':{number}')
        self.client.park_pointer(size[0] - 1, size[1] - 1)

    def picture(self):
        with open(os.path.join(self.folder.name, 'Xvfb_screen0'), 'rb') as f:
            return decode_xwd(f.read())

    def resize(self, size):
        """The largest window; false when there is none."""
        windows = self.client.windows()
        if windows:
            self.client.resize(windows[0][1], *size)
        return bool(windows)

    def ask_to_close(self):
        windows = self.client.windows()
        if windows:
            self.client.ask_to_close(windows[0][1])
        return bool(windows)

    def close(self):
        if hasattr(self, 'client'):
            self.client.disconnect()
        super().close()


class Wayland(X11):
    """weston without a GPU, its output filling an Xvfb: so it has a seat, which programs expect. Every window fills the
    output (kiosk shell)."""

    def __init__(self, size):
        super().__init__(size)
        self.server, self.process = self.process, None
        os.chmod(self.folder.name, 0o700)
        socket = os.path.join(self.folder.name, 'wayland-0')
        self.start(['weston', '--no-config', '--backend=x11-backend.so', '--use-pixman', '--shell=kiosk-shell.so', '--idle-time=0',
                    f'--width={size[0]}', f'--height={size[1]}', '--socket=wayland-0'],
                   env={'PATH': os.environ['PATH'], 'HOME': self.folder.name, 'XDG_RUNTIME_DIR': self.folder.name, **self.env})
        self.env = {'WAYLAND_DISPLAY': socket}
        end = time.monotonic() + 20
        while not os.path.exists(socket):
            if self.process.poll() is not None or time.monotonic() > end:
                raise self.failed()
            time.sleep(0.05)

    def resize(self, size):
        return False

    def ask_to_close(self):
        return False

    def close(self):
        stop(self.process)
        self.process = self.server
        super().close()


PLATFORMS = {'x11': X11, 'wayland': Wayland}
