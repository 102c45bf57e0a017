"""A seeded shop of two weeks as the report's tables would show it: late events, a gap, a fault on request.

Data flow: seed -> Sources
Run: python tests/batch/report/sample.py page.html
"""

import random
import sys
from collections import Counter
from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from batch.report.gaps import Missed
from batch.report.sources import DAYS, Sources

DAY = date(2026, 1, 31)
WATERMARK = 600
START = datetime.combine(DAY, time(), UTC)
VIEWS = {"totals": ("sales", "pieces", "revenue_cents"), "payments": ("sales", "paid")}
MANY = VIEWS | {f"a_view_with_a_long_name_{number}": ("sales", "pieces") for number in range(3, 14)}
"""Thirteen views."""
CAUSES = ("late", "partner_late", "not_read", "gap", "rule", "duplicate", "conflict")
STAMP = pa.timestamp("us", "UTC")
PROGRESS = pa.schema(
    [
        ("query", pa.string()),
        ("generation", pa.string()),
        ("batch_id", pa.int64()),
        ("committed_at", STAMP),
        ("watermark", STAMP),
        ("max_event_time", STAMP),
        ("visible", pa.map_(pa.string(), STAMP)),
    ]
)
OF_EVENT = pa.schema(
    [
        ("event_time", STAMP),
        ("arrival", STAMP),
        ("generation", pa.string()),
        ("batch_id", pa.int64()),
        ("late_by_ms", pa.int64()),
    ]
)
DELAYS = (0, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 86400)


