"""`daybreak new mine --from-topic T`: the newest records of a topic become a project that loads, and whose rules they keep."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from confluent_kafka import Producer

from infra.failures import PermanentFailure
from streaming.commands import new as command
from streaming.contracts.contract import Contract
from streaming.proposal.newest import newest
from streaming.views.view import View

TOPIC = "site.readings"


def event(number: int) -> dict[str, Any]:
    head = {"event_id": str(UUID(int=number)), "event_type": "reading_taken", "event_time": 1_769_839_200_000 + number}
    own = {"day": f"s-{number % 30}", "celsius": number / 2, "items": [{"n": 1, "tags": ["a"]}], "sizes": [number]}
    return head | {"schema_version": 1, 'e"""mail': "x"} | own


@pytest.fixture
def topic(kafka: SimpleNamespace) -> str:
    """This Kafka makes it with four partitions."""
    producer = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
    for number in range(100):
        one = event(number)
        producer.produce(TOPIC, json.dumps(one).encode(), one["day"].encode(), partition=number % 4)
    producer.flush(20)
    return TOPIC


@pytest.fixture
def modules() -> Iterator[None]:
    """What a test imports is forgotten."""
    before, path = {*sys.modules}, [*sys.path]
    yield
    for name in {*sys.modules} - before:
        if name.startswith("proposed"):
            del sys.modules[name]
    sys.path[:] = path


def test_the_newest_records_are_read_and_no_more(topic: str) -> None:
    numbers = [json.loads(value or b"")["event_time"] - 1_769_839_200_000 for _, value in newest(topic, most=12)]
    assert sorted(numbers) == [*range(88, 100)]
    assert 1 <= len(newest(topic, most_bytes=500)) < 10
    with pytest.raises(PermanentFailure, match="no topic other"):
        newest("other")


def test_the_project_loads_and_keeps_to_its_records(topic: str, tmp_path: Path, modules: None) -> None:
    folder = tmp_path / "proposed"
    command.new(str(folder), topic)
    sys.path.append(str(tmp_path))
    contract: Contract = importlib.import_module("proposed.contracts").CONTRACTS[0]
    view: View = importlib.import_module("proposed.views").VIEWS[0]
    assert (contract.topic, contract.key, view.inputs) == (topic, "day", (topic,))
    assert view.key == ("day_of_event", "hour_start"), "a view must not have a column `day`"
    assert contract.required == {"reading_taken": ("day", "celsius", "items", "sizes")}
    assert contract.payload.simpleString() == (
        "struct<day:string,celsius:double,items:array<struct<n:bigint,tags:array<string>>>,sizes:array<bigint>>"
    )
    asked = [
        (rule, event(number)[rule.field])
        for rule in contract.rules
        for number in range(100)
        if rule.field and rule.holds
    ]
    assert asked
    assert all(rule.holds(value) for rule, value in asked if rule.holds)
    text = (folder / "contracts.py").read_text()
    assert "event_time: `event_time`, epoch milliseconds in 100.0% of the records\n" in text
    assert "key: `day`, equal to the record's key in 100.0% of the records" in text
    assert "is no name that a column can have" in text
    good = json.loads((folder / "examples" / topic / "good" / "reading_taken.json").read_text())
    # Of whichever partition answers first.
    assert good["day"] in {event(number)["day"] for number in range(4)}
    assert not (folder / "examples" / "readings").exists()


def test_what_no_record_says_is_asked_for(topic: str, tmp_path: Path, kafka: SimpleNamespace, modules: None) -> None:
    producer = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
    for number in range(10):
        producer.produce(TOPIC, json.dumps({"sensor": f"s-{number}", "celsius": 20}).encode(), partition=0)
    producer.flush(20)
    bare = [one for one in newest(topic, most=40) if one[0] is None]
    assert len(bare) == 10
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "newest", lambda topic: bare)
        with pytest.raises(PermanentFailure, match="with --key: sensor, celsius; no field is equal"):
            command.new(str(tmp_path / "proposed"), topic)
        with pytest.raises(PermanentFailure, match="`room` is none"):
            command.new(str(tmp_path / "proposed"), topic, "room")
        assert not (tmp_path / "proposed").exists()
        command.new(str(tmp_path / "proposed"), topic, "sensor", "reading_taken")
    text = (tmp_path / "proposed" / "contracts.py").read_text()
    assert "'reading_taken': ('sensor', 'celsius')," in text
    assert "event_id: no field seems to be it: a UUID, another one for each event" in text
