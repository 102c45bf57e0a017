"""The latency-completeness curve of each view over several days, and the smallest sufficient delays.

Data flow: reconciliation/curve, reconciliation/lateness -> one Curve per view
Run: daybreak curve --days 3
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from batch.curve.lateness import EVENT_LATENESS
from batch.curve.points import CURVE
from infra.lake.reader import read
from infra.settings import Settings

SHARES = (Fraction(99, 100), Fraction(999, 1000), Fraction(9999, 10000))
"""Shares of a view's events for which the smallest delay is computed."""

Part = tuple[int, int]
"""How many, and of how many."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Point:
    """A view with one delay (None is the night). `as_read`: events on time in the stream's actual micro-batches."""

    delay_seconds: int | None
    in_force: bool
    events: Part
    as_read: Part
    measures: Mapping[str, Part]
    rows: Part
    state_rows: int | None


@dataclass(frozen=True)
class Curve:
    """A view over some days: its points by delay, the night last; the smallest delay in seconds for each of SHARES."""

    view: str
    days: tuple[date, ...]
    points: tuple[Point, ...]
    needed: Mapping[Fraction, int]


def curves(s: Settings, days: int) -> list[Curve]:
    """A curve per view over the last `days` days that have one; empty before the first night."""
    return drawn(read(s, CURVE.id).to_pylist(), read(s, EVENT_LATENESS.id).to_pylist(), days)


def drawn(curve: Iterable[Row], waits: Iterable[Row], days: int) -> list[Curve]:
    """As `curves`, from the tables' rows. A delay that some day lacks is left out, unless it is the delay in force."""
    rows, waited = list(curve), list(waits)
    latest = sorted({row["day"] for row in rows})[-days:]
    return [
        _of_view(
            view,
            [row for row in rows if row["view"] == view and row["day"] in latest],
            [row for row in waited if row["view"] == view and row["day"] in latest],
        )
        for view in sorted({row["view"] for row in rows if row["day"] in latest})
    ]


def _of_view(view: str, rows: list[Row], waited: list[Row]) -> Curve:
    days = tuple(sorted({row["day"] for row in rows}))
    arrived, as_read = (_summed(waited, basis) for basis in ("log", "stream"))
    by_delay: dict[int | None, list[Row]] = {}
    for row in rows:
        by_delay.setdefault(row["delay_seconds"], []).append(row)
    in_force = next(row["delay_seconds"] for row in rows if row["in_force"] and row["day"] == days[-1])
    whole = [delay for delay, own in by_delay.items() if {row["day"] for row in own} == set(days)]
    points = []
    for delay in sorted({*whole, in_force}, key=lambda delay: (delay is None, delay or 0)):
        # The delay in force may be newer than some days. Then only its shares of events are known, from their waits.
        own = by_delay[delay] if delay in whole else []
        # CURVE repeats `rows` for every measure: count them once per day.
        once = list({row["day"]: row for row in own}.values())
        points.append(
            Point(
                delay_seconds=delay,
                in_force=delay == in_force,
                events=_in_time(arrived, delay),
                as_read=_in_time(as_read, delay),
                measures={name: _measured(own, name) for name in dict.fromkeys(row["measure"] for row in rows)},
                rows=(sum(row["rows_final"] for row in once), sum(row["rows"] for row in once)),
                state_rows=max((row["state_rows"] for row in once), default=None) if delay is not None else None,
            )
        )
    return Curve(view, days, tuple(points), {share: delay_for(arrived, share) for share in SHARES})


def _summed(waited: Iterable[Row], basis: str) -> Counter[int]:
    histogram: Counter[int] = Counter()
    for row in waited:
        if row["basis"] == basis:
            histogram[row["required_delay_seconds"]] += row["events"]
    return histogram


def _in_time(waits: Counter[int], delay: int | None) -> Part:
    return sum(number for wait, number in waits.items() if delay is None or wait <= delay), waits.total()


def _measured(rows: Iterable[Row], measure: str) -> Part:
    own = [row for row in rows if row["measure"] == measure]
    return sum(row["value_in_time"] for row in own), sum(row["value"] for row in own)


def delay_for(waits: Counter[int], share: Fraction) -> int:
    """The smallest delay in seconds with which at least `share` of the events are in time; 0 where there are none."""
    in_time = 0
    for wait, number in sorted(waits.items()):
        in_time += number
        if in_time >= share * waits.total():
            return wait
    return 0


def percent(part: Part) -> str:
    """A share in percent, cut off after three places and never rounded up: only the whole is 100."""
    some, whole = part
    if not whole:
        return "-"
    if some == whole:
        return "100"
    thousandths = abs(some) * 100_000 // whole
    return f"{'-' if some < 0 else ''}{thousandths // 1000}.{thousandths % 1000:03}"


def span_of(seconds: int) -> str:
    """Seconds in words, e.g. 1 h 2 min 5 s."""
    parts = ((seconds // 3600, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"
