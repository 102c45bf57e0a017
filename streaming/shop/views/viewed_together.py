"""Pairs of products that were clicked in one session: what to recommend beside a product.

Data flow: clicks -> viewed_together (a row per session and pair) -> the ten best partners per day in gold
Run: daybreak query "SELECT * FROM gold.rpt_viewed_together WHERE place = 1 LIMIT 5"
Source: item-to-item collaborative filtering, Linden, Smith and York, IEEE Internet Computing 2003.
"""

from datetime import timedelta

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import ByPart
from streaming.views.view import Events, View
from streaming.windows import SESSION_START, session

GAP, LONGEST = timedelta(minutes=30), timedelta(hours=1)
MOST_PRODUCTS = 30
"""Products of a session that are paired: a robot that clicks everything would make a million pairs of a thousand products."""


def define(events: Events) -> DataFrame:
    """One row per session and pair of its products, the smaller id first.

    A session ends with a pause of more than 30 minutes, and counts for its first hour; of its products the first 30 are paired.
    """
    clicks = events["clicks"].where(F.col("event_type") == "product_clicked")
    own = session(clicks.select("session_id", "product_id", "event_time"), F.col("event_time"), GAP, "session_id")
    counted = own.where(F.col("event_time") <= F.col(SESSION_START) + F.lit(LONGEST))
    of_session = ("session_id", SESSION_START)
    products = counted.groupBy(*of_session, "product_id").agg(F.min("event_time").alias("first_at"))
    order = Window.partitionBy(*of_session).orderBy("first_at", "product_id")
    few = products.withColumn("place", F.row_number().over(order)).where(F.col("place") <= MOST_PRODUCTS)
    together = few.groupBy(*of_session).agg(F.sort_array(F.collect_list("product_id")).alias("products"))
    each = together.select(*of_session, "products", F.posexplode("products").alias("at", "product_id"))
    partners = F.slice("products", F.col("at") + 2, F.lit(MOST_PRODUCTS))
    return each.select(*of_session, "product_id", F.explode(partners).alias("partner_id")).select(
        "session_id",
        F.col(SESSION_START).alias("started_at"),
        "product_id",
        "partner_id",
        F.lit(1).cast("long").alias("sessions"),
    )


VIEWED_TOGETHER = View(
    name="viewed_together",
    description="Pairs of products that were clicked in one session, the smaller id first.",
    inputs=("clicks",),
    define=define,
    columns=(
        column("session_id", "string", "The visit"),
        column("started_at", "timestamp", "Its first click (UTC)"),
        column("product_id", "string", "One product of the pair"),
        column("partner_id", "string", "The other"),
        column("sessions", "bigint", "1, to be summed"),
    ),
    key=("session_id", "started_at", "product_id", "partner_id"),
    time="started_at",
    closes="started_at + INTERVAL 1 HOUR",
    reach=LONGEST,
    measures=("sessions",),
    law=ByPart("session_id"),
    lookback=GAP,
    overlap=LONGEST,
)
