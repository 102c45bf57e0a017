"""Spark and delta-rs behind the two verbs: the same rows, the same columns, the same memory of what was written."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake.exceptions import DeltaError
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from infra.failures import PermanentFailure
from infra.lake import arrow_tables, spark_tables, writes
from infra.lake.rows import frame
from infra.lake.tables import Table
from infra.lake.writes import append_once, few, replace_days
from streaming.tables.bronze import RECORD, WEIGHT

pytestmark = pytest.mark.slow

PLACE = StructType([StructField("topic", StringType()), StructField("to", LongType())])
SCHEMA = StructType(
    [
        StructField("n", LongType()),
        StructField("small", IntegerType()),
        StructField("said", BooleanType()),
        StructField("at", TimestampType()),
        StructField("value", BinaryType()),
        StructField("share", DecimalType(18, 4)),
        StructField("offsets", ArrayType(PLACE)),
        StructField("sums", MapType(StringType(), LongType())),
        StructField("place", PLACE),
        StructField("day", DateType()),
    ]
)
CHECKED = (("n_is_not_negative", "n >= 0"),)
SPARK, RUST = (Table("silver", name, SCHEMA, ("day",), CHECKED) for name in ("by_spark", "by_rust"))
MONDAY, TUESDAY = date(2026, 1, 5), date(2026, 1, 6)
AT = datetime(2026, 1, 5, 12, 0, 0, 123456, tzinfo=UTC)


def row(day: date, n: int, **more: Any) -> dict[str, Any]:
    full = {
        "small": n,
        "said": n > 1,
        "at": AT,
        "value": b"\x00\xff",
        "share": Decimal("0.2500"),
        "offsets": [{"topic": "orders", "to": n}, None],
        "sums": [("orders", n), ("clicks", None)],
        "place": {"topic": "orders", "to": None},
    }
    return {"day": day, "n": n} | (full if n % 2 else {}) | more


def arrow(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=to_arrow_schema(SCHEMA, timezone="UTC"))


@pytest.fixture
def session(spark: SparkSession, local_lake: Path) -> SparkSession:
    for table in (SPARK, RUST):
        spark_tables.create(spark, table)
    return spark


def found(session: SparkSession, table: Table) -> list[Any]:
    return sorted(session.read.format("delta").load(table.path).toArrow().to_pylist(), key=lambda one: one["n"])


def versions(session: SparkSession, writer: str) -> list[int]:
    for table in (SPARK, RUST):
        spark_tables.version(session, table)
    return [arrow_tables.latest(table).transaction_version(writer) for table in (SPARK, RUST)]


def test_both_engines_leave_the_same_table(session: SparkSession) -> None:
    steps: list[tuple[list[dict[str, Any]], str, int]] = [
        ([row(MONDAY, 1), row(TUESDAY, 2)], "ingest/a", 7),
        ([row(MONDAY, 3)], "ingest/a", 8),
        ([], "ingest/a", 9),
        ([row(MONDAY, 5)], "ingest/b", 0),
    ]
    for rows, writer, version in steps:
        for _ in range(2):
            append_once(frame(session, rows, SCHEMA), SPARK, writer, version)
            append_once(arrow(*rows), RUST, writer, version)
    for rows, days in ([row(MONDAY, 7)], [MONDAY]), ([], [TUESDAY]):
        for _ in range(2):
            replace_days(frame(session, rows, SCHEMA), SPARK, days)
            replace_days(arrow(*rows), RUST, days)
    assert found(session, RUST) == found(session, SPARK)
    assert [one["n"] for one in found(session, RUST)] == [7]
    assert (versions(session, "ingest/a"), versions(session, "ingest/b")) == ([9, 9], [0, 0])
    assert spark_tables.read(session, RUST).schema == spark_tables.read(session, SPARK).schema


def test_what_arrow_appends_is_appended_once(session: SparkSession) -> None:
    for version in (7, 7, 6):
        append_once(arrow(row(MONDAY, 1)), RUST, "ingest/a", version)
    assert [one["n"] for one in found(session, RUST)] == [1]
    assert arrow_tables.latest(RUST).version() == spark_tables.version(session, SPARK) + 1


def test_each_engine_knows_what_the_other_wrote(session: SparkSession) -> None:
    append_once(arrow(row(MONDAY, 1)), RUST, "ingest/a", 7)
    append_once(frame(session, [row(MONDAY, 1)], SCHEMA), RUST, "ingest/a", 7)
    append_once(frame(session, [row(MONDAY, 3)], SCHEMA), RUST, "ingest/a", 8)
    append_once(arrow(row(MONDAY, 3)), RUST, "ingest/a", 8)
    replace_days(arrow(row(TUESDAY, 4)), RUST, [TUESDAY])
    replace_days(frame(session, [row(MONDAY, 5)], SCHEMA), RUST, [MONDAY])
    assert [one["n"] for one in found(session, RUST)] == [4, 5]
    assert [one["n"] for one in arrow_tables.rows(RUST)] in ([4, 5], [5, 4])


def test_values_come_back_as_they_went_in(session: SparkSession) -> None:
    append_once(arrow(row(MONDAY, 1)), RUST, "test", 0)
    (one,) = arrow_tables.rows(RUST)
    assert one == row(MONDAY, 1) | {"sums": {"orders": 1, "clicks": None}}
    assert arrow_tables.rows(RUST, ["n"], where=pc.field("day") == TUESDAY) == []


@pytest.mark.parametrize("by_arrow", [True, False])
def test_a_row_of_another_day_is_refused_by_both(session: SparkSession, by_arrow: bool) -> None:
    rows = [row(MONDAY, 1), row(TUESDAY, 2)]
    with pytest.raises((PermanentFailure, AnalysisException)):
        replace_days(arrow(*rows) if by_arrow else frame(session, rows, SCHEMA), RUST, [MONDAY])
    assert found(session, RUST) == []


def test_a_constraint_holds_for_arrow_too(session: SparkSession) -> None:
    with pytest.raises(DeltaError, match="failed validation check"):
        append_once(arrow(row(MONDAY, -2)), RUST, "test", 0)
    assert found(session, RUST) == []


def test_a_column_that_the_table_lacks_is_refused(session: SparkSession) -> None:
    more = arrow(row(MONDAY, 1)).append_column("extra", pa.array([1]))
    with pytest.raises(ValueError, match="no column extra"):
        append_once(more, RUST, "test", 0)


def test_a_handle_is_opened_anew_before_it_has_grown(session: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_tables, "REOPEN_AFTER", 2)
    handles = []
    for version in range(5):
        append_once(arrow(row(MONDAY, version)), RUST, "test", version)
        handles.append(arrow_tables.latest(RUST))
    assert len({id(handle) for handle in handles}) > 1
    assert len(found(session, RUST)) == 5


def test_few_rows_go_by_arrow_and_many_by_spark(session: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = frame(session, [row(MONDAY, number) for number in (1, 2, 3)], SCHEMA)
    monkeypatch.setattr(writes, "FEW", 3)
    assert isinstance(few(rows), pa.Table)
    append_once(few(rows), RUST, "test", 0)
    monkeypatch.setattr(writes, "FEW", 2)
    assert few(rows) is rows
    append_once(few(rows), SPARK, "test", 0)
    assert found(session, RUST) == found(session, SPARK)
    assert arrow_tables.count(RUST) == arrow_tables.count(SPARK) == 3


def test_a_few_long_rows_are_not_few(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"topic": "orders", "partition": 0, "key": b"k", "value": b"v", "headers": [{"key": "h", "value": b"xyz"}]}
    bare = {"topic": "orders", "partition": 0, "headers": [{"key": "h", "value": None}]}
    records = frame(spark, [{"offset": 0, **own}, {"offset": 1, **bare}, {"offset": 2}], RECORD)
    monkeypatch.setattr(writes, "FEW_BYTES", 5)
    assert isinstance(few(records, WEIGHT), pa.Table)
    assert isinstance(few(records.limit(0), WEIGHT), pa.Table)
    monkeypatch.setattr(writes, "FEW_BYTES", 4)
    assert few(records, WEIGHT) is records
