"""What a changelog said at a time: each of its events with the time from which, and until which, it was the last of its key.

Data flow: events of a changelog -> versions with `valid_from` and `valid_to`; joined to events by key and time
Run: pytest tests/streaming/test_as_of.py
Source: temporal joins of Apache Flink; type 2 of slowly changing dimensions, Kimball, The Data Warehouse Toolkit.

In the truth an event is known from its event time on. In the stream a late one is known from the watermark on that it met: rows
behind that are final, and later rows shall not lack it for ever.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

KNOWN_AT = "known_at"
"""Column of a changelog's events that a view is given: from when on the layer counts the event."""
VALID_FROM, VALID_TO = "valid_from", "valid_to"
"""Columns that `versions` adds: from when on, and until before when, an event was the last of its key."""


def versions(changes: DataFrame, *key: str) -> DataFrame:
    """The changes that were the last of their key for a time, from VALID_FROM until before VALID_TO (null: for ever).

    The last is the one with the latest event time; of two at the same time, the one with the larger event_id.
    """
    # From the last to the first, since Spark would go over all later events of the key for each one.
    backwards = Window.partitionBy(*key).orderBy(F.col("event_time").desc(), F.col("event_id").desc())
    later = backwards.rowsBetween(Window.unboundedPreceding, -1)
    found = changes.withColumns({VALID_FROM: F.col(KNOWN_AT), VALID_TO: F.min(KNOWN_AT).over(later)})
    return found.where(F.col(VALID_TO).isNull() | (F.col(VALID_FROM) < F.col(VALID_TO)))


def was_valid(at: str) -> Column:
    """Over VALID_FROM and VALID_TO: was the version the last of its key at the time in the column `at`?"""
    not_yet_replaced = F.col(VALID_TO).isNull() | (F.col(at) < F.col(VALID_TO))
    return (F.col(VALID_FROM) <= F.col(at)) & not_yet_replaced
