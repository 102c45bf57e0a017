"""Publishing offsets: only what changed, never in the stream's way, and from the checkpoint after a restart.

The broker is the one that librdkafka brings for tests: it speaks the protocol, on a port of its own.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import SparkSession

from streaming.monitor import consumer_group
from streaming.monitor.consumer_group import Published
from streaming.positions import checkpoint
from streaming.positions.checkpoint import Checkpoints, SourceOffsets

GROUP = "lag-tools"
ONE: SourceOffsets = {"orders": {"0": 2, "1": 1}}
TWO: SourceOffsets = {"orders": {"0": 5, "1": 1}}
NOTHING: SourceOffsets = {"orders": {"0": 0, "1": 0}}
NOBODY = "127.0.0.1:1"


@pytest.fixture
def broker() -> Iterator[str]:
    def listening() -> set[int]:
        return {c.laddr.port for c in psutil.Process().net_connections("tcp") if c.status == psutil.CONN_LISTEN}

    before = listening()
    producer = Producer({"test.mock.num.brokers": 1, "log_level": 0})
    (port,) = listening() - before
    for partition in (0, 1):
        producer.produce("orders", b"{}", partition=partition)
    assert producer.flush(10) == 0
    yield f"127.0.0.1:{port}"
    del producer


def published(monkeypatch: pytest.MonkeyPatch, bootstrap: str, publishes: bool = True) -> Published:
    own = SimpleNamespace(consumer_group=GROUP, publishes=publishes)
    monkeypatch.setattr(consumer_group, "settings", lambda: own)
    kafka = SimpleNamespace(kafka_bootstrap=bootstrap, kafka_client={}, embedded=lambda endpoint: False)
    monkeypatch.setattr(consumer_group.client, "settings", lambda: kafka)
    return Published()


def in_kafka(bootstrap: str) -> SourceOffsets:
    """The group's offsets as another client sees them."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": GROUP})
    places = consumer.committed([TopicPartition("orders", partition) for partition in (0, 1)], timeout=10)
    consumer.close()
    return {"orders": {str(at.partition): at.offset for at in places}}


def altered(bootstrap: str, ends: SourceOffsets) -> None:
    """The group's consumer_group, changed by somebody else."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    places = [TopicPartition("orders", int(partition), end) for partition, end in ends["orders"].items()]
    admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(GROUP, places)])[GROUP].result(10)


def test_a_try_leaves_the_groups_offsets_as_they_are(monkeypatch: pytest.MonkeyPatch, broker: str) -> None:
    published(monkeypatch, broker).publish(ONE)
    published(monkeypatch, broker, publishes=False).publish(TWO)
    assert in_kafka(broker) == ONE


def test_a_group_without_members_gets_the_offsets(monkeypatch: pytest.MonkeyPatch, broker: str) -> None:
    own = published(monkeypatch, broker)
    for ends in (ONE, TWO):
        own.publish(ends)
        assert in_kafka(broker) == ends


def test_the_same_offsets_are_not_written_again(monkeypatch: pytest.MonkeyPatch, broker: str) -> None:
    own = published(monkeypatch, broker)
    own.publish(ONE)
    altered(broker, NOTHING)
    own.publish(ONE)
    assert in_kafka(broker) == NOTHING
    own.publish(TWO)
    assert in_kafka(broker) == TWO


def test_once_a_day_they_are_written_all_the_same(monkeypatch: pytest.MonkeyPatch, broker: str) -> None:
    own = published(monkeypatch, broker)
    own.publish(ONE)
    altered(broker, NOTHING)
    monkeypatch.setattr(own._daily, "due", lambda: True)
    own.publish(ONE)
    assert in_kafka(broker) == ONE


def test_a_kafka_that_does_not_answer_is_told_once_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], broker: str
) -> None:
    monkeypatch.setattr(consumer_group, "ANSWER_SECONDS", 0.2)
    own = published(monkeypatch, NOBODY)
    own.publish(ONE)
    own.publish(ONE)
    assert capsys.readouterr().err.count("cannot be published to group 'lag-tools' for now") == 1
    monkeypatch.setattr(consumer_group, "ANSWER_SECONDS", 10)
    own._admin = published(monkeypatch, broker)._admin
    own.publish(ONE)
    assert in_kafka(broker) == ONE
    assert "to group 'lag-tools' again" in capsys.readouterr().err


def test_an_offset_that_the_broker_refuses_is_trouble_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], broker: str
) -> None:
    published(monkeypatch, broker).publish({"nowhere": {"0": 1}})
    assert "cannot be published" in capsys.readouterr().err


def test_before_the_first_micro_batch_there_is_nothing_to_publish(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    published(monkeypatch, NOBODY).publish({})
    assert capsys.readouterr().err == ""


def test_the_checkpoint_stands_behind_its_last_committed_batch(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checkpoint, "settings", lambda: SimpleNamespace(checkpoints=f"file:{tmp_path}"))
    own = Checkpoints(spark)
    assert own.resumes_at("ingest") == {}
    own.write("start", json.dumps(ONE))
    assert own.resumes_at("ingest") == ONE
    # As Spark leaves them: a plan per micro-batch, a commit per finished one, checksums beside both.
    for number in range(12):
        plan = ["v1", json.dumps({"batchTimestampMs": 0}), json.dumps({"orders": {"0": number, "1": 1}})]
        own.write(f"ingest/offsets/{number}", "\n".join(plan))
    for number in range(11):
        own.write(f"ingest/commits/{number}", 'v1\n{"nextBatchWatermarkMs":0}')
    assert list((tmp_path / "ingest" / "commits").glob(".*.crc"))
    assert own.resumes_at("ingest") == {"orders": {"0": 10, "1": 1}}
