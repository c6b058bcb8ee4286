#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`mgpipe run` and `mgpipe info`: what a program sees, what is refused in which words, whose exit status arrives.

usage: run_command.py --build DIR [--self-test]

--self-test also judges outcomes that are each wrong in one way: every one must be reported.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

PRINTED = ('DRIVER', 'FORM', 'HOST', 'SERVER')
SHOW = 'for v in ' + ' '.join('MGPIPE_' + n for n in PRINTED) + \
    ' __EGL_VENDOR_LIBRARY_FILENAMES __GLX_VENDOR_LIBRARY_NAME LD_LIBRARY_PATH; do eval "echo \\$v=\\$$v"; done'
NO_DISPLAY = r'mgpipe run: no display: neither DISPLAY nor WAYLAND_DISPLAY is set\n'


class Case:
    """Arguments of mgpipe, exit status; lines (or patterns of one) of standard output, what standard error must be, and text that is
    in neither."""

    def __init__(self, name, arguments, status, out=(), err=NO_DISPLAY, env=None, hidden=None):
        self.name, self.arguments, self.status, self.out, self.err, self.env = name, arguments, status, out, err, env or {}
        self.hidden = hidden


def judge(case, status, out, err):
    """What is wrong, or None."""
    if status != case.status:
        return f'status {status}, not {case.status}: {err.strip()}'
    if case.hidden and case.hidden in out + err:
        return 'prints what it must hide'
    if not re.fullmatch(case.err, err):
        return f'standard error is {err!r}'
    lines = out.split('\n')
    missing = [wanted for wanted in case.out
               if not (wanted in lines if isinstance(wanted, str) else any(map(wanted.fullmatch, lines)))]
    return f'not printed: {missing}' if missing else None


