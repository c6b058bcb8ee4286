#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mgpiped as a service: who may connect, what is refused in which words, what strangers can do to it.

usage: listener.py --build DIR [--only GLOB] [--self-test]

Clients speak the protocol by hand; the driver is noop. --self-test: services that each break a rule must make tests fail.
"""

import argparse
import fcntl
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from service import (AUTH, BUSY, FAULT, FINGERPRINT, HELLO, MAGIC, REPLY, SECRET, TOKEN, USER, VERSION, Build, Client, Failure, Ring,
                     Server, Tests, auth, check, hello, lane, message, screen, surface, surface_destroy, wait_for)

test = Tests()


def unix(build, folder, *arguments, **more):
    return Server(build, f'--listen=unix:{folder}/s', *arguments, **more)


def token_file(folder, text=SECRET, mode=0o600):
    path = f'{folder}/token'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text + '\n')
    os.chmod(path, mode)
    return path


def tcp(build, folder, *arguments, **more):
    return Server(build, '--listen=tcp:127.0.0.1:0', f'--token-file={token_file(folder)}', *arguments, **more)


def serves(build, address, *first):
    """A program gets its session there."""
    with Client(address) as c:
        c.send(b''.join(first) + hello(build)).welcomed().send(screen())
        check(c.answer()[0] == 9, 'no screen')


def refused_start(build, arguments, words, env=None):
    done = subprocess.run([build.server, *arguments], env=build.environment(**(env or {})), text=True, capture_output=True,
                          timeout=20, check=False)
    check(done.returncode in (1, 2), f'status {done.returncode}')
    lines = done.stderr.strip().split('\n')
    check(len(lines) == 1 and all(w in lines[0] for w in words), f'says {lines}, not {words}')
    check(SECRET not in done.stderr, 'the token is in the log')


@test
def a_program_is_served(build, folder):
    with unix(build, folder) as s:
        check(os.stat(f'{folder}/s').st_mode & 0o777 == 0o600, 'the socket is open to others')
        serves(build, f'{folder}/s')
        check(wait_for(lambda: not s.sessions()), 'a session outlives its client')
        serves(build, f'{folder}/s', auth(''))  # a client may say hello to both kinds alike


@test
def a_client_that_is_waited_for_goes(build, folder):
    """Its lane waits until it takes its events, a request of its own for that lane: its end ends both."""
    with unix(build, folder) as s:
        with Client(f'{folder}/s') as c:
            c.send(hello(build)).welcomed().send(screen())
            check(c.answer()[0] == REPLY, 'no screen')
            c.send(lane())
            check(c.answer()[0] == REPLY, 'no lane')
            ring = Ring(c.descriptors[-1])
            ring.fences(1, 2000)  # more events than their ring holds
            check(wait_for(ring.applied), 'fences are not made')
            ring.fences(2001, 1)
            c.send(surface_destroy(9)).socket.settimeout(1)
            try:
                check(False, f'answered: {c.answer()}')
            except TimeoutError:
                check(not ring.applied() and len(s.sessions()) == 1, 'its lane does not wait')
        check(wait_for(lambda: not s.sessions(), 1), 'a session outlives its client')


@test
def half_a_hello_keeps_no_place(build, folder):
    with unix(build, folder) as s, Client(f'{folder}/s') as c:
        c.socket.sendall(hello(build)[:40])
        check(wait_for(lambda: s.sessions(), 1), 'no session for the head of a hello')
        check(wait_for(lambda: not s.sessions(), 8), 'its session stays')


@test
def the_log_has_its_file(build, folder):
    """Also when the file is open before the session closes what it inherited."""
    with unix(build, folder, env={'MGPIPE_LOG': f'{folder}/log', 'MGPIPE_LOG_LEVEL': 'nonsense'}):
        with Client(f'{folder}/s') as c:
            c.send(hello(build)).welcomed().send(message(77, bytes(16)))
            check(c.answer()[0] in (FAULT, REPLY), 'no fault')
        with open(f'{folder}/log', encoding='utf-8') as f:
            check('session latched' in f.read(), 'no line of the session')


@test
def a_locked_folder_is_waited_for(build, folder):
    fd = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        with unix(build, folder) as s:
            serves(build, f'{folder}/s')
            check(wait_for(lambda: any('is locked' in line for line in s.lines('warning'))), f'says {s.lines()}')
    finally:
        os.close(fd)


@test
def the_token_opens_tcp(build, folder):
    with tcp(build, folder) as s:
        serves(build, s.port(), auth())
        for first, says in ((auth('another-token-of-the-same-size'), 'not the one'), (auth(SECRET[:-1]), 'not the one'),
                            (auth(SECRET + 'x'), 'not the one'), (auth(''), 'no token'), (b'', 'no token')):
            with Client(s.port()) as c:
                code, _, _, text = c.send(first + hello(build)).refusal()
                check(code == TOKEN and says in text, f'{code}: {text}')
                check(c.receive() is None, 'not closed')
        serves(build, s.port(), auth())
    lines = s.lines('warning')
    check(len(lines) == 1 and '(token)' in lines[0], f'one line per cause, not {lines}')
    check(SECRET not in s.log and SECRET[:-1] not in s.log, 'the token is in the log')


@test
def the_token_stays_here(build, folder):
    for env, arguments in (({'MGPIPE_TOKEN': SECRET}, ()), ({'MGPIPE_TOKEN_FILE': token_file(folder)}, ()),
                           ({}, (f'--token-file={token_file(folder)}',))):
        with Server(build, '--listen=tcp:127.0.0.1:0', *arguments, env=env) as s, Client(s.port()) as c:
            c.send(auth() + hello(build)).welcomed()
            check(s.sessions(), 'no session')
            for pid in (s.pid, *s.sessions()):
                with open(f'/proc/{pid}/environ', 'rb') as f:
                    check(SECRET.encode() not in f.read(), 'the token is in an environment')
                with open(f'/proc/{pid}/cmdline', 'rb') as f:
                    check(SECRET.encode() not in f.read(), 'the token is in a command line')


@test
def tokens_that_cannot_be_used(build, folder):
    listen = '--listen=tcp:127.0.0.1:0'
    refused_start(build, [listen], ['wants a token'])
    refused_start(build, [listen], ['5 bytes', '16'], {'MGPIPE_TOKEN': 'short'})
    refused_start(build, [listen, f'--token-file={token_file(folder, mode=0o640)}'], ['others can read it'])
    refused_start(build, [listen, f'--token-file={token_file(folder, text="")}'], ['0 bytes'])
    refused_start(build, [listen, f'--token-file={token_file(folder, text="x" * 2000)}'], ['bytes'])
    refused_start(build, [listen, f'--token-file={folder}/none'], ['No such file'])
    refused_start(build, [listen, f'--token-file={folder}'], ['no file'])


@test
def arguments_that_mean_nothing(build, folder):
    for argument in ('--listen=', '--listen=udp:1', '--listen', '--max-sessions=0', '--max-sessions=x', '--driver=nobody',
                     '--control-fd=1', '--allow-uid=me', '--token=secret', 'x'):
        refused_start(build, [argument], [argument])
    refused_start(build, [], ['nothing to listen on'])
    refused_start(build, ['--listen=tcp:127.0.0.1:http-not'], ['cannot listen'], {'MGPIPE_TOKEN': SECRET})
    for port in ('65536', '99999', '4294967297'):
        refused_start(build, [f'--listen=tcp:127.0.0.1:{port}'], ['0 to 65535'], {'MGPIPE_TOKEN': SECRET})
    refused_start(build, ['--stdio', f'--listen=unix:{folder}/s'], ['--listen', '--stdio'])
    refused_start(build, [f'--listen=unix:{folder}/none/s'], ['No such file'])
    refused_start(build, [f'--listen=unix:{folder}/{"x" * 120}'], ['107'])
    refused_start(build, ['--control-fd=77'], ['--control-fd'])


@test
def another_user_is_refused(build, folder):
    if os.geteuid() != 0:
        return 'only root can become another user'
    os.chmod(folder, 0o755)

    def as_nobody(*arguments):
        with unix(build, folder, *arguments):
            os.chmod(f'{folder}/s', 0o666)  # an activator may have opened it
            pid = os.fork()
            if pid == 0:
                os.setuid(65534)
                try:
                    with Client(f'{folder}/s') as c:
                        c.send(hello(build))
                        if arguments:
                            c.welcomed()
                        else:
                            code, ours, theirs, text = c.refusal()
                            check(code == USER and (ours, theirs) == (0, 65534) and '65534' in text and 'user 0' in text, text)
                    os._exit(0)
                except (Failure, OSError) as e:
                    print(e, flush=True)
                    os._exit(1)
            check(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, f'as another user {arguments}')
    as_nobody()
    as_nobody('--allow-uid=65534')
    return None


@test
def refusals_name_both_values(build, folder):
    with tcp(build, folder) as s:
        for first, wanted, theirs, words in (
                (auth(magic=77), MAGIC, 77, ['4d47506970650001', '4d']), (auth(version=9), VERSION, 9, ['is 2', '9']),
                (message(99, bytes(64)), MAGIC, 99, ['none of ours']), (b'GET / HTTP/1.0\r\n\r\n', MAGIC, None, []),
                (auth() + hello(build, version=9), VERSION, 9, []), (auth() + hello(build, magic=5), MAGIC, 5, []),
                (auth() + hello(build, fingerprint=(3, 4)), FINGERPRINT, 3, ['definitions']),
                (auth() + hello(build, driver='no such'), 4, None, []), (auth() + auth(), MAGIC, AUTH, [])):
            with Client(s.port()) as c:
                code, ours, got, text = c.send(first).refusal()
                check(code == wanted and theirs in (None, got) and all(w in text for w in words), f'{code} {ours} {got}: {text}')
                check(code != FINGERPRINT or ours == build.fingerprint[0], 'not our fingerprint')
        serves(build, s.port(), auth())
    for name in ('magic', 'version', 'fingerprint'):
        check(any(f'({name})' in line for line in s.lines()), f'no line of {name}: {s.lines()}')


@test
def displays_do_not_cross(build, folder):
    """A display or a window that a client of a service names is somebody else's."""
    with unix(build, folder):
        for naming in (screen(platform=1), screen(display=b':0'), screen(pointer=4096)):
            with Client(f'{folder}/s') as c:
                c.send(hello(build)).welcomed().send(naming)
                check(FAULT in (c.answer()[0], c.answer()[0]), 'no fault')
        for kind, good in ((0, True), (1, False), (2, False), (3, True)):
            with Client(f'{folder}/s') as c:
                c.send(hello(build)).welcomed().send(screen())
                check(c.answer()[0] == REPLY, 'no screen')
                c.send(surface(kind))
                numbers = [c.answer()[0]] if good else [c.answer()[0], c.answer()[0]]
                check((FAULT in numbers) != good, f'messages {numbers} for kind {kind}')


