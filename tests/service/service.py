# SPDX-License-Identifier: MIT
"""A running mgpiped and clients that speak its protocol by hand; what the tests of this folder share."""

import fnmatch
import mmap
import os
import re
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

HELLO, WELCOME, REFUSE, SCREEN, LANE, SURFACE, REPLY, LOG, FAULT, AUTH = 1, 2, 3, 6, 7, 8, 9, 10, 11, 13
FINGERPRINT, VERSION, MAGIC, DRIVER, BUSY, TOKEN, USER = 1, 2, 3, 4, 6, 9, 10
OUR_MAGIC, OUR_VERSION = 0x4d47506970650001, 2
SECRET = 'a-token-of-tests-0123456789'
LOG_LINE = re.compile(r'^mgpipe\[(\d+)\] (error|warning|info|debug) (.*)$', re.M)


class Failure(Exception):
    """What a test found."""


def check(condition, text):
    if not condition:
        raise Failure(text)


def wait_for(condition, seconds=10.0):
    """What `condition` returned in the end."""
    end = time.monotonic() + seconds
    while True:
        got = condition()
        if got or time.monotonic() > end:
            return got
        time.sleep(0.01)


class Build:
    """A build folder and the environment of programs in it."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.server = os.path.join(self.folder, 'src', 'targets', 'mgpiped')
        out = subprocess.run([self.server, '--version'], capture_output=True, text=True, check=True).stdout
        words = out.split()[-1]
        self.fingerprint = int(words[:16], 16), int(words[16:], 16)

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith('MGPIPE_') and not k.startswith('LISTEN_')}
        targets = os.path.join(self.folder, 'src', 'targets')
        env.update({'__EGL_VENDOR_LIBRARY_FILENAMES': os.path.join(targets, 'uninstalled.json'),
                    'LD_LIBRARY_PATH': ':'.join(filter(None, (targets, env.get('LD_LIBRARY_PATH')))),
                    'MGPIPE_SERVER': self.server, 'MGPIPE_CACHE_DIR': os.path.join(self.folder, 'cache')})
        env.update(more)
        return env


class Server:
    """mgpiped with these arguments; `with` ends it."""

    def __init__(self, build, *arguments, env=None, **popen):
        self.process = subprocess.Popen([build.server, *arguments], env=build.environment(**(env or {})), text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **popen)
        self.log, self.names = '', []
        self.reader = threading.Thread(target=self.read_log, daemon=True)
        self.reader.start()
        expected = sum(a.startswith('--listen=') for a in arguments) or 1
        for line in self.process.stdout:
            self.names.append(line.removeprefix('listening on ').strip())
            if len(self.names) >= expected:
                break

    def read_log(self):
        for line in self.process.stderr:
            self.log += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end_alone(self):
        """Ends the service, not its sessions; its status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(10)

    def end(self):
        """Ends the service, and the sessions that are left; its status."""
        children = self.sessions()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(10)
        for pid in children:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.reader.join(5)
        self.process.stdout.close()
        return status

    @property
    def pid(self):
        return self.process.pid

    def sessions(self):
        """Processes that serve a program."""
        try:
            with open(f'/proc/{self.pid}/task/{self.pid}/children', encoding='ascii') as f:
                return [int(p) for p in f.read().split() if not is_zombie(int(p))]
        except OSError:
            return []

    def descriptors(self):
        return len(os.listdir(f'/proc/{self.pid}/fd'))

    def memory_kib(self):
        with open(f'/proc/{self.pid}/statm', encoding='ascii') as f:
            return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') // 1024

    def lines(self, level=None):
        return [text for _, of, text in LOG_LINE.findall(self.log) if level in (None, of)]

    def port(self, index=0):
        return int(self.names[index].rsplit(':', 1)[1])


