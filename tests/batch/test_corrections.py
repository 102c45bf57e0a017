"""The command shows what is in the topic, says when there is none, and nobody else may send to it."""

from datetime import datetime
from types import SimpleNamespace

import pytest
from confluent_kafka import Producer

from batch.commands import corrections as module
from batch.commands.corrections import corrections
from infra.failures import PermanentFailure
from streaming.commands import send

FIRST = '{"view":"order_totals","day":"2026-01-31","key":{},"new":{"revenue_cents":100},"sequence":1}'
SECOND = '{"view":"order_payments","day":"2026-02-01","key":{},"new":null,"sequence":2}'


@pytest.fixture
def topic(kafka: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.setattr(module, "settings", lambda: kafka)
    monkeypatch.setattr(send, "settings", lambda: kafka)
    return kafka


def shown(capsys: pytest.CaptureFixture[str], view: str | None = None, day: datetime | None = None) -> list[str]:
    corrections(follow=False, view=view, day=day)
    return sorted(capsys.readouterr().out.splitlines())


def test_every_record_is_a_line_as_it_was_sent(topic: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    producer = Producer({"bootstrap.servers": topic.kafka_bootstrap})
    for text in (FIRST, SECOND):
        producer.produce("corrections", key=text.encode(), value=text.encode())
    assert producer.flush(20) == 0
    assert shown(capsys) == sorted([FIRST, SECOND])
    assert shown(capsys, view="order_totals") == [FIRST]
    assert shown(capsys, day=datetime(2026, 2, 1)) == [SECOND]
    assert shown(capsys, view="order_totals", day=datetime(2026, 2, 1)) == []


def test_before_the_first_night_it_says_so(topic: SimpleNamespace) -> None:
    with pytest.raises(PermanentFailure, match="no topic 'corrections' in Kafka yet: the first night creates it"):
        corrections(follow=False, view=None, day=None)


@pytest.mark.parametrize("name", ["corrections", "corrections-state"])
def test_nobody_else_sends_there(topic: SimpleNamespace, name: str) -> None:
    with pytest.raises(PermanentFailure, match="only the night writes the topic"):
        send.send(name, key="view")
