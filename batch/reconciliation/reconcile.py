"""Reconcile: compare the stream's answer with the truth, and explain every difference by recomputation.

Data flow: speed, silver (as the view had read it), truth -> reconciliation/differences, evidence, summary
Run: python -m batch reconcile --date 2026-01-31

For a view v, `counted` is v over the events that the stream counted. Then v is computed again after the events of each cause,
in a fixed order, are added or taken away. `speed` must equal `counted`, and the last step must equal truth; any remaining
difference is unexplained. Where both layers have the same events, v is not computed again: these rows are truth's at all steps.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from batch.days.day import Day
from batch.days.day_plan import DayPlan
from batch.reconciliation.causes import Cause
from batch.reconciliation.differences import DIFFERENCES, SUMMARY, compared, differing, side_by_side, summary
from batch.reconciliation.evidence import EVIDENCE, evidence, of_day, of_view
from batch.reconciliation.layers import Layer, night_layer, stream_layer
from batch.reconciliation.moves import Found
from batch.reconciliation.speed_snapshot import MicroBatch, finished, snapshot
from batch.reconciliation.stages import after_each, as_in_truth
from batch.truth.history import needed, of_both
from batch.truth.reach import Reach
from batch.truth.recompute import Decided, truth_table
from infra.failpoints import point
from infra.failures import PermanentFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.at_once import at_once, few_of
from infra.lake.materialize import materialized, released
from infra.lake.writes import replace_days
from infra.problems import EXAMPLES, Problem, add, mended
from infra.settings import settings
from streaming.state.changelog import counted
from streaming.views import CHANGELOGS, LOOKBACK, VIEWS
from streaming.views.view import View

SOURCE = "reconcile"
"""Of the problems."""


@dataclass(frozen=True)
class Compared:
    """One view's comparison for one day: rows by stage, which are `materialized`, and evidence."""

    view: View
    rows: DataFrame
    evidence: DataFrame


def reconcile(
    session: SparkSession, plan: DayPlan, known: Decided | None = None, views: Iterable[View] | None = None
) -> None:
    """Compare the plan's day and write evidence, summary and differences; `known` as for `truth`.

    `views`: those to be compared; what is known of the others stays. None: all.
    Raises PermanentFailure, naming the first rows and events, if a difference is unexplained.
    """
    day, validated = plan.day, known or Decided(session)
    own = list(VIEWS.values() if views is None else views)
    if own:
        _compare_all(session, plan, validated, own, None if views is None else [view.name for view in own])
    validated.release()
    faults = unexplained(day)
    tell(day, faults)
    if faults:
        raise PermanentFailure(
            f"{len(faults)} differences on {day} have no cause; the day is not settled. First: {'; '.join(faults[:5])}. "
            'See daybreak query "SELECT * FROM reconciliation.differences WHERE unexplained", and reconciliation.evidence.'
        )


def _compare_all(
    session: SparkSession, plan: DayPlan, validated: Decided, views: Sequence[View], names: Collection[str] | None
) -> None:
    """Compare some views, and replace their rows of the day: those of `names`, or all."""
    night = night_layer(session, plan, validated.around(plan.day))
    night = replace(night, refused=materialized(night.refused))
    layers = side(session, plan, night, validated.needs)
    found = at_once(session, lambda view: compare(session, view, plan, layers), views)
    stamp = {"day": F.lit(plan.day.date), "run": F.lit(plan.run)}
    for table, frames in (
        (EVIDENCE, [one.evidence for one in found]),
        (SUMMARY, [summary(one.view, one.rows) for one in found]),
        (DIFFERENCES, [differing(one.view, one.rows) for one in found]),
    ):
        stamped = [one.withColumns(stamp).select(*table.schema.fieldNames()) for one in frames]
        replace_days(few_of(session, stamped), table, [plan.day.date], names)
        point(f"reconcile.after-{table.name}")
    for one in found:
        released(one.rows)


@dataclass(frozen=True)
class Layers:
    """Both layers of a day and around it, as far as views reach: their events, and on which of these they differ."""

    stream: Layer
    night: Layer
    found: Found
    progress: Sequence[MicroBatch]


