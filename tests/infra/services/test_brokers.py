"""One broker or three: what each is configured with, and that a home keeps the number that it was made with."""

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest

from infra.failures import PermanentFailure
from infra.kafka.brokers import properties
from infra.services import health, kafka, place
from infra.settings import ROOT, Settings, load
from infra.shop.services.connect import properties as of_connect

COPIED = ("default", "offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
"""What has a replication factor of its own."""


def configured(s: Settings) -> list[dict[str, str]]:
    every = kafka.nodes(s)
    return [properties(node, every) for node in every]


def test_three_brokers_keep_every_record_three_times(tmp_path: Path) -> None:
    first, second, third = configured(Settings(home=tmp_path, kafka_brokers=3))
    for own in (first, second, third):
        assert {own[f"{one}.replication.factor"] for one in COPIED} == {"3"}
        needed = "transaction.state.log.min.isr", "share.coordinator.state.topic.min.isr", "min.insync.replicas"
        assert {own[one] for one in needed} == {"2"}
    assert first["controller.quorum.voters"] == "1@127.0.0.1:21001,2@127.0.0.1:21017,3@127.0.0.1:21019"
    same = {name for name in first if first[name] == second[name] == third[name]}
    assert first.keys() - same == {"node.id", "listeners", "advertised.listeners", "log.dirs"}


def test_one_broker_is_configured_and_placed_as_ever(tmp_path: Path) -> None:
    (own,) = configured(Settings(home=tmp_path))
    assert {own[f"{one}.replication.factor"] for one in COPIED} == {"1"}
    assert "min.insync.replicas" not in own
    assert own["controller.quorum.voters"] == "1@127.0.0.1:21001"
    assert own["log.dirs"] == f"{tmp_path}/kafka/log"


def test_clients_and_topics_know_of_all_brokers(tmp_path: Path) -> None:
    three = Settings(home=tmp_path, kafka_brokers=3, port_base=30000)
    assert three.kafka_bootstrap == "127.0.0.1:30000,127.0.0.1:30016,127.0.0.1:30018"
    assert three.kafka_replication == 3
    assert of_connect(three)["offset.storage.replication.factor"] == "3"
    assert (Settings(home=tmp_path).kafka_bootstrap, Settings(home=tmp_path).kafka_replication) == (
        "127.0.0.1:21000",
        1,
    )
    assert Settings(home=tmp_path, kafka_brokers=3, kafka_replication=2).kafka_replication == 2


@pytest.mark.parametrize("brokers", ["0", "2", "5"])
def test_a_number_that_is_no_quorum_is_refused(monkeypatch: pytest.MonkeyPatch, brokers: str) -> None:
    monkeypatch.setenv("DAYBREAK_KAFKA_BROKERS", brokers)
    with pytest.raises(PermanentFailure, match=r"DAYBREAK_KAFKA_BROKERS is wrong: .* 1 broker, or 3"):
        load()


@pytest.mark.parametrize(
    ("made", "asked", "words"),
    [
        ("kafka/log", 3, "by one broker, and DAYBREAK_KAFKA_BROKERS asks for 3 brokers.*DAYBREAK_KAFKA_BROKERS=1"),
        ("kafka/2/log", 1, "by 3 brokers, and DAYBREAK_KAFKA_BROKERS asks for one broker.*DAYBREAK_KAFKA_BROKERS=3"),
    ],
)
def test_a_home_of_another_number_is_refused_before_anything_stops(
    tmp_path: Path, made: str, asked: int, words: str
) -> None:
    log = tmp_path / made
    log.mkdir(parents=True)
    (log / "meta.properties").touch()
    with pytest.raises(PermanentFailure, match=words):
        place.prepare(Settings(home=tmp_path, kafka_brokers=asked))
    kafka.refuse_other_size(Settings(home=tmp_path, kafka_brokers=4 - asked))
    kafka.refuse_other_size(Settings(home=tmp_path, kafka_brokers=asked, kafka_bootstrap="127.0.0.1:1"))


def test_a_broker_is_healthy_when_its_replicas_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    s = Settings(home=tmp_path, kafka_brokers=3)
    _, second, _ = kafka.nodes(s)
    there = SimpleNamespace(brokers={1: "", 3: ""}, topics={"t": topic(([1, 2, 3], [1, 2, 3]), ([1, 2, 3], [1, 3]))})
    client = SimpleNamespace(list_topics=lambda timeout: there)
    monkeypatch.setattr(health, "AdminClient", lambda options: client)
    assert health.kafka(s, second) == "the other brokers to register it"
    there.brokers[2] = ""
    assert health.kafka(s, second) == "its replicas to catch up: 1 of 2 are behind"
    there.topics["t"].partitions[1].isrs.append(2)
    assert health.kafka(s, second) is None


def topic(*partitions: tuple[list[int], list[int]]) -> SimpleNamespace:
    """Of partitions with (replicas, those in sync), led by broker 1."""
    made = {
        number: SimpleNamespace(leader=1, replicas=replicas, isrs=isrs)
        for number, (replicas, isrs) in enumerate(partitions)
    }
    return SimpleNamespace(partitions=made)


def test_every_producer_waits_for_all_replicas() -> None:
    """It says so, or has a transactional id, with which librdkafka takes nothing less. A lab of acks compares them."""
    found = [
        (path.relative_to(ROOT).as_posix(), ast.unparse(node))
        for layer in ("infra", "streaming", "batch")
        for path in sorted((ROOT / layer).rglob("*.py"))
        if "lab/acks" not in path.as_posix()
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef)
        and any(isinstance(node, ast.Call) and ast.unparse(node.func) == "Producer" for node in ast.walk(function))
        for node in [function]
    ]
    assert len(found) >= 8
    for path, text in found:
        assert "'acks': 'all'" in text or "transactional.id" in text, path
