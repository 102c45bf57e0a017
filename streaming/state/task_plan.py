"""The standing plan of some views where no row passes through the driver: it gives a line of JSON, and gets names of files.

Data flow: Given -> feeds that tasks read from silver -> the store -> every `define` -> files, in the same task -> ANSWER
Run: pytest tests/streaming/test_in_tasks.py
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from infra.lake.folder import Folder
from infra.lake.task_files import Target, Written
from streaming.state.found import TOLD
from streaming.state.layout import Leaf
from streaming.state.one_frame import together
from streaming.state.packed import PACKED, unpacked
from streaming.state.prepared_plan import Input, StandingPlan
from streaming.state.shared_plan import every
from streaming.state.store import PartStore
from streaming.state.task_steps import ANSWER, GIVEN, GIVEN_ROW, Given, Hand, feeding, finishing, layout_of, views_of
from streaming.views.law import Additive
from streaming.views.view import View


@dataclass(frozen=True)
class Answer:
    """What a step gave: per view the files that were written; rows and bytes that additive views hold; the rows of alerts; what
    the store told of itself and of hot parts."""

    files: Mapping[str, list[Written]]
    held: Mapping[str, tuple[int, int]]
    alerts: Mapping[str, pa.Table]
    told: pa.Table


class TaskPlan:
    """The plan of some views; `number` and `folder` are those of their store, `keeps` that folder as tasks reach it."""

    def __init__(
        self,
        session: SparkSession,
        views: Sequence[View],
        number: int,
        folder: str,
        keeps: Folder,
        silver: Folder,
        targets: Mapping[str, Target],
    ) -> None:
        sums = tuple(view.name for view in views if isinstance(view.law, Additive))
        parts = tuple(view.name for view in views if view.name not in sums)
        own = {view.name: targets[view.name] for view in views}
        self.hand = Hand(number, sums, parts, silver, keeps, own)
        self.layout = layout_of(self.hand)
        self.views = views_of(self.hand)
        self._given = Input(session, GIVEN)
        packed = self._given.frame.mapInArrow(feeding(self.hand), PACKED)  # type: ignore[arg-type]
        self.store = PartStore(session, self.layout, folder, packed)
        self.plan = StandingPlan(self._together)

    def made_anew(self) -> None:
        """Plan the views by the session's settings as they are now."""
        self.plan = StandingPlan(self._together)

    def give(self, given: Given | None) -> None:
        """What the next job takes: put it before the store is told what to do with it."""
        texts = [] if given is None else [given.text()]
        self._given.put(pa.table([texts], schema=to_arrow_schema(GIVEN)))

    def run(self) -> Answer:
        """The step that was given."""
        rows = {row["name"]: row for row in self.plan.run().to_pylist()}
        told = unpacked(rows.pop(TOLD)["body"])[TOLD]
        return Answer(
            {name: [Written(**one) for one in json.loads(row["files"])] for name, row in rows.items()},
            {name: (row["rows"], row["bytes"]) for name, row in rows.items() if row["rows"] is not None},
            {name: unpacked(row["body"])[name] for name, row in rows.items() if row["body"]},
            told,
        )

    def _together(self) -> DataFrame:
        frames = every(self.views, self.layout, self.store, self._events) | {GIVEN_ROW: self._given.frame}
        frame, places = together(frames)
        return frame.mapInArrow(finishing(self.hand, places), ANSWER)  # type: ignore[arg-type]

    def _events(self, view: View) -> dict[str, DataFrame]:
        frames = self.store.frames
        if isinstance(view.law, Additive):
            return {topic: frames[Leaf("new", topic=self.layout.new.index(topic))] for topic in view.inputs}
        return {topic: frames[self.layout.leaf(view, topic)] for topic in view.inputs}
