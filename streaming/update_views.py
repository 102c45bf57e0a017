"""Update all views inside the ingest's micro-batch, in one Spark job per core.

Data flow: new on-time events -> state of each view -> jobs that run every `define` -> rows of speed/<view>
Run: python -m streaming

A job runs the same `define` as the night, on a static DataFrame. So there is no second watermark, no state store and
no checkpoint per view; a view costs the work on its rows, and one commit. Batch numbers and times never enter the plan.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
from pyspark.sql import SparkSession

from infra.lake.at_once import dealt
from streaming.contracts import CONTRACTS
from streaming.part_state import Parts
from streaming.shared_plan import SharedPlan
from streaming.standing_plan import standing_session
from streaming.view_state import CLOSES, OF_EVENT, Current, Sums
from streaming.views import VIEWS
from streaming.views.law import Additive
from streaming.views.view import View


class Keeping:
    """The state of every view, and the plans that they share."""

    def __init__(self, session: SparkSession) -> None:
        self._views = tuple(VIEWS.values())
        self._kept: dict[str, Current] = {view.name: current(view) for view in self._views}
        own = standing_session(session)
        self._plans = [SharedPlan(own, some) for some in dealt(session, self._views)]
        self._pool = ThreadPoolExecutor(len(self._plans), "views")

    def restore(self, events: pa.Table, rows: Mapping[str, pa.Table]) -> None:
        """Start from silver's events around the watermark, as from `on_time_since`, and each view's rows that are open."""
        for view in self._views:
            self._kept[view.name].restore(events, rows[view.name])

    def update(
        self, new: pa.Table, watermark: pa.Scalar | None, next_watermark: pa.Scalar | None
    ) -> Mapping[str, pa.Table]:
        """Per view, the rows to write after a micro-batch's new events (`counted_in_arrow`); views without any are left out.

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
        """Per view, the rows computed from its events in `to_define`, with CLOSES; a job per plan, side by side."""
        found = self._pool.map(lambda plan: plan.rows(to_define), self._plans)
        return {name: rows for one in found for name, rows in one.items()}


def current(view: View) -> Current:
    """The state of a view, by its law."""
    columns = (*OF_EVENT, *(CONTRACTS[topic].column for topic in view.inputs))
    return Sums(view, view.law, columns) if isinstance(view.law, Additive) else Parts(view, view.law, columns)
