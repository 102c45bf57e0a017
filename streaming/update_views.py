"""Update all views inside the ingest's micro-batch, in one Spark job.

Data flow: new on-time events -> state of each view -> one job that runs every `define` -> rows of speed/<view>
Run: python -m streaming

The job runs the same `define` as the night, on a static DataFrame. So there is no second watermark, no state store and
no checkpoint per view; a view costs the work on its rows, and one commit. Batch numbers and times never enter the plan.
"""

from collections.abc import Mapping
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

from infra.lake.rows import from_arrow
from streaming.arrivals import arrow_schema
from streaming.contracts import CONTRACTS
from streaming.part_state import Parts
from streaming.silver import EVENT, topic_events
from streaming.view_state import CLOSES, OF_EVENT, Current, Sums, is_final
from streaming.views import VIEWS
from streaming.views.law import Additive
from streaming.views.view import View

TO_DEFINE = StructType(
    [
        StructField("view", IntegerType()),
        *[field for field in EVENT if field.name in OF_EVENT or field.name in CONTRACTS],
    ]
)
"""The job's input: events, each with the number of the view whose rows are computed from it."""


class Keeping:
    """The state of every view, and the Spark job that they share."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._views = tuple(VIEWS.values())
        self._kept: dict[str, Current] = {view.name: current(view) for view in self._views}

    def restore(self, events: DataFrame, next_watermark: pa.Scalar) -> Mapping[str, pa.Table]:
        """Start from silver's on-time events around the watermark (a static frame in silver's columns).

        Returns the rows that are open, per view.
        """
        columns = [field.name for field in TO_DEFINE if field.name != "view"]
        found = events.select(*columns).toArrow()
        rows = self._defined({view.name: found for view in self._views})
        for view in self._views:
            self._kept[view.name].restore(found, rows[view.name], next_watermark)
        return {name: table.filter(pc.invert(is_final(table, next_watermark))) for name, table in rows.items()}

    def update(
        self, new: pa.Table, watermark: pa.Scalar | None, next_watermark: pa.Scalar | None
    ) -> Mapping[str, pa.Table]:
        """Per view, the rows to write after a micro-batch's new on-time events; views without any are left out.

        `watermark` is the watermark before these events, `next_watermark` the one after them.
        """
        to_define = {name: kept.to_define(new, watermark, next_watermark) for name, kept in self._kept.items()}
        if not any(events.num_rows for events in to_define.values()) and not new.num_rows:
            return {}
        rows = self._defined(to_define)
        written = {name: kept.to_write(rows[name], next_watermark) for name, kept in self._kept.items()}
        return {name: table.drop_columns([CLOSES]) for name, table in written.items() if table.num_rows}

    def held(self) -> dict[str, tuple[int, int]]:
        """What each view keeps in memory: rows (events and open rows), and their bytes."""
        held = {name: kept.held() for name, kept in self._kept.items()}
        return {name: (sum(one.num_rows for one in own), sum(one.nbytes for one in own)) for name, own in held.items()}

    def _defined(self, to_define: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
        """Per view, the rows computed from its events in `to_define`, with CLOSES; one job for all views."""
        numbered = [
            _numbered(to_define[view.name], number) for number, view in enumerate(self._views) if view.name in to_define
        ]
        rows = pa.concat_tables(numbered)
        events = from_arrow(self._session, rows, TO_DEFINE).coalesce(1)
        parts = [answered(view, events.where(F.col("view") == number)) for number, view in enumerate(self._views)]
        together = reduce(
            lambda left, right: left.unionByName(right, allowMissingColumns=True),
            [
                part.select(
                    F.lit(number).alias("view"), *[F.col(name).alias(f"{number}_{name}") for name in part.columns]
                )
                for number, part in enumerate(parts)
            ],
        )
        found = together.coalesce(1).toArrow()
        return {
            view.name: _of_view(found, number, part.columns)
            for number, (view, part) in enumerate(zip(self._views, parts, strict=True))
        }


def current(view: View) -> Current:
    """The state of a view, by its law."""
    columns = (*OF_EVENT, *view.inputs)
    return Sums(view, view.law, columns) if isinstance(view.law, Additive) else Parts(view, view.law, columns)


def answered(view: View, events: DataFrame) -> DataFrame:
    """A view's rows of events (columns of EVENT), one per key and day, and CLOSES: when each can no longer change."""
    rows = view.rows({topic: topic_events(events, topic) for topic in view.inputs})
    return view.answer(rows).withColumn(CLOSES, view.closed_at())


def _numbered(events: pa.Table, number: int) -> pa.Table:
    columns = {
        field.name: events[field.name] if field.name in events.column_names else pa.nulls(events.num_rows, field.type)
        for field in arrow_schema(TO_DEFINE)
        if field.name != "view"
    }
    return pa.table({"view": pa.repeat(pa.scalar(number, pa.int32()), events.num_rows), **columns}).cast(
        arrow_schema(TO_DEFINE)
    )


def _of_view(found: pa.Table, number: int, columns: list[str]) -> pa.Table:
    own = found.filter(pc.equal(found["view"], number))
    return own.select([f"{number}_{name}" for name in columns]).rename_columns(columns)
