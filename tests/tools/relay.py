#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A longer way: passes on what comes by a socket, later and slower.

usage: relay.py LISTEN TO [--delay MS] [--rate MBIT]

LISTEN and TO are unix:PATH or tcp:HOST:PORT (port 0: any). --delay: so long each way; what is on its way does not wait for what is before
it. --rate: so many Mbit/s each way. Descriptors do not pass. Prints `listening on ADDRESS`.
"""

import argparse
import collections
import os
import socket
import sys
import threading
import time

CHUNK = 64 * 1024
IN_FLIGHT = 16 << 20  # bytes each way that wait for their time; then the sender waits


class Way:
    """One direction of a connection."""

    def __init__(self, source, sink, delay, rate):
        self.source, self.sink, self.delay, self.rate = source, sink, delay, rate
        self.waiting, self.bytes = collections.deque(), 0
        self.change = threading.Condition()
        self.free_at = 0.0  # when the wire has taken what was given to it

    def due(self, size):
        now = time.monotonic()
        self.free_at = max(self.free_at, now) + (size * 8 / self.rate if self.rate else 0)
        return self.free_at + self.delay

    def take(self):
        while True:
            try:
                data = self.source.recv(CHUNK)
            except OSError:
                data = b''
            with self.change:
                self.change.wait_for(lambda: self.bytes < IN_FLIGHT)
                self.waiting.append((self.due(len(data)), data))
                self.bytes += len(data)
                self.change.notify_all()
            if not data:
                return

    def give(self):
        while True:
            with self.change:
                self.change.wait_for(lambda: self.waiting)
                due, data = self.waiting.popleft()
                self.bytes -= len(data)
                self.change.notify_all()
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                if not data:
                    self.sink.shutdown(socket.SHUT_WR)
                    return
                self.sink.sendall(data)
            except OSError:
                # The other end is gone: so are we for the one who sends.
                for end in (self.source, self.sink):
                    try:
                        end.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
                return

    def start(self):
        for body in (self.take, self.give):
            threading.Thread(target=body, daemon=True).start()


def new_socket(address):
    """(a socket of the kind, its address)"""
    kind, _, rest = address.partition(':')
    if kind == 'unix':
        return socket.socket(socket.AF_UNIX), rest
    host, _, port = rest.rpartition(':')
    host = host.strip('[]')
    s = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s, (host, int(port))


def name_of(listener):
    at = listener.getsockname()
    return f'unix:{at}' if isinstance(at, str) else f'tcp:{"[" + at[0] + "]" if ":" in at[0] else at[0]}:{at[1]}'


def connect(client, options):
    server, at = new_socket(options.to)
    try:
        server.connect(at)
    except OSError as e:
        print(f'relay: {options.to}: {e}', file=sys.stderr)
        client.close()
        return
    for source, sink in ((client, server), (server, client)):
        Way(source, sink, options.delay / 1000, options.rate * 1e6).start()


def main():
    about, _, usage = __doc__.partition('usage: ')
    parser = argparse.ArgumentParser(usage=usage, description=about)
    parser.add_argument('listen')
    parser.add_argument('to')
    parser.add_argument('--delay', type=float, default=0)
    parser.add_argument('--rate', type=float, default=0)
    options = parser.parse_args()
    listener, at = new_socket(options.listen)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(at)
    listener.listen(64)
    print('listening on', name_of(listener), flush=True)
    while True:
        client, _ = listener.accept()
        if client.family != socket.AF_UNIX:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connect(client, options)


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        os._exit(0)