def side(session: SparkSession, plan: DayPlan, night: Layer, needs: Reach) -> Layers:
    """The stream's layer beside the night's, read once for all views; `needs`: what the night has read."""
    progress = finished()
    stream = stream_layer(session, plan, progress, needs)
    # A late event that is not in the archive yet is counted by neither layer, but for a change, which the stream counts later.
    is_counted = counted(CHANGELOGS) | night.unread.isNull()
    events = of_both(stream.events.where(is_counted), night.events, plan.day.start - LOOKBACK)
    stream, night = replace(stream, events=events[0]), replace(night, events=events[1])
    return Layers(stream, night, Found(session, evidence(stream, night)), progress)


def unexplained(day: Day) -> list[str]:
    """A day's unexplained differences as text: rows with speed, counted and truth, and events that only one layer has."""
    on_day = pc.field("day") == day.date
    rows = arrow_tables.rows(DIFFERENCES, where=on_day & pc.field("unexplained"))
    events = arrow_tables.rows(EVIDENCE, where=on_day & (pc.field("cause") == Cause.UNEXPLAINED.value))
    columns = ("day", "view", "key", "speed", "counted", "truth")
    seen = ("day", "view", "event_id", "topic", "partition", "offset", "side")
    return [
        *["{} {} {}: speed {}, counted {}, truth {}".format(*_texts(row, columns)) for row in rows],
        *["{} {}: only one layer has event {} ({}-{} at {}), to {}".format(*_texts(row, seen)) for row in events],
    ]


def tell(day: Day, faults: Sequence[str]) -> None:
    """Unexplained differences are a problem until the day is compared again and has none."""
    name = f"reconcile.unexplained/{day}"
    if not faults:
        mended(settings(), SOURCE, [name])
        return
    what = f"{len(faults)} differences on {day} have no cause, and the day is not settled"
    mend = f"Read the stream's log of that time; when the cause is gone, run `daybreak night --date {day}`"
    add(settings(), SOURCE, [Problem(name, what, mend, len(faults), tuple(faults[:EXAMPLES]))])


def _texts(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    return ["-" if row[name] is None else str(row[name]) for name in columns]


def compare(session: SparkSession, view: View, plan: DayPlan, layers: Layers) -> Compared:
    """Compare one view for the plan's day."""
    day = plan.day
    by_stream = snapshot(session, view, day, plan.definitions[view.name], layers.progress)
    around = day.around(view.lookback, view.reach)
    is_own = needed(view, around)
    silver, truth_events = layers.stream.events.where(is_own), layers.night.events.where(is_own)
    found = of_view(layers.found.rows, view, around)
    moves = layers.found.moves(view, around)
    truth = spark_tables.of_day(session, truth_table(view), day.date)
    if moves.steps:
        unmoved, moved = timeline(silver, truth_events, moves.places)
        by_stage = after_each(view, unmoved, materialized(moved), truth, day, moves)
    else:
        by_stage = as_in_truth(view, truth)
    shown = of_day(found, view.inputs[0], day.end + view.overlap)
    if plan.horizon is not None:
        # Of what one layer has not read yet, that can change open rows only.
        is_ahead = (F.col("cause") == Cause.NOT_READ.value) & (F.col("event_time") >= F.lit(plan.horizon))
        shown = shown.where(~is_ahead)
    return Compared(
        view,
        materialized(compared(view, side_by_side(view, by_stage, by_stream), plan.horizon)),
        shown.withColumn("view", F.lit(view.name)),
    )


def timeline(silver: DataFrame, truth: DataFrame, moves: DataFrame) -> tuple[DataFrame, DataFrame]:
    """The events that count at every step; and the others, with the steps at which each `enters` and `leaves`.

    `moves`: PLACE, `of_silver` (is the event taken from silver, or from truth?), `enters`, `leaves`.
    """
    own = moves.where("of_silver").drop("of_silver")
    columns = [*truth.columns, "enters", "leaves"]
    unmoved = silver.join(own, [*PLACE], "left_anti").select(*truth.columns)
    counted = silver.join(own, [*PLACE]).select(*columns)
    added = truth.join(moves.where("NOT of_silver").drop("of_silver"), [*PLACE]).select(*columns)
    return unmoved, counted.unionByName(added)
