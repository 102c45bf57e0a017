"""Offsets without a record: which never had one that counts, because they are a transaction's, and which the log lost.

Data flow: holes in all tables, the log's batches -> the holes that nothing explains
Run: pytest tests/batch/test_removed.py

Kafka numbers without holes, so an offset that no reader was given is one of four: a transaction's marker, a record of an
aborted transaction, a record that was removed (by compaction), or one that is in the log and was skipped. The log still has
the first two as they are. Only topics of captured changes may be compacted (streaming/positions/topics.py); elsewhere the last
two are losses. What this cannot tell: a record of a committed transaction, skipped by both layers, from one of an aborted one;
and in a topic that may be compacted it tells nothing.
"""

from collections.abc import Callable, Sequence

from pyspark.sql import SparkSession

from batch.conservation.offset_range import Range
from infra.kafka.batches import Batch, Batches
from infra.kafka.places import At
from infra.settings import settings
from streaming.positions.topics import may_be_compacted

Read = Callable[[At, int], Sequence[Batch]]
"""The batches of a partition at and behind an offset; none at its end."""


def removed(session: SparkSession, at: At, holes: Sequence[Range]) -> list[Range]:
    """Of offsets that no table has, those that the log does not explain. Raises TransientFailure if Kafka does not answer."""
    if may_be_compacted(at[0]):
        return []
    log = Batches(session, settings())
    try:
        return unexplained(at, holes, log.from_offset)
    finally:
        log.close()


def unexplained(at: At, holes: Sequence[Range], read: Read) -> list[Range]:
    """The same by `read`, which is asked only for what it has not given yet: markers often lie close together."""
    known: list[Batch] = []
    lost: list[Range] = []
    for start, end in holes:
        while start < end:
            known = [batch for batch in known if batch.end > start] or list(read(at, start))
            if not known:
                lost.append((start, end))
                break
            batch = known[0]
            if batch.start > start:
                lost.append((start, min(batch.start, end)))
            elif not (batch.is_control or (batch.is_transactional and batch.is_whole)):
                lost.append((start, min(batch.end, end)))
            start = min(batch.start, end) if batch.start > start else min(batch.end, end)
    return joined(lost)


def joined(ranges: Sequence[Range]) -> list[Range]:
    """Ranges in order, those that touch made one."""
    found: list[Range] = []
    for start, end in ranges:
        if found and found[-1][1] == start:
            start = found.pop()[0]
        found.append((start, end))
    return found
