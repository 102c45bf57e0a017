"""The night's driver: its Spark session, its lease, its tables.

Data flow: Table of each step -> Delta tables under the lake root
Run: python -m batch prepare
"""

import logging
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from batch.night.all_tables import night_tables
from infra import logs
from infra.failures import TransientFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.lease import Lease
from infra.session import spark
from infra.settings import settings
from infra.spark_conf import FEW_ROWS
from streaming.positions.gaps import BRONZE_GAPS

BOUNDED = {"spark.shuffle.spill.maxSizeInBytesForSpillThreshold": "128m"}
"""The most that a task sorts in memory. Spark would take what it counts as free, and does not count the records that Kafka's
client has unpacked: 50 of 4 MB each and a sort of the rest filled a heap of 1.5 GB."""


def session() -> SparkSession:
    """The night's Spark session."""
    s = settings()
    # Before a day with many records, batch/archive/tuning changes some of these settings.
    return spark("daybreak night", s.night_memory, "night_memory", s.night_jvm, {**FEW_ROWS, **BOUNDED, **s.of_night})


def create_tables(own: SparkSession) -> None:
    """Create what is missing of the night's tables."""
    spark_tables.create_missing(own, night_tables())


def lease() -> Lease:
    """The right to write the night's tables; a night waits for it."""
    return Lease("night", settings().lease_wait_seconds)


def refuse_without_stream() -> None:
    """Raise TransientFailure while the tables that a night reads are not there."""
    # The last table that the stream creates.
    if not arrow_tables.exists(BRONZE_GAPS):
        raise TransientFailure(
            "the stream has not created its tables yet: see daybreak status whether it runs, and with this code "
            "(daybreak restart stream)"
        )


def say(text: str) -> None:
    """Print a line with the time (UTC)."""
    logs.line(text, "daybreak night", logging.INFO, f"{datetime.now(UTC):%H:%M:%S} {text}")
