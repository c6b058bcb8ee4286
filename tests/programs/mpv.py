# SPDX-License-Identifier: MIT
"""mpv: plays a generated clip with its OpenGL output and stays at the last frame."""

import os
import subprocess

from harness.program import Program

# A white corner in the last frame.
CLIP = "testsrc2=size=640x480:rate=10:duration=2,drawbox=0:0:40:40:white:fill:enable='gte(n,19)'"
CONTEXTS = {'x11': 'x11egl', 'wayland': 'wayland'}


class Description(Program):
    PACKAGES = ('mpv', 'ffmpeg')
    API = {'x11': 'EGL', 'wayland': 'EGL'}
    GL = 'any, 3.0 or later'
    COLORS = 1000
    RESIZE = (400, 300)
    STATUS = (4,)  # closed by a signal

    def command(self, folder, platform):
        clip = os.path.join(folder, 'clip.mkv')
        subprocess.run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', CLIP, '-pix_fmt', 'yuv420p',
                        '-c:v', 'ffv1', clip], check=True, stdin=subprocess.DEVNULL)
        return ['mpv', '--no-config', '--vo=gpu', '--gpu-api=opengl', '--gpu-context=' + CONTEXTS[platform], '--hwdec=no', '--no-audio',
                '--osd-level=0', '--no-osc', '--keep-open=yes', '--cursor-autohide=no', '--geometry=640x480+0+0', '--dither=no',
                '--no-input-default-bindings', clip]

    def is_ready(self, picture):
        return super().is_ready(picture) and (picture.min(2) > 250).sum() >= 400
