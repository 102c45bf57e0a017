"""What was served of rows that were open when their day was settled: a later night corrects those that have changed since.

Data flow: truth/<view> of a day that is settled now -> reconciliation/open_rows -> the ledger of the next night
Run: pytest tests/batch/test_reconcile.py

An order of yesterday is unpaid in the truth of last night, and paid in that of the next. Both are right, and gold has served the
first.
"""

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.days.day_plan import DayPlan
from batch.truth.recompute import truth_table
from infra.lake import spark_tables
from infra.lake.at_once import few_of
from infra.lake.columns import column, struct
from infra.lake.tables import Table
from infra.lake.writes import replace_days
from streaming.views.view import View

OPEN_ROWS = Table(
    "reconciliation",
    "open_rows",
    struct(
        column("day", "date", "The settled day"),
        column("view", "string", "The view"),
        column("key", "string", "The row's key, as JSON"),
        column("answer", "string", "What is served of it since the settlement, as JSON"),
        column("closes_at", "timestamp", "When it closes, as far as is known (UTC)"),
        column("run", "string", "The night that settled the day"),
    ),
    description="A row that was open when its day was settled. The night after it has changed writes a correction.",
)


def as_text(view: View) -> tuple[Column, Column]:
    """Key and values of a view's rows, both as JSON, with the columns that the view has now."""
    key, values = F.struct(*view.key), F.struct(*view.values)
    return F.to_json(key), F.to_json(values, {"ignoreNullFields": "false"})


def keep(session: SparkSession, plan: DayPlan, views: Iterable[View]) -> None:
    """Replace the plan's day, of some views, by the rows of its truth that are open now."""
    own = [view for view in views if view.stays_open]
    if not own or plan.horizon is None:
        return
    frames = [
        _open(session, view, plan).select(*OPEN_ROWS.schema.fieldNames()).withColumn("run", F.lit(plan.run))
        for view in own
    ]
    replace_days(few_of(session, frames), OPEN_ROWS, [plan.day.date], [view.name for view in own])


def served(session: SparkSession, view: View, plan: DayPlan) -> DataFrame:
    """Rows that were open at the day's last settlement: key, `was_open`, `served` (JSON). And rows of the truth that can only
    have come since, of which nothing was served."""
    kept = spark_tables.of_day(session, OPEN_ROWS, plan.day.date).where(F.col("view") == view.name)
    found = kept.select("key", F.col("answer").alias("served"), F.lit(True).alias("was_open"))
    before = plan.previous.horizon if plan.previous else None
    if before is None:
        return found
    own = spark_tables.of_day(session, truth_table(view), plan.day.date).where(view.closed_at() >= F.lit(before))
    since = own.select(as_text(view)[0].alias("key")).join(found, "key", "left_anti")
    return found.unionByName(since.withColumns({"served": F.lit(None).cast("string"), "was_open": F.lit(True)}))


def _open(session: SparkSession, view: View, plan: DayPlan) -> DataFrame:
    rows = spark_tables.of_day(session, truth_table(view), plan.day.date).withColumn("_closes", view.closed_at())
    key, values = as_text(view)
    return rows.where(F.col("_closes") >= F.lit(plan.horizon)).select(
        "day",
        F.lit(view.name).alias("view"),
        key.alias("key"),
        values.alias("answer"),
        F.col("_closes").alias("closes_at"),
        "run",
    )
