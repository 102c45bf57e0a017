"""How many payments fail, per 5 minutes.

Data flow: payments -> payment_failures (tumbling window, 5 minutes)
Run: daybreak query "SELECT * FROM gold.fct_payment_failures ORDER BY failure_rate DESC LIMIT 5"
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import APART, Additive
from streaming.views.view import Events, View
from streaming.windows import tumbling

SIZE = timedelta(minutes=5)
LAW = Additive(sums=("attempts", "failed"), shares={"failure_rate": ("failed", "attempts")})


def define(events: Events) -> DataFrame:
    """One row per 5 minutes with an attempt to pay: `failed / attempts`. Refunds are no attempts."""
    attempts = events["payments"].where(F.col("event_type").isin("payment_captured", "payment_failed"))
    return (
        attempts.select(tumbling(F.col("event_time"), SIZE).alias("window"), "event_type", APART)
        .groupBy(APART, "window")
        .agg(F.count("*").alias("attempts"), F.count_if(F.col("event_type") == "payment_failed").alias("failed"))
        .select(
            F.col("window.start").alias("window_start"),
            F.col("window.end").alias("window_end"),
            "attempts",
            "failed",
            LAW.share("failure_rate").alias("failure_rate"),
            APART,
        )
    )


PAYMENT_FAILURES = View(
    name="payment_failures",
    description="Attempts to pay, how many failed, and their share, per 5 minutes of event time.",
    inputs=("payments",),
    define=define,
    columns=(
        column("window_start", "timestamp", "First instant of the 5 minutes (UTC)"),
        column("window_end", "timestamp", "First instant after the 5 minutes (UTC)"),
        column("attempts", "bigint", "Payments captured or failed"),
        column("failed", "bigint", "Payments failed"),
        column("failure_rate", "double", "failed / attempts, between 0 and 1"),
    ),
    key=("window_start",),
    time="window_start",
    closes="window_end",
    reach=SIZE,
    measures=("attempts", "failed"),
    law=LAW,
)
