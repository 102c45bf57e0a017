"""A card that is tried out: a small payment, failures, then a large one, within 10 minutes.

Data flow: payments -> fraud_alerts (a pattern per card) -> Kafka topic of alerts
Run: daybreak query "SELECT * FROM gold.fct_fraud_alerts ORDER BY alerted_at DESC LIMIT 5"
Source: complex event processing, Luckham, The Power of Events, 2002: a sequence within a time, per key.
"""

from datetime import timedelta

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import ByPart
from streaming.views.view import Events, View

WITHIN = timedelta(minutes=10)
SMALL_CENTS, LARGE_CENTS, LEAST_FAILED = 500, 10_000, 2


def define(events: Events) -> DataFrame:
    """One row per captured payment L over 100.00 that ends the pattern: the captured payment S before it on the card is under
    5.00 and at most 10 minutes older, and at least two payments failed between S and L.

    Refunds are no part of it. Payments of one instant are taken in the order of their event ids. A captured payment that comes
    late, between S and L, undoes the alert.
    """
    payments = events["payments"].where(F.col("event_type").isin("payment_captured", "payment_failed"))
    order = ("event_time", "event_id")
    has_failed = F.col("event_type") == "payment_failed"
    counted = payments.withColumn("failed", F.count_if(has_failed).over(Window.partitionBy("card_id").orderBy(*order)))
    one = F.struct("payment_id", "amount_cents", "event_time", "failed")
    captured = counted.where(~has_failed).withColumn(
        "last", F.lag(one).over(Window.partitionBy("card_id").orderBy(*order))
    )
    last = F.col("last")
    is_alert = (
        (F.col("amount_cents") > LARGE_CENTS)
        & (last["amount_cents"] < SMALL_CENTS)
        & (last["event_time"] >= F.col("event_time") - F.lit(WITHIN))
        & (F.col("failed") - last["failed"] >= LEAST_FAILED)
    )
    return captured.where(is_alert).select(
        "event_id",
        "card_id",
        "payment_id",
        "amount_cents",
        F.col("event_time").alias("alerted_at"),
        last["payment_id"].alias("first_payment_id"),
        last["event_time"].alias("began_at"),
        F.lit(1).cast("long").alias("alerts"),
    )


FRAUD_ALERTS = View(
    name="fraud_alerts",
    description="On one card within 10 minutes: a captured payment under 5.00, then two or more that failed, then a captured one "
    "over 100.00.",
    inputs=("payments",),
    define=define,
    columns=(
        column("event_id", "string", "The event that captured the large payment"),
        column("card_id", "string", "The card"),
        column("payment_id", "string", "The large payment"),
        column("amount_cents", "bigint", "Its amount, in cents"),
        column("alerted_at", "timestamp", "When it was captured (UTC)"),
        column("first_payment_id", "string", "The small payment that the pattern begins with"),
        column("began_at", "timestamp", "When that was captured (UTC)"),
        column("alerts", "bigint", "1, to be summed"),
    ),
    key=("event_id",),
    time="alerted_at",
    closes="alerted_at",
    reach=timedelta(0),
    measures=("alerts", "amount_cents"),
    law=ByPart("card_id"),
    lookback=WITHIN,
    alerts=True,
)
