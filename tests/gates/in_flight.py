#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much work waits for a slow host: bounded by count, whatever the machine is busy with.

usage: in_flight.py --build DIR [--self-test]

Runs the scenario draw_without_flush_bounded (a hundred thousand draws and no flush) on magma, on a host that has one thread
less than it could have, with MGPIPE_STATS. The most commands of a context that were submitted and not done must stay within
two long batches, and a submission must have waited for that: else the run proves nothing.
--self-test is the negative control: a bound of half a batch must be reported.
"""

import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenario_modes  # noqa: E402  (how to run scenarios and to read counters)

BATCH = 8192
SLACK = 64  # one record's ranges end the batch that they make long


def counters(build):
    program = os.path.join(build, 'tests', 'scenarios', 'scenarios')
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, 'stats')
        env = scenario_modes.environment(build, 'magma', 'monolith', {'LP_NUM_THREADS': '1'}, stats)
        done = subprocess.run([program, 'draw_without_flush_bounded'], env=env, capture_output=True, text=True, timeout=300,
                              check=False)
        return done.returncode, scenario_modes.totals(stats)


def wrong(counted, batches):
    most, waits = counted.get('magma.commands_in_flight', 0), counted.get('magma.submit_waits', 0)
    if not waits:
        return 'no submission waited: the run proves nothing'
    if not BATCH <= most <= batches * BATCH + SLACK:
        return f'{most} commands were in flight, not {BATCH} to {batches} times as many'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--self-test', action='store_true')
    options = parser.parse_args()
    status, counted = counters(os.path.abspath(options.build))
    problems = [f'the scenario ended with {status}'] if status else []
    if problem := wrong(counted, 2):
        problems.append(problem)
    if options.self_test and not wrong(counted, 0.5):
        problems.append('self-test: half a batch is bound enough')
    for problem in problems:
        print(f'fail in-flight: {problem}')
    print(f'{counted.get("magma.commands_in_flight")} commands in flight, {counted.get("magma.submit_waits")} waits')
    print(f'{int(not problems)} passed, {len(problems)} failed, 0 skipped')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
