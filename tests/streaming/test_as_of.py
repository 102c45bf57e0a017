"""A changelog as of a time: the last event by event time among those known then, whatever the order in which they came."""

import random
from datetime import UTC, datetime, timedelta

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from streaming.views.as_of import KNOWN_AT, VALID_FROM, VALID_TO, versions, was_valid

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
COLUMNS = f"key string, event_id string, event_time timestamp, {KNOWN_AT} timestamp"


def minute(number: int) -> datetime:
    return NOON + timedelta(minutes=number)


def test_versions_follow_each_other_without_a_gap(spark: SparkSession) -> None:
    changes = [("k", "a", minute(0), minute(0)), ("k", "b", minute(5), minute(5)), ("other", "c", minute(3), minute(3))]
    found = versions(spark.createDataFrame(changes, COLUMNS), "key").orderBy("event_id")
    assert [tuple(row) for row in found.select("event_id", VALID_FROM, VALID_TO).collect()] == [
        ("a", minute(0).replace(tzinfo=None), minute(5).replace(tzinfo=None)),
        ("b", minute(5).replace(tzinfo=None), None),
        ("c", minute(3).replace(tzinfo=None), None),
    ]


def test_at_every_time_one_version_is_the_last_that_was_known(spark: SparkSession) -> None:
    chance = random.Random(5)
    changes, moments = [], [(f"{number}", minute(number)) for number in range(0, 40, 3)]
    for key in ("k", "l", "m"):
        for number in range(12):
            at = minute(chance.randrange(30))
            late = timedelta(minutes=chance.choice((0, 0, 1, 5, 20)))
            changes.append((key, f"{key}{number:02}", at, at + late))
    asked = spark.createDataFrame(moments, "name string, moment timestamp")
    found = asked.join(versions(spark.createDataFrame(changes, COLUMNS), "key"), was_valid("moment"))
    rows = {(row["name"], row["key"]): row["event_id"] for row in found.collect()}
    assert len(rows) == found.count(), "two versions were valid at once"
    expected = {}
    for name, moment in moments:
        for key in ("k", "l", "m"):
            known = [(at, event) for own, event, at, known in changes if own == key and known <= moment]
            if known:
                expected[name, key] = max(known)[1]
    assert rows == expected
    assert found.where(F.col(VALID_TO).isNotNull()).count()
