# SPDX-License-Identifier: MIT
"""f3d: a viewer on VTK; shows a generated torus with its edges, the grid and the axes."""

import math

from harness.program import Program, write


def torus(around, across):
    """As the text of an OBJ file."""
    lines = []
    for i in range(around):
        for j in range(across):
            a, b = 2 * math.pi * i / around, 2 * math.pi * j / across
            r = 1 + 0.4 * math.cos(b)
            lines.append(f'v {r * math.cos(a):.6f} {0.4 * math.sin(b):.6f} {r * math.sin(a):.6f}')
    for i in range(around):
        for j in range(across):
            corners = (i, j), (i, (j + 1) % across), ((i + 1) % around, (j + 1) % across), ((i + 1) % around, j)
            lines.append('f ' + ' '.join(str(p * across + q + 1) for p, q in corners))
    return '\n'.join(lines) + '\n'


class Description(Program):
    PACKAGES = ('f3d',)
    API = {'x11': 'GLX'}
    GL = '3.2 core'
    COLORS = 200
    RESIZE = (500, 400)

    def command(self, folder, platform):
        return ['f3d', '--dry-run', '--geometry-only', '--resolution=640,480', '--axis', '--edges', '--grid', '--fxaa', '--camera-position=2,2.5,3', '--camera-focal-point=0,0,0', '--camera-view-up=0,1,0', '--color=0.8,0.5,0.2', '--metallic=0.3',
                write(folder, 'torus.obj', torus(48, 24))]
