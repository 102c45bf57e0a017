"""The state that a restarted stream reads back from silver: recent ids, and the events of open rows.

Data flow: silver of finished micro-batches -> Arrow of recent ids; DataFrame of on-time events within reach
Run: python -m streaming
"""

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from infra.lake import spark_tables
from streaming.silver import SILVER
from streaming.views import LOOKBACK, REACH


def recent_since(session: SparkSession, watermark_ms: int, generation: str, batch_id: int) -> pa.Table:
    """event_id, time_ms and content_hash of what earlier batches accepted at or after the watermark."""
    rows = _before(session, watermark_ms, generation, batch_id)
    return rows.select("event_id", F.unix_millis("event_time").alias("time_ms"), "content_hash").toArrow()


def on_time_since(session: SparkSession, watermark_ms: int, generation: str, batch_id: int) -> DataFrame:
    """The on-time events of earlier batches that open rows may still need: those within REACH and LOOKBACK of the watermark."""
    reach_ms = round((REACH + LOOKBACK).total_seconds() * 1000)
    return _before(session, watermark_ms - reach_ms, generation, batch_id).where(F.col("late_by_ms") == 0)


def _before(session: SparkSession, since_ms: int, generation: str, batch_id: int) -> DataFrame:
    since = F.timestamp_millis(F.lit(since_ms))
    return (
        spark_tables.read(session, SILVER)
        .where((F.col("day") >= F.to_date(since)) & (F.col("event_time") >= since))
        .where(~((F.col("generation") == generation) & (F.col("batch_id") >= batch_id)))
    )
