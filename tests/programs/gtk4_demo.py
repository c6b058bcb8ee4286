# SPDX-License-Identifier: MIT
"""gtk4-demo: GTK's own GL renderer, and a GtkGLArea in it that draws with a 3.2 core context."""

from harness.program import Program


class Description(Program):
    PACKAGES = ('gtk-4-examples', 'fonts-dejavu-core')
    API = {'x11': 'EGL', 'wayland': 'EGL'}
    GL = '3.2 core'
    RESIZE = (400, 600)

    def command(self, folder, platform):
        return ['gtk4-demo', '--run=glarea']

    def environment(self, platform):
        return {'GDK_BACKEND': platform, 'GSK_RENDERER': 'gl'}
