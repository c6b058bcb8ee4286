#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The negative controls of a verify build (-Dverify=true): each must end its scenario, with the right name in the log.

usage: verify_controls.py --build DIR [--driver NAME]... [--form NAME]...

  verify-corrupt   one byte of the held state differs: the derivation at the next verb names record, member, verb and atom;
                   where uploads come first, of what is due: the box of a texture's region, the offset into a buffer
  codec-corrupt    one record is spoiled behind the encoder: the call that comes out is named
  poison-omit      the row of generate_mipmap lacks texture_params: it stops at that verb, not at a later draw

The same scenarios without a control must pass without a difference.
"""

import argparse
import os
import re
import subprocess
import sys

CONTROLS = (
    ('verify-corrupt', 'query_any_samples', r'verify: set_sample_state\.mask\[0\]@(draw_vbo|clear) #\d+ \(sample_state\)'),
    ('verify-corrupt', 'texture_sub_image', r'verify: resource_subdata\.regions\[0\]\.box: 0 0 0 .*, due is 1 0 0 .*@upload #1'),
    ('verify-corrupt', 'buffer_map_write', r'verify: resource_subdata\.offset@upload #1'),
    ('codec-corrupt', 'draw_arrays', r'verify: set_sample_state\.mask\[0\]@set_sample_state #\d+'),
    ('poison-omit', 'texture_generate_mipmap', r"verify: texture_params@generate_mipmap: read, but not in the verb's row"),
)


def run(build, driver, form, flag, scenario):
    env = dict(os.environ, MGPIPE_DRIVER=driver, MGPIPE_FORM=form, MGPIPE_DEBUG=flag)
    targets = os.path.join(build, 'src', 'targets')
    env['__EGL_VENDOR_LIBRARY_FILENAMES'] = os.path.join(targets, 'uninstalled.json')
    env['LD_LIBRARY_PATH'] = targets
    env['MGPIPE_SERVER'] = os.path.join(targets, 'mgpiped')
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    program = os.path.join(build, 'tests', 'scenarios', 'scenarios')
    done = subprocess.run([program, '--fork', scenario], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', timeout=300, check=False)
    return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', action='append')
    parser.add_argument('--form', action='append')
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    passed = failed = 0
    for driver in options.driver or ('espryt', 'magma'):
        for form in options.form or ('monolith', 'spawn'):
            for flag, scenario, expected in CONTROLS:
                plain, text = run(build, driver, form, '', scenario)
                good = plain == 0 and 'verify:' not in text
                if good:
                    status, text = run(build, driver, form, flag, scenario)
                    good = status != 0 and re.search(expected, text) is not None
                passed, failed = passed + good, failed + (not good)
                print(f'{"ok" if good else "fail"} {flag} {scenario} {driver} {form}')
                if not good:
                    print('  ' + '\n  '.join(text.strip().split('\n')[-8:]))
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
