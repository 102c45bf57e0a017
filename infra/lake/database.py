"""DuckDB over Arrow tables: the figures of freshness, lag and the report are SQL, without Spark.

Data flow: Arrow tables -> an in-memory DuckDB that sees them by name
Run: pytest tests/streaming/test_freshness.py
"""

import duckdb
import pyarrow as pa


def database(**tables: pa.Table) -> duckdb.DuckDBPyConnection:
    """A database with these tables, on one thread: it stands beside a stream that needs the cores.

    Its functions of time zones are an extension that is fetched from outside: queries count in epoch microseconds.
    """
    found = duckdb.connect(config={"threads": 1})
    for name, table in tables.items():
        found.register(name, table)
    return found
