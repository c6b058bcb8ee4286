# SPDX-License-Identifier: MIT
"""Fills a man page: man_gen.py SWITCHES_H IN OUT VERSION LIBEXECDIR. @ENVIRONMENT@ and @DEBUG@ come from the lists of switches.h."""

import re
import sys

switches, source, out, version, libexecdir = sys.argv[1:6]

with open(switches, encoding='utf-8') as f:
    text = re.sub(r'\\\n\s*', ' ', f.read())


def literal(part):
    """Adjacent string literals as one."""
    return ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', part))


def roff(s):
    return s.replace('\\', '\\e').replace('-', '\\-')


def entries(macro):
    body = re.search(r'#define ' + macro + r'\(X\)(.*)', text).group(1)
    return re.findall(r'X\((\w+),\s*("(?:[^"\\]|\\.)*"),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', body)


limits = {name: (least, most) for name, least, most in re.findall(r'N\((\w+), (\d+), (\d+)\)', text)}
environment = ''
for name, default, help_text in entries('UTIL_ENV_VARIABLES'):
    default = literal(default)
    environment += f'.TP\n.B MGPIPE_{name}\n{roff(literal(help_text))}'
    if name in limits:
        environment += ', {} to {}'.format(*limits[name])
    environment += f' (default: {roff(default)})\n' if default else '\n'
debug = ''
for _, name, help_text in entries('UTIL_DEBUG_FLAGS'):
    debug += f'.TP\n.B {roff(literal(name))}\n{roff(literal(help_text))}\n'
if not environment or not debug:
    sys.exit('man_gen: cannot read switches.h')

with open(source, encoding='utf-8') as f:
    page = f.read()
page = page.replace('@ENVIRONMENT@\n', environment).replace('@DEBUG@\n', debug)
page = page.replace('@VERSION@', version).replace('@LIBEXECDIR@', roff(libexecdir))
with open(out, 'w', encoding='utf-8') as f:
    f.write(page)
