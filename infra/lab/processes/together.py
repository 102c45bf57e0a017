"""Runs that are measured side by side: they begin at one moment, and if one of them fails or Ctrl-C comes, all end.

Data flow: one call per transport -> a thread each -> what they return
Run: daybreak lab direct
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

One = TypeVar("One")
Made = TypeVar("Made")


class Stopped(Exception):
    """Another run has failed, or the lab is interrupted."""


class Together:
    """What the runs wait for. Each wait raises Stopped as soon as all are to end."""

    def __init__(self, runs: int) -> None:
        self._start = threading.Barrier(runs)
        self._stopped = threading.Event()

    def begin(self) -> None:
        """Wait until all are ready to begin."""
        try:
            self._start.wait()
        except threading.BrokenBarrierError:
            raise Stopped from None

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        if self._stopped.wait(seconds):
            raise Stopped

    def stop(self) -> None:
        """All are to end."""
        self._stopped.set()
        self._start.abort()


def side_by_side(ones: Sequence[One], call: Callable[[One, Together], Made]) -> list[Made]:
    """Call it with each, at once; the results in their order. Raises what the first one to fail raised."""
    together = Together(len(ones))
    with ThreadPoolExecutor(len(ones)) as pool:
        calls = [pool.submit(call, one, together) for one in ones]
        try:
            wait(calls, return_when=FIRST_EXCEPTION)
        finally:
            together.stop()
    for failure in (done.exception() for done in calls):
        if failure and not isinstance(failure, Stopped):
            raise failure
    return [done.result() for done in calls]
