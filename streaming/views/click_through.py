"""Each search with the clicks that followed from it, within one hour.

Data flow: searches left join clicks on session_id and the product shown -> click_through -> per term and hour in gold
Run: daybreak query "SELECT * FROM gold.rpt_click_through ORDER BY searches DESC LIMIT 5"
Source: stream-stream join within a time, Kleppmann, Designing Data-Intensive Applications, chapter 11.
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import ByPart
from streaming.views.view import Events, View

WITHIN = timedelta(hours=1)


def define(events: Events) -> DataFrame:
    """One row per search: how many clicks its session made, up to an hour after it, on products that it had shown.

    A search without a click counts, with 0. A click counts for every search of its session that had shown the product.
    """
    searches = (
        events["searches"]
        .where(F.col("event_type") == "search_made")
        .select(
            *("event_id", "session_id", "customer_id", "product_ids", F.col("event_time").alias("searched_at")),
            F.lower(F.trim("query")).alias("term"),
        )
    )
    clicks = (
        events["clicks"]
        .where(F.col("event_type") == "product_clicked")
        .select(F.col("session_id").alias("of_session"), "product_id", F.col("event_time").alias("clicked_at"))
    )
    follows = (
        (F.col("session_id") == F.col("of_session"))
        & (F.col("clicked_at") >= F.col("searched_at"))
        & (F.col("clicked_at") <= F.col("searched_at") + F.lit(WITHIN))
        & F.array_contains("product_ids", F.col("product_id"))
    )
    found = searches.join(clicks, follows, "left_outer")
    counted = found.groupBy("event_id", "session_id", "customer_id", "term", "searched_at").agg(
        F.count("clicked_at").alias("clicks"), F.min("clicked_at").alias("clicked_at")
    )
    return counted.select(
        *("event_id", "session_id", "customer_id", "term", "searched_at", "clicked_at", "clicks"),
        F.when(F.col("clicks") > 0, F.lit(1)).otherwise(F.lit(0)).cast("long").alias("clicked"),
        F.lit(1).cast("long").alias("searches"),
    )


CLICK_THROUGH = View(
    name="click_through",
    description="Each search, with the clicks of its session on what it had shown, within one hour.",
    inputs=("searches", "clicks"),
    define=define,
    columns=(
        column("event_id", "string", "The search"),
        column("session_id", "string", "The visit"),
        column("customer_id", "string", "Who searched"),
        column("term", "string", "The words looked for, in lower case and without space around them"),
        column("searched_at", "timestamp", "When (UTC)"),
        column("clicked_at", "timestamp", "First click that followed (UTC); null without one"),
        column("clicks", "bigint", "Clicks that followed"),
        column("clicked", "bigint", "1 if there was a click, else 0, to be summed"),
        column("searches", "bigint", "1, to be summed"),
    ),
    key=("event_id",),
    time="searched_at",
    closes="searched_at + INTERVAL 1 HOUR",
    reach=WITHIN,
    measures=("searches", "clicked", "clicks"),
    law=ByPart("session_id"),
)
