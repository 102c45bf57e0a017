"""Materialized rows need neither their plan nor what it read."""

from pathlib import Path
from shutil import rmtree

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from infra.lake.materialize import ON_DISK, gathered, materialized, released


def test_materialized_rows_are_computed_at_once(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "numbers"
    spark.range(5).write.parquet(str(folder))
    rows = spark.read.parquet(str(folder)).where("id > 2")
    kept = materialized(rows)
    rmtree(folder)
    assert sorted(row["id"] for row in kept.collect()) == [3, 4]


def test_released_rows_are_kept_no_longer(spark: SparkSession) -> None:
    kept_by_spark = spark._jsc.getPersistentRDDs
    before = kept_by_spark().size()
    rows = materialized(spark.range(3).where("id > 0"))
    assert kept_by_spark().size() == before + 1
    released(rows)
    assert kept_by_spark().size() == before


@pytest.mark.parametrize("on_disk", ["true", "false"])
def test_rows_of_a_huge_day_leave_the_heap_alone(spark: SparkSession, on_disk: str) -> None:
    spark.conf.set(ON_DISK, on_disk)
    try:
        rows = materialized(spark.range(5).where("id > 2"))
    finally:
        spark.conf.unset(ON_DISK)
    assert sorted(row["id"] for row in rows.collect()) == [3, 4]
    level = rows._jdf.queryExecution().analyzed().rdd().getStorageLevel()
    assert (level.useDisk(), level.useMemory()) == (True, on_disk == "false")
    released(rows)


@pytest.mark.parametrize("partitions", ["1", "2"])
def test_few_rows_are_not_shuffled(spark: SparkSession, partitions: str) -> None:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        own = gathered(spark.range(4, numPartitions=2).withColumn("key", F.col("id") % 2)).persist()
        windowed = own.withColumn("place", F.row_number().over(Window.partitionBy("key").orderBy("id")))
        found = windowed.join(own.groupBy("key").count(), "key")
        assert found.count() == 4
        shuffles = plan(found).count("Exchange hashpartitioning")
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    assert (shuffles == 0) == (partitions == "1"), plan(found)


def plan(rows: DataFrame) -> str:
    return str(rows._jdf.queryExecution().executedPlan().toString())
