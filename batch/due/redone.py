"""What a run computes anew of its day: all of a day that was never settled, and of a settled one what can have changed.

Data flow: the plan's Redo, the day's events before and now -> the views to be computed, compared and corrected
Run: pytest tests/batch/test_redone.py

A late event of one topic leaves every view of others as it is: it has the same events, so the same rows, causes, corrections.
"""

from collections.abc import Collection

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from batch.days.day_plan import DayPlan
from batch.due.night_state import begun, record_begun
from batch.truth.reach import Reach, reach
from batch.truth.recompute import TRUTH
from infra.lake import spark_tables
from streaming.views import VIEWS
from streaming.views.view import View

CONTENT = ("event_id", *PLACE, "content_hash")
"""Two events that agree in these are the same, from the same record."""


class Redone:
    """The views that a plan's run computes anew, and what it reads for them."""

    def __init__(self, session: SparkSession, plan: DayPlan) -> None:
        self._session = session
        self._plan = plan

    @property
    def needs(self) -> Reach:
        """What is read: all, or for some views only."""
        redo, before = self._plan.redo, begun(self._plan.day)
        return reach(None if redo is None or redo.topics or before is None else redo.views | before)

    @property
    def views(self) -> list[View]:
        """Those that were recomputed, or begun to be, since the day's last settlement."""
        return _views(begun(self._plan.day))

    def begin(self, events: DataFrame) -> list[View]:
        """The views to be computed, noted before anything is written; `events`: the day's, as they are now."""
        redo, before = self._plan.redo, begun(self._plan.day)
        if redo is None or before is None:
            found = None
        else:
            # An event_id may have come in two topics, so other topics' events can change as well.
            topics = redo.topics | self._changed(events) if redo.topics else frozenset()
            own = {name for name, view in VIEWS.items() if topics.intersection(view.inputs)}
            found = {*before, *redo.views, *own}
        record_begun(self._plan.day, found)
        return _views(found)

    def end(self) -> None:
        """Note that the day is settled."""
        record_begun(self._plan.day, ())

    def _changed(self, events: DataFrame) -> frozenset[str]:
        """The topics of which an event of the day is new, gone, or another one than in truth."""
        old = spark_tables.of_day(self._session, TRUTH, self._plan.day.date)
        sides = [rows.select(*CONTENT, F.lit(side).alias("side")) for rows, side in ((old, -1), (events, 1))]
        both = sides[0].unionByName(sides[1]).groupBy(*CONTENT).agg(F.sum("side").alias("side"))
        return frozenset(row["topic"] for row in both.where("side <> 0").select("topic").distinct().collect())


def _views(names: Collection[str] | None) -> list[View]:
    return [view for name, view in VIEWS.items() if names is None or name in names]
