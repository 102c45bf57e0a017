"""The log ends where it ends, whoever may read it."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import IsolationLevel, KafkaError, KafkaException, Producer, TopicPartition

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.ends import Open, bounds, ends, open_transactions


def test_ends_of_many_partitions_are_asked_at_once(kafka: SimpleNamespace) -> None:
    producer = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
    for number in range(3):
        producer.produce("orders", b"x", partition=number)
    producer.produce("orders", b"y", partition=1)
    producer.flush(20)
    admin = client.admin()
    places = [("orders", number) for number in range(3)]
    assert ends(admin, places, IsolationLevel.READ_UNCOMMITTED) == {places[0]: 1, places[1]: 2, places[2]: 1}
    assert open_transactions(admin, places) == {}
    assert open_transactions(admin, []) == {}
    assert Open(3, 10).size == 7


class Answers:
    """An admin client that has these answers, one after the other: an offset, or an error's code."""

    def __init__(self, *answers: int | KafkaError) -> None:
        self.left = list(answers)

    def list_offsets(self, asked: dict[TopicPartition, Any], **_: object) -> dict[TopicPartition, Future[Any]]:
        answer: Future[Any] = Future()
        if isinstance(said := self.left.pop(0), KafkaError):
            answer.set_exception(KafkaException(said))
        else:
            answer.set_result(SimpleNamespace(offset=said))
        return dict.fromkeys(asked, answer)


def test_a_partition_that_changes_its_leader_is_asked_again() -> None:
    admin: Any = Answers(KafkaError(KafkaError.OFFSET_NOT_AVAILABLE), KafkaError(KafkaError.LEADER_NOT_AVAILABLE), 7)
    assert ends(admin, [("orders", 0)], IsolationLevel.READ_COMMITTED) == {("orders", 0): 7}


def test_another_error_is_told_at_once(kafka: SimpleNamespace) -> None:
    admin: Any = Answers(KafkaError(KafkaError.INVALID_REQUEST), 7)
    with pytest.raises(TransientFailure, match="does not answer"):
        ends(admin, [("orders", 0)], IsolationLevel.READ_COMMITTED)
    assert admin.left == [7]


def test_bounds_of_a_partition_without_a_leader_are_asked_again() -> None:
    left: list[KafkaError | tuple[int, int]] = [KafkaError(KafkaError._UNKNOWN_PARTITION), (3, 9)]

    def asked(at: TopicPartition, timeout: float) -> tuple[int, int]:
        if isinstance(said := left.pop(0), KafkaError):
            raise KafkaException(said)
        return said

    consumer: Any = SimpleNamespace(get_watermark_offsets=asked)
    assert bounds(consumer, ("orders", 0)) == (3, 9)
    left.append(KafkaError(KafkaError._ALL_BROKERS_DOWN))
    with pytest.raises(KafkaException):
        bounds(consumer, ("orders", 0))
