# SPDX-License-Identifier: MIT
"""alacritty: a terminal that draws text in batches from a glyph atlas; shows a fixed text and waits."""

from harness.program import Program, write
from kitty import TEXT

CONFIG = '''font:
  normal: {family: DejaVu Sans Mono}
  size: 11
window:
  dimensions: {columns: 70, lines: 24}
  position: {x: 0, y: 0}
  decorations: none
cursor:
  style: {blinking: Never}
env: {WINIT_X11_SCALE_FACTOR: "1"}
'''


class Description(Program):
    PACKAGES = ('alacritty', 'fonts-dejavu-core')
    API = {'x11': 'GLX', 'wayland': 'EGL'}
    GL = '3.3 core'
    COLORS = 200
    RESIZE = (500, 400)

    def command(self, folder, platform):
        config = write(folder, 'alacritty.yml', CONFIG)
        return ['alacritty', '--config-file', config, '-e', 'sh', write(folder, 'text.sh', TEXT)]

    def environment(self, platform):
        return {'WINIT_UNIX_BACKEND': platform, 'WINIT_X11_SCALE_FACTOR': '1'}
