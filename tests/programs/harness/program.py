# SPDX-License-Identifier: MIT
"""What a description of a program says; the modules of tests/programs each define one subclass named Description."""

import importlib
import os
import shutil
import subprocess

import numpy

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Program:
    """The defaults. A description overrides what differs."""

    PACKAGES = ()                # Debian's, the one that holds the program first
    API = {'x11': 'GLX'}         # platform: how the program reaches GL there
    GL = '3.3 core'              # what it asks for
    SCREEN = (800, 600)          # size of the display
    POINTER = None               # where the pointer lies; in the right lower corner else
    STEADY = 1.5                 # seconds without a change
    MOVES = None                 # a clock ticks, a light pulses: similarity that counts as no change
    LIMIT = 45                   # seconds until a steady picture, and until the program has ended
    COLORS = 16                  # a picture has at least so many
    CLOCKS = ()                  # rectangles x, y, width, height that show the time: black in every picture
    RESIZE = None                # a second size of its window, drawn and compared too
    CLOSE = 'ask'                # through its window; else 'terminate': by signal
    STATUS = ()                  # more exit statuses that are good, after a signal

    def __init__(self, name):
        self.name = name

    def command(self, folder, platform):
        """Writes what the program needs into `folder`, its home, and returns the arguments."""
        raise NotImplementedError

    def environment(self, platform):
        """On top of the clean one."""
        return {}

    def is_ready(self, picture):
        """Whether a steady picture is the one to compare: not a splash screen, not an empty window."""
        return len(numpy.unique(picture.reshape(-1, 3), axis=0)) >= self.COLORS

    def missing(self):
        """Names of packages that are not here."""
        return [p for p in self.PACKAGES if not self.version(p)]

    @staticmethod
    def version(package):
        if not shutil.which('dpkg-query'):
            return ''
        done = subprocess.run(['dpkg-query', '-W', '-f=${db:Status-Status} ${Version}', package], capture_output=True, text=True)
        status, _, version = done.stdout.partition(' ')
        return version if status == 'installed' else ''

    def identity(self):
        """Text that changes when the picture may: the description and the versions of program and host."""
        with open(os.path.join(FOLDER, self.name + '.py'), encoding='utf-8') as f:
            text = f.read()
        return '\n'.join([text, *(f'{p} {self.version(p)}' for p in (*self.PACKAGES, 'libgl1-mesa-dri', 'xvfb', 'weston'))])


def write(folder, path, text):
    """A file below the program's home; returns its path."""
    full = os.path.join(folder, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, 'w', encoding='utf-8') as f:
        f.write(text)
    return full


def load_all():
    """Name: description, in the order of names."""
    names = sorted(n[:-3] for n in os.listdir(FOLDER) if n.endswith('.py') and n != '__init__.py')
    return {n: importlib.import_module(n).Description(n) for n in names}
