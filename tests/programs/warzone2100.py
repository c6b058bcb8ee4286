# SPDX-License-Identifier: MIT
"""warzone2100: the first mission of the campaign, where everything stands still until it gets an order; its lights pulse."""

import os

from harness.program import Program


class Description(Program):
    PACKAGES = ('warzone2100',)
    API = {'x11': 'GLX'}
    GL = '3.3 core'
    SCREEN = (640, 480)
    POINTER = (320, 200)  # at an edge it would scroll
    CLOCKS = ((135, 418, 50, 32),)
    COLORS = 10000
    MOVES = 0.993
    STEADY = 6.0
    LIMIT = 180

    def command(self, folder, platform):
        os.makedirs(os.path.join(folder, 'wz'))
        return ['warzone2100', '--configdir=' + os.path.join(folder, 'wz'), '--window', '--resolution=640x480', '--nosound', '--gfxbackend=opengl',
                '--game=CAM_1A']

    def is_ready(self, picture):
        """The yellow bar of power is there: no longer the picture that it shows while it loads."""
        red, green, blue = picture[470, 210]
        return super().is_ready(picture) and red > 180 and green > 160 and blue < 100

    def environment(self, platform):
        return {'MGPIPE_GL_PROFILE': 'core'}  # SDL tries a context of GL 1.0 first
