"""Correct: append every changed row to the ledger of corrections, then settle the day.

Data flow: differences, truth, the ledger so far -> reconciliation/corrections (append-only), then settlements
Run: python -m batch correct --date 2026-01-31
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from batch.corrections.served_open import as_text, keep, served
from batch.days.day_plan import DayPlan
from batch.reconciliation.causes import Cause
from batch.reconciliation.differences import DIFFERENCES
from batch.reconciliation.speed_snapshot import rows_of_other_versions
from batch.settlement.settlements import settle
from batch.truth.recompute import truth_table
from infra.failpoints import point
from infra.lake import arrow_tables, spark_tables
from infra.lake.at_once import at_once
from infra.lake.columns import column, struct
from infra.lake.tables import Table
from infra.lake.writes import FEW_TEXTS, append_once, few
from streaming.tables.speed import latest_rows, speed_table
from streaming.views import VIEWS
from streaming.views.view import View

CORRECTIONS = Table(
    "reconciliation",
    "corrections",
    struct(
        column("day", "date", "The day corrected"),
        column("view", "string", "The view corrected"),
        column("key", "string", "The row's key, as JSON"),
        column("old", "string", "What was served before, as JSON; null: no such row"),
        column("new", "string", "What is served from now on, as JSON; null: no such row"),
        column("cause", "string", "Why it was corrected; several causes are joined by +"),
        column("run", "string", "The night that corrected it"),
        column("definition", "string", "Version of the view's definition"),
        column("revision", "int", "How many times the day has been settled, from 1"),
        column("corrected_at", "timestamp", "When it was corrected (UTC)"),
        column("sequence", "bigint", "The correction's number in the ledger: 1, 2, 3, without a gap"),
    ),
    description="One correction of one row of a view: what was served before, what is true, and why. Append-only.",
)
"""One correction: the answer before and the truth now (JSON; null = no such row), and the cause.

`sequence` numbers the corrections of the whole ledger: 1, 2, 3, without a gap.
"""


def correct(
    session: SparkSession,
    plan: DayPlan,
    views: Iterable[View] | None = None,
    totals: Mapping[str, int] | None = None,
    by_stream: Mapping[str, int] | None = None,
) -> None:
    """Append the corrections of the plan's day, then settle the day with `totals` and `by_stream` (`view.measure` -> sum).

    `views`: those that were compared anew; the rows of the others were corrected by the settlement before. None: all.
    """
    now, day = datetime.now(UTC), plan.day
    own = list(VIEWS.values() if views is None else views)

    def rows_of(view: View) -> DataFrame | pa.Table:
        stamp = {
            "run": F.lit(plan.run),
            "definition": F.lit(plan.definitions[view.name]),
            "revision": F.lit(plan.revision),
            "corrected_at": F.lit(now).cast("timestamp"),
        }
        return few(in_order(changed(session, view, plan).withColumns(stamp)), most=FEW_TEXTS)

    for view, rows in zip(own, at_once(session, rows_of, own), strict=True):
        # The lease makes this the only writer, so the count is the last number; it is read again for every view.
        before = arrow_tables.count(CORRECTIONS)
        # Truth's version grows with every recomputation, so a new difference is never taken for a repeated one.
        version = arrow_tables.latest(truth_table(view)).version()
        append_once(sequenced(rows, before), CORRECTIONS, f"{view.name}/{day}", version)
    keep(session, plan, own)
    point("correct.before-settlements")
    settle(plan, totals, by_stream)
    point("correct.after-settlements")


def in_order(rows: DataFrame) -> DataFrame:
    """Rows in the ledger's order, by their keys, in one partition."""
    return rows.coalesce(1).sortWithinPartitions("key")


def sequenced(rows: DataFrame | pa.Table, before: int) -> DataFrame | pa.Table:
    """Rows `in_order`, with their `sequence` in a ledger that holds `before` rows."""
    names = CORRECTIONS.schema.fieldNames()
    if isinstance(rows, pa.Table):
        numbers = pa.array(range(before + 1, before + 1 + rows.num_rows), pa.int64())
        return rows.append_column("sequence", numbers).select(names)
    # Within one partition Spark's ids are 0, 1, 2; a window without a partition would give the same, with a warning.
    return rows.withColumn("sequence", F.monotonically_increasing_id() + F.lit(before + 1)).select(*names)


