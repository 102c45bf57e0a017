"""Correct: write what changed to the ledger of corrections, then settle the days.

Data flow: differences, truth, the ledger so far -> reconciliation/corrections (append-only), then coverage
Run: python -m batch correct --date 2026-01-31
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, IntegerType, LongType, StringType, StructField, StructType, TimestampType

from batch.causes import Cause
from batch.coverage import Plan, settle
from batch.day import Day
from batch.differences import DIFFERENCES
from batch.truth import truth_table
from infra import lake
from infra.drills import point
from infra.tables import Table
from infra.writes import append_once
from streaming.views import VIEWS
from streaming.views.view import View

CORRECTIONS = Table(
    "reconciliation",
    "corrections",
    StructType(
        [StructField("day", DateType())]
        + [StructField(name, StringType()) for name in ("view", "key", "old", "new", "cause", "run", "definition")]
        + [StructField("revision", IntegerType()), StructField("corrected_at", TimestampType())]
        + [StructField("sequence", LongType())]
    ),
)
"""One correction: what was said before, what is true now (JSON; null = no such row), and why.

`sequence` is its place in the ledger: 1, 2, 3, without a gap. Rows of a lake older than the column have null; `numbered`
gives them theirs.
"""


def correct(session: SparkSession, plan: Plan, days: Sequence[Day]) -> None:
    """Append the corrections of the days, then settle all of them in one commit."""
    now = datetime.now(UTC)
    for day in days:
        for view in VIEWS.values():
            table = truth_table(session, view)
            rows = (
                changed(session, view, day)
                .withColumn("run", F.lit(plan.run))
                .withColumn("definition", F.lit(plan.definitions[view.name]))
                .withColumn("revision", F.lit(plan.revisions[day.date]))
                .withColumn("corrected_at", F.lit(now).cast("timestamp"))
            )
            # One writer, under the lease: what is there is what was written before. Asked anew, as each write adds to it.
            before = lake.read(session, CORRECTIONS).count()
            # Truth's version grows with every recomputation, so a new difference is never taken for a repeated one.
            version = lake.version(session, table)
            append_once(
                sequenced(rows, before).select(*CORRECTIONS.schema.fieldNames()),
                CORRECTIONS,
                f"{view.name}/{day}",
                version,
            )
    point("correct.before-coverage")
    settle(session, plan)
    point("correct.after-coverage")


def sequenced(rows: DataFrame, before: int) -> DataFrame:
    """Rows with the next places of a ledger that holds `before` rows, in the order of their keys; one partition."""
    # Within one partition Spark's ids are 0, 1, 2; a window without a partition would do the same with a warning.
    place = F.monotonically_increasing_id() + F.lit(before + 1)
    return rows.coalesce(1).sortWithinPartitions("key").withColumn("sequence", place)


def numbered(ledger: DataFrame) -> DataFrame:
    """The ledger with a place for every row: those written before there was one are the first, in order of writing."""
    missing = F.col("sequence").isNull()
    order = Window.partitionBy("sequence").orderBy("corrected_at", "day", "view", "key", "revision")
    old = ledger.where(missing).withColumn("sequence", F.row_number().over(order).cast("long"))
    return ledger.where(~missing).unionByName(old)


def changed(session: SparkSession, view: View, day: Day) -> DataFrame:
    """Rows of the day whose truth is not what was last said of them: by the ledger, or else by the stream."""
    own = (F.col("view") == view.name) & (F.col("day") == F.lit(day.date))
    ledger = lake.read(session, CORRECTIONS).where(own)
    newest = Window.partitionBy("key").orderBy(F.col("revision").desc(), F.col("corrected_at").desc())
    told = (
        ledger.withColumn("_place", F.row_number().over(newest))
        .where(F.col("_place") == 1)
        .select("key", F.col("new").alias("told"), F.lit(True).alias("was_told"))
    )
    only_pending = F.array(F.lit(Cause.PENDING.value))
    differing = (
        lake.read(session, DIFFERENCES)
        .where(own & (F.col("causes") != only_pending))
        .select("key", "speed", F.array_join("causes", "+").alias("cause"))
    )
    rows = lake.read(session, truth_table(session, view)).where(F.col("day") == F.lit(day.date))
    values = [c for c in view.columns(rows) if c not in ("run", "definition")]
    truth = rows.select(
        F.to_json(F.struct(*view.key)).alias("key"),
        F.to_json(F.struct(*values), {"ignoreNullFields": "false"}).alias("new"),
    )
    candidates = differing.join(told, "key", "full_outer").join(truth, "key", "left")
    before = F.when(F.col("was_told"), F.col("told")).otherwise(F.col("speed"))
    return candidates.where(~before.eqNullSafe(F.col("new"))).select(
        F.lit(day.date).alias("day"),
        F.lit(view.name).alias("view"),
        "key",
        before.alias("old"),
        "new",
        F.coalesce("cause", F.lit("revision")).alias("cause"),
    )
