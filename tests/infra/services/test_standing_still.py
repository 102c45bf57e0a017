"""Who does nothing while records wait: an old record is unread, and the position has not moved since."""

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Producer

from infra.kafka import client
from infra.kafka.partitions import unread_since
from infra.services import standing_still
from infra.settings import Settings
from infra.shop.services import standing_still as shops


@pytest.fixture
def s(tmp_path: Path, kafka: SimpleNamespace) -> Settings:
    (tmp_path / "run").mkdir()
    return Settings(
        home=tmp_path, options="shop-db,order-service", kafka_bootstrap=kafka.kafka_bootstrap, still_seconds=60
    )


def sent(topic: str, *ages: float) -> None:
    """Records of partition 0 that came so many seconds ago."""
    producer = Producer(client.options())
    for age in ages:
        producer.produce(topic, b"{}", partition=0, timestamp=int((time.time() - age) * 1000))
    assert producer.flush(20) == 0


def says(s: Settings, name: str, moved: float, **more: Any) -> None:
    told = {"pid": os.getpid(), "at": time.time(), "moved": time.time() - moved, **more}
    (s.home / "run" / f"{name}.json").write_text(json.dumps(told))


def test_a_service_that_leaves_commands_waiting_is_told(s: Settings) -> None:
    sent("commands", 900, 700, 1)
    says(s, "order-service", 500, offsets={"0": 1})
    (found,) = shops.order_service(s)
    assert found.id == "program.stands-still/order-service"
    assert "has read nothing for 8 min, and a record waits since" in found.what
    assert found.since is not None
    # It works through a backlog.
    says(s, "order-service", 2, offsets={"0": 1})
    assert shops.order_service(s) == []
    # What it has not read has come just now.
    says(s, "order-service", 500, offsets={"0": 2})
    assert shops.order_service(s) == []


def test_a_follower_that_stands_still_is_told(s: Settings) -> None:
    sent("shop.public.products", 900)
    says(s, "follower-index", 500, position={"shop.public.products/0": 0})
    says(s, "follower-cache", 500, position={"shop.public.products/0": 1})
    says(s, "follower-orders", 500, position={})
    assert [one.id for one in shops.followers(s)] == ["program.stands-still/follower-index"]


def test_a_topic_that_is_not_there_or_was_read_is_nothing_unread(s: Settings) -> None:
    assert unread_since({}, ["commands"]) is None
    sent("commands", 5)
    assert unread_since({("commands", 0): 1}, ["commands"]) is None
    assert unread_since({}, ["commands"]) is not None


def test_a_stopped_stream_with_unread_records_is_told(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        standing_still, "_unread", lambda _: standing_still.datetime.fromtimestamp(0, standing_still.UTC)
    )
    assert "has never read anything" in standing_still.stream(s)[0].what
    says(s, "stream", 0, batch={"id": 1, "finished_at": time.time() - 500})
    assert standing_still.stream(s) == [], "a running one has its own word"
    monkeypatch.setattr(standing_still.psutil, "pid_exists", lambda _: False)
    assert [one.id for one in standing_still.stream(s)] == ["program.stands-still/stream"]


def test_a_capture_without_its_connector_is_told(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shops.capture(s) == [], "no worker runs"
    monkeypatch.setattr(shops.health, "port", lambda *_: None)
    monkeypatch.setattr(shops, "state", lambda _: "RUNNING")
    assert shops.capture(s) == []
    monkeypatch.setattr(shops, "state", lambda _: "ABSENT")
    (found,) = shops.capture(s)
    assert found.id.startswith("capture.absent/")
