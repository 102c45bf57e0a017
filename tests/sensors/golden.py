"""A golden day of the project of sensors: sampled from a lake, answered by both layers, and what it sees.

Data flow: silver, quarantine in a folder -> `sample` -> GoldenDay -> faults
Run: pytest tests/streaming/test_second_project.py
"""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from infra.lake import tables
from streaming.contracts import CONTRACTS
from streaming.golden.day import SHOWN, GoldenDay
from streaming.golden.masking import Masking
from streaming.golden.record import EXPECTED, RECORDS
from streaming.golden.sample import sample
from streaming.micro_batch.outcomes import arrow_schema
from streaming.tables.silver import QUARANTINE, SILVER
from streaming.views import VIEWS

MORNING = datetime(2026, 1, 31, 6, tzinfo=UTC)
DELAY = timedelta(minutes=10)
ROOMS = ("attic", "cellar")


def events() -> Iterator[dict[str, Any]]:
    """In order of arrival; some wait for hours on their way, and so are late. The first change of each sensor is one of these."""
    chance, latest, arrival = random.Random(4), MORNING - timedelta(days=1), MORNING
    for number in range(400):
        arrival += timedelta(seconds=60)
        is_change = chance.random() < 0.2
        topic, kind = ("site.sensors", "sensor_hung") if is_change else ("readings", "reading_taken")
        waited = timedelta(hours=2) if chance.random() < 0.2 else timedelta(seconds=chance.randint(1, 300))
        at = max(arrival - waited, MORNING)
        own: dict[str, Any] = {"sensor_id": f"s-{number % 5}"}
        own |= (
            {"room": chance.choice(ROOMS)}
            if is_change
            else {"celsius": chance.choice((19.5, 30.5, 44.25)), "battery": None}
        )
        yield {
            **{
                "topic": topic,
                "event_id": str(UUID(int=number)),
                "event_type": kind,
                "event_time": at,
                "schema_version": 1,
            },
            **{
                CONTRACTS[topic].column: own,
                "key": own["sensor_id"],
                "partition": 0,
                "offset": number,
                "arrival": arrival,
            },
            **{"late_by_ms": max((latest - DELAY - at) // timedelta(milliseconds=1), 0), "day": at.date()},
        }
        latest = max(latest, at)


def refused() -> Iterator[dict[str, Any]]:
    """One that is no JSON, and one that has the id of an accepted event and says something else."""
    conflict = """{"event_id": "00000000-0000-0000-0000-000000000001", "event_type": "reading_taken", "event_time": 1769839320000,
        "schema_version": 1, "sensor_id": "s-1", "celsius": -89.5}"""
    for number, (value, reason) in enumerate(((b"warm", "not_json"), (conflict.encode(), "conflict"))):
        yield {
            **{"topic": "readings", "partition": 0, "offset": 1000 + number, "arrival": MORNING + timedelta(hours=12)},
            **{"key": b"s-1", "value": value, "event_id": str(UUID(int=1)), "reasons": [reason], "day": MORNING.date()},
        }


@pytest.fixture(scope="module")
def golden(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> GoldenDay:
    lake, folder = tmp_path_factory.mktemp("lake"), tmp_path_factory.mktemp("day")
    for table, rows in ((SILVER, events()), (QUARANTINE, refused())):
        write_deltalake(str(lake / table.id), pa.Table.from_pylist(list(rows), schema=arrow_schema(table.schema)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{lake}"))
        masked = [
            replace(CONTRACTS["readings"], masked=("sensor_id",)),
            replace(CONTRACTS["site.sensors"], masked=("sensor_id",)),
        ]
        found = sample(date(2026, 1, 31), 5, masked, Masking(b"a key"))
    (folder / RECORDS).write_text("".join(f"{one.line}\n" for one in found.records))
    return GoldenDay(folder, spark)


def expected(golden: GoldenDay) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (golden.folder / EXPECTED).read_text().splitlines()]


def test_what_is_expected_is_what_the_night_says_of_all_events(golden: GoldenDay) -> None:
    assert "python -m streaming.golden" in golden.faults()[0]
    assert golden.expect().startswith("400 events, 1 rejected records, ")
    assert [one for one in expected(golden) if "rejected" in one] == [
        {"record": 401, "topic": "readings", "rejected": ["conflict"]}
    ]
    readings = [one for one in events() if one["topic"] == "readings"]
    assert any(one["late_by_ms"] for one in readings)
    assert sum(one.get("readings", 0) for one in expected(golden)) == len(readings)
    rooms = {one["room"] for one in expected(golden) if one.get("view") == "hot_readings"}
    assert rooms > set(ROOMS)
    assert golden.faults() == []


def test_a_layer_or_a_row_that_differs_is_told(golden: GoldenDay, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each micro-batch has 1 in a window, the stream adds them up, and all events together have 1.
    own = VIEWS["sensor_averages"]
    broken = replace(own, define=lambda events: own.define(events).withColumn("readings", F.lit(1).cast("long")))
    monkeypatch.setitem(VIEWS, "sensor_averages", broken)
    told = golden.faults()
    assert told[0].startswith('the stream says, and its events together do not: {"view": "sensor_averages"')
    assert told[-1].startswith("and ")
    assert len(told) == SHOWN + 1
