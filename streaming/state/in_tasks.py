"""The state of every view where tasks hold the rows: the driver says which files are new, and hears which were written.

Data flow: silver's new files -> a job per core that runs every `define` and writes the rows -> names of files of speed/<view>
Run: DAYBREAK_STREAM_PROFILE=spark python -m streaming

For a cluster: what one driver can read and write is what one machine can do. What the driver gets of a view is counts, and the
rows of alerts, which it sends.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import pyarrow as pa
from pyspark.sql import SparkSession

from infra.lake.folder import folder as folder_of
from infra.lake.tables import Table
from infra.lake.task_files import Written, target
from infra.settings import settings
from infra.spark_conf import FEW_ROWS
from streaming.state import learned
from streaming.state.feeds import Pending
from streaming.state.kept import keep
from streaming.state.packed import packed
from streaming.state.store import micros_of
from streaming.state.stores import PARTS, Stores
from streaming.state.task_plan import Answer, TaskPlan
from streaming.state.task_steps import Given
from streaming.tables.silver import SILVER
from streaming.views import VIEWS
from streaming.views.view import View


class InTasks(Stores[TaskPlan]):
    """As `Keeping`, which the driver's memory is for; the rows go to the tables of `speed`, in files."""

    def __init__(self, session: SparkSession, folder: str, speed: Mapping[str, Table]) -> None:
        self._keeps = folder_of(settings(), folder).below("kept")
        silver, targets = target(SILVER).folder, {name: target(speed[name]) for name in VIEWS}

        def made(own: SparkSession, views: list[View], number: int) -> TaskPlan:
            return TaskPlan(own, views, number, folder, self._keeps, silver, targets)

        chosen = settings().of_stream
        # Rows are as few in a task as they are in the small profile.
        super().__init__(session, made, {name: chosen.get(name, value) for name, value in FEW_ROWS.items()})
        self._sums: dict[str, tuple[int, int]] = {}
        self._has_kept = False

    def resume(self, version: int, opened: Mapping[str, pa.Table], ended: Mapping[str, pa.Table]) -> None:
        """As `Stores.resume`."""
        self.version, self._has_kept = version, True

        def kept(plan: TaskPlan) -> None:
            sums = {name: opened[name] for name in plan.hand.sums}
            keep(self._keeps, self._name(plan, version), learned.of_rows(plan.layout, opened, ended), sums)

        self._each(kept)

    def update(
        self,
        new: Sequence[str],
        events: int,
        watermark: pa.Scalar | None,
        next_watermark: pa.Scalar | None,
        more_comes: bool,
        stamp: Mapping[str, int | str],
        definitions: Mapping[str, str],
    ) -> tuple[Mapping[str, list[Written]], Mapping[str, pa.Table]]:
        """Per view the files written after a micro-batch; and the rows of alerts.

        `new` are silver's files, with so many `events`. Watermarks and `more_comes` as in `Keeping.update`; `stamp`: columns of
        each row, times in microseconds.
        """
        if not self._has_kept:
            self._each(lambda plan: keep(self._keeps, self._name(plan, self.version), Pending(), {}))
            self._has_kept = True

        def step(plan: TaskPlan) -> Answer:
            before, after = (self._name(plan, version) for version in (self.version, self.version + 1))
            times = micros_of(watermark), micros_of(next_watermark)
            own = {name: definitions[name] for name in (*plan.hand.sums, *plan.hand.parts)}
            plan.give(Given(tuple(new), None, before, after, *times, stamp, own))
            plan.store.put([], self.version, watermark, next_watermark, more_comes)
            return plan.run()

        self._came(events)
        found = self._each(step)
        self._forget(self.version - 1)
        self._stepped([one.told for one in found])
        self._sums = {name: value for one in found for name, value in one.held.items()}
        files = {name: some for one in found for name, some in one.files.items() if some}
        return files, {name: rows for one in found for name, rows in one.alerts.items()}

    def held(self) -> dict[str, tuple[int, int]]:
        """As `Keeping.held`; the open rows of additive views are in a file."""
        return {**self._sums, PARTS: self._kept}

    def _idle(self) -> None:
        self._each(lambda plan: plan.give(None))

    def _fill(self, piece: pa.Table, watermark: pa.Scalar | None) -> None:
        name = f"events-{self.version}"
        self._keeps.put(name, packed({"events": piece}))

        def step(plan: TaskPlan) -> None:
            plan.give(Given(events=name, watermark=micros_of(watermark)))
            plan.store.fill([], self.version, watermark)

        self._each(step)
        self.version += 1
        self._keeps.files.delete_file(name)

    def _name(self, plan: TaskPlan, version: int) -> str:
        return f"{plan.hand.number}-{version}"

    def _forget(self, version: int) -> None:
        """What no step needs any more: the one that read it is done, and so is the next."""
        for plan in self._plans:
            with suppress(OSError):
                self._keeps.files.delete_file(self._name(plan, version))
