"""One plan for several views: their rows, from the events that each of them has to be computed from.

Data flow: events of each view, by topic -> Inputs -> one job that runs every `define` -> rows of each view
Run: pytest tests/streaming/test_view_state.py
"""

from collections.abc import Mapping, Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType, TimestampType

from streaming.contracts import CONTRACTS
from streaming.silver import EVENT, topic_events
from streaming.standing_plan import Input, StandingPlan
from streaming.view_state import CLOSES, OF_EVENT, of_topics
from streaming.views.as_of import KNOWN_AT
from streaming.views.law import Additive
from streaming.views.view import View

Source = tuple[str, str]
"""An input of the plan: whose events, and their topic. Additive views read the same ones, so they share them."""


class SharedPlan:
    """The standing plan of some views."""

    def __init__(self, session: SparkSession, views: Sequence[View]) -> None:
        self._views = views
        self._inputs = {source: Input(session, of_topic(source[1])) for view in views for source in sources(view)}
        self.plan = StandingPlan(self._together)

    def rows(self, to_define: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
        """Per view, the rows computed from its events in `to_define`, with CLOSES."""
        events = {source: to_define[view.name] for view in self._views for source in sources(view)}
        for source, rows_of in self._inputs.items():
            rows_of.put(of_topics(events[source], source[1:]).select([*OF_EVENT, CONTRACTS[source[1]].column]))
        found = self.plan.run()
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


def sources(view: View) -> list[Source]:
    """The inputs of the shared plan that a view reads."""
    return [("" if isinstance(view.law, Additive) else view.name, topic) for topic in view.inputs]


def of_topic(topic: str) -> StructType:
    """The schema of a topic's events, as views need them."""
    fields = {field.name: field for field in EVENT} | {KNOWN_AT: StructField(KNOWN_AT, TimestampType())}
    return StructType([fields[name] for name in (*OF_EVENT, CONTRACTS[topic].column)])


def answered(view: View, events: DataFrame) -> DataFrame:
    """A view's rows of events (columns of EVENT, KNOWN_AT), one per key and day, and CLOSES: when each can no longer change."""
    return defined(view, dict.fromkeys(view.inputs, events))


def defined(view: View, events: Mapping[str, DataFrame]) -> DataFrame:
    """The same of one frame per topic."""
    rows = view.rows({topic: topic_events(events[topic], topic, *view.more_of(topic)) for topic in view.inputs})
    return view.answer(rows).withColumn(CLOSES, view.closed_at())
