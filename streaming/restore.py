"""The state that a restarted stream reads back from silver: recent ids, and the events of open rows.

Data flow: silver of finished micro-batches -> Arrow of recent ids; DataFrame of on-time events within reach
Run: python -m streaming
"""

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from infra.lake import spark_tables
from streaming.changelog import known_at, last_of_each_key
from streaming.silver import SILVER
from streaming.views import CHANGELOGS, LOOKBACK, REACH
from streaming.views.as_of import KNOWN_AT


def recent_since(session: SparkSession, watermark_ms: int, generation: str, batch_id: int) -> pa.Table:
    """event_id, time_ms and content_hash of what earlier batches accepted at or after the watermark."""
    rows = _since(session, watermark_ms, generation, batch_id)
    return rows.select("event_id", F.unix_millis("event_time").alias("time_ms"), "content_hash").toArrow()


def on_time_since(session: SparkSession, watermark_ms: int, generation: str, batch_id: int) -> DataFrame:
    """The on-time events of earlier batches that open rows may still need, with KNOWN_AT.

    These are the events within REACH and LOOKBACK of the watermark. Of changelogs, late events count too, and the last event of
    each key before.
    """
    since_ms = watermark_ms - round((REACH + LOOKBACK).total_seconds() * 1000)
    is_change = F.col("topic").isin(*CHANGELOGS)
    near = _since(session, since_ms, generation, batch_id).where((F.col("late_by_ms") == 0) & ~is_change)
    near = near.withColumn(KNOWN_AT, known_at())
    if not CHANGELOGS:
        return near
    since = F.timestamp_millis(F.lit(since_ms))
    changes = _finished(session, generation, batch_id).where(is_change).withColumn(KNOWN_AT, known_at())
    older, newer = (changes.where(is_so) for is_so in (F.col(KNOWN_AT) < since, F.col(KNOWN_AT) >= since))
    return near.unionByName(newer).unionByName(last_of_each_key(older))


def _since(session: SparkSession, since_ms: int, generation: str, batch_id: int) -> DataFrame:
    since = F.timestamp_millis(F.lit(since_ms))
    of_days = (F.col("day") >= F.to_date(since)) & (F.col("event_time") >= since)
    return _finished(session, generation, batch_id).where(of_days)


def _finished(session: SparkSession, generation: str, batch_id: int) -> DataFrame:
    is_own = (F.col("generation") == generation) & (F.col("batch_id") >= batch_id)
    return spark_tables.read(session, SILVER).where(~is_own)
