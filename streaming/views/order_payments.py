"""Each order with its first captured payment, or unpaid once an hour has passed.

Data flow: orders left join payments on order_id within one hour -> order_payments
Run: daybreak query "SELECT payment_status, count(*) FROM truth.order_payments GROUP BY ALL"
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import ByPart
from streaming.views.view import Events, View


def define(events: Events) -> DataFrame:
    """One row per order and captured payment within its hour; an order without one gets a row with nulls."""
    orders = (
        events["orders"]
        .where(F.col("event_type") == "order_placed")
        .select("order_id", "customer_id", F.col("event_time").alias("ordered_at"), "total_cents")
    )
    captured = (
        events["payments"]
        .where(F.col("event_type") == "payment_captured")
        .select(
            F.col("order_id").alias("paid_order_id"),
            "payment_id",
            F.col("event_time").alias("captured_at"),
            "amount_cents",
        )
    )
    in_its_hour = (
        (F.col("order_id") == F.col("paid_order_id"))
        & (F.col("captured_at") >= F.col("ordered_at"))
        & (F.col("captured_at") <= F.col("ordered_at") + F.expr("INTERVAL 1 HOUR"))
    )
    is_paid = F.col("payment_id").isNotNull()
    return orders.join(captured, in_its_hour, "left_outer").select(
        "order_id",
        "customer_id",
        "ordered_at",
        "total_cents",
        F.when(is_paid, F.lit("paid")).otherwise(F.lit("unpaid")).alias("payment_status"),
        "payment_id",
        "captured_at",
        "amount_cents",
        F.lit(1).cast("long").alias("orders"),
        F.when(is_paid, F.lit(1)).otherwise(F.lit(0)).cast("long").alias("paid_orders"),
    )


ORDER_PAYMENTS = View(
    name="order_payments",
    description="Each order with its first captured payment within one hour, or unpaid.",
    inputs=("orders", "payments"),
    define=define,
    columns=(
        column("order_id", "string", "The order"),
        column("customer_id", "string", "Who ordered"),
        column("ordered_at", "timestamp", "When it was placed (UTC)"),
        column("total_cents", "bigint", "The order's total, in cents"),
        column("payment_status", "string", "paid, or unpaid"),
        column("payment_id", "string", "The first captured payment within the hour; null if unpaid"),
        column("captured_at", "timestamp", "When it was captured (UTC); null if unpaid"),
        column("amount_cents", "bigint", "What was captured, in cents; null if unpaid"),
        column("orders", "bigint", "1, to be summed"),
        column("paid_orders", "bigint", "1 if paid, else 0, to be summed"),
    ),
    key=("order_id",),
    time="ordered_at",
    closes="ordered_at + INTERVAL 1 HOUR",
    reach=timedelta(hours=1),
    measures=("orders", "paid_orders", "amount_cents"),
    law=ByPart("order_id"),
    # The first capture. The other columns break ties alike in both layers, if one order_id was placed twice.
    prefer=("captured_at", "payment_id", "amount_cents", "ordered_at", "total_cents", "customer_id"),
    # Inside its hour a payment may still come.
    while_open={"payment_status": ("unpaid", "open")},
)
