#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every word of MGPIPE_HOST_HIDE that no host feature has is said, once; the words that `mgpipe info` lists are known.

usage: host_hide.py --build DIR [--self-test]

--self-test is the negative control: runs without unknown words, and with one too few expected, must be found.
"""

import argparse
import os
import re
import subprocess
import sys

SAID = re.compile(r'MGPIPE_HOST_HIDE: no host feature named (\S+) here')
# Alone, first, in the middle, last; a part of a word, a word and more, another case, another driver's.
UNKNOWN = {'espryt': ('nonsense', 'base_instanc', 'es32x', 'ES32', 'logicOp'),
           'magma': ('nonsense', 'geometryShade', 'VK_EXT_no_such_thing', 'GEOMETRYSHADER', 'es32')}
# These take away what the program needs to get as far as a context.
WHOLE = {'all', 'vk11-min', 'vulkan12', 'vulkan13'}


def environment(build):
    targets = os.path.join(build, 'src', 'targets')
    env = dict(os.environ, LD_LIBRARY_PATH=targets, MGPIPE_FORM='monolith',
               __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'))
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    return env


def known_words(build, driver):
    out = subprocess.run([os.path.join(build, 'src', 'targets', 'mgpipe'), 'info'], env=environment(build), check=True,
                         capture_output=True, text=True).stdout
    line = re.search(rf'^MGPIPE_HOST_HIDE of {driver}:\n +(.*)$', out, re.M)
    return [w for w in re.split(r',\s*', line.group(1)) if w] if line else []


def said(build, driver, words):
    program = os.path.join(build, 'tests', 'scenarios', 'scenarios')
    done = subprocess.run([program, '--fork', 'draw_arrays'], capture_output=True, text=True, errors='replace', timeout=120,
                          env=dict(environment(build), MGPIPE_DRIVER=driver, MGPIPE_HOST_HIDE=','.join(words)))
    if not re.search(r'^(ok|fail|skip) draw_arrays', done.stdout, re.M):
        return ['(the program did not run)']
    return sorted(SAID.findall(done.stderr))


def problems(build, driver, expect=None):
    known = known_words(build, driver)
    if len(known) < 10:
        return [f'{driver}: mgpipe info lists {len(known)} words']
    some, unknown = [w for w in known if w not in WHOLE], UNKNOWN[driver]
    found = []
    for words in (some, ['all'], [unknown[0]], [unknown[0], *some[:2], *unknown[1:3], some[2], '', *unknown[3:]]):
        want = sorted(w for w in words if w in unknown) if expect is None else sorted(expect)
        got = said(build, driver, words)
        if got != want:
            found.append(f'{driver}: of {",".join(words)[:80]} said {got}, want {want}')
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    found = []
    for driver in ('espryt', 'magma'):
        found += problems(build, driver)
        if options.self_test and len(problems(build, driver, expect=('nonsense',))) != 3:
            found.append(f'control: {driver}')
    for problem in found:
        print(f'fail {problem}')
    print(f'{0 if found else 1} passed, {len(found)} failed, 0 skipped')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
