"""Freshness hour by hour, and how far the stream was behind the log while it read the day.

Data flow: silver/events of a day, speed/progress, gold/rpt_builds -> Fresh per hour and stage, Lagging over time
Run: daybreak freshness --hours 24
"""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from batch.report.drilldown import Behind, quoted, select
from infra.durations import span
from infra.lake.database import database
from streaming.monitor.freshness import Clock, no_builds, summary_by_hour, visible
from streaming.tables.progress import INGEST, PROGRESS
from streaming.tables.silver import SILVER

SLOTS = 96
"""Number of slots into which the time of reading the day is divided; each shows its largest lag, so no peak is lost."""
SENT_LATER = 3600.0
"""Seconds. If the median age at every stage and hour is larger, the events were sent (or read) long after they happened."""


@dataclass(frozen=True)
class Fresh:
    """Seconds from `clock` until on-time events of one hour (UTC) were visible in a stage; None if none is visible yet."""

    clock: str
    hour: datetime
    stage: str
    events: int
    p50: float | None
    p95: float | None
    p99: float | None
    behind: Behind


@dataclass(frozen=True)
class Lagging:
    """The most events that were in the log and not yet in silver, in a slot of time that begins at `at`."""

    at: datetime
    events: int
    behind: Behind


def fresh(day: date, events: pa.Table, progress: pa.Table, builds: pa.Table) -> tuple[Fresh, ...]:
    """Freshness by both clocks, of the on-time events among `events`.

    `events`: event_time, arrival, generation, batch_id, late_by_ms. `progress`, `builds`: as freshness reads them.
    """
    placed = visible(events.filter(pc.equal(events["late_by_ms"], 0)), progress, builds)
    return tuple(
        Fresh(
            clock.value,
            one.hour,
            one.stage,
            one.events,
            one.p50,
            one.p95,
            one.p99,
            _hour(day, clock, one.hour, one.stage, one),
        )
        for clock in Clock
        for one in summary_by_hour(placed, clock)
        if one.hour is not None
    )


def _hour(day: date, clock: Clock, hour: datetime, stage: str, one: object) -> Behind:
    cuts = [getattr(one, name) for name in ("p50", "p95", "p99")]
    said = (
        "not visible yet"
        if cuts[0] is None
        else ", ".join(f"p{n} {span(cut)}" for n, cut in zip((50, 95, 99), cuts, strict=True))
    )
    of = (f"day = {quoted(day)}", "late_by_ms = 0", f"date_trunc('HOUR', {clock.column}) = {quoted(hour)}")
    columns = "event_id, topic, partition, offset, event_time, arrival, e.generation, e.batch_id, committed_at"
    by = f"p.query = {quoted(INGEST)} AND p.generation = e.generation AND p.batch_id = e.batch_id"
    joined = f"{SILVER.sql} e JOIN {PROGRESS.sql} p\n  ON {by}"
    return Behind(f"{stage}, {hour:%Y-%m-%d %H:00}: {said}", select(columns, joined, *of, order=clock.column), day)


def lagging(day: date, events: pa.Table, progress: pa.Table) -> tuple[Lagging, ...]:
    """The lag from the first arrival of an on-time event until all on-time events are read and no event waits.

    Late events in this span count too; events of an unfinished micro-batch do not.
    """
    if not events.num_rows:
        return ()
    placed = visible(events, progress, no_builds())
    with closing(database(placed=placed)) as db:
        rows = db.sql(LAG, params={"slots": SLOTS}).fetchall()
    return tuple(_lagging(day, *row) for row in rows)


LAG = """
    WITH own AS (SELECT arrival, silver, late_by_ms = 0 AS on_time FROM placed WHERE silver IS NOT NULL),
    span AS (
        SELECT min(arrival) AS start, greatest(max(arrival), max(silver)) AS done
        FROM own WHERE on_time HAVING count(*) > 0
    ),
    changes AS (SELECT arrival AS moment, 1 AS change FROM own UNION ALL SELECT silver, -1 FROM own),
    waiting AS (SELECT DISTINCT moment, sum(change) OVER (ORDER BY moment) AS events FROM changes),
    -- Until all that was on time is read and nothing waits.
    ends AS (
        SELECT start, coalesce((SELECT min(moment) FROM waiting WHERE moment >= done AND events <= 0), done) AS done
        FROM span
    ),
    -- A slot more, in which nothing waits: the end can be seen.
    slots AS (
        SELECT epoch_us(start) + width * slot AS moment, width
        FROM (SELECT start, greatest(ceil((epoch_us(done) - epoch_us(start)) / ($slots - 2))::BIGINT, 1) AS width FROM ends),
            range($slots) AS numbers (slot)
    ),
    -- The lag at the beginning of a slot, and at each change within it.
    looks AS (
        SELECT slots.moment, width, coalesce(waiting.events, 0) AS events
        FROM slots ASOF LEFT JOIN waiting ON slots.moment >= epoch_us(waiting.moment)
        UNION ALL
        SELECT slots.moment, width, waiting.events
        FROM slots JOIN waiting ON epoch_us(waiting.moment) >= slots.moment AND epoch_us(waiting.moment) < slots.moment + width
    )
    SELECT moment, moment + any_value(width), max(events)::BIGINT
    FROM looks GROUP BY moment ORDER BY moment
"""


def _lagging(day: date, start_us: int, end_us: int, events: int) -> Lagging:
    at, to = (datetime.fromtimestamp(edge / 1e6, UTC) for edge in (start_us, end_us))
    # A literal has whole seconds.
    ingest = (
        f"query = {quoted(INGEST)}",
        f"committed_at >= {quoted(at)}",
        f"as_of <= {quoted(to + timedelta(seconds=1))}",
    )
    sql = select("batch_id, as_of, committed_at, rows, durations, offsets", PROGRESS.sql, *ingest, order="committed_at")
    return Lagging(
        at, events, Behind(f"{at:%Y-%m-%d %H:%M:%S} UTC: {events:,} events in the log and not yet in silver", sql, day)
    )


def clock_of(found: Iterable[Fresh]) -> Clock:
    """The clock to show first: the event's own; or arrival, if the day was sent so late that every age is over SENT_LATER."""
    ages = [one.p50 for one in found if one.clock == Clock.EVENT and one.p50 is not None]
    return Clock.ARRIVAL if ages and min(ages) > SENT_LATER else Clock.EVENT


def stages(found: Iterable[Fresh]) -> tuple[str, ...]:
    """The stages, in the order of the data flow."""
    return tuple(dict.fromkeys(one.stage for one in found))
