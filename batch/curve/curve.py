"""The latency-completeness curve: the stream's rows of a settled day, as they would have been with other delays.

Data flow: truth, waits -> per view and delay: events in time, sums of measures, final rows, rows held -> reconciliation/curve
Run: python -m batch curve --date 2026-01-31

A delay is an allowed lateness in seconds; an event's wait is the smallest delay with which it is on time. For each delay a
view is recomputed from the events whose wait is no longer, and compared with truth row by row, so the curve works for any
view, not only for sums. A delay of at least the longest wait gives truth, and nothing is recomputed for it. For a shorter
one, the view's law says which rows have to be recomputed (batch/curve/steps).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.tuning import suit
from batch.curve.lateness import EVENT_LATENESS, Basis, waits, waits_as_read
from batch.curve.points import CURVE, Lifetimes, Outcome, Waited, points, steps
from batch.curve.steps import by_step, outcomes
from batch.days.day import Day
from batch.settlement.settlements import SETTLEMENTS
from batch.truth.recompute import TRUTH, events_around, truth_table
from infra.failures import PermanentFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.at_once import at_once, dealt, united
from infra.lake.materialize import materialized, released
from infra.lake.rows import arrow
from infra.lake.writes import replace_days
from infra.settings import settings
from streaming.tables.silver import EVENT
from streaming.versions.definitions import EVENTS, differing
from streaming.views import VIEWS
from streaming.views.view import View


def curve(
    session: SparkSession, day: Day | None, definitions: Mapping[str, str], full: bool = False
) -> tuple[Day, ...]:
    """Draw the curve of every settled day that has none for its present settlement; `full` draws `day` in any case.

    Returns the days drawn. A day that was settled by definitions no longer in force is skipped until a night redoes it.
    Raises PermanentFailure if `day` is not settled, or is such a day. `day` may be None.
    """
    covered = {row["day"]: row for row in arrow_tables.rows(SETTLEMENTS)}
    fit = {one for one, row in covered.items() if not differing(dict(row["definitions"]), definitions)}
    if day and day.date not in fit:
        reason = "by definitions that are no longer in force" if day.date in covered else "yet"
        raise PermanentFailure(f"{day} is not settled {reason}: its night comes first (daybreak night --date {day})")
    drawn = {(row["day"], row["run"]) for row in arrow_tables.rows(CURVE, ["day", "run"])}
    due = {one for one in fit if (one, covered[one]["run"]) not in drawn} | ({day.date} if day and full else set())
    days = tuple(Day(one) for one in sorted(due))
    for one in days:
        suit(session, one)
        _draw(session, one, covered[one.date]["run"], covered.keys(), definitions[EVENTS])
    return days


def _draw(session: SparkSession, day: Day, run: str, settled: Collection[date], definition: str) -> None:
    # The day's rows also need events before and after it: of days that may be unsettled.
    own = spark_tables.of_day(session, TRUTH, day.date).select(*EVENT.fieldNames())
    needed = own.unionByName(events_around(session, definition, day))
    in_force = settings().watermark_delay_seconds
    found = materialized(waits(session, day, needed, settled))
    try:
        waited = _waited(found, waits_as_read(session, day), day)
        outcomes = recomputed(session, found, day, {view: steps(waited[view].needed, in_force) for view in VIEWS})
    finally:
        released(found)
    lives = _lifetimes(session, day)
    stamp = {"day": day.date, "run": run}
    histograms = [
        stamp | {"view": view, "basis": basis.value, "required_delay_seconds": seconds, "events": number}
        for view, own_waits in waited.items()
        for basis, waits_of in ((Basis.LOG, own_waits.log), (Basis.STREAM, own_waits.stream))
        for seconds, number in sorted(waits_of.items())
    ]
    rows = [
        stamp | row
        for name, view in VIEWS.items()
        for row in points(view, waited[name], outcomes[name], lives[name], in_force)
    ]
    replace_days(arrow(histograms, EVENT_LATENESS.schema), EVENT_LATENESS, [day.date])
    # Written last: a row in CURVE means that the day is drawn.
    replace_days(arrow(rows, CURVE.schema), CURVE, [day.date])


def _waited(found: DataFrame, as_read: DataFrame, day: Day) -> dict[str, Waited]:
    basis = F.when(F.col("day") == F.lit(day.date), F.lit(Basis.LOG.value)).alias("basis")
    both = found.select("topic", "required_delay_seconds", basis).unionByName(
        as_read.select("topic", "required_delay_seconds", F.lit(Basis.STREAM.value).alias("basis"))
    )
    waited = {view: Waited() for view in VIEWS}
    for row in both.groupBy("topic", "required_delay_seconds", "basis").agg(F.count("*").alias("events")).collect():
        for own in (waited[view.name] for view in VIEWS.values() if row["topic"] in view.inputs):
            kinds = {None: [own.needed], Basis.LOG: [own.needed, own.log], Basis.STREAM: [own.stream]}
            for histogram in kinds[row["basis"]]:
                histogram[row["required_delay_seconds"]] += row["events"]
    return waited


def recomputed(
    session: SparkSession, found: DataFrame, day: Day, wanted: Mapping[str, Sequence[int]]
) -> dict[str, dict[int | None, Outcome]]:
    """Each view's outcome per step (from the events that waited no longer than it), and truth's under None."""

    def steps_of(view: View) -> DataFrame:
        truth = spark_tables.of_day(session, truth_table(view), day.date)
        return by_step(view, found, truth, day, wanted[view.name])

    frames = at_once(session, steps_of, VIEWS.values())
    counted: dict[str, dict[str, Outcome]] = {name: {} for name in VIEWS}
    for rows in at_once(session, lambda some: united(some).collect(), dealt(session, frames)):
        for row in rows:
            counted[row["view"]][row["step"]] = Outcome(row["final"], tuple(row["sums"]))
    return {name: outcomes(view, counted[name], wanted[name]) for name, view in VIEWS.items()}


def _lifetimes(session: SparkSession, day: Day) -> dict[str, Lifetimes]:
    frames = [
        spark_tables.of_day(session, truth_table(view), day.date).select(
            F.lit(view.name).alias("view"),
            F.unix_seconds(view.time).alias("opens"),
            F.unix_seconds(view.closed_at()).alias("closes"),
        )
        for view in VIEWS.values()
    ]
    lives = {view: Lifetimes() for view in VIEWS}
    for row in united(frames).groupBy("view", "opens", "closes").agg(F.count("*").alias("rows")).collect():
        lives[row["view"]].opens[row["opens"]] += row["rows"]
        lives[row["view"]].closes[row["closes"]] += row["rows"]
    return lives
