"""What each layer made of the log: the events that it accepted, and the records that it rejected or had not read.

Data flow: silver as a view had read it -> Layer; the archive's validated records -> Layer
Run: pytest tests/batch/test_layers.py
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from batch.conservation.losses_table import lost, without
from batch.days.day_plan import DayPlan
from batch.reconciliation.causes import Cause
from batch.reconciliation.speed_snapshot import MicroBatch, counted, read
from batch.truth.reach import Reach
from batch.truth.recompute import TRUTH_QUARANTINE
from infra.kafka.places import Ranges
from infra.lake import spark_tables
from streaming.contracts import CONTRACTS
from streaming.state.changelog import known_at
from streaming.tables.silver import QUARANTINE, SILVER, accepted, rejected
from streaming.validation.content import comparable
from streaming.versions.definitions import of_event
from streaming.views import CHANGELOGS
from streaming.views.as_of import KNOWN_AT


@dataclass(frozen=True)
class Layer:
    """One layer's side of the comparison.

    `events`: one row per event, columns of silver.EVENT, KNOWN_AT. `refused`: the rejected records (PLACE, reasons).
    `unread`: a column over PLACE: the cause for which the layer has not read a record; null if it has read it.
    """

    events: DataFrame
    refused: DataFrame
    unread: Column


def stream_layer(session: SparkSession, plan: DayPlan, progress: Sequence[MicroBatch], needs: Reach) -> Layer:
    """The stream's side: silver's events around the day, and those of changelogs before, up to the last finished micro-batch."""
    days, at = needs.days(plan.day), F.col("event_time")
    # By days, which are partitions; changelogs are read whole.
    is_read = F.col("day").between(F.lit(min(days)), F.lit(max(days))) | F.col("topic").isin(*CHANGELOGS)
    rows = spark_tables.read(session, SILVER).where(counted(progress) & is_read)
    is_near = needs.near(plan.day, at)
    silver = rows.where(is_near)
    if (far := needs.of_keys_of(session, plan.day, rows.where(~is_near), at)) is not None:
        silver = silver.unionByName(far)
    own = comparable(silver, CONTRACTS.values(), plan.definitions).withColumn(KNOWN_AT, known_at())
    return Layer(own, spark_tables.read(session, QUARANTINE), unread(without(read(progress), lost())))


def night_layer(session: SparkSession, plan: DayPlan, known: DataFrame) -> Layer:
    """The night's side; `known`: the validated records around the day, with their outcomes.

    Rejected records of other days count too, because another contract may read another event time from a record.
    """
    elsewhere = spark_tables.read(session, TRUTH_QUARANTINE).select(*PLACE, "reasons")
    refused = rejected(known).select(*PLACE, "reasons").unionByName(elsewhere)
    events = accepted(known, of_event(plan.definitions)).withColumn(KNOWN_AT, F.col("event_time"))
    return Layer(events, refused, unread(plan.archived))


def unread(read: Ranges) -> Column:
    """Over PLACE: NOT_READ after the last range, GAP between two ranges or before the first, null inside a range."""
    cause = F.lit(Cause.NOT_READ.value)
    offset = F.col("offset")
    for (topic, partition), ranges in read.items():
        here = (F.col("topic") == topic) & (F.col("partition") == partition)
        own = F.when(offset >= ranges[-1][1], F.lit(Cause.NOT_READ.value))
        for start, end in ranges:
            own = own.when((offset >= start) & (offset < end), F.lit(None))
        cause = F.when(here, own.otherwise(F.lit(Cause.GAP.value))).otherwise(cause)
    return cause
