"""Compare row by row: join the stages from the stream's answer to the truth, and find the causes between them.

Data flow: one frame per stage -> rows with causes -> differences; sums of measures -> summary
Run: pytest tests/batch/test_differences.py
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    StringType,
    StructField,
    StructType,
)

from batch.reconciliation.causes import MEANINGS, STEPS, Cause
from batch.reconciliation.open_rows import CLOSES, IS_OPEN, marked
from infra.lake.columns import column, struct
from infra.lake.tables import Table
from streaming.views.view import View

STEP = StructType([StructField("cause", StringType()), StructField("value", StringType())])
"""A step of a row's waterfall and the row's value after it."""

DIFFERENCES = Table(
    "reconciliation",
    "differences",
    struct(
        column("day", "date", "The day compared"),
        column("view", "string", "The view compared"),
        column("key", "string", "The row's key, as JSON"),
        column("speed", "string", "What the stream had, as JSON; null: no such row"),
        column("counted", "string", "The view of the events that the stream counted, as JSON"),
        column("truth", "string", "The truth, as JSON; null: no such row"),
        column("causes", "array<string>", "Why they differ"),
        column("unexplained", "boolean", "True if the two differ and no cause accounts for it"),
        column(
            "waterfall",
            ArrayType(STEP),
            "The steps from speed to truth: each cause, and the row's value after it as JSON",
        ),
        column("run", "string", "The night that compared it"),
    ),
    description="One row of a view in which the stream and the truth differ, with its causes.",
)
"""One row of a view that differs between stages; key and values are JSON, null where a stage has no such row.

`waterfall` begins with `speed` and ends with `truth`: every step between them is a cause that changed the row.
"""

SUMMARY = Table(
    "reconciliation",
    "summary",
    struct(
        column("day", "date", "The day compared"),
        column("view", "string", "The view compared"),
        column("measure", "string", "The column of the view that is summed"),
        column("speed", "bigint", "The sum in the stream's rows"),
        *[column(cause.value, "bigint", f"Part of the difference: {MEANINGS[cause]}") for cause in STEPS],
        column("truth", "bigint", "The sum in the truth"),
        column("unexplained", "bigint", "The part of the difference without a cause; a fault if it is not 0"),
        column("rows_differing", "bigint", "Rows of the view that differ"),
        column("rows_unexplained", "bigint", "Rows that differ without a cause"),
        column(
            "rows_open",
            "bigint",
            "Rows that were open when the night compared; null if the view's rows close within an hour",
        ),
        column("open_until", "timestamp", "When the last of them closes; then the view is compared again (UTC)"),
        column("run", "string", "The night that compared it"),
    ),
    description="The stream's sum, the truth's sum, and what each cause adds between them, per day, view and measure.",
)
"""Sums of a view's measures over a day: speed + every cause + unexplained = truth."""

STAGES = ("speed", "counted", *(cause.value for cause in STEPS), "truth")


def side_by_side(view: View, stages: DataFrame, speed: DataFrame) -> DataFrame:
    """The view's key, and a struct of values per stage: those of `stages` (stages.after_each), and `speed` from its rows."""
    values = stages.schema["counted"].dataType.fieldNames()  # type: ignore[attr-defined]
    said = speed.select(*view.key, F.struct(*values).alias("speed"))
    return stages.join(said, list(view.key), "full_outer")


def compared(view: View, joined: DataFrame, horizon: datetime | None = None) -> DataFrame:
    """All rows of `side_by_side`, with the `causes` between their stages, and whether the row is `unexplained`.

    Rows that close at `horizon` or later are open; None: none is. An open row for which one layer has just read more than the
    other is as in truth: tomorrow both will have read it.
    """
    present = [stage for stage in STAGES if stage in joined.columns]
    joined = marked(view, joined, horizon)
    causes = F.array_distinct(
        F.array_compact(F.array(*[F.when(is_so, F.lit(cause.value)) for cause, is_so, _ in _moves(present)]))
    )
    more = F.array_except(causes, F.array(F.lit(Cause.NOT_READ.value)))
    is_ahead = F.coalesce(F.col(IS_OPEN), F.lit(False)) & (F.size(more) == 0)
    stages = [F.when(is_ahead, F.col("truth")).otherwise(F.col(stage)).alias(stage) for stage in present]
    causes = F.when(is_ahead, more).otherwise(causes)
    with_causes = joined.select(*view.key, *stages, IS_OPEN, CLOSES, causes.alias("causes"))
    return with_causes.withColumn("unexplained", F.array_contains("causes", Cause.UNEXPLAINED.value))


def differing(view: View, rows: DataFrame) -> DataFrame:
    """The rows of `compared` in which two stages differ, with the columns of DIFFERENCES except day and run."""
    present = [stage for stage in STAGES if stage in rows.columns]
    steps = [F.when(is_so, _step(cause, stage)) for cause, is_so, stage in _moves(present)]
    waterfall = F.array_compact(F.array(_step("speed", "speed"), *steps, _step("truth", "truth")))
    return rows.where(F.size("causes") > 0).select(
        F.lit(view.name).alias("view"),
        F.to_json(F.struct(*view.key)).alias("key"),
        *[_json(stage).alias(stage) for stage in ("speed", "counted", "truth")],
        "causes",
        "unexplained",
        waterfall.alias("waterfall"),
    )


def _moves(present: Sequence[str]) -> list[tuple[Cause, Column, str]]:
    """Every step between two stages: its cause, whether a row changes in it, and the stage it leads to."""
    return [
        (Cause.UNEXPLAINED, ~_same("speed", "counted"), "counted"),
        *[(Cause(stage), ~_same(before, stage), stage) for before, stage in pairwise(present[1:-1])],
        (Cause.UNEXPLAINED, ~_same(present[-2], "truth"), "truth"),
    ]


def summary(view: View, rows: DataFrame) -> DataFrame:
    """One row per measure: the sums of speed and truth, and what each cause adds between them."""
    stages = [stage for stage in STAGES if stage in rows.columns]

    def total(stage: str, measure: str) -> Column:
        return F.coalesce(F.sum(F.col(stage)[measure]), F.lit(0)).cast("long")

    def of(measure: str) -> Column:
        sums = {stage: total(stage, measure) for stage in stages}
        steps = {stage: sums[stage] - sums[before] for before, stage in pairwise(stages[1:-1])}
        explained = sums["speed"]
        for step in steps.values():
            explained = explained + step
        return F.struct(
            F.lit(view.name).alias("view"),
            F.lit(measure).alias("measure"),
            sums["speed"].alias("speed"),
            *[steps.get(cause.value, F.lit(0).cast("long")).alias(cause.value) for cause in STEPS],
            sums["truth"].alias("truth"),
            (sums["truth"] - explained).alias("unexplained"),
            F.count_if(F.size("causes") > 0).alias("rows_differing"),
            F.count_if("unexplained").alias("rows_unexplained"),
            F.sum(F.col(IS_OPEN).cast("long")).alias("rows_open"),
            F.max(CLOSES).alias("open_until"),
        )

    # All measures in one aggregation: a plan, and a scan of all rows, for each would cost more than the rest of the comparison.
    return rows.agg(F.array(*map(of, view.measures)).alias("_measures")).selectExpr("inline(_measures)")


def _same(one: str, other: str) -> Column:
    return F.col(one).eqNullSafe(F.col(other))


def _json(stage: str) -> Column:
    return F.to_json(stage, {"ignoreNullFields": "false"})


def _step(name: str, stage: str) -> Column:
    return F.struct(F.lit(str(name)).alias("cause"), _json(stage).alias("value"))
