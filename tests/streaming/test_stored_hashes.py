"""A duplicate of an event that an older platform hashed is a duplicate, and what contradicts it a conflict."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import arrow, from_arrow
from infra.lake.writes import append_once
from streaming.contracts import CONTRACTS
from streaming.deduplication import stored_hashes
from streaming.deduplication.late_duplicates import LateIndex
from streaming.micro_batch.outcomes import valid
from streaming.state.restore import recent_since
from streaming.tables.bronze import RECORD
from streaming.tables.silver import SILVER
from streaming.validation.content import comparable
from streaming.validation.validate import validate_by

pytestmark = pytest.mark.slow

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
OWN = {"products": CONTRACTS["products"]}
VERSIONS = {"events/products": "now"}
FORMER = 7
"""A hash that no version of today gives."""


def sent(number: int, **payload: Any) -> tuple[Any, ...]:
    at = round(NOW.timestamp() * 1000)
    event = {"event_id": f"7b0c2f7e-1f52-4c39-9a53-{number:012x}", "event_type": "product_withdrawn", "event_time": at}
    own = json.dumps(event | {"schema_version": 1, "product_id": "p-1"} | payload).encode()
    return ("products", 0, number, NOW, b"p-1", own, None)


def arrivals(spark: SparkSession, **payload: Any) -> pa.Table:
    rows = [sent(n, **payload) for n in range(6)]
    return validate_by(spark.createDataFrame(rows, RECORD), OWN.values()).toArrow()


@pytest.fixture
def stored(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Silver with events of which the even ones were written by the version in force; their ids and hashes as of now."""
    monkeypatch.setattr(stored_hashes, "CONTRACTS", OWN)
    arrived = arrivals(spark, title="alpha")
    rows = [
        {name: row.get(name) for name in SILVER.schema.names}
        | {
            "content_hash": row["content_hash"] if row["offset"] % 2 == 0 else FORMER,
            "definition": "now" if row["offset"] % 2 == 0 else "former",
            "day": NOW.date(),
            "key": "p-1",
            "late_by_ms": 0,
            "generation": "a",
            "batch_id": 0,
        }
        for row in arrived.to_pylist()
    ]
    spark_tables.create(spark, SILVER)
    append_once(arrow(rows, SILVER.schema), SILVER, "test", 0)
    events = valid(arrived)
    return dict(zip(events.ids.to_pylist(), events.contents.tolist(), strict=True))


def test_a_hash_of_another_version_is_made_anew(spark: SparkSession, stored: dict[str, int]) -> None:
    own = stored_hashes.comparable(spark, VERSIONS)
    late = valid(arrivals(spark, brand="alpha"))
    found = LateIndex(arrow_tables.files(SILVER), own).known(arrow_tables.latest(SILVER), late, "b", 0)
    recent = recent_since(round((NOW - timedelta(hours=1)).timestamp() * 1000), "b", 0, own)
    assert found == stored
    assert dict(zip(recent["event_id"].to_pylist(), recent["content_hash"].to_pylist(), strict=True)) == stored
    assert not {*late.contents.tolist()} & {*stored.values()}, "a value in another field"


def test_the_night_compares_what_an_older_version_wrote(spark: SparkSession, stored: dict[str, int]) -> None:
    silver = spark_tables.read(spark, SILVER)
    found = comparable(silver, OWN.values(), VERSIONS).collect()
    assert {row["event_id"]: row["content_hash"] for row in found} == stored


def test_rows_of_a_topic_without_a_contract_stay_as_they_are(spark: SparkSession) -> None:
    rows = [{"topic": "gone", "event_id": "a", "event_time": NOW, "content_hash": FORMER, "definition": "former"}]
    found = comparable(from_arrow(spark, arrow(rows, SILVER.schema), SILVER.schema), OWN.values(), VERSIONS)
    assert [row["content_hash"] for row in found.collect()] == [FORMER]
