"""The archive: every Kafka record again, read by the night itself, kept for ever.

Data flow: Kafka, by offset from where the archive stopped to the end at start -> archive/events
Run: python -m batch archive --date 2026-01-31
"""

import json
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaException, TopicPartition
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, StringType, StructField, StructType, TimestampType

from infra import lake
from infra.drills import point
from infra.failures import PermanentFailure, TransientFailure
from infra.settings import settings
from infra.tables import Table
from infra.writes import append_once
from streaming.bronze import RECORD, records
from streaming.contracts import CONTRACTS
from streaming.judge import AHEAD, LAST_MILLISECOND, OLDEST

ARCHIVE = Table(
    "archive",
    "events",
    StructType(
        [
            *RECORD.fields,
            StructField("event_id", StringType()),
            StructField("event_time", TimestampType()),
            StructField("day", DateType()),
        ]
    ),
    partitioned_by=("day",),
)
"""Raw records; event_id and event_time are read from the envelope where it can be, only to find records by.

`day` is the event's day, or the day of arrival for a record that names no believable time.
"""

Ends = dict[tuple[str, int], int]
"""One past the last offset, per topic and partition."""

Ranges = dict[tuple[str, int], list[tuple[int, int]]]
"""Half-open ranges of offsets per topic and partition, disjoint and in order."""


@dataclass(frozen=True)
class Log:
    """What Kafka holds now: the first offset still there and one past the last, per topic and partition."""

    first: Ends
    end: Ends


def archive(session: SparkSession) -> int:
    """Append what the log has and the archive has not; returns the number of records."""
    log = log_now()
    done = ends(lake.read(session, ARCHIVE))
    start = {at: done.get(at, log.first[at]) for at in log.end}
    for at, offset in start.items():
        if log.first[at] > offset:
            raise PermanentFailure(
                f"the log of {at[0]}-{at[1]} begins at offset {log.first[at]}, but the archive ends at {offset}: "
                f"{log.first[at] - offset} records were removed by retention before a night read them. Nothing is settled."
            )
        if log.end[at] < offset:
            raise PermanentFailure(
                f"the log of {at[0]}-{at[1]} ends at {log.end[at]}, before the archive's {offset}: another log?"
            )
    point("archive.before")
    count = sum(log.end[at] - start[at] for at in log.end)
    if count:
        # Ends only grow, so their sum numbers the write: a repeated one is ignored, a longer one is not.
        append_once(_read(session, start, log.end), ARCHIVE, "archive", sum(log.end.values()))
    point("archive.after")
    return count


def held(archived: DataFrame) -> Ranges:
    """What is in the archive: one range per topic and partition, since it goes on where it stopped."""
    offset = F.col("offset")
    rows = archived.groupBy("topic", "partition").agg(F.min(offset).alias("first"), (F.max(offset) + 1).alias("end"))
    return {(row["topic"], row["partition"]): [(row["first"], row["end"])] for row in rows.collect()}


def ends(archived: DataFrame) -> Ends:
    """Where the archive ends, per topic and partition."""
    return {at: ranges[-1][1] for at, ranges in held(archived).items()}


def log_now() -> Log:
    """The log's present bounds for every contract's topic."""
    s = settings()
    consumer = Consumer({"bootstrap.servers": s.kafka_bootstrap, "group.id": "daybreak-night", **s.kafka_client})
    try:
        first: Ends = {}
        end: Ends = {}
        for topic in CONTRACTS:
            described = consumer.list_topics(topic, timeout=20).topics[topic]
            if described.error is not None:
                raise TransientFailure(f"topic {topic!r} does not exist yet: is the stream running?")
            for partition in described.partitions:
                low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=20)
                first[topic, partition], end[topic, partition] = low, high
        return Log(first, end)
    except KafkaException as failure:
        raise TransientFailure(f"Kafka at {s.kafka_bootstrap} does not answer: {failure.args[0].str()}") from failure
    finally:
        consumer.close()


def _read(session: SparkSession, start: Ends, end: Ends) -> DataFrame:
    s = settings()
    found = records(
        session.read.format("kafka")
        .option("kafka.bootstrap.servers", s.kafka_bootstrap)
        .options(**s.kafka_spark)
        .option("subscribe", ",".join(CONTRACTS))
        .option("startingOffsets", _json(start))
        .option("endingOffsets", _json(end))
        .option("includeHeaders", "true")
        .option("failOnDataLoss", "true")
        .load()
    )
    text = F.col("value").cast("string")
    envelope = F.from_json(text, "event_id string, event_time long", {"mode": "PERMISSIVE"})
    return (
        found.withColumn("envelope", envelope)
        .withColumn("event_id", F.col("envelope.event_id"))
        .withColumn("event_time", _believable(F.col("envelope.event_time")))
        .withColumn("day", F.coalesce(F.to_date("event_time"), F.to_date("arrival")))
        .select(*ARCHIVE.schema.fieldNames())
    )


def _believable(millis: Column) -> Column:
    time = F.when(millis.between(0, LAST_MILLISECOND), F.timestamp_millis(millis))
    arrival = F.col("arrival")
    return F.when((time <= arrival + F.expr(AHEAD)) & (time >= arrival - F.expr(OLDEST)), time)


def _json(ends: Ends) -> str:
    offsets: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in ends.items():
        offsets.setdefault(topic, {})[str(partition)] = offset
    return json.dumps(offsets)
