"""The arithmetic of the curve: which delays to try, which of them give the same result, and a day's rows of CURVE.

Data flow: histograms of waits and of rows' lifetimes, recomputed outcomes -> rows of reconciliation/curve
Run: pytest tests/batch/test_points.py
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from infra.lake.columns import column, struct
from infra.lake.tables import Table
from streaming.views.view import View

CURVE = Table(
    "reconciliation",
    "curve",
    struct(
        column("day", "date", "The settled day"),
        column("view", "string", "The view"),
        column("measure", "string", "The column of the view that is summed"),
        column("delay_seconds", "bigint", "The allowed lateness; null for the night, which waits for everything"),
        column("in_force", "boolean", "Was it the stream's setting when the curve was drawn?"),
        column("events", "bigint", "Input events of the day"),
        column("events_in_time", "bigint", "Input events that are on time with this delay"),
        column("value", "bigint", "The measure's sum in the truth"),
        column("value_in_time", "bigint", "The measure's sum, computed from the events on time"),
        column("rows", "bigint", "Rows of the view in the truth"),
        column("rows_final", "bigint", "Rows that equal the truth when computed from the events on time"),
        column("state_rows", "bigint", "Largest number of rows that the stream would hold open; null for the night"),
        column("run", "string", "The night that settled the day"),
    ),
    description="The latency-completeness curve: what the stream would have answered with an allowed lateness, per measure.",
)
"""One measure of a view at one delay; delay and state_rows are null for the night, which waits for everything."""

GRID = (0, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 43200, 86400, 172800)
"""Delays in seconds; the delay in force is added."""

Histogram = Counter[int]
"""Seconds -> number of events or rows."""


@dataclass(frozen=True)
class Waited:
    """Lateness of a view's input events, as histograms of required delays.

    `log`: the day's events by Basis.LOG; `stream`: the day's by Basis.STREAM; `needed`: all events that the day's rows need,
    by Basis.LOG.
    """

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
        # In the same second, rows that close are counted before rows that open.
        changes = sorted([*self.opens.items(), *((at + delay, -number) for at, number in self.closes.items())])
        return max(accumulate(number for _, number in changes), default=0)


@dataclass(frozen=True)
class Outcome:
    """A view of a day at one delay: `final`, how many rows equal truth, and the sum of each measure."""

    final: int
    sums: tuple[int, ...]


def delays(in_force: int) -> list[int]:
    """The grid with the delay in force."""
    return sorted({*GRID, in_force})


def reached(waits: Histogram, delay: int) -> int | None:
    """The longest wait that a delay covers, None if it covers none. Delays with the same longest wait give the same rows."""
    return max((wait for wait in waits if wait <= delay), default=None)


def steps(waits: Histogram, in_force: int) -> list[int]:
    """The waits up to which a view is recomputed, one per different answer; not the longest, whose answer is truth."""
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
