"""Both verbs, each done twice, leave the same table."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DateType, LongType, StringType, StructField, StructType

from infra.failures import PermanentFailure
from infra.lake import spark_tables
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once, replace_days

pytestmark = pytest.mark.slow

TABLE = Table("silver", "numbers", StructType([StructField("day", DateType()), StructField("n", LongType())]), ("day",))
OF_VIEWS = Table(
    "silver",
    "of_views",
    StructType([StructField("day", DateType()), StructField("view", StringType()), StructField("n", LongType())]),
)
MONDAY, TUESDAY = date(2026, 1, 5), date(2026, 1, 6)


@pytest.fixture
def session(spark: SparkSession, local_lake: Path) -> SparkSession:
    """A session with the empty table."""
    spark_tables.create(spark, TABLE)
    return spark


def rows(session: SparkSession, *numbers: tuple[date, int]) -> DataFrame:
    return session.createDataFrame(list(numbers), TABLE.schema)


def found(session: SparkSession) -> Sequence[tuple[date, int]]:
    return sorted((row["day"], row["n"]) for row in spark_tables.read(session, TABLE).collect())


def test_a_batch_is_appended_once(session: SparkSession) -> None:
    append_once(rows(session, (MONDAY, 1)), TABLE, "ingest/a", 7)
    version = spark_tables.version(session, TABLE)
    append_once(rows(session, (MONDAY, 1)), TABLE, "ingest/a", 7)
    append_once(rows(session, (MONDAY, 1)), TABLE, "ingest/a", 6)
    assert (found(session), spark_tables.version(session, TABLE)) == ([(MONDAY, 1)], version)


def test_the_next_batch_and_another_writer_are_appended(session: SparkSession) -> None:
    append_once(rows(session, (MONDAY, 1)), TABLE, "ingest/a", 7)
    append_once(rows(session, (MONDAY, 2)), TABLE, "ingest/a", 8)
    append_once(rows(session, (MONDAY, 3)), TABLE, "ingest/b", 0)
    assert found(session) == [(MONDAY, 1), (MONDAY, 2), (MONDAY, 3)]


def test_days_are_replaced_whole_and_alone(session: SparkSession) -> None:
    append_once(rows(session, (MONDAY, 1), (MONDAY, 2), (TUESDAY, 3)), TABLE, "test", 0)
    for _ in range(2):
        replace_days(rows(session, (MONDAY, 4)), TABLE, [MONDAY])
        assert found(session) == [(MONDAY, 4), (TUESDAY, 3)]
    replace_days(rows(session), TABLE, [TUESDAY])
    assert found(session) == [(MONDAY, 4)]


def test_of_a_day_the_rows_of_some_views_are_replaced(session: SparkSession) -> None:
    spark_tables.create(session, OF_VIEWS)
    some = [(MONDAY, "a", 1), (MONDAY, "b", 2), (TUESDAY, "a", 3)]
    append_once(session.createDataFrame(some, OF_VIEWS.schema), OF_VIEWS, "test", 0)
    for number, rows in ((4, session.createDataFrame([(MONDAY, "a", 4)], OF_VIEWS.schema)), (5, a_row(5))):
        replace_days(rows, OF_VIEWS, [MONDAY], ["a"])
        left = spark_tables.read(session, OF_VIEWS).collect()
        assert {(row["day"], row["view"], row["n"]) for row in left} == {(MONDAY, "a", number), *some[1:]}
    with pytest.raises(PermanentFailure, match="of other views: \\['a'\\]"):
        replace_days(a_row(6), OF_VIEWS, [MONDAY], ["b"])
    with pytest.raises(AnalysisException, match="DELTA_REPLACE_WHERE_MISMATCH"):
        replace_days(session.createDataFrame([(MONDAY, "a", 6)], OF_VIEWS.schema), OF_VIEWS, [MONDAY], ["b"])
    replace_days(a_row(7).slice(1), OF_VIEWS, [MONDAY], ["a"])
    assert spark_tables.read(session, OF_VIEWS).count() == 2


def a_row(number: int) -> pa.Table:
    return arrow([{"day": MONDAY, "view": "a", "n": number}], OF_VIEWS.schema)


def test_a_row_of_another_day_is_refused(session: SparkSession) -> None:
    append_once(rows(session, (TUESDAY, 3)), TABLE, "test", 0)
    with pytest.raises(AnalysisException, match="DELTA_REPLACE_WHERE_MISMATCH"):
        replace_days(rows(session, (MONDAY, 4), (TUESDAY, 5)), TABLE, [MONDAY])
    assert found(session) == [(TUESDAY, 3)]
