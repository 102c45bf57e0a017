"""Figures of the latency-completeness curve, and of lateness as a histogram with the watermark, for the charts.

Data flow: reconciliation/{curve,lateness} of a day -> CurveOf and LatenessOf per view
Run: daybreak report --date 2026-01-31
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

from batch.curve.lateness import EVENT_LATENESS
from batch.curve.points import CURVE
from batch.reconciliation.evidence import EVIDENCE
from batch.report.curves import Curve, Part, drawn, percent, span_of
from batch.report.drilldown import Behind, of_day, select

Row = Mapping[str, Any]

EDGES = (0, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800)
"""Upper ends (inclusive) of the histogram's bins in seconds. The watermark is added, so that no bin lies on both sides of it."""


@dataclass(frozen=True)
class PointOf:
    """One delay in seconds, None for the night; `lines`: per line of the chart, how many and of how many."""

    delay_seconds: int | None
    label: str
    is_in_force: bool
    lines: Mapping[str, Part]
    behind: Behind


@dataclass(frozen=True)
class CurveOf:
    """A view's curve; `needed` are the smallest delays in seconds for 99, 99.9 and 99.99 % of the events."""

    view: str
    points: tuple[PointOf, ...]
    needed: Mapping[str, int]


@dataclass(frozen=True)
class Bin:
    """Events that need a delay in (`above`, `to`] seconds; `to` is None in the last bin; the first bin is exactly 0 s."""

    above: int
    to: int | None
    label: str
    is_late: bool
    as_read: int
    in_order: int
    behind: Behind


@dataclass(frozen=True)
class LatenessOf:
    """A view's histogram; `watermark` is the delay in force, in seconds."""

    view: str
    watermark: int
    bins: tuple[Bin, ...]


def curves_of(day: date, curve: Iterable[Row], waits: Iterable[Row]) -> tuple[CurveOf, ...]:
    """A curve per view; empty if the day has none yet."""
    return tuple(_curve(day, one) for one in drawn(curve, waits, 1))


def _curve(day: date, curve: Curve) -> CurveOf:
    points = []
    for point in curve.points:
        delay = point.delay_seconds
        label = "the night" if delay is None else span_of(delay)
        lines = {
            "events in time": point.events,
            "on time in the micro-batches": point.as_read,
            "rows final": point.rows,
        }
        lines |= dict(point.measures)
        shares = ", ".join(f"{name} {percent(part)} %" for name, part in lines.items())
        say = f"{curve.view}, {label}{' (in force)' if point.in_force else ''}: {shares}"
        where = "delay_seconds IS NULL" if delay is None else f"delay_seconds = {delay}"
        sql = select("*", CURVE.sql, *of_day(day, curve.view), where, order="measure")
        points.append(PointOf(delay, label, point.in_force, lines, Behind(say, sql, day)))
    needed = {f"{float(share) * 100:.2f}".rstrip("0").rstrip("."): seconds for share, seconds in curve.needed.items()}
    return CurveOf(curve.view, tuple(points), needed)


def lateness_of(day: date, curve: Iterable[Row], waits: Iterable[Row]) -> tuple[LatenessOf, ...]:
    """A histogram per view that has a curve on the day; the curve's rows tell the delay in force."""
    watermarks = {row["view"]: row["delay_seconds"] for row in curve if row["in_force"]}
    rows = list(waits)
    return tuple(
        LatenessOf(view, watermark, _bins(day, view, watermark, [row for row in rows if row["view"] == view]))
        for view, watermark in sorted(watermarks.items())
    )


def _bins(day: date, view: str, watermark: int, rows: list[Row]) -> tuple[Bin, ...]:
    edges: list[int | None] = [*sorted({*EDGES, watermark}), None]
    found = []
    for above, to in [(-1, 0), *pairwise(edges)]:
        assert above is not None
        own = [
            row
            for row in rows
            if row["required_delay_seconds"] > above and (to is None or row["required_delay_seconds"] <= to)
        ]
        as_read, in_order = (sum(row["events"] for row in own if row["basis"] == basis) for basis in ("stream", "log"))
        label = "in order" if to == 0 else f"over {span_of(above)}" if to is None else f"up to {span_of(to)}"
        is_late = above >= watermark
        say = (
            f"{view}, {label}: {as_read:,} events on time in the micro-batches, {in_order:,} in order of arrival; "
            + ("late, behind the watermark" if is_late else "in time")
        )
        found.append(
            Bin(above, to, label, is_late, as_read, in_order, Behind(say, _rows(day, view, watermark, above, to), day))
        )
    while found and not (found[-1].as_read or found[-1].in_order or found[-1].to == watermark):
        found.pop()
    return tuple(found)


def _rows(day: date, view: str, watermark: int, above: int, to: int | None) -> str:
    if above < watermark:
        span = (f"required_delay_seconds > {above}", *([] if to is None else [f"required_delay_seconds <= {to}"]))
        return select(
            "basis, required_delay_seconds, events",
            EVENT_LATENESS.sql,
            *of_day(day, view),
            *span,
            order="basis, required_delay_seconds",
        )
    # An event that is late by x needs a delay of x plus the delay in force.
    late = (
        f"late_by_ms > {(above - watermark) * 1000}",
        *([] if to is None else [f"late_by_ms <= {(to - watermark) * 1000}"]),
    )
    columns = "late_by_ms / 1000 AS late_seconds, event_id, event_type, event_time, arrival, topic, partition, offset"
    return select(columns, EVIDENCE.sql, *of_day(day, view), *late, order="late_by_ms")
