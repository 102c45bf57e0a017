"""A night as OpenLineage's runs: the job `night`, and for each step a job with the tables that it did read and write.

Data flow: steps of the night, the lake's access -> runs, datasets, origins of views' columns -> the place of DAYBREAK_LINEAGE
Run: DAYBREAK_LINEAGE=/tmp/lineage daybreak night --date 2026-01-31

A try that is repeated is a run of its own, because a run ends once. Tags find it: `night`, as in the log's `id`, and of a day's
step `run`, which the rows of its tables have too.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from openlineage.client.event_v2 import RunState
from pyspark.sql import SparkSession

from batch.days.day import Day
from batch.lineage.start import Step
from batch.truth.recompute import TRUTH, truth_table
from infra.lake import access
from infra.lineage.datasets import Columns, Data, in_kafka, in_lake, of_table
from infra.lineage.runs import About, Lineage, Told, Work, ended
from infra.settings import settings
from streaming.lineage.columns import of_views, placed
from streaming.lineage.layers import in_events, topics
from streaming.views import VIEWS

NIGHT = Work("night", "Recomputes whole days from the log, compares them with the stream, and corrects it.", type="DAG")
STEPS: Mapping[Step, str] = {
    "archive": "Reads the records of Kafka's log that the archive lacks.",
    "conservation": "Checks that every offset of the log is in the archive and in bronze.",
    "truth": "Recomputes a day's events and views from the archive.",
    "reconcile": "Compares a day's rows of the stream with the truth, and finds the cause of each difference.",
    "correct": "Writes a day's corrections and settles it.",
    "publish": "Sends the corrections to Kafka.",
    "curve": "Draws how complete a day would have been for each allowed lateness.",
}
"""What the job of each step does."""


class Night(Told):
    """The run of a night in this process."""

    def __init__(self, lineage: Lineage, day: Day) -> None:
        self._day = day
        super().__init__(lineage, lineage.began(NIGHT, self._about(day, None)))
        self._columns: Mapping[str, Columns] = {}

    def know(self, session: SparkSession, versions: Mapping[str, str]) -> None:
        """Find out which columns those of the views come from."""
        with self._lineage.unharmed():
            s = settings()
            where = in_events(in_lake(s, TRUTH.id))
            found = of_views(session, s, versions, self._lineage.emitter.tell)
            self._columns = {truth_table(VIEWS[name]).id: placed(one, where) for name, one in found.items()}

    @contextmanager
    def step(self, name: Step, day: Day | None, run: str | None) -> Iterator[None]:
        """A run of a step: what it has read and written is told at its end."""
        work = Work(f"{NIGHT.name}.{name}", STEPS[name])
        begun = self._lineage.began(work, self._about(day or self._day, run), parent=self._run)
        begun.say(RunState.START)
        failure: BaseException | None = None
        with access.watched() as found:
            try:
                yield
            except BaseException as failed:
                failure = failed
                raise
            finally:
                with self._lineage.unharmed():
                    state, why = ended(failure)
                    begun.say(state, why, *self._data(name, found))

    def _about(self, day: Day, run: str | None) -> About:
        return About((day.start, day.end), {"night": f"night/{self._day}"} | ({"run": run} if run else {}))

    def _data(self, name: Step, found: access.Access) -> tuple[list[Data], list[Data]]:
        s = settings()
        read = dict(found.read)
        if {*found.written} & {*self._columns}:
            # A view is computed from the day's events, which the same step decides and keeps.
            read.setdefault(TRUTH.id, TRUTH)
        inputs = [of_table(s, own) for own in read.values()]
        outputs = [of_table(s, own, self._columns.get(own.id)) for own in found.written.values()]
        if name == "archive":
            inputs += topics(s)
        if name == "publish":
            outputs.append(Data(in_kafka(s, s.corrections_topic), description="Corrections, for consumers."))
        return inputs, outputs
