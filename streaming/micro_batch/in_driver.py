"""A micro-batch's rows in the driver, as Arrow, which delta-rs writes: the cheapest way where they are few.

Data flow: validated records -> Arrow -> bronze, silver, quarantine, speed/<view>
Run: python -m streaming
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from infra.lake.tables import Table
from infra.lake.writes import append_once
from streaming.micro_batch import outcomes as rows_of
from streaming.micro_batch.rate import Rate
from streaming.positions.watermark import arrow_time
from streaming.state.changelog import counted_in_arrow
from streaming.state.in_tasks import InTasks as Others
from streaming.state.update_views import Keeping
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import MicroBatch
from streaming.tables.silver import QUARANTINE, SILVER

Map = Callable[[Callable[[str], None], Iterable[str]], Any]


class InDriver:
    """The rows of one micro-batch after the other."""

    def __init__(self, rate: Rate, speed: Mapping[str, Table], definitions: Mapping[str, str]) -> None:
        self._rate, self._speed, self._definitions = rate, speed, definitions

    def read(self, validated: DataFrame, batch: MicroBatch) -> pa.Table:
        """The records in the order of their arrival."""
        self._records = rows_of.in_order(self._rate.read(validated, batch))
        return self._records

    def decided(self, outcome: pa.Array, watermark_ms: int | None, batch: MicroBatch) -> int:
        """Take the outcome of each record; returns how many of the events are late."""
        self._outcome, self._stamp = outcome, stamp_of(batch)
        self._events = rows_of.silver_rows(self._records, outcome, self._definitions, watermark_ms, self._stamp)
        return pc.sum(pc.greater(self._events["late_by_ms"], 0)).as_py() or 0

    def bronze(self, batch: MicroBatch) -> None:
        """Write the records."""
        self._append(rows_of.bronze_rows(self._records, self._stamp), BRONZE, batch)

    def silver(self, batch: MicroBatch) -> None:
        """Write the accepted events."""
        self._append(self._events, SILVER, batch)

    def quarantine(self, batch: MicroBatch) -> pa.Table:
        """Write what was rejected; returns it."""
        rejected = rows_of.quarantine_rows(self._records, self._outcome, self._stamp)
        self._append(rejected, QUARANTINE, batch)
        return rejected

    def views(self, views: Keeping | Others, batch: MicroBatch, more_comes: bool, each: Map) -> Mapping[str, pa.Table]:
        """Bring the views up to date and write their rows, each view by `each`; returns the rows."""
        assert isinstance(views, Keeping)
        before, after = arrow_time(batch.watermark), arrow_time(batch.next_watermark)
        rows = views.update(counted_in_arrow(self._events), before, after, more_comes)

        def append(view: str) -> None:
            stamp = {"as_of": batch.as_of, **stamp_of(batch), "definition": self._definitions[view]}
            self._append(rows_of.stamped(rows[view], stamp), self._speed[view], batch)

        list(each(append, rows))
        # They are the last: until the next micro-batch nobody needs them.
        del self._records, self._outcome, self._events
        return rows

    def _append(self, rows: pa.Table, table: Table, batch: MicroBatch) -> None:
        # A repeated micro-batch finds its rows there; a table that gets none gets no commit either.
        if rows.num_rows:
            append_once(rows, table, batch.writer, batch.version)
        batch.shown(table)


def stamp_of(batch: MicroBatch) -> dict[str, Any]:
    """The columns that every row of a micro-batch gets."""
    return {"batch_id": batch.batch_id, "generation": batch.generation}
