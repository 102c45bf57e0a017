"""Each order with its first captured payment, or unpaid once three days have passed.

Data flow: orders left join payments on order_id within three days -> order_payments
Run: daybreak query "SELECT payment_status, count(*) FROM truth.order_payments GROUP BY ALL"
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.as_of_join import TIME, first_from
from streaming.views.law import ByPart
from streaming.views.view import Events, View

WITHIN = timedelta(days=3)


def define(events: Events) -> DataFrame:
    """One row per order placed, with its first captured payment, if that is within three days; else with nulls.

    Of payments at once the first is the one with the smallest payment_id, then the smallest amount.
    """
    orders = (
        events["orders"]
        .where(F.col("event_type") == "order_placed")
        .select("order_id", "customer_id", F.col("event_time").alias("ordered_at"), "total_cents")
    )
    captured = (
        events["payments"]
        .where(F.col("event_type") == "payment_captured")
        .select("order_id", F.struct(F.col("event_time").alias(TIME), "payment_id", "amount_cents").alias("_payment"))
    )
    found, first = first_from(orders, "ordered_at", captured, "_payment", "order_id"), F.col("_payment")
    in_time = first[TIME] <= F.col("ordered_at") + F.lit(WITHIN)
    paid = found.withColumn("_payment", F.when(in_time, first))
    is_paid = first.isNotNull()
    return paid.select(
        "order_id",
        "customer_id",
        "ordered_at",
        "total_cents",
        F.when(is_paid, F.lit("paid")).otherwise(F.lit("unpaid")).alias("payment_status"),
        first["payment_id"].alias("payment_id"),
        first[TIME].alias("captured_at"),
        first["amount_cents"].alias("amount_cents"),
        F.lit(1).cast("long").alias("orders"),
        F.when(is_paid, F.lit(1)).otherwise(F.lit(0)).cast("long").alias("paid_orders"),
    )


ORDER_PAYMENTS = View(
    name="order_payments",
    description="Each order with its first captured payment within three days, or unpaid.",
    inputs=("orders", "payments"),
    define=define,
    columns=(
        column("order_id", "string", "The order"),
        column("customer_id", "string", "Who ordered"),
        column("ordered_at", "timestamp", "When it was placed (UTC)"),
        column("total_cents", "bigint", "The order's total, in cents"),
        column("payment_status", "string", "paid, or unpaid"),
        column("payment_id", "string", "The first captured payment within three days; null if unpaid"),
        column("captured_at", "timestamp", "When it was captured (UTC); null if unpaid"),
        column("amount_cents", "bigint", "What was captured, in cents; null if unpaid"),
        column("orders", "bigint", "1, to be summed"),
        column("paid_orders", "bigint", "1 if paid, else 0, to be summed"),
    ),
    key=("order_id",),
    time="ordered_at",
    # No later payment is the first one.
    closes="coalesce(captured_at, ordered_at + INTERVAL 3 DAYS)",
    reach=WITHIN,
    measures=("orders", "paid_orders", "amount_cents"),
    law=ByPart("order_id"),
    # The first capture. The other columns break ties alike in both layers, if one order_id was placed twice.
    prefer=("captured_at", "payment_id", "amount_cents", "ordered_at", "total_cents", "customer_id"),
    # In its three days a payment may still come.
    while_open={"payment_status": ("unpaid", "open")},
)