@test
def strangers_harm_nobody(build, folder):
    """Connect and close, noise, half a message, silence: nothing is started for them and nothing is kept."""
    with unix(build, folder) as s:
        serves(build, f'{folder}/s')
        check(wait_for(lambda: not s.sessions()), 'a session outlives its client')
        before = s.descriptors()
        silent = [Client(f'{folder}/s') for _ in range(20)]
        for data in (b'', b'x', bytes(4096), message(HELLO, b''), message(HELLO, bytes(1 << 20))[:8], message(AUTH, b'')[:7],
                     struct.pack('<II', HELLO, 0xffffffff), bytes(i * 37 % 251 for i in range(200000))):
            with Client(f'{folder}/s') as c:
                c.send(data)
        for c in silent[:10]:
            c.send(b'xy')  # and no more
        serves(build, f'{folder}/s')
        for c in silent:
            c.socket.close()
        check(wait_for(lambda: s.descriptors() == before and not s.sessions()), f'{s.descriptors()} descriptors, {before} before')
        used = cpu_seconds(s.pid)
        with Client(f'{folder}/s') as c:
            c.send(b'xyz')
            time.sleep(0.5)
        check(cpu_seconds(s.pid) - used < 0.1, 'half a message keeps it busy')


def cpu_seconds(pid):
    with open(f'/proc/{pid}/stat', encoding='ascii') as f:
        words = f.read().rsplit(')', 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')


@test
def silence_ends_after_five_seconds(build, folder):
    with tcp(build, folder) as s:
        connections = [Client(s.port()) for _ in range(3)]
        connections[1].send(auth()[:20])
        connections[2].send(auth())
        start = time.monotonic()
        for c in connections:
            check(c.receive() is None, 'an answer to silence')
        took = time.monotonic() - start
        check(4 < took < 7, f'after {took:.1f} s')


@test
def a_thousand_connections(build, folder):
    """Nobody else waits for them, and they cost the service a bounded number of descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    try:
        with unix(build, folder) as s:
            before = s.descriptors()
            crowd = []
            for _ in range(1000):
                c = socket.socket(socket.AF_UNIX)
                c.connect(f'{folder}/s')
                crowd.append(c)
            start = time.monotonic()
            serves(build, f'{folder}/s')
            check(time.monotonic() - start < 3, 'a program waits for strangers')
            check(s.descriptors() <= before + 70, f'{s.descriptors()} descriptors')
            for c in crowd:
                c.close()
            check(wait_for(lambda: s.descriptors() == before), 'descriptors are kept')
            check(len(s.lines('warning')) == 1, f'one line per cause: {s.lines()}')
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@test
def a_full_table_of_descriptors(build, folder):
    limit = 24
    with unix(build, folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))) as s:
        crowd = [Client(f'{folder}/s') for _ in range(60)]
        time.sleep(0.3)
        used = cpu_seconds(s.pid)
        time.sleep(0.5)
        check(cpu_seconds(s.pid) - used < 0.2, 'it spins')
        for c in crowd:
            c.socket.close()
        serves(build, f'{folder}/s')


@test
def closed_standard_descriptors(build, folder):
    def close_all():
        for fd in (0, 1):
            os.close(fd)
    s = subprocess.Popen([build.server, f'--listen=unix:{folder}/s'], env=build.environment(), preexec_fn=close_all,
                         stderr=subprocess.DEVNULL)
    try:
        check(wait_for(lambda: os.path.exists(f'{folder}/s')), 'does not listen')
        serves(build, f'{folder}/s')
    finally:
        s.terminate()
        s.wait(10)


@test
def two_hundred_sessions_leave_nothing(build, folder):
    with unix(build, folder) as s:
        for _ in range(20):
            serves(build, f'{folder}/s')
        check(wait_for(lambda: not s.sessions()), 'sessions are left')
        descriptors, memory = s.descriptors(), s.memory_kib()
        for i in range(200):
            with Client(f'{folder}/s') as c:
                c.send(hello(build))
                if i % 2:
                    c.welcomed()
        check(wait_for(lambda: not s.sessions() and s.descriptors() == descriptors),
              f'{s.sessions()} sessions, {s.descriptors()} descriptors, {descriptors} before')
        check(s.memory_kib() - memory < 256, f'{s.memory_kib() - memory} KiB more')
        check(wait_for(lambda: not children(s.pid)), 'processes are left')


def children(pid):
    with open(f'/proc/{pid}/task/{pid}/children', encoding='ascii') as f:
        return f.read().split()


@test
def the_number_of_sessions_is_limited(build, folder):
    with unix(build, folder, '--max-sessions=2') as s:
        clients = [Client(f'{folder}/s').send(hello(build)).welcomed() for _ in range(2)]
        for _ in range(3):
            with Client(f'{folder}/s') as c:
                code, ours, theirs, text = c.send(hello(build)).refusal()
                check((code, ours, theirs) == (BUSY, 2, 3) and '2 programs' in text and 'number 3' in text, f'{code}: {text}')
        clients[0].socket.close()
        check(wait_for(lambda: len(children(s.pid)) == 1), 'the session is not over')
        serves(build, f'{folder}/s')
        clients[1].socket.close()
        check(len(s.lines('warning')) == 1, f'one line per cause: {s.lines()}')


@test
def socket_files(build, folder):
    path = f'{folder}/s'
    with unix(build, folder) as s:
        refused_start(build, [f'--listen=unix:{path}'], ['a server is there already'])
        serves(build, path)
    check(not os.path.exists(path), 'the file stays after SIGTERM')
    with unix(build, folder) as s:
        s.process.kill()
        s.process.wait(10)
        check(os.path.exists(path), 'no file to be replaced')
        with unix(build, folder):
            serves(build, path)
    with open(path, 'w', encoding='ascii') as f:
        f.write('mine')
    refused_start(build, [f'--listen=unix:{path}'], ['no socket is there'])
    os.unlink(path)
    with unix(build, folder) as s:
        os.unlink(path)
        with unix(build, folder):
            check(s.end() == 0, 'status')
            check(os.path.exists(path), "removed another server's file")


@test
def abstract_names(build, folder):
    name = f'@mgpipe-test-{os.getpid()}'
    with Server(build, f'--listen=unix:{name}', cwd=folder) as s:
        check(s.names == [f'unix:{name}'], f'says {s.names}')
        check(not os.listdir(folder), 'a file is there')
        refused_start(build, [f'--listen=unix:{name}'], ['a server is there already'])
        serves(build, '\0' + name[1:])
    refused_start(build, ['--listen=unix:@'], ['no name'])


@test
def many_start_at_once(build, folder):
    """Over a stale file: exactly one of them listens there."""
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(f'{folder}/s')
    stale.close()
    started = []
    threads = [threading.Thread(target=lambda: started.append(unix(build, folder))) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    alive = [s for s in started if s.names]
    try:
        check(len(alive) == 1, f'{len(alive)} of them listen')
        serves(build, f'{folder}/s')
    finally:
        for s in started:
            s.end()


@test
def sigterm_leaves_sessions_alone(build, folder):
    with unix(build, folder) as s:
        with Client(f'{folder}/s') as c:
            c.send(hello(build)).welcomed()
            check(s.end_alone() == 0, 'status')
            check(not os.path.exists(f'{folder}/s'), 'the file stays')
            c.send(screen())
            check(c.answer()[0] == 9, 'the session has ended')


@test
def socket_activation(build, folder):
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f'{folder}/s')
    listening.listen()
    with activated(build, listening.fileno()) as s:
        listening.close()
        check(s.names == [f'unix:{folder}/s'], s.names)
        serves(build, f'{folder}/s')
        with Client(f'{folder}/s') as c:
            c.send(hello(build)).welcomed()
            with open(f'/proc/{s.sessions()[0]}/environ', 'rb') as f:
                check(b'LISTEN_' not in f.read(), 'a session would take the sockets')
    check(os.path.exists(f'{folder}/s'), "removed the activator's file")
    with socket.socket(socket.AF_INET) as plain:  # does not listen
        s = activated(build, plain.fileno())
        check(s.process.wait(10) == 1 and 'no listening' in ''.join(s.lines() or [wait_log(s)]), s.log)


def wait_log(server):
    server.reader.join(5)
    return server.log


def activated(build, fd):
    """As systemd starts it: the socket is descriptor 3, LISTEN_PID its own number."""
    script = f'exec 3<&{fd}; [ {fd} -eq 3 ] || exec {fd}<&-; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"'
    wrapped = Build.__new__(Build)
    wrapped.__dict__.update(build.__dict__)
    wrapped.server = '/bin/bash'
    return Server(wrapped, '-c', script, 'bash', build.server, pass_fds=(fd,))


@test
def the_units_are_valid(build, folder):
    analyze = shutil.which('systemd-analyze')
    if not analyze:
        return 'no systemd-analyze here'
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    shutil.copy(f'{root}/src/targets/systemd/mgpiped.socket', folder)
    with open(f'{root}/src/targets/systemd/mgpiped.service.in', encoding='utf-8') as f, \
            open(f'{folder}/mgpiped.service', 'w', encoding='utf-8') as out:
        out.write(f.read().replace('@mgpiped@', build.server))
    done = subprocess.run([analyze, '--user', '--man=no', 'verify', f'{folder}/mgpiped.service', f'{folder}/mgpiped.socket'],
                          capture_output=True, text=True, check=False, env=dict(os.environ, XDG_RUNTIME_DIR=folder))
    ours = [line for line in done.stderr.split('\n') if 'mgpiped' in line]
    check(done.returncode == 0 and not ours, done.stderr)
    return None


@test
def standard_input_and_output(build, folder):
    """--stdio over pipes, as ssh has them; a terminal is no client."""
    p = subprocess.Popen([build.server, '--stdio', '--driver=noop'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=build.environment())
    p.stdin.write(hello(build, driver=''))
    p.stdin.flush()
    head = p.stdout.read(8)
    check(struct.unpack('<II', head)[0] in (2, 3), f'answer {head}')
    p.stdout.read(struct.unpack('<II', head)[1])
    p.stdin.close()
    check(p.wait(10) == 0, 'it stays')


@test
def what_is_no_client_is_said(build, folder):
    """Whatever else comes by standard input ends the session with one line."""
    for sent, words in ((b'GET / HTTP/1.1\r\n\r\n', 'no message of a client'), (b'hi\n', 'before a client said hello'),
                        (b'', 'before a client said hello'), (hello(build)[:40], 'before a client said hello')):
        done = subprocess.run([build.server, '--stdio', '--driver=noop'], input=sent, capture_output=True, timeout=20, check=False,
                              env=build.environment())
        lines = done.stderr.decode().strip().split('\n')
        check(len(lines) == 1 and words in lines[0] and not done.stdout, f'{sent[:20]}: says {lines}, sends {done.stdout}')


# Services that break a rule each: what a shell does around mgpiped, and the test that must say so.
BROKEN = (
    (the_number_of_sessions_is_limited, 'exec "$s" "${@/--max-sessions=2/--max-sessions=3}"'),
    (a_program_is_served, '( sleep 0.2; chmod 644 "${1#--listen=unix:}" ) & "$s" "$@" | ( sleep 0.4; cat ) & wait'),
    (the_token_opens_tcp, 'echo "mgpipe[1] warning x: $(cat "${2#--token-file=}")" >&2; exec "$s" "$@"'),
    (the_token_stays_here, 'export KEPT=$MGPIPE_TOKEN; exec "$s" "$@"'),
)


def self_test(build):
    """The number of broken services that no test found."""
    wrong = 0
    for run, script in BROKEN:
        with tempfile.TemporaryDirectory(prefix='mgpipe-service-') as folder:
            broken = Build.__new__(Build)
            broken.__dict__.update(build.__dict__)
            broken.server = f'{folder}/broken'
            with open(broken.server, 'w', encoding='utf-8') as f:
                f.write(f'#!/bin/bash\ns={build.server}\n{script}\n')
            os.chmod(broken.server, 0o755)
            try:
                run(broken, folder)
                print(f'control: {run.__name__} passes with a service that is broken')
                wrong += 1
            except Failure as e:
                print(f'control: {run.__name__}: {e}')
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    parser.add_argument('--only', default='*')
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    build = Build(options.build)
    failed = self_test(build) if options.self_test else 0
    return test.run(options.only, build) or bool(failed)


if __name__ == '__main__':
    sys.exit(main())
