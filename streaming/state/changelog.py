"""Changelogs: topics of which the newest event of a key is the key's row. A view looks rows up in them as of a time.

Data flow: events of a changelog -> per key the last of those known before a time
Run: pytest tests/streaming/test_changelog.py
Source: versioned tables and temporal joins of Apache Flink; KTable of Kafka Streams.

What was known before all rows that are still open is needed as the last event of each key only. So what is kept grows with
the number of keys, and not with the changes.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from infra.lake.tables import Table
from streaming.contracts import CONTRACTS
from streaming.state.view_state import of_topics
from streaming.views import CHANGELOGS
from streaming.views.as_of import KNOWN_AT

ORDER = ("event_time", "event_id")
"""Which event of a key is the last: two of one millisecond are told apart by their ids, the same way in both layers."""


def never_deleted(table: Table) -> dict[str, str]:
    """For `tidy`: which events of the table stay whatever their age (SQL), by its id, because a row may look them up for ever."""
    topics = ", ".join(f"'{topic}'" for topic in CHANGELOGS)
    return {table.id: f"topic IN ({topics})"} if topics else {}


def known_at() -> Column:
    """Over the columns of silver: from when on the stream counts an event of a changelog."""
    return F.timestamp_micros(F.unix_micros("event_time") + 1000 * F.col("late_by_ms"))


def counted(changelogs: Sequence[str]) -> Column:
    """Over the columns of silver: does the stream count the event, where these topics are changelogs?"""
    on_time = F.col("late_by_ms") == 0
    return on_time | F.col("topic").isin(*changelogs) if changelogs else on_time


def key_of(topics: Sequence[str]) -> Column:
    """Over the columns of EVENT: the key of an event of one of the changelogs."""
    return F.coalesce(*[F.col(one.column)[one.key] for one in map(CONTRACTS.__getitem__, topics)])


def last_of_each_key(events: DataFrame) -> DataFrame:
    """The last event of each key among events of CHANGELOGS (columns of EVENT)."""
    last = Window.partitionBy("topic", key_of(CHANGELOGS)).orderBy(*[F.col(name).desc() for name in ORDER])
    return events.withColumn("_place", F.row_number().over(last)).where(F.col("_place") == 1).drop("_place")


def counted_in_arrow(events: pa.Table) -> pa.Table:
    """Of events in the columns of silver those that views count: on-time ones, and all of CHANGELOGS; with KNOWN_AT."""
    is_counted = pc.equal(events["late_by_ms"], 0)
    is_counted = pc.or_(is_counted, pc.is_in(events["topic"], value_set=pa.array(CHANGELOGS, pa.string())))
    found = events.filter(is_counted)
    late = pc.multiply(found["late_by_ms"], 1000).cast(pa.duration("us"))
    return found.append_column(KNOWN_AT, pc.add(found["event_time"], late))


def keys(events: pa.Table, topic: str) -> pa.ChunkedArray:
    """The keys of a changelog's events in Arrow."""
    return pc.struct_field(events[CONTRACTS[topic].column], CONTRACTS[topic].key)


def shortened(changes: pa.Table, before: pa.Scalar, topics: Sequence[str]) -> pa.Table:
    """The events of changelogs, of those known before a time only the last of each key."""
    is_old = pc.less(changes[KNOWN_AT], before)
    kept = [changes.filter(pc.invert(is_old))]
    old = changes.filter(is_old)
    for topic in topics:
        own = of_topics(old, (topic,))
        own = own.append_column("_key", keys(own, topic))
        own = own.sort_by([(name, "ascending") for name in ("_key", *ORDER)])
        of_key = own["_key"].to_numpy(zero_copy_only=False)
        is_last = np.append(of_key[1:] != of_key[:-1], True)[: own.num_rows]
        kept.append(own.filter(pa.array(is_last, pa.bool_())).drop_columns(["_key"]))
    return pa.concat_tables(kept).combine_chunks()
