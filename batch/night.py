"""The night: archive, truth, reconcile, correct. Every step brings its days up to itself, so each can be retried alone.

Data flow: Kafka -> archive -> truth -> reconcile -> correct -> coverage
Run: python -m batch night --date 2026-01-31
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import StrEnum

from pyspark.sql import SparkSession

from batch.archive import archive as archive_log
from batch.conservation import conserve, marks
from batch.correct import correct as correct_days
from batch.coverage import Plan, plan
from batch.day import Day, names
from batch.driver import create_tables, lease, refuse_without_stream, say, session
from batch.publish import publish as publish_corrections
from batch.reconcile import reconcile as reconcile_days
from batch.state import behind, mark
from batch.truth import truth as truth_of_days
from infra.failures import PermanentFailure
from streaming.definitions import definitions
from streaming.log import log_now


class Step(StrEnum):
    """A nightly step, in order; each includes what of the earlier ones is missing for its days."""

    ARCHIVE = "archive"
    TRUTH = "truth"
    RECONCILE = "reconcile"
    CORRECT = "correct"


PUBLISHING = (Step.ARCHIVE, Step.CORRECT)
"""Behind these steps the corrections go out: at the beginning of a night what the last one left, at its end its own.

The archive is first all the same: what Kafka's retention takes before it is read is lost, and the ledger loses nothing.
"""


def night(day: Day, steps: Sequence[Step], full: bool = False) -> None:
    """Run steps for a day, and for the settled days that new arrivals or definitions have touched.

    Each step holds the night's lease; between two steps another night may come in, and finds every day consistent.
    """
    if day.end > datetime.now(UTC):
        raise PermanentFailure(f"{day} is not over yet: a night recomputes whole days (UTC)")
    own = session()
    with lease():
        create_tables(own)
        refuse_without_stream(own)
    for step in steps:
        with lease():
            say(f"{step}: {STEPS[step](own, day, full)}")
            if step in PUBLISHING:
                say(f"publish: {publish_corrections(own)} corrections")
    own.stop()


def _archive(own: SparkSession, day: Day, full: bool) -> str:
    log, known = log_now(), marks(own)
    read = archive_log(own, log, known.read_to)
    return f"{read} offsets read, {conserve(own, day, log, known)} conserved"


def _truth(own: SparkSession, day: Day, full: bool) -> str:
    todo = plan(own, day, definitions(own), full)
    return _truth_of(own, todo, full)


def _truth_of(own: SparkSession, todo: Plan, full: bool = False) -> str:
    days = todo.days if full else behind(own, todo, "truth")
    if days:
        truth_of_days(own, days, todo.run, dict(todo.definitions))
        mark(own, days, todo.run, None)
    return names(days)


def _reconcile(own: SparkSession, day: Day, full: bool) -> str:
    return _reconcile_of(own, plan(own, day, definitions(own), full))


def _reconcile_of(own: SparkSession, todo: Plan) -> str:
    _truth_of(own, todo)
    days = behind(own, todo, "reconcile")
    reconcile_days(own, todo, days)
    if days:
        mark(own, days, todo.run, todo.run)
    return names(days)


def _correct(own: SparkSession, day: Day, full: bool) -> str:
    todo = plan(own, day, definitions(own), full)
    _reconcile_of(own, todo)
    if todo.days:
        correct_days(own, todo, todo.days)
    return names(todo.days)


STEPS: dict[Step, Callable[[SparkSession, Day, bool], str]] = {
    Step.ARCHIVE: _archive,
    Step.TRUTH: _truth,
    Step.RECONCILE: _reconcile,
    Step.CORRECT: _correct,
}
