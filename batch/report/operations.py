"""The sections about operations: freshness, lag, conservation, and which layer serves which hour.

Data flow: Figures -> Section
Run: pytest tests/batch/report/test_page.py
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from batch.conservation.check import CONSERVATION
from batch.report.drilldown import of_day, select
from batch.report.figures import Figures
from batch.report.freshness_and_lag import Lagging, stages
from batch.report.section import Section
from batch.settlement.settlements import SETTLEMENTS
from infra.durations import span
from streaming.monitor.freshness import Clock
from streaming.tables.progress import PROGRESS
from streaming.tables.silver import SILVER


def freshness(found: Figures) -> Section:
    """Freshness by hour and stage, by both clocks."""
    own = [one for one in found.fresh if one.clock == found.clock and one.p95 is not None]
    worst = {stage: max(one.p95 or 0 for one in own if one.stage == stage) for stage in stages(own)}
    views = [stage for stage in worst if stage.startswith("speed/")]
    slowest = max(views, key=lambda stage: worst[stage], default=None)
    # One view stands for all: the slowest.
    named = {stage: stage for stage in worst if stage not in views}
    if slowest:
        named[slowest] = f"every view (last in {slowest.removeprefix('speed/')})"
    said = "In the slowest hour 95 % of the events were in " + ", ".join(
        f"{named[stage]} within {span(seconds)}" for stage, seconds in worst.items() if stage in named
    )
    said += " of their arrival" if found.clock == Clock.ARRIVAL else ""
    if not worst:
        said = "No on-time event of the day is visible yet"
    return Section(
        "freshness",
        "How old is an event when a table shows it?",
        f"{said}.",
        "On-time events, hour by hour (UTC). If a day's events were sent later, their age includes it: count from arrival.",
        ("from", "hour", "stage", "events", "p50", "p95", "p99"),
        tuple(
            (
                one.clock,
                f"{one.hour:%Y-%m-%d %H:00}",
                one.stage,
                one.events,
                *(None if p is None else span(p) for p in (one.p50, one.p95, one.p99)),
            )
            for one in found.fresh
        ),
        select(
            "event_type, event_time, arrival, generation, batch_id",
            SILVER.sql,
            *of_day(found.day),
            "late_by_ms = 0",
        ),
    )


def lag(found: Figures) -> Section:
    """The stream's lag while it read the day."""
    most = max(found.lagging, key=lambda one: one.events, default=None)
    stands = f"When this was written the stream was failing: {found.failing}. " if found.failing else ""
    waited = (
        f"At most {most.events:,} events waited in the log, at {most.at:%Y-%m-%d %H:%M:%S} UTC; "
        f"from {_end(found.lagging):%Y-%m-%d %H:%M:%S} on none did."
        if most
        else "No event of the day was on time."
    )
    return Section(
        "lag",
        "Did the stream keep up with the log?",
        f"{stands}{waited}",
        "Events in Kafka and not yet in silver, from the day's first arrival until all were read; no duplicates or rejects.",
        ("from (UTC)", "most events waiting"),
        tuple((f"{one.at:%Y-%m-%d %H:%M:%S}", one.events) for one in found.lagging),
        found.lagging[0].behind.sql if found.lagging else select("*", PROGRESS.sql, order="committed_at DESC LIMIT 50"),
    )


def _end(lagging: Sequence[Lagging]) -> datetime:
    """The beginning of the first slot from which on nothing waited."""
    return max((after.at for one, after in pairwise(lagging) if one.events), default=lagging[0].at)


def conservation(found: Figures) -> Section:
    """The outcomes of offsets per partition, then the gaps."""
    offsets, faults = sum(one.end - one.start for one in found.kept), sum(one.faults for one in found.kept)
    lost = {by: sum(gap.end - gap.start for gap in found.lost if gap.by == by) for by in ("archive", "stream")}
    gaps = f"{lost['archive']:,} are lost and missing from all totals" if lost["archive"] else "none is lost"
    if lost["stream"]:
        gaps += f", and the stream never read {lost['stream']:,}"
    parts = list(dict.fromkeys(name for one in found.kept for name in one.parts))
    answer = (
        f"Of {offsets:,} offsets {f'{faults:,} do not add up' if faults else 'every one is accounted for'}"
        if found.kept
        else "No night has counted yet"
    )
    return Section(
        "conservation",
        "Is every record of the log accounted for?",
        f"{answer}; {gaps}.",
        "Every offset since the first night, by where its record is. Parts too thin to see are drawn wider.",
        ("partition", "offsets", *parts, "faults"),
        (
            *(
                (
                    f"{one.topic}-{one.partition}",
                    f"{one.start:,} to {one.end - 1:,}",
                    *(one.parts[name] for name in parts),
                    one.faults,
                )
                for one in found.kept
            ),
            *(
                (
                    f"{gap.topic}-{gap.partition}",
                    f"{gap.start:,} to {gap.end - 1:,}",
                    f"gap of the {gap.by}: {gap.cause}, {gap.days}. {gap.note}",
                )
                for gap in found.lost
            ),
        ),
        select("*", CONSERVATION.sql, order="topic, partition, `from`, checked_at"),
    )


def served(found: Figures) -> Section:
    """Which hours the truth serves, and which the stream."""
    truth = max((one.end for one in found.served if one.layer == "truth"), default=None)
    return Section(
        "served",
        "Which layer serves which hour?",
        (f"The truth up to {truth:%Y-%m-%d %H:%M} UTC" if truth else "Nothing is settled")
        + "; the stream serves every day that is not settled.",
        "A day that is not settled is a hole in the row of the truth.",
        ("from (UTC)", "to (UTC)", "layer", "status"),
        tuple(
            (f"{one.start:%Y-%m-%d %H:%M}", f"{one.end:%Y-%m-%d %H:%M}", one.layer, one.status) for one in found.served
        ),
        select("day, revision, run, settled_at", SETTLEMENTS.sql, order="day"),
    )
