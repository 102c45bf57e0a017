"""The stream's own upkeep, beside its micro-batches: small files are put together every two minutes, the rest once a day.

Data flow: the stream's tables -> compact, forget, vacuum by delta-rs, in a thread of the stream's process
Run: python -m streaming

A micro-batch leaves a file per table and day. Without this, a look-up, a restart and a night would cost more with every
hour. A compaction and an append do not conflict, and both are this process's.
"""

import sys
from collections.abc import Sequence
from threading import Event, Thread

from deltalake.exceptions import DeltaError

from infra.failures import TransientFailure
from infra.lake.tables import Table
from infra.lake.upkeep import Daily, compact, shorten, tidy

EVERY_SECONDS = 120
SHORTEN_EVERY = 5
"""Rounds, so that a log is at most ten minutes longer than its table keeps it."""


class Upkeep:
    """The thread; `stop` waits for what it is doing."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = tables
        self._stop = Event()
        self._daily = Daily()
        self._rounds = 0
        self._thread = Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Begin; the first compaction comes after EVERY_SECONDS."""
        self._thread.start()

    def stop(self) -> None:
        """Let a compaction end and begin no other."""
        self._stop.set()
        self._thread.join(timeout=30)

    def _run(self) -> None:
        while not self._stop.wait(EVERY_SECONDS):
            try:
                self._once()
            except (DeltaError, OSError, TransientFailure) as failure:
                # Tables stay right without it; the next round tries again.
                print(f"daybreak stream: upkeep failed and will be tried again: {failure}", file=sys.stderr, flush=True)

    def _once(self) -> None:
        if self._daily.due():
            tidy(self._tables)
        self._rounds += 1
        for table in self._tables:
            if self._stop.is_set():
                return
            compact(table)
            if self._rounds % SHORTEN_EVERY == 0:
                shorten(table)
