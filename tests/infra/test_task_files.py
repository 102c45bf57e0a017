"""Files that tasks write and a driver commits: the table has the rows, once, and statistics by which files are left out."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import DateType, LongType, StringType, StructField, StructType, TimestampType

from infra.failures import PermanentFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.tables import Table
from infra.lake.task_files import LONGEST, append_files_once, target, write

pytestmark = pytest.mark.slow
FORM = StructType(
    [
        StructField("day", DateType()),
        StructField("at", TimestampType()),
        StructField("n", LongType()),
        StructField("text", StringType()),
    ]
)
TABLE = Table("silver", "numbers", FORM, ("day",), (("is_counted", "n >= 0"), ("has_text", "text IS NOT NULL")))
MONDAY, TUESDAY = date(2026, 1, 5), date(2026, 1, 6)
NOON = datetime(2026, 1, 5, 12, 0, 0, 1_001, UTC)
SOME = {"day": [MONDAY, TUESDAY, MONDAY], "at": [NOON, NOON, None], "n": [3, 2, 1], "text": ["c", "b", "x" * 99]}


def rows(**more: object) -> pa.Table:
    return pa.table({**SOME, **more})


@pytest.fixture
def made(spark: SparkSession, local_lake: Path) -> Path:
    spark_tables.create(spark, TABLE)
    return local_lake


def test_a_commit_has_the_rows_of_all_files_once(made: Path, spark: SparkSession) -> None:
    files = write(rows(), target(TABLE))
    assert sorted((one.values["day"], one.rows) for one in files) == [("2026-01-05", 2), ("2026-01-06", 1)]
    append_files_once(files, TABLE, "ingest/a", 7)
    append_files_once(write(rows(), target(TABLE)), TABLE, "ingest/a", 7)
    append_files_once(write(rows(), target(TABLE)), TABLE, "ingest/a", 6)
    read = arrow_tables.read(TABLE).sort_by("n")
    assert read.select(["n", "day"]).to_pydict() == {"n": [1, 2, 3], "day": [MONDAY, TUESDAY, MONDAY]}
    # Spark and delta-rs read the same.
    assert [tuple(row) for row in spark_tables.read(spark, TABLE).orderBy("n").collect()] == [
        (row["day"], row["at"] and row["at"].replace(tzinfo=None), row["n"], row["text"]) for row in read.to_pylist()
    ]


def test_statistics_hold_all_values_and_leave_files_out(made: Path) -> None:
    files = write(rows(), target(TABLE))
    append_files_once(files, TABLE, "ingest/a", 1)
    (monday,) = (json.loads(one.stats) for one in files if one.values["day"] == str(MONDAY))
    assert (monday["numRecords"], monday["nullCount"]) == (2, {"at": 1, "n": 0, "text": 0})
    # Milliseconds: the largest is rounded up, and a long text is not told.
    assert (monday["minValues"], monday["maxValues"]) == (
        {"at": "2026-01-05T12:00:00.001Z", "n": 1},
        {"at": "2026-01-05T12:00:00.002Z", "n": 3},
    )
    assert len(SOME["text"][2]) > LONGEST
    found = arrow_tables.read(TABLE, ["n"], pc.field("at") == pa.scalar(NOON, pa.timestamp("us", "UTC")))
    assert sorted(found["n"].to_pylist()) == [2, 3]


@pytest.mark.parametrize("wrong", [{"n": [3, 2, -1]}, {"text": ["c", "b", None]}])
def test_rows_that_break_a_condition_are_not_written(made: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="silver/numbers: rows break"):
        write(rows(**wrong), target(TABLE))


def test_what_tasks_cannot_hold_a_table_to_is_refused(made: Path) -> None:
    other = Table("silver", "numbers", FORM, ("day",), (("odd", "n % 2 = 1"),))
    with pytest.raises(PermanentFailure, match="tasks cannot check n % 2 = 1"):
        target(other)


def test_no_rows_are_no_file_and_no_commit(made: Path) -> None:
    before = arrow_tables.latest(TABLE).version()
    append_files_once(write(rows().slice(0, 0), target(TABLE)), TABLE, "ingest/a", 1)
    assert arrow_tables.latest(TABLE).version() == before
