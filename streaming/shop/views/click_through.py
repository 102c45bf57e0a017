"""Each search with the clicks that followed from it, within one hour.

Data flow: searches left join clicks on session_id and the product shown -> click_through -> per term and hour in gold
Run: daybreak query "SELECT * FROM gold.rpt_click_through ORDER BY searches DESC LIMIT 5"
Source: stream-stream join within a time, Kleppmann, Designing Data-Intensive Applications, chapter 11.
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.as_of_join import TIME, first_from, next_ones
from streaming.views.law import ByPart
from streaming.views.view import Events, View

WITHIN = timedelta(hours=1)
MOST_CLICKS = 100
"""Clicks of its session that a search looks at, on whatever product: 4,000 searches and 4,000 clicks of a robot's session would
be 16 million pairs."""


def define(events: Events) -> DataFrame:
    """One row per search: how many clicks its session made, up to an hour after it, on products that it had shown.

    A search without a click counts, with 0. A click counts for every search of its session that had shown the product, if it is
    among the first 100 clicks of the session after the search.
    """
    searches = (
        events["searches"]
        .where(F.col("event_type") == "search_made")
        .select(
            *("event_id", "session_id", "customer_id", "product_ids", F.col("event_time").alias("searched_at")),
            F.lower(F.trim("query")).alias("term"),
        )
    )
    clicks = events["clicks"].where(F.col("event_type") == "product_clicked")
    one, order = F.struct(F.col("event_time").alias(TIME), "product_id"), ("event_time", "event_id")
    behind = clicks.select(
        "session_id",
        F.struct(
            F.col("event_time").alias(TIME),
            "event_id",
            next_ones(one, MOST_CLICKS, order, "session_id").alias("clicks"),
        ).alias("_next"),
    )
    found = first_from(searches, "searched_at", behind, "_next", "session_id")
    end = F.col("searched_at") + F.lit(WITHIN)
    follows = F.filter(
        F.col("_next")["clicks"],
        lambda click: (click[TIME] <= end) & F.array_contains("product_ids", click["product_id"]),
    )
    counted = found.withColumn("_clicks", F.coalesce(follows, F.array())).withColumns(
        {"clicks": F.size("_clicks").cast("long"), "clicked_at": F.get("_clicks", F.lit(0))[TIME]}
    )
    return counted.select(
        *("event_id", "session_id", "customer_id", "term", "searched_at", "clicked_at", "clicks"),
        F.when(F.col("clicks") > 0, F.lit(1)).otherwise(F.lit(0)).cast("long").alias("clicked"),
        F.lit(1).cast("long").alias("searches"),
    )


CLICK_THROUGH = View(
    name="click_through",
    description="Each search, with the clicks of its session on what it had shown, within one hour, and among the first 100 "
    "clicks of the session after it.",
    inputs=("searches", "clicks"),
    define=define,
    columns=(
        column("event_id", "string", "The search"),
        column("session_id", "string", "The visit"),
        column("customer_id", "string", "Who searched"),
        column("term", "string", "The words looked for, in lower case and without space around them"),
        column("searched_at", "timestamp", "When (UTC)"),
        column("clicked_at", "timestamp", "First click that followed (UTC); null without one"),
        column("clicks", "bigint", "Clicks that followed, at most 100"),
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
