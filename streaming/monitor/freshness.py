"""Freshness: how long after it happened an event can be read in bronze, silver, each view and gold.

Data flow: silver/events, speed/progress, gold/rpt_builds -> seconds from event to visible, p50, p95 and p99 per stage
Run: daybreak freshness --minutes 10; daybreak freshness --hours 24 --from arrival

From event time it holds the shop's own delay too, and past days that are sent at once are days old when they arrive: that
is what it is. From arrival, the broker's clock, it is the platform's own part. Only on-time events are measured, so that
all stages speak of the same ones: a late event never shows in a view, and how late is `late_by_ms`, not freshness.

A view has an event when the rows that its micro-batch said of the view could be read; a micro-batch that said nothing of a
view is not counted there. Gold has it when a build is finished that began after silver and every such view had it:
provisional rows wait for the next build, for hours. After a crash the repeated micro-batch tells the times, so a stage was
then rather fresher than said.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import pyarrow as pa
import pyarrow.compute as pc

from infra.lake.reader import exists, read
from infra.settings import Settings
from streaming.bronze import BRONZE
from streaming.progress import INGEST, PROGRESS
from streaming.silver import SILVER

BUILDS = "gold/rpt_builds"
AHEAD = timedelta(minutes=10)
"""More than an event's clock can be ahead of its arrival: nothing is visible longer before its event time."""
OF_EVENT = ("event_time", "arrival", "generation", "batch_id")
QUANTILES = (0.5, 0.95, 0.99)


def no_builds() -> pa.Table:
    """The builds of a gold that was never built. Made when asked for: Arrow's first array brings pandas in, for seconds."""
    return pa.schema([(name, pa.timestamp("us", "UTC")) for name in ("started_at", "built_at")]).empty_table()


class Clock(StrEnum):
    """What an event's age is counted from, and what places it in an hour: its own time, or the broker's."""

    EVENT = "event"
    ARRIVAL = "arrival"

    @property
    def column(self) -> str:
        """Its column in silver."""
        return {"event": "event_time", "arrival": "arrival"}[self.value]


@dataclass(frozen=True)
class Freshness:
    """Seconds to visible in a stage (`bronze`, `silver`, `speed/<view>`, `gold`), linear between ranks.

    `events` are the on-time events that have become visible there, of the hour that starts at `hour`, or of the whole span
    where that is None. Without events there are no percentiles.
    """

    hour: datetime | None
    stage: str
    events: int
    p50: float | None
    p95: float | None
    p99: float | None


def freshness(s: Settings, since: datetime, until: datetime, clock: Clock = Clock.EVENT) -> list[Freshness]:
    """Of the on-time events in [since, until) by `clock`, one row per stage."""
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
    ingest = progress.filter(pc.field("query") == INGEST)
    views = sorted(table for table in _named(ingest["visible"]) if table.startswith("speed/"))
    bronze, *shown = (pc.map_lookup(ingest["visible"], pa.scalar(table), "first") for table in (BRONZE.id, *views))
    stages = ["bronze", "silver", *views]
    times = dict(zip(stages, [bronze, _in_silver(ingest), *shown], strict=True))
    batches = pa.table({"generation": ingest["generation"], "batch_id": ingest["batch_id"], **times})
    placed = events.join(batches, ["generation", "batch_id"], join_type="inner")
    everywhere = pc.max_element_wise(*(_micros(placed[stage]) for stage in ("silver", *views)), skip_nulls=True)
    ordered = builds.sort_by("started_at")
    first = pc.search_sorted(_micros(ordered["started_at"]), everywhere, side="left")
    return placed.append_column("gold", _taken(ordered["built_at"], first))


def _named(visible: pa.ChunkedArray) -> set[str]:
    """The tables of which the micro-batches tell."""
    return {table for chunk in visible.chunks for table in pc.unique(chunk.keys).to_pylist()}


def _in_silver(batches: pa.Table) -> pa.ChunkedArray:
    """When the micro-batches' events could be read; rows of older code only tell when the batch was finished."""
    return pc.coalesce(pc.map_lookup(batches["visible"], pa.scalar(SILVER.id), "first"), batches["committed_at"])


def _taken(times: pa.ChunkedArray, first: pa.ChunkedArray) -> pa.ChunkedArray:
    """times[first]; null behind their end."""
    return times.take(pc.if_else(pc.less(first, len(times)), first, pa.scalar(None, pa.uint64())))


def _micros(times: pa.ChunkedArray) -> pa.ChunkedArray:
    """Epoch microseconds."""
    return times.cast(pa.timestamp("us", "UTC")).cast(pa.int64())


def summary(placed: pa.Table, clock: Clock, hour: datetime | None = None) -> Iterator[Freshness]:
    """Percentiles per stage of events with the time at which each was visible there."""
    start = _micros(placed[clock.column])
    for stage in (name for name in placed.column_names if name not in (*OF_EVENT, "late_by_ms")):
        seconds = pc.divide(pc.subtract(_micros(placed[stage]), start).cast(pa.float64()), 1e6).drop_null()
        cuts = pc.quantile(seconds, q=list(QUANTILES)).to_pylist()
        yield Freshness(hour, stage, len(seconds), *cuts)


def summary_by_hour(placed: pa.Table, clock: Clock) -> Iterator[Freshness]:
    """The same per hour of the clock."""
    hours = pc.floor_temporal(placed[clock.column], unit="hour")
    for hour in sorted(pc.unique(hours).to_pylist()):
        yield from summary(placed.filter(pc.equal(hours, pa.scalar(hour, hours.type))), clock, hour.astimezone(UTC))
