"""Spark's settings by the number of records: plans are compiled (whole-stage codegen) only if there are enough for it.

Data flow: offsets to read, or the archive's log (records per day, without a scan) -> settings of the session
Run: pytest tests/batch/test_tuning.py
"""

from pyspark.sql import SparkSession

from batch.archive.events import ARCHIVE
from batch.days.day import Day
from infra.lake import arrow_tables
from infra.lake.materialize import ON_DISK
from infra.settings import settings
from infra.spark_conf import FEW_ROWS

MANY = 50_000
"""With more records than this, plans run with code generation."""
LARGE = 200_000
"""With more records than this, the cores share a step. Up to here all rows stay in one partition (infra/lake/materialize), and
each core works on another view."""
HUGE = 1_000_000
"""With more records than this, adaptive query execution pays too: it plans every stage anew, which takes a twentieth of the CPU
of a night of 75,000 records and improves nothing. And rows that several queries read are kept on the disk alone: in memory they
leave the heap no room, and a night of ten million collected garbage for half its time, until it ran out of memory. Nor is the
small side of a join guessed: of 16 MB of Parquet Spark took a few megabytes, and built a table of a gigabyte."""

MANY_ROWS = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "true",
    "spark.databricks.delta.snapshotPartitions": "2",
}
"""What changes in FEW_ROWS for many rows."""
LARGE_ROWS = {**MANY_ROWS, "spark.sql.shuffle.partitions": "2"}
"""What changes for more than LARGE rows."""
HUGE_ROWS = {
    ON_DISK: "true",
    "spark.sql.adaptive.enabled": "true",
    # By what was shuffled, and not by what its plan is guessed to give.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "4m",
}
"""What changes for more than HUGE."""
BACK = {
    ON_DISK: "false",
    "spark.sql.autoBroadcastJoinThreshold": "10m",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "10m",
}
"""Spark's own, for what only HUGE_ROWS changes."""
PER_PARTITION = 500_000
"""Records in a partition, of more than HUGE: what a task sorts and joins is as much as on a smaller day. Of a view with fewer
rows, adaptive query execution puts partitions together."""


def suit(own: SparkSession, day: Day) -> None:
    """Set the session up for a day."""
    suit_number(own, records(day))


def suit_number(own: SparkSession, number: int) -> None:
    """Set the session up for so many records; those that a person has set for the night stay as they are."""
    changed = LARGE_ROWS if number > LARGE else MANY_ROWS if number > MANY else {}
    chosen = FEW_ROWS | BACK | changed | (_huge(number) if number > HUGE else {})
    for key, value in chosen.items():
        if key not in settings().of_night:
            own.conf.set(key, value)


def _huge(number: int) -> dict[str, str]:
    partitions = -(-number // PER_PARTITION)
    return {"spark.sql.shuffle.partitions": str(partitions), **HUGE_ROWS}


def records(day: Day) -> int:
    """How many records of a day the archive holds, from the statistics in the table's Delta log."""
    return arrow_tables.records(ARCHIVE, "day", str(day))
