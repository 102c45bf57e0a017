"""A view's rows of a day for each of several delays, computed from the events that a delay covers.

Data flow: events with their waits, truth/<view> -> per step and at the end truth: rows that are as in truth, sums of measures
Run: pytest tests/batch/test_steps.py

A step is a wait: its answer is computed from the events that waited no longer. The view's law saves work. In an additive view
every event is computed once, at the first step that covers it, and the steps are added up. In a view by part, only the parts
that lack an event at some step are computed; a change of a changelog counts from when a step knows it. So a day costs little
more than its late events, however many delays are tried.
"""

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from batch.curve.points import Outcome
from batch.days.day import Day
from batch.truth.parts import PART, looked_up, of_streams, with_parts
from batch.truth.versions import VERSION, view_day_by_version
from infra.lake.at_once import united
from infra.lake.materialize import materialized
from streaming.views.as_of import KNOWN_AT
from streaming.views.law import Additive, ByPart, ByWindow
from streaming.views.view import View

TRUTH, SHARED = "truth", "shared"
"""Names that stand beside the steps: all rows of truth, and the rows that are the same at every step."""


def by_step(view: View, found: DataFrame, truth: DataFrame, day: Day, steps: Sequence[int]) -> DataFrame:
    """One row per step (as text), TRUTH and SHARED: view, step, `final`, `sums`.

    Args:
        found: the events that the day's rows need, with `required_delay_seconds`.
        truth: the day's rows of the view.
        steps: waits in seconds, ascending, without the longest wait, whose answer is truth.
    """
    if not steps:
        return _counted(view, _answers(view, truth, F.lit(TRUTH)), truth)
    if isinstance(view.law, Additive):
        rows = [_added(view, view.law, found, day, steps)]
    else:
        rows = _by_part(view, view.law, found, truth, day, steps)
    return _counted(view, united([_answers(view, truth, F.lit(TRUTH)), *rows]), truth)


def outcomes(view: View, found: Mapping[str, Outcome], steps: Sequence[int]) -> dict[int | None, Outcome]:
    """Rows of `by_step` as outcomes by step, truth under None; a step without rows has an outcome of zeros."""
    nothing = Outcome(0, (0,) * len(view.measures))
    shared, whole = nothing, dict[int | None, Outcome]()
    for step in steps:
        shared = _sum(shared, found.get(f"{SHARED}{step}", nothing))
        whole[step] = _sum(shared, found.get(str(step), nothing))
    return {None: found.get(TRUTH, nothing)} | whole


def _sum(one: Outcome, other: Outcome) -> Outcome:
    return Outcome(one.final + other.final, tuple(a + b for a, b in zip(one.sums, other.sums, strict=True)))


def _added(view: View, law: Additive, found: DataFrame, day: Day, steps: Sequence[int]) -> DataFrame:
    """Compute rows apart for the events that each step adds, and add them up at that step and at all later ones."""
    wait, all_steps = F.col("required_delay_seconds"), F.array(*[F.lit(step) for step in steps])
    first = F.try_element_at(F.filter(all_steps, lambda step: step >= wait), F.lit(1))
    own = found.where(F.col("topic").isin(*view.inputs)).withColumn(VERSION, first.cast("string"))
    defined = view_day_by_version(view, law, own.where(F.col(VERSION).isNotNull()), day)
    since = F.filter(all_steps, lambda later: later >= F.col(VERSION).cast("long"))
    counts = defined.select(F.explode(since).alias("step"), *view.key, *view.values)
    merged = [(F.sum(name) if name in law.sums else F.max(name)).alias(name) for name in view.values]
    rows = counts.groupBy("step", *view.key).agg(*merged).withColumns({name: law.share(name) for name in law.shares})
    return _answers(view, rows, F.col("step").cast("string"))


def _by_part(
    view: View, law: ByPart | ByWindow, found: DataFrame, truth: DataFrame, day: Day, steps: Sequence[int]
) -> list[DataFrame]:
    """Per step the rows of the parts that lack an event at it; and truth's rows, by the first step that gives them."""
    wait, all_steps = F.col("required_delay_seconds"), F.array(*[F.lit(step) for step in steps])
    waiting = found.where(wait > steps[0])
    # Most events wait a few seconds, and few wait longer: a part that has all its events is not computed again.
    longest = with_parts(view, law, waiting, found).groupBy(F.col(PART).alias("late_part"))
    late = materialized(longest.agg(F.max(wait).alias("longest")))
    needed = of_streams(view, found).withColumn(PART, F.explode(law.of_event(view.streams)))
    own = materialized(needed.join(late, F.col(PART) == F.col("late_part")).drop(PART, "late_part"))
    lacking = F.filter(all_steps, lambda step: (step >= wait) & (step < F.col("longest")))
    versions = own.withColumn(VERSION, F.explode(lacking.cast("array<string>"))).drop("longest")
    if isinstance(law, ByWindow):
        # An event of several windows that lack an event at the same step.
        versions = versions.dropDuplicates([*PLACE, VERSION])
    if view.changelogs:
        # A change that is not in time is not lost: it counts from when it is known.
        changes = united(looked_up(view, found, own)).withColumn(VERSION, F.explode(all_steps))
        behind_us = F.greatest(wait - F.col(VERSION), F.lit(0)) * 1_000_000
        known = F.timestamp_micros(F.unix_micros("event_time") + behind_us)
        versions = versions.withColumn(KNOWN_AT, F.col("event_time")).unionByName(
            changes.withColumns({KNOWN_AT: known, VERSION: F.col(VERSION).cast("string")})
        )
    answers = view_day_by_version(view, law, versions, day).withColumnRenamed(VERSION, "step")
    # Not the rows of a window that has all its events at this step: its last ones are the lookback of the next window.
    lacks = (law.of_row(view.time) == F.col("late_part")) & (F.col("step").cast("long") < F.col("longest"))
    answers = answers.join(late, lacks, "left_semi")
    enough = F.filter(all_steps, lambda step: step >= F.col("longest"))
    since = F.when(F.col("longest").isNull(), F.lit(steps[0])).otherwise(F.try_element_at(enough, F.lit(1)))
    shared = truth.join(late, law.of_row(view.time) == F.col("late_part"), "left").where(since.isNotNull())
    return [
        _answers(view, answers, F.col("step")),
        _answers(view, shared, F.concat(F.lit(SHARED), since.cast("string"))),
    ]


def _answers(view: View, rows: DataFrame, step: Column) -> DataFrame:
    return rows.select(step.alias("step"), *view.key, F.struct(*view.values).alias("answer"))


def _counted(view: View, answers: DataFrame, truth: DataFrame) -> DataFrame:
    right = truth.select(*view.key, F.struct(*view.values).alias("right"))
    sums = [F.coalesce(F.sum(F.col("answer")[measure]), F.lit(0)).cast("long") for measure in view.measures]
    return (
        answers.join(right, list(view.key), "left")
        .groupBy("step")
        .agg(
            F.lit(view.name).alias("view"),
            F.count_if(F.col("answer").eqNullSafe(F.col("right"))).alias("final"),
            F.array(*sums).alias("sums"),
        )
    )
