"""The sender against librdkafka's own in-process broker: the real protocol, without a service."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest
from confluent_kafka import Producer

from infra.failures import PermanentFailure
from infra.kafka import client
from infra.kafka.delivery_log import ACKED, Ledger, read_ledger
from infra.kafka.send import Sender


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    mother = Producer({"test.mock.num.brokers": "1", "log_level": 0})
    mother.produce("orders", b"the mock creates a topic at its first record")
    assert mother.flush(20) == 0
    (node,) = mother.list_topics(timeout=20).brokers.values()
    settings = SimpleNamespace(kafka_bootstrap=f"{node.host}:{node.port}", kafka_client={}, embedded=lambda name: False)
    monkeypatch.setattr(client, "settings", lambda: settings)
    yield settings
    del mother


def test_every_record_is_acked_and_in_the_ledger_with_its_checksum(broker: SimpleNamespace, tmp_path: Path) -> None:
    values = [b"\xff not text", b"", None, b'{"event_id":"e"}']
    with Ledger(tmp_path / "l", payloads=True) as ledger, Sender(["orders"], ledger) as sender:
        for value in values:
            sender.send("orders", b"k", value, "e", kind="good")
    assert sender.acked == {"orders": 4}
    assert not sender.rejected
    entries = sorted(read_ledger(tmp_path / "l"), key=lambda entry: entry.offset)
    assert [entry.value for entry in entries] == values
    assert [entry.sha256 for entry in entries] == [None if v is None else sha256(v).hexdigest() for v in values]
    assert {(entry.outcome, entry.topic, entry.kind, entry.key) for entry in entries} == {
        (ACKED, "orders", "good", b"k")
    }
    assert len({(entry.partition, entry.offset) for entry in entries}) == 4


def test_an_oversize_record_is_counted_and_stops_no_other(broker: SimpleNamespace, tmp_path: Path) -> None:
    with Ledger(tmp_path / "l") as ledger, Sender(["orders"], ledger) as sender:
        sender.send("orders", b"k", b"x" * 2_000_000)
        sender.send("orders", b"k", b"x")
    assert sender.rejected == {("orders", "MSG_SIZE_TOO_LARGE"): 1}
    assert sender.acked == {"orders": 1}
    assert sorted(json.loads(line)["outcome"] for line in (tmp_path / "l").open()) == ["MSG_SIZE_TOO_LARGE", ACKED]


def test_a_full_queue_waits_and_loses_nothing(broker: SimpleNamespace) -> None:
    broker.kafka_client["queue.buffering.max.messages"] = "10"
    with Sender(["orders"]) as sender:
        for number in range(1_000):
            sender.send("orders", str(number).encode(), b"value")
    assert sender.acked == {"orders": 1_000}


def test_a_missing_topic_is_refused_and_not_created(broker: SimpleNamespace) -> None:
    for _ in range(2):
        with pytest.raises(PermanentFailure, match=r"no topic refunds in Kafka: .*there are: orders"):
            Sender(["orders", "refunds"])