def is_zombie(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as f:
            return f.read().rsplit(')', 1)[1].split()[0] == 'Z'
    except OSError:
        return True


def message(number, body=b''):
    return struct.pack('<II', number, len(body)) + body


def auth(token=SECRET, magic=OUR_MAGIC, version=OUR_VERSION):
    text = token.encode()
    return message(AUTH, struct.pack('<QII', magic, version, len(text)) + text)


def hello(build, driver='noop', magic=OUR_MAGIC, version=OUR_VERSION, fingerprint=None, options=''):
    first, second = fingerprint or build.fingerprint
    text = options.encode()
    return message(HELLO, struct.pack('<QIIQQIIII32sB7x', magic, version, os.getpid(), first, second, 64, 256, 16,
                                      len(text), driver.encode(), 0) + text)


def screen(number=20, platform=0, display=b'', pointer=0):
    return message(SCREEN, struct.pack('<IIB7xQ', number, 1, platform, pointer) + display)


def surface(kind):
    """surface_create of a small surface, a root call, on the screen above."""
    call = struct.pack('<IIBB2xIIIIBBB9xQ', 5, 0, kind, 0, 4, 0, 16, 16, 0, 0, 0, 77)
    record = struct.pack('<HHI', 18, 0, 8 + len(call) + 24) + call + struct.pack('<IIQQ', 2, 0, 0, 16)
    return message(SURFACE, struct.pack('<IIQII', 20, 18, 0, len(record), 0) + record)


def lane(number=30, slot=1):
    """A lane of the screen above."""
    return message(LANE, struct.pack('<IIIIII8x', 20, number, 1, 0, slot, 0))


def surface_destroy(slot):
    """A root call that waits for all that was published before it."""
    record = struct.pack('<HHIII', 20, 0, 16, slot, 0)
    return message(SURFACE, struct.pack('<IIQII', 20, 20, 0, len(record), 0) + record)


class Ring:
    """The command ring of a lane in memory that client and server share, by its descriptor."""

    def __init__(self, fd):
        self.memory, self.head = mmap.mmap(fd, 4096 + (64 << 10)), 0

    def fences(self, first, count):
        """Publishes so many fence_create."""
        for slot in range(first, first + count):
            struct.pack_into('<HHIII', self.memory, 4096 + self.head, 11, 0, 16, slot, 0)
            self.head += 16
        struct.pack_into('<Q', self.memory, 0, self.head)

    def applied(self):
        """All of it."""
        return struct.unpack_from('<Q', self.memory, 64)[0] == self.head


class Client:
    """A connection; descriptors that come with messages are in `descriptors`, until it is closed."""

    def __init__(self, address):
        self.descriptors = []
        if isinstance(address, int):
            self.socket = socket.create_connection(('127.0.0.1', address), timeout=10)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(10)
            self.socket.connect(address)
        self.bytes = b''

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        for fd in self.descriptors:
            os.close(fd)
        self.descriptors.clear()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # refused meanwhile
        return self

    def receive(self):
        """(number, body), None at the end of the connection."""
        try:
            while len(self.bytes) < 8 or len(self.bytes) < 8 + struct.unpack('<I', self.bytes[4:8])[0]:
                more, fds, _, _ = socket.recv_fds(self.socket, 65536, 8)
                self.descriptors += fds
                if not more:
                    return None
                self.bytes += more
        except ConnectionResetError:
            return None
        number, size = struct.unpack('<II', self.bytes[:8])
        body, self.bytes = self.bytes[8:8 + size], self.bytes[8 + size:]
        return number, body

    def answer(self):
        """The next message that is no line of the log."""
        while True:
            got = self.receive()
            if got is None or got[0] != LOG:
                return got

    def refusal(self):
        """(code, ours, theirs, text)."""
        got = self.answer()
        check(got is not None, 'hung up without a refusal')
        check(got[0] == REFUSE, f'message {got[0]} is no refusal')
        code, _, ours, theirs = struct.unpack('<IIQQ', got[1][:24])
        return code, ours, theirs, got[1][24:].decode()

    def welcomed(self):
        got = self.answer()
        check(got is not None and got[0] == WELCOME, f'not welcomed: {got}')
        return self


class Tests:
    """Functions by the names that --only and the report have."""

    def __init__(self):
        self.all = []

    def __call__(self, function):
        self.all.append(function)
        return function

    def run(self, only, build, *arguments):
        failed = passed = skipped = 0
        for test in self.all:
            name = test.__name__
            if not fnmatch.fnmatch(name, only):
                continue
            start = time.monotonic()
            try:
                with tempfile.TemporaryDirectory(prefix='mgpipe-service-') as folder:
                    why = test(build, folder, *arguments)
            except (Failure, OSError, subprocess.SubprocessError) as e:
                failed += 1
                print(f'fail {name}: {e or type(e).__name__}', flush=True)
                continue
            if why:
                skipped += 1
                print(f'skip {name}: {why}', flush=True)
            else:
                passed += 1
                print(f'ok {name} ({time.monotonic() - start:.1f} s)', flush=True)
        print(f'{passed} passed, {failed} failed, {skipped} skipped')
        return 1 if failed or not passed + skipped else 0
