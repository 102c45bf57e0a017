"""Which instance of the order service writes, by the topic that each of them writes its name to.

Data flow: instances one after the other -> topic `order-state` -> what the end of one of them means
Run: pytest tests/infra/test_order_instance.py
"""

from pathlib import Path
from types import SimpleNamespace

import pytest
from confluent_kafka import Consumer, Producer

from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import client
from infra.settings import Settings
from infra.shop.orders import service
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.restore import LOG
from infra.shop.orders.service import Service


@pytest.fixture
def own(kafka: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a broker that has the topics."""
    # This broker knows no configurations.
    monkeypatch.setattr(service.compacted, "create", lambda *_: None)
    producer = Producer(client.options())
    for topic in (TOPIC, *LOG, service.snapshot.TOPIC):
        # It makes a topic with its first record.
        producer.produce(topic, b"{}", b"none")
    producer.flush()
    return Settings(home=tmp_path)


def fails(one: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka takes nothing more of it."""

    def refused(_: object, consumer: Consumer) -> None:
        one._producer.commit_transaction()

    monkeypatch.setattr(Service, "_save", refused)
    one.run(lambda: False)


def test_one_that_fails_at_once_is_started_again(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    Service(own).run(lambda: True)
    with pytest.raises(TransientFailure, match="Kafka did not take a transaction"):
        fails(Service(own), monkeypatch)


def test_one_that_another_has_followed_ends(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Service(own)
    second = Service(own)
    with pytest.raises(PermanentFailure, match=f"process {second.name.split()[0]}"):
        fails(first, monkeypatch)
