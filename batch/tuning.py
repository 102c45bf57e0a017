"""Spark's settings by the number of records: a plan is compiled only where there are enough of them to pay for it.

Data flow: offsets to read, or the archive's log (records per day, without a scan) -> settings of the session
Run: pytest tests/batch/test_tuning.py
"""

from pyspark.sql import SparkSession

from batch.archive import ARCHIVE
from batch.day import Day
from infra.lake import arrow_tables
from infra.session import FEW_ROWS
from infra.settings import settings

MANY = 50_000
"""Records from which on plans are compiled and looked at again while they run."""

MANY_ROWS = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "true",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
}
"""The other side of FEW_ROWS, setting by setting."""


def suit(own: SparkSession, day: Day) -> None:
    """Set the session up for a day."""
    suit_number(own, records(day))


def suit_number(own: SparkSession, number: int) -> None:
    """Set the session up for so many records; what DAYBREAK_SPARK_CONF names stays as the user has it."""
    chosen = MANY_ROWS if number > MANY else FEW_ROWS
    for key, value in chosen.items():
        if key not in settings().spark_conf:
            own.conf.set(key, value)


def records(day: Day) -> int:
    """How many records of a day the archive holds, by the numbers in the table's log."""
    return arrow_tables.records(ARCHIVE, "day", str(day))
