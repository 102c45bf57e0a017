"""DuckDB over Arrow tables: freshness and the report compute their figures in SQL, without Spark.

Data flow: Arrow tables -> an in-memory DuckDB that sees them by name
Run: pytest tests/streaming/test_freshness.py
"""

import duckdb
import pyarrow as pa


def database(**tables: pa.Table) -> duckdb.DuckDBPyConnection:
    """A database with these tables, on one thread, because the stream beside it needs the cores.

    DuckDB would download its time zone functions as an extension, so queries use epoch microseconds.
    """
    found = duckdb.connect(config={"threads": 1})
    for name, table in tables.items():
        found.register(name, table)
    return found
