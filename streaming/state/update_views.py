"""Update all views inside the ingest's micro-batch, in one Spark job per core.

Data flow: new on-time events -> state of each view -> jobs that run every `define` -> rows of speed/<view>
Run: python -m streaming

A job runs the same `define` as the night, on a static DataFrame. So there is no second watermark and no checkpoint per view;
a view costs the work on its rows, and one commit. Batch numbers and times never enter the plan.
"""

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql import SparkSession

from streaming.state import feeds, learned
from streaming.state.found import Found, said_of
from streaming.state.shared_plan import SharedPlan
from streaming.state.stores import PARTS, Stores
from streaming.state.view_state import CLOSES, Sums
from streaming.views import VIEWS
from streaming.views.law import Additive


class Keeping(Stores[SharedPlan]):
    """The state of every view, and the plans that they share. The state of parts lies in `folder`, which all executors reach."""

    def __init__(self, session: SparkSession, folder: str) -> None:
        super().__init__(session, lambda own, views, number: SharedPlan(own, views, number, folder), {})
        self._sums = {view.name: Sums(view, view.law) for view in VIEWS.values() if isinstance(view.law, Additive)}
        self._pending = [feeds.Pending() for _ in self._plans]

    def resume(self, version: int, opened: Mapping[str, pa.Table], ended: Mapping[str, pa.Table]) -> None:
        """As `Stores.resume`."""
        self.version = version
        for name, sums in self._sums.items():
            sums.restore(opened[name])
        self._pending = [learned.of_rows(plan.layout, opened, ended) for plan in self._plans]

    def update(
        self,
        new: pa.Table,
        watermark: pa.Scalar | None,
        next_watermark: pa.Scalar | None,
        more_comes: bool = False,
    ) -> Mapping[str, pa.Table]:
        """Per view, the rows to write after a micro-batch's new events (`counted_in_arrow`); views without any are left out.

        `watermark` is the watermark before these events, `next_watermark` the one after them. `more_comes` as in `PartStore.put`.
        """
        self._came(new.num_rows)

        def step(plan: SharedPlan, pending: feeds.Pending) -> Found:
            given = feeds.tables(plan.layout, feeds.by_topic(new), pending, watermark)
            plan.store.put(given, self.version, watermark, next_watermark, more_comes)
            return plan.run(new)

        written: dict[str, pa.Table] = {}
        pending = []
        found = self._each(step, self._pending)
        for plan, one in zip(self._plans, found, strict=True):
            parts = said_of(plan.layout, one, watermark, next_watermark)
            written |= {name: own.written for name, own in parts.items()}
            pending.append(learned.of_step(plan.layout, parts, one.told))
            for name in one.defined.keys() & self._sums.keys():
                written[name] = self._sums[name].to_write(one.defined[name], next_watermark)
        self._pending = pending
        self._stepped([one.told for one in found])
        return {name: table.drop_columns([CLOSES]) for name, table in written.items() if table.num_rows}

    def held(self) -> dict[str, tuple[int, int]]:
        """What is kept: of additive views rows and bytes in memory; as PARTS, the events of all others, and bytes on disk."""
        return {name: sums.held() for name, sums in self._sums.items()} | {PARTS: self._kept}

    def _fill(self, piece: pa.Table, watermark: pa.Scalar | None) -> None:
        def step(plan: SharedPlan) -> None:
            given = feeds.tables(plan.layout, feeds.by_topic(piece), feeds.Pending(), watermark)
            plan.store.fill(given, self.version, watermark)

        self._each(step)
        self.version += 1
