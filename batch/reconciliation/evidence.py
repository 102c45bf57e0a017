"""Evidence: the events for which the two layers differ, each with its cause.

Data flow: silver as the view had read it, truth's events -> one row per event that only one layer counted
Run: python -m batch reconcile --date 2026-01-31
"""

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from batch.days.day import Span
from batch.reconciliation.causes import Cause
from batch.reconciliation.layers import Layer
from batch.truth.history import can_matter
from infra.lake.columns import column, struct
from infra.lake.materialize import materialized
from infra.lake.tables import Table
from streaming.reasons import Reason
from streaming.views.view import View

EVIDENCE = Table(
    "reconciliation",
    "evidence",
    struct(
        column("day", "date", "The day compared"),
        column("view", "string", "The view compared"),
        column("event_id", "string", "The event's id"),
        column("event_type", "string", "What happened"),
        column("event_time", "timestamp", "When it happened (UTC)"),
        column("topic", "string", "Kafka topic"),
        column("partition", "int", "Kafka partition"),
        column("offset", "bigint", "Offset in the partition"),
        column("arrival", "timestamp", "When the broker took the record (UTC)"),
        column("late_by_ms", "bigint", "How far behind the watermark it came, in milliseconds; 0 is on time"),
        column("cause", "string", "Why one layer did not count it"),
        column("side", "string", "add: only the night counted it; take: only the stream counted it"),
        column("run", "string", "The night that compared it"),
    ),
    description="One event that only one of the two layers counted, with the cause.",
)
"""One event that only one layer counted: `add` it to what the stream counted, or `take` it away, to get the truth.

`late_by_ms`: by how many milliseconds the event was behind the watermark; 0 if it was on time.
"""

KEPT = ("event_id", "event_type", "event_time", *PLACE, "arrival", "late_by_ms")


def evidence(stream: Layer, night: Layer) -> DataFrame:
    """Events of any topic on which the layers disagree, or that are late: KEPT, `cause`, `side` ('add' or 'take').

    Args:
        stream: silver's events (with late_by_ms) up to the stream's last finished micro-batch.
        night: truth's events in the same range of event times.
    """
    late = stream.events.where(F.col("late_by_ms") > 0).withColumn("cause", F.lit(Cause.LATE.value))
    on_time = night.events.withColumn("late_by_ms", F.lit(0).cast("long"))
    sides = ((late, "add"), (_only(on_time, stream), "add"), (_only(stream.events, night), "take"))
    first, second, third = (rows.select(*KEPT, "cause", F.lit(side).alias("side")) for rows, side in sides)
    return first.unionByName(second).unionByName(third)


def of_view(found: DataFrame, view: View, needed: Span) -> DataFrame:
    """The evidence for a view whose rows need the events of the span; late events of its other inputs are PARTNER_LATE."""
    is_partner = (F.col("cause") == Cause.LATE.value) & (F.col("topic") != view.inputs[0])
    own = found.where(can_matter(view, needed))
    return own.withColumn("cause", F.when(is_partner, F.lit(Cause.PARTNER_LATE.value)).otherwise(F.col("cause")))


def of_day(found: DataFrame, driving: str, end: datetime) -> DataFrame:
    """The evidence of a day whose rows end with `end`: without later events of the driving input, which make later rows.

    Later events of other inputs stay: within the view's reach they belong to a row that began before.
    """
    return found.where((F.col("topic") != driving) | (F.col("event_time") < F.lit(end)))


def _only(own: DataFrame, other: Layer) -> DataFrame:
    """Events that the other layer does not have from the same record with the same content, with the reason as `cause`."""
    same = ["event_id", *PLACE, "content_hash"]
    missing = materialized(own.join(other.events.select(*same), same, "left_anti"))
    # On most days few events are missing, so only the records that can explain them are read.
    ids, places = (missing.select(*names).distinct() for names in (["event_id"], PLACE))
    refused = (
        other.refused.join(places, [*PLACE], "left_semi")
        .groupBy(*PLACE)
        .agg(F.bool_and(F.array_contains("reasons", Reason.CONFLICT.value)).alias("as_conflict"))
    )
    kept = (
        other.events.join(ids, "event_id", "left_semi")
        .groupBy("event_id")
        .agg(F.collect_set(F.struct(*PLACE)).alias("places"), F.collect_set("content_hash").alias("contents"))
    )
    return (
        missing.join(refused, [*PLACE], "left")
        .join(kept, "event_id", "left")
        .withColumn(
            "cause",
            F.when(F.col("as_conflict"), F.lit(Cause.CONFLICT.value))
            .when(F.col("as_conflict").isNotNull(), F.lit(Cause.RULE.value))
            # The other layer has the same record, but decoded it to other content.
            .when(F.array_contains("places", F.struct(*PLACE)), F.lit(Cause.RULE.value))
            .when(F.array_contains("contents", F.col("content_hash")), F.lit(Cause.DUPLICATE.value))
            .when(F.col("contents").isNotNull(), F.lit(Cause.CONFLICT.value))
            .otherwise(F.coalesce(other.unread, F.lit(Cause.UNEXPLAINED.value))),
        )
    )
