"""The views of settled days of which rows were open when they were compared, and have closed since: they are compared now.

Data flow: reconciliation/summary -> per day the views that are due
Run: pytest tests/batch/test_due.py
"""

from collections.abc import Collection
from datetime import date, datetime

import pyarrow.compute as pc

from batch.reconciliation.differences import SUMMARY
from infra.lake import arrow_tables


class Closed:
    """Reads the summary of some days once."""

    def __init__(self, days: Collection[date]) -> None:
        self._until = dict[date, dict[str, datetime]]()
        for row in arrow_tables.rows(SUMMARY, ["day", "view", "open_until"], pc.field("rows_open") > 0):
            if row["day"] in days:
                self._until.setdefault(row["day"], {})[row["view"]] = row["open_until"]

    def since(self, day: date, by_both: datetime | None) -> frozenset[str]:
        """The day's views whose last open row closes before the time that both layers have read to."""
        own = self._until.get(day, {})
        return frozenset(view for view, until in own.items() if by_both is not None and until < by_both)
