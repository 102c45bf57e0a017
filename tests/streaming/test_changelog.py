"""What is kept of a changelog: of what was known before a time the last event of each key, and all that came after it."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from infra.lake import arrow_tables, spark_tables
from infra.lake.upkeep import forget
from infra.lake.writes import append_once
from streaming.micro_batch.outcomes import arrow_schema
from streaming.state.changelog import (
    counted,
    counted_in_arrow,
    known_at,
    last_of_each_key,
    never_deleted,
    shortened,
)
from streaming.state.kinds import Kind
from streaming.state.view_state import on_time
from streaming.tables.silver import EVENT
from streaming.tables.silver import SILVER as SILVER_TABLE
from streaming.views import CHANGELOGS, VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.law import ByPart
from streaming.views.view import View

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
SILVER = StructType([*EVENT.fields, StructField("late_by_ms", LongType())])


def moved(name: str, who: str, minutes: int, late: int = 0) -> dict[str, Any]:
    own = {"customer_id": who, "name": "Ann", "region": "north"}
    event = {"topic": "customers", "event_type": "customer_moved", "event_id": name, "customers": own}
    return event | {"event_time": NOON + timedelta(minutes=minutes), "late_by_ms": 60_000 * late}


def clicked(name: str, who: str, minutes: int, late: int = 0) -> dict[str, Any]:
    own = {"session_id": "v-1", "customer_id": who, "product_id": "p-1"}
    event = {"topic": "clicks", "event_type": "product_clicked", "event_id": name, "clicks": own}
    return event | {"event_time": NOON + timedelta(minutes=minutes), "late_by_ms": 60_000 * late}


def arrow(*events: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(events), schema=arrow_schema(SILVER))


def names(events: pa.Table) -> list[str]:
    return sorted(events["event_id"].to_pylist())


def test_of_late_events_only_changes_count_once_they_are_known(spark: SparkSession) -> None:
    events = arrow(clicked("on time", "c-1", 0), clicked("late", "c-1", 0, 5), moved("moved", "c-1", 1, 30))
    found = counted_in_arrow(events)
    known = dict(zip(found["event_id"].to_pylist(), found[KNOWN_AT].to_pylist(), strict=True))
    assert known == {"on time": NOON, "moved": NOON + timedelta(minutes=31)}
    assert names(on_time(found)) == ["on time"]
    frame = spark.createDataFrame(events, SILVER).where(counted(CHANGELOGS)).withColumn(KNOWN_AT, known_at())
    assert frame.select("event_id", F.unix_millis(KNOWN_AT)).collect() == [
        (name, round(at.timestamp() * 1000)) for name, at in known.items()
    ]


@pytest.mark.parametrize("seed", range(3))
def test_driver_and_spark_keep_the_same_last_events(spark: SparkSession, seed: int) -> None:
    chance = random.Random(seed)
    events = [
        moved(f"{number:02}", f"c-{chance.randrange(4)}", chance.randrange(20), chance.choice((0, 0, 15)))
        for number in range(40)
    ]
    before = NOON + timedelta(minutes=16)
    kept = shortened(counted_in_arrow(arrow(*events)), pa.scalar(before, pa.timestamp("us", "UTC")), CHANGELOGS)
    changes = spark.createDataFrame(arrow(*events), SILVER).withColumn(KNOWN_AT, known_at())
    older = last_of_each_key(changes.where(F.col(KNOWN_AT) < before))
    newer = changes.where(F.col(KNOWN_AT) >= before)
    assert names(kept) == sorted(row["event_id"] for row in older.unionByName(newer).collect())
    assert len(names(kept)) < len(events)


def test_memory_grows_with_the_keys_and_not_with_the_changes() -> None:
    events = counted_in_arrow(arrow(*[moved(f"{number}", f"c-{number % 3}", number) for number in range(500)]))
    after = pa.scalar(NOON + timedelta(days=9), pa.timestamp("us", "UTC"))
    assert names(shortened(events, after, CHANGELOGS)) == ["497", "498", "499"]
    assert shortened(events.slice(0, 0), after, CHANGELOGS).num_rows == 0


def test_what_may_be_looked_up_is_never_deleted(spark: SparkSession, local_lake: Path) -> None:
    old, new = NOON - timedelta(days=900), NOON
    both = moved("m", "c-1", 0), clicked("c", "c-1", 0)
    rows = [event | {"event_time": at, "day": at.date()} for at in (old, new) for event in both]
    spark_tables.create(spark, SILVER_TABLE)
    append_once(pa.Table.from_pylist(rows, schema=arrow_schema(SILVER_TABLE.schema)), SILVER_TABLE, "test", 0)
    assert forget(SILVER_TABLE, 400, NOON.date(), sparing=never_deleted(SILVER_TABLE)[SILVER_TABLE.id]) == 1
    kept = arrow_tables.latest(SILVER_TABLE).to_pyarrow_table()
    assert sorted(zip(kept["topic"].to_pylist(), kept["day"].to_pylist(), strict=True)) == [
        ("clicks", new.date()),
        ("customers", old.date()),
        ("customers", new.date()),
    ]


def test_an_event_looks_up_its_own_key_only() -> None:
    kind = Kind(ByPart("customer_id"), (VIEWS["clicks_with_customer"],))
    events = counted_in_arrow(arrow(clicked("click", "c-1", 9), clicked("other", "c-2", 9)))
    assert kind.looked_up(events, "clicks", ["clicks", "customers"]).to_pylist() == ["1:c-1", "1:c-2"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"changelogs": {"clicks": "customer_id"}}, "behind the first"),
        ({"changelogs": {"payments": "customer_id"}}, "behind the first"),
        ({"changelogs": {"customers": None}}, "ByWindow"),
    ],
)
def test_a_view_that_cannot_look_up_so_is_refused(changes: dict[str, Any], says: str) -> None:
    own = VIEWS["clicks_with_customer"]
    assert isinstance(own.law, ByPart)
    with pytest.raises(ValueError, match=says):
        View(**{name: getattr(own, name) for name in own.__dataclass_fields__} | changes)
