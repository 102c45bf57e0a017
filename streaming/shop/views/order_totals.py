"""Orders, items and revenue per minute of event time.

Data flow: orders -> order_totals (tumbling window, one minute)
Run: daybreak query "SELECT * FROM speed.order_totals ORDER BY as_of DESC LIMIT 5"
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import APART, Additive
from streaming.views.view import Events, View


def define(events: Events) -> DataFrame:
    """One row per minute in which something was ordered: an order was placed, or items were added to one."""
    bought = events["orders"].where(F.col("event_type").isin("order_placed", "items_added"))
    is_order = F.when(F.col("event_type") == "order_placed", 1).otherwise(0).cast("long")
    quantity = F.aggregate("items", F.lit(0).cast("long"), lambda total, item: total + item["quantity"])
    return (
        bought.select("event_time", "total_cents", quantity.alias("quantity"), is_order.alias("order"), APART)
        .groupBy(APART, F.window("event_time", "1 minute").alias("minute"))
        .agg(
            F.sum("order").alias("orders"),
            F.sum("quantity").alias("items"),
            F.sum("total_cents").alias("revenue_cents"),
        )
        .select(
            F.col("minute.start").alias("window_start"),
            F.col("minute.end").alias("window_end"),
            "orders",
            "items",
            "revenue_cents",
            APART,
        )
    )


ORDER_TOTALS = View(
    name="order_totals",
    description="Orders, items and revenue in cents per minute of event time.",
    inputs=("orders",),
    define=define,
    columns=(
        column("window_start", "timestamp", "First instant of the minute (UTC)"),
        column("window_end", "timestamp", "First instant after the minute (UTC)"),
        column("orders", "bigint", "Orders placed"),
        column("items", "bigint", "Items ordered or added, the sum of quantities"),
        column("revenue_cents", "bigint", "What these items cost, in cents"),
    ),
    key=("window_start",),
    time="window_start",
    closes="window_end",
    reach=timedelta(minutes=1),
    measures=("orders", "items", "revenue_cents"),
    law=Additive(sums=("orders", "items", "revenue_cents")),
)
