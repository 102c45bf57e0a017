"""A log that was cut off and written on: the last record that was read of a partition is another one now.

Data flow: positions, a table of records -> the last record of each partition, the log's record at that offset -> what differs
Run: python -m streaming; python -m batch archive --date 2026-01-31
Source: KIP-320, which finds the same by leader epochs; Spark's positions have none.

A broker that loses power, or a leader that was elected without the newest records, forgets the end of its log. New records then
get the same offsets. A reader that has gone further would read on behind them, and miss what stands before its position.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_

import pyarrow.compute as pc

from infra.failures import PermanentFailure
from infra.kafka import client
from infra.kafka.first_records import READING, first_records
from infra.kafka.places import At
from infra.lake import arrow_tables
from infra.lake.tables import Table
from infra.problems import Problem, keep
from infra.settings import settings
from streaming.positions.log import TIMEOUT_SECONDS, Log

NEWEST = 1_000
"""Offsets before a position among which the last record is looked for: markers of transactions are no records."""


@dataclass(frozen=True)
class Other:
    """A partition that has another record at `offset` than was read there; when each arrived."""

    topic: str
    partition: int
    offset: int
    read: datetime
    now: datetime

    def __str__(self) -> str:
        read, now = (f"{time:%Y-%m-%d %H:%M:%S}.{time.microsecond // 1000:03}" for time in (self.read, self.now))
        return f"{self.topic}-{self.partition} at offset {self.offset} (read: arrived {read}, now: {now} UTC)"


WAY_OUT = (
    "Point DAYBREAK_KAFKA_BOOTSTRAP at the log that was read, or give this one a lake of its own (DAYBREAK_BUCKET)"
)


def found(read_to: Mapping[At, int], log: Log, table: Table) -> list[Other]:
    """The partitions whose log has another record where the last one was read, as `table` has it.

    A record that is gone, by retention or compaction, is no sign. Raises TransientFailure if Kafka does not answer.
    """
    return others(last_read(read_to, table), log)


def refuse(found: Collection[Other], reader: str, source: str) -> None:
    """Raise PermanentFailure, with the way out, and keep the problems as those of `source`, if there are any."""
    if found:
        keep(settings(), source, _problems(found, reader))
        raise PermanentFailure(f"{_told(found, reader)}. {WAY_OUT}")


def _problems(found: Collection[Other], reader: str) -> list[Problem]:
    """One problem per partition."""
    return [
        Problem(f"log.cut_off/{one.topic}-{one.partition}", _told([one], reader), WAY_OUT, rows=(str(one),))
        for one in found
    ]


def _told(found: Collection[Other], reader: str) -> str:
    return (
        f"{', '.join(map(str, found))}: another record than the {reader} has read there. The log was cut off and written on (a "
        "broker lost power, or a leader was elected that lacked its newest records), or it is another log: records before "
        f"the position of the {reader} were never read, so it does not read on"
    )


def last_read(read_to: Mapping[At, int], table: Table) -> dict[At, tuple[int, datetime]]:
    """The last record before each position: its offset and arrival; none for a partition whose newest offsets have none."""
    places = [(topic, partition, end) for (topic, partition), end in read_to.items() if end > 0]
    if not places or not arrow_tables.exists(table):
        return {}
    offset = pc.field("offset")
    newest = [
        (pc.field("topic") == topic)
        & (pc.field("partition") == partition)
        & (offset >= max(end - NEWEST, 0))
        & (offset < end)
        for topic, partition, end in places
    ]
    rows = arrow_tables.read(table, ("topic", "partition", "offset", "arrival"), reduce(or_, newest)).to_pylist()
    found: dict[At, tuple[int, datetime]] = {}
    for row in sorted(rows, key=lambda one: one["offset"]):
        found[row["topic"], row["partition"]] = row["offset"], row["arrival"]
    return found


def others(last: Mapping[At, tuple[int, datetime]], log: Log) -> list[Other]:
    """The partitions whose log holds another record at the offset of the last one; records of one offset differ in arrival."""
    there = {at: one for at, one in last.items() if log.first.get(at, 0) <= one[0] < log.end.get(at, 0)}
    if not there:
        return []
    with client.consumer("log", READING) as consumer:
        now = first_records(consumer, {at: offset for at, (offset, _) in there.items()}, TIMEOUT_SECONDS)
    return [
        Other(*at, offset, arrival, now[at].arrival)
        for at, (offset, arrival) in sorted(there.items())
        # A record that is gone leaves the next one to be found, or none.
        if at in now and now[at].offset == offset and now[at].arrival != arrival
    ]
