"""The producer behind the webhooks: a full queue and a broker that does not confirm are answers, not losses."""

import asyncio
import socket
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError

from infra.kafka import client
from streaming.webhooks import deliver
from streaming.webhooks.deliver import Log
from streaming.webhooks.refused import Refused, Why


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Kafka that a look has found, and that then takes nothing; short limits."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # Whatever platform lives in this process.
        bootstrap = {"bootstrap.servers": f"127.0.0.1:{silent.getsockname()[1]}", "log_level": 0}
        monkeypatch.setattr(client, "options", lambda: bootstrap)
        monkeypatch.setattr(deliver, "WAIT_SECONDS", 1.0)
        monkeypatch.setattr(deliver, "QUEUE_RECORDS", "3")

        def look(log: Log) -> None:
            log.away, log._topics = None, {"orders"}

        monkeypatch.setattr(Log, "_look", look)
        yield


def why(answer: object) -> Why:
    assert isinstance(answer, Refused), answer
    assert answer.headers == {"Retry-After": "2"}
    return answer.why


def written(answer: object) -> bool | None:
    assert isinstance(answer, Refused)
    return answer.written


def test_a_full_queue_refuses_and_what_waited_is_not_known(nobody: None) -> None:
    async def five() -> list[object]:
        log = Log(asyncio.get_running_loop())
        try:
            writes = [log.write("orders", b"o-1", b"{}", []) for _ in range(5)]
            return await asyncio.gather(*writes, return_exceptions=True)
        finally:
            await asyncio.to_thread(log.close)

    answers = asyncio.run(five())
    assert [why(one) for one in answers] == [Why.NOT_CONFIRMED] * 3 + [Why.QUEUE_FULL] * 2
    assert [written(one) for one in answers] == [None] * 3 + [False] * 2


def test_a_topic_that_is_not_made_yet_is_not_made_by_asking(nobody: None) -> None:
    async def one() -> object:
        log = Log(asyncio.get_running_loop())
        try:
            (answer,) = await asyncio.gather(log.write("clicks", b"s-1", b"{}", []), return_exceptions=True)
            assert log.waiting == 0
            return answer
        finally:
            await asyncio.to_thread(log.close)

    assert why(asyncio.run(one())) is Why.NO_TOPIC_YET


def test_a_broken_producer_takes_nothing_more(nobody: None) -> None:
    async def one() -> object:
        log = Log(asyncio.get_running_loop())
        try:
            log._trouble(KafkaError(KafkaError._FATAL, "fenced", fatal=True))
            assert log.broken
            (answer,) = await asyncio.gather(log.write("orders", b"o-1", b"{}", []), return_exceptions=True)
            return answer
        finally:
            await asyncio.to_thread(log.close)

    assert why(asyncio.run(one())) is Why.KAFKA_AWAY