def sample(seed: int = 7, unexplained: int = 0, views: Collection[str] = tuple(VIEWS)) -> Sources:
    """Two weeks up to DAY; `unexplained` rows of the last one have no cause."""
    dice = random.Random(seed)
    days = [DAY - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    rows = {
        (day, view): dice.randint(1200, 1440) if view == "totals" else dice.randint(8000, 9500)
        for day in days
        for view in views
    }
    differing = {at: 0 if dice.random() < 0.15 else dice.randint(1, at[0].day + 4) for at in rows}
    summary = [
        row
        for (day, view), number in differing.items()
        for row in _summary(dice, day, view, number, unexplained if day == DAY and view == "payments" else 0)
    ]
    waits = {view: {basis: _waits(dice, basis) for basis in ("log", "stream")} for view in views}
    return Sources(
        day=DAY,
        first=days[0],
        summary=tuple(summary),
        curve=tuple(row for day in days for view in views for row in _curve(day, view, rows[day, view], waits[view]["log"])),
        lateness=tuple(
            {"day": DAY, "view": view, "basis": basis, "required_delay_seconds": wait, "events": number, "run": "r"}
            for view, by in waits.items() for basis, counted in by.items() for wait, number in sorted(counted.items())
        ),
        settlements=tuple(_covered(day) for day in days if day != DAY - timedelta(days=3)),
        corrections=tuple(
            {"day": day, "view": view, "key": str(key)} for (day, view), number in differing.items() for key in range(number)
        ),
        conservation=_conservation(),
        gaps=(
            Missed("archive", "sales", 1, 40_000, 40_260, "retention", START, "the disk was full", days[3], days[3], "ada"),
            Missed("stream", "payments", 0, 12_000, 12_090, "retention", START, None, None, days[4]),
        ),
        **_read(dice, views),
    )  # fmt: skip


def many_views() -> Sources:
    """The same with thirteen views."""
    return sample(views=tuple(MANY))


def _summary(dice: random.Random, day: date, view: str, differing: int, unexplained: int) -> list[dict[str, Any]]:
    found = []
    for measure in MANY[view]:
        scale = 4_500 if measure.endswith("cents") else 1
        moved = dict.fromkeys(CAUSES, 0)
        if differing:
            moved["late"] = differing * scale
            moved["partner_late"] = differing // 3 * scale if view == "payments" else 0
            moved["not_read"] = 2 * scale if day.day % 5 == 0 else 0
            moved["duplicate"] = -(differing // 4) * scale
            moved["rule"] = -3 * scale if day.day % 10 == 1 else 0
        said = dice.randint(9_000, 9_800) * scale
        row = {"day": day, "view": view, "measure": measure, "speed": said, **moved}
        truth = said + sum(moved.values()) + unexplained
        found.append(
            row
            | {
                "truth": truth,
                "unexplained": unexplained,
                "rows_differing": differing,
                "rows_unexplained": unexplained,
                "run": f"{day}-5f0c2a1b",
            }
        )
    return found


def _waits(dice: random.Random, basis: str) -> Counter[int]:
    counted = Counter({0: 14_000})
    for _ in range(3_000 if basis == "log" else 3_400):
        counted[int(dice.lognormvariate(1.2, 1.9))] += 1
    for _ in range(140 if basis == "log" else 180):
        counted[int(dice.lognormvariate(7.6, 1.1))] += 1
    return counted


def _curve(day: date, view: str, rows: int, waits: Counter[int]) -> list[dict[str, Any]]:
    found = []
    for delay in (*DELAYS, None):
        in_time = sum(number for wait, number in waits.items() if delay is None or wait <= delay)
        missing = waits.total() - in_time
        for measure in MANY[view]:
            value = 4_500 * waits.total() if measure.endswith("cents") else waits.total()
            found.append({
                "day": day, "view": view, "measure": measure, "delay_seconds": delay, "in_force": delay == WATERMARK,
                "events": waits.total(), "events_in_time": in_time, "value": value,
                "value_in_time": value - missing * (value // waits.total()),
                "rows": rows, "rows_final": max(0, rows - missing * rows // waits.total() - (missing > 0)),
                "state_rows": None if delay is None else 10 + delay // 60, "run": "r",
            })  # fmt: skip
    return found


def _covered(day: date) -> dict[str, Any]:
    settled = datetime.combine(day + timedelta(days=1), time(2, 4), UTC)
    return {"day": day, "revision": 2 if day.day % 6 == 0 else 1, "run": f"{day}-5f0c2a1b", "settled_at": settled}


def _conservation() -> tuple[dict[str, Any], ...]:
    found = []
    for topic, partition, end in (
        ("payments", 0, 61_200),
        ("payments", 1, 60_410),
        ("sales", 0, 99_800),
        ("sales", 1, 101_300),
    ):
        for night, (start, to) in enumerate(((0, end // 2), (end // 2, end))):
            gaps = 260 if (topic, partition) == ("sales", 1) and start <= 40_000 < to else 0
            unread = 90 if (topic, partition) == ("payments", 0) and start <= 12_000 < to else 0
            counts = {
                "log": to - start - gaps,
                "gaps": gaps,
                "empty": 40 if topic == "payments" else 0,
                "unread": unread,
                "quarantined": 120 + partition,
                "duplicates": 900 + night,
            }
            archived = counts["log"] - counts["empty"]
            bronze = archived - unread
            silver = bronze - counts["quarantined"] - counts["duplicates"]
            checked = datetime(2026, 1, 20 + 11 * night, 2, 3, tzinfo=UTC)
            found.append(
                {
                    "day": DAY,
                    "topic": topic,
                    "partition": partition,
                    "from": start,
                    "to": to,
                    **counts,
                    "archived": archived,
                    "bronze": bronze,
                    "silver": silver,
                    "missing": 0,
                    "doubled": 0,
                    "unaccounted": 0,
                    "checked_at": checked,
                }
            )
    return tuple(found)


def _read(dice: random.Random, views: Collection[str]) -> dict[str, pa.Table]:
    """The day's events, one micro-batch a minute with a jam after noon, a build of gold every four hours."""
    batches, events = [], []
    for minute in range(0, 1445):
        at = START + timedelta(minutes=minute + 1)
        jam = timedelta(minutes=max(0, 25 - abs(minute - 780) // 2)) if 730 <= minute <= 830 else timedelta()
        done = at + timedelta(seconds=dice.uniform(2, 7)) + jam
        later = {
            f"speed/{view}": done + timedelta(seconds=dice.uniform(lag, lag * 4)) for lag, view in enumerate(views, 2)
        }
        shown = {"bronze/events": done - timedelta(seconds=1.4), "silver/events": done, **later}
        batches.append(
            {
                "query": "ingest",
                "generation": "a",
                "batch_id": minute,
                "committed_at": max(later.values()),
                "watermark": at - timedelta(seconds=WATERMARK),
                "max_event_time": at,
                "visible": list(shown.items()),
            }
        )
        if minute < 1440:
            for _ in range(dice.randint(4, 18)):
                happened = at - timedelta(seconds=dice.uniform(0, 60))
                late = dice.random() < 0.01
                arrived = at - timedelta(seconds=dice.uniform(0, 3)) if not late else at
                events.append(
                    {
                        "event_time": happened,
                        "arrival": max(happened, arrived),
                        "generation": "a",
                        "batch_id": minute,
                        "late_by_ms": 90_000 if late else 0,
                    }
                )
    builds = [
        {"started_at": START + timedelta(hours=4 * n), "built_at": START + timedelta(hours=4 * n, minutes=2)}
        for n in range(1, 8)
    ]
    return {
        "events": pa.Table.from_pylist(events, OF_EVENT),
        "progress": pa.Table.from_pylist(batches, PROGRESS),
        "builds": pa.Table.from_pylist(builds, pa.schema([("started_at", STAMP), ("built_at", STAMP)])),
    }


if __name__ == "__main__":
    from batch.report.figures import figures
    from batch.report.page import page

    Path(sys.argv[1]).write_text(
        page(figures(sample(unexplained=int((sys.argv[2:] or ["0"])[0]))), "http://127.0.0.1:21006")
    )
