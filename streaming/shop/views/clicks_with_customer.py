"""Each click with its customer's name and region as they were at the click, and not as they are today.

Data flow: clicks left join customers on customer_id, as of the click -> clicks_with_customer -> per region and day in gold
Run: daybreak query "SELECT region, count(*) FROM truth.clicks_with_customer GROUP BY region"
Source: stream-table join, Kleppmann, Designing Data-Intensive Applications, chapter 11.
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.as_of import VALID_FROM, versions
from streaming.views.as_of_join import TIME, last_up_to
from streaming.views.law import ByPart
from streaming.views.view import Events, View


def define(events: Events) -> DataFrame:
    """One row per click. Without an account at that time, name, region and since when they hold are null."""
    clicks = (
        events["clicks"]
        .where(F.col("event_type") == "product_clicked")
        .select(
            *("event_id", "session_id", "customer_id", "product_id", F.col("event_time").alias("clicked_at")),
            F.lit(1).cast("long").alias("clicks"),
        )
    )
    left = F.col("event_type") == "customer_left"
    known = F.struct(
        F.col(VALID_FROM).alias(TIME),
        *("name", "region", F.col("event_time").alias("known_since"), left.alias("left")),
    )
    customers = versions(events["customers"], "customer_id").select("customer_id", known.alias("_customer"))
    found = last_up_to(clicks, "clicked_at", customers, "_customer", "customer_id")
    customer = F.when(~F.col("_customer")["left"], F.col("_customer"))
    return found.withColumn("_customer", customer).select(
        *("event_id", "session_id", "customer_id", "product_id", "clicked_at"),
        *("_customer.name", "_customer.region", "_customer.known_since"),
        F.when(F.col("_customer").isNull(), F.lit(0)).otherwise(F.lit(1)).cast("long").alias("known"),
        "clicks",
    )


CLICKS_WITH_CUSTOMER = View(
    name="clicks_with_customer",
    description="Each click with its customer's name and region as of the click.",
    inputs=("clicks", "customers"),
    define=define,
    columns=(
        column("event_id", "string", "The click"),
        column("session_id", "string", "The visit"),
        column("customer_id", "string", "Who clicked"),
        column("product_id", "string", "The product clicked"),
        column("clicked_at", "timestamp", "When (UTC)"),
        column("name", "string", "The customer's name at that time; null without an account"),
        column("region", "string", "Where they lived at that time; null without an account"),
        column("known_since", "timestamp", "When they had registered or moved there (UTC); null without an account"),
        column("known", "bigint", "1 if they had an account, else 0, to be summed"),
        column("clicks", "bigint", "1, to be summed"),
    ),
    key=("event_id",),
    time="clicked_at",
    closes="clicked_at",
    reach=timedelta(0),
    measures=("clicks", "known"),
    law=ByPart("customer_id"),
    changelogs={"customers": "customer_id"},
)
