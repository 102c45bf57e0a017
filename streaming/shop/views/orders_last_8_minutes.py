"""Orders and revenue of the last 8 minutes, every minute.

Data flow: orders -> orders_last_8_minutes (hopping window of 8 minutes, every minute)
Run: daybreak query "SELECT * FROM gold.fct_orders_last_8_minutes ORDER BY window_end DESC LIMIT 5"
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import APART, Additive
from streaming.views.view import Events, View
from streaming.windows import hopping

SIZE, EVERY = timedelta(minutes=8), timedelta(minutes=1)


def define(events: Events) -> DataFrame:
    """One row per window in which an order was placed; each order is in eight windows."""
    placed = events["orders"].where(F.col("event_type") == "order_placed")
    return (
        placed.select(F.explode(hopping(F.col("event_time"), SIZE, EVERY)).alias("window"), "total_cents", APART)
        .groupBy(APART, "window")
        .agg(F.count("*").alias("orders"), F.sum("total_cents").alias("revenue_cents"))
        .select(
            F.col("window.start").alias("window_start"),
            F.col("window.end").alias("window_end"),
            "orders",
            "revenue_cents",
            APART,
        )
    )


ORDERS_LAST_8_MINUTES = View(
    name="orders_last_8_minutes",
    description="Orders and revenue in cents of the 8 minutes up to each full minute.",
    inputs=("orders",),
    define=define,
    columns=(
        column("window_start", "timestamp", "First instant of the 8 minutes (UTC)"),
        column("window_end", "timestamp", "First instant after the 8 minutes (UTC)"),
        column("orders", "bigint", "Orders placed"),
        column("revenue_cents", "bigint", "Sum of the orders' totals, in cents"),
    ),
    key=("window_start",),
    time="window_start",
    closes="window_end",
    reach=SIZE,
    measures=("orders", "revenue_cents"),
    law=Additive(sums=("orders", "revenue_cents")),
    overlap=SIZE - EVERY,
)
