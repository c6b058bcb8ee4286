#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rough surroundings: wrong switches, missing programs, no descriptors, no memory, dying processes.

usage: rough_edges.py --build DIR [--driver NAME]... [--form NAME]... [--only GLOB] [--list] [--self-test]

Runs the programs of tests/gates/rough_scene.cpp. Of each run is asserted: it ends by itself, in time and without a signal;
it leaves no server behind; what it saw is what the case expects; the log has no more lines than the case allows, and where
something could not be had, at least one. --self-test judges runs that each break one rule: every one must be reported.
"""

import argparse
import fnmatch
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

DRIVERS = ('espryt', 'magma')
FORMS = ('monolith', 'inproc', 'spawn')
LINE = re.compile(r'^mgpipe\[\d+\] (?:warning|error) (.*)', re.M)
LIMIT = 120
GOOD = {'wrong': '0', 'lost': '0', 'some right': '1'}
LOST = {'wrong': '0', 'lost': '1', 'some right': '1', 'again': 'right'}
REFUSED = 'refused'      # the program says what it cannot have, and one line of the log says why
KILLED = 'killed'        # by us; only what it leaves behind counts
STARTING = 'starting'    # its server is killed before it draws: refused, lost or in time, but told what is so
EITHER = 'either'        # all right, or refused: it depends on how much this machine's host takes


# A server that takes the first message and answers with something else than it should.
FALSE_SERVER = '''#!/usr/bin/env python3
import socket
import struct
s = socket.socket(fileno=3)
first = s.recv(1 << 20)


def message(number, body):
    return struct.pack('<II', number, len(body)) + body


answer = ANSWER
s.send(answer)
if len(answer) >= 8:  # a client waits for the rest of less, as long as somebody is there who may send it
    s.recv(1)
'''
# A message is a number (2: welcome, 3: refuse, 9: reply), its size, a fixed struct, text. A welcome begins with the magic and
# the fingerprint, which stand in the first message.
ANSWERS = {
    'nothing': "b''",
    'one-byte': "b'x'",
    'zeros': 'bytes(4096)',
    'noise': 'bytes(i * 37 % 251 for i in range(65536))',
    'its-own-question': 'first',
    'a-welcome-that-is-cut': 'message(2, first[8:13])',
    'another-fingerprint': 'message(2, first[8:16] + bytes(48))',
    'a-welcome-without-memory': "message(2, first[8:16] + first[24:40] + struct.pack('<QQQII', 1 << 20, 8 << 20, 65536, 1 << 20, 1))",
    'a-refusal-without-a-reason': 'message(3, bytes(24))',
    'a-reply': 'message(9, bytes(8))',
    'unknown-number': 'message(77, bytes(8))',
    'a-screen-of-no-size': "s.send(message(2, first[8:16] + first[24:40] + struct.pack('<QQQIIQ', 1 << 20, 8 << 20, 65536, 1 << 20, 1, 2)))"
                           ' and s.recv(1 << 20) and message(9, bytes(16))',
    'late': "__import__('time').sleep(4) or message(3, bytes(24))",
}


class Case:
    """One run: program and arguments, what it must see, switches, what to do to it; lines the log may have at most, and
    what one of them must say."""

    def __init__(self, name, arguments, sees, env=None, forms=FORMS, lines=0, prepare=None, during=None, stderr=True,
                 says=()):
        self.name, self.arguments, self.sees, self.env, self.forms = name, arguments, sees, env or {}, forms
        self.lines, self.prepare, self.during, self.stderr = max(lines, 1 if says else 0), prepare, during, stderr
        self.says = says


class Outcome:
    """What one run left behind: exit status (None: time-out), what it printed and logged, servers that outlived it."""

    def __init__(self, status, out, err, servers=()):
        self.status, self.out, self.servers = status, out, servers
        self.lines = LINE.findall(err)
        self.facts = dict(m.groups() for m in re.finditer(r'^([a-z ]+?) ([0-9a-fx]+|right|wrong)$', out, re.M))
        self.refused = re.search(r'^no (?:display|context)', out, re.M) is not None


def unsaid(case, outcome):
    if case.says and not any(all(word in line for word in case.says) for line in outcome.lines):
        return f'no line says {case.says}: {outcome.lines}'
    return None


def judge(case, outcome):
    """What is wrong with the run, or None."""
    if outcome.status is None:
        return 'did not end'
    if outcome.servers:
        return f'left server processes {outcome.servers}'
    if case.sees == KILLED:
        return None if outcome.status == -signal.SIGKILL else f'ended with status {outcome.status}'
    if outcome.status < 0:
        return f'killed by signal {-outcome.status}'
    if outcome.refused:
        if case.sees not in (REFUSED, EITHER, STARTING):
            return f'refused: {outcome.out.strip()} {outcome.lines}'
        if case.stderr and not 1 <= len(outcome.lines) <= max(case.lines, 1):
            return f'refused with {len(outcome.lines)} lines in the log: {outcome.lines}'
        return unsaid(case, outcome)
    if case.sees == REFUSED:
        return 'was not refused'
    if outcome.status or not outcome.out.rstrip().endswith('end'):
        return f'ended with status {outcome.status}: {outcome.out.strip()[-200:]}'
    wanted = case.sees
    if wanted in (EITHER, STARTING):
        wanted = {'wrong': '0'} if wanted == STARTING and outcome.facts.get('lost') == '1' else GOOD
    for fact, value in wanted.items():
        if outcome.facts.get(fact) != value:
            return f'{fact}: {outcome.facts.get(fact)}, not {value}; {outcome.lines}'
    if len(outcome.lines) > case.lines:
        return f'{len(outcome.lines)} lines in the log: {outcome.lines}'
    return unsaid(case, outcome)


# --- what is done to a program -------------------------------------------------------------------

def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


def close_standard():
    for fd in (0, 2):
        os.close(fd)


def servers_of(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/comm', encoding='utf-8') as f:
                if f.read().strip() != 'mgpiped':
                    continue
            with open(f'/proc/{pid}/environ', 'rb') as f:
                if mark.encode() in f.read().split(b'\0'):
                    found.append(int(pid))
        except OSError:
            continue
    return found


def wait_until_it_draws(process, out):
    while process.poll() is None:
        with open(out, encoding='utf-8') as f:
            if 'drawing' in f.read():
                return
        time.sleep(0.005)


def kill_server(delay, drawing):
    def during(process, mark, out):
        if drawing:
            wait_until_it_draws(process, out)
        time.sleep(delay)
        for pid in servers_of(mark):
            os.kill(pid, signal.SIGKILL)
    return during


def stop_server(seconds):
    def during(process, mark, out):
        wait_until_it_draws(process, out)
        servers = servers_of(mark)
        for pid in servers:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        for pid in servers:
            os.kill(pid, signal.SIGCONT)
    return during


def stop_and_kill_server(process, mark, out):
    wait_until_it_draws(process, out)
    servers = servers_of(mark)
    for pid in servers:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(0.5)
    for pid in servers:
        os.kill(pid, signal.SIGKILL)


def ignore_children():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def close_input():
    os.close(0)


def kill_program(process, mark, out):
    wait_until_it_draws(process, out)
    process.kill()


def cases(build, scratch):
    """All of them; folders they need are made below `scratch`."""
    damaged, blocked = os.path.join(scratch, 'damaged'), os.path.join(scratch, 'file')
    open(blocked, 'w', encoding='utf-8').close()
    server = {'MGPIPE_SERVER': '/nonexistent/mgpiped'}
    draw = ['draw', '0.2']
    remote = ('inproc', 'spawn')
    none = limit(resource.RLIMIT_NOFILE, 8)
    plain = os.path.join(scratch, 'not-executable')
    shutil.copyfile(os.path.join(build, 'src', 'targets', 'mgpiped'), plain)
    os.chmod(plain, 0o644)
    servers = {}
    for answer in ANSWERS:
        servers[answer] = os.path.join(scratch, 'server-' + answer)
        with open(servers[answer], 'w', encoding='utf-8') as f:
            f.write(FALSE_SERVER.replace('ANSWER', ANSWERS[answer]))
        os.chmod(servers[answer], 0o755)
    all_cases = [
        Case('plain', draw, GOOD),
        Case('form-unknown', draw, REFUSED, {'MGPIPE_FORM': 'xyz'}),
        Case('form-empty', draw, GOOD, {'MGPIPE_FORM': ''}, forms=('monolith',)),
        Case('driver-unknown', draw, REFUSED, {'MGPIPE_DRIVER': 'xyz'}),
        Case('host-unknown', draw, REFUSED, {'MGPIPE_HOST': 'xyz'}),
        Case('server-missing', draw, GOOD, server, forms=('spawn',), lines=1),
        Case('server-is-a-folder', draw, REFUSED, {'MGPIPE_SERVER': '/tmp'}, forms=('spawn',)),
        Case('server-is-another-program', draw, REFUSED, {'MGPIPE_SERVER': '/bin/true'}, forms=('spawn',)),
        Case('log-folder-missing', draw, GOOD, {'MGPIPE_LOG': '/nonexistent/log'}, lines=1),
        Case('debug-unknown', draw, GOOD, {'MGPIPE_DEBUG': 'sync,xyz'}, says=('MGPIPE_DEBUG=sync,xyz', 'flag xyz', 'ignored')),
        Case('emulation-unknown', draw, GOOD, {'MGPIPE_DEBUG': 'force-bogus'}, says=('MGPIPE_DEBUG', 'force-bogus', 'ignored')),
        Case('variable-unknown', draw, GOOD, {'MGPIPE_FROM': 'spawn'}, says=('MGPIPE_FROM', 'ignored')),
        Case('log-level-unknown', draw, GOOD, {'MGPIPE_LOG_LEVEL': 'xyz'}, lines=2),
        Case('gl-profile-unknown', draw, GOOD, {'MGPIPE_GL_PROFILE': 'xyz'}, lines=1),
        Case('cache-is-a-file', draw, GOOD, {'MGPIPE_CACHE_DIR': blocked}),
        Case('cache-nowhere', draw, GOOD, {'MGPIPE_CACHE_DIR': '', 'HOME': '', 'XDG_CACHE_HOME': ''}),
        Case('cache-damaged', draw, GOOD, {'MGPIPE_CACHE_DIR': damaged}),
        Case('no-stderr', draw, GOOD, stderr=False, prepare=close_standard),
        Case('no-descriptors', draw, EITHER, lines=4, prepare=none),
        Case('few-descriptors', draw, EITHER, lines=4, prepare=limit(resource.RLIMIT_NOFILE, 20)),
        Case('two-threads-one-context', ['busy'], {'wrong': '0', 'refused': '1'}),
        Case('library-comes-and-goes', ['reload', '20'], GOOD),
        Case('threads', ['threads', '16'], {'wrong': '0', 'failed': '0'}),
        Case('contexts', ['contexts', '20'], {'wrong': '0', 'open': '20'}),
        Case('uploads-without-a-pause', ['uploads', '20'], {'wrong': '0', 'error': '0x0'}),
        Case('answers-without-descriptors', ['full-table'], {'silent': '0', 'wrong': '0'}, lines=8, prepare=limit(resource.RLIMIT_NOFILE, 256)),
        Case('no-memory', ['no-memory'], {'told': '1', 'wrong': '0', 'error': '0x0'}, forms=('spawn',), lines=1, says=('no memory left',)),
        Case('reaps-every-child', ['reaper'], dict(GOOD, strangers='0')),
        Case('forks', ['forks'], {'wrong': '0', 'before': '0', 'after': '0'}, forms=('spawn',)),
        # Status 2: the child is told that it can have no context.
        Case('forks', ['forks'], {'wrong': '0', 'before': '0', 'after': '512'}, forms=('monolith', 'inproc'), lines=1),
        Case('server-not-executable', draw, GOOD, {'MGPIPE_SERVER': plain}, forms=('spawn',), lines=1),
        Case('server-stopped-and-killed', ['draw', '20'], LOST, forms=('spawn',), lines=2, during=stop_and_kill_server),
        Case('threads-lose-their-server', ['crowd', '2'], {'wrong': '0'}, forms=('spawn',), lines=5,
             during=kill_server(0.1, True)),
        Case('signals-all-the-time', ['interrupted'], dict(GOOD, signals='1')),
        Case('children-ignored', draw, GOOD, prepare=ignore_children),
        Case('no-input', draw, GOOD, prepare=close_input),
        Case('small-files', draw, GOOD, prepare=limit(resource.RLIMIT_FSIZE, 256 << 20)),
        Case('no-files', draw, EITHER, lines=4, prepare=limit(resource.RLIMIT_FSIZE, 64 << 10)),
        Case('small-stacks', draw, GOOD, prepare=limit(resource.RLIMIT_STACK, 512 << 10)),
        Case('forks-under-load', ['fork-under-load'], {'wrong': '0', 'bad': '0'}),
        Case('forks-among-contexts', ['fork-among-contexts'], {'bad': '0', 'failed': '0', 'some made': '1'}),
        Case('exits-under-load', ['exit-under-load'], {}),
        Case('exits-with-work', ['exit-with-work'], {}),
        Case('contexts-left-behind', ['orphans'], {'wrong': '0'}),
        Case('server-stopped-for-3-s', ['draw', '4'], GOOD, forms=('spawn',), during=stop_server(3)),
        Case('program-killed', ['draw', '20'], KILLED, during=kill_program),
    ]
    for answer, path in servers.items():
        words = {'late': ('not answered',), 'a-screen-of-no-size': ('screen makes',)}.get(answer, ())
        all_cases.append(Case(f'server-answers-{answer}', draw, REFUSED, {'MGPIPE_SERVER': path}, forms=('spawn',),
                              lines=2 if words else 0, says=words))
    for files in (10, 12, 14, 16, 18, 24, 28, 32):
        all_cases.append(Case(f'descriptors={files}', draw, EITHER, lines=4, prepare=limit(resource.RLIMIT_NOFILE, files)))
    for variable, text, used in (('RING_KB', '0', 64), ('RING_KB', '-7', 64), ('RING_KB', '99999999999', 65536),
                                 ('RING_KB', 'abc', 1024), ('STAGE_KB', '1', 256), ('EVENT_KB', '1', 16),
                                 ('CREDIT', '9', 8), ('CREDIT', '1x', 1), ('SPIN_US', '-1', 0), ('POLL_ESCALATE', '0', 1),
                                 ('MAP_BLOCK_KB', '', None), ('CACHE_MB', '0', 1), ('COMPILE_THREADS', '65', 64)):
        all_cases.append(Case(f'number-{variable}={text}', draw, GOOD, {f'MGPIPE_{variable}': text},
                              says=(f'MGPIPE_{variable}={text} is ', f' {used} is used') if used is not None else ()))
    all_cases.append(Case('number-RING_KB=4096', draw, GOOD, {'MGPIPE_RING_KB': '4096'}, forms=remote))
    for ms in (0, 10, 20, 40, 80, 160, 320):
        all_cases.append(Case(f'server-killed-{ms}-ms-after-the-start', ['draw', '0.2'], STARTING, forms=('spawn',),
                              lines=2, during=kill_server(ms / 1000, False)))
        all_cases.append(Case(f'server-killed-{ms}-ms-after-the-first-frame', ['draw', '20'], LOST, forms=('spawn',),
                              lines=2, during=kill_server(ms / 1000, True)))
    return all_cases


# --- running -------------------------------------------------------------------------------------

def run(case, build, driver, form, scratch):
    targets = os.path.join(build, 'src', 'targets')
    mark = f'ROUGH_EDGES={os.getpid()}-{time.monotonic_ns()}'
    env = dict(os.environ, LD_LIBRARY_PATH=targets, MGPIPE_DRIVER=driver, MGPIPE_FORM=form,
               MGPIPE_SERVER=os.path.join(targets, 'mgpiped'),
               __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'))
    env.setdefault('XDG_RUNTIME_DIR', '/tmp')
    env.setdefault('MGPIPE_CACHE_DIR', os.path.join(build, 'cache'))
    env.pop('MGPIPE_LOG_LEVEL', None)
    env.update([mark.split('=', 1)])
    env.update(case.env)
    if case.name == 'cache-damaged':
        damage(env['MGPIPE_CACHE_DIR'], lambda: subprocess.run(
            [os.path.join(build, 'tests', 'gates', 'rough_scene'), 'draw', '0.1'], env=env, capture_output=True, timeout=LIMIT))
    with open(os.path.join(scratch, 'out'), 'w+', encoding='utf-8') as out, \
            open(os.path.join(scratch, 'err'), 'w+', encoding='utf-8') as err:
        process = subprocess.Popen([os.path.join(build, 'tests', 'gates', 'rough_scene'), *case.arguments], env=env,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=case.prepare)
        helper = threading.Thread(target=case.during, args=(process, mark, out.name)) if case.during else None
        if helper:
            helper.start()
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
        if helper:
            helper.join()
        left = outliving(mark)
        out.seek(0)
        err.seek(0)
        return Outcome(status, out.read(), err.read(), left)


def outliving(mark):
    """Servers that are still there three seconds after their program."""
    for _ in range(30):
        left = servers_of(mark)
        if not left:
            break
        time.sleep(0.1)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def damage(folder, fill):
    """Fills a cache and spoils each of its files in another way."""
    shutil.rmtree(folder, ignore_errors=True)
    fill()
    number = 0
    for where, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(where, name)
            size = os.path.getsize(path)
            with open(path, 'r+b') as f:
                if number % 3 == 0:
                    f.truncate(size // 2)
                elif number % 3 == 1:
                    f.seek(size // 2)
                    f.write(b'\xff' * 16)
                else:
                    f.write(b'\xff' * 16)
            number += 1


def controls():
    """Names of broken runs that judge() lets pass, and of good ones that it does not."""
    good = 'drawing\nwrong 0\nlost 0\nsome right 1\nend\n'
    line = 'mgpipe[1] error remote: no server program\n'
    plain, refused = Case('plain', [], GOOD), Case('refused', [], REFUSED)
    broken = {
        'hang': (plain, Outcome(None, good, '')),
        'crash': (plain, Outcome(-11, good, '')),
        'server left': (plain, Outcome(0, good, '', [7])),
        'wrong picture': (plain, Outcome(0, good.replace('wrong 0', 'wrong 1'), '')),
        'no end': (plain, Outcome(0, good.replace('end', ''), '')),
        'noise': (plain, Outcome(0, good, line)),
        'refused': (plain, Outcome(1, 'no display\n', line)),
        'not refused': (refused, Outcome(0, good, line)),
        'loss that is not told': (Case('killed', [], LOST), Outcome(0, good, '')),
        'wrong picture before a loss': (Case('killed', [], STARTING),
                                        Outcome(0, good.replace('wrong 0', 'wrong 1').replace('lost 0', 'lost 1'), '')),
        'a switch that is ignored in silence': (Case('switch', [], GOOD, says=('MGPIPE_',)), Outcome(0, good, '')),
        'refused without a line': (refused, Outcome(1, 'no display\n', '')),
        'refused, but not in its words': (Case('refused', [], REFUSED, says=('late',)), Outcome(1, 'no display\n', line)),
        'refused with two lines': (refused, Outcome(1, 'no display\n', line * 2)),
    }
    passed = [name for name, pair in broken.items() if judge(*pair) is None]
    for name, pair in {'good': (plain, Outcome(0, good, '')), 'refusal': (refused, Outcome(1, 'no display\n', line))}.items():
        if judge(*pair):
            passed.append(f'the {name} run')
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', action='append')
    parser.add_argument('--form', action='append', choices=FORMS)
    parser.add_argument('--only', default='*')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    failed = total = 0
    for name in controls() if options.self_test else ():
        print(f'fail control: {name}')
        failed += 1
        total += 1
    with tempfile.TemporaryDirectory(prefix='mgpipe-rough-') as scratch:
        for driver in options.driver or DRIVERS:
            for form in options.form or FORMS:
                for case in cases(options.build, scratch):
                    if form not in case.forms or not fnmatch.fnmatch(case.name, options.only):
                        continue
                    name = f'{driver}-{form}-{case.name}'
                    if options.list:
                        print(name)
                        continue
                    outcome = run(case, options.build, driver, form, scratch)
                    problem = judge(case, outcome)
                    total += 1
                    if problem:
                        failed += 1
                        print(f'fail {name}: {problem}', flush=True)
    print(f'{total - failed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
