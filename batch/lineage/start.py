"""The lineage of a night, if it is asked for: the doors for the steps. Without the setting they cost nothing.

Data flow: a night, its steps -> batch/lineage/of_night
Run: DAYBREAK_LINEAGE=/tmp/lineage daybreak night --date 2026-01-31
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Literal

from pyspark.sql import SparkSession

from batch.days.day import Day
from infra.lineage.start import begun
from infra.settings import settings

if TYPE_CHECKING:
    from batch.lineage.of_night import Night

Step = Literal["archive", "conservation", "truth", "reconcile", "correct", "publish", "curve"]
"""The parts of a night that write tables."""

PROGRAM = "night"
_now: "list[Night]" = []
"""The night of this process; it has one at a time."""


@contextmanager
def of_night(day: Day) -> Iterator[None]:
    """What is done in this block is the night of a day: one run, in which each step is a run of its own."""
    with begun(settings(), PROGRAM) as lineage:
        if lineage is None or _now:
            yield
            return
        from batch.lineage.of_night import Night

        with Night(lineage, day) as night:
            _now.append(night)
            try:
                yield
            finally:
                _now.clear()


def know(session: SparkSession, versions: Mapping[str, str]) -> None:
    """Find out which columns those of the views come from."""
    for night in _now:
        night.know(session, versions)


def step(name: Step, day: Day | None = None, run: str | None = None) -> AbstractContextManager[None]:
    """A step of the night, or of one of its days, which `run` computes."""
    return _now[0].step(name, day, run) if _now else nullcontext()
