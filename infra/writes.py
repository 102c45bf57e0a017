"""The two verbs that write: append a batch once, replace whole days.

Data flow: DataFrame -> Delta table, so that a repeated batch or run changes nothing
Run: pytest tests/infra/test_writes.py
Source: Delta Lake, "Idempotent table writes in foreachBatch" and "replaceWhere".
"""

from collections.abc import Iterable
from datetime import date

from pyspark.sql import DataFrame

from infra.tables import Table


def append_once(frame: DataFrame, table: Table, writer: str, version: int) -> None:
    """Append `frame` unless `writer` has already appended `version` or a later one.

    `version` must grow with every new content of the same `writer`, else the write is ignored in silence.
    """
    (
        frame.write.format("delta")
        .mode("append")
        .option("txnAppId", writer)
        .option("txnVersion", version)
        .save(table.path)
    )


def replace_days(frame: DataFrame, table: Table, days: Iterable[date]) -> None:
    """Replace the rows of `days` (column `day`) by `frame` in one commit; a row of another day is refused by Delta."""
    listed = ", ".join(f"DATE'{day.isoformat()}'" for day in sorted(days))
    frame.write.format("delta").mode("overwrite").option("replaceWhere", f"day IN ({listed})").save(table.path)
