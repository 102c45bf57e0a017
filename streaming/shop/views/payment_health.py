"""A sample of the payments: 6 minutes out of every 10.

Data flow: payments -> payment_health (hopping window of 6 minutes, every 10 minutes)
Run: daybreak query "SELECT * FROM gold.fct_payment_health ORDER BY window_start DESC LIMIT 5"
Source: sampling windows of Akidau, Chernyak and Lax, Streaming Systems, chapter 4.
"""

from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import APART, Additive
from streaming.views.view import Events, View
from streaming.windows import hopping

SIZE, EVERY = timedelta(minutes=6), timedelta(minutes=10)


def define(events: Events) -> DataFrame:
    """One row per window with a payment. Payments of the 4 minutes between two windows count nowhere."""
    window = F.explode(hopping(F.col("event_time"), SIZE, EVERY)).alias("window")
    return (
        events["payments"]
        .select(window, "event_type", APART)
        .groupBy(APART, "window")
        .agg(
            _number_of("payment_captured").alias("captured"),
            _number_of("payment_failed").alias("failed"),
            _number_of("payment_refunded").alias("refunded"),
        )
        .select(
            F.col("window.start").alias("window_start"),
            F.col("window.end").alias("window_end"),
            "captured",
            "failed",
            "refunded",
            APART,
        )
    )


def _number_of(event_type: str) -> Column:
    return F.count_if(F.col("event_type") == event_type)


PAYMENT_HEALTH = View(
    name="payment_health",
    description="Payments captured, failed and refunded in a sample: the first 6 of every 10 minutes. The others count nowhere.",
    inputs=("payments",),
    define=define,
    columns=(
        column("window_start", "timestamp", "First instant of the 6 minutes (UTC)"),
        column("window_end", "timestamp", "First instant after the 6 minutes (UTC)"),
        column("captured", "bigint", "Payments captured"),
        column("failed", "bigint", "Payments failed"),
        column("refunded", "bigint", "Payments refunded"),
    ),
    key=("window_start",),
    time="window_start",
    closes="window_end",
    reach=SIZE,
    measures=("captured", "failed", "refunded"),
    law=Additive(sums=("captured", "failed", "refunded")),
)
