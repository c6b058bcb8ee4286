#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Objects of every kind come and go: what is alive stays the same, and memory does not grow.

usage: soak.py --build DIR [--driver NAME]... [--form NAME]... [--seconds N] [--self-test] [--verbose]

Runs soak_scene in each driver and form (default: both, spawn; `given`: the form of the environment, as tests/tools/with_server.py sets it)
for N seconds (default: 8). It stands still after every 24 rounds; then
of the program and of its server are counted: descriptors, threads, and every level of their statistics pages (slots, segments,
stage memory held, host objects). After the warm-up each must come back to what it was. In a run of two minutes or more the
resident memory of both may grow by less than 1 MiB a minute, and so may the program's heap. --self-test is the negative control:
a program that keeps one texture at each stop must be told so, by slots and by host objects.
"""

import argparse
import os
import subprocess
import sys
import time

import stats_page

ROUNDS = 24           # a multiple of every period in the scene
SETTLE = 5            # seconds in which what is freed late may come back
SLOPE = 1.0           # MiB a minute
LONG = 120            # seconds from which slopes are judged


class Soak:
    def __init__(self, build, driver, form, leak):
        targets = os.path.join(build, 'src', 'targets')
        kept = ('MGPIPE_CACHE_DIR', 'MGPIPE_HOST') + ('MGPIPE_FORM', 'MGPIPE_TOKEN', 'MGPIPE_TOKEN_FILE', 'MGPIPE_SSH') * (form == 'given')
        env = {k: v for k, v in os.environ.items() if not k.startswith('MGPIPE_') or k in kept}
        env.setdefault('MGPIPE_FORM', form)
        env.update(MGPIPE_DRIVER=driver, LD_LIBRARY_PATH=targets, MGPIPE_SERVER=os.path.join(targets, 'mgpiped'),
                   __EGL_VENDOR_LIBRARY_FILENAMES=os.path.join(targets, 'uninstalled.json'))
        env.setdefault('XDG_RUNTIME_DIR', '/tmp')
        self.program = subprocess.Popen([os.path.join(build, 'tests', 'gates', 'soak_scene'), str(ROUNDS)] + ['leak'] * leak, env=env,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rounds = self.heap = self.server = 0
        self.crosses = form not in ('monolith', 'inproc')

    def next_stop(self):
        line = self.program.stdout.readline().split()
        if line[:1] != ['stop']:
            raise SystemExit(f'soak: the program says {" ".join(line) or "nothing"}, status {self.program.poll()}')
        self.rounds, self.heap = int(line[2]), int(line[4])
        if self.crosses and not self.server:
            self.server = stats_page.read(self.program.pid)['peer']

    def go(self, word='go'):
        self.program.stdin.write(word + '\n')
        self.program.stdin.flush()

    def processes(self):
        return [('program', self.program.pid)] + ([('server', self.server)] if self.server else [])

    def counts(self):
        found = {}
        for who, pid in self.processes():
            found[who, 'descriptors'] = len(os.listdir(f'/proc/{pid}/fd'))
            found[who, 'threads'] = len(os.listdir(f'/proc/{pid}/task'))
            for name, value in stats_page.levels(pid).items():
                found[who, name] = value
        return found

    def memory(self):
        found = {('program', 'heap'): self.heap / 2**20}
        for who, pid in self.processes():
            with open(f'/proc/{pid}/status', encoding='utf-8') as f:
                found[who, 'resident'] = sum(int(line.split()[1]) for line in f if line.startswith('VmRSS:')) / 1024
        return found


def settled(soak, wanted):
    """Counts, once they are what is wanted, or as they are after a while."""
    end = time.monotonic() + SETTLE
    while True:
        counts = soak.counts()
        if counts == wanted or time.monotonic() > end:
            return counts
        time.sleep(0.05)


def slope(points):
    """Of the line through (seconds, MiB), in MiB a minute."""
    n = len(points)
    mean_t, mean_v = sum(t for t, _ in points) / n, sum(v for _, v in points) / n
    spread = sum((t - mean_t) ** 2 for t, _ in points)
    return 60 * sum((t - mean_t) * (v - mean_v) for t, v in points) / spread if spread else 0.0


def run(build, driver, form, seconds, leak=False, verbose=False):
    """(rounds, problems, slopes)"""
    soak = Soak(build, driver, form, leak)
    start = time.monotonic()
    wanted, problems, memory = None, [], {}
    stops = 0
    while True:
        soak.next_stop()
        stops += 1
        now = time.monotonic() - start
        if stops >= 2 and now >= min(60, seconds / 4):
            counts = settled(soak, wanted) if wanted else soak.counts()
            if wanted is None:
                time.sleep(1)
                wanted = counts = soak.counts()
            else:
                problems += [f'{who}: {name}: {wanted.get((who, name))} became {value} after {soak.rounds} rounds'
                             for (who, name), value in counts.items() if value != wanted.get((who, name))]
                for key, value in soak.memory().items():
                    memory.setdefault(key, []).append((now, value))
            if verbose:
                print(f'{now:.0f} s, {soak.rounds} rounds: ' + ', '.join(f'{w} {n} {v}' for (w, n), v in counts.items()) + '; ' +
                      ', '.join(f'{w} {n} {v:.1f} MiB' for (w, n), v in soak.memory().items()), flush=True)
        if wanted and (now >= seconds or len(problems) > 20) and len(next(iter(memory.values()), ())) >= 2:
            break
        soak.go()
    soak.go('end')
    soak.program.stdout.read()
    if soak.program.wait(30):
        problems.append(f'the program ended with {soak.program.returncode}')
    slopes = {f'{who} {name}': slope(points) for (who, name), points in memory.items()}
    if seconds >= LONG:
        problems += [f'{what} grows by {s:.2f} MiB a minute' for what, s in slopes.items() if s >= SLOPE]
    return soak.rounds, problems, slopes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--driver', action='append')
    parser.add_argument('--form', action='append')
    parser.add_argument('--seconds', type=float, default=8)
    parser.add_argument('--self-test', action='store_true')
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    passed = failed = 0
    for driver in options.driver or ('espryt', 'magma'):
        for form in options.form or ('spawn',):
            rounds, problems, slopes = run(build, driver, form, options.seconds, verbose=options.verbose)
            grown = ', '.join(f'{what} {s:+.2f}' for what, s in slopes.items())
            print(f'{"fail" if problems else "ok"} {driver} {form}: {rounds} rounds; MiB a minute: {grown}')
            for problem in problems[:20]:
                print(f'  {problem}')
            passed, failed = passed + (not problems), failed + bool(problems)
        if options.self_test:
            _, problems, _ = run(build, driver, 'spawn', 2, leak=True)
            found = all(any(f' {name}:' in p for p in problems) for name in
                        ('slots', 'espryt.resources' if driver == 'espryt' else 'magma.storages'))
            print(f'{"ok" if found else "fail"} control {driver}: a texture kept at each stop is {"" if found else "not "}noticed')
            passed, failed = passed + found, failed + (not found)
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
