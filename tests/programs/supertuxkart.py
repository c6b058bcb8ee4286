# SPDX-License-Identifier: MIT
"""supertuxkart: a race of one kart that nobody drives, so it stands at the start, inside a space ship."""

from harness.program import Program, write

CONFIG = '''<?xml version="1.0"?>
<stkconfig version="8">
    <Audio sfx_on="false" music_on="false" />
    <Video real_width="640" real_height="480" width="640" height="480" fullscreen="false" enable_texture_compression="false"
        enable_high_definition_textures="2" max_texture_size="256" hq_mipmap="false" enable_glow="false" enable_bloom="false"
        enable_dynamic_lights="false" old_driver_popup="false" render_driver="gl" show_fps="false" />
</stkconfig>
'''


class Description(Program):
    PACKAGES = ('supertuxkart',)
    API = {'x11': 'GLX'}
    GL = '3.3 core'
    SCREEN = (640, 480)
    CLOCKS = ((505, 5, 135, 35), (5, 20, 50, 50), (205, 5, 240, 55))  # the time, two things that pulse
    COLORS = 5000
    MOVES = 0.998
    STEADY = 6.0
    LIMIT = 240

    def command(self, folder, platform):
        write(folder, '.config/supertuxkart/config-0.10/config.xml', CONFIG)
        return ['supertuxkart', '-R', '--track=stk_enterprise', '--numkarts=1', '--kart=tux', '--windowed', '--screensize=640x480', '--seed=1',
                '--no-console-log', '--disable-particles', '--disable-animated-characters', '--disable-motion-blur']

    def environment(self, platform):
        return {'MGPIPE_GL_PROFILE': 'core'}  # SDL tries a context of GL 1.0 first
