"""The watermark: which events are late.

Data flow: the event times of earlier micro-batches -> watermark = max - delay, stored with the batch
Run: pytest tests/streaming/test_watermark.py
Source: streaming/README.md, Watermark and late events.
"""

from datetime import timedelta

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from infra.lake import spark_tables
from streaming.progress import INGEST, PROGRESS


class Watermark:
    """The watermark of the next micro-batch, from the largest event time of all earlier ones (epoch milliseconds)."""

    def __init__(self, delay: timedelta, before: int | None = None) -> None:
        self._delay_ms = int(delay / timedelta(milliseconds=1))
        self._largest = before

    @property
    def at(self) -> int | None:
        """An event with a smaller event time (epoch ms) is late; None before the first event ever."""
        return None if self._largest is None else self._largest - self._delay_ms

    def saw(self, largest_ms: int | None) -> None:
        """Advance after a batch with the largest event time `largest_ms` (epoch ms; None without events)."""
        if largest_ms is not None:
            self._largest = largest_ms if self._largest is None else max(self._largest, largest_ms)


def restored(session: SparkSession, delay: timedelta, generation: str, batch_id: int) -> Watermark:
    """The watermark as it stood before `batch_id`: from stored progress, so that a repeated batch marks the same rows."""
    progress = spark_tables.read(session, PROGRESS).where(F.col("query") == INGEST)
    same_or_later = (F.col("generation") == generation) & (F.col("batch_id") >= batch_id)
    row = progress.where(~same_or_later).agg(F.max(F.unix_millis("max_event_time"))).first()
    return Watermark(delay, row[0] if row else None)
