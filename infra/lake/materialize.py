"""Rows that several queries read, computed once.

Data flow: DataFrame -> the same rows, kept by the executors
Run: pytest tests/infra/test_materialize.py
"""

from pyspark.sql import DataFrame


def materialized(rows: DataFrame) -> DataFrame:
    """The same rows, without the plan that made them: a plan that holds other plans takes long to analyze."""
    # At once: until its first use the old plan may be garbage, and Spark then logs an error for every counter of its tasks.
    return rows.localCheckpoint(eager=True)
