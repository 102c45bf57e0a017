"""The tables that a report is made of, read once, without Spark.

Data flow: the lake -> Sources
Run: python -m batch.report --date 2026-01-31
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from batch.conservation.check import CONSERVATION
from batch.corrections.ledger import CORRECTIONS
from batch.curve.lateness import EVENT_LATENESS
from batch.curve.points import CURVE
from batch.reconciliation.differences import SUMMARY
from batch.report.gaps import Missed, missed
from batch.report.problems import Known, known
from batch.settlement.settlements import SETTLEMENTS
from infra.failing import Failing, failing
from infra.failures import PermanentFailure
from infra.lake.reader import exists, read
from infra.settings import Settings
from streaming.monitor.freshness import AHEAD, BUILDS, OF_EVENT, no_builds
from streaming.tables.progress import PROGRESS as PROGRESS_TABLE
from streaming.tables.silver import SILVER

DAYS = 14
"""Number of days that the page covers, its own day included."""

PROGRESS = ["query", "generation", "batch_id", "committed_at", "watermark", "max_event_time", "visible"]

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Sources:
    """Rows of the days [first, day]; `curve` and `lateness` hold these days too, `events` the events of `day` alone.

    `events` (event_time, arrival, generation, batch_id, late_by_ms), `progress` and `builds` are Arrow, as freshness reads them.
    """

    day: date
    first: date
    summary: tuple[Row, ...]
    curve: tuple[Row, ...]
    lateness: tuple[Row, ...]
    settlements: tuple[Row, ...]
    corrections: tuple[Row, ...]
    conservation: tuple[Row, ...]
    gaps: tuple[Missed, ...]
    events: pa.Table
    progress: pa.Table
    builds: pa.Table
    failing: Failing | None = None
    known: Known | None = None


def sources(s: Settings, day: date) -> Sources:
    """Read the tables once.

    Raises PermanentFailure if no night has compared the day, TransientFailure if the object store does not answer.
    """
    first = day - timedelta(days=DAYS - 1)
    span = (pc.field("day") >= first) & (pc.field("day") <= day)
    summary = _rows(s, SUMMARY.id, where=span)
    if not any(row["day"] == day for row in summary):
        raise PermanentFailure(f"no night has compared {day} yet: daybreak backfill --from {day} --to {day}")
    start = datetime.combine(day, time(), UTC)
    at = pc.field("event_time")
    # The day is the table's partition: without it every file would be opened.
    of_day = (pc.field("day") == day) & (at >= start) & (at < start + timedelta(days=1))
    began = pc.field("started_at") >= start - AHEAD
    return Sources(
        day=day,
        first=first,
        summary=summary,
        curve=_rows(s, CURVE.id, where=span),
        lateness=_rows(s, EVENT_LATENESS.id, where=pc.field("day") == day),
        settlements=_rows(s, SETTLEMENTS.id, where=pc.field("day") >= first),
        corrections=_rows(s, CORRECTIONS.id, ["day", "view", "key"], span),
        conservation=_rows(s, CONSERVATION.id),
        gaps=tuple(missed(s)),
        events=read(s, SILVER.id, [*OF_EVENT, "late_by_ms"], where=of_day),
        progress=read(s, PROGRESS_TABLE.id, PROGRESS, where=pc.field("committed_at") >= start - AHEAD),
        builds=read(s, BUILDS, ["started_at", "built_at"], where=began) if exists(s, BUILDS) else no_builds(),
        failing=failing(s),
        known=known(s),
    )


def _rows(
    s: Settings, table: str, columns: list[str] | None = None, where: pc.Expression | None = None
) -> tuple[Row, ...]:
    """The table's rows; empty if the table does not exist yet, in a lake without a night or of an older version."""
    return tuple(read(s, table, columns, where=where).to_pylist()) if exists(s, table) else ()
