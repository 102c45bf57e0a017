"""Frames of unlike columns are one frame, whose columns they share by type, and are apart again as they were."""

from datetime import UTC, datetime

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from infra.lake.rows import from_arrow
from streaming.state.one_frame import WHAT, apart, together

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
"""Of a type that two of the frames have twice."""
TABLES = {
    "visits": pa.table({"who": ["a", "b"], "since": [AT, None], "until": [AT, AT], "steps": [1, 2]}),
    "before 0": pa.table(
        {"steps": [None, 7], "who": ["", None]}, pa.schema([("steps", pa.int64()), ("who", pa.string())])
    ),
    "a.b": pa.table({"from": [AT], "what": ["x"], "share": [0.5], "tags": [[1, 2]]}),
    "none": pa.table({"who": pa.array([], pa.string())}),
}


def frames(spark: SparkSession) -> dict[str, DataFrame]:
    return {what: from_arrow(spark, rows, from_arrow_schema(rows.schema)) for what, rows in TABLES.items()}


def test_each_frame_is_found_again(spark: SparkSession) -> None:
    frame, places = together(frames(spark))
    found = frame.toArrow()
    assert found.num_rows == sum(rows.num_rows for rows in TABLES.values())
    for what, rows in TABLES.items():
        assert apart(found, what, places).to_pylist() == rows.to_pylist()


def test_columns_of_one_type_are_shared(spark: SparkSession) -> None:
    found = together(frames(spark))[0].columns
    # The most of each type: a text, two times, a number, a fraction, a list.
    assert len(found) == 1 + 1 + 2 + 1 + 1 + 1
    assert found[0] == WHAT
