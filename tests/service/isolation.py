#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that share a server: what befalls one is nothing to the others; what a program sees of its own loss, and when.

usage: isolation.py --build DIR [--driver NAME] [--link unix|tcp|spawn]... [--only GLOB] [--self-test]

--self-test: programs whose server dies must be found where a test expects them to go on, and one that is in no loss where one
is expected.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

from service import SECRET, Build, Client, Failure, Server, Tests, auth, check, hello, is_zombie, message, screen, wait_for

test = Tests()
LOSS_MS = 200
CONTEXT_LOST, EGL_CONTEXT_LOST = '0x507', '0x300e'


class Program:
    """A run of scene.cpp against a server; `with` ends it."""

    def __init__(self, build, setup, mode, **env):
        self.setup = setup
        if setup.server:
            setup.before = set(setup.server.sessions())
        env = build.environment(MGPIPE_DRIVER=setup.driver, **setup.environment, **env)
        env['XDG_RUNTIME_DIR'] = setup.folder
        self.process = subprocess.Popen([os.path.join(build.folder, 'tests', 'service', 'scene'), mode], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.out, self.err = [], []
        self.threads = [threading.Thread(target=self.read, args=a, daemon=True)
                        for a in ((self.process.stdout, self.out), (self.process.stderr, self.err))]
        for t in self.threads:
            t.start()

    @staticmethod
    def read(stream, lines):
        for line in stream:
            lines.append(line.rstrip('\n'))

    def __enter__(self):
        check(wait_for(lambda: self.out or self.process.poll() is not None, 30) and self.out[:1] == ['started'],
              f'not started: {self.out} {self.err}')
        self.session = self.setup.session_of_new()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        for t in self.threads:
            t.join(5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                pass

    def say(self, word='x'):
        self.process.stdin.write(word)
        self.process.stdin.flush()

    def frames(self):
        """(frames, wrong ones) so far."""
        for line in reversed(self.out):
            if line.startswith('frames '):
                return int(line.split()[1]), int(line.split()[3])
        return 0, 0

    def fact(self, name):
        """The words behind it, or None."""
        return next((line.split()[1:] for line in self.out if line.startswith(name + ' ') or line == name), None)

    def wait_fact(self, name, seconds=10):
        got = wait_for(lambda: self.fact(name) is not None, seconds)
        check(got, f'{name!r} is never said: {self.out[-5:]} {self.err[-5:]}')
        return self.fact(name)

    def goes_on(self, why, least=20):
        """So many further frames, all of them right."""
        start = self.frames()[0]
        check(wait_for(lambda: self.frames()[0] >= start + least or self.process.poll() is not None, 20) and
              self.frames()[0] >= start + least, f'{why}: stands still after {self.frames()} frames: {self.err[-3:]}')
        check(self.frames()[1] == 0, f'{why}: {self.frames()[1]} wrong frames')

    def ends_well(self):
        self.process.stdin.close()
        check(self.process.wait(20) == 0 and wait_for(lambda: self.out[-1:] == ['end']), f'ended badly: {self.out[-3:]} {self.err[-3:]}')

    def saw_the_loss(self, since_ns):
        """All that GL and EGL say of one; after how many milliseconds."""
        took = (int(self.wait_fact('lost')[0]) - since_ns) / 1e6
        check(self.process.wait(20) == 0 and self.wait_fact('end') == [], f'ended badly: {self.out[-4:]}')
        check(self.fact('reset')[0] != '0x0', 'no reset status')
        check(self.fact('memory') == ['kept'], 'a call after the loss wrote to memory')
        check(self.fact('error') == [CONTEXT_LOST], f'error {self.fact("error")}')
        check(self.fact('swap') == [EGL_CONTEXT_LOST], f'swap {self.fact("swap")}')
        return took


class Setup:
    """A server of one link, for programs of one driver."""

    def __init__(self, build, folder, link, driver, **env):
        self.folder, self.link, self.driver, self.server, self.before = folder, link, driver, None, set()
        self.mark = f'{os.getpid()}-{time.monotonic_ns()}'
        self.environment = {'MGPIPE_FORM': 'spawn', 'SERVICE_TEST': self.mark}
        if link == 'unix':
            self.address = f'{folder}/s'
            self.server = Server(build, f'--listen=unix:{self.address}', env=env)
            self.environment['MGPIPE_FORM'] = f'unix:{self.address}'
        elif link == 'tcp':
            self.server = Server(build, '--listen=tcp:127.0.0.1:0', env=dict(env, MGPIPE_TOKEN=SECRET))
            self.address = self.server.port()
            self.environment.update(MGPIPE_FORM=f'tcp:127.0.0.1:{self.address}', MGPIPE_TOKEN=SECRET)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.server:
            self.server.end()

    def session_of_new(self):
        """The process that serves the program that was just started."""
        if self.server:
            new = set(self.server.sessions()) - self.before
            check(len(new) == 1, f'{len(new)} new sessions')
            return new.pop()
        mine = [pid for pid in spawned() if carries(pid, f'SERVICE_TEST={self.mark}') and pid not in self.before]
        check(len(mine) == 1, f'{len(mine)} servers')
        self.before.update(mine)
        return mine[0]

    def stranger(self, build):
        """A client that speaks by hand, let in."""
        c = Client(self.address)
        return c.send((auth() if self.link == 'tcp' else b'') + hello(build)).welcomed()


def spawned():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/comm', encoding='utf-8') as f:
                if f.read().strip() == 'mgpiped' and not is_zombie(int(pid)):
                    yield int(pid)
        except OSError:
            continue


def carries(pid, text):
    try:
        with open(f'/proc/{pid}/environ', 'rb') as f:
            return text.encode() in f.read().split(b'\0')
    except OSError:
        return False


def gone(pid):
    return not os.path.exists(f'/proc/{pid}') or is_zombie(pid)


def lose(one, number=signal.SIGKILL):
    """Ends its session; when its program saw that, in milliseconds."""
    at = time.monotonic_ns()
    os.kill(one.session, number)
    return one.saw_the_loss(at)


def in_time(run):
    """What `run` measures is short enough at least once in three times: the machine may be busy with something else."""
    took = []
    while not took or took[-1] >= LOSS_MS and len(took) < 3:
        took.append(run())
    check(took[-1] < LOSS_MS, f'the loss is seen after {", ".join(f"{t:.0f}" for t in took)} ms')
    print(f'    seen after {took[-1]:.0f} ms')


# --- two programs --------------------------------------------------------------------------------

@test
def a_killed_program_leaves_nothing(build, folder, link, driver):
    with Setup(build, folder, link, driver) as s, Program(build, s, 'frames') as other:
        descriptors = s.server.descriptors() if s.server else 0
        with Program(build, s, 'frames') as one:
            one.goes_on('before')
            one.process.kill()
            check(wait_for(lambda: gone(one.session), 30), 'its session lives on')
        other.goes_on('beside a program that is killed')
        if s.server:
            check(wait_for(lambda: s.server.descriptors() == descriptors), 'the listener keeps descriptors')
        other.ends_well()
        check(wait_for(lambda: gone(other.session)), 'a session outlives its program')


@test
def a_stopped_program_holds_up_nobody(build, folder, link, driver):
    with Setup(build, folder, link, driver) as s, Program(build, s, 'frames') as other, Program(build, s, 'frames') as one:
        one.goes_on('before')
        os.kill(one.process.pid, signal.SIGSTOP)
        other.goes_on('beside a program that is stopped', 50)
        time.sleep(0.5)
        other.goes_on('beside a program that is stopped', 50)
        os.kill(one.process.pid, signal.SIGCONT)
        one.goes_on('after it was stopped')
        one.ends_well()
        other.ends_well()


@test
def a_killed_session_is_one_loss(build, folder, link, driver):
    with Setup(build, folder, link, driver) as s, Program(build, s, 'frames') as other:
        def once():
            with Program(build, s, 'frames') as one:
                one.goes_on('before')
                return lose(one)
        in_time(once)
        other.goes_on('beside a session that is killed', 50)
        other.ends_well()
        if s.server:
            with Program(build, s, 'frames') as third:
                third.goes_on('after a session was killed')
                third.ends_well()
            check(wait_for(lambda: any('signal 9' in line for line in s.server.lines('warning'))), 'the service does not say so')


@test
def a_session_that_is_latched(build, folder, link, driver):
    """By a client that sends what is none of its messages; then by one that takes nothing of what it asked for."""
    if link == 'spawn':
        return 'strangers reach listening servers only'
    with Setup(build, folder, link, driver) as s, Program(build, s, 'frames') as other:
        with s.stranger(build) as c:
            c.send(message(77, bytes(16)))
            numbers = set()
            while not {9, 11} <= numbers:
                got = c.answer()
                check(got is not None, f'hung up after messages {numbers}')
                numbers.add(got[0])
            other.goes_on('beside a session that is latched')
        with s.stranger(build) as c:
            c.socket.settimeout(0.3)
            request = screen(21)
            try:
                for i in range(20000):
                    c.socket.sendall(request)
            except OSError:
                pass
            other.goes_on('beside a client that does not read its answers', 50)
        check(wait_for(lambda: len(s.server.sessions()) == 1, 10), f'{s.server.sessions()} are left, {other.session} may be')
        other.goes_on('after both')
        other.ends_well()
    return None


# --- loss and slowness ---------------------------------------------------------------------------

@test
def a_stopped_server_is_slow(build, folder, link, driver):
    with Setup(build, folder, link, driver) as s, Program(build, s, 'frames') as one:
        one.goes_on('before')
        os.kill(one.session, signal.SIGSTOP)
        time.sleep(1.0)
        stood = one.frames()[0]
        time.sleep(1.0)
        check(one.frames()[0] == stood and one.process.poll() is None, 'frames without a server')
        check(one.fact('lost') is None, 'a stopped server is taken for a dead one')
        os.kill(one.session, signal.SIGCONT)
        one.goes_on('after its server was stopped')
        one.ends_well()


@test
def a_server_dies_while_it_is_waited_for(build, folder, link, driver):
    with Setup(build, folder, link, driver) as s:
        def once():
            with Program(build, s, 'wait') as one:
                one.wait_fact('ready')
                os.kill(one.session, signal.SIGSTOP)
                one.say()
                one.wait_fact('waiting')
                time.sleep(0.3)
                check(one.fact('returned') is None, 'it does not wait')
                return lose(one)
        in_time(once)


@test
def waits_can_be_interrupted(build, folder, link, driver):
    for mode in ('wait', 'jump'):
        with Setup(build, folder, link, driver) as s, Program(build, s, mode) as one:
            one.wait_fact('ready')
            os.kill(one.session, signal.SIGSTOP)
            try:
                one.say()
                one.wait_fact('waiting')
                time.sleep(0.3)
                if mode == 'wait':
                    one.process.send_signal(signal.SIGINT)
                    check(one.process.wait(30) == -signal.SIGINT, 'SIGINT does not end it')
                else:
                    one.wait_fact('jumped', 30)
                    check(one.process.wait(30) == 0, 'it does not end after the jump')
            finally:
                os.kill(one.session, signal.SIGCONT)
            check(wait_for(lambda: gone(one.session), 30), 'its session lives on')


@test
def loops_that_poll_end(build, folder, link, driver):
    """At most every n-th poll of a fence or query asks the server; where none does, the server's own reports end the loop."""
    for escalate in (1, 64, 10 ** 9):
        stats = f'{folder}/stats-{escalate}'
        own = {'MGPIPE_STATS': stats} if link != 'spawn' else {}  # a spawned server would write there too
        with Setup(build, folder, link, driver) as s, Program(build, s, 'polls', MGPIPE_POLL_ESCALATE=str(escalate), **own) as one:
            asked = int(one.wait_fact('asked', 60)[0])
            one.ends_well()
        if not own:
            continue
        with open(stats, encoding='utf-8') as f:
            counted = dict(line.split()[:2] for line in f if len(line.split()) >= 2)
        crossed = sum(int(counted.get(f'wire.reply.{call}', 0)) for call in ('fence_status', 'query_available'))
        check(crossed <= asked / escalate, f'{crossed} of {asked} polls crossed, every {escalate}. may')
        check(escalate != 1 or crossed, 'no poll is counted')


# --- logs ----------------------------------------------------------------------------------------

@test
def the_log_reaches_its_program(build, folder, link, driver):
    """A driver that does not exist: the server's reason is in the program's log."""
    if link == 'spawn':
        return 'its standard error is the same'
    with Setup(build, folder, link, 'nosuchdriver') as s:
        one = Program(build, s, 'frames')
        one.process.wait(20)
        one.__exit__()
        check(any('nosuchdriver' in line for line in one.err), f'says {one.err}')
        check(wait_for(lambda: any('nosuchdriver' in line for line in s.server.lines())), 'nor does the server')
    return None


@test
def a_flood_of_the_log_is_cut(build, folder, link, driver):
    if link == 'spawn' or driver != 'espryt':
        return 'the flood is what espryt says of its host calls, at a server with a standard error of its own'
    with Setup(build, folder, link, driver, MGPIPE_DEBUG='trace', MGPIPE_LOG_LEVEL='debug') as s, \
            Program(build, s, 'frames', MGPIPE_LOG_LEVEL='debug') as one:
        check(wait_for(lambda: len(s.server.lines()) > 3000 and any('were left out' in line for line in one.err), 30),
              f'{len(s.server.lines())} lines at the server, {len(one.err)} here')
        one.goes_on('in a flood of the log')
        check(len(one.err) < len(s.server.lines()) / 2, f'{len(one.err)} of {len(s.server.lines())} lines arrive')
        one.ends_well()
    return None


# --- a container ---------------------------------------------------------------------------------

@test
def a_container_without_a_gpu(build, folder, link, driver):
    """No device, no Vulkan and no EGL driver but ours, another root: the socket is enough."""
    if link != 'unix':
        return 'a container is given a unix socket'
    unshare = ['unshare', '-r', '-m', '-n', 'sh', '-c']
    hide = ('mount -t tmpfs none /dev/shm; for d in /dev/dri /usr/share/vulkan /etc/vulkan /usr/lib/x86_64-linux-gnu/dri; do '
            '[ -d $d ] && mount -t tmpfs none $d; done; exec "$@"')
    if subprocess.run([*unshare, hide, 'sh', 'true'], capture_output=True, check=False).returncode:
        return 'no user namespaces here'
    with Setup(build, folder, link, driver) as s:
        scene = os.path.join(build.folder, 'tests', 'service', 'scene')
        env = build.environment(MGPIPE_DRIVER=driver, XDG_RUNTIME_DIR=folder, VK_ICD_FILENAMES='/none', VK_DRIVER_FILES='/none',
                                LIBGL_DRIVERS_PATH='/none', **s.environment)
        run = subprocess.Popen([*unshare, hide, 'sh', scene, 'frames'], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        lines = []
        for line in run.stdout:
            lines.append(line.strip())
            if line.startswith('frames 30 '):
                break
        run.stdin.close()
        tail, errors = run.stdout.read(), run.stderr.read()
        check(run.wait(20) == 0 and lines and lines[-1] == 'frames 30 wrong 0', f'{lines[-3:]} {tail} {errors}')
        # The same place has no other way to draw.
        alone = subprocess.run([*unshare, hide, 'sh', scene, 'frames'], env=dict(env, MGPIPE_FORM='monolith'), text=True,
                               stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
        check('no context' in alone.stdout, f'there is a GPU after all: {alone.stdout[:200]}')
    return None


def self_test(build, driver):
    """Programs that a test must find at fault; the number of those that it did not."""
    wrong = 0

    def expects_failure(name, body):
        nonlocal wrong
        with tempfile.TemporaryDirectory(prefix='mgpipe-service-') as folder, Setup(build, folder, 'spawn', driver) as s, \
                Program(build, s, 'frames') as one:
            try:
                body(one)
                print(f'control: {name} is not found')
                wrong += 1
            except Failure as e:
                print(f'control: {name}: {e}')

    def killed(one):
        os.kill(one.session, signal.SIGKILL)
        one.goes_on('a program without a server')

    def late(one):
        one.goes_on('before')
        took = lose(one)
        in_time(lambda: took + LOSS_MS)

    expects_failure('a dead server', killed)
    expects_failure('a loss that is seen late', late)
    return wrong


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts in the background ignore it
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', default='espryt')
    parser.add_argument('--link', action='append', choices=['unix', 'tcp', 'spawn'])
    parser.add_argument('--only', default='*')
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    build = Build(options.build)
    failed = self_test(build, options.driver) if options.self_test else 0
    for link in options.link or ['unix', 'tcp', 'spawn']:
        print(f'{link}:')
        failed += test.run(options.only, build, link, options.driver)
    return bool(failed)


if __name__ == '__main__':
    sys.exit(main())
