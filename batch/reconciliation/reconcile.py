"""Reconcile: compare what the stream said with the truth, and explain every difference by recomputation.

Data flow: speed, silver (as the view had read it), truth -> reconciliation/differences, evidence, summary
Run: python -m batch reconcile --date 2026-01-31

For a view v: counted = v(on-time events), then v again with the events of each cause added or taken, in a fixed order,
and at the end truth. `speed` must equal `counted`, and the last step must equal truth; what is left is unexplained.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.day import Day
from batch.reconciliation.causes import LATENESS, STEPS, Cause
from batch.reconciliation.differences import DIFFERENCES, SUMMARY, compared, summary
from batch.reconciliation.evidence import EVIDENCE, evidence, of_day
from batch.reconciliation.layers import PLACE, Layer, night_layer, stream_layer
from batch.reconciliation.speed_snapshot import MicroBatch, finished, said
from batch.settlement.settlements import Plan
from batch.truth import Decided, truth_table, view_days
from infra.failpoints import point
from infra.failures import PermanentFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.writes import few, replace_days
from streaming.views import VIEWS
from streaming.views.view import View


@dataclass(frozen=True)
class Compared:
    """One view's comparison for one day: rows by stage, evidence, measures."""

    view: View
    rows: DataFrame
    evidence: DataFrame
    totals: DataFrame


def reconcile(session: SparkSession, plan: Plan, days: Sequence[Day], known: Decided | None = None) -> None:
    """Compare the days and write what was found; `known` as for `truth`.

    Raises PermanentFailure, naming the rows, if something is unexplained.
    """
    faults: list[str] = []
    validated = known or Decided(session)
    for day in days:
        night = night_layer(session, plan, validated.around(day))
        night = replace(night, events=_leaf(night.events), refused=_leaf(night.refused))
        progress = finished()
        found = [compare(session, view, day, plan, night, progress) for view in VIEWS.values()]
        stamp = {"day": F.lit(day.date), "run": F.lit(plan.run)}
        for table, frames in (
            (EVIDENCE, [one.evidence for one in found]),
            (SUMMARY, [one.totals for one in found]),
            (DIFFERENCES, [one.rows for one in found]),
        ):
            together = reduce(lambda left, right: left.unionByName(right), frames).withColumns(stamp)
            replace_days(few(together.select(*table.schema.fieldNames()).coalesce(1)), table, [day.date])
            point(f"reconcile.after-{table.name}")
        faults += unexplained(day)
        session.catalog.clearCache()
        validated.release()
    if faults:
        raise PermanentFailure(
            f"{len(faults)} rows differ without a cause; nothing is settled. First: {'; '.join(faults[:5])}. "
            "See reconciliation/differences where unexplained, and reconciliation/evidence."
        )


def unexplained(day: Day) -> list[str]:
    """What differs without a cause on a day: rows as `view key: said, counted, truth`, and events that are in one layer."""
    on_day = pc.field("day") == day.date
    rows = arrow_tables.rows(DIFFERENCES, where=on_day & pc.field("unexplained"))
    events = arrow_tables.rows(EVIDENCE, where=on_day & (pc.field("cause") == Cause.UNEXPLAINED.value))
    said = ("day", "view", "key", "speed", "counted", "truth")
    seen = ("day", "view", "event_id", "topic", "partition", "offset", "side")
    return [
        *["{} {} {}: said {}, counted {}, truth {}".format(*_texts(row, said)) for row in rows],
        *["{} {}: only one layer has event {} ({}-{} at {}), to {}".format(*_texts(row, seen)) for row in events],
    ]


def _texts(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    return ["-" if row[name] is None else str(row[name]) for name in columns]


def compare(
    session: SparkSession, view: View, day: Day, plan: Plan, night: Layer, progress: Sequence[MicroBatch]
) -> Compared:
    """Compare one view for one day; `night` has truth's events of the day and of REACH after it."""
    said_by_stream = said(session, view, day, plan.definitions[view.name], progress)
    stream = stream_layer(session, view, day, said_by_stream)
    # A late event that is not in the archive yet is counted by nobody.
    silver = _leaf(stream.events.where((F.col("late_by_ms") == 0) | night.unread.isNull()))
    in_reach = F.col("event_time") < F.lit(day.end + view.reach)
    truth_events = night.events.where(in_reach & F.col("topic").isin(*view.inputs))
    found = _leaf(evidence(view.inputs[0], replace(stream, events=silver), replace(night, events=truth_events)))
    present = {row["cause"] for row in found.select("cause").distinct().collect()}

    events = _leaf(timeline(silver, truth_events, found))

    def after(step: int) -> DataFrame:
        is_in = (F.col("enters") <= step) & F.coalesce(F.col("leaves") > step, F.lit(True))
        return view_days(view, events.where(is_in), [day])

    stages = {"speed": said_by_stream.rows, "counted": after(0)}
    stages |= {cause.value: after(step) for step, cause in enumerate(STEPS, 1) if cause in present}
    table = truth_table(session, view)
    stages["truth"] = spark_tables.read(session, table).where(F.col("day") == F.lit(day.date))
    rows = compared(view, stages).persist()
    return Compared(
        view,
        rows.where(F.size("causes") > 0).drop("measures"),
        of_day(found, view.inputs[0], day.end).withColumn("view", F.lit(view.name)),
        summary(view, rows),
    )


def timeline(silver: DataFrame, truth: DataFrame, found: DataFrame) -> DataFrame:
    """The events of both layers, each with the step at which it `enters` the count and the one at which it `leaves` it.

    Steps are numbered as in STEPS, from 1; 0 is what the stream counted, null is never.
    """
    step = F.array_position(F.array(*[F.lit(cause.value) for cause in STEPS]), F.col("cause")).alias("step")
    moves = found.where(F.col("cause") != Cause.UNEXPLAINED.value).select(*PLACE, "cause", "side", step)
    is_late = F.col("cause").isin(*[cause.value for cause in LATENESS])
    of_silver = moves.groupBy(*PLACE).agg(
        F.max(F.when(is_late, F.col("step"))).alias("enters"),
        F.max(F.when(F.col("side") == "take", F.col("step"))).alias("leaves"),
    )
    counted = silver.join(of_silver, [*PLACE], "left").withColumn("enters", F.coalesce("enters", F.lit(0)))
    adds = moves.where((F.col("side") == "add") & ~is_late).select(*PLACE, F.col("step").alias("enters"))
    added = truth.join(adds, [*PLACE]).withColumn("leaves", F.lit(None).cast("long"))
    columns = [*truth.columns, "enters", "leaves"]
    return counted.select(*columns).unionByName(added.select(*columns))


def _leaf(rows: DataFrame) -> DataFrame:
    """The same rows, kept, without their plan: every step reads them several times, and plans of plans grow past planning."""
    return rows.localCheckpoint(eager=False)
