"""Processes that one forks which has loaded the libraries: so each costs little.

Data flow: three pipes per process -> processes with them as standard input, output and errors; how each ends -> standard output
Run: daybreak lab direct
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence


def fork(pipes: Sequence[str], work: Callable[[], None]) -> None:
    """Fork a process that does `work` for each "in,out,errors" (numbers of open files), and tell how each of them ends.

    A line per process: its place in `pipes`, and its exit code; that of a signal is negative.
    """
    # Ctrl-C reaches the whole group of processes; the one that started this one ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = [tuple(map(int, three.split(","))) for three in pipes]
    members = {}
    for member, three in enumerate(own):
        if not (pid := os.fork()):
            for standard, end in enumerate(three):
                os.dup2(end, standard)
            _close(own)
            work()
            return
        members[pid] = member
    _close(own)
    # Until here errors went to the first member's pipe, which would not end with it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    while members:
        pid, status = os.wait()
        print(members.pop(pid), os.waitstatus_to_exitcode(status), flush=True)


def _close(pipes: Sequence[tuple[int, ...]]) -> None:
    """A pipe ends with its last holder, so nobody may hold those of others."""
    for three in pipes:
        for end in three:
            os.close(end)
