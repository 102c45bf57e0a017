"""Evidence: which events make the two layers differ, each with its cause.

Data flow: silver as the view had read it, truth's events -> one row per event that only one side counted
Run: python -m batch reconcile --date 2026-01-31
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.causes import Cause

KEPT = ("event_id", "event_type", "event_time", "topic", "partition", "offset", "content_hash")


def evidence(
    silver: DataFrame, quarantine: DataFrame, truth: DataFrame, conflicts: DataFrame, unread: Column
) -> DataFrame:
    """Events on which silver and truth disagree, or that are late: event columns, `cause`, `side` ('add' or 'take').

    Args:
        silver: silver's events (with late_by_ms) as far as the view had read them.
        quarantine: the stream's quarantine (topic, partition, offset).
        truth: truth's events of the same time range.
        conflicts: records that truth refused because their event_id had come before with other content (as quarantine).
        unread: over topic, partition, offset: had the stream not read this record yet?
    """
    at = ["topic", "partition", "offset"]
    late = silver.where(F.col("late_by_ms") > 0).withColumn("cause", F.lit(Cause.LATE.value))
    only_truth = truth.join(silver.select("event_id"), "event_id", "left_anti")
    was_refused = quarantine.select(*at).distinct().withColumn("refused", F.lit(True))
    added = only_truth.join(was_refused, at, "left").withColumn(
        "cause",
        F.when(F.col("refused"), F.lit(Cause.RULE.value))
        .when(unread, F.lit(Cause.NOT_READ.value))
        .otherwise(F.lit(Cause.UNEXPLAINED.value)),
    )
    only_silver = silver.join(truth.select("event_id"), "event_id", "left_anti")
    conflicting = conflicts.select(*at).distinct().withColumn("conflicting", F.lit(True))
    taken = only_silver.join(conflicting, at, "left").withColumn(
        "cause", F.when(F.col("conflicting"), F.lit(Cause.CONFLICT.value)).otherwise(F.lit(Cause.RULE.value))
    )
    both = silver.alias("s").join(truth.alias("t"), "event_id")
    other_content = F.col("s.content_hash") != F.col("t.content_hash")
    other_arrival = (
        other_content | (F.col("s.offset") != F.col("t.offset")) | (F.col("s.partition") != F.col("t.partition"))
    )
    swapped = both.where(other_arrival).select(
        "event_id",
        F.when(other_content, F.lit(Cause.CONFLICT.value)).otherwise(F.lit(Cause.DUPLICATE.value)).alias("cause"),
    )
    taken = taken.drop("conflicting").unionByName(silver.join(swapped, "event_id"), allowMissingColumns=True)
    added = added.drop("refused").unionByName(truth.join(swapped, "event_id"), allowMissingColumns=True)
    add, take = F.lit("add").alias("side"), F.lit("take").alias("side")
    columns = [*KEPT, "cause"]
    return late.select(*columns, add).unionByName(added.select(*columns, add)).unionByName(taken.select(*columns, take))
