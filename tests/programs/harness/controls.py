# SPDX-License-Identifier: MIT
"""Negative controls of bin/programs: programs that misbehave and pictures that are wrong. Each must be reported."""

import numpy

from .program import Program


class Misbehaving(Program):
    """A shell script in place of a program."""

    SCREEN = (64, 64)
    LIMIT = 1.5
    STEADY = 0.2

    def __init__(self, name, script, colors):
        super().__init__(name)
        self.script, self.COLORS = script, colors

    def command(self, folder, platform):
        return ['sh', '-c', self.script]


def programs():
    """(description, words that the report must have)"""
    return [(Misbehaving('ends-at-once', 'exit 3', 1), 'status 3'),
            (Misbehaving('draws-nothing', 'exec sleep 60', 16), 'not the picture'),
            (Misbehaving('never-ends', 'trap "" TERM; while :; do sleep 1; done', 1), 'does not end'),
            (Misbehaving('fails-when-closed', 'trap "exit 9" TERM; while :; do sleep 0.1; done', 1), 'status 9')]


def wrong_pictures(pictures):
    """(name, pictures) that are no longer those of the program."""
    def changed(change):
        return {name: change(pixels) for name, pixels in pictures.items()}

    yield 'upside down', changed(lambda p: p[::-1])
    yield 'red and blue exchanged', changed(lambda p: p[..., ::-1])
    yield 'four pixels aside', changed(lambda p: numpy.roll(p, 4, 1))
    yield 'empty', changed(numpy.zeros_like)
    yield 'darker', changed(lambda p: (p * 0.6).astype(numpy.uint8))
    yield 'another size', changed(lambda p: p[:-1])
    yield 'one missing', dict(list(pictures.items())[1:])
