"""A customer's visit: searches, clicks and orders without a pause of more than 30 minutes.

Data flow: searches, clicks, orders -> shop_visits (session window per customer)
Run: daybreak query "SELECT * FROM gold.fct_shop_visits ORDER BY seconds DESC LIMIT 5"
Source: streaming/windows.py, session.
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import ByPart
from streaming.views.view import Events, View
from streaming.windows import SESSION_START, session

GAP = timedelta(minutes=30)
LONGEST = timedelta(days=1)
STEPS = {"searches": "search_made", "clicks": "product_clicked", "orders": "order_placed"}


def define(events: Events) -> DataFrame:
    """One row per visit. A visit counts its first day only: what follows without a pause is no visit of its own.

    So a robot that never rests is one visit, and neither layer has to keep its events. A late event may join two visits:
    then the row of the second is removed.
    """
    steps = [
        events[topic].where(F.col("event_type") == kind).select("customer_id", "event_time", F.lit(topic).alias("step"))
        for topic, kind in STEPS.items()
    ]
    found = steps[0].unionByName(steps[1]).unionByName(steps[2])
    of_visit = session(found, F.col("event_time"), GAP, "customer_id")
    counted = of_visit.where(F.col("event_time") <= F.col(SESSION_START) + F.lit(LONGEST))
    by_step = [F.count_if(F.col("step") == topic).alias(topic) for topic in STEPS]
    ended = F.max("event_time").alias("ended_at")
    visits = counted.groupBy("customer_id", F.col(SESSION_START).alias("started_at")).agg(ended, *by_step)
    seconds = F.unix_seconds("ended_at") - F.unix_seconds("started_at")
    return visits.select(
        "customer_id",
        "started_at",
        "ended_at",
        seconds.alias("seconds"),
        *STEPS,
        F.when(F.col("orders") > 0, F.lit(1)).otherwise(F.lit(0)).cast("long").alias("converted"),
        F.lit(1).cast("long").alias("visits"),
    )


SHOP_VISITS = View(
    name="shop_visits",
    description="A customer's searches, clicks and orders without a pause of more than 30 minutes: its length, steps and orders. "
    "Only the first 24 hours of a visit are counted.",
    inputs=tuple(STEPS),
    define=define,
    columns=(
        column("customer_id", "string", "The customer"),
        column("started_at", "timestamp", "First event of the visit (UTC)"),
        column("ended_at", "timestamp", "Last event of the visit, at most a day later (UTC)"),
        column("seconds", "bigint", "Length of the visit in seconds"),
        column("searches", "bigint", "Searches made"),
        column("clicks", "bigint", "Products clicked"),
        column("orders", "bigint", "Orders placed"),
        column("converted", "bigint", "1 if an order was placed, else 0, to be summed"),
        column("visits", "bigint", "1, to be summed"),
    ),
    key=("customer_id", "started_at"),
    time="started_at",
    closes="least(ended_at + INTERVAL 30 MINUTES, started_at + INTERVAL 1 DAY)",
    reach=LONGEST,
    measures=("visits", "converted", "searches", "clicks", "orders"),
    law=ByPart("customer_id"),
    lookback=GAP,
    pause=GAP,
    overlap=LONGEST,
)
