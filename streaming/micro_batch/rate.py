"""The rate of a micro-batch in records, so that its bytes fit into the driver.

Data flow: records and their bytes -> maxOffsetsPerTrigger of the query, now and after the next start of it
Run: pytest tests/streaming/test_rate.py

Spark plans a micro-batch in offsets, before anyone knows what they hold: what a producer compressed to a few hundred kB may be
a GB. So the plan itself cuts off records that are larger than their share of the limit, and the driver is told their size: if all
fit, those alone are read once more. If they are too many, nothing has been written yet: the query ends, its plan is forgotten,
and the next one plans fewer offsets.

Kafka's client unpacks as many records as it hands out at once, before anyone sees their size. A stream whose memory has been full
takes one at a time, until its micro-batches are small again.
"""

import logging

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from infra import logs
from infra.kafka.spark_source import MANY_AT_ONCE
from infra.lake.arrow_tables import latest
from infra.settings import settings
from streaming.micro_batch import long_values
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import MicroBatch

SIZE = "size"
"""The column of a record's bytes: key, value and headers."""
SMALLEST, LARGEST = "daybreak.smallest", "daybreak.largest"
"""Properties of the driver's JVM, which a cluster's executors do not see: a record of fewer bytes is left out, one of more comes
without key, value and headers. Where nothing sets them every record comes whole."""
NO_LIMIT = (1 << 63) - 1
SPARE = 4
"""The rate rises when the bytes of a micro-batch are this many times less than the limit."""
FAR, LARGER = 25, 2
"""When FAR times as many records wait as a micro-batch may have, it may have LARGER times as many: a view reads each part that a
micro-batch touches whole, so a record costs a quarter less. Not sooner: the watermark moves once in a micro-batch. Not more:
what a micro-batch takes in memory grows with it, and a heap of 1280 MB has room for 40,000 records."""


class AnotherRate(Exception):
    """Ends the query before its micro-batch has written anything: it is planned again, at another rate."""


def sized(records: DataFrame) -> DataFrame:
    """Records with SIZE, of at least SMALLEST bytes; those larger than LARGEST come without them. Both count when it is read.

    A long value is shortened (`long_values.py`).
    """
    in_headers = F.aggregate("headers", F.lit(0), lambda sum_, one: sum_ + _bytes(one["key"]) + _bytes(one["value"]))
    size = (_bytes(F.col("key")) + _bytes(F.col("value")) + F.coalesce(in_headers, F.lit(0))).cast("long")
    told = records.withColumn(SIZE, size).where(F.col(SIZE) >= _property(SMALLEST, 0))
    fits = F.col(SIZE) <= _property(LARGEST, NO_LIMIT)
    return (
        told.withColumn("fits", fits)
        .withColumns(
            {
                "key": F.when(F.col("fits"), F.col("key")),
                "value": F.when(F.col("fits"), long_values.shortened()),
                "headers": F.when(F.col("fits"), F.col("headers")),
            }
        )
        .drop("fits")
    )


def _property(name: str, otherwise: int) -> Column:
    """A property's number. In the plan it would be a constant, and a plan is made once; a property is read when the plan runs."""
    return F.coalesce(F.expr(f"try_cast(reflect('java.lang.Long', 'getLong', '{name}') AS BIGINT)"), F.lit(otherwise))


def _bytes(of: Column) -> Column:
    return F.coalesce(F.octet_length(of), F.lit(0))


