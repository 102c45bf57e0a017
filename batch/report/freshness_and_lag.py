"""Freshness hour by hour, and how far the stream was behind the log while it read the day.

Data flow: silver/events of a day, speed/progress, gold/rpt_builds -> Fresh per hour and stage, Lagging over time
Run: daybreak freshness --hours 24
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from batch.report.drilldown import Behind, quoted, select
from infra.durations import span
from streaming.monitor.freshness import Clock, no_builds, summary_by_hour, visible
from streaming.progress import INGEST, PROGRESS
from streaming.silver import SILVER

Micros = np.ndarray[tuple[int], np.dtype[np.int64]]
"""Epoch microseconds."""
SLOTS = 96
"""Of the time in which the day was read; each shows its largest lag, so that no peak falls between two looks."""
SENT_LATER = 3600.0
"""Seconds that half of the events of every hour took to the very first stage: no stream was there to read them."""


@dataclass(frozen=True)
class Fresh:
    """Seconds from `clock` to visible in a stage, of the on-time events of one hour (UTC); None where nothing is visible."""

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
    """By both clocks, of the same on-time events (event_time, arrival, generation, batch_id, late_by_ms)."""
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
    """From the first arrival of an on-time event until all of them are read and nothing waits.

    Late events count as long as that is; those of an unfinished micro-batch do not.
    """
    if not events.num_rows:
        return ()
    placed = visible(events, progress, no_builds()).filter(pc.field("silver").is_valid())
    own = placed.filter(pc.equal(placed["late_by_ms"], 0))
    if not own.num_rows:
        return ()
    arrived, read = np.sort(_micros(placed["arrival"])), np.sort(_micros(placed["silver"]))
    start, done = _micros(own["arrival"]).min(), max(_micros(own["arrival"]).max(), _micros(own["silver"]).max())
    ends = read[read >= done]
    end = next(
        (at for at in np.unique(ends) if np.searchsorted(arrived, at, "right") <= np.searchsorted(read, at, "right")),
        done,
    )
    # A slot more, in which nothing waits: the end can be seen.
    width = max(-(-(int(end) - int(start)) // (SLOTS - 2)), 1)
    edges = int(start) + width * np.arange(SLOTS + 1)
    looks = np.sort(np.concatenate([arrived, edges[:-1]]))
    lag = np.searchsorted(arrived, looks, "right") - np.searchsorted(read, looks, "right")
    slot = np.searchsorted(edges, looks, "right") - 1
    return tuple(_lagging(day, edges, number, int(lag[slot == number].max())) for number in range(SLOTS))


def _lagging(day: date, edges: Micros, number: int, events: int) -> Lagging:
    at, to = (datetime.fromtimestamp(int(edge) / 1e6, UTC) for edge in edges[number : number + 2])
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


def _micros(times: pa.ChunkedArray) -> Micros:
    found: Micros = times.cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy()
    return found


def telling(found: Iterable[Fresh]) -> Clock:
    """The clock that tells the stages apart: the event's own, unless the day was sent so late that all of them are days."""
    ages = [one.p50 for one in found if one.clock == Clock.EVENT and one.p50 is not None]
    return Clock.ARRIVAL if ages and min(ages) > SENT_LATER else Clock.EVENT


def stages(found: Iterable[Fresh]) -> tuple[str, ...]:
    """In the data's order."""
    return tuple(dict.fromkeys(one.stage for one in found))
