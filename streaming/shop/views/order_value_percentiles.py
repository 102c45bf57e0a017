"""Percentiles of the orders' totals, per 5 minutes.

Data flow: orders -> order_value_percentiles (tumbling window, 5 minutes)
Run: daybreak query "SELECT * FROM gold.fct_order_value_percentiles ORDER BY window_start DESC LIMIT 5"
Source: the nearest rank, type 1 of Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996.
"""

from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import APART, ByWindow
from streaming.views.view import Events, View
from streaming.windows import tumbling

SIZE = timedelta(minutes=5)


def define(events: Events) -> DataFrame:
    """One row per 5 minutes with an order. Percentile p is the smallest total that p of the orders do not exceed."""
    placed = events["orders"].where(F.col("event_type") == "order_placed")
    return (
        placed.groupBy(APART, tumbling(F.col("event_time"), SIZE).alias("window"))
        .agg(
            F.count("*").alias("orders"),
            _percentile("0.5").alias("p50_cents"),
            _percentile("0.95").alias("p95_cents"),
            _percentile("0.99").alias("p99_cents"),
            F.max("total_cents").alias("largest_cents"),
        )
        .select(
            F.col("window.start").alias("window_start"),
            F.col("window.end").alias("window_end"),
            *("orders", "p50_cents", "p95_cents", "p99_cents", "largest_cents"),
            APART,
        )
    )


def _percentile(share: str) -> Column:
    return F.expr(f"CAST(percentile_disc({share}) WITHIN GROUP (ORDER BY total_cents) AS BIGINT)")


ORDER_VALUE_PERCENTILES = View(
    name="order_value_percentiles",
    description="The median, 95th and 99th percentile and the largest of the orders' totals per 5 minutes, exact to the cent.",
    inputs=("orders",),
    define=define,
    columns=(
        column("window_start", "timestamp", "First instant of the 5 minutes (UTC)"),
        column("window_end", "timestamp", "First instant after the 5 minutes (UTC)"),
        column("orders", "bigint", "Orders placed"),
        column("p50_cents", "bigint", "Half of the orders' totals are not above it, in cents"),
        column("p95_cents", "bigint", "95 % of the orders' totals are not above it, in cents"),
        column("p99_cents", "bigint", "99 % of the orders' totals are not above it, in cents"),
        column("largest_cents", "bigint", "The largest total, in cents"),
    ),
    key=("window_start",),
    time="window_start",
    closes="window_end",
    reach=SIZE,
    measures=("orders",),
    law=ByWindow(SIZE),
)
