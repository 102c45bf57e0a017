"""Open orders and their value per region: a row for each time that an order is open in one region.

Data flow: orders, payments, customers as of each change -> open_orders_by_region -> per region and 5 minutes in gold
Run: daybreak query "SELECT * FROM gold.rpt_open_orders_by_region ORDER BY moment DESC LIMIT 5"
Source: table-table join, Kleppmann, Designing Data-Intensive Applications, chapter 11.

It changes when either side does: an order is placed, paid or cancelled, or its customer moves while it is open.
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.as_of import VALID_FROM, versions
from streaming.views.as_of_join import TIME, first_from, last_up_to, next_ones
from streaming.views.law import ByPart
from streaming.views.view import Events, View

LONGEST = timedelta(days=30)
MOST_MOVES = 20
"""Changes of its customer that make rows of an order: 4,000 orders of a customer with 4,000 changes would be 16 million rows."""


def define(events: Events) -> DataFrame:
    """One row per order and region in which it was open, from `open_from` until `open_to`.

    An order is open from when it is placed until it is paid or cancelled, for 30 days at most. A guest has no region.
    After the first 20 changes of its customer it stays where it is.
    """
    orders = (
        events["orders"]
        .where(F.col("event_type") == "order_placed")
        .select("event_id", "order_id", "customer_id", "total_cents", F.col("event_time").alias("ordered_at"))
    )
    cancelled = events["orders"].where(F.col("event_type") == "order_cancelled")
    captured = events["payments"].where(F.col("event_type") == "payment_captured")
    end = F.struct(F.col("event_time").alias(TIME)).alias("_end")
    ends = cancelled.select("order_id", end).unionByName(captured.select("order_id", end))
    longest = F.col("ordered_at") + F.lit(LONGEST)
    ended = first_from(orders, "ordered_at", ends, "_end", "order_id")
    opened = ended.withColumn("ended_at", F.least(F.col("_end")[TIME], longest)).drop("_end")
    has_region = F.when(F.col("event_type") != "customer_left", F.col("region"))
    known = versions(events["customers"], "customer_id").select(
        "customer_id", F.struct(F.col(VALID_FROM).alias(TIME), has_region.alias("region")).alias("_stay")
    )
    moves = next_ones(F.col("_stay"), MOST_MOVES, (f"_stay.{TIME}",), "customer_id")
    following = known.select(
        "customer_id", F.struct(F.col("_stay")[TIME].alias(TIME), moves.alias("moves")).alias("_next")
    )
    found = last_up_to(opened, "ordered_at", known, "_stay", "customer_id")
    found = found.withColumn("_behind", F.col("ordered_at") + F.lit(timedelta(microseconds=1)))
    found = first_from(found, "_behind", following, "_next", "customer_id")
    first = F.struct(F.col("ordered_at").alias(TIME), F.col("_stay")["region"].alias("region"))
    while_open = F.filter(F.col("_next")["moves"], lambda move: move[TIME] < F.col("ended_at"))
    stays = F.concat(F.array(first), F.coalesce(while_open, F.array()))
    each = found.withColumn("_stays", stays)
    each = each.select(*opened.columns, "_stays", F.posexplode("_stays").alias("_place", "_stay"))
    rows = each.select(
        *opened.columns,
        F.col("_stay")[TIME].alias("open_from"),
        F.coalesce(F.get("_stays", F.col("_place") + 1)[TIME], "ended_at").alias("open_to"),
        F.col("_stay")["region"].alias("region"),
    )
    is_closed = (F.col("open_to") == F.col("ended_at")) & (F.col("ended_at") < longest)
    return rows.select(
        *("event_id", "order_id", "open_from", "open_to", "ordered_at", "customer_id", "region", "total_cents"),
        (F.unix_millis("open_to") - F.unix_millis("open_from")).alias("open_ms"),
        F.when(F.col("open_from") == F.col("ordered_at"), F.lit(1)).otherwise(F.lit(0)).cast("long").alias("orders"),
        F.when(is_closed, F.lit(1)).otherwise(F.lit(0)).cast("long").alias("closed"),
    )


OPEN_ORDERS_BY_REGION = View(
    name="open_orders_by_region",
    description="Each time that an order is open in one region: until it is paid or cancelled, 30 days have passed, or it moves "
    "(at most 20 times).",
    inputs=("orders", "payments", "customers"),
    define=define,
    columns=(
        column("event_id", "string", "The event that placed the order"),
        column("order_id", "string", "The order"),
        column("open_from", "timestamp", "From when it was open in this region (UTC)"),
        column(
            "open_to",
            "timestamp",
            "Until when: it was paid or cancelled, 30 days were over, or its customer changed (UTC)",
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
    # What comes later than the end of a stay does not change it.
    closes="open_to",
    reach=LONGEST,
    measures=("orders", "closed"),
    law=ByPart("order_id"),
    changelogs={"customers": "customer_id"},
)
