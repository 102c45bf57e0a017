"""A topic that Kafka refuses is refused for good; a broker that does not answer, or not in time, is asked again later.

Data flow: answers of a broker -> create -> PermanentFailure, TransientFailure or none
Run: pytest tests/infra/test_create_topics.py
"""

from concurrent.futures import Future
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import NewTopic  # type: ignore[attr-defined]

from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import create as made

NEW = NewTopic("orders", 1, 1)


class Answers:
    """An admin client to whom the broker gives one answer: an error's code; None if it is done; nothing at all."""

    def __init__(self, code: int | None, comes: bool = True) -> None:
        self._answer: Future[None] = Future()
        if code is not None:
            self._answer.set_exception(KafkaException(KafkaError(code)))
        elif comes:
            self._answer.set_result(None)

    def create_topics(self, new: list[NewTopic]) -> dict[str, "Future[None]"]:
        return {one.topic: self._answer for one in new}


@pytest.mark.parametrize("code", [None, KafkaError.TOPIC_ALREADY_EXISTS])
def test_whoever_creates_it_it_is_there(code: int | None) -> None:
    admin: Any = Answers(code)
    made.create(admin, [NEW])


@pytest.mark.parametrize("code", [KafkaError.POLICY_VIOLATION, KafkaError.TOPIC_EXCEPTION])
def test_what_is_refused_is_refused_for_good(code: int) -> None:
    admin: Any = Answers(code)
    with pytest.raises(PermanentFailure, match="topic 'orders' cannot be created"):
        made.create(admin, [NEW])


@pytest.mark.parametrize("code", [KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN])
def test_a_broker_that_is_away_is_asked_again(code: int) -> None:
    admin: Any = Answers(code)
    with pytest.raises(TransientFailure, match="does not answer"):
        made.create(admin, [NEW])


def test_an_answer_that_does_not_come_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "SECONDS", 0)
    admin: Any = Answers(None, comes=False)
    with pytest.raises(TransientFailure, match="does not answer: no answer in time"):
        made.create(admin, [NEW])
