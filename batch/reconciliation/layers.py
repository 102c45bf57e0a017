"""What each layer made of the log: the events it took, the records it refused, the records it had not read.

Data flow: silver as a view had read it -> Layer; the archive's validated records -> Layer
Run: pytest tests/batch/test_layers.py
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.day import Day
from batch.day_plan import DayPlan
from batch.reconciliation.causes import Cause
from batch.reconciliation.speed_snapshot import MicroBatch, counted, read
from batch.truth import TRUTH_QUARANTINE
from infra.kafka.places import Ranges
from infra.lake import spark_tables
from streaming.definitions import of_event
from streaming.silver import QUARANTINE, SILVER, accepted, rejected
from streaming.views import REACH

PLACE = ("topic", "partition", "offset")
"""Where a record is in the log."""


@dataclass(frozen=True)
class Layer:
    """One layer's side of the comparison.

    `events`: one row per event, columns of silver.EVENT. `refused`: records it took for no event (PLACE, reasons).
    `unread`: over PLACE, the cause for which it has not read a record; null where it has.
    """

    events: DataFrame
    refused: DataFrame
    unread: Column


def stream_layer(session: SparkSession, day: Day, progress: Sequence[MicroBatch]) -> Layer:
    """The stream's side: silver's events around the day, up to the last finished micro-batch."""
    until = day.end + REACH
    own = spark_tables.read(session, SILVER).where(
        counted(progress)
        & F.col("day").between(F.lit(day.date), F.lit(until.date()))
        & (F.col("event_time") >= F.lit(day.start))
        & (F.col("event_time") < F.lit(until))
    )
    return Layer(own, spark_tables.read(session, QUARANTINE), unread(read(progress)))


def night_layer(session: SparkSession, plan: DayPlan, known: DataFrame) -> Layer:
    """The night's side: `known` are the validated records around a day, with their outcomes.

    Refused records of other times count too: under another contract a record's time may be another.
    """
    elsewhere = spark_tables.read(session, TRUTH_QUARANTINE).select(*PLACE, "reasons")
    refused = rejected(known).select(*PLACE, "reasons").unionByName(elsewhere)
    return Layer(accepted(known, of_event(plan.definitions)), refused, unread(plan.archived))


def unread(read: Ranges) -> Column:
    """Over PLACE: NOT_READ beyond the last range, GAP in a hole or before the first range, null inside of one."""
    cause = F.lit(Cause.NOT_READ.value)
    offset = F.col("offset")
    for (topic, partition), ranges in read.items():
        here = (F.col("topic") == topic) & (F.col("partition") == partition)
        own = F.when(offset >= ranges[-1][1], F.lit(Cause.NOT_READ.value))
        for start, end in ranges:
            own = own.when((offset >= start) & (offset < end), F.lit(None))
        cause = F.when(here, own.otherwise(F.lit(Cause.GAP.value))).otherwise(cause)
    return cause


def materialized(rows: DataFrame) -> DataFrame:
    """The same rows, kept, without their plan: several steps read them, and plans of plans grow past planning."""
    return rows.localCheckpoint(eager=False)
