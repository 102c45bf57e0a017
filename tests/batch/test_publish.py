"""Every row of the ledger gets a place, and goes once, in its order, to whoever reads committed records."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import DataFrame, SparkSession

from batch.corrections import publish as module
from batch.corrections.ledger import CORRECTIONS, in_order, sequenced
from batch.corrections.publish import carry, message, publish
from infra.failures import PermanentFailure
from infra.kafka.read_committed import committed
from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import frame
from infra.lake.writes import append_once

pytestmark = pytest.mark.slow

DAY = date(2026, 1, 31)
NIGHT = datetime(2026, 2, 1, 2, tzinfo=UTC)
NEW = '{"total_cents":9007199254740993,"share":0.10,"payment_id":null,"note":"ü"}'


def row(order: str, **changes: Any) -> dict[str, Any]:
    """A correction of an order that the stream never told of."""
    return {
        "day": DAY,
        "view": "order_payments",
        "key": json.dumps({"order_id": order}, separators=(",", ":")),
        "old": None,
        "new": NEW,
        "cause": "late+rule",
        "run": "2026-01-31-0a1b2c3d",
        "definition": "0a1b2c3d4e5f",
        "revision": 1,
        "corrected_at": NIGHT,
    } | changes


def ledger(spark: SparkSession, *rows: dict[str, Any]) -> DataFrame:
    return frame(spark, rows, CORRECTIONS.schema)


# The message.


def test_a_row_becomes_a_key_and_a_value() -> None:
    key, value = message(row("o-1", sequence=7))
    assert key == b'{"view":"order_payments","day":"2026-01-31","key":{"order_id":"o-1"}}'
    assert json.loads(value) == {
        "view": "order_payments",
        "day": "2026-01-31",
        "key": {"order_id": "o-1"},
        "old": None,
        "new": json.loads(NEW),
        "cause": "late+rule",
        "run": "2026-01-31-0a1b2c3d",
        "definition": "0a1b2c3d4e5f",
        "revision": 1,
        "sequence": 7,
        "corrected_at": "2026-02-01T02:00:00.000000Z",
    }


def test_values_pass_as_they_are_written_in_the_ledger() -> None:
    _, value = message(row("o-1", old=NEW, new=None, sequence=1))
    assert f'"old":{NEW},"new":null,'.encode() in value


def test_a_row_of_another_day_has_another_key() -> None:
    # An order_id may be placed on two days: two rows of the view, of which compaction must keep both.
    keys = {message(row("o-1", sequence=1, day=day))[0] for day in (DAY, DAY + timedelta(days=1))}
    assert len(keys) == 2


# The place in the ledger.


def test_rows_get_the_next_places_in_the_order_of_their_keys(spark: SparkSession) -> None:
    rows = in_order(ledger(spark, row("o-3"), row("o-1"), row("o-2")).drop("sequence").repartition(3))
    for of_spark in (sequenced(rows, 41), spark.createDataFrame(sequenced(rows.toArrow(), 41))):
        assert of_spark.columns == CORRECTIONS.schema.fieldNames()
        found = [(json.loads(r["key"])["order_id"], r["sequence"]) for r in of_spark.collect()]
        assert found == [("o-1", 42), ("o-2", 43), ("o-3", 44)]


# The way to Kafka.


@pytest.fixture
def session(
    spark: SparkSession, local_lake: Path, kafka: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> SparkSession:
    """An empty ledger, and the topics, in which another lake's records lie already."""
    spark_tables.create(spark, CORRECTIONS)
    another = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
    another.produce("corrections", key=b"{}", value=b'{"sequence":1000}')
    another.produce("corrections-state", key=b"another", value=b'{"sequence":1000,"ledger":"another"}')
    assert another.flush(20) == 0
    # Topics are not created by this broker on request, but at their first record.
    monkeypatch.setattr(module.topics, "create", lambda: None)
    monkeypatch.setattr(module, "settings", lambda: kafka)
    # Nor does it tell their ids.
    monkeypatch.setattr(module, "topic_ids", lambda topics: {})
    monkeypatch.setattr(module, "BATCH", 2)
    return spark


