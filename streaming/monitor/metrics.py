"""Metrics of the stream: how far it is behind each topic, its last micro-batches, and how fresh its tables are.

Data flow: Lag, Freshness, recent rows of speed/progress -> Metric
Run: daybreak metrics
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow.compute as pc
from prometheus_client.metrics_core import Metric

from infra.lake.reader import read
from infra.metrics.family import Family
from infra.settings import Settings
from streaming.monitor.freshness import QUANTILES, Clock, Freshness
from streaming.monitor.lag import Lag
from streaming.tables.progress import INGEST, PROGRESS, REBUILT

OF_TOPIC = ("topic",)
HOUR = 3600.0
ALL = "total"
"""The step of a micro-batch that holds all others."""

WRITTEN = Family("daybreak_topic_written_offsets_total", "One past the last offset, of all partitions", OF_TOPIC)
READ = Family(
    "daybreak_topic_read_offsets_total", "Offsets up to which the stream has read, of all partitions", OF_TOPIC
)
LAG = Family("daybreak_topic_lag_offsets", "Offsets in Kafka that the stream has not read", OF_TOPIC)
LOST = Family("daybreak_topic_lost_offsets", "Those of them that Kafka has deleted already", OF_TOPIC)
WAITING = Family("daybreak_topic_waiting_offsets", "Offsets behind an open transaction, not to be read yet", OF_TOPIC)
OPEN = Family("daybreak_topic_open_transaction_seconds", "Age of the oldest open transaction, 0 without one", OF_TOPIC)
UNREAD = Family("daybreak_topic_unread_seconds", "Age of the first record not read, 0 if all are read", OF_TOPIC)
RETENTION = Family("daybreak_topic_retention_seconds", "How long Kafka keeps a record; none if for ever", OF_TOPIC)
LEFT = Family(
    "daybreak_topic_retention_left_seconds", "Time until Kafka may delete the first record not read", OF_TOPIC
)

RECORDS = Family(
    "daybreak_stream_recent_records",
    "Records of the micro-batches of the last 5 minutes, by outcome; late ones are among the accepted, read is all",
    ("outcome",),
)
BATCHES = Family("daybreak_stream_recent_batches", "Micro-batches that ended in the last 5 minutes")
MEAN = Family("daybreak_stream_batch_mean_seconds", "Mean duration of these micro-batches")
MOST = Family("daybreak_stream_batch_longest_seconds", "Longest duration of these micro-batches")
STEPS = Family("daybreak_stream_step_mean_seconds", "Mean duration of each of their steps", ("step",))
ENDED = Family("daybreak_stream_batch_ended_timestamp_seconds", "When the last of them was written")
WATERMARK = Family("daybreak_stream_watermark_timestamp_seconds", "Events older than this are late")

FRESH = Family(
    "daybreak_freshness_seconds",
    "Seconds until on-time events of the last 5 minutes could be read in a stage, by percentile, counted from the clock",
    ("stage", "clock", "percentile"),
)
EVENTS = Family("daybreak_freshness_events", "Events that these percentiles are of", ("stage", "clock"))


def lags(found: Sequence[Lag]) -> Iterator[Metric]:
    """Per topic: sums of its partitions' offsets, the largest of ages, the smallest of times left."""
    own: dict[str, list[Lag]] = {}
    for one in found:
        own.setdefault(one.topic, []).append(one)

    def each(family: Family, value: Callable[[list[Lag]], float | None]) -> Metric:
        return family.of(((topic,), value(parts)) for topic, parts in own.items())

    yield each(WRITTEN, lambda parts: sum(one.end for one in parts))
    yield each(READ, lambda parts: sum(one.committed for one in parts))
    yield each(LAG, lambda parts: sum(one.lag for one in parts))
    yield each(LOST, lambda parts: sum(one.lost for one in parts))
    yield each(WAITING, lambda parts: sum(one.waiting for one in parts))
    yield each(OPEN, lambda parts: max(one.open_seconds or 0 for one in parts))
    yield each(UNREAD, lambda parts: max(one.unread_seconds or 0 for one in parts))
    yield each(RETENTION, lambda parts: _least(one.retention_hours for one in parts))
    yield each(LEFT, lambda parts: _least(one.hours_left for one in parts))


def _least(hours: Iterable[float | None]) -> float | None:
    return min((one * HOUR for one in hours if one is not None), default=None)


def recent(s: Settings, since: datetime) -> list[Mapping[str, Any]]:
    """The micro-batches that ended since then, without the initial write of a generation. Raises TransientFailure without
    the store."""
    own = (pc.field("query") == INGEST) & (pc.field("committed_at") >= since) & (pc.field("batch_id") != REBUILT)
    columns = ["committed_at", "next_watermark", "rows", "durations"]
    rows: list[Mapping[str, Any]] = read(s, PROGRESS.id, columns, where=own).to_pylist()
    return rows


def micro_batches(found: Sequence[Mapping[str, Any]]) -> Iterator[Metric]:
    """What recent rows of progress say. Without any there are none of their durations."""
    records, steps = Counter[str](), Counter[str]()
    for one in found:
        records.update(dict(one["rows"]))
        steps.update(dict(one["durations"]))
    took = [dict(one["durations"])[ALL] / 1000 for one in found]
    del steps[ALL]
    last = max(found, key=lambda one: one["committed_at"], default=None)
    yield RECORDS.of(((outcome,), number) for outcome, number in sorted(records.items()))
    yield BATCHES.one(len(found))
    yield MEAN.one(sum(took) / len(took) if took else None)
    yield MOST.one(max(took, default=None))
    yield STEPS.of(((step,), spent / 1000 / len(found)) for step, spent in sorted(steps.items()))
    yield ENDED.one(last["committed_at"].timestamp() if last else None)
    yield WATERMARK.one(last["next_watermark"].timestamp() if last and last["next_watermark"] else None)


def freshness(found: Mapping[Clock, Sequence[Freshness]]) -> Iterator[Metric]:
    """Percentiles per stage and clock; a stage without events has none."""
    names = [f"{quantile * 100:g}" for quantile in QUANTILES]
    yield FRESH.of(
        ((one.stage, clock, name), cut)
        for clock, stages in found.items()
        for one in stages
        for name, cut in zip(names, (one.p50, one.p95, one.p99), strict=True)
    )
    yield EVENTS.of(((one.stage, clock), one.events) for clock, stages in found.items() for one in stages)
