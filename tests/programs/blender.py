# SPDX-License-Identifier: MIT
"""blender: starts with the default scene in its viewport, without the splash screen."""

from harness.program import Program, write

SCRIPT = '''import bpy
bpy.context.preferences.view.show_splash = False
'''


class Description(Program):
    PACKAGES = ('blender',)
    API = {'x11': 'GLX'}
    GL = '3.3 core'
    COLORS = 500
    STEADY = 10.0
    LIMIT = 120

    def command(self, folder, platform):
        return ['blender', '--factory-startup', '-noaudio', '-p', '0', '0', '800', '600', '--python', write(folder, 'start.py', SCRIPT)]
