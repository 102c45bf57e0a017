"""First arrival wins: tell an event from its duplicates and from conflicts.

Data flow: validated rows -> the same rows with their `outcome`
Run: pytest tests/streaming/test_deduplicate.py
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from streaming.reasons import Outcome

ARRIVAL_ORDER = ("arrival", "topic", "partition", "offset")
"""The order that decides which arrival is first: broker time, then a fixed order among equals."""


def outcomes(validated: DataFrame) -> DataFrame:
    """Add `outcome` to validated rows (columns event_id, content_hash, reasons, `written` and ARRIVAL_ORDER).

    Of the valid rows with one event_id, the first is accepted. A later one with the same content is a duplicate, one
    with other content a conflict. `written` marks a row that silver already has: it counts as the first whatever its
    arrival.
    """
    valid = F.size("reasons") == 0
    same_event = Window.partitionBy(F.when(valid, F.col("event_id")), valid).orderBy(
        F.col("written").desc(), *ARRIVAL_ORDER
    )
    return (
        validated.withColumn("_place", F.row_number().over(same_event))
        .withColumn("_first", F.first("content_hash").over(same_event))
        .withColumn(
            "outcome",
            F.when(~valid, F.lit(Outcome.REJECTED.value))
            .when(F.col("_place") == 1, F.lit(Outcome.ACCEPTED.value))
            .when(F.col("content_hash") == F.col("_first"), F.lit(Outcome.DUPLICATE.value))
            .otherwise(F.lit(Outcome.CONFLICT.value)),
        )
        .drop("_place", "_first")
    )
