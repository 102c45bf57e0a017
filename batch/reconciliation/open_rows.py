"""Rows that are still open when the night compares: an order of yesterday that may be paid tomorrow.

Data flow: speed/progress, the archive's ends -> the time from which on rows are open; rows of all stages -> each with `is_open`
Run: pytest tests/batch/test_open_rows_of_a_night.py

Both layers' rows may change until such an order closes, and one layer may have read more of it than the other when the night
compares: that is no difference. Any other is. A night that finds an open row changed corrects it (cause `open`), and when the
last open row of a day has closed, the view is compared once more. Rows of a view whose reach is an hour are closed when a day is
settled.
"""

from collections.abc import Iterable
from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.days.day import Day
from batch.reconciliation.speed_snapshot import MicroBatch
from infra.kafka.places import Ends
from streaming.views.view import LONG_REACHES, View

IS_OPEN, CLOSES = "is_open", "open_until"
"""Columns of compared rows: is the row open, and when does it close."""


def read_by_both(progress: Iterable[MicroBatch], ends: Ends) -> datetime | None:
    """Rows that close before this time are final in the stream, by events that the archive has too; None: there are none.

    It is the watermark behind the last micro-batch before the first that read something behind the archive's ends.
    """
    found = None
    for batch in sorted(progress, key=lambda row: (row["generation"], row["batch_id"])):
        if any(at["to"] > ends.get((at["topic"], at["partition"]), 0) for at in batch["offsets"] or ()):
            break
        found = batch["next_watermark"] or found
    return found


def horizon(day: Day, by_both: datetime | None) -> datetime:
    """Rows of the day that close at this time or later are open."""
    soonest = day.end + LONG_REACHES
    return soonest if by_both is None else max(soonest, by_both)


def marked(view: View, rows: DataFrame, since: datetime | None) -> DataFrame:
    """Rows with a struct of values per stage, with IS_OPEN and CLOSES, both null unless rows of the view may stay open.

    A row closes by its truth, or, where it has none, by the stream. None: nothing is open.
    """
    if not view.stays_open or since is None:
        none = F.lit(None)
        return rows.withColumns({IS_OPEN: none.cast("boolean"), CLOSES: none.cast("timestamp")})
    closing = rows
    for stage in ("truth", "speed"):
        closing = _closing(view, closing, stage)
    closes = F.coalesce("_closes_truth", "_closes_speed")
    is_open = F.coalesce(closes >= F.lit(since), F.lit(False))
    return closing.select(*rows.columns, is_open.alias(IS_OPEN), F.when(is_open, closes).alias(CLOSES))


def _closing(view: View, rows: DataFrame, stage: str) -> DataFrame:
    """With the column `_closes_<stage>`: when the row closes by the stage's values; null if it has none."""
    values = [F.col("_row")[stage][name].alias(name) for name in view.values]
    keys = [F.col("_row")[name].alias(name) for name in view.key]
    apart = rows.select(F.struct(*rows.columns).alias("_row")).select("_row", *keys, *values)
    closes: Column = F.when(F.col("_row")[stage].isNotNull(), view.closed_at()).alias(f"_closes_{stage}")
    return apart.select("_row", closes).select("_row.*", f"_closes_{stage}")
