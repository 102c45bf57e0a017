"""Open orders and their value per region: a row for each time that an order is open in one region.

Data flow: orders, payments, customers as of each change -> open_orders_by_region -> per region and 5 minutes in gold
Run: daybreak query "SELECT * FROM gold.rpt_open_orders_by_region ORDER BY moment DESC LIMIT 5"
Source: table-table join, Kleppmann, Designing Data-Intensive Applications, chapter 11.

It changes when either side does: an order is placed, paid or cancelled, or its customer moves while it is open.
"""

from datetime import timedelta

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.as_of import VALID_FROM, VALID_TO, versions, was_valid
from streaming.views.law import ByPart
from streaming.views.view import Events, View

LONGEST = timedelta(hours=1)


def define(events: Events) -> DataFrame:
    """One row per order and region in which it was open, from `open_from` until `open_to`.

    An order is open from when it is placed until it is paid or cancelled, for an hour at most. A guest has no region.
    """
    placed = events["orders"].where(F.col("event_type") == "order_placed")
    orders = placed.select(
        *("event_id", "order_id", "customer_id", "total_cents", F.col("event_time").alias("ordered_at"))
    )
    ends = (
        events["orders"]
        .where(F.col("event_type") == "order_cancelled")
        .select(F.col("order_id").alias("of_order"), F.col("event_time").alias("ended_at"))
        .unionByName(
            events["payments"]
            .where(F.col("event_type") == "payment_captured")
            .select(F.col("order_id").alias("of_order"), F.col("event_time").alias("ended_at"))
        )
    )
    longest = F.col("ordered_at") + F.lit(LONGEST)
    in_its_hour = (F.col("ended_at") >= F.col("ordered_at")) & (F.col("ended_at") < longest)
    ended = orders.join(ends, (F.col("order_id") == F.col("of_order")) & in_its_hour, "left_outer")
    opened = ended.groupBy(*orders.columns).agg(F.coalesce(F.min("ended_at"), longest).alias("ended_at"))
    known = versions(events["customers"], "customer_id").withColumnRenamed("customer_id", "of_customer")
    changes = known.select("of_customer", F.col(VALID_FROM).alias("at"))
    while_open = (F.col("at") > F.col("ordered_at")) & (F.col("at") < F.col("ended_at"))
    # The moments in an array, since a union of frames would be two partitions, and the window an exchange.
    moved = opened.join(changes, (F.col("customer_id") == F.col("of_customer")) & while_open, "left_outer")
    found = moved.groupBy(*opened.columns).agg(F.collect_set("at").alias("moments"))
    stays = found.select(*opened.columns, F.explode(F.concat(F.array("ordered_at"), "moments")).alias("open_from"))
    following = Window.partitionBy("order_id", "event_id").orderBy("open_from")
    stays = stays.withColumn("open_to", F.coalesce(F.lead("open_from").over(following), "ended_at"))
    regions = known.where(F.col("event_type") != "customer_left").select("of_customer", "region", VALID_FROM, VALID_TO)
    rows = stays.join(regions, (F.col("customer_id") == F.col("of_customer")) & was_valid("open_from"), "left_outer")
    is_closed = (F.col("open_to") == F.col("ended_at")) & (F.col("ended_at") < longest)
    return rows.select(
        *("event_id", "order_id", "open_from", "open_to", "ordered_at", "customer_id", "region", "total_cents"),
        (F.unix_millis("open_to") - F.unix_millis("open_from")).alias("open_ms"),
        F.when(F.col("open_from") == F.col("ordered_at"), F.lit(1)).otherwise(F.lit(0)).cast("long").alias("orders"),
        F.when(is_closed, F.lit(1)).otherwise(F.lit(0)).cast("long").alias("closed"),
    )


OPEN_ORDERS_BY_REGION = View(
    name="open_orders_by_region",
    description="Each time that an order is open in one region: until it is paid or cancelled, its hour ends, or it moves.",
    inputs=("orders", "payments", "customers"),
    define=define,
    columns=(
        column("event_id", "string", "The event that placed the order"),
        column("order_id", "string", "The order"),
        column("open_from", "timestamp", "From when it was open in this region (UTC)"),
        column(
            "open_to",
            "timestamp",
            "Until when: it was paid or cancelled, its hour was over, or its customer changed (UTC)",
        ),
        column("ordered_at", "timestamp", "When it was placed (UTC)"),
        column("customer_id", "string", "Who ordered"),
        column("region", "string", "Where they lived then; null for a guest"),
        column("total_cents", "bigint", "The order's total, in cents"),
        column("open_ms", "bigint", "How long it was open in this region, in milliseconds"),
        column("orders", "bigint", "1 in the row that the order began with, else 0, to be summed"),
        column("closed", "bigint", "1 in the row that ended because it was paid or cancelled, else 0, to be summed"),
    ),
    key=("event_id", "open_from"),
    time="ordered_at",
    closes="ordered_at + INTERVAL 1 HOUR",
    reach=LONGEST,
    measures=("orders", "closed"),
    law=ByPart("order_id"),
    changelogs={"customers": "customer_id"},
)
