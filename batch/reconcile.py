"""Reconcile: compare what the stream said with the truth, and explain every difference by recomputation.

Data flow: speed, silver (as the view had read it), truth -> reconciliation/differences, evidence, summary
Run: python -m batch reconcile --date 2026-01-31

For a view v: counted = v(on-time events), then v again with the events of each cause added or taken, in a fixed order,
and at the end truth. `speed` must equal `counted`, and the last step must equal truth; what is left is unexplained.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.causes import STEPS, Cause
from batch.coverage import Plan
from batch.day import Day
from batch.differences import DIFFERENCES, EVIDENCE, SUMMARY, compared, summary
from batch.evidence import evidence
from batch.said import Said, said
from batch.truth import TRUTH_QUARANTINE, events, truth_table, view_days
from infra import lake
from infra.drills import point
from infra.failures import PermanentFailure
from infra.writes import replace_days
from streaming.definitions import EVENTS
from streaming.reasons import Reason
from streaming.silver import QUARANTINE, SILVER
from streaming.views import REACH, VIEWS
from streaming.views.view import View


@dataclass(frozen=True)
class Compared:
    """One view's comparison for one day: rows by stage, evidence, measures."""

    view: View
    rows: DataFrame
    evidence: DataFrame
    totals: DataFrame


def reconcile(session: SparkSession, plan: Plan, days: Sequence[Day]) -> None:
    """Compare the days and write what was found. Raises PermanentFailure, naming the rows, if something is unexplained."""
    faults: list[str] = []
    for day in days:
        known = events(session, day.start, day.end + REACH, plan.definitions[EVENTS]).persist()
        found = [compare(session, view, day, plan, known) for view in VIEWS.values()]
        stamp = {"day": F.lit(day.date), "run": F.lit(plan.run)}
        for table, frames in (
            (EVIDENCE, [one.evidence for one in found]),
            (SUMMARY, [one.totals for one in found]),
            (DIFFERENCES, [one.rows for one in found]),
        ):
            together = reduce(lambda left, right: left.unionByName(right), frames).withColumns(stamp)
            replace_days(together.select(*table.schema.fieldNames()).coalesce(1), table, [day.date])
            point(f"reconcile.after-{table.name}")
        faults += unexplained(session, day)
        for one in found:
            one.rows.unpersist()
            one.evidence.unpersist()
        known.unpersist()
    if faults:
        raise PermanentFailure(
            f"{len(faults)} rows differ without a cause; nothing is settled. First: {'; '.join(faults[:5])}. "
            "See reconciliation/differences where unexplained."
        )


def unexplained(session: SparkSession, day: Day) -> list[str]:
    """The rows of a day that differ without a cause, as `view key: speed -> truth`."""
    rows = lake.read(session, DIFFERENCES).where((F.col("day") == F.lit(day.date)) & F.col("unexplained")).collect()
    return [
        f"{day} {row['view']} {row['key']}: said {row['speed']}, counted {row['counted']}, truth {row['truth']}"
        for row in rows
    ]


def compare(session: SparkSession, view: View, day: Day, plan: Plan, known: DataFrame) -> Compared:
    """Compare one view for one day; `known` are truth's events of the day and of REACH after it."""
    stream = said(session, view, day, plan.definitions[view.name])
    silver = _silver(session, view, day, stream)
    in_reach = F.col("event_time") < F.lit(day.end + view.reach)
    truth_events = known.where(in_reach & F.col("topic").isin(*view.inputs))
    refused = lake.read(session, QUARANTINE)
    conflicts = lake.read(session, TRUTH_QUARANTINE).where(F.array_contains("reasons", Reason.CONFLICT.value))
    found = evidence(silver, refused, truth_events, conflicts, _unread(stream)).persist()
    present = {row["cause"] for row in found.select("cause").distinct().collect()}

    counted = silver.where(F.col("late_by_ms") == 0)
    stages = {"speed": stream.rows, "counted": view_days(view, counted, [day])}
    events_so_far = counted.select(*truth_events.columns)
    for cause in STEPS:
        if cause in present:
            own = found.where(F.col("cause") == cause.value)
            taken = own.where(F.col("side") == "take").select("event_id")
            added = own.where(F.col("side") == "add").select("event_id")
            source = silver if cause is Cause.LATE else truth_events
            events_so_far = (
                events_so_far.join(taken, "event_id", "left_anti")
                .select(*truth_events.columns)
                .unionByName(source.join(added, "event_id", "left_semi").select(*truth_events.columns))
            )
            stages[cause.value] = view_days(view, events_so_far, [day])
    table = truth_table(session, view)
    stages["truth"] = lake.read(session, table).where(F.col("day") == F.lit(day.date))
    rows = compared(view, stages, stream.watermark).persist()
    return Compared(
        view,
        rows.where(F.size("causes") > 0).drop("measures"),
        found.withColumn("view", F.lit(view.name)),
        summary(view, rows),
    )


def _silver(session: SparkSession, view: View, day: Day, stream: Said) -> DataFrame:
    """Silver's events of the view's inputs around the day, as far as the view's query had read them."""
    silver = (
        lake.read(session, SILVER, stream.silver_version - 1)
        if stream.silver_version
        else lake.read(session, SILVER).limit(0)
    )
    until = day.end + view.reach
    return silver.where(
        F.col("day").between(F.lit(day.date), F.lit(until.date()))
        & (F.col("event_time") >= F.lit(day.start))
        & (F.col("event_time") < F.lit(until))
        & F.col("topic").isin(*view.inputs)
    ).persist()


def _unread(stream: Said) -> Column:
    """Over topic, partition, offset: beyond what silver held when the view read it."""
    read = F.lit(False)
    for (topic, partition), end in stream.read_to.items():
        read = read | ((F.col("topic") == topic) & (F.col("partition") == partition) & (F.col("offset") < end))
    return ~read