class Rate:
    """The rate now, `limit` in records. It falls to what fits, and rises again when there is room."""

    def __init__(self, session: SparkSession, was_full: bool = False) -> None:
        s = settings()
        self._session = session
        self._java = session._jvm.java.lang.System  # type: ignore[union-attr]
        self._usual = self._most = s.max_offsets_per_trigger
        self._bytes = s.max_mb_per_trigger << 20
        self.limit = self._most
        self.at_once = 1 if was_full else MANY_AT_ONCE
        """Records that a task takes from Kafka at once."""
        self._is_over = False
        self.ended_at: int | None = None
        """The micro-batch that a change of the rate has ended; None when there was none."""
        self._next = self._most
        self._is_first = True

    def restarted(self) -> int:
        """The query is about to start again; returns the micro-batch that is planned anew."""
        assert self.ended_at is not None
        ended_at, self.ended_at = self.ended_at, None
        said = f"micro-batch {ended_at} is planned again, with at most {self.limit:,} records"
        logs.line(said, "daybreak stream", logging.INFO, said)
        return ended_at

    def read(self, validated: DataFrame, batch: MicroBatch) -> pa.Table:
        """The micro-batch's rows. Raises AnotherRate as `begin` and `check` do."""
        is_begun = self.is_begun(batch)
        self.begin(batch.batch_id, is_begun)
        offsets = sum(end - start for *_, start, end in batch.offsets)
        largest = self.bound(offsets)
        found = validated.toArrow()
        sizes = found[SIZE]
        self.check(batch.batch_id, offsets, pc.sum(sizes).as_py() or 0, is_begun)
        is_cut = pc.greater(sizes, largest)
        if pc.any(is_cut).as_py():
            # Only these: to decode all others again would double what a micro-batch takes.
            self.unbound(largest + 1)
            again = validated.toArrow()
            # A cluster's executors have no properties of the driver's: they read every record, and whole, both times.
            again = again.filter(pc.greater(again[SIZE], largest))
            found = pa.concat_tables([found.filter(pc.invert(is_cut)), again])
        return long_values.restored(self._session, found, SIZE).drop_columns([SIZE])

    def is_begun(self, batch: MicroBatch) -> bool:
        """Has it written something? Only the first one since the start may have. What was written once fitted."""
        first, self._is_first = self._is_first, False
        return first and (latest(BRONZE).transaction_version(batch.writer) or 0) >= batch.version

    def begin(self, batch_id: int, is_begun: bool) -> None:
        """A micro-batch begins. Raises AnotherRate if it is to be planned again; not if it is half written (`is_begun`)."""
        if (self._next != self.limit or self._is_over) and not is_begun:
            self._end(batch_id)

    def waits(self, records: int) -> None:
        """So many records are left to read behind a full micro-batch; 0 behind one that was not full.

        Once larger it stays so: a micro-batch that is not full has no use for less, and a new plan costs the next record seconds.
        """
        if records >= FAR * self._usual:
            self._most = LARGER * self._usual
        if self.limit == self._next == self._usual:
            self._next = self._most

    def bound(self, offsets: int) -> int:
        """From here on records of more bytes than this are read without them."""
        return self._set(0, self._bytes // max(offsets, 1))

    def unbound(self, smallest: int) -> None:
        """From here on records are read whole, those of at least so many bytes."""
        self._set(smallest, NO_LIMIT)

    def check(self, batch_id: int, offsets: int, size: int, is_begun: bool) -> None:
        """Raises AnotherRate if the micro-batch of `offsets` records has too many bytes, and fewer records can be read."""
        if size > self._bytes and min(offsets, self.limit) > 1 and not is_begun:
            self._next = max(min(offsets, self.limit) * self._bytes // (2 * size), 1)
            self._end(batch_id)
        # What filled the memory has been read.
        self._is_over = self.at_once < min(self.limit, MANY_AT_ONCE) and size * SPARE < self._bytes
        if self.limit < self._most and size * SPARE < self._bytes:
            room = max(offsets, 1) * self._bytes // (2 * max(size, 1))
            self._next = min(max(room, 2 * self.limit), self._most)

    def _set(self, smallest: int, largest: int) -> int:
        self._java.setProperty(SMALLEST, str(smallest))
        self._java.setProperty(LARGEST, str(largest))
        return largest

    def _end(self, batch_id: int) -> None:
        self.at_once = min(self.at_once if self._next < self.limit else MANY_AT_ONCE, self._next)
        self.ended_at, self.limit, self._is_over = batch_id, self._next, False
        raise AnotherRate(f"micro-batch {batch_id} is planned again, with at most {self.limit:,} records")
