"""One plan for several views: their rows, from the events that each of them has to be computed from.

Data flow: new events -> Inputs of additive views, the store of the others -> a job that runs every `define` -> rows per view
Run: pytest tests/streaming/test_view_state.py
"""

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from streaming.contracts import CONTRACTS
from streaming.state.found import BEFORE, TOLD, Found, separated
from streaming.state.layout import Layout, Leaf, of_topic
from streaming.state.one_frame import together
from streaming.state.prepared_plan import Input, StandingPlan
from streaming.state.store import PartStore
from streaming.state.view_state import CLOSES, OF_EVENT, of_topics, on_time
from streaming.tables.silver import topic_events
from streaming.views.law import Additive
from streaming.views.view import View


class SharedPlan:
    """The standing plan of some views: `number` and `folder` are those of their store."""

    def __init__(self, session: SparkSession, views: Sequence[View], number: int, folder: str) -> None:
        self._sums = [view for view in views if isinstance(view.law, Additive)]
        self.layout = Layout([view for view in views if not isinstance(view.law, Additive)], number)
        self.views = [*self._sums, *self.layout.views]
        topics = sorted({topic for view in self._sums for topic in view.inputs})
        self._inputs = {topic: Input(session, of_topic(topic)) for topic in topics}
        self.store = PartStore(session, self.layout, folder)
        self.plan = StandingPlan(self._together)

    def made_anew(self) -> None:
        """Plan the views by the session's settings as they are now."""
        self.plan = StandingPlan(self._together)

    def run(self, new: pa.Table) -> Found:
        """The rows computed from new events, for which the store was given its part before."""
        for topic, own in self._inputs.items():
            own.put(on_time(of_topics(new, (topic,))).select([*OF_EVENT, CONTRACTS[topic].column]))
        found = self.plan.run()
        # What it was given lies beside what the store keeps of it, and would until the next micro-batch's is here.
        for one in self._inputs.values():
            one.release()
        self.store.release()
        return separated(found, self.views, self.layout, self._places)

    def _together(self) -> DataFrame:
        frames = every(self.views, self.layout, self.store, self._events)
        frame, self._places = together(frames)
        return frame

    def _events(self, view: View) -> dict[str, DataFrame]:
        if isinstance(view.law, Additive):
            return {topic: self._inputs[topic].frame for topic in view.inputs}
        return {topic: self.store.frames[self.layout.leaf(view, topic)] for topic in view.inputs}


def every(
    views: Sequence[View], layout: Layout, store: PartStore, events: Callable[[View], Mapping[str, DataFrame]]
) -> dict[str, DataFrame]:
    """By what they are: the rows of each view as defined, its open rows as they were, and what the store tells."""
    found = {TOLD: store.frames[Leaf(TOLD)]}
    for number, view in enumerate(views):
        found[str(number)] = defined(view, events(view))
        if view in layout.views:
            found[f"{BEFORE}{number}"] = store.frames[Leaf("rows", layout.views.index(view))]
    return found


def answered(view: View, events: DataFrame) -> DataFrame:
    """A view's rows of events (columns of EVENT, KNOWN_AT), one per key and day, and CLOSES: when each can no longer change."""
    return defined(view, dict.fromkeys(view.inputs, events))


def defined(view: View, events: Mapping[str, DataFrame]) -> DataFrame:
    """The same of one frame per topic."""
    rows = view.rows({topic: topic_events(events[topic], topic, *view.more_of(topic)) for topic in view.inputs})
    return view.answer(rows).withColumn(CLOSES, view.closed_at())
