"""The waterfall: the steps from the stream's sum to the truth's, one per cause.

Data flow: reconciliation/summary -> Waterfall per day, view and measure
Run: pytest tests/batch/report/test_figures.py
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from batch.reconciliation.causes import STEPS
from batch.reconciliation.evidence import EVIDENCE
from batch.report.drilldown import Behind, differing, of_day, quoted, select


class Kind(StrEnum):
    """What a step is: a layer's total, a cause between the two, or what no cause accounts for."""

    SPEED = "speed"
    CAUSE = "cause"
    FAULT = "fault"
    TRUTH = "truth"


@dataclass(frozen=True)
class Step:
    """A step from `start` to `end`, in the unit of the measure; for a total the two are equal."""

    name: str
    kind: Kind
    start: int
    end: int
    behind: Behind


@dataclass(frozen=True)
class Waterfall:
    """The waterfall of one measure; a cause that changed nothing has no step."""

    day: date
    view: str
    measure: str
    steps: tuple[Step, ...]


def waterfalls(summary: Iterable[Mapping[str, Any]]) -> tuple[Waterfall, ...]:
    """One waterfall per row of the summary, with the causes in the order in which reconciliation adds them."""
    rows = sorted(summary, key=lambda row: (row["day"], row["view"]))
    return tuple(Waterfall(row["day"], row["view"], row["measure"], tuple(_steps(row))) for row in rows)


def _steps(row: Mapping[str, Any]) -> Iterable[Step]:
    day, view, measure, at = row["day"], row["view"], row["measure"], row["speed"]
    head = f"{day}, {view}, {measure}"
    said = select("*", f"speed.{view}", *of_day(day), order="generation, as_of")
    yield Step("speed", Kind.SPEED, at, at, Behind(f"{head}: the stream had {at:,}", said, day))
    for cause in [*(step.value for step in STEPS), "unexplained"]:
        if moved := row[cause]:
            kind = Kind.FAULT if cause == "unexplained" else Kind.CAUSE
            say = f"{head}: {cause.replace('_', ' ')} {moved:+,}"
            yield Step(cause, kind, at, at + moved, Behind(say, _behind(day, view, cause), day))
            at += moved
    right = select("*", f"truth.{view}", *of_day(day))
    yield Step(
        "truth", Kind.TRUTH, row["truth"], row["truth"], Behind(f"{head}: the truth is {row['truth']:,}", right, day)
    )


def _behind(day: date, view: str, cause: str) -> str:
    if cause == "unexplained":
        return differing(day, view, "key, speed, counted, truth", f"array_contains(causes, {quoted(cause)})")
    columns = (
        "side, event_id, event_type, event_time, arrival, late_by_ms / 1000 AS late_seconds, topic, partition, offset"
    )
    return select(columns, EVIDENCE.sql, *of_day(day, view), f"cause = {quoted(cause)}", order="event_time")
