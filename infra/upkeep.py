"""Upkeep of tables, run by their own writer: files that no kept version needs any more are removed.

Data flow: Table -> VACUUM, once a day
Run: python -m batch upkeep

Small files are put together as they come (`delta.autoOptimize.autoCompact`), so OPTIMIZE is not a job of its own.
"""

import time
from collections.abc import Iterable

from delta.tables import DeltaTable
from pyspark.sql import SparkSession

from infra.tables import Table

DAY_SECONDS = 86_400
KEPT_HOURS = 24 * 7
"""A week of versions: long enough to read the tables as the stream had them when a night looked."""


def vacuum(session: SparkSession, tables: Iterable[Table]) -> None:
    """Remove the files of every table that no version of the last week needs."""
    for table in tables:
        DeltaTable.forPath(session, table.path).vacuum(KEPT_HOURS)


class Daily:
    """True once a day: `due()` starts the clock anew when it says so."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def due(self) -> bool:
        """Has a day passed since the last time, or since the start?"""
        if time.monotonic() - self._since < DAY_SECONDS:
            return False
        self._since = time.monotonic()
        return True
