"""Silver: valid events, one per event_id, late ones marked; and quarantine: everything else, with its reasons.

Data flow: validated rows with outcomes -> silver/events, silver/quarantine
Run: daybreak query "SELECT topic, count(*), count_if(late_by_ms > 0) FROM silver.events GROUP BY topic"

All topics share one table, so one commit makes a whole micro-batch visible. They share one watermark too, which
advances with the traffic of any topic, so an idle topic cannot hold a join open.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column, struct
from infra.lake.tables import Table
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.reasons import Outcome, Reason
from streaming.tables.bronze import BATCH, RECORD

EVENT = struct(
    column("topic", "string", "Kafka topic"),
    column("event_id", "string", "The event's id (UUID)"),
    column("event_type", "string", "What happened, by the name of its contract"),
    column("event_time", "timestamp", "When it happened, by the producer's clock (UTC)"),
    column("schema_version", "int", "Version of the contract that the producer wrote by"),
    *[
        column(one.column, one.payload, f"Payload of an event of topic {one.topic}, else null")
        for one in CONTRACTS.values()
    ],
    column("key", "string", "Kafka key"),
    column("partition", "int", "Kafka partition"),
    column("offset", "bigint", "Offset in the partition"),
    column("arrival", "timestamp", "When the broker took the record (LogAppendTime, UTC)"),
    column("content_hash", "bigint", "Hash of the content; tells a duplicate from a conflict"),
    column("definition", "string", "Version of the contract that validated it"),
    column("day", "date", "Day of the event time (UTC)"),
)
"""One valid event, as both layers keep it; `day` is the event's UTC day."""

SILVER = Table(
    "silver",
    "events",
    struct(
        *EVENT.fields,
        column("late_by_ms", "bigint", "Milliseconds by which the event was behind the watermark; 0 if it was on time"),
        *BATCH,
    ),
    partitioned_by=("day",),
    constraints=(("late_is_not_negative", "late_by_ms >= 0"), ("has_id", "event_id IS NOT NULL")),
    description="One valid event of any topic, at its first arrival; the struct of its own topic is set.",
)

REJECTED = struct(
    *RECORD.fields,
    column("event_id", "string", "Its event id, where one could be read"),
    column("reasons", "array<string>", "Every reason for which it was rejected"),
    column("day", "date", "Day of its arrival (UTC)"),
)
"""One rejected record; `day` is the day of its arrival."""

QUARANTINE = Table(
    "silver",
    "quarantine",
    struct(*REJECTED.fields, *BATCH),
    description="One rejected record, with its bytes and every reason.",
)


def accepted(rows: DataFrame, definition: str | Column, *more: str) -> DataFrame:
    """The events among rows with outcomes, in the columns of EVENT and then `more`; `definition` as from `of_event`."""
    events = (
        rows.where(F.col("outcome") == Outcome.ACCEPTED.value)
        .withColumn("key", F.col("key").cast("string"))
        .withColumn("definition", F.lit(definition))
        .withColumn("day", F.to_date("event_time"))
    )
    return events.select(*EVENT.fieldNames(), *more)


def rejected(rows: DataFrame) -> DataFrame:
    """The rejected and the conflicting records among rows with outcomes, in the columns of REJECTED."""
    refused = F.col("outcome").isin(Outcome.REJECTED.value, Outcome.CONFLICT.value)
    conflict = F.when(F.col("outcome") == Outcome.CONFLICT.value, F.array(F.lit(Reason.CONFLICT.value)))
    return rows.where(refused).select(
        *RECORD.fieldNames(),
        "event_id",
        F.concat("reasons", F.coalesce(conflict, F.array().cast("array<string>"))).alias("reasons"),
        F.to_date("arrival").alias("day"),
    )


def late_by(watermark_ms: int | None) -> Column:
    """Milliseconds by which `event_time` is behind the watermark; 0 where it is not, or where there is no watermark yet."""
    if watermark_ms is None:
        return F.lit(0).cast("long")
    return F.greatest(F.lit(watermark_ms) - F.unix_millis("event_time"), F.lit(0)).cast("long")


def topic_events(events: DataFrame, topic: str, *more: str) -> DataFrame:
    """The events of one topic, payload fields as columns beside event_id, event_type and event_time; then the columns `more`.

    The tables keep what was sent; here a field that the event lacks gets its default, whenever the event was written.
    """
    own, contract = events.where(F.col("topic") == topic), CONTRACTS[topic]
    return with_defaults(own.select("event_id", "event_type", "event_time", f"{contract.column}.*", *more), contract)


def with_defaults(events: DataFrame, contract: Contract) -> DataFrame:
    """A topic's events with the contract's defaults in place of nulls."""
    known = {name: F.coalesce(name, F.lit(value)) for name, value in contract.defaults.items()}
    return events.withColumns(known) if known else events
