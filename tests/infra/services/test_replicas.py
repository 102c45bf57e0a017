"""Partitions that lack replicas: which problem each is, what it names, and that a sound Kafka has none."""

from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaException

from infra.kafka.replicas import NOBODY, Replicas
from infra.kafka.replicas import replicas as read
from infra.services import kafka, replicas
from infra.settings import Settings

THREE = Settings(kafka_brokers=3)
EVERYWHERE = frozenset({1, 2, 3})


def partition(number: int, in_sync: set[int], leader: int = 1) -> Replicas:
    return Replicas("orders", number, leader, EVERYWHERE, frozenset(in_sync))


def test_a_broker_that_is_behind_is_a_problem_of_its_own() -> None:
    (found,) = replicas.of(THREE, [partition(0, {1, 3}), partition(1, {1, 3})], {"orders": 2})
    assert (found.id, found.count, found.rows) == ("kafka.behind/2", 2, ("orders-0", "orders-1"))
    assert "daybreak logs kafka-2; daybreak restart kafka-2" in found.mend


def test_too_few_replicas_refuse_what_wants_all() -> None:
    refusing, *behind = replicas.of(THREE, [partition(0, {1}), partition(1, {1, 2})], {"orders": 2})
    assert (refusing.id, refusing.rows) == ("kafka.under-min-isr", ("orders-0",))
    assert [(one.id, one.count) for one in behind] == [("kafka.behind/2", 1), ("kafka.behind/3", 2)]


def test_a_partition_without_a_leader_is_offline_and_not_merely_short() -> None:
    offline, *behind = replicas.of(THREE, [partition(0, {2}, leader=NOBODY)], {"orders": 2})
    assert (offline.id, offline.rows) == ("kafka.offline", ("orders-0",))
    assert [one.id for one in behind] == ["kafka.behind/1", "kafka.behind/3"]


def test_a_kafka_of_yours_is_told_without_our_commands() -> None:
    (found,) = replicas.of(Settings(kafka_bootstrap="broker:9092"), [partition(0, {1, 3})], {"orders": 2})
    assert found.mend == "bring broker 2 of your Kafka back"


def metadata(isrs: list[int], leader: int = 1, brokers: tuple[int, ...] = (1, 2, 3)) -> SimpleNamespace:
    one = SimpleNamespace(leader=leader, replicas=[1, 2, 3], isrs=isrs)
    return SimpleNamespace(
        brokers=dict.fromkeys(brokers), topics={"orders": SimpleNamespace(topic="orders", partitions={0: one})}
    )


def test_metadata_is_read_by_topic_and_partition() -> None:
    (found,) = read(metadata([1, 3]))
    assert (found.name, found.behind, found.is_offline) == ("orders-0", {2}, False)


def test_one_broker_tells_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    there = metadata([2, 3], leader=2, brokers=(2, 3))
    monkeypatch.setattr(replicas, "AdminClient", lambda options: SimpleNamespace(list_topics=lambda timeout: there))
    monkeypatch.setattr(replicas, "_least", lambda admin, topics: dict.fromkeys(topics, 2))
    _, second, third = kafka.nodes(THREE)
    (said,) = replicas.notices(THREE, second)
    assert said.startswith("Kafka: broker 1 is behind in 1 partition: ")
    assert replicas.notices(THREE, third) == ()


def test_what_a_broker_does_not_answer_is_no_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(timeout: float) -> None:
        raise KafkaException("no answer")

    monkeypatch.setattr(replicas, "AdminClient", lambda options: SimpleNamespace(list_topics=silent))
    assert replicas.notices(THREE, kafka.nodes(THREE)[0]) == ()