def cases(build, scratch):
    targets = os.path.realpath(os.path.join(build, 'src', 'targets'))
    places = [f'__EGL_VENDOR_LIBRARY_FILENAMES={targets}/uninstalled.json', '__GLX_VENDOR_LIBRARY_NAME=mgpipe']
    show = ['sh', '-c', SHOW]
    gears = ['run', '--driver=noop', '--', os.path.join(targets, 'mgpipe'), 'gears', '--size', '8x8', '--frames']
    plain = os.path.join(scratch, 'plain')
    with open(plain, 'w', encoding='utf-8') as f:
        f.write('no program')
    record = ['record', '-o', os.path.join(scratch, 'recording'), '--driver=noop']
    recorded_nothing = NO_DISPLAY.replace('run', 'record') + 'mgpipe record: {} drew nothing with GL: there is no recording\n'
    refused = r'mgpipe run: no host driver: {}\n'
    ssh = os.path.join(scratch, 'ssh')
    with open(ssh, 'w', encoding='utf-8') as f:
        f.write('#!/bin/sh\necho "cannot reach $1" >&2\nexit 255\n')
    os.chmod(ssh, 0o755)
    return [
        Case('driver-and-form', ['run', '--driver=noop', '--form=inproc', '--', *show], 0,
             ['MGPIPE_DRIVER=noop', 'MGPIPE_FORM=inproc', 'MGPIPE_HOST=', f'MGPIPE_SERVER={targets}/mgpiped',
              f'LD_LIBRARY_PATH={targets}', *places]),
        Case('without-equals', ['run', '--driver', 'noop', '--host', 'x', *show], 0, ['MGPIPE_DRIVER=noop', 'MGPIPE_HOST=x']),
        Case('surroundings-stay', ['run', *show], 0,
             ['MGPIPE_DRIVER=noop', 'MGPIPE_SERVER=/nowhere', f'LD_LIBRARY_PATH={targets}:/x', *places],
             env={'MGPIPE_DRIVER': 'noop', 'MGPIPE_SERVER': '/nowhere', 'LD_LIBRARY_PATH': '/x'}),
        Case('spawn', ['run', '--driver=noop', '--form=spawn', '--', 'true'], 0),
        Case('status', ['run', '--driver=noop', '--', 'sh', '-c', 'exit 7'], 7),
        Case('dashes-of-the-program', ['run', '--driver=noop', 'echo', '--form=xyz'], 0, ['--form=xyz']),
        Case('draws', [*gears, '1'], 0),
        Case('no-program', ['run', '--driver=noop'], 125, err=r'usage: mgpipe run .*\n'),
        Case('no-program-behind-dashes', ['run', '--'], 125, err=r'usage: mgpipe run .*\n'),
        Case('option-unknown', ['run', '--xyz', 'true'], 125, err=r'mgpipe run: --xyz: no such option[^\n]*\nusage: mgpipe run .*\n'),
        Case('value-missing', ['run', '--driver'], 125, err=r'mgpipe run: --driver: no such option[^\n]*\nusage: mgpipe run .*\n'),
        Case('driver-unknown', ['run', '--driver=xyz', 'true'], 125, err=r"mgpipe run: no driver 'xyz' in this build.*noop\n"),
        Case('driver-unknown-in-environment', ['run', 'true'], 125, err=r"mgpipe run: no driver 'xyz' in this build.*noop\n",
             env={'MGPIPE_DRIVER': 'xyz'}),
        Case('form-unknown', ['run', '--form=xyz', 'true'], 125, err=r"mgpipe run: no form 'xyz' in this build.*monolith.*\n"),
        Case('host-of-espryt', ['run', '--driver=espryt', '--host=xyz', 'true'], 125, err=refused.format('espryt: [^\n]*xyz[^\n]*')),
        Case('host-of-magma', ['run', '--driver=magma', '--host=xyz', 'true'], 125, err=refused.format('magma: [^\n]*xyz[^\n]*')),
        Case('host-of-any', ['run', '--host=xyz', 'true'], 125, err=refused.format('magma: .*xyz.*; espryt: .*xyz.*')),
        Case('no-vulkan', ['run', '--driver=magma', 'true'], 125, err=refused.format('magma: [^\n]*'),
             env={'VK_DRIVER_FILES': '/nowhere', 'VK_ICD_FILENAMES': '/nowhere'}),
        Case('server-is-another-program', ['run', '--driver=noop', '--form=spawn', 'true'], 125,
             err=refused.format('remote: [^\n]*'), env={'MGPIPE_SERVER': '/bin/true'}),
        Case('no-such-socket', ['run', '--form=unix:/nowhere/s', 'true'], 125, err='mgpipe run: unix:/nowhere/s: no such socket\n'),
        Case('no-token', ['run', '--form=tcp:localhost:1', 'true'], 125, err='mgpipe run: tcp:localhost:1: no token: [^\n]*\n'),
        Case('port-too-large', ['run', '--form=tcp:localhost:65537', 'true'], 125, env={'MGPIPE_TOKEN': 'x' * 16},
             err='mgpipe run: tcp:localhost:65537: HOST:PORT is wanted, [^\n]*\n'),
        Case('frames-unknown', ['gears', '--frames', '1', '--size', '8x8'], 0,
             env={'MGPIPE_DRIVER': 'noop', 'MGPIPE_FORM': 'spawn', 'MGPIPE_FRAMES': 'some'},
             err=r'mgpipe\[\d+\] warning remote: MGPIPE_FRAMES=some: [^\n]*\n'),
        Case('record-without-a-name', ['gears', '--frames', '1', '--size', '8x8'], 0, env={'MGPIPE_DRIVER': 'noop', 'MGPIPE_RECORD': 'portable:'},
             err=r'mgpipe\[\d+\] error record: MGPIPE_RECORD=portable: names no file[^\n]*\n'),
        Case('ssh-fails', ['run', '--form=ssh:nowhere', 'true'], 125, env={'MGPIPE_SSH': ssh},
             err='cannot reach nowhere\nmgpipe run: the server hung up[^\n]*\n'),
        Case('record-to-nowhere', ['record', '-o', '/nowhere/file', 'true'], 125,
             err='mgpipe record: /nowhere/file: No such file or directory\n'),
        Case('record-of-nothing', [*record, 'true'], 125, err=recorded_nothing.format('true')),
        Case('record-of-nothing-that-fails', [*record, 'sh', '-c', 'exit 7'], 7, err=recorded_nothing.format('sh')),
        Case('record-ends-by-a-signal', [*record, 'sh', '-c', 'kill -TERM $$'], -15, err=recorded_nothing.format('sh')),
        Case('record-of-a-program-missing', [*record, '/nowhere/program'], 127,
             err=NO_DISPLAY.replace('run', 'record') + r'mgpipe record: /nowhere/program: No such file or directory\n'),
        Case('record-of-gears', [*record, '--', os.path.join(targets, 'mgpipe'), 'gears', '--size', '8x8', '--frames', '1'], 0,
             err=NO_DISPLAY.replace('run', 'record')),
        Case('info-of-a-service', ['info'], 0, ['programs get: driver as the server chooses, form unix:/nowhere/s'], err='',
             env={'MGPIPE_FORM': 'unix:/nowhere/s', 'MGPIPE_LOG_LEVEL': 'error'}),
        Case('program-missing', ['run', '--driver=noop', '/nowhere/program'], 127,
             err=NO_DISPLAY + r'mgpipe run: /nowhere/program: No such file or directory\n'),
        Case('program-not-executable', ['run', '--driver=noop', plain], 126,
             err=NO_DISPLAY + r'mgpipe run: .*/plain: Permission denied\n'),
        Case('x-server-missing', ['run', '--driver=noop', 'true'], 0, env={'DISPLAY': ':4711.0'},
             err=r'mgpipe run: no display: nobody answers at DISPLAY=:4711.0\n'),
        Case('compositor-missing', ['run', '--driver=noop', 'true'], 0, env={'WAYLAND_DISPLAY': 'nowhere'},
             err=r'mgpipe run: no display: nobody answers at WAYLAND_DISPLAY=nowhere\n'),
        Case('x-server-elsewhere', ['run', '--driver=noop', 'true'], 0, env={'DISPLAY': 'example.org:0'}, err=''),
        Case('info', ['info'], 0, ['programs get: driver noop, form inproc', '  DISPLAY=:4711', '  MESA_NO_ERROR=0', '  EGL_PLATFORM=x11',
                                   '  ' + places[0], '  ' + places[1], '  GALLIUM_DRIVER=llvmpipe',
                                   'display: no display: nobody answers at DISPLAY=:4711'], err='',
             env={'MGPIPE_DRIVER': 'noop', 'MGPIPE_FORM': 'inproc', 'DISPLAY': ':4711', 'MESA_NO_ERROR': '0', 'EGL_PLATFORM': 'x11',
                  'GALLIUM_DRIVER': 'llvmpipe', 'MGPIPE_LOG_LEVEL': 'error'}),
        Case('info-keeps-the-token', ['info'], 0, ['  MGPIPE_TOKEN=(set)'], hidden='a-secret-of-tests', err='',
             env={'MGPIPE_DRIVER': 'noop', 'MGPIPE_TOKEN': 'a-secret-of-tests', 'MGPIPE_LOG_LEVEL': 'error'}),
        Case('a-mistyped-token-is-kept', ['info', '--probe'], 0, hidden='a-secret-of-tests',
             err=r'mgpipe\[\d+\] warning env: there is no variable MGPIPE_TOKN, .*\n',
             env={'MGPIPE_DRIVER': 'noop', 'MGPIPE_TOKN': 'a-secret-of-tests'}),
        Case('probe', ['info', '--probe'], 0, err='', env={'MGPIPE_DRIVER': 'noop'}),
        Case('probe-fails', ['info', '--probe'], 1, err=r'mgpipe\[\d+\] error targets: .*\n', env={'MGPIPE_FORM': 'xyz'}),
        Case('help', ['--help'], 0, ['       mgpipe --version'], err=''),
        Case('no-command', [], 2, err=r'usage: (?s:.*)\n'),
        Case('command-unknown', ['xyz'], 2, err=r'mgpipe: unknown command: xyz .*\n'),
        Case('run-help', ['run', '--help'], 0, ['usage: mgpipe run [--driver=NAME] [--form=NAME] [--host=NAME] [--] PROGRAM [ARGS...]'],
             err=''),
        Case('info-help', ['info', '--help'], 0,
             ['usage: mgpipe info [--missing | --probe]     what is built in, what this machine has, every switch'], err=''),
        Case('gears-help', ['gears', '--help'], 0,
             ['usage: mgpipe gears [--frames N] [--size WxH] [--png FILE]     render the demo'], err=''),
        Case('gears-option-unknown', ['gears', '--xyz', '1'], 2, err=r'gears: unknown or incomplete option: --xyz\n'),
        Case('gears-frames-no-number', ['gears', '--frames', '2x'], 2, err=r'gears: unknown or incomplete option: --frames\n'),
        Case('gears-one-frame', [*gears, '1'], 0, [re.compile(r'.* \| monolith \| first frame in \d+\.\d ms')]),
        Case('gears-two-frames', [*gears, '2'], 0, [re.compile(r'.* \| monolith \| \d+\.\d frames per second')]),
        *(Case(f'frames-are-counted-{form}', [*gears, '3'], 0, env={'MGPIPE_FORM': form, 'MGPIPE_STATS': '1'},
               err=NO_DISPLAY + r'(?s:.* info stats: frames 3 .*){%d}' % (2 if form == 'spawn' else 1))
          for form in ('monolith', 'inproc', 'spawn')),
        Case('info-option-unknown', ['info', '--xyz'], 2, err=r'mgpipe info: --xyz: no such option[^\n]*\nusage: mgpipe info .*\n'),
        Case('info-argument-too-many', ['info', '--missing', 'x'], 2, err=r'mgpipe info: x: no such option[^\n]*\nusage: mgpipe info .*\n'),
        Case('record-option-unknown', ['record', '--xyz', 'true'], 125, err=r'mgpipe record: --xyz: no such option[^\n]*\nusage: mgpipe record .*\n'),
        Case('replay-option-unknown', ['replay', '--xyz', 'x'], 2, err=r'mgpipe replay: --xyz: no such option[^\n]*\n(?s:usage: mgpipe replay .*)\n'),
        Case('replay-without-file', ['replay'], 2, err=r'(?s:usage: mgpipe replay .*)\n'),
        Case('top-value-wrong', ['top', '--interval=x'], 2, err=r'mgpipe top: --interval=x: no such option[^\n]*\nusage: mgpipe top .*\n'),
        *(Case(f'help-of-{name}', [name, '-h'], 0, [re.compile(f'usage: mgpipe {name} .*')], err='')
          for name in ('run', 'info', 'gears', 'top', 'record', 'replay')),
        Case('help-word', ['help'], 0, ['       mgpipe --version'], err=''),
        Case('info-missing', ['info', '--missing'], 0,
             [re.compile(r'espryt: GL_ARB_transform_feedback3: the host lacks several vertex streams, .*'),
              re.compile(r'espryt: declined .*: image stores without a format qualifier: .*'),
              *(re.compile(driver + r': declined .*: GL_MULTISAMPLE disabled in multisample framebuffers: .*')
                for driver in ('espryt', 'magma'))],
             err=r'\d+ of \d+ commands of OpenGL 4\.6 core are not written yet\n'),
    ]


