"""At every order: the orders and revenue of the 5 minutes up to it.

Data flow: orders -> rolling_order_rate (sliding window, 5 minutes)
Run: daybreak query "SELECT * FROM gold.fct_rolling_order_rate ORDER BY orders DESC LIMIT 5"
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import APART, ByWindow
from streaming.views.view import Events, View
from streaming.windows import sliding_sums

SIZE = timedelta(minutes=5)


def define(events: Events) -> DataFrame:
    """One row per order placed at t, with the orders placed in (t - 5 minutes, t], itself included."""
    placed = (
        events["orders"]
        .where(F.col("event_type") == "order_placed")
        .select(
            *("event_id", "order_id", F.col("event_time").alias("ordered_at")),
            *(F.lit(1).cast("long").alias("one"), "total_cents", APART),
        )
    )
    sums = {"orders": "one", "revenue_cents": "total_cents"}
    rows = sliding_sums(placed, "ordered_at", SIZE, sums, APART)
    return rows.select("event_id", "order_id", "ordered_at", *sums, APART)


ROLLING_ORDER_RATE = View(
    name="rolling_order_rate",
    description="At every order placed, the orders and revenue in cents of the 5 minutes up to it.",
    inputs=("orders",),
    define=define,
    columns=(
        column("event_id", "string", "The event that placed the order"),
        column("order_id", "string", "The order"),
        column("ordered_at", "timestamp", "When it was placed (UTC)"),
        column("orders", "bigint", "Orders placed in the 5 minutes up to it, itself included"),
        column("revenue_cents", "bigint", "Sum of their totals, in cents"),
    ),
    key=("event_id",),
    time="ordered_at",
    closes="ordered_at",
    reach=timedelta(0),
    measures=("orders", "revenue_cents"),
    law=ByWindow(timedelta(minutes=1), lookback=SIZE),
    lookback=SIZE,
)
