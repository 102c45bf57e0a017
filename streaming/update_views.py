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
from pyspark.sql.types import StructType

from streaming.contracts import CONTRACTS
from streaming.part_state import Parts
from streaming.silver import EVENT, topic_events
from streaming.standing_plan import Input, StandingPlan, standing_session
from streaming.view_state import CLOSES, OF_EVENT, Current, Sums, is_final, of_topics
from streaming.views import VIEWS
from streaming.views.law import Additive
from streaming.views.view import View


class Keeping:
    """The state of every view, and the Spark job that they share."""

    def __init__(self, session: SparkSession) -> None:
        self._views = tuple(VIEWS.values())
        self._kept: dict[str, Current] = {view.name: current(view) for view in self._views}
        own = standing_session(session)
        self._inputs = {source: Input(own, of_topic(source[1])) for view in self._views for source in sources(view)}
        self._plan = StandingPlan(self._together)

    def restore(self, events: DataFrame, next_watermark: pa.Scalar) -> Mapping[str, pa.Table]:
        """Start from silver's on-time events around the watermark (a static frame in silver's columns).

        Returns the rows that are open, per view.
        """
        found = events.select(*OF_EVENT, *CONTRACTS).toArrow()
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
        events = {source: to_define[view.name] for view in self._views for source in sources(view)}
        for source, rows_of in self._inputs.items():
            rows_of.put(of_topics(events[source], source[1:]).select([*OF_EVENT, source[1]]))
        found = self._plan.run()
        return {view.name: self._of_view(found, number) for number, view in enumerate(self._views)}

    def _together(self) -> DataFrame:
        """The rows of all views in one frame, each view's in columns of their own, beside the view's number."""
        parts = []
        for number, view in enumerate(self._views):
            rows = defined(view, {source[1]: self._inputs[source].frame for source in sources(view)})
            own = [F.col(name).alias(f"{number}_{name}") for name in rows.columns]
            parts.append(rows.select(F.lit(number).alias("view"), *own))
        return reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), parts).coalesce(1)

    def _of_view(self, found: pa.Table, number: int) -> pa.Table:
        before = f"{number}_"
        own = found.filter(pc.equal(found["view"], number))
        own = own.select([name for name in own.column_names if name.startswith(before)])
        return own.rename_columns([name.removeprefix(before) for name in own.column_names])


Source = tuple[str, str]
"""An input of the shared plan: whose events, and their topic. Additive views read the same ones, so they share them."""


def sources(view: View) -> list[Source]:
    """The inputs of the shared plan that a view reads."""
    return [("" if isinstance(view.law, Additive) else view.name, topic) for topic in view.inputs]


def of_topic(topic: str) -> StructType:
    """The schema of a topic's events, as views need them."""
    return StructType([field for field in EVENT if field.name in (*OF_EVENT, topic)])


def current(view: View) -> Current:
    """The state of a view, by its law."""
    columns = (*OF_EVENT, *view.inputs)
    return Sums(view, view.law, columns) if isinstance(view.law, Additive) else Parts(view, view.law, columns)


def answered(view: View, events: DataFrame) -> DataFrame:
    """A view's rows of events (columns of EVENT), one per key and day, and CLOSES: when each can no longer change."""
    return defined(view, dict.fromkeys(view.inputs, events))


def defined(view: View, events: Mapping[str, DataFrame]) -> DataFrame:
    """The same of one frame per topic."""
    rows = view.rows({topic: topic_events(events[topic], topic) for topic in view.inputs})
    return view.answer(rows).withColumn(CLOSES, view.closed_at())
