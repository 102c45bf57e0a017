"""Turn a few rows in the driver into Arrow or a DataFrame; for a Python list, Spark would start a Python worker.

Data flow: dicts -> Arrow table -> delta-rs, or a DataFrame
Run: pytest tests/infra/test_rows.py
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


def frame(session: SparkSession, rows: Iterable[Mapping[str, Any]], schema: StructType) -> DataFrame:
    """Rows as a DataFrame of one partition; a missing field is null. Maps are lists of pairs, structs are dicts."""
    return from_arrow(session, arrow(rows, schema), schema).coalesce(1)


def from_arrow(session: SparkSession, table: pa.Table, schema: StructType) -> DataFrame:
    """An Arrow table as a DataFrame.

    Its pieces are put together first: of two empty ones in a row, Spark 4.2 takes the first for the table's end.
    """
    # And it accepts no table without any piece.
    return session.createDataFrame(table.combine_chunks() if table.num_rows else [], schema)


def arrow(rows: Iterable[Mapping[str, Any]], schema: StructType) -> pa.Table:
    """The same rows for delta-rs."""
    return pa.Table.from_pylist([dict(row) for row in rows], schema=to_arrow_schema(schema, timezone="UTC"))
