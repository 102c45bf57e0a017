"""Rows that several queries read, computed once; few rows in one partition.

Data flow: DataFrame -> the same rows, kept by the executors
Run: pytest tests/infra/test_materialize.py
"""

from pyspark import StorageLevel
from pyspark.sql import DataFrame

ON_DISK = "spark.daybreak.materialize.onDisk"
"""A setting of a session: are such rows kept on the disk alone? In memory they take what the heap has."""


def materialized(rows: DataFrame) -> DataFrame:
    """The same rows, without the plan that made them: a plan that holds other plans takes long to analyze."""
    is_on_disk = rows.sparkSession.conf.get(ON_DISK, "false") == "true"
    # At once: until its first use the old plan may be garbage, and Spark then logs an error for every counter of its tasks.
    return gathered(rows).localCheckpoint(True, StorageLevel.DISK_ONLY if is_on_disk else None)


def released(rows: DataFrame) -> None:
    """Free what `materialized` keeps; else Spark frees it when its JVM has found that nothing refers to it."""
    rows._jdf.queryExecution().analyzed().rdd().unpersist(False)


def gathered(rows: DataFrame) -> DataFrame:
    """The same rows; in one partition, if the session shuffles to one. Spark knows then that equal keys are together, and no
    window, join or aggregation behind it has to shuffle them again."""
    is_for_few = rows.sparkSession.conf.get("spark.sql.shuffle.partitions") == "1"
    return rows.coalesce(1) if is_for_few else rows
