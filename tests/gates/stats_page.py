# SPDX-License-Identifier: MIT
"""Statistics pages (src/util/inc/util/stats_page.h) of running processes, read as any other program would."""

import os
import struct

NAME = '/memfd:mgpipe-stats (deleted)'
HEADER = struct.Struct('=8s6I16s128s4QII4s')   # up to `on`; slots begin at SLOTS
SLOTS, SLOT_SIZE, PAGE_SIZE = 256, 64, 32768
SLOT = struct.Struct('=40sQQI')
LEVEL = 2


def path_of(pid):
    """Of the page of a process, None when it has none."""
    try:
        for fd in os.listdir(f'/proc/{pid}/fd'):
            path = f'/proc/{pid}/fd/{fd}'
            if os.readlink(path) == NAME:
                return path
    except OSError:
        pass
    return None


def read(pid):
    """{'role', 'peer', 'lost', 'driver', 'form', 'on', 'counters': {name: (value, kind)}}, None without a page."""
    path = path_of(pid)
    if not path:
        return None
    with open(path, 'rb') as f:
        page = f.read(PAGE_SIZE)
    text = lambda raw: raw.split(b'\0')[0].decode()
    _, _, _, owner, role, peer, lost, driver, form, _, _, _, _, _, used, on = HEADER.unpack_from(page)
    counters = {}
    for i in range(used):
        name, value, _, kind = SLOT.unpack_from(page, SLOTS + i * SLOT_SIZE)
        counters[text(name)] = (value, kind)
    return {'pid': owner, 'role': role, 'peer': peer, 'lost': lost, 'driver': text(driver), 'form': text(form), 'on': on, 'counters': counters}


def levels(pid):
    """{name: how many there are now}"""
    page = read(pid)
    return {n: v for n, (v, kind) in page['counters'].items() if kind == LEVEL} if page else {}
