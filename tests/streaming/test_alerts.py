"""Each alert is sent once: raised when its row is new, withdrawn when an event undoes it, and not again after a restart."""

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from confluent_kafka import Producer

from infra import failpoints
from infra.failures import TransientFailure
from infra.kafka.read_committed import committed
from streaming.micro_batch import alerts as module
from streaming.micro_batch.alerts import Alerts, last_sent
from streaming.micro_batch.outcomes import arrow_schema
from streaming.views import VIEWS

VIEW = VIEWS["fraud_alerts"]
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
ROW = {one.name: None for one in VIEW.columns} | {"alerted_at": NOON, "amount_cents": 20_000, "alerts": 1}
Rows = dict[str, pa.Table]


@pytest.fixture
def broker(kafka: SimpleNamespace, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    kafka.topic_partitions, kafka.home = 2, tmp_path
    for place in (module, failpoints):
        monkeypatch.setattr(place, "settings", lambda: kafka)
    # Topics are not created by this broker on request, but at their first record: here of another lake.
    monkeypatch.setattr(module.compacted, "create", lambda *_: None)
    another = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
    another.produce("alerts", value=b"{}")
    another.produce("alerts-state", key=b"another", value=b'["g9", 1000]')
    assert another.flush(20) == 0
    return kafka


def said(*ids: str, is_final: bool = False, is_removed: bool = False) -> Rows:
    rows = [ROW | {"event_id": name, "is_final": is_final, "is_removed": is_removed} for name in ids]
    flags = [pa.field("is_final", pa.bool_()), pa.field("is_removed", pa.bool_())]
    schema = arrow_schema(VIEW.schema)
    return {VIEW.name: pa.Table.from_pylist(rows, schema=pa.schema([*schema, *flags]))}


def sent(topic: str = "alerts") -> list[tuple[str, str]]:
    found = [json.loads(record.value() or b"{}") for record in committed(topic)]
    return sorted((one["event_id"], one["alert"]) for one in found if one)


def test_an_alert_is_raised_once_however_often_its_row_is_written(broker: SimpleNamespace) -> None:
    alerts = Alerts("g1")
    assert alerts.send(said("a", "b"), 1, NOON) == 2
    assert alerts.send(said("a", is_final=True), 2, NOON) == 0
    assert alerts.send(said("c", is_final=True), 3, NOON) == 1
    assert sent() == [("a", "raised"), ("b", "raised"), ("c", "raised")]
    found = [json.loads(record.value() or b"") for record in committed("alerts")]
    (first,) = [one for one in found if one.get("event_id") == "a"]
    assert b"fraud_alerts/a" in {record.key() for record in committed("alerts")}, "views do not share a key"
    assert (first["view"], first["alerted_at"], first["batch_id"]) == ("fraud_alerts", "2026-01-31T12:00:00.000Z", 1)


def test_keys_of_several_columns_are_told_apart() -> None:
    rows = pa.table({"one": ["a\x1fb", "a", None, "None"], "other": ["c", "b\x1fc", "x", "x"]})
    assert len(set(module._keys(rows, ("one", "other")))) == 4
    assert module._keys(rows.slice(1, 1), ("one",)) == ["a"], "the value itself"


def test_an_alert_that_an_event_undoes_is_withdrawn(broker: SimpleNamespace) -> None:
    alerts = Alerts("g1")
    alerts.send(said("a"), 1, NOON)
    alerts.send(said("a", is_removed=True), 2, NOON)
    alerts.send(said("a"), 3, NOON)
    assert sent() == [("a", "raised"), ("a", "raised"), ("a", "withdrawn")]


def test_a_repeated_micro_batch_sends_nothing_again(broker: SimpleNamespace) -> None:
    Alerts("g1").send(said("a"), 7, NOON)
    assert last_sent() == ("g1", 7)
    after_a_crash = Alerts("g1")
    assert after_a_crash.send(said("a"), 7, NOON) == 0
    assert after_a_crash.send(said("b"), 8, NOON) == 1
    assert sent() == [("a", "raised"), ("b", "raised")]


def test_a_try_sends_none_and_what_it_has_said_is_no_news(broker: SimpleNamespace) -> None:
    alerts = Alerts("g1")
    broker.publishes = False
    assert alerts.send(said("a"), 1, NOON) == 0
    broker.publishes = True
    assert alerts.send(said("a", "b"), 2, NOON) == 1
    assert sent() == [("b", "raised")]


def test_rows_that_were_open_before_a_restart_are_no_news(broker: SimpleNamespace) -> None:
    Alerts("g1").send(said("a"), 1, NOON)
    restarted = Alerts("g1")
    restarted.restore(said("a"))
    assert restarted.send(said("a", is_final=True), 2, NOON) == 0
    rebuilt = Alerts("g2")
    rebuilt.restore(said("a"))
    assert rebuilt.send(said("a", "b"), 0, NOON) == 1, "a new generation counts its micro-batches from 0"
    assert sent() == [("a", "raised"), ("b", "raised")]


def test_another_lakes_position_is_not_ours(broker: SimpleNamespace) -> None:
    Alerts("g1").send(said("a"), 7, NOON)
    broker.bucket = "other"
    assert last_sent() is None
    assert Alerts("g1").send(said("a"), 3, NOON) == 1


def test_without_kafka_the_micro_batch_fails_and_can_be_repeated(
    broker: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 1)
    broker.kafka_bootstrap = "127.0.0.1:1"
    with pytest.raises(TransientFailure, match="did not take 1 alerts"):
        Alerts("g1").send(said("a"), 1, NOON)


def test_no_alert_needs_no_kafka(broker: SimpleNamespace) -> None:
    broker.kafka_bootstrap = "127.0.0.1:1"
    assert Alerts("g1").send({}, 1, NOON) == 0
