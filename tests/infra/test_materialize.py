"""Materialized rows need neither their plan nor what it read."""

from pathlib import Path
from shutil import rmtree

from pyspark.sql import SparkSession

from infra.lake.materialize import materialized


def test_materialized_rows_are_computed_at_once(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "numbers"
    spark.range(5).write.parquet(str(folder))
    rows = spark.read.parquet(str(folder)).where("id > 2")
    kept = materialized(rows)
    rmtree(folder)
    assert sorted(row["id"] for row in kept.collect()) == [3, 4]
