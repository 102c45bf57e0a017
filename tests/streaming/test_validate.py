"""Every bad record lands where its name says, every odd but valid one is decoded, and nothing throws."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from corpus import Record, encoded, neighbours, order, poison
from pyspark.sql import SparkSession

from streaming.encodings.as_json import FAULTS
from streaming.reasons import Reason
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate

NOW_MS = 1_780_000_000_000
POISON, NEIGHBOURS = poison(NOW_MS), neighbours(NOW_MS)


@pytest.fixture(scope="module")
def validated(spark: SparkSession) -> dict[str, dict[str, Any]]:
    """The verdict by the record's name, all records validated in one batch."""
    arrival = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    records = [*POISON, *NEIGHBOURS]
    rows = [(record.topic, 0, place, arrival, record.key, record.value, None) for place, record in enumerate(records)]
    found = validate(spark.createDataFrame(rows, RECORD)).collect()
    return {records[row["offset"]].name: row.asDict(recursive=True) for row in found}


def test_every_record_gets_one_verdict(validated: dict[str, dict[str, Any]]) -> None:
    assert len(POISON) >= 100
    assert len(validated) == len(POISON) + len(NEIGHBOURS)


@pytest.mark.parametrize("record", POISON, ids=lambda record: record.name)
def test_a_bad_record_carries_every_reason_and_no_other(validated: dict[str, dict[str, Any]], record: Record) -> None:
    assert set(validated[record.name]["reasons"]) == record.reasons
    assert len(validated[record.name]["reasons"]) == len(record.reasons) > 0


@pytest.mark.parametrize("record", NEIGHBOURS, ids=lambda record: record.name)
def test_an_odd_record_is_valid(validated: dict[str, dict[str, Any]], record: Record) -> None:
    verdict = validated[record.name]
    assert verdict["reasons"] == []
    assert all((verdict["event_id"], verdict["event_time"], verdict[record.topic]["order_id"]))


def test_every_reason_is_shown_by_a_record() -> None:
    shown = set().union(*(record.reasons for record in POISON))
    elsewhere = {Reason.CONFLICT, *sum(FAULTS.values(), ())}
    assert shown == set(Reason) - elsewhere, (
        "conflict is shown in test_repeats, encodings in test_avro and test_protobuf"
    )


def test_how_an_event_is_written_is_no_other_content(spark: SparkSession) -> None:
    (plain,) = (record for record in NEIGHBOURS if record.name == "plain")
    assert plain.value is not None
    ways = [
        plain.value,
        b"  " + plain.value.replace(b",", b" ,\n") + b"\n",
        plain.value.replace(b'"c-7"', rb'"\u0063-7"'),
    ]
    other = plain.value.replace(b'"c-7"', b'"c-8"')
    arrival = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    rows = [("orders", 0, place, arrival, plain.key, value, None) for place, value in enumerate([*ways, other])]
    found = validate(spark.createDataFrame(rows, RECORD)).orderBy("offset").collect()
    assert [row["reasons"] for row in found] == [[]] * 4
    assert len({row["content_hash"] for row in found[:3]}) == 1
    assert found[3]["content_hash"] != found[0]["content_hash"]


def test_the_limits_of_a_clock_are_exact_to_the_millisecond(spark: SparkSession) -> None:
    """Kafka's own clock is none that a test could meet exactly, so these are no records of the corpus."""
    ahead, old = timedelta(minutes=5), timedelta(days=-366)
    millisecond = timedelta(milliseconds=1)
    expected = {ahead: [], ahead + millisecond: [Reason.FUTURE], old: [], old - millisecond: [Reason.TOO_OLD]}
    arrival = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    rows = []
    for place, by in enumerate(expected):
        event = order(str(by), NOW_MS, event_time=NOW_MS + round(by / millisecond))
        rows.append(("orders", 0, place, arrival, event["order_id"].encode(), encoded(event), None))
    found = validate(spark.createDataFrame(rows, RECORD)).orderBy("offset").collect()
    assert [row["reasons"] for row in found] == list(expected.values())
