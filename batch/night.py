"""The night: archive, truth, reconcile, correct. Every step brings its days up to itself, so each can be retried alone.

Data flow: Kafka -> archive -> truth -> reconcile -> correct -> coverage
Run: python -m batch night --date 2026-01-31
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import StrEnum

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, StringType, StructField, StructType

from batch.archive import ARCHIVE, ARCHIVE_GAPS
from batch.archive import archive as archive_log
from batch.completeness import CURVE
from batch.conservation import CONSERVATION, conserve, marks
from batch.correct import CORRECTIONS
from batch.correct import correct as correct_days
from batch.coverage import COVERAGE, Plan, plan
from batch.curve import curve as curve_of_days
from batch.day import Day
from batch.differences import DIFFERENCES, SUMMARY
from batch.evidence import EVIDENCE
from batch.gaps import accept
from batch.publish import publish as publish_corrections
from batch.reconcile import reconcile as reconcile_days
from batch.truth import TRUTH, TRUTH_QUARANTINE, truth_table
from batch.truth import truth as truth_of_days
from batch.waits import WAITS
from infra import lake
from infra.failures import PermanentFailure, TransientFailure
from infra.lease import Lease
from infra.rows import frame
from infra.session import spark
from infra.settings import settings
from infra.tables import Table
from infra.upkeep import vacuum
from infra.writes import replace_days
from streaming.definitions import definitions
from streaming.gaps import BRONZE_GAPS
from streaming.log import log_now
from streaming.views import VIEWS

STATE = Table(
    "reconciliation",
    "state",
    StructType(
        [StructField("day", DateType()), StructField("truth", StringType()), StructField("reconcile", StringType())]
    ),
)
"""How far a night has come with a day: the run of its truth and of its reconciliation."""


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


def session() -> SparkSession:
    """The night's Spark session."""
    return spark("daybreak night", settings().night_memory)


def tables(own: SparkSession) -> tuple[Table, ...]:
    """The tables that the night owns, in the order in which they are created."""
    recomputed = (ARCHIVE, TRUTH, TRUTH_QUARANTINE)
    found = (DIFFERENCES, EVIDENCE, SUMMARY, CORRECTIONS, COVERAGE, STATE, WAITS, CURVE)
    return (*recomputed, *found, *(truth_table(own, view) for view in VIEWS.values()), ARCHIVE_GAPS, CONSERVATION)


def create_tables(own: SparkSession) -> None:
    """Create what is missing of them."""
    lake.create_missing(own, tables(own))


def prepare() -> None:
    """Create the night's tables, so that the gateway can serve them before the first night."""
    with _lease():
        own = session()
        create_tables(own)
        own.stop()


def publish() -> None:
    """Send the corrections that are not yet in the topic: what the next night would do."""
    with _lease():
        own = session()
        create_tables(own)
        _say(f"publish: {publish_corrections(own)} corrections")
        own.stop()


def upkeep() -> None:
    """Remove files of the night's tables that no version of the last week needs."""
    with _lease():
        own = session()
        vacuum(own, tables(own))
        own.stop()


def accept_gaps(note: str) -> None:
    """Accept what the log has lost before a night read it, as gaps that stay named."""
    if not note.strip():
        raise PermanentFailure("a gap is accepted for a reason: say it with --note")
    with _lease():
        own = session()
        create_tables(own)
        _refuse_without_stream(own)
        for gap in accept(own, note):
            _say(f"gap accepted: {gap}, {gap.end - gap.start} offsets, {gap.cause}")
        own.stop()


def night(day: Day, steps: Sequence[Step], full: bool = False) -> None:
    """Run steps for a day, and for the settled days that new arrivals or definitions have touched.

    Each step holds the night's lease; between two steps another night may come in, and finds every day consistent.
    """
    if day.end > datetime.now(UTC):
        raise PermanentFailure(f"{day} is not over yet: a night recomputes whole days (UTC)")
    own = session()
    with _lease():
        create_tables(own)
        _refuse_without_stream(own)
    for step in steps:
        with _lease():
            _say(f"{step}: {STEPS[step](own, day, full)}")
            if step in PUBLISHING:
                _say(f"publish: {publish_corrections(own)} corrections")
    own.stop()


def _refuse_without_stream(own: SparkSession) -> None:
    # The last table that the stream creates.
    if not lake.exists(own, BRONZE_GAPS):
        raise TransientFailure("the stream has not created its tables yet: is it running, with this code?")


def curve(day: Day, full: bool = False) -> None:
    """Draw the curve of the settled days that have none, `day` included; no step, so that a night can do without."""
    own = session()
    with _lease():
        create_tables(own)
        _say(f"curve: {_names(curve_of_days(own, day, definitions(own), full))}")
    own.stop()


def _lease() -> Lease:
    return Lease("night", settings().lease_wait_seconds)


def _archive(own: SparkSession, day: Day, full: bool) -> str:
    log, known = log_now(), marks(own)
    read = archive_log(own, log, known.read_to)
    return f"{read} offsets read, {conserve(own, day, log, known)} conserved"


def _truth(own: SparkSession, day: Day, full: bool) -> str:
    todo = plan(own, day, definitions(own), full)
    return _truth_of(own, todo, full)


def _truth_of(own: SparkSession, todo: Plan, full: bool = False) -> str:
    days = todo.days if full else _behind(own, todo, Step.TRUTH)
    if days:
        truth_of_days(own, days, todo.run, dict(todo.definitions))
        _mark(own, days, todo.run, None)
    return _names(days)


def _reconcile(own: SparkSession, day: Day, full: bool) -> str:
    return _reconcile_of(own, plan(own, day, definitions(own), full))


def _reconcile_of(own: SparkSession, todo: Plan) -> str:
    _truth_of(own, todo)
    days = _behind(own, todo, Step.RECONCILE)
    reconcile_days(own, todo, days)
    if days:
        _mark(own, days, todo.run, todo.run)
    return _names(days)


def _correct(own: SparkSession, day: Day, full: bool) -> str:
    todo = plan(own, day, definitions(own), full)
    _reconcile_of(own, todo)
    if todo.days:
        correct_days(own, todo, todo.days)
    return _names(todo.days)


STEPS: dict[Step, Callable[[SparkSession, Day, bool], str]] = {
    Step.ARCHIVE: _archive,
    Step.TRUTH: _truth,
    Step.RECONCILE: _reconcile,
    Step.CORRECT: _correct,
}


def _behind(own: SparkSession, todo: Plan, step: Step) -> tuple[Day, ...]:
    """The plan's days that have not come as far as `step` in this very run."""
    done = {row["day"] for row in lake.read(own, STATE).where(F.col(step.value) == todo.run).collect()}
    return tuple(day for day in todo.days if day.date not in done)


def _mark(own: SparkSession, days: Sequence[Day], truth_run: str, reconcile_run: str | None) -> None:
    rows = [{"day": day.date, "truth": truth_run, "reconcile": reconcile_run} for day in days]
    replace_days(frame(own, rows, STATE.schema), STATE, [day.date for day in days])


def _names(days: Sequence[Day]) -> str:
    return ", ".join(str(day) for day in days) or "nothing to do"


def _say(text: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", flush=True)
