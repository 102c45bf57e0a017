"""Spark's settings by the number of records: plans are compiled (whole-stage codegen) only if there are enough for it.

Data flow: offsets to read, or the archive's log (records per day, without a scan) -> settings of the session
Run: pytest tests/batch/test_tuning.py
"""

from pyspark.sql import SparkSession

from batch.archive.events import ARCHIVE
from batch.days.day import Day
from infra.lake import arrow_tables
from infra.settings import settings
from infra.spark_conf import FEW_ROWS

MANY = 50_000
"""With more records than this, plans run with code generation."""
LARGE = 200_000
"""With more records than this, the cores share a step. Up to here all rows stay in one partition (infra/lake/materialize), and
each core works on another view."""
HUGE = 1_000_000
"""With more records than this, adaptive query execution pays too. It plans every stage anew, which takes a twentieth of the CPU
of a night of 75,000 records and improves nothing."""

MANY_ROWS = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "true",
    "spark.databricks.delta.snapshotPartitions": "2",
}
"""What changes in FEW_ROWS for many rows."""
LARGE_ROWS = {**MANY_ROWS, "spark.sql.shuffle.partitions": "2"}
"""What changes for more than LARGE rows."""


def suit(own: SparkSession, day: Day) -> None:
    """Set the session up for a day."""
    suit_number(own, records(day))


def suit_number(own: SparkSession, number: int) -> None:
    """Set the session up for so many records; those that a person has set for the night stay as they are."""
    adaptive = {"spark.sql.adaptive.enabled": str(number > HUGE).lower()}
    changed = LARGE_ROWS if number > LARGE else MANY_ROWS if number > MANY else {}
    chosen = FEW_ROWS | changed | adaptive
    for key, value in chosen.items():
        if key not in settings().of_night:
            own.conf.set(key, value)


def records(day: Day) -> int:
    """How many records of a day the archive holds, from the statistics in the table's Delta log."""
    return arrow_tables.records(ARCHIVE, "day", str(day))
