"""The arithmetic of the curve: which delays to try, which of them are alike, and a day's rows from what was counted.

Data flow: histograms of waits and of rows' lifetimes, recomputed outcomes -> rows of reconciliation/curve
Run: pytest tests/batch/test_points.py
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from pyspark.sql.types import BooleanType, DateType, LongType, StringType, StructField, StructType

from infra.lake.tables import Table
from streaming.views.view import View

CURVE = Table(
    "reconciliation",
    "curve",
    StructType(
        [
            StructField("day", DateType()),
            StructField("view", StringType()),
            StructField("measure", StringType()),
            StructField("delay_seconds", LongType()),
            StructField("in_force", BooleanType()),
            *[StructField(name, LongType()) for name in ("events", "events_in_time", "value", "value_in_time")],
            *[StructField(name, LongType()) for name in ("rows", "rows_final", "state_rows")],
            StructField("run", StringType()),
        ]
    ),
)
"""One measure of a view at one delay; delay and state_rows are null for the night, which has everything."""

GRID = (0, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 43200, 86400, 172800)
"""Delays in seconds; the delay in force is added."""

Histogram = Counter[int]
"""Seconds -> how many."""


@dataclass(frozen=True)
class Waited:
    """Lateness of a view's input events: the day's by arrival, the day's as the stream read them, all that its rows need."""

    log: Histogram = field(default_factory=Counter)
    stream: Histogram = field(default_factory=Counter)
    needed: Histogram = field(default_factory=Counter)


@dataclass(frozen=True)
class Lifetimes:
    """How many rows of a view begin, and how many can no longer change, in each second of event time."""

    opens: Histogram = field(default_factory=Counter)
    closes: Histogram = field(default_factory=Counter)

    def held(self, delay: int) -> int:
        """The most rows that are open at once, to the second, if each stays open for `delay` after it closes."""
        # A row that goes makes room before one that comes in the same second.
        changes = sorted([*self.opens.items(), *((at + delay, -number) for at, number in self.closes.items())])
        return max(accumulate(number for _, number in changes), default=0)


@dataclass(frozen=True)
class Outcome:
    """A view of a day at one delay: its rows that are as in truth, and the sum of each measure."""

    final: int
    sums: tuple[int, ...]


def delays(in_force: int) -> list[int]:
    """The grid with the delay in force."""
    return sorted({*GRID, in_force})


def reached(waits: Histogram, delay: int) -> int | None:
    """The longest wait that a delay covers: delays alike in it are alike in everything. None if it covers none."""
    return max((wait for wait in waits if wait <= delay), default=None)


def steps(waits: Histogram, in_force: int) -> list[int]:
    """The waits up to which a view has to be recomputed: one per different answer, without that of the longest, truth."""
    found = {reached(waits, delay) for delay in delays(in_force)} - {max(waits, default=None)}
    return sorted(step for step in found if step is not None)


def points(
    view: View, waited: Waited, outcomes: Mapping[int | None, Outcome], lives: Lifetimes, in_force: int
) -> Iterator[dict[str, Any]]:
    """The view's rows of CURVE for a day: every delay, then the night. `outcomes` are by step, truth under None."""
    truth = outcomes[None]
    nothing = Outcome(0, (0,) * len(view.measures))
    longest = max(waited.needed, default=None)
    for delay in (*delays(in_force), None):
        step = longest if delay is None else reached(waited.needed, delay)
        outcome = truth if step == longest else nothing if step is None else outcomes[step]
        shared = {
            "view": view.name,
            "delay_seconds": delay,
            "events": waited.log.total(),
            "events_in_time": sum(n for wait, n in waited.log.items() if delay is None or wait <= delay),
            "rows": truth.final,
            "rows_final": outcome.final,
            "state_rows": None if delay is None else lives.held(delay),
            "in_force": delay == in_force,
        }
        for measure, value, in_time in zip(view.measures, truth.sums, outcome.sums, strict=True):
            yield shared | {"measure": measure, "value": value, "value_in_time": in_time}