def run(build, case):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(('MGPIPE_', 'MESA_', 'VK_')) and k not in ('DISPLAY', 'WAYLAND_DISPLAY', 'LD_LIBRARY_PATH')}
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    done = subprocess.run([os.path.join(build, 'src', 'targets', 'mgpipe'), *case.arguments], env=dict(env, **case.env),
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def controls():
    """Wrong outcomes that nobody minds."""
    case = Case('control', [], 7, ['A=b'], err='line\n', hidden='secret')
    wrong = {'status': (0, 'A=b\n', 'line\n'), 'words': (7, 'A=b\n', 'other\n'), 'two lines': (7, 'A=b\n', 'line\nline\n'),
             'variable': (7, 'A=\n', 'line\n'), 'a secret': (7, 'A=b\nsecret\n', 'line\n')}
    unseen = [name for name, outcome in wrong.items() if judge(case, *outcome) is None]
    return unseen + (['the good one'] if judge(case, 7, 'A=b\n', 'line\n') else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    problems = [f'control: {name}' for name in (controls() if options.self_test else ())]
    with tempfile.TemporaryDirectory(prefix='mgpipe-run-') as scratch:
        all_cases = cases(options.build, scratch)
        for case in all_cases:
            problem = judge(case, *run(options.build, case))
            if problem:
                problems.append(f'{case.name}: {problem}')
    for problem in problems:
        print(f'fail {problem}')
    print(f'{max(len(all_cases) - len(problems), 0)} passed, {len(problems)} failed, 0 skipped')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
