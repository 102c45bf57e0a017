"""Figures of conservation for the chart: how many offsets of each partition have which outcome, and the gaps.

Data flow: reconciliation/conservation, archive/gaps, bronze/gaps -> Kept per partition, Lost per gap
Run: daybreak gaps
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from batch.archive.events import ARCHIVE_GAPS
from batch.conservation.check import CONSERVATION
from batch.conservation.offset_counts import FAULTS
from batch.report.drilldown import Behind, quoted, select
from batch.report.gaps import Missed
from infra.kafka.places import At
from streaming.positions.gaps import BRONZE_GAPS

PARTS = ("silver", "duplicates", "quarantined", "empty", "unread", "gaps", "accepted", "unaccounted")
"""The outcomes of an offset. If they do not add up to the whole range, offsets are missing."""


@dataclass(frozen=True)
class Kept:
    """The offsets [start, end) of a partition over all checks, by outcome; `faults`: how many do not add up."""

    topic: str
    partition: int
    start: int
    end: int
    parts: Mapping[str, int]
    faults: int
    behind: Behind


@dataclass(frozen=True)
class Lost:
    """An accepted gap of the archive (its records are missing from all totals) or of the stream.

    `concerns_day`: may it contain records of the report's day?
    """

    by: str
    topic: str
    partition: int
    start: int
    end: int
    cause: str
    days: str
    note: str
    concerns_day: bool
    behind: Behind


def kept(conservation: Iterable[Mapping[str, Any]]) -> tuple[Kept, ...]:
    """Figures per partition. An unsound range is counted again from the same offset, and the last count is used."""
    latest: dict[tuple[str, int, int], Mapping[str, Any]] = {}
    for row in sorted(conservation, key=lambda row: row["checked_at"]):
        latest[row["topic"], row["partition"], row["from"]] = row
    of: dict[At, list[Mapping[str, Any]]] = {}
    for (topic, partition, _), row in sorted(latest.items()):
        of.setdefault((topic, partition), []).append(row)
    return tuple(_kept(topic, partition, rows) for (topic, partition), rows in of.items())


def _kept(topic: str, partition: int, rows: list[Mapping[str, Any]]) -> Kept:
    start, end = rows[0]["from"], max(row["to"] for row in rows)
    # Rows of an older version have no `accepted`.
    parts = {name: sum(row.get(name) or 0 for row in rows) for name in PARTS}
    # Offsets without an outcome are missing, and so are those between two ranges.
    parts["missing"] = max(end - start - sum(parts.values()), 0)
    faults = sum(row[name] for row in rows for name in FAULTS) or parts["missing"]
    named = ", ".join(f"{name} {number:,}" for name, number in parts.items() if number)
    say = f"{topic}-{partition}, offsets {start:,} to {end - 1:,}: {named or 'nothing'}; " + (
        f"{faults:,} do not add up" if faults else "all accounted for"
    )
    sql = select("*", CONSERVATION.sql, *_at(topic, partition), order="checked_at")
    return Kept(topic, partition, start, end, parts, faults, Behind(say, sql))


def lost(gaps: Iterable[Missed], day: date) -> tuple[Lost, ...]:
    """Every gap, the archive's first."""
    found = []
    for gap in gaps:
        table = ARCHIVE_GAPS.sql if gap.by == "archive" else BRONZE_GAPS.sql
        say = f"gap of the {gap.by}: {gap.topic}-{gap.partition}, offsets {gap.start:,} to {gap.end - 1:,}, {gap.cause}"
        sql = select("*", table, *_at(gap.topic, gap.partition), f"`from` = {gap.start}")
        at = (gap.by, gap.topic, gap.partition, gap.start, gap.end)
        note = (gap.note or "") + (f" ({gap.accepted_by})" if gap.accepted_by else "")
        found.append(Lost(*at, gap.cause, gap.days, note, gap.touches(day, day), Behind(say, sql)))
    return tuple(found)


def _at(topic: str, partition: int) -> tuple[str, str]:
    return f"topic = {quoted(topic)}", f"partition = {partition}"
