#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What linking costs grows with the number of uniforms, not with its square; looking one up costs the same with any number.

usage: link_cost.py --build DIR [--self-test]

Instructions are counted by callgrind on the noop driver: link_scene with 1,000, 2,000 and 4,000 uniforms (each at most 2.3 times as many), and
200,000 more look-ups among 1,000 and among 2,000 (at most 1.2 times as many). --self-test is the negative control: 4,000 uniforms
in place of 2,000 must be refused.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile


def count(build, uniforms, queries):
    targets = os.path.join(build, 'src', 'targets')
    env = dict(os.environ, MGPIPE_DRIVER='noop', MGPIPE_FORM='monolith', MGPIPE_CACHE_DIR='off', LD_LIBRARY_PATH=targets,
               __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'))
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out',
                               os.path.join(build, 'tests', 'gates', 'link_scene'), str(uniforms), str(queries)],
                              env=env, capture_output=True, text=True, errors='replace', timeout=600)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode or not found:
        sys.exit(f'link_cost: {uniforms} uniforms: status {done.returncode}: {(done.stdout + done.stderr)[-400:]}')
    return int(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    few, many = 1000, 4000 if options.self_test else 2000
    one, two = (count(options.build, n, 1) for n in (few, many))
    grown = two / one
    print(f'link: {one} instructions with {few} uniforms, {two} with {many}: {grown:.2f} times')
    if options.self_test:
        print('ok control' if grown > 2.3 else 'fail control: four times the uniforms were not noticed')
        return 0 if grown > 2.3 else 1
    four = count(options.build, 2 * many, 1)
    again = four / two
    print(f'link: {four} instructions with {2 * many}: {again:.2f} times')
    asked = [(count(options.build, n, 200001) - base) / 200000 for n, base in ((few, one), (many, two))]
    print(f'look-up: {asked[0]:.0f} instructions among {few}, {asked[1]:.0f} among {many}')
    good = max(grown, again) <= 2.3 and asked[1] <= 1.2 * asked[0]
    print('ok' if good else 'fail: more than linear')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
