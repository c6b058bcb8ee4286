#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `meson install` puts in place is whole and works from there, without a variable that names a place.

usage: installed.py --build DIR [--driver NAME] [--self-test]

Installs into a staging folder, then: every file that the build lists is there; command, vendor libraries, server, manifest,
pages of the manual and pkg-config file are among them; the manifest and the run paths name what was installed. Then `mgpipe
run`, `mgpipe info` and a scenario in the form spawn run with the prefix mounted over the real one (an own mount namespace);
where the system allows none, from the staging folder, with the manifest and MGPIPE_SERVER naming it.
--self-test is the negative control: without the server, the vendor library and a page, each must be missed.
"""

import argparse
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SCENARIO = 'draw_arrays'
# What has to be there, from the prefix on.
NEEDED = ('bin/mgpipe', '**/libmgpipe.so.0', '**/libEGL_mgpipe.so.0', '**/libGLX_mgpipe.so.0', 'libexec*/mgpiped',
          'share/glvnd/egl_vendor.d/10_mgpipe.json', 'share/man/man1/mgpipe.1', 'share/man/man8/mgpiped.8', '**/mgpipe.pc',
          '**/systemd/user/mgpiped.socket', '**/systemd/user/mgpiped.service')


class Stage:
    def __init__(self, build, folder, driver):
        def introspect(what):
            out = subprocess.run(['meson', 'introspect', what, build], check=True, capture_output=True).stdout
            return json.loads(out)
        self.build, self.folder, self.driver = os.path.abspath(build), folder, driver
        self.prefix = next(o['value'] for o in introspect('--buildoptions') if o['name'] == 'prefix')
        self.listed = sorted(introspect('--installed').values())
        subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--destdir', folder], check=True,
                       stdout=subprocess.DEVNULL)
        self.root = folder + self.prefix
        # Over /usr nothing else would be found.
        over = self.prefix.count('/') > 1 and os.path.isdir(self.prefix) and shutil.which('unshare')
        self.mounts = bool(over) and not self.shell('true').returncode

    def find(self, pattern):
        return next(iter(sorted(glob.glob(f'{self.root}/{pattern}', recursive=True))), None)

    def seen(self, path):
        """The path as the programs see it."""
        return path[len(self.folder):] if self.mounts else path

    def environment(self):
        """Nothing of ours, and none of the build's libraries."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(('MGPIPE_', '__EGL_')) and k != 'LD_LIBRARY_PATH'}
        env.setdefault('XDG_RUNTIME_DIR', '/tmp')
        env['EGL_PLATFORM'] = 'surfaceless'
        return env

    def shell(self, command, env=None):
        mount = f'mount --bind {shlex.quote(self.root)} {shlex.quote(self.prefix)} && exec "$@"'
        return subprocess.run(['unshare', '-Urm', 'sh', '-c', mount, 'sh', *shlex.split(command)], env=env,
                              capture_output=True, text=True, errors='replace', timeout=120)

    def run(self, command, **more):
        env = dict(self.environment(), **more)
        if self.mounts:
            return self.shell(shlex.join(command), env)
        env['MGPIPE_SERVER'] = self.find('libexec*/mgpiped') or 'none'
        env['LD_LIBRARY_PATH'] = os.path.dirname(self.find('**/libmgpipe.so.0') or self.root)
        return subprocess.run(command, env=env, capture_output=True, text=True, errors='replace', timeout=120)


def incomplete(stage):
    found = [f'{pattern} is not installed' for pattern in NEEDED if not stage.find(pattern)]
    return found + [f'{path} is not installed' for path in stage.listed if not os.path.lexists(stage.folder + path)]


def astray(stage):
    """Manifest and run paths that name something else than what was installed."""
    found = []
    manifest = stage.find('share/glvnd/egl_vendor.d/10_mgpipe.json')
    with open(manifest, encoding='utf-8') as f:
        text = f.read()
    library = json.loads(text)['ICD']['library_path']
    if library.startswith('/') and not os.path.exists(stage.folder + library):
        found.append(f'the manifest names {library}')
    if library.startswith('/') and not stage.mounts:
        with open(manifest, 'w', encoding='utf-8') as f:
            f.write(text.replace(library, stage.folder + library))
    for name in ('bin/mgpipe', '**/libEGL_mgpipe.so.0', '**/libGLX_mgpipe.so.0'):
        path = stage.find(name)
        out = subprocess.run(['readelf', '-d', path], capture_output=True, text=True).stdout
        for run_path in re.findall(r'RUNPATH.*\[(.*)\]', out):
            where = run_path.replace('$ORIGIN', os.path.dirname(path)[len(stage.folder):])
            if not os.path.exists(f'{stage.folder}{where}/libmgpipe.so.0'):
                found.append(f'{name} looks for its library in {run_path}')
    return found


def works(stage):
    found = []
    command, manifest = stage.seen(stage.root + '/bin/mgpipe'), stage.find('share/glvnd/egl_vendor.d/10_mgpipe.json')
    done = stage.run([command, 'info'])
    if done.returncode or 'OpenGL' not in done.stdout:
        found.append(f'mgpipe info: status {done.returncode}: {done.stderr.strip()[-200:]}')
    done = stage.run([command, 'run', f'--driver={stage.driver}', '--form=spawn', '--', command, 'gears', '--frames', '2'])
    if done.returncode or ' | spawn | ' not in done.stdout + done.stderr:
        found.append(f'mgpipe run: status {done.returncode}: {(done.stdout + done.stderr).strip()[-200:]}')
    scenarios = os.path.join(stage.build, 'tests', 'scenarios', 'scenarios')
    done = stage.run([scenarios, SCENARIO], __EGL_VENDOR_LIBRARY_FILENAMES=stage.seen(manifest), MGPIPE_DRIVER=stage.driver,
                     MGPIPE_FORM='spawn')
    if f'ok {SCENARIO}' not in done.stdout:
        found.append(f'the scenario: status {done.returncode}: {(done.stdout + done.stderr).strip()[-200:]}')
    return found


def controls(stage):
    """What is taken away and not missed."""
    unseen = []
    for pattern, runs in (('libexec*/mgpiped', True), ('**/libEGL_mgpipe.so.0', True), ('share/man/man1/mgpipe.1', False)):
        path = stage.find(pattern)
        os.rename(path, path + '.away')
        if not any(pattern in line for line in incomplete(stage)) or (runs and not works(stage)):
            unseen.append(f'control: {pattern} is not missed')
        os.rename(path + '.away', path)
    return unseen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', default='espryt')
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='mgpipe-installed-') as folder:
        stage = Stage(options.build, folder, options.driver)
        found = incomplete(stage)
        found = found or astray(stage) + works(stage)
        if options.self_test and not found:
            found = controls(stage)
        print('from the prefix' if stage.mounts else 'from the staging folder')
    for problem in found:
        print(f'fail {problem}')
    print(f'{0 if found else 1} passed, {len(found)} failed, 0 skipped')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
