"""Freshness: how long after it happened an event becomes readable in bronze, silver, each view and gold.

Data flow: silver/events, speed/progress, gold/rpt_builds -> seconds from event to visible, p50, p95 and p99 per stage
Run: daybreak freshness --minutes 10; daybreak freshness --hours 24 --from arrival

Measured from event time, freshness includes the producer's delay: a past day that is sent now is days old on arrival.
Measured from arrival (the broker's clock), it is the platform's share alone. Only on-time events are measured, so that
all stages count the same events: a late event never appears in a speed view, and silver has its lateness in
`late_by_ms`.

An event is visible in a view once the rows that its micro-batch wrote to that view can be read; a micro-batch that
wrote nothing to a view is not counted there. An event is visible in gold once a build has finished that began after
silver and those views had it, so provisional rows can wait hours for the next build. After a crash the times of the
repeated micro-batch count, so a stage was then fresher than reported.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import pyarrow as pa
import pyarrow.compute as pc

from infra.lake.database import database
from infra.lake.reader import exists, read
from infra.settings import Settings
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import INGEST, PROGRESS
from streaming.tables.silver import SILVER

BUILDS = "gold/rpt_builds"
AHEAD = timedelta(minutes=10)
"""An event's clock is ahead of its arrival by less than this, so no event is visible earlier before its event time."""
OF_EVENT = ("event_time", "arrival", "generation", "batch_id")
QUANTILES = (0.5, 0.95, 0.99)
HOUR_US = 3_600_000_000


def no_builds() -> pa.Table:
    """An empty table of builds, created on demand: the first Arrow array imports pandas, which takes seconds."""
    return pa.schema([(name, pa.timestamp("us", "UTC")) for name in ("started_at", "built_at")]).empty_table()


class Clock(StrEnum):
    """The clock that gives an event's age and hour: event time, or arrival at the broker."""

    EVENT = "event"
    ARRIVAL = "arrival"

    @property
    def column(self) -> str:
        """Its column in silver."""
        return {"event": "event_time", "arrival": "arrival"}[self.value]


@dataclass(frozen=True)
class Freshness:
    """Seconds until events are visible in a stage (`bronze`, `silver`, `speed/<view>`, `gold`), interpolated.

    `events` counts the on-time events visible in the stage, for the hour that starts at `hour`, or for the whole span
    if `hour` is None. Without events the percentiles are None.
    """

    hour: datetime | None
    stage: str
    events: int
    p50: float | None
    p95: float | None
    p99: float | None


def freshness(s: Settings, since: datetime, until: datetime, clock: Clock = Clock.EVENT) -> list[Freshness]:
    """Freshness of the on-time events in [since, until) by `clock`: one row per stage."""
    return list(summary(_placed(s, since, until, clock), clock))


def hourly(s: Settings, since: datetime, until: datetime, clock: Clock = Clock.EVENT) -> list[Freshness]:
    """The same per hour (UTC) in which there are events, oldest first."""
    return list(summary_by_hour(_placed(s, since, until, clock), clock))


def _placed(s: Settings, since: datetime, until: datetime, clock: Clock) -> pa.Table:
    at = pc.field(clock.column)
    measured = (at >= since) & (at < until) & (pc.field("late_by_ms") == 0)
    events = read(s, SILVER.id, list(OF_EVENT), where=measured)
    columns = ["query", "generation", "batch_id", "committed_at", "visible"]
    progress = read(s, PROGRESS.id, columns, where=pc.field("committed_at") >= since - AHEAD)
    began = pc.field("started_at") >= since - AHEAD
    builds = read(s, BUILDS, ["started_at", "built_at"], where=began) if exists(s, BUILDS) else no_builds()
    return visible(events, progress, builds)


def visible(events: pa.Table, progress: pa.Table, builds: pa.Table) -> pa.Table:
    """The events (event_time, arrival, generation, batch_id) with a column per stage: when they were visible there, or null.

    Events of a micro-batch without progress are left out: it is not finished. `progress` as in speed/progress; `builds`
    are started_at and built_at, one row per build of gold.
    """
    with closing(database(events=events, progress=progress, builds=builds)) as db:
        told = db.sql(
            f"SELECT DISTINCT unnest(map_keys(visible)) AS t FROM progress WHERE query = '{INGEST}' ORDER BY t"
        ).fetchall()
        views = [table for (table,) in told if table.startswith("speed/")]
        stages = {"bronze": f"visible['{BRONZE.id}']", "silver": f"coalesce(visible['{SILVER.id}'], committed_at)"}
        stages |= {view: f"visible['{view}']" for view in views}
        shown = ", ".join(f'{when} AS "{stage}"' for stage, when in stages.items())
        everywhere = ", ".join(f'placed."{stage}"' for stage in ("silver", *views))
        found = db.sql(f"""
            WITH batches AS (SELECT generation, batch_id, {shown} FROM progress WHERE query = '{INGEST}'),
            placed AS (
                SELECT events.*, batches.* EXCLUDE (generation, batch_id)
                FROM events JOIN batches USING (generation, batch_id)
            )
            -- Gold has an event by the first build that began when every stage before had it.
            SELECT placed.*, builds.built_at AS gold
            FROM placed ASOF LEFT JOIN builds ON greatest({everywhere}) <= builds.started_at
        """).to_arrow_table()
    moments = pa.timestamp("us", "UTC")
    return found.cast(
        pa.schema([field.with_type(moments) if pa.types.is_timestamp(field.type) else field for field in found.schema])
    )


def summary(placed: pa.Table, clock: Clock) -> Iterator[Freshness]:
    """Percentiles per stage of events with the time at which each was visible there."""
    return _summary(placed, clock, "NULL::BIGINT")


def summary_by_hour(placed: pa.Table, clock: Clock) -> Iterator[Freshness]:
    """The same per hour of the clock."""
    return _summary(placed, clock, f"epoch_us({clock.column}) // {HOUR_US}")


def _summary(placed: pa.Table, clock: Clock, hour: str) -> Iterator[Freshness]:
    stages = [name for name in placed.column_names if name not in (*OF_EVENT, "late_by_ms")]
    seconds = ", ".join(f'(epoch_us("{stage}") - epoch_us({clock.column})) / 1e6 AS "{stage}"' for stage in stages)
    counted = ", ".join(
        f"""{{'stage': '{stage}', 'events': count("{stage}"), 'cuts': quantile_cont("{stage}", {list(QUANTILES)})}}"""
        for stage in stages
    )
    with closing(database(placed=placed)) as db:
        rows = db.sql(f"""
            WITH ages AS (SELECT {hour} AS hour, {seconds} FROM placed)
            SELECT hour, [{counted}] FROM ages GROUP BY hour ORDER BY hour
        """).fetchall()
    # A span without events has its stages too.
    empty = [{"stage": stage, "events": 0, "cuts": None} for stage in stages]
    for at, found in rows or ([(None, empty)] if hour.startswith("NULL") else []):
        for one in found:
            start = None if at is None else datetime.fromtimestamp(at * HOUR_US // 1_000_000, UTC)
            yield Freshness(start, one["stage"], one["events"], *(one["cuts"] or [None] * 3))