def corrected(session: SparkSession, version: int, *orders: str) -> None:
    """What a night appends for one view."""
    before = spark_tables.read(session, CORRECTIONS).count()
    rows = sequenced(in_order(ledger(session, *map(row, orders)).drop("sequence")), before)
    append_once(rows, CORRECTIONS, "order_payments/2026-01-31", version)


def told() -> list[tuple[int, str]]:
    """Sequence and order of every correction of ours in the topic, by sequence."""
    values = [json.loads(record.value()) for record in committed("corrections")]
    return sorted((value["sequence"], value["key"]["order_id"]) for value in values if "key" in value)


def test_each_correction_goes_once_in_bounded_transactions(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    points: list[str] = []
    monkeypatch.setattr(module, "point", points.append)
    assert publish(session) == 0
    corrected(session, 1, "o-1", "o-2", "o-3")
    corrected(session, 1, "o-1", "o-2", "o-3")
    assert publish(session) == 3
    assert points == ["publish.before-commit", "publish.after-commit"] * 2
    corrected(session, 2, "o-0")
    assert [publish(session), publish(session)] == [1, 0]
    assert told() == [(1, "o-1"), (2, "o-2"), (3, "o-3"), (4, "o-0")]


def test_a_publisher_that_dies_after_a_commit_has_sent_that_much(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    corrected(session, 1, "o-1", "o-2", "o-3")

    def dies(place: str) -> None:
        if place == "publish.after-commit":
            raise KeyboardInterrupt

    with monkeypatch.context() as failpoint:
        failpoint.setattr(module, "point", dies)
        with pytest.raises(KeyboardInterrupt):
            publish(session)
    assert publish(session) == 1
    assert told() == [(1, "o-1"), (2, "o-2"), (3, "o-3")]


def test_a_topic_that_holds_another_lakes_corrections_is_refused(session: SparkSession, local_lake: Path) -> None:
    corrected(session, 1, "o-1")
    publish(session)
    (local_lake / "reconciliation").rename(local_lake / "lost")
    # No process lives through that: the next one opens the table anew.
    arrow_tables._open.clear()
    spark_tables.create(session, CORRECTIONS)
    corrected(session, 1, "o-1", "o-2")
    with pytest.raises(PermanentFailure, match=r"'corrections' holds 1 corrections of another lake"):
        publish(session)


def test_a_topic_that_was_made_again_gets_all_of_them(session: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    corrected(session, 1, "o-1", "o-2", "o-3")
    assert publish(session) == 3
    # A state from before has no id: the one that is there is taken for the one it was sent to.
    monkeypatch.setattr(module, "topic_ids", lambda topics: dict.fromkeys(topics, "first"))
    assert publish(session) == 0
    corrected(session, 2, "o-4")
    assert publish(session) == 1
    monkeypatch.setattr(module, "topic_ids", lambda topics: dict.fromkeys(topics, "second"))
    assert [publish(session), publish(session)] == [4, 0]


def test_a_try_sends_nothing_and_its_lake_goes_on_when_promoted(session: SparkSession, kafka: SimpleNamespace) -> None:
    corrected(session, 1, "o-1", "o-2")
    publish(session)
    kafka.publishes = False
    corrected(session, 2, "o-3")
    assert publish(session) == 0
    carry("lake-2")
    kafka.publishes, kafka.bucket = True, "lake-2"
    assert [publish(session), publish(session)] == [1, 0]
    assert told() == [(1, "o-1"), (2, "o-2"), (3, "o-3")]


def test_a_gap_in_the_ledger_stops_sending(session: SparkSession) -> None:
    corrected(session, 1, "o-1", "o-2")
    append_once(ledger(session, row("o-4", sequence=4)), CORRECTIONS, "lost one", 1)
    with pytest.raises(PermanentFailure, match=r"does not go on from 2 with 3: \[4\]"):
        publish(session)
    assert told() == [(1, "o-1"), (2, "o-2")]
