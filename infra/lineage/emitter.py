"""Events on their way, in a thread of their own: nothing that can happen to them stops or delays the program that says them.

Data flow: run event -> a bounded queue -> the place; what is not delivered -> a number, a line in the log, a problem
Run: pytest tests/infra/lineage/test_emitter.py

While the place does not answer, events wait and the oldest is tried again. Beyond QUEUED the new ones are lost, and at the
program's end those that could not be delivered within LAST_SECONDS. How many were lost is told.
"""

import threading
from collections import deque
from itertools import chain, repeat

from openlineage.client.event_v2 import RunEvent

from infra import logs
from infra.lineage.place import Refused, Send
from infra.lineage.start import told
from infra.settings import Settings

QUEUED = 1000
"""Events that wait at most: a build of gold says some two hundred."""
WAITS = (1.0, 2.0, 5.0, 15.0, 30.0)
"""Seconds before the second try of an event, the third, ...; then always the last of these."""
LAST_SECONDS = 5.0
"""How long a program waits at its end for events that are still on their way."""
LONGEST = 300
"""Characters of a reason that are told."""


class Emitter:
    """The events of one program. `lost`: how many were not delivered."""

    def __init__(self, s: Settings, program: str, send: Send, queued: int = QUEUED) -> None:
        self.lost = 0
        self._settings, self._program, self._send, self._queued = s, program, send, queued
        self._events: deque[RunEvent] = deque()
        self._changed = threading.Condition()
        self._is_closing, self._is_over = False, False
        self._is_away = False
        self._problem, self._said = "", set[str]()
        self._is_known_well = False
        self._thread = threading.Thread(target=self._work, name="lineage", daemon=True)
        self._thread.start()

    def emit(self, event: RunEvent) -> None:
        """Take an event; it is delivered later, or lost."""
        with self._changed:
            if len(self._events) < self._queued:
                self._events.append(event)
                self._changed.notify()
                return
        self.lose(f"{self._queued} lineage events wait already for {self._settings.lineage}")

    def lose(self, why: str) -> None:
        """Count an event that is lost, or could not be made; each reason is told once."""
        with self._changed:
            self.lost += 1
        self.tell(why)

    def tell(self, what: str) -> None:
        """Tell what is wrong, in a sentence, once."""
        with self._changed:
            is_new = what not in self._said
            self._said.add(what)
        if is_new:
            self._tell(what)

    def close(self) -> None:
        """Wait for what is on its way, a few seconds at most; the rest is lost."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join(LAST_SECONDS)
        # What the thread still learns comes too late to be told.
        self._is_over = True
        self.lost += len(self._events) + self._thread.is_alive()
        if self.lost:
            logs.line(f"{self.lost} lineage events were lost", self._source)
            self._keep(f"{self._problem or 'the program ended before they were taken'}: {self.lost} events were lost")

    @property
    def _source(self) -> str:
        return f"daybreak {self._program}"

    def _work(self) -> None:
        while (event := self._next()) is not None:
            if not self._delivered(event):
                with self._changed:
                    self.lost += 1

    def _next(self) -> RunEvent | None:
        """The next event; None: there is none left, and the program ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._events or self._is_closing)
            return self._events.popleft() if self._events else None

    def _delivered(self, event: RunEvent) -> bool:
        """Try until the place takes the event. False: the program ended before it did."""
        for wait in chain(WAITS, repeat(WAITS[-1])):
            if self._is_closing and self._is_away:
                return False
            try:
                self._send(event)
            except Refused as refused:
                self.lose(f"{self._settings.lineage} refuses a lineage event: {refused}")
                return True
            # Whatever it is, it must not end the thread: then nothing would be told any more.
            except Exception as failure:
                if not self._is_away:
                    self._is_away = True
                    where = self._settings.lineage
                    self._tell(f"{where} does not take lineage events: {type(failure).__name__}: {failure}")
            else:
                self._well()
                return True
            with self._changed:
                self._changed.wait_for(lambda: self._is_closing, wait)
        raise AssertionError("the waits have no end")

    def _tell(self, why: str) -> None:
        if self._is_over:
            return
        self._problem = " ".join(why.split())[:LONGEST]
        logs.line(f"{self._problem}. The work goes on, and this is said once", self._source)
        self._keep(self._problem)

    def _well(self) -> None:
        if self._is_away:
            logs.line(f"{self._settings.lineage} takes lineage events again; {self.lost} were lost", self._source)
        if (self._is_away or not self._is_known_well) and not self._said:
            # A program before this one may have left the problem.
            self._keep(None)
        self._is_away, self._is_known_well = False, True

    def _keep(self, what: str | None) -> None:
        told(self._settings, self._program, what, self.lost)
