# SPDX-License-Identifier: MIT
"""kitty: a terminal that draws its cells with instanced quads; shows a fixed text and waits."""

from harness.program import Program, write

CONFIG = '''font_family DejaVu Sans Mono
font_size 11
remember_window_size no
initial_window_width 640
initial_window_height 480
cursor_blink_interval 0
enable_audio_bell no
update_check_interval 0
confirm_os_window_close 0
shell_integration disabled
hide_window_decorations yes
placement_strategy top-left
'''
TEXT = r'''i=0
while [ $i -lt 256 ]; do
    printf '\033[48;5;%dm%4d' $i $i
    i=$((i + 1))
    [ $((i % 16)) -ne 0 ] || printf '\033[0m\n'
done
printf '\033[0m\033[1mbold\033[0m \033[4munderlined\033[0m \033[7mreverse\033[0m plain äöü ∑∞ │┼─\n'
exec sleep 1000
'''


class Description(Program):
    PACKAGES = ('kitty', 'fonts-dejavu-core')
    API = {'x11': 'GLX', 'wayland': 'EGL'}
    GL = '3.3 core'
    COLORS = 200
    RESIZE = (500, 400)

    def command(self, folder, platform):
        config = write(folder, 'kitty.conf', CONFIG)
        return ['kitty', '--config', config, '-o', f'linux_display_server={platform}', 'sh', write(folder, 'text.sh', TEXT)]
