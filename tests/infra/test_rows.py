"""Rows of the driver's: what goes in comes out, of every type that our tables have."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import (
    ArrayType,
    DateType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from infra.lake.rows import arrow, frame, from_arrow

AT = StructType([StructField("topic", StringType()), StructField("to", LongType())])
SCHEMA = StructType(
    [
        StructField("name", StringType()),
        StructField("day", DateType()),
        StructField("time", TimestampType()),
        StructField("counts", MapType(StringType(), LongType())),
        StructField("offsets", ArrayType(AT)),
    ]
)
NOON = datetime(2026, 1, 31, 12, 0, 0, 5, tzinfo=UTC)


def test_every_type_comes_back(spark: SparkSession) -> None:
    row = {
        "name": "é",
        "day": date(2026, 1, 31),
        "time": NOON,
        "counts": [("late", 2**40)],
        "offsets": [{"topic": "orders", "to": 7}],
    }
    found = frame(spark, [row, {"name": "lonely"}], SCHEMA)
    assert found.schema == SCHEMA
    whole, lonely = found.collect()
    assert whole.asDict(recursive=True) | {"time": None} == row | {"time": None, "counts": {"late": 2**40}}
    assert whole["time"].astimezone(UTC) == NOON
    assert [lonely[name] for name in SCHEMA.fieldNames()[1:]] == [None] * 4


def test_no_rows_are_an_empty_frame(spark: SparkSession) -> None:
    assert frame(spark, [], SCHEMA).count() == 0


@pytest.mark.parametrize("sizes", [(), (0, 0), (2,), (0, 2), (0, 0, 3), (0, 0, 0, 1, 0, 2), (2, 0, 0, 1)], ids=str)
def test_no_row_is_lost_whatever_pieces_a_table_has(spark: SparkSession, sizes: tuple[int, ...]) -> None:
    pieces = [arrow([{"topic": "orders", "to": number} for number in range(size)], AT) for size in sizes]
    table = pa.concat_tables(pieces) if pieces else arrow([], AT)
    assert from_arrow(spark, table, AT).count() == sum(sizes)
