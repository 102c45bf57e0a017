"""Rows of the driver's: what goes in comes out, of every type that our tables have."""

from datetime import UTC, date, datetime

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

from infra.lake.rows import frame

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