def changed(session: SparkSession, view: View, plan: DayPlan) -> DataFrame:
    """Rows of the day whose truth differs from the last answer that was given: day, view, key, old, new, cause.

    The last answer is the first of these that exists: the ledger's newest correction of the row; what was served of a row that
    was open when the day was settled; if the day was settled by a definition that is no longer in force, the stream's row by that
    definition; if the day was never settled, the final row by another definition; the stream's present row. The causes are those
    of the difference, with "definition" before them if the last answer was made by another definition.
    """
    day = plan.day
    settled_by = plan.settled_by(view.name)
    now = plan.definitions[view.name]
    differing = (
        spark_tables.of_day(session, DIFFERENCES, day.date)
        .where(F.col("view") == view.name)
        .select("key", "speed", F.col("causes").alias("differing"))
    )
    rows = spark_tables.of_day(session, truth_table(view), day.date)
    truth = _values(view, rows, "new")
    candidates = differing.join(_last_answers(session, view, plan), "key", "full_outer")
    if settled_by is not None and view.stays_open:
        candidates = candidates.join(served(session, view, plan), "key", "full_outer")
    else:
        candidates = candidates.withColumns(
            {"served": F.lit(None).cast("string"), "was_open": F.lit(None).cast("boolean")}
        )
    # For a row that differs, `speed` is the stream's present answer; for any other row, truth is the stream's answer too.
    same = F.when(F.col("differing").isNotNull(), F.col("speed")).otherwise(F.col("new"))
    if settled_by == now:
        by_stream, by_other = F.col("speed"), F.lit(False)
        candidates = candidates.join(truth, "key", "left")
    elif settled_by is None:
        before = _values(view, rows_of_other_versions(session, view, day, now), "before")
        candidates = candidates.join(before, "key", "full_outer").join(truth, "key", "left")
        # If the other definition has no such row, it is unknown whether the stream had read that far with it.
        by_stream = F.coalesce("before", "speed")
        by_other = F.col("before").isNotNull() & ~F.col("before").eqNullSafe(same)
    else:
        speed = spark_tables.of_day(session, speed_table(view), day.date)
        before = _values(view, latest_rows(view, speed.where(F.col("definition") == settled_by)), "before")
        candidates = candidates.join(before, "key", "full_outer").join(truth, "key", "full_outer")
        by_stream = F.col("before")
        by_other = ~F.col("before").eqNullSafe(same)
    old = F.when(F.col("was_answered"), F.col("answered")).when(F.col("was_open"), F.col("served")).otherwise(by_stream)
    redefined = F.when(F.col("was_answered"), F.col("answered_by") != now).otherwise(by_other)
    causes = F.concat(
        F.when(redefined, F.array(F.lit(Cause.DEFINITION.value))).otherwise(F.array().cast("array<string>")),
        F.coalesce("differing", F.array().cast("array<string>")),
    )
    other = F.when(F.col("was_open"), F.lit(Cause.OPEN.value)).otherwise(F.lit(Cause.REVISION.value))
    cause = F.when(F.size(causes) > 0, F.array_join(causes, "+")).otherwise(other)
    return candidates.where(~old.eqNullSafe(F.col("new"))).select(
        F.lit(day.date).alias("day"),
        F.lit(view.name).alias("view"),
        "key",
        old.alias("old"),
        "new",
        cause.alias("cause"),
    )


def _last_answers(session: SparkSession, view: View, plan: DayPlan) -> DataFrame:
    """The ledger's last answer for the day's rows: key, answered (JSON), answered_by (a definition), was_answered.

    A settlement confirms every row of its day, so a row that it did not correct was answered by the settlement's definition.
    """
    newest = Window.partitionBy("key").orderBy(F.col("revision").desc(), F.col("corrected_at").desc())
    settled_by = F.lit(plan.settled_by(view.name)).cast("string")
    confirmed = F.when(F.col("revision") < plan.revision, settled_by)
    return (
        spark_tables.of_day(session, CORRECTIONS, plan.day.date)
        .where(F.col("view") == view.name)
        .withColumn("_place", F.row_number().over(newest))
        .where(F.col("_place") == 1)
        .select(
            "key",
            F.col("new").alias("answered"),
            F.coalesce(confirmed, "definition").alias("answered_by"),
            F.lit(True).alias("was_answered"),
        )
    )


def _values(view: View, rows: DataFrame, name: str) -> DataFrame:
    """`key` and values (as column `name`) of a view's rows, both as JSON, with the columns that the view has now."""
    key, values = as_text(view)
    return rows.select(key.alias("key"), values.alias(name))
