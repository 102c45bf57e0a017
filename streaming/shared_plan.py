"""One plan for several views: their rows, from the events that each of them has to be computed from.

Data flow: new events -> Inputs of additive views, the store of the others -> a job that runs every `define` -> rows per view
Run: pytest tests/streaming/test_view_state.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from streaming.contracts import CONTRACTS
from streaming.silver import topic_events
from streaming.standing_plan import Input, StandingPlan
from streaming.state.layout import Layout, Leaf, of_topic
from streaming.state.store import PartStore
from streaming.view_state import CLOSES, OF_EVENT, of_topics, on_time
from streaming.views.law import Additive
from streaming.views.view import View

TOLD = "told"
BEFORE = "before"
"""What a row of the plan is, beside one of a view: what the store tells, or an open row as it was."""


@dataclass(frozen=True)
class Found:
    """What a run of the plan gave: per view the rows that were defined and those that were open; what the store told."""

    defined: Mapping[str, pa.Table]
    before: Mapping[str, pa.Table]
    told: pa.Table


class SharedPlan:
    """The standing plan of some views: `number` and `folder` are those of their store."""

    def __init__(self, session: SparkSession, views: Sequence[View], number: int, folder: str) -> None:
        self._sums = [view for view in views if isinstance(view.law, Additive)]
        self.layout = Layout([view for view in views if not isinstance(view.law, Additive)], number)
        self.views = [*self._sums, *self.layout.views]
        self._inputs = {topic: Input(session, of_topic(topic)) for view in self._sums for topic in view.inputs}
        self.store = PartStore(session, self.layout, folder)
        self.plan = StandingPlan(self._together)

    def run(self, new: pa.Table) -> Found:
        """The rows computed from new events, for which the store was given its part before."""
        for topic, own in self._inputs.items():
            own.put(on_time(of_topics(new, (topic,))).select([*OF_EVENT, CONTRACTS[topic].column]))
        found = self.plan.run()
        defined = {view.name: self._of(found, str(number)) for number, view in enumerate(self.views)}
        before = {view.name: self._of(found, f"{BEFORE}{number}") for number, view in enumerate(self.layout.views)}
        return Found(defined, before, self._of(found, TOLD))

    def _together(self) -> DataFrame:
        """The rows of all views in one frame, each view's in columns of their own, beside the view's name."""
        parts = []
        for number, view in enumerate(self.views):
            parts.append(_named(str(number), str(number), defined(view, self._events(view))))
        for number, view in enumerate(self.layout.views):
            # In the columns that the view's rows have.
            place = str(self.views.index(view))
            parts.append(_named(f"{BEFORE}{number}", place, self.store.frames[Leaf("rows", number)]))
        parts.append(_named(TOLD, TOLD, self.store.frames[Leaf(TOLD)]))
        return reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), parts).coalesce(1)

    def _events(self, view: View) -> dict[str, DataFrame]:
        if isinstance(view.law, Additive):
            return {topic: self._inputs[topic].frame for topic in view.inputs}
        frames, number = self.store.frames, self.layout.views.index(view)
        found = {}
        for topic in view.inputs:
            place = self.layout.topics.index(topic)
            is_change = topic in view.changelogs
            leaf = (
                Leaf("changes", number, place, view.changelogs[topic] is None)
                if is_change
                else Leaf("events", number, place)
            )
            found[topic] = frames[leaf]
        return found

    def _of(self, found: pa.Table, name: str) -> pa.Table:
        columns = (
            str(self.views.index(self.layout.views[int(name.removeprefix(BEFORE))]))
            if name.startswith(BEFORE)
            else name
        )
        own = found.filter(pc.equal(found["view"], name))
        first = f"{columns}_"
        own = own.select([name for name in own.column_names if name.startswith(first)])
        return own.rename_columns([name.removeprefix(first) for name in own.column_names])


def _named(view: str, columns: str, rows: DataFrame) -> DataFrame:
    own = [F.col(name).alias(f"{columns}_{name}") for name in rows.columns]
    return rows.select(F.lit(view).alias("view"), *own)


def answered(view: View, events: DataFrame) -> DataFrame:
    """A view's rows of events (columns of EVENT, KNOWN_AT), one per key and day, and CLOSES: when each can no longer change."""
    return defined(view, dict.fromkeys(view.inputs, events))


def defined(view: View, events: Mapping[str, DataFrame]) -> DataFrame:
    """The same of one frame per topic."""
    rows = view.rows({topic: topic_events(events[topic], topic, *view.more_of(topic)) for topic in view.inputs})
    return view.answer(rows).withColumn(CLOSES, view.closed_at())
